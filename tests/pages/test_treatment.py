"""The Data page's treatment of numbers: for all of them, for one column, by the score."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from pages._shared.sections.data import treatment
from pages._shared.sections.data.treatment import LIKE_THE_REST as REST
from pages._shared.sections.data.treatment import METHODS


def survey():
    rng = np.random.default_rng(5)
    age = rng.integers(18, 80, 200)
    hours = np.where(age > 65, 12.0, 36.0) + rng.normal(0, 5, 200)
    frame = pd.DataFrame({"age": age, "hours": hours.round(1), "children": rng.poisson(1.5, 200).clip(0, 6)})
    return frame.assign(home=np.where(rng.random(200) < (age - 10) / 80, "yes", "no"))


def cut_box(visitor):
    return next(box for box in visitor.at.selectbox if box.key.startswith("cut "))


def test_levels_by_the_score(visitor):
    visitor.upload("survey.csv", survey().to_csv(index=False))
    assert visitor.recipe.per_column == (("children", "none"),)
    assert visitor.shows("2 to 6")
    cut_box(visitor).set_value("score").run()
    visitor.settle()
    assert visitor.recipe.discretization == "score"
    cuts = visitor.recipe.cuts(survey())
    assert list(cuts) == ["age", "hours"]
    assert any(abs(point - 65.5) <= 1 for point in cuts["age"])
    shown = next(frame.value for frame in visitor.at.dataframe if "cut at" in frame.value)
    assert shown.set_index("variable").loc["age", "states"] == len(cuts["age"]) + 1
    assert visitor.note("by score")
    visitor.go("learn")
    assert visitor.at.session_state["dataset"][1].to_frame().equals(visitor.recipe.prepare(survey()).to_frame())


def test_a_table_whose_levels_cannot_be_chosen_says_why_and_can_be_mended(visitor):
    words = survey().assign(person=[f"P{k}" for k in range(200)])
    visitor.upload("survey.csv", words.to_csv(index=False))
    cut_box(visitor).set_value("score").run()
    visitor.settle()
    assert visitor.warns("'person'", 200)
    cut_box(visitor).set_value("none").run()
    assert visitor.settle().recipe.discretization == "none"


def test_a_choice_that_is_stopped_says_so_and_keeps_what_it_has():
    recipe = bn.Recipe("file", "survey.csv", discretization="score")
    whole = treatment.decide(recipe, survey(), lambda done, total: None)
    assert (whole.status, dict(whole.cuts)) == ("converged", recipe.cuts(survey()))
    stopped = treatment.decide(recipe, survey(), lambda done, total: done < 2)
    assert stopped.status == "stopped"
    assert list(stopped.cuts) == ["age", "hours"]


def test_a_choice_that_was_stopped_can_be_run_to_the_end(visitor, monkeypatch):
    """The first time it is told to stop as soon as it says how far it is."""
    patience = [2]

    def choose(recipe, frame, tell):
        most = patience.pop() if patience else 10**9
        return decide(recipe, frame, lambda done, total: done < most)

    decide = treatment.decide
    monkeypatch.setattr(treatment, "decide", choose)
    visitor.upload("survey.csv", survey().to_csv(index=False))
    cut_box(visitor).set_value("score").run()
    visitor.settle()
    assert visitor.at.warning
    assert visitor.at.session_state["cuts"][1] != visitor.recipe.cuts(survey())
    visitor.button("Run it again").settle()
    assert not visitor.at.warning
    assert visitor.at.session_state["cuts"][1] == visitor.recipe.cuts(survey())


def test_settings_with_columns_of_their_own_open_from_a_link_on_any_page(arrive):
    recipe = bn.Recipe(
        "sample", "sachs_raw", columns=("raf", "mek", "plc"), per_column=(("raf", "score"), ("mek", "width", "4"))
    )
    experiment = bn.Experiment(dataclasses.replace(recipe, discretization="quantile"), methods=("boot",), n=20)
    visitor = arrive(run=experiment.to_link()).go("data")
    assert visitor.recipe == experiment.data
    shown = next(frame.value for frame in visitor.at.dataframe if "cut at" in frame.value).set_index("variable")
    assert shown["cut"].to_dict() == {"raf": METHODS["score"], "mek": METHODS["width"], "plc": REST}
    assert shown["states"].to_dict() == dict(
        zip(recipe.columns, experiment.data.prepare(experiment.data.load()).arities.tolist(), strict=True)
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ((REST, 3), ()),
        ((REST, None), ()),
        ((REST, 5), (("age", "quantile", "5"),)),
        ((METHODS["none"], 5), (("age", "none"),)),
        ((METHODS["score"], 5), (("age", "score"),)),
        ((METHODS["width"], None), (("age", "width"),)),
        ((METHODS["width"], 3), (("age", "width"),)),
        ((METHODS["quantile"], 5), (("age", "quantile", "5"),)),
    ],
)
def test_an_edited_line_is_the_treatment_of_its_column(line, said):
    edited = pd.DataFrame([("age", *line)], columns=["variable", "cut", "bins"]).astype({"bins": "Int64"})
    assert treatment.treatments(edited, bn.Recipe(discretization="quantile", bins=3)) == said


def test_the_table_of_an_untouched_recipe_says_nothing_more():
    recipe = bn.Recipe(
        discretization="width", bins=4, per_column=(("age", "quantile", "6"), ("hours", "score"), ("children", "none"))
    )
    lines = treatment.decided_lines(survey(), ["age", "hours", "children"], recipe)
    assert treatment.treatments(lines, recipe) == recipe.per_column
