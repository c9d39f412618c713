"""Which verdicts survive other preparations of the numbers: edges that cutting makes do not, and this is said."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.answers import other_preparations
from bnengine.answers.preparations import Preparations
from bnengine.answers.verdict import UNSURE
from bnengine.posterior import Effort

NUMBERS = ["minutes", "gigabytes", "cost"]
TRUE = {("minutes", "plan"), ("gigabytes", "minutes"), ("cost", "gigabytes")}


def chain(seed, n=2_000):
    """Plan → minutes → gigabytes → cost: cut, further pairs depend on each other beside these."""
    rng = np.random.default_rng(seed)
    plan = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    minutes = rng.gamma(4, 10, n) * np.array([0.5, 1.0, 2.0])[plan]
    gigabytes = minutes * rng.uniform(0.085, 0.115, n)
    columns = {"plan": np.array(list("abc"))[plan], "minutes": minutes, "gigabytes": gigabytes}
    return pd.DataFrame(columns | {"cost": gigabytes * rng.uniform(0.7, 1.3, n)})


@pytest.fixture(scope="module")
def kept():
    return bn.Dataset.from_frame(chain(1), numbers=NUMBERS)


@pytest.fixture(scope="module")
def found(kept):
    """The verdict on the table cut into three states, and the numbers of other preparations."""
    data = kept.cut(3)
    study = bn.study(data, bn.BIC(), bn.HillClimbing(), bn.resampling_methods(20, keys=["predictive"]))
    real = bn.edge_posterior(data, effort=Effort(n_bags=2))
    return bn.verdict(study, real, data=data, preparations=other_preparations(kept))


def test_edges_that_cutting_made_do_not_survive_and_true_ones_do(found):
    table = found.table()
    sure = table[table["verdict"] != UNSURE][["parent", "child"]].to_numpy().tolist()
    real = {tuple(sorted(ends)): ends for ends in sure}
    assert set(real) > TRUE  # there is something to find
    for pair, ends in real.items():
        said = "Cutting may have made this edge." in found.sentence(*ends)
        assert said == (pair not in TRUE)
        assert (
            " – ".join(ends) in found.preparation_sentence or " – ".join(ends[::-1]) in found.preparation_sentence
        ) == said
    assert (
        f"{len(TRUE)} of {len(real)} verdicts would be the same with numbers kept, and cut into 2, 3 and 5 states"
        in (found.preparation_sentence)
    )
    assert found.preparation_sentence in found._repr_html_()
    assert (table["real_least"] <= table["real_most"]).all()


def test_where_all_agree_it_is_said(found):
    """The numbers of every preparation are those of the verdict."""
    same = dataclasses.replace(found.preparations, real=np.array([found.answers.real] * 4))
    again = dataclasses.replace(found, preparations=same)
    assert again.preparation_sentence.startswith("All ")
    assert not again.depends.any()
    assert dataclasses.replace(found, preparations=None).preparation_sentence == ""


def test_a_known_posterior_has_the_kept_numbers_and_three_states_already():
    kept = bn.Dataset.from_frame(chain(2, 80), numbers=NUMBERS)
    real = bn.edge_posterior(kept, effort=Effort(n_bags=1))
    found = other_preparations(kept, real)
    under = real.under_each_prior
    assert found.real[0] == pytest.approx(np.minimum(under[0] + under[0].T, 1))
    assert found.real[2] == pytest.approx(np.minimum((under[1:] + under[1:].transpose(0, 2, 1)).mean(axis=0), 1))
    assert found.real[1] == pytest.approx(found.real[1].T)
    stopped = other_preparations(kept, real, progress=lambda *_: False)
    assert (stopped.labels, stopped.status) == (("kept", "cut into 3"), "stopped")


def test_what_cannot_be_prepared_otherwise_is_refused(kept, found):
    with pytest.raises(ValueError, match="data must have columns of numbers"):
        other_preparations(kept.cut(3))
    with pytest.raises(ValueError, match=r"posterior must be bn\.edge_posterior of these data without a score"):
        other_preparations(kept, bn.edge_posterior(kept, bn.GaussianBIC()))
    study = bn.study(kept.cut(2), methods=bn.resampling_methods(1, keys=["predictive"]))
    with pytest.raises(ValueError, match="preparations must be of the study's variables, plan, minutes"):
        bn.verdict(study, preparations=Preparations(("a",), (), np.zeros((0, 1, 1)), "stopped"))


def test_a_stop_says_nothing_and_a_stopped_posterior_is_computed_anew(kept, found):
    stopped = other_preparations(kept, progress=lambda *_: False)
    assert dataclasses.replace(found, preparations=stopped).preparation_sentence == ""
    half = bn.edge_posterior(kept, progress=lambda *_: False)
    assert other_preparations(kept, half, progress=lambda *_: False).status == "stopped"
