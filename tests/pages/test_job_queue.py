"""Who gets the next place, with a clock that stands still until it is moved; jobs: progress, stopping, errors."""

import threading
import time

import numpy as np
import pytest

import bnengine as bn
from bnengine._core import parallel
from bnengine._core.parallel import processors
from pages.shared.job_queue import LONG_AFTER, TURN, Job, ProcessorTime, Queue, most_jobs
from tests.patience import HANG


class Hall:
    """A queue whose tickets are named by their visitor's letter and a number."""

    def __init__(self, short, long=1, **more):
        self.now, self.worked, self.tickets = 0.0, {}, {}
        self.queue = Queue(short, long, clock=lambda: self.now, **more)

    def come(self, *jobs):
        for job in jobs:
            self.worked[job] = 0.0
            self.tickets[job] = self.queue.join(job[0], lambda job=job: self.worked[job])
        return self

    def leave(self, job):
        self.queue.leave(self.tickets[job])

    def work_long(self, *jobs):
        """So many seconds of a processor that they are short work no more."""
        for job in jobs:
            self.worked[job] = LONG_AFTER
            self.step(job)

    def long_ones(self):
        self.queue.check()
        return [job for job, ticket in self.tickets.items() if ticket.is_long]

    def at_work(self, *jobs):
        return [job for job in jobs if not self.queue.number_in_line(self.tickets[job])]

    def step(self, job):
        """A step of a job; one that loses its place does not wait here until it gets it back."""
        self.queue.step(self.tickets[job], lambda: True)

    def pass_turn(self, *jobs):
        self.now += TURN
        self.queue.check()
        for job in jobs:
            self.step(job)


def test_two_runs_of_one_visitor_do_not_keep_another_waiting():
    hall = Hall(2).come("a1", "a2", "b1")
    assert hall.at_work("a1", "a2", "b1") == ["a1", "b1"]
    hall.leave("a1")
    assert hall.at_work("a2", "b1") == ["a2", "b1"]


@pytest.mark.parametrize(
    ("jobs", "order"),
    [(["a1", "b1", "c1"], ["a1", "b1", "c1"] * 3), (["a0", "a1", "a2", "b1"], ["a0", "b1", "a1", "b1", "a2", "b1"])],
    ids=["three visitors", "turns are of visitors, not of runs"],
)
def test_long_runs_take_turns(jobs, order):
    hall, worked = Hall(1).come(*jobs), []
    for _ in order:
        (now,) = hall.at_work(*jobs)
        worked.append(now)
        hall.step(now)
        assert hall.at_work(*jobs) == [now]  # its turn is not over
        hall.pass_turn(now)
    assert worked == order


def test_a_run_goes_on_while_nobody_waits():
    hall = Hall(1).come("a1")
    hall.pass_turn("a1")
    assert hall.at_work("a1") == ["a1"]


def test_work_without_steps_keeps_nobody_waiting_longer_than_a_turn():
    hall = Hall(1).come("a1", "b1", "c1")
    assert hall.at_work("a1", "b1", "c1") == ["a1"]
    hall.pass_turn()
    assert hall.at_work("a1", "b1", "c1") == ["a1", "b1"]
    hall.step("b1")  # it has steps: its place counts
    hall.pass_turn("b1")
    assert hall.at_work("a1", "b1", "c1") == ["a1", "c1"]


def test_who_was_here_before_does_not_stand_behind_who_is_new():
    hall = Hall(1).come("a1", "b1")
    hall.leave("a1")
    hall.come("c1", "a2")
    hall.leave("b1")
    assert hall.at_work("c1", "a2") == ["c1"]
    assert hall.queue.number_in_line(hall.tickets["a2"]) == 1


def test_work_becomes_long_by_processor_time_and_its_short_place_is_another_s():
    """However long it has had a place: on a busy machine short work takes long by the clock."""
    hall = Hall(2, each=2).come("a1", "b1", "c1")
    hall.now += 1000 * TURN
    hall.worked["a1"] = LONG_AFTER - 0.1
    assert hall.long_ones() == []
    hall.work_long("a1")
    assert hall.long_ones() == ["a1"]
    assert hall.at_work("a1", "b1", "c1") == ["a1", "b1", "c1"]


