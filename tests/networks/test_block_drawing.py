"""Rows drawn from graphs over tables with numbers: marginals, dependence, experiments, order of columns."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ks_2samp, spearmanr

import bnengine as bn
from bnengine.bootstrap.resamplers import PredictiveBootstrap, drawn_by_blocks
from bnengine.networks.block_drawing import BlockDrawing


def frame_of(n_rows=400, seed=1):
    """A curve, a spread that depends on its parent, a rounded and a skewed number, and states that depend on one."""
    rng = np.random.default_rng(seed)
    a, c = rng.normal(size=(2, n_rows))
    b = a**2 + 0.5 * rng.normal(size=n_rows)
    wide = np.exp(c) * rng.normal(size=n_rows)
    state = np.where(a + rng.normal(size=n_rows) > 0.4, "high", np.where(rng.random(n_rows) < 0.3, "none", "low"))
    return pd.DataFrame({"a": a, "b": np.exp(b).round(1), "c": c.round(1), "wide": wide, "state": state})


EDGES = [("a", "b"), ("a", "state"), ("c", "wide")]


def drawn(frame, edges, n_rows=4_000, seed=0, fitted=False, **about):
    data = bn.Dataset.from_frame(frame, numbers=["a", "b", "c", "wide"], **about)
    graph = np.zeros((5, 5), dtype=bool)
    for parent, child in edges:
        graph[data.names.index(parent), data.names.index(child)] = True
    return BlockDrawing(data).rows(graph, np.random.default_rng(seed), n_rows, fitted)


def test_marginals_and_dependence_are_those_of_the_data():
    """One draw of the regressions; each bound is over four standard errors wide at 400 given rows, 1 in 10,000."""
    frame = frame_of()
    rows = drawn(frame, EDGES).to_frame()
    for name in ("a", "b", "c", "wide"):
        assert set(rows[name]) <= set(frame[name])
        assert ks_2samp(rows[name], frame[name]).statistic < 0.12
    for one, other, of in (("a", "b", np.abs), ("c", "wide", np.abs)):
        found, given = (spearmanr(of(t[one] - (one == "c") * -9), of(t[other])).statistic for t in (rows, frame))
        assert found == pytest.approx(given, abs=0.2)
        assert abs(given) > 0.3
    found, given = (t.groupby("state", observed=True)["a"].mean().to_numpy() for t in (rows, frame))
    assert found == pytest.approx(given, abs=0.25)


def test_what_no_edge_joins_is_independent():
    rows = drawn(frame_of(), EDGES).to_frame()
    assert abs(spearmanr(rows["a"], rows["c"]).statistic) < 0.065  # 4 standard errors of 4,000 rows: 1 in 16,000
    assert abs(spearmanr(drawn(frame_of(), []).to_frame()[["a", "b"]]).statistic) < 0.065


def test_a_spread_is_drawn_in_the_direction_in_which_only_it_depends():
    """Given b = a² + noise, the mean of a does not depend on b but its square does."""
    rows = drawn(frame_of(), [("b", "a")]).to_frame()
    assert spearmanr(rows["a"].abs(), rows["b"]).statistic > 0.5


def test_what_an_experiment_set_stays_and_does_not_depend_on_its_parents():
    frame = frame_of()
    frame.loc[:199, "b"] = 9_999.0
    frame["set"] = np.where(np.arange(400) < 200, "b", "")
    rows = drawn(frame, EDGES, interventions="set")
    was_set = rows.experiments.of_row == rows.targets.index(("b",))
    values = rows.to_frame()["b"].to_numpy()
    assert was_set.mean() == 0.5
    assert (values[was_set] == 9_999.0).all()
    assert (values[~was_set] < 9_999.0).all()


def test_holes_stay_in_the_rows_of_their_experiment():
    frame = frame_of(200)
    frame["set"] = np.where(np.arange(200) % 2, "b", "")
    frame.loc[frame["set"] == "b", "c"] = np.nan
    about = {"numbers": ["a", "b", "c", "wide"], "missing": "keep", "interventions": "set"}
    data = bn.Dataset.from_frame(frame, **about)
    rows = drawn_by_blocks(data, bn.learn(data, bn.GaussianBIC()).adjacency, np.random.default_rng(3), None, False)
    was_set = rows.experiments.of_row == rows.targets.index(("b",))
    assert (rows.missing[:, rows.index("c")] == was_set).all()


def test_fitted_regressions_do_not_vary_and_drawn_ones_do():
    """Of 20,000 rows a correlation varies by 0.007, of regressions drawn from 40 rows by about 0.1."""
    frame, spread = frame_of(40), []
    for fitted in (True, False):
        rows = (drawn(frame, [("a", "state"), ("wide", "a")], 20_000, seed, fitted).to_frame() for seed in range(5))
        spread.append(np.std([one.groupby("state", observed=True)["a"].mean().iloc[0] for one in rows]))
    assert 5 * spread[0] < spread[1]


def test_the_order_of_columns_does_not_matter():
    frame = frame_of(100)
    one, other = drawn(frame, EDGES, 100), drawn(frame[list(reversed(list(frame)))], EDGES, 100)
    pd.testing.assert_frame_equal(one.to_frame(), other.to_frame()[list(frame)])


def test_the_parametric_bootstrap_draws_from_the_regressions_fitted_to_the_graph_of_the_data():
    frame, numbers = frame_of(150), ["a", "b", "c", "wide"]
    frame.loc[::9, "a"] = np.nan
    data = bn.Dataset.from_frame(frame, numbers=numbers, missing="keep")
    found = bn.resample(data, resampler=bn.ParametricBootstrap(6), rng=1)
    edges, share = bn.learn(data, rng=1).edges, found.confidence + found.confidence.T
    joined = {tuple(sorted(map(data.names.index, edge))) for edge in edges}
    assert joined
    assert min(share[i, j] for i, j in joined) > 0.5  # edges of the graph drawn from, each clear in the data
    assert max(share[i, j] for i in range(5) for j in range(i + 1, 5) if (i, j) not in joined) <= 0.5
    assert found.resampler == "parametric bootstrap"


@pytest.mark.slow
def test_the_predictive_bootstrap_finds_edges_as_often_as_fresh_tables_do():
    """Shares of 60 samples of one table against 60 fresh ones; mean |difference| over pairs.

    Two shares of 60 differ by 0.06 on average where they are equal, the data's own chance comes on top: 0.07 was seen,
    0.15 is beyond anything in 200 seeds of the same world.
    """
    fresh = [frame_of(150, seed) for seed in range(61)]
    numbers, score, search = ["a", "b", "c", "wide"], bn.BIC(), bn.HillClimbing()
    pairs = [bn.learn(bn.Dataset.from_frame(f, numbers=numbers), score, search).adjacency for f in fresh[1:]]
    pi = np.mean([one | one.T for one in pairs], axis=0)
    found = bn.resample(bn.Dataset.from_frame(fresh[0], numbers=numbers), score, search, PredictiveBootstrap(60))
    share = found.confidence + found.confidence.T
    assert np.abs(share - pi)[np.triu_indices(5, 1)].mean() < 0.15
