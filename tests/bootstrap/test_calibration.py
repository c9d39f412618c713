"""Calibration: inclusion probabilities, and the measures of methods against them and against the network."""

import dataclasses
import itertools
import math

import numpy as np
import pytest

import bnengine as bn
from bnengine.bootstrap.calibration import Tables
from bnengine.bootstrap.resampling_methods import TABLE1_KEYS, Method
from bnengine.typing import Study
from tests import naive

METHODS = bn.resampling_methods(12, keys=("bootstrap", "bootstrap_corrected", "jackknife_delete_d"))


@pytest.fixture(scope="module", params=["directed", "adjacency", "compelled"])
def found(request):
    return bn.calibrate(
        bn.load_network("asia"), 150, bn.BDeu(5), bn.HillClimbing(), METHODS, Tables(4, 60), kind=request.param, rng=3
    )


def pairs(kind):
    both = list(itertools.product(range(8), range(8)))
    return [(i, j) for i, j in both if (i < j if kind == "adjacency" else i != j)]


def small_network(p=0.3, stay=0.8):
    tables = (np.array([[p, 1 - p]]), np.array([[stay, 1 - stay], [1 - stay, stay]]))
    return bn.BayesianNetwork(("x", "y"), (("0", "1"),) * 2, ((), (0,)), tables)


