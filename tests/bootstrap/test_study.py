"""Studies: the conclusions of Steck & Jaakkola (2003) on ALARM, and the tables against the ensembles."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import bnengine as bn
from bnengine._core.random_generators import share_error
from bnengine.bootstrap.ensemble import threshold_for
from bnengine.bootstrap.resample import ResampleTask, learn_ensemble
from bnengine.bootstrap.resampling_methods import TABLE1_KEYS
from bnengine.bootstrap.study import study_steps
from bnengine.graphs.dag import cpdag
from bnengine.scores.scores import SCORES
from tests.strategies import make_data

R = 200


@pytest.fixture(scope="module")
def small():
    data = make_data([2, 3, 2, 3, 2], 90, seed=3)
    return data, bn.study(data, bn.BDeu(1), bn.HillClimbing(), bn.resampling_methods(20, keys=TABLE1_KEYS), rng=2)


@pytest.fixture(scope="module", params=[(300, "bdeu"), (1000, "bic")], ids=str)
def alarm(request):
    """K2 under ALARM's true ordering, as in the paper."""
    n_rows, kind = request.param
    data = bn.Dataset.from_frame(bn.load_sample(f"alarm_{n_rows}"))
    search = bn.K2(tuple(bn.load_network("alarm").ordering))
    return bn.study(data, SCORES[kind](), search, bn.resampling_methods(R, keys=TABLE1_KEYS), rng=0)


def keeps_the_nearest_number(confidence, threshold, wanted):
    """Whether no other threshold keeps a number of edges nearer to the target."""
    possible = {int((confidence >= t).sum()) for t in [*confidence[confidence > 0].ravel(), 1.0]}
    kept = int(((confidence >= threshold) & (confidence > 0)).sum())
    return kept in possible and abs(kept - wanted) == min(abs(n - wanted) for n in possible)


def standard_error(values):
    return values.std(ddof=1) / math.sqrt(len(values))


@pytest.mark.slow
def test_naive_resamples_have_too_many_edges_against_the_paper(alarm):
    """By 20 standard errors and more; at 10 the false-alarm rate is below 1e-20."""
    counts = alarm.ensembles["bootstrap"].edge_counts
    assert counts.mean() - alarm.mean_edges("data") > 10 * standard_error(counts)


@pytest.mark.slow
def test_corrected_resamples_are_nearer_to_the_data_than_naive_ones_against_the_paper(alarm):
    """Paired, as both see the same resamples: at 5 standard errors above 0 the false-alarm rate is 3e-7."""
    naive, corrected = (alarm.ensembles[key].edge_counts for key in ("bootstrap", "bootstrap_corrected"))
    data = alarm.mean_edges("data")
    assert abs(naive.mean() - data) - abs(corrected.mean() - data) > 5 * standard_error(naive - corrected)


@pytest.mark.slow
def test_the_jackknife_hardly_varies_against_the_paper(alarm):
    """No randomness here: leaving out one row changes less than an edge."""
    assert alarm.ensembles["jackknife_delete_1"].sd_edges < 1
    assert abs(alarm.mean_edges("jackknife_delete_1") - alarm.mean_edges("data")) < 1


def test_table1_has_the_paper_s_rows(small):
    data, study = small
    table = study.table1()
    assert table.index.tolist() == ["data D", "boot BC", "boot", "jack 1", "jack d"]
    assert table["replicates"].tolist() == [1, 20, 20, 90, 20]
    for key, (mean, sd) in zip(TABLE1_KEYS, table[["mean", "sd"]].to_numpy()[1:], strict=True):
        ensemble = study.ensembles[key]
        edges = np.repeat(ensemble.edge_counts, ensemble.multiplicities)
        assert mean == pytest.approx(edges.mean())
        assert sd == pytest.approx(edges.std(ddof=1))
    several = bn.table1(data, [bn.BDeu(1), bn.BIC()], bn.HillClimbing(), n=20, rng=2)
    assert several.columns.tolist() == [(s, c) for s in ("BDeu(1)", "BIC") for c in ("mean", "sd")]
    assert (several["BDeu(1)"].to_numpy()[1:] == table[["mean", "sd"]].to_numpy()[1:]).all()
    one = bn.table1(data, bn.BIC(), bn.HillClimbing(), n=20, rng=2)
    assert one["BIC"].equals(several["BIC"])


