"""Who gets the next place, with jobs that are only names and a clock that stands still until it is moved."""

import threading
import time

import numpy as np
import pytest

import bnengine as bn
from bnengine._core import parallel
from pages.shared.job_queue import LONG_AFTER, TURN, Job, Places, ProcessorTime
from tests.patience import HANG


class Hall:
    """Places, with what happens in them told step by step."""

    def __init__(self, number, long=None, **more):
        self.now, self.worked = 0.0, {}
        self.long = None if long is None else Places(long, clock=lambda: self.now)
        self.places = Places(number, clock=lambda: self.now, long=self.long, **more)

    def come(self, *jobs):
        """Jobs named by their visitor's letter and a number."""
        for job in jobs:
            self.worked[job] = 0.0
            self.places.join(job, job[0], lambda job=job: self.worked[job])
        return self

    def work_long(self, *jobs):
        """So many seconds of a processor that they are short work no more."""
        self.worked |= dict.fromkeys(jobs, LONG_AFTER)

    def long_ones(self):
        return [job for job in self.worked if self.places.now_at(job) is self.long]

    def at_work(self, *jobs):
        return [job for job in jobs if not self.places.number_in_line(job)]

    def step(self, job):
        """A step of a job; one that loses its place does not wait here until it gets it back."""
        self.places.give_way(job, lambda: True)

    def pass_turn(self):
        self.now += TURN
        self.places.look()


def test_two_long_runs_of_one_visitor_do_not_keep_another_waiting():
    hall = Hall(2).come("a1", "a2", "b1")
    assert hall.at_work("a1", "a2", "b1") == ["a1", "b1"]
    hall.places.leave("a1")
    assert hall.at_work("a2", "b1") == ["a2", "b1"]


def test_long_runs_take_turns():
    """Three visitors and one place: each works one turn in three, in the order in which they came."""
    jobs = ["a1", "b1", "c1"]
    hall, worked = Hall(1).come(*jobs), []
    for _ in range(9):
        (now,) = hall.at_work(*jobs)
        worked.append(now)
        hall.step(now)
        assert hall.at_work(*jobs) == [now]  # its turn is not over
        hall.pass_turn()
        hall.step(now)
    assert worked == jobs * 3


def test_turns_are_of_visitors_not_of_runs():
    """Somebody with five tabs gets no more turns than somebody with one."""
    jobs = [*(f"a{k}" for k in range(5)), "b1"]
    hall, worked = Hall(1).come(*jobs), []
    for _ in range(12):
        (now,) = hall.at_work(*jobs)
        worked.append(now)
        hall.step(now)
        hall.pass_turn()
        hall.step(now)
    assert [job[0] for job in worked] == ["a", "b"] * 6
    assert worked[::2] == ["a0", "a1", "a2", "a3", "a4", "a0"]


def test_a_run_goes_on_while_nobody_waits():
    hall = Hall(1).come("a1")
    for _ in range(3):
        hall.pass_turn()
        hall.step("a1")
        assert hall.at_work("a1") == ["a1"]


def test_work_without_steps_cannot_pause_but_keeps_nobody_waiting_longer_than_a_turn():
    hall = Hall(1).come("a1", "b1", "c1")
    assert hall.at_work("a1", "b1", "c1") == ["a1"]
    hall.pass_turn()
    assert hall.at_work("a1", "b1", "c1") == ["a1", "b1"]
    hall.step("b1")  # it has steps: its place counts
    hall.pass_turn()
    assert hall.at_work("a1", "b1", "c1") == ["a1", "b1"]
    hall.step("b1")
    assert hall.at_work("a1", "b1", "c1") == ["a1", "c1"]


def test_a_visitor_may_have_several_short_runs():
    hall = Hall(4, each=2).come("a1", "a2", "a3", "b1")
    assert hall.at_work("a1", "a2", "a3", "b1") == ["a1", "a2", "b1"]


def test_who_was_here_before_does_not_stand_behind_who_is_new():
    hall = Hall(1).come("a1", "b1")
    hall.places.leave("a1")
    hall.come("c1", "a2")
    hall.places.leave("b1")
    assert hall.at_work("c1", "a2") == ["c1"]
    assert hall.places.number_in_line("a2") == 1


def test_work_begins_among_the_short_and_goes_to_the_long_after_some_processor_time():
    """However long it has had a place: on a busy machine short work takes long by the clock."""
    hall = Hall(2, long=1).come("a1", "b1", "c1")
    assert hall.at_work("a1", "b1", "c1") == ["a1", "b1"]
    hall.step("a1")
    hall.now += TURN / 2
    hall.worked["a1"] = LONG_AFTER - 0.1
    assert hall.long_ones() == []
    hall.work_long("a1")
    hall.step("a1")
    assert hall.long_ones() == ["a1"]
    assert hall.at_work("a1", "b1", "c1") == ["a1", "b1", "c1"]  # its short place is another's


