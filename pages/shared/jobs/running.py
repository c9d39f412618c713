"""Run work in background jobs: start it, show its progress, keep the result."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np
import streamlit as st

import bnengine as bn
from bnengine.typing import UInt8Array
from pages.shared import job_queue, session
from pages.shared.format import counted as counted_as
from pages.shared.format import duration, sentence
from pages.shared.job_queue import Job, Progress
from pages.shared.jobs import compilation
from pages.shared.session import Key

T = TypeVar("T")

#: Icon of a page that waits for work whose progress is not counted.
WAITING = ":material/hourglass_top:"

#: Time a page waits for a job before it shows progress, so that short jobs do not flicker.
GRACE = 1.5  # seconds
_STOP = "Stop and keep the partial result"


def start(
    kind: str,
    key: str,
    work: Callable[[Progress], T],
    stop: UInt8Array | None = None,
    button: tuple[str, str] | None = None,
    so_far: list[Any] | None = None,
) -> Job[T] | None:
    """Return the job of a kind and key that is at work, or start it; None while it waits for a click.

    It starts by itself unless it has a ``button``, given by its label and the sentence below it. What was stopped
    before it began starts only by a click.
    """
    job = session.jobs.current(kind, key)
    if job is not None and job.key == key:
        return job
    if session.jobs.declined(kind, key) and button is None:
        button = "Run", "It was stopped before it began."
    if not session.jobs.again_requested(kind) and button is not None and not _pressed(kind, *button):
        return None
    warm = compilation.warm_up()
    return session.jobs.start(kind, key, lambda progress: _after(warm, lambda: work(progress)), stop, so_far=so_far)


def result_of(
    kind: str,
    of: tuple[object, ...],
    work: Callable[[Progress], T],
    what: str,
    button: tuple[str, str] | None = None,
    counted: bool = True,
    stop: UInt8Array | None = None,
    for_all: Callable[[T], bool] | None = None,
    grace: float = GRACE,
) -> T | None:
    """Return the result of work, from the session or from a job; None until it is available.

    Parameters
    ----------
    kind : str
        One job of a kind runs at a time.
    of : tuple
        All that the result depends on: data, digests of settings, graphs, numbers.
    work : callable
    what : str
        What the progress counts; if it is not ``counted``, a description of the work.
    button : tuple of str, optional
        For work that starts by a click: the button's label, and the sentence below it.
    stop : ndarray of uint8, shape (1,), optional
        Set to 1 to stop work that listens to it, such as a single search.
    for_all : callable, optional
        Whether a result is kept for other visitors, too; only for work that depends on nobody's data.
    grace : float
        Seconds for which the page waits before it shows progress.
    """
    key = session.results.key_of(kind, *of)
    known: T | None = session.results.stored(key)
    if known is None and for_all is not None:
        known = job_queue.shared_result(key)
    if known is not None:
        return known
    job = start(kind, key, work, stop, button)
    if job is None:
        return None

    def keep(result: T) -> None:
        session.results.keep(key, result)
        if for_all is not None and for_all(result):
            job_queue.keep(key, result)

    kept: T | None = finished(kind, job, keep, what, counted, grace)
    return kept


def another_graph(
    kind: str, other: bn.Experiment, data: bn.Dataset, what: str, if_stopped: str, grace: float = GRACE
) -> bn.LearnedGraph | None:
    """Return the graph of another experiment, with a remark if its search was stopped."""
    stop, of = np.zeros(1, dtype=np.uint8), (data, other.graph_key)
    found = result_of(kind, of, lambda progress: other.learn(data, stop), what, counted=False, stop=stop, grace=grace)
    if found is not None and found.status == "stopped":
        stopped(kind, of, if_stopped)
    return found


def _pressed(kind: str, label: str, remark: str) -> bool:
    """Return whether the button that starts the work was just pressed; it is then replaced by the progress."""
    place = st.empty()
    with place.container():
        pressed = st.button(label, icon=":material/play_arrow:", key=Key.start(kind), type="primary")
        if not pressed:
            st.caption(remark)
    if pressed:
        place.empty()
    return pressed


def complete_result_of(
    kind: str,
    of: tuple[object, ...],
    work: Callable[[Progress], T],
    what: str,
    button: tuple[str, str] | None = None,
    for_all: Callable[[T], bool] | None = None,
) -> T | None:
    """Return the result of work, see ``result_of``; if it was stopped, the page offers to repeat it."""
    result = result_of(kind, of, work, what, button, for_all=for_all)
    if getattr(result, "status", "") == "stopped":
        stopped(kind, of, "Stopped early. The partial result is shown.")
    return result


def stopped(kind: str, of: tuple[object, ...], remark: str) -> None:
    """Report that work was stopped, and offer to repeat it."""
    st.warning(remark)
    if st.button("Run it again", icon=":material/replay:", key=Key.again(kind)):
        session.jobs.watch(kind, None)
        session.results.forget(session.results.key_of(kind, *of))
        session.jobs.request_again(kind)
        st.rerun()


def finished(
    kind: str,
    job: Job[Any],
    keep: Callable[[Any], object],
    what: str,
    counted: bool = True,
    grace: float = GRACE,
) -> Any:
    """Return the job's result, once it is kept; None while the page shows progress or an error.

    The page is drawn again whenever more is known so far. It may be interrupted at any time, so that the job is
    forgotten only after its result is kept.
    """
    n_known = len(job.so_far)
    if not job.wait(grace):
        in_progress(kind, partial(_counted if counted else _uncounted, what), n_known)
        return None
    if job.result is not None:
        keep(job.result)
    session.jobs.watch(kind, None)
    if not job.began:
        session.jobs.decline(kind, job.key)
        st.rerun()
    return None if failed(job) else job.result


def _after(warm: threading.Thread, work: Callable[[], T]) -> T:
    warm.join()  # concurrent compilation of the same code would take twice as long
    return work()


def failed(job: Job[object]) -> bool:
    """Return whether the job ended with an error; show it."""
    if job.error is None:
        return False
    if isinstance(job.error, ValueError):
        st.error(sentence(job.error))
    else:
        st.error(
            f"The run failed because of a defect in the program (error {job.error_id}; see the server's log). "
            "Your data and settings are unchanged. Change a setting and try again."
        )
    return True


@st.fragment(run_every=0.3)
def in_progress(kind: str, show: Callable[[Job[Any]], str], n_known: int = 0) -> None:
    """Show how far a job is, and a button that stops it; the page is drawn again once it has ended or knows more.

    Parameters
    ----------
    kind : str
    show : callable
        Shows the progress of a job that is at work, and returns the button's label; empty if there is nothing to stop.
    n_known : int
        How many of its results so far the page shows.
    """
    job = session.jobs.current(kind)
    if job is None or not job.running or len(job.so_far) > n_known:
        st.rerun()
    label = _in_line(job) or show(job)
    if label and st.button(label, icon=":material/stop:", key=Key.stop(kind)):
        job.stop()


def _in_line(job: Job[Any]) -> str:
    """Say that the job waits for a place, if it does, and return the label of the button that gives up."""
    number = job.in_line
    if not number:
        return ""
    most = counted_as(job.places.number, "run")
    said = f"Number {number} in line: the server works on {most} of this length at a time, in turns."
    if job.began and job.total:
        said += f" {job.done:,} of {job.total:,} are done."
    st.info(said, icon=WAITING)
    return _STOP if job.began else "Do not wait"


def _uncounted(what: str, job: Job[Any]) -> str:
    if compilation.progress():
        return ""
    if compilation.compiles():
        st.info("Compiling this search, only once on this machine …", icon=WAITING)
        return ""
    st.info(f"{what} for {duration(job.seconds)} …", icon=WAITING)
    return "Stop and keep the best so far"


def _counted(what: str, job: Job[Any]) -> str:
    if not job.done and compilation.progress():
        return ""
    share = job.done / job.total if job.total else 0.0
    left = f", about {duration(job.seconds * (1 - share) / share)} left" if share > 0.02 else ""
    st.progress(share, text=f"{job.done:,} of {job.total:,} {what}{left}")
    return _STOP
