"""A session's background jobs, and which of them start only by a click."""

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from bnengine.typing import UInt8Array
from pages.shared import job_queue
from pages.shared.job_queue import Job, Progress
from pages.shared.session import session_lifetime, visits

T = TypeVar("T")
_JOBS, _AGAIN, _DECLINED = "jobs", "again", "declined"


def current(kind: str, key: str | None = None) -> Job[Any] | None:
    """Return the session's background job of that kind, or None.

    With a key, another tab's job of that kind and key is joined, or that of this page before it was loaded again.
    """
    jobs = _jobs()
    own: Job[Any] | None = jobs.get(kind)
    if key is None or (own is not None and own.key == key):
        return own
    for other in visits.others(_JOBS, jobs):
        job: Job[Any] | None = other.get(kind)
        if job is not None and job.key == key and not job.stopped and job.error is None:
            job.watchers[visits.session_name()] = session_lifetime.visitor()
            watch(kind, job)
            return job
    return own


def _jobs() -> dict[str, Job[Any] | None]:
    if _JOBS not in st.session_state:
        new: dict[str, Job[Any] | None] = {}
        st.session_state[_JOBS] = new
        visits.share(_JOBS, new, new.clear)
    return st.session_state[_JOBS]  # type: ignore[no-any-return]


def start(
    kind: str,
    key: str,
    work: Callable[[Progress], T],
    flag: UInt8Array | None = None,
    reads: bool = False,
    so_far: list[Any] | None = None,
) -> Job[T]:
    """Start work of a kind, which stops when all who watch it are gone.

    Work that ``reads`` a file has places of its own. It may add what it knows ``so_far``.
    """
    leases: list[session_lifetime.Lease] = []

    def ended() -> None:
        for lease in leases:
            lease.cancel()

    places = job_queue.READING if reads else job_queue.SHORT
    job = Job(key, work, flag, places, ended, visits.browser(), so_far)
    job.watchers[visits.session_name()] = session_lifetime.visitor()
    leases.append(session_lifetime.Lease(session_lifetime.UNWATCHED, job.stop, job.watched))
    if not job.running:
        ended()
    st.session_state.get(_DECLINED, {}).pop(kind, None)
    watch(kind, job)
    return job


def watch(kind: str, new: Job[Any] | None) -> None:
    """Watch a job, or none; the one of its kind that it replaces stops if nobody else watches it."""
    old = current(kind)
    if old is not None and old is not new:
        _leave(old)
    _jobs()[kind] = new


def _leave(job: Job[Any]) -> None:
    job.watchers.pop(visits.session_name(), None)
    if not job.watched():
        job.stop()


def end_all() -> None:
    """Stop all jobs and forget them."""
    for kind in list(st.session_state.setdefault(_JOBS, {})):
        watch(kind, None)


def decline(kind: str, key: str) -> None:
    """Remember not to start this work without a click."""
    st.session_state.setdefault(_DECLINED, {})[kind] = key


def declined(kind: str, key: str) -> bool:
    """Return whether this work is not to start without a click."""
    return bool(st.session_state.get(_DECLINED, {}).get(kind) == key)


def request_again(kind: str) -> None:
    """Request that work of that kind be repeated."""
    st.session_state[_AGAIN] = kind


def again_requested(kind: str) -> bool:
    """Return whether a repetition of that kind of work was requested; true once."""
    if st.session_state.get(_AGAIN) != kind:
        return False
    del st.session_state[_AGAIN]
    return True
