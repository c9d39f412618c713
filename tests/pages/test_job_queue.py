"""Who gets the next place, with a clock that stands still until it is moved; jobs: progress, stopping, errors."""

import sys
import threading

import numpy as np
import pytest

import bnengine as bn
from pages.shared.job_queue import TURN, Job, Queue, stop_all
from tests.patience import HANG


class Hall:
    """A queue whose tickets are named by their visitor's letter and a number."""

    def __init__(self, *places):
        self.now, self.tickets = 0.0, {}
        self.queue = Queue(*places, clock=lambda: self.now)

    def come(self, *jobs):
        self.tickets |= {job: self.queue.join(job[0]) for job in jobs}
        return self

    def leave(self, job):
        self.queue.leave(self.tickets.pop(job))

    @property
    def at_work(self):
        return [job for job, ticket in self.tickets.items() if not self.queue.number_in_line(ticket)]

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
    assert hall.at_work == ["a1", "b1"]
    hall.leave("a1")
    assert hall.at_work == ["a2", "b1"]


@pytest.mark.parametrize(
    ("jobs", "order"),
    [(["a1", "b1", "c1"], ["a1", "b1", "c1"] * 3), (["a0", "a1", "a2", "b1"], ["a0", "b1", "a1", "b1", "a2", "b1"])],
    ids=["three visitors", "turns are of visitors, not of runs"],
)
def test_runs_take_turns(jobs, order):
    hall, worked = Hall(1).come(*jobs), []
    for _ in order:
        (now,) = hall.at_work
        worked.append(now)
        hall.step(now)
        assert hall.at_work == [now]  # its turn is not over
        hall.pass_turn(now)
    assert worked == order


def test_work_without_steps_keeps_nobody_waiting_longer_than_a_turn():
    hall = Hall(1).come("a1", "b1", "c1")
    assert hall.at_work == ["a1"]
    hall.pass_turn()
    assert hall.at_work == ["a1", "b1"]
    hall.step("b1")  # it has steps: its place counts
    hall.pass_turn("b1")
    assert hall.at_work == ["a1", "c1"]


def test_who_is_new_comes_next_and_who_was_here_before_as_if_new():
    hall = Hall(1).come("a1", "b1")
    for job in ("a1", "b1"):
        hall.step(job)
    hall.pass_turn("a1")
    hall.come("c1").pass_turn("b1")
    assert hall.at_work == ["c1"]
    for job in ("a1", "b1"):
        hall.leave(job)
    hall.come("d1", "a2").leave("c1")
    assert hall.at_work == ["d1"]


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
    assert (job.progress, job.result, job.running) == ((3, 5), None, True)
    assert not job.wait(0.01)
    go.set()
    assert job.wait(HANG)
    assert (job.result, job.error, job.running) == ([True, True, True], None, False)


@pytest.mark.parametrize("error", [ValueError("the reason"), ZeroDivisionError("none")])
def test_a_job_carries_its_error_and_gives_up_its_place(error):
    def work(tell):
        tell(1, 2)
        raise error

    queue = Queue(1)
    job, after = Job("fails", work, queue=queue), Job("waits", lambda tell: "done", queue=queue)
    assert job.wait(HANG)
    assert (job.error, job.result, job.progress) == (error, None, (1, 2))
    assert after.wait(HANG)
    assert after.result == "done"


def test_a_defect_has_a_number_under_which_the_log_says_where_but_no_value_of_the_data(caplog):
    job = Job("defect", lambda tell: {"a": 1}["secret cell"])
    assert job.wait(HANG)
    assert len(job.error_id) == 8
    assert all(text in caplog.text for text in (job.error_id, "KeyError", "test_job_queue.py"))
    assert "'secret cell'" not in caplog.text.replace('{"a": 1}["secret cell"]', "")


@pytest.mark.parametrize("when", ["in line", "paused"])
def test_a_job_is_stopped_while_it_waits(when):
    clock = [0.0]
    queue = Queue(1, clock=lambda: clock[0])
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


def test_a_run_that_pauses_goes_on_as_if_it_had_not(asia):
    """Its turn ends in the middle while another run waits, which begins then."""
    clock, began = [0.0], threading.Event()
    queue, others = Queue(1, clock=lambda: clock[0]), []

    def work(tell):
        def told(done, total):
            if done and not others:
                others.append(Job("other", lambda _: began.set(), queue=queue, visitor="b"))
                clock[0] += TURN
            return tell(done, total)

        return bootstrap_of(asia, told)

    job = Job("paused", work, queue=queue, visitor="a")
    assert job.wait(HANG)
    assert began.wait(HANG)
    np.testing.assert_array_equal(job.result.confidence, bootstrap_of(asia).confidence)
    assert job.result.status == "converged"


def broken(*_, **__):
    raise RuntimeError("broken")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("step", ["start", "wait", "work", "end of the script", "leave", "assign"])
def test_whatever_step_of_a_job_fails_it_ends_and_its_place_is_free(monkeypatch, step):
    queue = Queue(1)
    with monkeypatch.context() as patch:
        if step == "start":
            patch.setattr(threading.Thread, "start", broken)  # as at the system's limit of threads
        elif step == "wait":
            patch.setattr(queue, "wait", broken)
        work = {"work": broken, "end of the script": lambda tell: sys.exit()}.get(step, lambda tell: "done")
        if step in ("leave", "assign"):
            first = threading.Event()
            job = Job("fails", lambda tell: first.wait(HANG), queue=queue)
            patch.setattr(queue, "leave" if step == "leave" else "_assign", broken)
            first.set()
        else:
            job = Job("fails", work, queue=queue)
        assert job.wait(HANG)
        for thread in threading.enumerate():  # its error is this test's, and not the next one's
            if thread.name == "job fails":
                thread.join(HANG)
    assert not job.running
    if step in ("leave", "assign"):  # the result is there all the same; what failed gives the place up when asked again
        assert job.result is True
        queue.leave(job.ticket)
    else:
        assert job.error is not None
    after = Job("after", lambda tell: "done", queue=queue)
    assert after.wait(HANG)
    assert after.result == "done"


def test_all_jobs_stop_when_the_server_ends():
    began = threading.Event()

    def work(tell):
        began.set()
        done = 0
        while tell(done, 10**9):
            done += 1
        return done

    running, waiting = (Job(name, work, queue=queue) for queue in [Queue(1)] for name in ("one", "two"))
    assert began.wait(HANG)
    stop_all()
    assert running.wait(HANG)
    assert waiting.wait(HANG)
