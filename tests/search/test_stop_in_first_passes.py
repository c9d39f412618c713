"""A stop is obeyed before the first replicate, too: while missing cells are drawn and families are scored."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import bnengine as bn
from bnengine._core.parallel import one_thread_each, run, submitter
from bnengine.bootstrap.permutation_threshold import check_copies
from bnengine.bootstrap.resample import ResampleTask, learn_ensemble
from bnengine.experiment.evaluations import averaged_networks
from bnengine.graphs.constraints import Constraints
from bnengine.scores.local_score import LocalScores, default_score
from bnengine.search import drawn_cells, learning
from tests.strategies import make_data, with_holes

WAIT = 60  # seconds until a question that nobody asks is taken to be missing; where it is asked, none passes
HOLES = with_holes(make_data([2, 3, 2, 2], 60, seed=1), seed=2, way="drawn")


def numbers_with_holes():
    frame = make_data([9] * 4, 60, seed=3).to_frame().apply(lambda column: column.cat.codes.astype(float))
    frame = frame.where(np.random.default_rng(4).random(frame.shape) > 0.1)
    return bn.Dataset.from_frame(frame + np.arange(60.0)[:, None] / 100, missing="drawn", numbers=list(frame))


def resampled_from_a_known_graph(progress):
    task = ResampleTask(HOLES, bn.BIC(), bn.IteratedLocalSearch(), bn.Bootstrap(4))
    reference = bn.learn(HOLES.with_missing("complete_families"))
    return learn_ensemble(task, reference, progress=progress)


@pytest.mark.parametrize(
    "call",
    [
        lambda progress: bn.answers.noise_check(HOLES, progress=progress),
        lambda progress: bn.rows_needed(HOLES, progress=progress),
        resampled_from_a_known_graph,
        lambda progress: averaged_networks(bn.Experiment(), HOLES, progress),
    ],
    ids=["noise_check", "rows_needed", "resample", "averaged_networks"],
)
def test_whether_to_stop_is_asked_while_missing_cells_are_drawn_first(call, monkeypatch):
    asked, in_time = threading.Event(), []

    def draw(network, table, rng):
        in_time.append(asked.wait(WAIT))
        return table.with_missing("listwise")

    def progress(done, total):
        asked.set()
        return False

    monkeypatch.setattr(drawn_cells, "draw_missing", draw)
    found = call(progress)
    assert in_time
    assert all(in_time)
    assert getattr(found, "status", "stopped") == "stopped"


@pytest.mark.parametrize("data", [HOLES, numbers_with_holes()], ids=["states", "numbers"])
def test_no_family_is_scored_once_the_stop_is_set(data, monkeypatch):
    made, stop = [], np.ones(1, dtype=np.uint8)

    class Watched(LocalScores):
        def __init__(self, *args):
            super().__init__(*args)
            made.append(self)

    for module in (drawn_cells, learning):
        monkeypatch.setattr(module, "LocalScores", Watched)
    rows = drawn_cells.drawn_once(data, 0, stop)
    learning.joint_sets_of(rows, default_score(rows), Constraints().resolve(data.names), stop)
    assert len(made) >= 2
    assert [scores.stopped for scores in made] == [True] * len(made)
    assert max(scores.n_scored for scores in made) <= data.n_variables**2


def test_no_copy_is_looked_at_after_the_one_that_was_stopped():
    seen = []
    check = check_copies(make_data([2] * 3, 40, seed=5), lambda *copy: seen.append(copy), 5)
    assert (len(seen), check.status, len(check.shuffled)) == (1, "stopped", 0)


# An executor's workers limit linear algebra to one thread each where a task begins, in whatever process that is.


def threads_of_linear_algebra(*_):
    """Of each library that is loaded; a peer may have brought one that knows a single thread only."""
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_tasks_of_an_executor_use_one_thread_of_linear_algebra_each():
    with threadpool_limits(2), ThreadPoolExecutor(1) as pool:
        found, _ = run(lambda stop: threads_of_linear_algebra, np.random.default_rng(1).spawn(2), pool, None)
        assert [*found, submitter(pool, threads_of_linear_algebra)().result()] == [{1}] * 3
        assert 2 in pool.submit(threads_of_linear_algebra).result()


def test_linear_algebra_has_its_threads_back_when_the_last_of_several_callers_has_finished():
    with threadpool_limits(2), ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as other:
        first, second, none = one_thread_each(), one_thread_each(), (None, None, None)
        one.submit(first.__enter__).result()
        other.submit(second.__enter__).result()
        one.submit(first.__exit__, *none).result()
        assert threads_of_linear_algebra() == {1}
        other.submit(second.__exit__, *none).result()
        assert 2 in threads_of_linear_algebra()
