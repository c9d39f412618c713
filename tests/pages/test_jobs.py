"""Background jobs: they run, tell how far they are, stop, and carry their errors."""

import threading
import time

import numpy as np
import pytest

import bnengine as bn
from bnengine._core.parallel import processors
from pages.shared import job_queue
from pages.shared.job_queue import Job, Places, most_jobs
from pages.shared.session import session_lifetime, streamlit_inside
from tests.patience import HANG


def test_a_job_gives_its_result():
    job = Job("sum", lambda tell: sum(range(10)))
    assert job.wait(HANG)
    assert job.result == 45
    assert job.error is None
    assert not job.running


def test_a_job_runs_beside_the_caller():
    go = threading.Event()
    job = Job("waits", lambda tell: go.wait(HANG))
    assert job.running
    assert not job.wait(0.01)
    assert job.result is None
    go.set()
    assert job.wait(HANG)
    assert job.result is True


def test_progress_is_what_the_work_told_last():
    told, go = threading.Event(), threading.Event()

    def work(tell):
        answers = [tell(done, 5) for done in range(1, 4)]
        told.set()
        go.wait(HANG)
        return answers

    job = Job("counts", work)
    assert told.wait(HANG)
    assert (job.done, job.total) == (3, 5)
    go.set()
    assert job.wait(HANG)
    assert job.result == [True, True, True]


def test_a_stopped_job_returns_what_it_has():
    first = threading.Event()

    def work(tell):
        done = 0
        while tell(done, 1_000_000):
            done += 1
            first.set()
            threading.Event().wait(0.001)
        return done

    job = Job("stops", work)
    assert first.wait(HANG)
    job.stop()
    assert job.wait(HANG)
    assert 1 <= job.result < 1_000_000
    assert job.error is None
    job.stop()  # once more does no harm
    assert not job.running


@pytest.mark.parametrize("error", [ValueError("the reason"), ZeroDivisionError("none")])
def test_a_job_carries_its_error(error):
    def work(tell):
        tell(1, 2)
        raise error

    job = Job("fails", work)
    assert job.wait(HANG)
    assert job.error is error
    assert job.result is None
    assert not job.running
    assert (job.done, job.total) == (1, 2)


@pytest.mark.slow
def test_an_engine_run_stops_in_a_job():
    asia, climb = bn.Recipe("sample", "asia_1000"), bn.HillClimbing()
    many = bn.Experiment(asia, search=climb, methods=("bootstrap",), n=100_000, ties="columns")
    job = Job("many", lambda tell: many.run(progress=tell))
    while job.done == 0 and not job.wait(0.01):
        pass
    job.stop()
    assert job.wait(HANG)
    assert job.error is None
    assert job.result.status == "stopped"
    assert 1 <= job.result.ensembles["bootstrap"].n_graphs < 100_000


def test_seconds_go_on():
    job = Job("clock", lambda tell: None)
    before = job.seconds
    assert job.wait(HANG)
    assert 0.0 <= before <= job.seconds


def test_a_defect_has_a_number_under_which_the_log_says_where_but_no_value_of_the_data(caplog):
    def work(tell):
        return {"a": 1}["secret cell"]

    job = Job("defect", work)
    assert job.wait(HANG)
    assert isinstance(job.error, KeyError)
    assert len(job.error_id) == 8
    assert job.error_id in caplog.text
    assert "KeyError" in caplog.text
    assert "test_jobs.py" in caplog.text
    assert "'secret cell'" not in caplog.text.replace('{"a": 1}["secret cell"]', "")


def test_a_search_is_stopped_inside(asia):
    search = bn.HillClimbing(restarts=10**6, max_iterations=10**7)
    flag = np.zeros(1, dtype=np.uint8)
    experiment = bn.Experiment(search=search)
    job = Job("search", lambda tell: experiment.learn(asia, flag), flag)
    assert not job.wait(0.1)
    job.stop()
    assert job.wait(HANG)
    assert job.result.status == "stopped"
    assert job.result.score == pytest.approx(bn.score(asia, job.result.edges, bn.BIC()), abs=1e-6)