def test_the_row_of_the_data_is_a_mean_if_the_search_varies(small):
    """Hill climbing breaks ties in a drawn order; K2 under an ordering, or ties by columns, leave nothing to draw."""
    data, _ = small
    runs = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.teaching.RepeatedSearch(12), rng=3)
    table = bn.table1(data, bn.BIC(), bn.HillClimbing(), n=12, rng=3)["BIC"]
    assert tuple(table.loc["data D"]) == (runs.mean_edges, runs.sd_edges)
    for search, ties in ((bn.K2(data.names), "drawn"), (bn.HillClimbing(), "columns")):
        table = bn.table1(data, bn.BIC(), search, n=12, rng=3, ties=ties)["BIC"]
        assert tuple(table.loc["data D"]) == (len(bn.learn(data, bn.BIC(), search, rng=3, ties=ties).edges), 0)


def test_the_two_bootstraps_see_the_same_resamples(small):
    data, study = small
    same = bn.study(
        data, bn.BDeu(1), bn.HillClimbing(), bn.resampling_methods(20, keys=TABLE1_KEYS), rng=2, strength=0.0
    )
    assert (same.ensembles["bootstrap_corrected"].adjacencies == same.ensembles["bootstrap"].adjacencies).all()
    assert (same.ensembles["bootstrap"].adjacencies == study.ensembles["bootstrap"].adjacencies).all()
    assert (study.ensembles["bootstrap_corrected"].adjacencies != study.ensembles["bootstrap"].adjacencies).any()


@pytest.mark.parametrize("kind", ["directed", "adjacency", "compelled"])
def test_kinds_of_edges_against_the_graphs(small, kind):
    """Adjacencies count once per pair; compelled edges are those of each graph's equivalence class."""
    data, study = small

    def edges(graph):
        if kind == "directed":
            return graph
        if kind == "adjacency":
            return np.triu(graph | graph.T)
        return cpdag(graph) & ~cpdag(graph).T

    for key in TABLE1_KEYS:
        ensemble = study.ensembles[key]
        present = np.array([edges(graph) for graph in ensemble.adjacencies])
        share = np.average(present, axis=0, weights=ensemble.multiplicities)
        assert study.mean_edges(key, kind) == pytest.approx(share.sum(), abs=1e-9)
        confidence = study.confidence(key, kind)
        assert (np.triu(confidence) if kind == "adjacency" else confidence) == pytest.approx(share, abs=1e-12)
        threshold = study.threshold(key, kind)
        assert keeps_the_nearest_number(share, threshold, round(share.sum()))
    table = study.edge_table(kind)
    assert len(set(zip(table["parent"], table["child"], strict=True))) == len(table)
    assert table["in_data_graph"].sum() == edges(study.reference.adjacency).sum() == study.mean_edges("data", kind)
    for line in table.itertuples():
        i, j = data.index(line.parent), data.index(line.child)
        assert line.confidence_bootstrap == study.confidence("bootstrap", kind)[i, j]
        assert kind != "adjacency" or i < j


def test_known_ensembles_are_not_run_again_and_kept_when_the_run_is_stopped(small, asked_after_each):
    data, study = small
    settings, totals = (data, bn.BDeu(1), bn.HillClimbing()), set()
    known = {key: study.ensembles[key] for key in ("bootstrap", "jackknife_delete_1")}
    methods = bn.resampling_methods(20, keys=TABLE1_KEYS)
    again = bn.study(*settings, methods, rng=2, known=known, progress=lambda done, total: totals.add(total))
    assert all(again.ensembles[key] is known[key] for key in known)
    assert list(again.ensembles) == list(TABLE1_KEYS)
    assert totals == {40}
    for key in ("bootstrap_corrected", "jackknife_delete_d"):
        assert (again.ensembles[key].adjacencies == study.ensembles[key].adjacencies).all()
    more = bn.resampling_methods(30, keys=TABLE1_KEYS)
    known = {"jackknife_delete_d": study.ensembles["jackknife_delete_d"]}
    stopped = bn.study(*settings, more, rng=2, known=known, progress=lambda *at: False)
    assert stopped.status == "stopped"
    kept = stopped.ensembles["jackknife_delete_d"]
    assert (kept.n_graphs, kept.n_planned) == (20, 30)
    assert (kept.adjacencies == known["jackknife_delete_d"].adjacencies).all()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(0, 35))
