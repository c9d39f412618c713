"""Columns that are kept as numbers: chosen on the Data page, carried by the link, and said where states are needed."""

import numpy as np
import pytest

import bnengine as bn
from pages.shared.keys import Key
from tests.experiment.test_recipe import measured
from tests.pages.reading import unescaped
from tests.pages.test_treatment import cut_box

SCORES_OF_NUMBERS = {"bic", "aic", "loglik", "gaussian"}


def keep(visitor, frame):
    """Upload a table, whose measurements are kept."""
    visitor.upload("clinic.csv", frame.to_csv(index=False))
    assert cut_box(visitor).value == "number"
    return visitor.settle()


def offered(visitor):
    """The scores that can be chosen, by the ends of their titles."""
    return set(visitor.at.selectbox(key=visitor.key(Key.SCORE)).options)


def first_rows(visitor):
    return next(one.value for one in visitor.at.get("html") if "<table" in one.value)


@pytest.mark.slow
def test_measurements_are_kept_and_cut_again_with_the_scores_that_suit_them(visitor, arrive):
    keep(visitor, measured())
    assert visitor.data.numbers == ("dose", "pulse")
    assert visitor.shows("60 rows, 4 variables: 2 numbers, kept as such, and 2 with 2 to 6 states")
    assert first_rows(visitor).count("number, kept") == 2
    lines = visitor.frame("type", "cut")
    assert lines.set_index("variable")["type"].to_dict() == {
        "dose": "Number", "pulse": "Number", "visits": "Discrete", "ward": "Discrete",
    }  # fmt: skip
    assert "12 distinct values are kept as numbers" in visitor.note("about numbers")
    visitor.unfold("variable")
    assert visitor.at.get("plotly_chart")
    assert visitor.open("network").experiment.score == bn.GaussianBIC()
    assert {title.split(" · ")[0] for title in offered(visitor)} == {"BIC", "AIC", "Log-likelihood", "Gaussian BIC"}
    visitor.choose(Key.SCORE, "bic")
    kept = visitor.experiment
    assert kept.score == bn.BIC()
    visitor.go("data")
    cut_box(visitor).set_value("quantile").run()
    visitor.settle()
    assert visitor.data.numbers == ()
    assert first_rows(visitor).count("cut into 3 states") == 2
    assert visitor.open("network").experiment.score == bn.BIC()
    assert len(offered(visitor)) > len(SCORES_OF_NUMBERS)
    opened = arrive(**{Key.ADDRESS: kept.to_link()})
    opened.upload("clinic.csv", measured().to_csv(index=False))
    assert opened.experiment == kept  # its score, too, which was chosen
    assert opened.data.numbers == ("dose", "pulse")


def test_what_has_no_states_cannot_be_a_state(visitor):
    frame = measured()
    frame.loc[::9, "pulse"] = np.nan
    keep(visitor, frame)
    ways = next(box for box in visitor.at.radio if box.key.startswith(Key.MISSING)).options
    assert not any("state" in way or "parents" in way for way in ways), ways
    assert visitor.has(Key.opened("missing cells"))  # where they are is counted of numbers, too


@pytest.mark.slow
def test_every_page_says_what_it_does_with_numbers(visitor):
    keep(visitor, measured()).go("network").few()
    assert visitor.shows("Gaussian BIC")
    for view in ("learned", "threshold", "naive", "verdict"):
        visitor.view(view)
    visitor.click("pulse").settle()
    assert any("Numbers are cut into three states here" in text.value for text in visitor.at.caption)
    for opened, key, parts in (
        ("trust", Key.TRUST, ("preparation", "proof", "relations")),
        ("found by", Key.FOUND_BY, ("lengths", "steps", "searches")),
    ):
        for part in parts:
            visitor.part(opened, key, part)
    lengths = visitor.part("found by", Key.FOUND_BY, "lengths").frame("bits", "parameters").set_index("graph")
    assert lengths["bits"].idxmin() == "Best-scoring graph"
    for section in ("What if", "Accuracy", "Edge by edge"):
        visitor.go("predict").turn(Key.PREDICT_SECTION, section)
        assert "here dose and pulse are cut into three" in visitor.note("cut")
    for page, section in (("mdl", "Search by hand"), ("bayesian", "Prior strength"), ("bias_lab", "Replicates")):
        visitor.own().go(page).turn(Key.section(page), section)
        assert "are cut into three" in visitor.note("cut")
    assert not visitor.at.error, [unescaped(error.value) for error in visitor.at.error]
