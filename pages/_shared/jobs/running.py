"""Run work in background jobs: start it, show its progress, keep the result."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np
import streamlit as st

import bnengine as bn
from bnengine.typing import UInt8Array
from pages._shared import job_queue, session
from pages._shared.format import counted as counted_as
from pages._shared.format import duration, sentence
from pages._shared.job_queue import Job, Progress
from pages._shared.jobs import compilation
from pages._shared.session import Key

T = TypeVar("T")

#: Icon of a page that waits for work whose progress is not counted.
WAITING = ":material/hourglass_top:"

#: Work predicted to take less starts by itself; longer work waits for a click.
PATIENCE = 10.0  # seconds; of processor time where the work is not predicted but begun
#: Time a page waits for a job before it shows progress, so that short jobs do not flicker.
GRACE = 1.5  # seconds
_STOP = "Stop and keep the partial result"


def result_on_click(
    kind: str,
    of: tuple[object, ...],
    work: Callable[[Progress], T],
    button: str,
    remark: str,
    what: str,
    counted: bool = True,
    at_once: bool = False,
    long: bool = False,
    stop: UInt8Array | None = None,
    for_all: Callable[[T], bool] | None = None,
    grace: float = GRACE,
) -> T | None:
    """Return the result of work started by a button, from the session or from a job; None until it is available.

    Parameters
    ----------
    kind : str
        One job of a kind runs at a time.
    of : tuple
        All that the result depends on: data, digests of settings, graphs, numbers.
    button, remark : str
        The button's label, and the sentence below it.
    what : str
        What the progress counts; if it is not ``counted``, a description of the work.
    at_once : bool
        Start without the button, for work of a second or two.
    long : bool
        Stand in the line of long work even if it starts without the button.
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
    job = session.jobs.current(kind, key)
    if job is None or job.key != key:
        again = session.jobs.again_requested(kind)
        by_itself = at_once and not session.jobs.declined(kind, key)
        if not (by_itself or again or pressed(kind, button, remark)):
            return None
        warm = compilation.warm_up()
        job = session.jobs.start(
            kind, key, lambda progress: _after(warm, lambda: work(progress)), stop, clicked=not at_once, long=long
        )

    def keep(result: T) -> None:
        session.results.keep(key, result)
        if for_all is not None and for_all(result):
            job_queue.keep(key, result)

    kept: T | None = finished(kind, job, keep, what, counted, grace)
    return kept


def another_graph(
    kind: str, other: bn.Experiment, data: bn.Dataset, seconds: float, texts: tuple[str, str, str], grace: float = GRACE
) -> bn.LearnedGraph | None:
    """Return the graph of another experiment; started by a button, with its label, remark and progress, if slow."""
    stop = np.zeros(1, dtype=np.uint8)
    return result_on_click(
        kind,
        (data, other.graph_key),
        lambda progress: other.learn(data, stop),
        *texts,
        counted=False,
        at_once=seconds <= PATIENCE,
        stop=stop,
        grace=grace,
    )


def pressed(kind: str, button: str, remark: str) -> bool:
    """Return whether the button that starts the work was just pressed; it is then replaced by the progress."""
    place = st.empty()
    with place.container():
        pressed = st.button(button, icon=":material/play_arrow:", key=Key.start(kind), type="primary")
        if not pressed:
            st.caption(remark)
    if pressed:
        place.empty()
    return pressed


def result_at_once(
    kind: str, of: tuple[object, ...], work: Callable[[Progress], T], what: str, seconds: float = 0.0
) -> T | None:
    """Return the result of short work, started without a button; if it was stopped, the page offers to repeat it.

    Work predicted to take many ``seconds`` waits for a click.
    """
    remark = f"Takes about {duration(seconds)}. You can stop it at any time and keep the partial result."
    return complete_result_on_click(kind, of, work, "Run", remark, what, seconds <= PATIENCE)


def complete_result_on_click(
    kind: str,
    of: tuple[object, ...],
    work: Callable[[Progress], T],
    button: str,
    remark: str,
    what: str,
    at_once: bool = False,
    for_all: Callable[[T], bool] | None = None,
) -> T | None:
    """Return the result of work started by a button, or at once; if it was stopped, the page offers to repeat it."""
    result = result_on_click(kind, of, work, button, remark, what, at_once=at_once, for_all=for_all)
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
    said = f"Number {number} in line: the server works on {most} at a time, in turns."
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
