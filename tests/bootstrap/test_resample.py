"""Ensembles: independent of the workers that learn them, and valid when stopped."""

import dataclasses
import hashlib
import multiprocessing
import os
import subprocess
import sys
import threading
import tracemalloc
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine._core import limits
from bnengine._core.bounded_cache import bytes_of
from bnengine._core.random_generators import share_error
from bnengine.bootstrap import resamplers
from bnengine.bootstrap.ensemble import Ensemble, graphs_from
from bnengine.bootstrap.resample import ResampleTask, applied_correction, learn_ensemble, matched, mean_edges
from bnengine.bootstrap.resamplers import check_memory, replicate_generators
from bnengine.bootstrap.resampling_methods import ALL_KEYS
from bnengine.scores.scores import corrected
from bnengine.search import SEARCHES, LearnedGraph
from bnengine.search._gain_rows import bytes_of_search
from bnengine.search.learning import search_from_graph
from tests import naive
from tests.naive import bootstrap_graphs
from tests.strategies import make_data, with_copies

N = 12


@pytest.fixture(scope="module")
def data():
    return make_data([2, 3, 2, 3, 2], 120, seed=3, unseen=0.3)


@pytest.mark.parametrize("strength", [0.0, 0.5, 2.0])
def test_confidence_against_copied_rows(data, strength):
    """Whether resamples are corrected or not; the graph learned from the data never is."""
    correction = "leading" if strength else "none"
    score, search = bn.teaching.LeadingCorrection(bn.BDeu(1), strength), bn.HillClimbing(restarts=2)
    graphs = bootstrap_graphs(data, score, search, N, seed=4)
    ensemble = bn.resample(data, bn.BDeu(1), search, bn.Bootstrap(N), correction, rng=4, strength=strength)
    assert (ensemble.adjacencies == graphs).all()
    assert ensemble.confidence == pytest.approx(graphs.mean(axis=0), abs=1e-12)
    either = graphs | graphs.transpose(0, 2, 1)
    assert ensemble.adjacency_confidence == pytest.approx(either.mean(axis=0), abs=1e-12)
    assert ensemble.edge_counts.tolist() == [graph.sum() for graph in graphs]
    assert ensemble.reference.edges == bn.learn(data, bn.BDeu(1), search, rng=4).edges
    assert (ensemble.score, ensemble.correction, ensemble.strength) == ("BDeu(1)", correction, strength)


def test_a_replicate_keeps_the_full_state_space_against_copied_rows():
    """With five mostly rare states, a replicate lacks some; |θ| still counts them."""
    data = make_data([5, 5, 2], 15, seed=2)
    seen = [len(set(data.take(rows).codes[:, 0])) for rows in np.random.default_rng(4).integers(0, 15, (20, 15))]
    assert min(seen) < 5
    ensemble = bn.resample(data, bn.AIC(), bn.HillClimbing(), bn.Bootstrap(20), rng=4)
    assert (ensemble.adjacencies == bootstrap_graphs(data, bn.AIC(), bn.HillClimbing(), 20, seed=4)).all()


def run(data, executor=None, **more):
    return bn.resample(data, bn.BDeu(1), bn.HillClimbing(restarts=1), bn.Bootstrap(N), rng=7, executor=executor, **more)


@pytest.mark.slow
def test_processes_do_not_change_the_result_invariant(data):
    with ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as executor:
        assert (run(data, executor).adjacencies == run(data).adjacencies).all()


def test_a_run_that_was_stopped_leaves_nothing_behind_for_the_next(data):
    """Beside other work in the same process, as on a server; what the stopped run did keep is the run's own."""
    whole, others = run(data), [threading.Thread(target=run, args=(data,)) for _ in range(3)]
    for other in others:
        other.start()
    calls = iter(range(10**6))
    part = run(data, progress=lambda done, total: next(calls) < 1)
    assert part.n_graphs <= whole.n_graphs
    kept = {graph.tobytes() for graph in whole.adjacencies}
    assert all(graph.tobytes() in kept for graph in part.adjacencies)
    assert (run(data).adjacencies == whole.adjacencies).all()
    for other in others:
        other.join()