@pytest.mark.slow
def test_probability_of_learning_an_edge_against_all_samples():
    """All 4**6 samples of six rows, weighted by their probability, against 4,000 drawn ones.

    False-alarm rate 6e-5 at 4 standard errors; the seed is fixed.
    """
    network, n_rows, score = small_network(), 6, bn.K2Score()
    joint = (network.tables[0].T * network.tables[1]).ravel()
    probability = 0.0
    for cells in itertools.combinations_with_replacement(range(4), n_rows):
        ways = math.factorial(n_rows)
        for cell in range(4):
            ways //= math.factorial(cells.count(cell))
        rows = bn.Dataset(network.names, network.states, [[c // 2, c % 2] for c in cells])
        learned = bool(bn.learn(rows, score, bn.HillClimbing()).edges)
        probability += ways * math.prod(joint[c] for c in cells) * learned
    assert 0.05 < probability < 0.95
    found = bn.calibrate(
        network, n_rows, score, bn.HillClimbing(), METHODS[:1], Tables(1, 4000), kind="adjacency", rng=5
    )
    assert abs(found.inclusion_probability[0] - probability) < 4 * math.sqrt(probability * (1 - probability) / 4000)


@pytest.mark.slow
def test_a_method_that_draws_from_the_truth_reaches_the_floor_against_theory():
    """The parametric bootstrap of the network itself knows pi: its error is Monte Carlo noise, as large as the floor.

    Five tables' mean lies within a quarter of the floor: six standard errors, measured over 20 seeds.
    """
    network = bn.load_network("cancer")
    knowing = Method("knowing", bn.ParametricBootstrap(60, network), "none")
    found = bn.calibrate(network, 400, bn.AIC(), bn.HillClimbing(), [knowing], Tables(5, 300), rng=2)
    assert found.n_replicates == 60
    assert found.total_absolute_error("knowing").mean() == pytest.approx(found.floor, rel=0.25)
    assert found.total_absolute_error("data").mean() > 2 * found.floor


def test_confidences_against_studies_of_the_same_tables(found):
    """The tables are drawn again from generators spawned from the seed."""
    network = bn.load_network("asia")
    seeds, *generators = np.random.default_rng(3).spawn(5)
    tables = [network.by_name.sample(150, g).select(network.names) for g in generators]
    assert found.n_tables == 4
    for k, table in enumerate(tables):
        own = bn.learn(table, bn.BDeu(5), bn.HillClimbing(), rng=int(seeds.integers(2**53)))
        study = Study(own, {})
        expected = [study.confidence("data", found.kind)[i, j] for i, j in pairs(found.kind)]
        assert found.confidence["data"][k].tolist() == expected


def test_truth_against_the_network(found):
    network = bn.load_network("asia")
    present = {(network.names.index(a), network.names.index(b)) for a, b in network.edges}
    if found.kind == "adjacency":
        present = {(min(pair), max(pair)) for pair in present}
    if found.kind == "compelled":
        both = bn.cpdag(network.adjacency)
        present = {(i, j) for i, j in present if not both[j, i]}
    assert {pair for pair, true in zip(pairs(found.kind), found.truth, strict=True) if true} == present


def test_measures_against_the_formulas(found):
    table = found.table().set_index("method")
    assert list(table.index) == ["data", "bootstrap", "bootstrap_corrected", "jackknife_delete_d"] or set(
        table.index
    ) == set(found.confidence)
    for key, p in found.confidence.items():
        errors = [sum(abs(a - b) for a, b in zip(row, found.inclusion_probability, strict=True)) for row in p]
        brier = [sum((a - b) ** 2 for a, b in zip(row, found.truth, strict=True)) / len(row) for row in p]
        edges = [sum(row) for row in p]
        for name, values in (("total_absolute_error", errors), ("brier", brier), ("edges", edges)):
            assert table.loc[key, name] == pytest.approx(np.mean(values), abs=1e-12)
            assert table.loc[key, f"{name}_se"] == pytest.approx(np.std(values, ddof=1) / 2, abs=1e-12)
        best = found.leaders("brier")[0]
        lead = found.brier(key) - found.brier(best)
        is_beyond = lead.mean() > 2 * lead.std(ddof=1) / 2
        assert is_beyond == (key not in found.leaders("brier"))
    assert best == table["brier"].idxmin()
    with pytest.raises(ValueError, match=r"measure must be .*; got 'sum'"):
        found.leaders("sum")


def test_reliability_against_a_loop(found):
    diagram = found.reliability("bootstrap", 5)
    shown = [
        e
        for e in range(len(found.inclusion_probability))
        if found.inclusion_probability[e] > 0 or any((p[:, e] > 0).any() for p in found.confidence.values())
    ]
    for line in diagram.itertuples():
        inside = [
            (found.confidence["bootstrap"][k, e], found.inclusion_probability[e], found.truth[e])
            for k in range(4)
            for e in shown
            if line.low <= found.confidence["bootstrap"][k, e] < line.high
            or (line.high == 1 and found.confidence["bootstrap"][k, e] == 1)
        ]
        assert line.edges == len(inside)
        assert (line.confidence, line.inclusion_probability, line.in_network) == pytest.approx(
            tuple(np.mean(inside, axis=0))
        )
    assert diagram["edges"].sum() == 4 * len(shown)


def test_stopping_keeps_whole_tables_only(asked_after_each):
    heard = []

    def progress(done, total):
        heard.append((done, total))
        return done < 60 + 2 * 36 + 5

    found = bn.calibrate(
        bn.load_network("asia"), 150, bn.BDeu(5), bn.HillClimbing(), METHODS, Tables(4, 60), rng=3, progress=progress
    )
    assert found.status == "stopped"
    assert found.n_tables == 2
    assert all(len(values) == found.n_tables for values in found.confidence.values())
    assert {total for _, total in heard} == {60 + 4 * 36}
    assert np.isfinite(found.floor)
    assert len(found.table()) == 4


def test_stopping_at_once_gives_no_table_and_no_error(asked_after_each):
    found = bn.calibrate(
        bn.load_network("asia"), 50, bn.BIC(), bn.HillClimbing(), METHODS, Tables(2, 40), progress=lambda *at: False
    )
    assert (found.status, found.n_tables) == ("stopped", 0)
    assert found.table()["total_absolute_error"].isna().all()
    assert found.reliability("bootstrap").empty


# Where spurious edges point


@pytest.mark.parametrize("known", [False, True])
def test_spurious_edges_against_a_loop(known):
    network = bn.load_network("asia")
    data = network.sample(100, rng=4)
    study = bn.study(data, bn.BDeu(5), bn.HillClimbing(), bn.resampling_methods(8, keys=TABLE1_KEYS), rng=1)
    reference = network.adjacency if known else study.reference.adjacency
    table = bn.teaching.spurious_edges(study, network.adjacency if known else None)
    for key, ensemble in study.ensembles.items():
        total = ensemble.multiplicities.sum()
        edges, spurious = {}, {}
        for graph, times in zip(ensemble.adjacencies, ensemble.multiplicities, strict=True):
            for i, j in np.argwhere(graph):
                others = len(naive.parents_in(graph, j)) - 1
                edges[others] = edges.get(others, 0) + times / total
                if not (reference[i, j] or reference[j, i]):
                    spurious[others] = spurious.get(others, 0) + times / total
        lines = table[table["method"] == key].set_index("other_parents")
        assert {n: v for n, v in lines["edges"].items() if v} == pytest.approx(edges)
        assert {n: v for n, v in lines["spurious"].items() if v} == pytest.approx(spurious)


def test_under_a_marginal_likelihood_spurious_edges_point_at_variables_with_many_parents_against_the_paper():
    """From one other parent on, the share of spurious edges rises with their number.

    Those that join two or more others are many times as frequent as in corrected graphs. No chance beyond the fixed
    seed: shares of thousands of edges that differ by some hundredths, and more than ten edges a graph against one.
    """
    data = bn.Dataset.from_frame(bn.load_sample("alarm_300"))
    search = bn.K2(tuple(bn.load_network("alarm").ordering))
    study = bn.study(
        data, bn.BDeu(1), search, bn.resampling_methods(200, keys=("bootstrap", "bootstrap_corrected")), rng=0
    )
    table = bn.teaching.spurious_edges(study)
    with pytest.raises(ValueError, match="truth must have the shape"):
        bn.teaching.spurious_edges(study, np.zeros((3, 3), dtype=np.bool_))
    naive_lines, corrected_lines = (table[table["method"] == key] for key in ("bootstrap", "bootstrap_corrected"))
    assert naive_lines["share"].iloc[1:6].is_monotonic_increasing
    joining = [lines["spurious"].iloc[2:].sum() for lines in (naive_lines, corrected_lines)]
    assert joining[0] > 5 * joining[1]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"kind": "arrows"}, "kind must be one of directed, adjacency, compelled; got 'arrows'"),
        ({"network": bn.BayesianNetwork(("x",), (("0", "1"),), ((),), (np.array([[0.5, 0.5]]),))}, "at least two"),
        (
            {"n_rows": 1, "methods_compared": bn.resampling_methods(keys=("jackknife_delete_1",))},
            "the jackknife needs at least two rows",
        ),
    ],
)
def test_invalid_settings_are_refused_before_any_learning(settings, says):
    given = {"network": small_network(), "n_rows": 20, "score": bn.BIC(), "search": bn.HillClimbing()} | settings
    with pytest.raises(ValueError, match=says):
        bn.calibrate(**given, progress=lambda *at: pytest.fail("the work began"))


