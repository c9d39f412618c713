"""Work in the background of a page: started, joined, its progress shown, stopped, its result kept."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import streamlit as st

from bnengine.typing import UInt8Array
from pages.shared import compilation, job_queue, results, state, visitors
from pages.shared.format import counted as counted_as
from pages.shared.format import duration, sentence
from pages.shared.job_queue import Job, Progress
from pages.shared.keys import Key

T = TypeVar("T")

#: Icon of a page that waits for work whose progress is not counted.
WAITING = ":material/hourglass_top:"
#: Time a page waits for a job before it shows progress, so that short jobs do not flicker.
GRACE = 1.5  # seconds
_STOP = "Stop and keep the partial result"


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
    so_far: list[T] | None = None,
) -> T | None:
    """Return the result of work, known or from a job; None until it is available.

    Parameters
    ----------
    kind : str
        One job of a kind runs at a time.
    of : tuple
        All that the result depends on: data, digests of settings, graphs, numbers.
    work : callable
    what : str
        What the progress counts, and after a semicolon what follows it; if it is not ``counted``, a description of the
        work.
    button : tuple of str, optional
        For work that starts by a click: the button's label, and the sentence below it.
    stop : ndarray of uint8, shape (1,), optional
        Set to 1 to stop work that listens to it, such as a single search.
    for_all : callable, optional
        Whether a result is kept for other visitors, too; only for work that depends on nobody's data.
    grace : float
        Seconds for which the page waits before it shows progress.
    so_far : list, optional
        What the work adds what it knows to; the last is returned until there is more.
    """
    key = results.key_of(kind, *of)
    known: T | None = results.stored(key)
    if known is None and for_all is not None:
        known = results.FOR_ALL.get(key)
    if known is not None:
        return known
    job = start(kind, key, work, stop, button, so_far)
    if job is None:
        return None

    def keep(result: T) -> None:
        results.keep(key, result)
        if for_all is not None and for_all(result):
            results.FOR_ALL.keep(key, result)

    kept: T | None = finished(kind, job, keep, what, counted, grace)
    return job.so_far[-1] if kept is None and job.so_far else kept


def complete_result_of(
    kind: str, of: tuple[object, ...], work: Callable[[Progress], T], what: str, button: tuple[str, str] | None = None
) -> T | None:
    """Return the result of work, see ``result_of``; if it was stopped, the page offers to repeat it."""
    result = result_of(kind, of, work, what, button)
    if getattr(result, "status", "") == "stopped":
        offer_again(kind, of, "Stopped early. The partial result is shown.")
    return result


def offer_again(kind: str, of: tuple[object, ...], remark: str, label: str = "Run it again") -> None:
    """Report that work was stopped, and offer to repeat it."""
    row = st.container(horizontal=True, vertical_alignment="center")
    row.warning(remark)
    if row.button(label, icon=":material/replay:", key=Key.again(kind)):
        results.forget(results.key_of(kind, *of))
        run_again(kind)


def run_again(kind: str) -> None:
    """Draw the page again, which then begins this kind of work again, whatever other tabs have of it."""
    watch(kind, None)
    state.put(_AGAIN, kind)
    st.rerun()


# The session's jobs, by their kinds.

_JOBS, _AGAIN, _DECLINED = "jobs", "again", "declined"


def start(
    kind: str,
    key: str,
    work: Callable[[Progress], T],
    stop: UInt8Array | None = None,
    button: tuple[str, str] | None = None,
    so_far: list[Any] | None = None,
) -> Job[T] | None:
    """Return the job of a kind and key, or start it; None while it waits for a click.

    It starts by itself unless it has a ``button``, given by its label and the sentence below it. What was stopped
    before it began starts only by a click.
    """
    job = known(kind, key)
    if job is not None:
        return job
    if state.get(_DECLINED, {}).get(kind) == key and button is None:
        button = "Run", "It was stopped before it began."
    if state.get(_AGAIN) != kind and button is not None and not _pressed(kind, *button):
        return None
    warm = compilation.warm_up()

    def after(progress: Progress) -> T:
        warm.join()  # concurrent compilation of the same code would take twice as long
        return work(progress)

    return begin(kind, key, after, stop, so_far=so_far)


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


def begin(
    kind: str,
    key: str,
    work: Callable[[Progress], T],
    stop: UInt8Array | None = None,
    queue: job_queue.Queue | None = None,
    so_far: list[Any] | None = None,
) -> Job[T]:
    """Start work of a kind, which stops when all who watch it are gone."""
    job = Job(key, work, stop, queue or job_queue.WORK, visitors.browser(), so_far)
    _join(job)
    leaving = visitors.SessionWatch(visitors.UNWATCHED, job.abandon, job.is_watched)
    job.future.add_done_callback(lambda _: leaving.cancel())
    state.get(_DECLINED, {}).pop(kind, None)
    if state.get(_AGAIN) == kind:
        state.pop(_AGAIN)
    watch(kind, job)
    return job


def _join(job: Job[Any]) -> None:
    job.watchers[visitors.session_name()] = visitors.is_here()


def current(kind: str) -> Job[Any] | None:
    """Return the session's background job of that kind, or None."""
    return _jobs().get(kind)


