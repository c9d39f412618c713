"""*Real* of tables with numbers: the mean over blocks and cuts."""

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.posterior import Effort
from bnengine.posterior.result import OF_REPRESENTATION
from tests.scores.test_blocks import mixed

FEW = Effort(n_bags=4)


@pytest.fixture(scope="module")
def real():
    return bn.edge_posterior(mixed(150), effort=FEW, rng=2)


def test_it_is_the_mean_of_blocks_and_of_cuts(real):
    assert real.under_each_prior.shape == (3, 5, 5)
    assert real.probability == pytest.approx(np.tensordot([0.5, 0.25, 0.25], real.under_each_prior, 1))
    cuts = bn.edge_posterior(mixed(150).cut(3), effort=Effort(n_bags=16), rng=5)
    assert real.under_each_prior[1:].mean(axis=0) == pytest.approx(cuts.probability, abs=0.35)
    assert np.bincount(real.groups[:, 0] // OF_REPRESENTATION).tolist() == [real.n_graphs // 2] * 2
    assert real.graphs().mean(axis=0) == pytest.approx(real.probability, abs=0.08)
    assert (real.error[~np.eye(5, dtype=bool)] > 0).all()


def test_the_posterior_under_one_score_by_blocks_is_exact():
    data = mixed(60)
    exact = bn.edge_posterior(data, bn.GaussianBIC())
    sampled = bn.edge_posterior(data, bn.GaussianBIC(), method="order", n_steps=20_000)
    assert exact.weight == "approximate posterior probability"
    assert sampled.probability == pytest.approx(exact.probability, abs=0.05)


@pytest.mark.slow
def test_resamples_are_sampled_where_they_cannot_be_summed(real):
    sampled = bn.edge_posterior(mixed(150), effort=Effort(n_bags=2), n_steps=5_000, rng=2)
    assert sampled.method == "order"
    assert sampled.pair_probability == pytest.approx(real.pair_probability, abs=0.3)


def test_neither_columns_nor_workers_change_it(real):
    frame = mixed(150).to_frame()
    turned = bn.Dataset.from_frame(frame[["d", "e", "b", "a", "c"]], numbers=["a", "b", "d"])
    again = bn.edge_posterior(turned, effort=FEW, rng=2)
    place = [3, 2, 4, 0, 1]
    assert again.probability[np.ix_(place, place)] == pytest.approx(real.probability, abs=1e-9)


def test_a_stop_leaves_what_there_is():
    stopped = bn.edge_posterior(mixed(60), effort=FEW, progress=lambda done, total: False)
    assert stopped.status == "stopped"


def test_numbers_are_cut_into_states_of_about_as_many_rows():
    frame = pd.DataFrame({"x": [5, 1, 2, 2, 9, 7], "y": [0, 0, 0, 0, 0, 1.5], "z": [*"ababab"]})
    cut = bn.Dataset.from_frame(frame, numbers=["x", "y"]).cut(3)
    assert cut.states == (("1", "2 to 5", "7 to 9"), ("0", "1.5"), ("a", "b"))
    assert cut.codes[:, 0].tolist() == [1, 0, 1, 1, 2, 2]
    assert cut.numbers == ()