def test_threshold_leaves_the_wanted_number_above_against_sorting(values, n_edges):
    confidence = np.array(values)
    threshold = threshold_for(confidence, n_edges)
    assert 0 <= threshold <= 1
    ranked = sorted((value for value in values if value > 0), reverse=True)
    assume(n_edges == 0 or len(ranked) <= n_edges or ranked[n_edges - 1] - ranked[n_edges] > 1e-12)
    assert (confidence > threshold).sum() == min(n_edges, len(ranked))


def test_repeated_runs_on_the_data_are_the_reference_as_in_the_second_experiment(small):
    data, _ = small
    search = bn.SimulatedAnnealing(20.0, 30, 15, 0.8, 10, start="empty")
    methods = bn.resampling_methods(15, keys=("bootstrap", "bootstrap_matched", "data"))
    study = bn.study(data, bn.BDeu(9), search, methods, rng=3)
    runs = study.ensembles["data"]
    assert list(study.ensembles) == ["data", "bootstrap_matched", "bootstrap"]
    assert study.mean_edges("data") == runs.mean_edges
    assert (study.confidence("data") == runs.confidence).all()
    table = study.table1()
    assert list(table.index) == ["data D", "boot matched", "boot"]
    assert tuple(table.loc["data D"]) == (runs.mean_edges, runs.sd_edges, 15)
    task = ResampleTask(data, bn.BDeu(9), search, bn.Bootstrap(15), "matched")
    again = learn_ensemble(task, study.reference, runs.mean_edges, rng=3)
    assert study.ensembles["bootstrap_matched"].strength == again.strength


def test_the_error_names_an_unknown_method():
    with pytest.raises(ValueError, match=r"methods must be among data, bootstrap_corrected, .*; got 'jack_2'"):
        bn.resampling_methods(keys=("bootstrap", "jack_2"))


def test_the_standard_error_of_a_share_against_drawing():
    rng, n, p = np.random.default_rng(3), 200, 0.3
    shares = rng.binomial(n, p, 20_000) / n
    assert share_error(np.array(p), n) == pytest.approx(shares.std(), rel=0.03)  # 6 standard errors
    assert share_error(np.array([0.0, 1.0]), n) == pytest.approx([1 / n] * 2, rel=0.03)


@pytest.mark.parametrize("kind", ["directed", "adjacency", "compelled"])
def test_overstated_edges_against_the_confidences(small, kind):
    _, study = small
    table = study.overstated("bootstrap", "jackknife_delete_d", kind)
    assert table["difference"].is_monotonic_decreasing
    names = study.reference.names
    for line in table.itertuples():
        i, j = names.index(line.parent), names.index(line.child)
        expected = study.confidence("bootstrap", kind)[i, j] - study.confidence("jackknife_delete_d", kind)[i, j]
        assert line.difference == pytest.approx(expected)
        assert line.in_data_graph == study.presence(kind)[i, j]
    assert (table["confidence_bootstrap"] - table["confidence_jackknife_delete_d"]).tolist() == table[
        "difference"
    ].tolist()
    assert (table["standard_error"] > 0).all()
    shown = (study.confidence("bootstrap", kind) > 0) | (study.confidence("jackknife_delete_d", kind) > 0)
    assert len(table) == (np.triu(shown) if kind == "adjacency" else shown).sum()


@pytest.mark.parametrize(
    ("confidences", "wanted", "kept"),
    [
        ([1.0] * 4 + [0.5] * 8, 5, 4),
        ([1.0] * 4 + [0.5] * 8, 9, 12),
        ([1.0] * 4 + [0.5] * 8, 8, 4),  # equally near: the smaller number
        ([0.2] * 3, 1, 0),
        ([0.2] * 3, 2, 3),
        ([1.0] * 3, 1, 3),  # edges with confidence 1 stay at any threshold
    ],
)
def test_ties_go_to_the_nearer_number_of_edges(confidences, wanted, kept):
    values = np.array(confidences)
    threshold = threshold_for(values, wanted)
    assert (values >= threshold).sum() == (values > threshold).sum() + (threshold == 1) * (values == 1).sum() == kept


