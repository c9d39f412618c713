"""A session's background jobs, and the user's requests to run them."""

from typing import Any

import streamlit as st

from pages._shared.jobs.background import Job

_JOBS, _REQUESTED, _AGAIN = "jobs", "run_requested", "again"


def current(kind: str) -> Job[Any] | None:
    """The session's background job of that kind, or None."""
    return st.session_state.setdefault(_JOBS, {}).get(kind)  # type: ignore[no-any-return]


def watch(kind: str, new: Job[Any] | None) -> None:
    """Watch a job, or none; stop the one of its kind that it replaces."""
    old = current(kind)
    if old is not None and old is not new:
        old.stop()
    st.session_state[_JOBS][kind] = new


def request_run() -> None:
    """Start the next run however long it takes."""
    st.session_state[_REQUESTED] = True


def run_requested() -> bool:
    """Whether the next run was requested; true once."""
    return bool(st.session_state.pop(_REQUESTED, False))


def request_again(kind: str) -> None:
    """Request that work of that kind be repeated."""
    st.session_state[_AGAIN] = kind


def again_requested(kind: str) -> bool:
    """Whether a repetition of that kind of work was requested; true once."""
    if st.session_state.get(_AGAIN) != kind:
        return False
    del st.session_state[_AGAIN]
    return True