def opened(places, n=1):
    """So many jobs with these places, which go on until told; they end with the value True."""
    gates = [threading.Event() for _ in range(n)]
    return gates, [Job(f"{k}", lambda tell, gate=gate: gate.wait(HANG), places=places) for k, gate in enumerate(gates)]


def test_jobs_wait_in_line_for_a_place():
    places = Places(2)
    gates, jobs = opened(places, 4)
    assert [job.in_line for job in jobs] == [0, 0, 1, 2]
    assert not jobs[2].began
    gates[1].set()
    assert jobs[1].wait(HANG)
    assert [job.in_line for job in jobs] == [0, 0, 0, 1]
    for gate in gates:
        gate.set()
    assert all(job.wait(HANG) and job.began and job.result for job in jobs)


def test_a_job_that_is_stopped_in_line_never_begins_and_holds_up_nobody():
    places = Places(1)
    gates, jobs = opened(places, 3)
    jobs[1].stop()
    assert jobs[1].wait(HANG)
    assert (jobs[1].began, jobs[1].result, jobs[1].error) == (False, None, None)
    assert [jobs[0].in_line, jobs[2].in_line] == [0, 1]
    gates[0].set()
    gates[2].set()
    assert jobs[2].wait(HANG)
    assert jobs[2].result is True


def test_a_failed_job_gives_up_its_place():
    places = Places(1)
    first = Job("fails", lambda tell: 1 // 0, places=places)
    second = Job("waits", lambda tell: "done", places=places)
    assert second.wait(HANG)
    assert isinstance(first.error, ZeroDivisionError)
    assert second.result == "done"


@pytest.mark.parametrize(("given", "most"), [("3", 3), ("0", 1), ("", processors()), ("many", processors())])
def test_how_many_jobs_is_set_by_the_environment(given, most, monkeypatch):
    monkeypatch.setenv("BNENGINE_MAX_JOBS", given)
    assert most_jobs() == most


def test_work_ends_half_a_minute_after_its_visitor_left():
    here, ended = [True], []
    lease = session_lifetime.Lease(30.0, lambda: ended.append(1), lambda: here[0])
    start = lease.seen
    session_lifetime.look(start + 1000)
    here[0] = False
    session_lifetime.look(start + 1029)
    assert not ended
    here[0] = True  # back after a reload
    session_lifetime.look(start + 1031)
    here[0] = False
    session_lifetime.look(start + 1060)
    assert not ended
    session_lifetime.look(start + 1062)
    session_lifetime.look(start + 1099)
    assert ended == [1]


def test_a_lease_that_was_cancelled_ends_nothing():
    ended = []
    lease = session_lifetime.Lease(1.0, lambda: ended.append(1), lambda: False)
    lease.cancel()
    lease.cancel()
    session_lifetime.look(lease.seen + 100)
    assert not ended


def test_who_is_there_is_known_to_the_server(monkeypatch):
    class Server:
        def is_active_session(self, name):
            return name == "here"

    monkeypatch.setattr(streamlit_inside.runtime, "exists", lambda: True)
    monkeypatch.setattr(streamlit_inside.runtime, "get_instance", Server)
    assert streamlit_inside.connected("here")
    assert not streamlit_inside.connected("gone")
    monkeypatch.setattr(streamlit_inside.runtime, "exists", lambda: False)
    assert streamlit_inside.connected("gone")


@pytest.mark.slow
def test_results_and_uploads_are_dropped_when_the_visitor_is_gone(visitor, monkeypatch):
    here = [True]
    monkeypatch.setattr(streamlit_inside, "connected", lambda name: here[0])
    visitor.few().upload("t.csv", "a,b\n0,1\n1,0\n1,1\n0,0\n").go("learn")
    kept = [visitor.at.session_state[kind] for kind in ("graphs", "uploads")]
    assert all(len(one) for one in kept)
    here[0] = False
    session_lifetime.look()
    assert all(len(one) for one in kept)
    session_lifetime.look(session_lifetime.time.monotonic() + session_lifetime.FORGOTTEN + 1)
    assert not any(len(one) for one in kept)


@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="the system tells no thread's time to another")
def test_the_clock_of_a_job_counts_its_own_threads(asia):
    """Those that the engine starts for it count, also once they have ended; others do not, however much they work."""
    clock, own = job_queue.ProcessorTime(), []

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
