"""Reading an uploaded file in the background: in a process of its own, with progress and a way to stop it."""

from dataclasses import dataclass
from functools import partial

import streamlit as st

import bnengine as bn
from bnengine.data.reading import StoppedError
from bnengine.experiment.uploaded_table import UploadedTable, read_upload, sheets_of
from pages._shared import session
from pages._shared.format import escaped, sentence
from pages._shared.job_queue import Job, Progress
from pages._shared.jobs import running
from pages._shared.session import Key

KIND = "reading"


@dataclass(frozen=True)
class Read:
    """What reading a file gave: the table, or the problem."""

    sheets: tuple[tuple[str, int, int], ...]
    arrival: UploadedTable | None
    problem: str = ""
    stopped: bool = False


def read(content: bytes, wanted: bn.Recipe) -> UploadedTable | None:
    """Return the uploaded table, read as its recipe says.

    None while the page shows the progress, or why there is none.
    """
    known = session.data.uploaded_table(wanted)
    if known is not None:
        return known
    key = f"{wanted.name} {wanted.for_table!r}"
    job = session.jobs.current(KIND, key)
    if job is None or job.key != key:
        job = session.jobs.start(KIND, key, lambda progress: _read(content, wanted, progress), reads=True)
    if not job.wait(running.GRACE):
        running.in_progress(KIND, partial(_progress, wanted.name))
        return None
    found: Read | None = job.result
    if found is None:  # a defect, or nobody waited for a place
        session.jobs.watch(KIND, None)
        running.failed(job)
        return None
    session.files.keep_sheets(wanted, found.sheets)
    if found.arrival is None:
        _refusal(found)
    else:
        session.jobs.watch(KIND, None)
        session.data.keep_upload(wanted, content, found.arrival)
    return found.arrival


def goes_on() -> bool:
    """Return whether a file is being read."""
    job = session.jobs.current(KIND)
    return job is not None and job.running


def _read(content: bytes, wanted: bn.Recipe, progress: Progress) -> Read:
    sheets: tuple[tuple[str, int, int], ...] = ()
    try:
        sheets = sheets_of(content, wanted.name)
        return Read(sheets, read_upload(content, wanted, progress))
    except StoppedError:
        return Read(sheets, None, f"Reading {wanted.name} was stopped", stopped=True)
    except bn.DataError as error:
        return Read(sheets, None, str(error))


def _refusal(found: Read) -> None:
    """Show why there is no table; what was stopped may be read again."""
    said = f"{sentence(found.problem)} Your previous data are still in use."
    if not found.stopped:
        st.error(said, icon=":material/error:")
        return
    st.warning(said, icon=":material/stop_circle:")
    if st.button("Read it again", icon=":material/replay:", key=Key.again(KIND)):
        session.jobs.watch(KIND, None)
        st.rerun()


def _progress(name: str, job: Job[Read]) -> str:
    st.progress(job.done / job.total if job.total else 0.0, text=f"Reading {escaped(name)}")
    return "Stop reading"
