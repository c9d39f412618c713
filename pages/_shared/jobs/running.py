"""Runs work in background jobs: starts it, shows how far it is, keeps the result."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from pages._shared import session
from pages._shared.format import duration
from pages._shared.jobs import warming
from pages._shared.jobs.background import Job, Progress
from pages._shared.session import Key

T = TypeVar("T")

#: Marks the words of a page that waits for work whose progress is not counted.
WAITING = ":material/hourglass_top:"

#: Work predicted to be shorter starts by itself; longer work waits for a click.
PATIENCE = 8.0  # seconds
#: How long a page waits for a job before it shows progress instead: short jobs never flicker.
GRACE = 1.5  # seconds


def worked_out(
    kind: str,
    key: str,
    work: Callable[[Progress], T],
    button: str,
    remark: str,
    what: str,
    counted: bool = True,
    at_once: bool = False,
) -> T | None:
    """What a button starts, from the session or from a job; None until it is there.

    Parameters
    ----------
    kind : str
        One job of a kind runs at a time.
    key : str
        A digest of everything that the result depends on.
    button, remark : str
        The button's label, and the sentence below it.
    what : str
        What the progress counts; if it is not ``counted``, what goes on.
    at_once : bool
        Start without the button: for work of a second or two.
    """
    key = f"{kind} {key}"
    known: T | None = session.results.known(key)
    if known is not None:
        return known
    job = session.jobs.current(kind)
    if job is None or job.key != key:
        asked = at_once or session.jobs.again_requested(kind)
        if not (asked or _pressed(kind, button, remark)):
            return None
        warm = warming.warm_up()
        job = Job(key, lambda tell: _after(warm, lambda: work(tell)))
        session.jobs.watch(kind, job)
    result: T | None = finished(kind, job, what, counted)
    if result is not None:
        session.results.keep(key, result)
    return result


def _pressed(kind: str, button: str, remark: str) -> bool:
    """Whether the button that starts the work was pressed just now; it then makes room for the progress."""
    place = st.empty()
    with place.container():
        pressed = st.button(button, icon=":material/play_arrow:", key=Key.start(kind), type="primary")
        if not pressed:
            st.caption(remark)
    if pressed:
        place.empty()
    return pressed


def at_once(kind: str, key: str, work: Callable[[Progress], T], what: str, seconds: float = 0.0) -> T | None:
    """Work of a second or so, started without a button; where it was stopped, the page says so and offers it again.

    Work predicted to take many ``seconds`` waits for a click, after all.
    """
    remark = f"Takes about {duration(seconds)}; it can be stopped, and what is done by then is shown."
    result = worked_out(kind, key, work, "Run", remark, what, at_once=seconds <= PATIENCE)
    if getattr(result, "status", "") == "stopped":
        stopped(kind, key, "Stopped. What was done by then is shown.")
    return result


def stopped(kind: str, key: str, remark: str) -> None:
    """Say that work was stopped, and offer to do it again."""
    st.warning(remark)
    if st.button("Run it again", icon=":material/replay:", key=Key.again(kind)):
        session.results.forget(f"{kind} {key}")
        session.jobs.request_again(kind)
        st.rerun()


def finished(kind: str, job: Job[Any], what: str, counted: bool = True) -> Any:
    """The job's result; None while the page shows how far it is, or what went wrong."""
    if not job.wait(GRACE):
        if counted:
            _progress(kind, what)
        else:
            _waiting(kind, what)
        return None
    session.jobs.watch(kind, None)
    return None if _failed(job) else job.result


def _after(warm: threading.Thread, work: Callable[[], T]) -> T:
    warm.join()  # compiling the same code twice at once would take twice as long
    return work()


def _failed(job: Job[object]) -> bool:
    """Whether the job ended in an error, which is then on the page."""
    if job.error is None:
        return False
    if isinstance(job.error, ValueError):
        st.error(str(job.error))
    else:
        st.error(f"The run failed ({type(job.error).__name__}). Change a setting and try again.")
    return True


@st.fragment(run_every=0.3)
def _waiting(kind: str, what: str) -> None:
    job = session.jobs.current(kind)
    if job is None or not job.running:
        st.rerun()
        return
    if warming.warm_up().is_alive():
        st.info(warming.COMPILING, icon=WAITING)
    else:
        st.info(f"{what} for {duration(job.seconds)} …", icon=WAITING)


@st.fragment(run_every=0.3)
def _progress(kind: str, what: str) -> None:
    job = session.jobs.current(kind)
    if job is None or not job.running:
        st.rerun()
        return
    share = job.done / job.total if job.total else 0.0
    left = f", about {duration(job.seconds * (1 - share) / share)} left" if share > 0.02 else ""
    st.progress(share, text=f"{job.done:,} of {job.total:,} {what}{left}")
    if st.button("Stop and keep what is done", icon=":material/stop:", key=Key.stop(kind)):
        job.stop()