def known(kind: str, key: str) -> Job[Any] | None:
    """Return the job of a kind and key; None if there is none, or it is to run again.

    Another tab's is joined, or that of this page before it was loaded again; also one that was stopped, whose partial
    result is then this tab's as well.
    """
    own = current(kind)
    if state.get(_AGAIN) == kind:
        return None
    if own is not None and own.key == key:
        return own
    for other in visitors.others(_JOBS, _jobs()):
        job: Job[Any] | None = other.get(kind)
        if job is not None and job.key == key and job.error is None and not job.abandoned and job.began >= job.stopped:
            _join(job)
            watch(kind, job)
            return job
    return None


def _jobs() -> dict[str, Job[Any] | None]:
    return visitors.store(_JOBS, dict)


def watch(kind: str, new: Job[Any] | None) -> None:
    """Watch a job, or none; the one of its kind that it replaces stops if nobody else watches it."""
    old = current(kind)
    if old is not None and old is not new:
        old.watchers.pop(visitors.session_name(), None)
        if not old.is_watched():
            old.abandon()
    _jobs()[kind] = new


def end_all() -> None:
    """Stop all jobs and forget them."""
    for kind in list(_jobs()):
        watch(kind, None)


def finished(
    kind: str, job: Job[Any], keep: Callable[[Any], object], what: str, counted: bool = True, grace: float = GRACE
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
    watch(kind, None)
    if not job.began and job.error is None:
        state.get_or_put(_DECLINED, {})[kind] = job.key
        st.rerun()
    return None if failed(job) else job.result


def failed(job: Job[Any]) -> bool:
    """Return whether the job ended with an error; show it."""
    if job.error is None:
        return False
    if isinstance(job.error, ValueError):
        st.error(sentence(_IN_PYTHON.sub("on the Data page, under Missing cells", str(job.error))))
    else:
        st.error(
            f"The run failed because of a defect in the program (error {job.error_id}; see the server's log). "
            "Your data and settings are unchanged. Change a setting and try again."
        )
    return True


#: What an error tells a programmer to do about missing cells.
_IN_PYTHON = re.compile(r"(with )?data\.with_missing\('\w+'\)")


# Progress, and a button that stops the work.


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
    job = current(kind)
    if job is None or not job.running or len(job.so_far) > n_known:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        label = _in_line(job) or show(job)
        if label and st.button(label, icon=":material/stop:", key=Key.stop(kind)):
            job.stop()


def _in_line(job: Job[Any]) -> str:
    """Say that the job waits for a place, if it does, and return the label of the button that gives up."""
    number = job.in_line
    if not number:
        return ""
    most = counted_as(job.queue.places, "run")
    text = f"Number {number} in line: the server works on {most} at a time, in turns."
    done, total = job.progress
    if job.began and total:
        text += f" {done:,} of {total:,} are done."
    st.info(text, icon=WAITING)
    return _STOP if job.began else "Do not wait"


def _uncounted(what: str, job: Job[Any]) -> str:
    if compilation.progress():
        return ""
    st.info(f"{what} for {duration(job.seconds)} …", icon=WAITING)
    return "Stop and keep the best so far"


def _counted(what: str, job: Job[Any]) -> str:
    done, total = job.progress
    if not done and compilation.progress():
        return ""
    if not total:
        st.progress(0.0, text="Starting …")
        return _STOP
    share = done / total
    left = f", about {duration(job.seconds * (1 - share) / share)} left" if done else ""
    what, then, follows = what.partition(";")
    st.progress(share, text=f"{done:,} of {total:,} {what}{left}{then}{follows}")
    return _STOP