def test_noise_alone_against_theory():
    """Mean of |p - pi| of two independent binomial shares, 20,000 pairs: 1 % is six standard errors; seed fixed."""
    rng, pi, n, n_fresh = np.random.default_rng(1), 0.35, 80, 300
    found = bn.calibrate(
        small_network(), 30, bn.AIC(), bn.HillClimbing(), bn.resampling_methods(20, keys=("bootstrap",)), Tables(1, 5)
    )
    floor = dataclasses.replace(found, inclusion_probability=np.array([pi]), n_fresh=n_fresh, n_replicates=n).floor
    drawn = np.abs(rng.binomial(n, pi, 20_000) / n - rng.binomial(n_fresh, pi, 20_000) / n_fresh)
    assert floor == pytest.approx(drawn.mean(), rel=0.04)
    alone = np.abs(rng.binomial(n, pi, 20_000) / n - pi)
    assert floor > 1.08 * alone.mean()


@pytest.mark.slow
def test_reliability_errors_against_repeated_calibrations():
    """Standard error of a bin's share against its spread over 300 draws of ten tables; within a third, seed fixed."""
    rng = np.random.default_rng(7)
    found = bn.calibrate(
        small_network(), 30, bn.AIC(), bn.HillClimbing(), bn.resampling_methods(20, keys=("bootstrap",)), Tables(1, 5)
    )
    truth = rng.random(40) < 0.4
    shares, errors = [], []
    for _ in range(300):
        level = rng.normal(0, 0.15, (10, 1))  # confidences of one table are correlated
        p = np.clip(0.35 + 0.3 * truth + level + rng.normal(0, 0.1, (10, 40)), 0, 1)
        drawn = dataclasses.replace(
            found, truth=truth, inclusion_probability=truth * 0.5 + 0.2, confidence={"data": p, "bootstrap": p}
        )
        line = drawn.reliability("bootstrap", 5).set_index("low").loc[0.4]
        shares.append(line["in_network"])
        errors.append(line["in_network_se"])
    assert np.mean(errors) == pytest.approx(np.std(shares), rel=0.33)


def test_two_answers_under_one_key_are_refused():
    answers = [bn.settings.OtherAnswer("x", bn.edge_posterior)] * 2
    with pytest.raises(ValueError, match="got 'x' twice"):
        bn.calibrate(bn.load_network("cancer"), 20, bn.BIC(), bn.HillClimbing(), answers)