@pytest.mark.slow
def test_hash_seeds_do_not_change_the_result_invariant(capsys):
    """In this process the seed is another one."""
    program = """
import hashlib
import bnengine as bn
data = bn.load_network("asia").sample(150, rng=1)
digest = hashlib.sha256()
for search in (bn.HillClimbing(), bn.K2(), bn.ChowLiu(root="asia")):
    constraints = bn.Constraints(forbidden=[("asia", "tub")], tiers=[["asia", "smoke"], ["dysp"]])
    digest.update(bn.resample(data, bn.K2Score(), search, bn.Bootstrap(5), constraints=constraints).adjacencies)
print(digest.hexdigest())
"""
    environment = os.environ | {"PYTHONHASHSEED": "0" if os.environ.get("PYTHONHASHSEED") != "0" else "2024"}
    words = [sys.executable, "-c", program]
    there = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
    exec(program, {})
    assert there == capsys.readouterr().out
    assert len(there.strip()) == len(hashlib.sha256().hexdigest())


@pytest.mark.slow
@pytest.mark.parametrize("own_executor", [False, True])
def test_stopping_keeps_a_smaller_valid_result(one_worker, own_executor):
    data = make_data([2] * 12, 400, seed=1)  # large enough that 20,000 replicates take seconds
    method = bn.Bootstrap(20_000)
    caller = threading.get_ident()
    callers = set()

    def stop(done, total):
        callers.add(threading.get_ident())
        return done < 10

    whole = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(20), rng=1)
    executor = one_worker if own_executor else None
    ensemble = bn.resample(data, bn.BIC(), bn.HillClimbing(), method, rng=1, executor=executor, progress=stop)
    assert callers == {caller}
    assert ensemble.status == "stopped"
    assert ensemble.n_planned == 20_000
    assert 1 <= ensemble.n_graphs < 20_000
    assert ensemble.confidence.min() >= 0
    assert ensemble.confidence.max() <= 1
    assert ensemble.mean_edges == pytest.approx(ensemble.confidence.sum(), abs=1e-9)
    assert len(ensemble.table()) == ((ensemble.confidence > 0) | ensemble.reference.adjacency).sum()
    first = min(20, ensemble.n_graphs)
    if own_executor:  # with one worker, the first replicates are finished
        assert (ensemble.adjacencies[:first] == whole.adjacencies[:first]).all()


def test_stopping_before_anything_is_done_is_valid_too(data, one_worker):
    """An executor whose only worker is busy elsewhere: nothing was learned before the stop."""
    release = threading.Event()
    one_worker.submit(release.wait)
    try:
        ensemble = bn.resample(
            data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(5), executor=one_worker, progress=lambda done, total: False
        )
    finally:
        release.set()
    assert (ensemble.status, ensemble.n_graphs) == ("stopped", 0)
    assert np.isnan(ensemble.mean_edges)
    assert ensemble.confidence.shape == (5, 5)


def test_an_error_of_a_worker_reaches_the_caller(data):
    with pytest.raises(ValueError, match="root: no variable is named 'nobody'"):
        bn.resample(data, bn.BIC(), bn.ChowLiu(root="nobody"), bn.Bootstrap(5))


def test_the_limit_of_a_search_shows_in_the_status(data):
    ensemble = bn.resample(data, bn.BIC(), bn.HillClimbing(max_iterations=1), bn.Bootstrap(5))
    assert ensemble.status == "max_iterations"
    assert ensemble.edge_counts.max() <= 1


def test_the_table_lists_every_edge_once_most_confident_first(data):
    ensemble = run(data)
    table = ensemble.table()
    assert table["confidence"].is_monotonic_decreasing
    shown = set(zip(table["parent"], table["child"], strict=True))
    assert len(shown) == len(table)
    assert shown >= set(ensemble.reference.edges)
    for line in table.itertuples():
        i, j = data.index(line.parent), data.index(line.child)
        assert line.confidence == ensemble.confidence[i, j]
        assert line.adjacency_confidence == pytest.approx(ensemble.adjacencies[:, [i, j], [j, i]].any(axis=1).mean())
        assert line.in_data_graph == ensemble.reference.adjacency[i, j]
    ties = table.groupby("confidence", sort=False)
    for _, tied in ties:
        order = [(data.index(p), data.index(c)) for p, c in zip(tied["parent"], tied["child"], strict=True)]
        assert order == sorted(order)
    assert isinstance(table, pd.DataFrame)