def test_long_work_waits_for_a_long_place_between_two_of_its_steps_and_short_work_does_not_wait_for_it():
    hall = Hall(2).come("a1", "b1")
    hall.work_long("a1", "b1")
    assert hall.at_work("a1", "b1") == ["a1"]
    hall.come("c1", "d1")
    assert hall.at_work("c1", "d1") == ["c1", "d1"]
    hall.pass_turn("a1")
    assert hall.at_work("a1", "b1") == ["b1"]


def test_one_visitor_has_one_long_run_at_a_time_and_short_ones_beside_it():
    hall = Hall(4, 2, each=2).come("a1", "a2", "b1")
    hall.work_long("a1", "a2", "b1")
    assert hall.at_work("a1", "a2", "b1") == ["a1", "b1"]
    assert hall.come("a3", "a4", "a5").at_work("a3", "a4", "a5") == ["a3", "a4"]


def test_an_endless_search_without_steps_keeps_its_own_visitor_waiting_for_a_turn_only():
    hall = Hall(4, 1, each=2).come("a1", "a2")
    hall.worked["a1"] = LONG_AFTER
    hall.work_long("a2")
    assert hall.long_ones() == ["a1", "a2"]
    assert hall.at_work("a1", "a2") == ["a1"]
    hall.pass_turn()
    assert hall.at_work("a1", "a2") == ["a1", "a2"]  # from now on they share the processors


@pytest.mark.parametrize(("given", "most"), [("3", 3), ("0", 1), ("", processors()), ("many", processors())])
def test_how_many_jobs_is_set_by_the_environment(given, most, monkeypatch):
    monkeypatch.setenv("BNENGINE_MAX_JOBS", given)
    assert most_jobs() == most


# Jobs.


def test_a_job_runs_beside_the_caller_tells_how_far_it_is_and_gives_its_result():
    told, go = threading.Event(), threading.Event()

    def work(tell):
        answers = [tell(done, 5) for done in range(1, 4)]
        told.set()
        go.wait(HANG)
        return answers

    job = Job("counts", work)
    assert told.wait(HANG)
    assert (job.done, job.total, job.result, job.running) == (3, 5, None, True)
    assert not job.wait(0.01)
    go.set()
    assert job.wait(HANG)
    assert (job.result, job.error, job.running) == ([True, True, True], None, False)


@pytest.mark.parametrize("error", [ValueError("the reason"), ZeroDivisionError("none")])
def test_a_job_carries_its_error_and_gives_up_its_place(error):
    def work(tell):
        tell(1, 2)
        raise error

    queue = Queue(1, 1)
    job, after = Job("fails", work, queue=queue), Job("waits", lambda tell: "done", queue=queue)
    assert job.wait(HANG)
    assert (job.error, job.result, job.done, job.total) == (error, None, 1, 2)
    assert after.wait(HANG)
    assert after.result == "done"


def test_a_defect_has_a_number_under_which_the_log_says_where_but_no_value_of_the_data(caplog):
    job = Job("defect", lambda tell: {"a": 1}["secret cell"])
    assert job.wait(HANG)
    assert len(job.error_id) == 8
    assert all(text in caplog.text for text in (job.error_id, "KeyError", "test_job_queue.py"))
    assert "'secret cell'" not in caplog.text.replace('{"a": 1}["secret cell"]', "")


@pytest.mark.slow
def test_a_run_that_is_stopped_gives_what_it_has():
    asia, climb = bn.Recipe("sample", "asia_1000"), bn.HillClimbing()
    many = bn.Experiment(asia, search=climb, methods=("bootstrap",), n=100_000, ties="columns")
    job = Job("many", lambda tell: many.run(progress=tell))
    while job.done == 0 and not job.wait(0.01):
        pass
    job.stop()
    job.stop()  # once more does no harm
    assert job.wait(HANG)
    assert job.result.status == "stopped"
    assert 1 <= job.result.ensembles["bootstrap"].n_graphs < 100_000