def test_long_work_waits_for_a_long_place_between_two_of_its_steps():
    hall = Hall(4, long=1).come("a1", "b1")
    hall.step("a1")
    hall.step("b1")
    hall.work_long("a1", "b1")
    hall.step("a1")
    hall.step("b1")
    assert hall.long_ones() == ["a1", "b1"]
    assert hall.at_work("a1", "b1") == ["a1"]
    hall.pass_turn()
    hall.step("a1")
    assert hall.at_work("a1", "b1") == ["b1"]
    hall.places.leave("b1")
    assert hall.at_work("a1") == ["a1"]


def test_the_short_work_of_one_visitor_does_not_wait_for_the_long_work_of_others():
    hall = Hall(2, long=1).come("a1", "b1")
    for job in ("a1", "b1"):
        hall.step(job)
    hall.work_long("a1", "b1")
    hall.come("c1", "d1")
    assert hall.at_work("c1", "d1") == ["c1", "d1"]


def test_one_visitor_has_one_long_run_at_a_time():
    hall = Hall(4, long=2).come("a1", "a2", "b1")
    for job in ("a1", "a2", "b1"):
        hall.step(job)
    hall.work_long("a1", "a2", "b1")
    assert hall.long_ones() == ["a1", "a2", "b1"]
    assert hall.at_work("a1", "a2", "b1") == ["a1", "b1"]
    hall.come("a3")
    assert hall.at_work("a3") == ["a3"]  # short work of the same visitor goes on beside it


def test_work_without_steps_cannot_wait_and_counts_as_long():
    hall = Hall(4, long=1).come("a1", "b1")
    hall.step("b1")
    hall.work_long("a1", "b1")
    assert hall.long_ones() == ["a1", "b1"]
    hall.step("b1")
    assert hall.at_work("a1", "b1") == ["a1"]
    hall.pass_turn()
    assert hall.at_work("a1", "b1") == ["a1", "b1"]  # from now on they share the processors


def test_a_run_that_has_become_long_goes_on_as_if_it_had_not(asia, monkeypatch):
    """The processor's clock jumps in the middle of a run while another one has the only long place."""
    worked, gate = [0.0], threading.Event()
    monkeypatch.setattr(ProcessorTime, "__call__", lambda self: worked[0])
    long = Places(1)
    short = Places(2, long=long)
    other = Job("other", lambda tell: gate.wait(HANG), places=long)

    def run(tell=None):
        return bn.resample(asia, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(200), rng=1, progress=tell)

    def told_to_be_long(tell):
        def told(done, total):
            answer = tell(done, total)
            worked[0] = LONG_AFTER if done else 0.0
            return answer

        return run(told)

    job = Job("long", told_to_be_long, places=short)
    while not job.in_line and job.running:
        time.sleep(0.01)
    assert job.places is long
    assert 0 < job.done < job.total
    gate.set()
    assert job.wait(HANG)
    assert other.wait(HANG)
    np.testing.assert_array_equal(job.result.confidence, run().confidence)


def test_a_run_pauses_between_two_replicates_and_ends_as_if_it_had_not(asia):
    """The clock jumps when the second visitor comes: the first run waits until that is done, and loses nothing."""
    clock = [0.0]
    places = Places(1, clock=lambda: clock[0])
    here, go = threading.Event(), threading.Event()

    def run(tell=None):
        return bn.resample(asia, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(200), rng=1, progress=tell)

    def paused_run(tell):
        def told(done, total):
            if not here.is_set() and 0 < done < total:
                here.set()
                assert go.wait(HANG)
            return tell(done, total)

        return run(told)

    first = Job("first", paused_run, places=places, visitor="a")
    assert here.wait(HANG)
    order = []
    second = Job("second", lambda tell: order.append((first.began, first.running, first.in_line)), places=places)
    clock[0] = TURN
    go.set()
    assert second.wait(HANG)
    assert first.wait(HANG)
    assert order == [(True, True, 1)]
    np.testing.assert_array_equal(first.result.confidence, run().confidence)
    assert first.result.status == "converged"


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


@pytest.mark.parametrize("when", ["in line", "paused"])
def test_a_job_is_stopped_while_it_waits(when):
    clock = [0.0]
    places = Places(1, clock=lambda: clock[0])
    gate, stepping = threading.Event(), threading.Event()

    def work(tell):
        stepping.set()
        gate.wait(HANG)
        return [tell(1, 3), "partial"]

    first = Job("first", work, places=places)
    assert stepping.wait(HANG)
    other = threading.Event()
    second = Job("second", lambda tell: other.wait(HANG), places=places)
    stopped = second if when == "in line" else first
    if when == "paused":
        clock[0] = TURN
        gate.set()
        while not first.in_line:
            pass
    stopped.stop()
    assert stopped.wait(HANG)
    assert stopped.result == (None if when == "in line" else [False, "partial"])
    for event in (gate, other):
        event.set()
    assert first.wait(HANG)
    assert second.wait(HANG)