def test_graphs_of_2000_variables_and_their_confidences_are_kept_in_megabytes_against_matrices():
    v, rng = 2_000, np.random.default_rng(1)
    lists = [np.unique(rng.integers(0, 50 * v, v)).astype(np.int32) for _ in range(20)]
    names, times = tuple(f"v{k}" for k in range(v)), rng.integers(1, 4, 20)
    reference = LearnedGraph(names, np.zeros((v, v), dtype=bool), 0.0, 0, "converged", np.zeros(1))
    settings = ("BIC", "hill climbing", "bootstrap", "none", 0.0, 40, 20, "converged", 0)
    found = Ensemble(names, graphs_from(lists, v, names), times, reference, *settings)
    counts = np.zeros(v * v)
    for edges, n in zip(lists, times, strict=True):
        counts[edges] += n
    counts = counts.reshape(v, v)
    assert (found.confidence == counts / times.sum()).all()
    assert (found.adjacency_confidence == (counts + counts.T) / times.sum()).all()
    joined = [((edges // v == 7) | (edges % v == 7)).sum() for edges in lists]
    assert found.graphs.joined_to(7).sum(axis=1).tolist() == joined
    assert bytes_of(found) - bytes_of(reference) < 3 * 2**20


def test_results_are_read_only_and_carry_their_seed(data):
    ensemble = run(data)
    assert (ensemble.seed, ensemble.n_rows, ensemble.resampler) == (7, 120, "bootstrap")
    for array in (ensemble.graphs.edges, ensemble.multiplicities, ensemble.confidence, ensemble.reference.adjacency):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    generator = np.random.default_rng(7)
    again = bn.resample(data, bn.BDeu(1), bn.HillClimbing(restarts=1), bn.Bootstrap(N), rng=generator)
    assert (again.adjacencies == ensemble.adjacencies).all()
    assert again.seed is None


# Replicates added to a finished ensemble


DATA = make_data([2, 3, 2, 2], 80, seed=6)
SETTINGS = (bn.BDeu(1), bn.HillClimbing())


@pytest.mark.parametrize(("key", "size"), [*((key, None) for key in ALL_KEYS), ("bootstrap_corrected", 40)])
def test_a_study_learns_the_further_replicates_only(key, size):
    """What is known goes on as if all replicates had been asked for at once; the jackknife has as many as before."""
    few, more = (bn.resampling_methods(n, keys=[key], size=size) for n in (7, 12))
    known, totals = bn.study(DATA, *SETTINGS, few, rng=4).ensembles, set()
    both = bn.study(DATA, *SETTINGS, more, rng=4, known=known, progress=lambda done, total: totals.add(total))
    found, whole = both.ensembles[key], bn.study(DATA, *SETTINGS, more, rng=4).ensembles[key]
    assert (found.adjacencies == whole.adjacencies).all()
    assert (found.multiplicities == whole.multiplicities).all()
    for name in ("n_planned", "status", "seed", "strength", "score", "search", "resampler", "n_graphs"):
        assert getattr(found, name) == getattr(whole, name)
    learned = {"jackknife_delete_1": set(), "predictive": {17}, "bootstrap_matched": {12}}
    assert totals == learned.get(key, {5})


def test_an_ensemble_of_other_data_or_settings_is_not_continued():
    few = bn.resample(DATA, *SETTINGS, bn.Bootstrap(7), rng=4)

    def refused(match, data=DATA, score=SETTINGS[0], search=SETTINGS[1], seed=4, known=few, size=None, **settings):
        methods = bn.resampling_methods(12, keys=["bootstrap"], size=size)
        with pytest.raises(ValueError, match=match):
            bn.study(data, score, search, methods, rng=seed, known={"bootstrap": known}, **settings)

    codes = DATA.codes.copy()
    codes[:, 1] = codes[::-1, 1]
    refused("data must be those of the ensemble", bn.Dataset(DATA.names, DATA.states, codes))
    refused("data must be as for .*, n_rows = 80; got 79", DATA.take(range(79)))
    refused("data must be as for .*, names =", DATA.select(DATA.names[::-1]))
    refused("score must be as for", score=bn.BDeu(2))
    refused("search must be as for", search=bn.Tabu())
    refused("resampler must be as for .*'bootstrap'", size=70)
    refused("learned with other settings: replicate", constraints=bn.Constraints(max_parents=0))
    refused("rng must be as for .*, seed = 4; got 5", seed=5)
    refused("rng must be as for .*, seed = None", known=dataclasses.replace(few, seed=None))
    corrected = dataclasses.replace(few, correction="leading")
    refused("correction must be as for .* = 'leading'; got 'none'", known=corrected)


def test_a_continuation_can_be_stopped(asked_after_each):
    data = bn.load_network("asia").sample(200, rng=1)
    few = bn.resample(data, *SETTINGS, bn.Bootstrap(7), rng=4)
    task = ResampleTask(data, *SETTINGS, bn.Bootstrap(50))
    found = learn_ensemble(task, few.reference, known=few, rng=4, progress=lambda n, _: n < 20)
    assert found.status == "stopped"
    assert 7 < found.n_graphs < 50 == found.n_planned
    assert (found.adjacencies[:7] == few.adjacencies).all()


# The strength at which resamples have as many edges as the data


def graphs_with(edges):
    """Graphs with the given numbers of edges."""
    return [(np.arange(n, dtype=np.int32), 1, "converged") for n in edges]


@pytest.mark.slow
@given(st.floats(0.02, 60.0), st.integers(1, 40), st.integers(1, 200))
def test_finds_the_zero_of_a_decreasing_line_against_algebra(scale, target, n):
    """40 (1 - s / scale) edges, in steps of 1 / n edge, cross the target at s = scale (1 - target / 40)."""

    def learned_at(strength, tell):
        mean = max(0.0, 40 * (1 - strength / scale))
        whole = int(np.floor(mean))
        upper = round((mean - whole) * n)
        return graphs_with([whole + 1] * upper + [whole] * (n - upper)), False

    strength, learned, stopped = matched(learned_at, target, n)
    crossing = scale * (1 - target / 40)
    slope = 40 / scale
    assert abs(strength - crossing) <= max(0.005, (0.05 + 1 / n) / slope) + 1e-9
    assert not stopped
    assert mean_edges(learned) == mean_edges(learned_at(strength, None)[0])


def test_a_target_that_no_strength_reaches_gives_the_nearest_tried():
    """Required edges stay at any penalty."""
    strength, learned, _ = matched(lambda s, tell: (graphs_with([9 if s < 2 else 6]), False), 1.0, 1)
    assert mean_edges(learned) == 6
    assert strength == 2.0


@pytest.mark.slow
@pytest.mark.parametrize("score", [bn.BIC(), bn.BDeu(1), bn.FNML(), bn.WithPrior(bn.K2Score(), 1.0)])
def test_matched_ensemble_has_as_many_edges_as_the_data_and_is_repeated_by_its_applied_correction(score):
    data = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
    found = bn.resample(data, score, bn.HillClimbing(), bn.Bootstrap(60), "matched", rng=2)
    target = len(found.reference.edges)
    assert abs(found.mean_edges - target) < 0.6 or (found.strength == 0 and found.mean_edges < target)
    correction, strength = applied_correction(found.correction, found.strength)
    assert correction == "leading"
    again = bn.resample(data, score, bn.HillClimbing(), bn.Bootstrap(60), correction, rng=2, strength=strength)
    assert (found.adjacencies == again.adjacencies).all()
    assert (found.correction, found.status) == ("matched", "converged")


def test_stopping_keeps_the_nearest_finished_round():
    calls = []

    def progress(done, total):
        calls.append(done)
        return len(calls) < 70

    def learned_at(strength, tell):
        for done in range(20):
            if tell(done, 20) is False:
                return graphs_with([5] * done), True
        return graphs_with([round(20 * (1 - strength))] * 20), False

    strength, learned, stopped = matched(learned_at, 12.5, 20, progress)
    assert stopped
    assert (strength, mean_edges(learned)) == (0.5, 10)
    assert calls == sorted(calls)
    assert max(calls) <= 20


# Memory is checked before the work: what would not fit is refused with what would.


def test_a_run_that_does_not_fit_is_refused_with_what_would(monkeypatch):
    """A graph of 8 variables has up to 28 edges, and 4 bytes for each; beside are what two workers hold."""
    data = bn.Dataset.from_frame(bn.load_sample("asia_1000"))
    monkeypatch.setattr(resamplers, "processors", lambda: 2)
    beside = 2 * (2**24 + bytes_of_search(8)) + 64 * 8**2
    monkeypatch.setattr(resamplers, "free_bytes", lambda: beside + 156 * (256 + 4 * 8 * 4))
    check_memory(data, [bn.Bootstrap(156)])
    check_memory(data, [bn.PredictiveBootstrap(78)])
    with pytest.raises(bn.DataError, match=r"157 graphs of 8 variables .* free on this machine .*; 156 would fit"):
        check_memory(data, [bn.Bootstrap(157)])
    monkeypatch.setattr(resamplers, "free_bytes", lambda: beside - 1)
    with pytest.raises(bn.DataError, match="; 0 would fit"):
        check_memory(data, [bn.Bootstrap(2)])


def test_a_run_of_2000_variables_by_all_methods_of_the_page_needs_less_than_a_gigabyte(monkeypatch):
    data = bn.Dataset.from_frame(pd.DataFrame({f"v{k}": ["a", "b", "c", "a"] * 10 for k in range(2_000)}))
    monkeypatch.setattr(resamplers, "processors", lambda: 2)
    monkeypatch.setattr(resamplers, "free_bytes", lambda: 10**9)
    check_memory(data, [method.resampler for method in bn.resampling_methods(200)])


def test_a_run_takes_no_more_memory_than_was_checked(monkeypatch, one_worker):
    data = make_data([3] * 100, 60, seed=1)
    monkeypatch.setattr(resamplers, "processors", lambda: 1)
    assert run(DATA).n_graphs  # whatever is made once is there
    tracemalloc.start()
    try:
        found = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(4), executor=one_worker)
        assert (found.confidence + found.adjacency_confidence + found.compelled_confidence).any()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    monkeypatch.setattr(resamplers, "free_bytes", lambda: peak)
    with pytest.raises(bn.DataError, match="would fit"):
        check_memory(data, [bn.Bootstrap(4)])


def test_memory_that_a_container_allows(tmp_path, monkeypatch):
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("900\n")
    (tmp_path / "memory.stat").write_text("anon 500\ninactive_file 300\n")
    monkeypatch.setattr(limits, "_GROUP", tmp_path)
    assert limits.free_bytes() == 400
    (tmp_path / "memory.max").write_text("max\n")
    assert limits.free_bytes() != 400


# Every search inside every resampling method.


RESAMPLERS = [bn.Bootstrap(12), bn.Jackknife(), bn.DeleteD(4, 12)]
EVERY = sorted(SEARCHES)


def search_of(kind):
    """The search with its defaults, except for an annealing schedule that suits four variables."""
    if kind == "annealing":
        return bn.SimulatedAnnealing(20.0, 60, 30, 0.85, 40)
    return SEARCHES[kind]()


@pytest.fixture(scope="module")
def equal():
    """Thirty-four rows, some of them equal, so that jackknife replicates have multiplicities above 1."""
    made = make_data([2, 3, 2, 2], 34, seed=7, dependence=0.7)
    assert 5 < made.multiplicities.size < 34
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("resampler", "correction"),
    [*zip(RESAMPLERS, ("leading", "none", "none"), strict=True)],
    ids=lambda one: str(one)[:9],
)
@pytest.mark.parametrize("kind", EVERY)
def test_every_search_keeps_the_constraints_in_every_replicate_invariant(equal, kind, resampler, correction):
    search = search_of(kind)
    constraints = bn.Constraints(required=[("v0", "v3")], forbidden=[("v0", "v1")], max_parents=2)
    ensemble = bn.resample(equal, bn.BDeu(4), search, resampler, correction, constraints=constraints, rng=3)
    space = constraints.resolve(equal.names, search.max_parents)
    assert all(naive.is_legal(graph, space) for graph in ensemble.adjacencies)
    assert ensemble.confidence[0, 1] == 0
    assert ensemble.confidence[0, 3] == 1
    assert ensemble.n_graphs == resampler.n_replicates(equal)
    assert ensemble.multiplicities.sum() == (34 if isinstance(resampler, bn.Jackknife) else 12)
    assert ensemble.status == "converged"
    assert ensemble.search == search.name
    assert not ensemble.reference.adjacency[0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("correction", ["none", "leading"])
@pytest.mark.parametrize("kind", EVERY)
def test_every_search_against_learning_from_copied_rows(equal, kind, correction):
    """Row weights and shared buffers against a new table for each replicate.

    The copied rows stand in another order, so that sums are rounded otherwise: nothing may hang on that.
    """
    search, score = search_of(kind), bn.WithPrior(bn.BDs(4), 0.2, uniform_parent_sizes=True)
    ensemble = bn.resample(equal, score, search, bn.Bootstrap(10), correction, rng=5)
    space = bn.Constraints().resolve(equal.names, search.max_parents)
    used = search_from_graph(equal, score, search, space, ensemble.reference.adjacency)
    for graph, generator in zip(ensemble.adjacencies, replicate_generators(5, 10), strict=True):
        copied = naive.rows_in_order(equal).take(generator.integers(0, equal.n_rows, equal.n_rows))
        alone = bn.learn(copied, corrected(score, correction), used, rng=generator)
        assert (graph == alone.adjacency).all()


@pytest.mark.slow
@pytest.mark.parametrize("resampler", RESAMPLERS, ids=lambda resampler: resampler.name)
@pytest.mark.parametrize("kind", EVERY)
def test_any_number_of_workers_gives_the_same_graphs_invariant(equal, kind, resampler):
    """Including annealing: each replicate has its own generator."""
    whole = bn.resample(equal, bn.BDeu(2), search_of(kind), resampler, rng=9)
    for workers in (1, 3):
        with ThreadPoolExecutor(workers) as executor:
            made = bn.resample(equal, bn.BDeu(2), search_of(kind), resampler, rng=9, executor=executor)
        assert (made.adjacencies == whole.adjacencies).all()
        assert (made.multiplicities == whole.multiplicities).all()


@pytest.mark.slow
@pytest.mark.parametrize("score", [bn.BIC(), bn.BDeu(1)], ids=lambda score: score.name)
@pytest.mark.parametrize("changed", [0.0, 0.02])
def test_shares_do_not_depend_on_which_of_two_copies_the_graph_of_the_data_has(score, changed):
    """Two seeds, and graphs of the data in which the copies have changed places: shares differ by their errors alone.

    Of 45 pairs none differs by more than 5.5 standard errors: by the normal approximation a false alarm once in
    500,000 runs of one case. Where replicates took over the choice of the data's graph, equal copies differed by 5
    to 10 errors.
    """
    data, n = with_copies(bn.load_network("asia").sample(500, rng=1), [2, 4], changed, seed=5), 200
    exchanged = [0, 1, 8, 3, 9, 5, 6, 7, 2, 4]
    task = ResampleTask(data, score, bn.IteratedLocalSearch(), bn.Bootstrap(n), "leading")
    graph = bn.learn(data, score)
    other = dataclasses.replace(graph, adjacency=graph.adjacency[np.ix_(exchanged, exchanged)])
    one, two = (
        learn_ensemble(task, reference, rng=seed).adjacency_confidence for seed, reference in ((1, graph), (2, other))
    )
    assert (graph.adjacency != other.adjacency).any()
    assert (np.abs(one - two) / np.hypot(share_error(one, n), share_error(two, n))).max() < 5.5


@pytest.mark.slow
def test_shares_of_many_seeds_vary_as_their_stated_error_says_also_where_columns_are_copies():
    """Standard deviation between 16 seeds over the stated error, root mean square over pairs with shares in [.2, .8].

    It was 3 where a replicate took over the choice of the data's graph. Each pair's variance ratio is nearly
    chi-squared(15) / 15; even if all pairs were one, the mean would lie outside 0.08 and 3.8 with probability 2e-6.
    """
    data, n = with_copies(bn.load_network("asia").sample(500, rng=1), [2, 4], 0.0, seed=5), 60
    runs = [bn.resample(data, bn.BIC(), bn.IteratedLocalSearch(), bn.Bootstrap(n), "leading", rng=r) for r in range(16)]
    shares = np.array([run.adjacency_confidence for run in runs])
    mean = np.triu(shares.mean(axis=0))
    open_pairs = (mean > 0.2) & (mean < 0.8)
    assert open_pairs.sum() > 5
    ratios = shares.var(axis=0, ddof=1)[open_pairs] / share_error(mean, n)[open_pairs] ** 2
    assert 0.08 < ratios.mean() < 3.8
