"""Workers stop when the caller does not want their results any more."""

import threading
import time

import pytest

import bnengine as bn
from bnengine._core import parallel
from bnengine._core.parallel import split_progress, stoppable
from bnengine.bootstrap.resample import ResampleTask, learn_ensemble
from bnengine.graphs.dag import topological_order
from tests.patience import HANG
from tests.strategies import make_data


@pytest.fixture
def slow(monkeypatch):
    """Replicates that take a twentieth of a second each; how many were drawn."""
    drawn = []
    quick = bn.Bootstrap.replicate

    def replicate(self, *args):
        drawn.append(threading.current_thread().name)
        time.sleep(0.05)
        return quick(self, *args)

    monkeypatch.setattr(bn.Bootstrap, "replicate", replicate)
    return drawn


@pytest.mark.slow
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_error_in_the_caller_ends_the_work(slow, error):
    data = bn.load_network("cancer").sample(50, rng=1)

    def progress(done, total):
        raise error

    with pytest.raises(error):
        bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(20_000), progress=progress)
    assert len(slow) < 5_000  # two minutes on two cores, however busy; the first look at the workers comes at once


# Whatever takes long is stopped inside, also within one search, and gives a smaller, valid result


#: One search takes hours.
ENDLESS = bn.HillClimbing(restarts=10**6, max_iterations=10**7)


def within_patience(work):
    """What the work returns; it must return."""
    answer, error = [], []

    def guarded():
        try:
            answer.append(work())
        except BaseException as raised:
            error.append(raised)

    thread = threading.Thread(target=guarded, daemon=True)
    thread.start()
    thread.join(HANG)
    assert not thread.is_alive(), "not stopped"
    if error:
        raise error[0]
    return answer[0]


def after(n):
    """A progress callback that says stop from the n-th call on."""
    calls = iter(range(10**9))
    return lambda done, total: next(calls) < n


@pytest.fixture(scope="module")
def known(asia):
    """A graph of the data that is known already, so that the resampling itself is stopped."""
    return bn.learn(asia)


def until_told(flag):
    while not flag[0]:
        threading.Event().wait(0.001)
    return "so far"


def test_the_flag_follows_the_caller():
    asked = []

    def progress(done, total):
        asked.append((done, total))
        return len(asked) < 3

    assert within_patience(lambda: stoppable(until_told, progress, 7)) == "so far"
    assert set(asked) == {(0, 7)}


def test_an_error_of_the_caller_sets_the_flag_and_is_raised():
    def progress(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        within_patience(lambda: stoppable(until_told, progress))


def test_an_error_of_the_work_is_raised():
    with pytest.raises(ZeroDivisionError):
        stoppable(lambda flag: 1 // int(flag[0]), lambda done, total: None)


@pytest.mark.parametrize("correction", ["none", "matched"])
def test_resample_drops_the_replicate_that_is_not_finished(correction, asia, known):
    task = ResampleTask(asia, bn.BIC(), ENDLESS, bn.Bootstrap(50), correction)
    found = within_patience(lambda: learn_ensemble(task, known, 1.0, progress=after(3)))
    assert (found.status, found.n_graphs, found.n_planned) == ("stopped", 0, 50)
    assert not found.confidence.any()


@pytest.mark.parametrize("resampler", [bn.Bootstrap(50), bn.ParametricBootstrap(50)])
def test_resample_is_stopped_while_it_learns_from_the_data(resampler, asia):
    found = within_patience(lambda: bn.resample(asia, bn.BIC(), ENDLESS, resampler, progress=after(3)))
    assert (found.status, found.n_graphs, found.n_planned) == ("stopped", 0, 50)
    assert found.reference.status == "stopped"


def test_searches_that_ended_are_compared(asia):
    some = after(5)
    frame = within_patience(
        lambda: bn.teaching.compare_searches(
            asia,
            bn.BIC(),
            [bn.ChowLiu(), ENDLESS, bn.Tabu()],
            progress=lambda done, total: done < 1 or some(done, total),
        )
    )
    assert list(frame["search"]) == [bn.ChowLiu().name]


def test_an_exact_posterior_that_is_stopped_is_what_can_be_said_at_once():
    data = make_data([2] * 24, 40, seed=3)
    stopped = {"max_parents": 3, "method": "exact", "progress": after(1)}
    found = within_patience(lambda: bn.edge_posterior(data, bn.BDeu(1), **stopped))
    assert found.status == "stopped"
    assert ((found.probability >= 0) & (found.probability <= 1)).all()


@pytest.mark.slow
@pytest.mark.parametrize("n_variables", [18, 30])
@pytest.mark.parametrize("required", [(), [("v5", "v0"), ("v6", "v5"), ("v0", "v1")]])
def test_the_exact_search_is_stopped_while_it_looks_for_the_ordering(n_variables, required, monkeypatch):
    """Both ways, all sets and the linear program: a valid graph that meets the constraints, with its true score."""
    from bnengine.search import exact

    data, constraints = make_data([2] * n_variables, 60, seed=4), bn.Constraints(required=required)
    ordering = exact._best_ordering

    def after_the_lists(candidates, margin, max_memory, stop):
        stop[0] = 1
        return ordering(candidates, margin, max_memory, stop)

    monkeypatch.setattr(exact, "_best_ordering", after_the_lists)
    score = bn.AIC()
    graph = bn.learn(data, score, bn.Exact(max_parents=2), constraints=constraints)
    assert graph.status == "stopped"
    assert topological_order(graph.adjacency) is not None
    assert graph.score == pytest.approx(bn.score(data, graph.edges, score), abs=1e-6)
    assert set(map(tuple, required)) <= set(graph.edges)


@pytest.mark.parametrize("odd", [[("a", "b")], 0, "progress"])
def test_a_progress_that_cannot_be_called_is_refused(odd, asia):
    for work in (bn.answers.noise_check, bn.rows_needed):
        with pytest.raises(ValueError, match="progress must be a function, or None"):
            work(asia, progress=odd)


# One progress count over several runs in sequence


def test_runs_count_up_to_the_sum_of_their_sizes():
    reported = []
    shares = split_progress(lambda done, total: reported.append((done, total)), [2, 0, 3])
    for share, size in zip(shares, [2, 0, 3], strict=True):
        for done in range(size + 1):
            share(done, size)
    assert [done for done, _ in reported] == [0, 1, 2, 2, 2, 3, 4, 5]
    assert {total for _, total in reported} == {5}


def test_no_replicate_begins_while_the_run_is_told_to_wait():
    ledger, begun = parallel._Ledger([]), threading.Event()
    worker = threading.Thread(target=lambda: (ledger.may_go_on(), begun.set()))

    def progress(done, total):
        worker.start()
        assert not begun.wait(0.05)
        return True

    assert ledger.ask_progress(progress)
    assert begun.wait(HANG)
    worker.join()