def test_a_search_is_stopped_inside(asia):
    search, flag = bn.HillClimbing(restarts=10**6, max_iterations=10**7), np.zeros(1, dtype=np.uint8)
    job = Job("search", lambda tell: bn.Experiment(search=search).learn(asia, flag), flag)
    assert not job.wait(0.1)
    job.stop()
    assert job.wait(HANG)
    assert job.result.status == "stopped"
    assert job.result.score == pytest.approx(bn.score(asia, job.result.edges, bn.BIC()), abs=1e-6)


@pytest.mark.parametrize("when", ["in line", "paused"])
def test_a_job_is_stopped_while_it_waits(when):
    clock = [0.0]
    queue = Queue(1, 1, clock=lambda: clock[0])
    gate, stepping, other = threading.Event(), threading.Event(), threading.Event()

    def work(tell):
        tell(1, 3)
        stepping.set()
        gate.wait(HANG)
        return [tell(2, 3), "partial"]

    first = Job("first", work, queue=queue)
    assert stepping.wait(HANG)
    second = Job("second", lambda tell: other.wait(HANG), queue=queue)
    assert [first.in_line, second.in_line] == [0, 1]
    stopped = second if when == "in line" else first
    if when == "paused":
        clock[0] = TURN
        gate.set()
        while not first.in_line:
            pass
    stopped.stop()
    assert stopped.wait(HANG)
    assert stopped.result == (None if when == "in line" else [False, "partial"])
    assert stopped.began == (when == "paused")
    for event in (gate, other):
        event.set()
    assert first.wait(HANG)
    assert second.wait(HANG)


def bootstrap_of(asia, tell=None):
    return bn.resample(asia, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(200), rng=1, progress=tell)


def test_a_run_that_has_become_long_goes_on_as_if_it_had_not(asia, monkeypatch):
    """The processor's clock jumps in the middle of a run while another one has the only long place."""
    worked, gate = {}, threading.Event()
    monkeypatch.setattr(ProcessorTime, "__call__", lambda self: worked.get(self, 0.0))
    queue = Queue(2, 1)
    other = Job("other", lambda tell: gate.wait(HANG), queue=queue, visitor="b")
    worked[other._worked] = LONG_AFTER

    def work(tell):
        def told(done, total):
            answer = tell(done, total)
            worked[job._worked] = LONG_AFTER if done else 0.0
            return answer

        return bootstrap_of(asia, told)

    job = Job("long", work, queue=queue, visitor="a")
    while not job.in_line and job.running:
        time.sleep(0.01)
    assert job.ticket.is_long
    assert 0 < job.done < job.total
    gate.set()
    assert job.wait(HANG)
    np.testing.assert_array_equal(job.result.confidence, bootstrap_of(asia).confidence)
    assert job.result.status == "converged"


def test_no_replicate_begins_while_the_run_is_told_to_wait():
    ledger, begun = parallel._Ledger(), threading.Event()
    worker = threading.Thread(target=lambda: (ledger.count_one(), begun.set()))

    def progress(done, total):
        worker.start()
        assert not begun.wait(0.05)
        return True

    assert ledger.ask_progress(progress, 2)
    assert begun.wait(HANG)
    worker.join()


@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="the system tells no thread's time to another")
def test_the_clock_of_a_job_counts_its_own_threads(asia):
    """Those that the engine starts for it count, also once they have ended; others do not, however much they work."""
    clock, own = ProcessorTime(), []

    def busy(seconds):
        start = time.thread_time()
        while time.thread_time() - start < seconds:
            pass

    def work():
        clock.join()
        busy(0.2)
        alone = clock()
        start = time.process_time()
        bn.resample(asia, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(300), progress=lambda done, n: clock() > 0)
        own.extend([alone, clock() - alone, time.process_time() - start])

    for one, argument in ((busy, (0.3,)), (work, ())):
        thread = threading.Thread(target=one, args=argument)
        thread.start()
        thread.join()
    alone, learning, everything = own
    assert 0.2 <= alone < 0.4
    assert everything / 2 < learning <= everything + 0.05