def test_scores_of_table1_see_the_same_resamples_whatever_the_seed_s_kind(small):
    data, _ = small
    scores = [bn.BDeu(1), bn.WithPrior(bn.BDeu(1), 0.0)]
    assert len({score.name for score in scores}) == 1
    with pytest.raises(ValueError, match=r"scores must have different names; two are called BDeu\(1\)"):
        bn.table1(data, scores, bn.HillClimbing(), 10)
    renamed = [bn.BDeu(1), bn.WithPrior(bn.BDeu(1), 1e-12)]
    table = bn.table1(data, renamed, bn.HillClimbing(), 10, rng=np.random.default_rng(0))
    one, other = (table[score.name]["mean"].tolist() for score in renamed)
    assert one == other


def test_a_study_refuses_more_graphs_than_memory_allows_over_all_methods(small, monkeypatch):
    """A graph takes 256 bytes and 4 for each of 10 edges."""
    data, _ = small
    chosen = bn.resampling_methods(20, keys=("bootstrap", "bootstrap_corrected", "jackknife_delete_d"))
    monkeypatch.setattr("bnengine.bootstrap.resamplers.MOST_BYTES", 60 * 296)
    assert set(bn.study(data, bn.BIC(), bn.HillClimbing(), chosen).ensembles) == {
        "bootstrap",
        "bootstrap_corrected",
        "jackknife_delete_d",
    }
    monkeypatch.setattr("bnengine.bootstrap.resamplers.MOST_BYTES", 60 * 296 - 1)
    with pytest.raises(bn.DataError, match=r"60 graphs of 5 variables .* 59 would fit"):
        bn.study(data, bn.BIC(), bn.HillClimbing(), chosen, progress=lambda *at: pytest.fail("learning started"))


def test_results_are_seen_as_they_come_and_stay_what_they_would_be():
    data = bn.load_network("cancer").sample(200, rng=1)
    methods = bn.resampling_methods(20, keys=("bootstrap", "bootstrap_corrected", "predictive", "jackknife_delete_d"))
    counted = []
    arguments = (data, bn.BIC(), bn.HillClimbing(), methods)
    task = ResampleTask(*arguments[:3], bn.teaching.RepeatedSearch())

    def told(done, total):
        counted.append((done, total))

    shown = [*study_steps(task, methods, {}, 0, None, told, first_part=True)]
    seen = shown[-1]
    first, *rest = [{key: one.n_graphs for key, one in each.ensembles.items()} for each in shown]
    assert first == {"bootstrap_corrected": 5}
    assert shown[0].ensembles["bootstrap_corrected"].n_planned == 20
    assert [set(one.values()) for one in rest] == [{20}] * 4
    assert list(rest[1]) == ["bootstrap_corrected", "predictive"]
    alone = bn.study(*arguments)
    for key, one in alone.ensembles.items():
        assert (one.adjacencies == seen.ensembles[key].adjacencies).all()
        assert (one.n_planned, one.status) == (seen.ensembles[key].n_planned, seen.ensembles[key].status)
    done = [one for one, _ in counted]
    assert done == sorted(done)
    assert counted[-1] == (80, 80)


def test_of_many_replicates_the_first_20_are_seen():
    data, methods = bn.load_network("cancer").sample(200, rng=1), bn.resampling_methods(90, keys=["bootstrap"])
    task = ResampleTask(data, bn.BIC(), bn.HillClimbing(), bn.teaching.RepeatedSearch())
    seen = study_steps(task, methods, {}, 0, None, None, first_part=True)
    assert [one.ensembles["bootstrap"].n_graphs for one in seen] == [20, 90]


def test_a_run_stopped_in_its_first_replicates_says_of_how_many(asked_after_each):
    data = bn.load_network("cancer").sample(200, rng=1)
    experiment = bn.Experiment(search=bn.HillClimbing(), methods=("bootstrap_corrected", "predictive"), n=40)
    found = experiment.run(data, progress=lambda done, total: done < 10, seen=lambda study: None)
    assert found.status == "stopped"
    for one in found.ensembles.values():
        assert one.n_graphs < one.n_planned == 40
