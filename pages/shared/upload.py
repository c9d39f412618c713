"""Uploaded files: chosen, read in a process of its own with progress and a way to stop it, and taken as the data."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.reading import StoppedError
from bnengine.data.reading_options import CHOICES, LIMITS
from bnengine.experiment.intake import Prepared, read_upload, sheets_of
from bnengine.settings import setting_of
from bnengine.text import LONGEST_NAME
from pages.shared import in_use, job_queue, jobs, show, state
from pages.shared.format import counted, escaped, sentence
from pages.shared.job_queue import Job, Progress
from pages.shared.keys import Key
from pages.shared.run import link, run_state
from pages.shared.state import persistent


def take(base: bn.Recipe, arrival: Prepared | None = None) -> None:
    """Change to other data, with the treatment suggested for them; the same data keep theirs."""
    now = in_use.recipe()
    if base.for_table == now.for_table:
        if base.name == now.name and in_use.is_chosen():
            return
        new = dataclasses.replace(now, name=base.name)
    else:
        awaited = in_use.claim(base) if base.source == "file" else None
        new = awaited or in_use.proposed_for(base, arrival)
        if awaited is None:
            run_state.reset_for_new_data(learning=base.source == "file" != now.source)
    in_use.set_recipe(new)
    st.rerun()


def choose_file() -> None:
    """Upload a file, and take its table."""
    file = st.file_uploader(
        "**Drop a table here**: CSV, Excel, OpenDocument, SPSS, Stata, SAS, Parquet, Feather, ARFF, up to 50 MB; or a "
        "saved session or settings.",
        key=Key.UPLOAD,
        max_upload_size=50,
        on_change=link.open_uploaded,
        help=LIMITS.sentence,
    )
    if file is not None and not link.is_saved(file.name, content := file.getvalue()):
        read_as_chosen(content, file.name)


def read_as_chosen(content: bytes, name: str) -> None:
    """Read a file as it was detected or as is chosen, say how, and take its table."""
    first = in_use.recipe_of_file(content, name)
    place = st.container(horizontal=True, vertical_alignment="center")
    with place.popover("How to read it", icon=":material/tune:"):
        sheets = in_use.sheets(first)
        base = reading_controls(first, [one for one in sheets if len(one[0]) <= LONGEST_NAME])
    arrival = read(content, base)
    if len(in_use.sheets(first)) != len(sheets):  # known since it was read: there is a choice among them
        st.rerun()
    if arrival is None:
        return
    with place:
        show.note(escaped(how_read(arrival.frame)), "how read")
    take(base, arrival)


_SHOWN = "reading shown"


def reading_controls(first: bn.Recipe, sheets: Sequence[tuple[str, int, int]]) -> bn.Recipe:
    """Draw the controls for how the file is read; they show how it was. Return the changed recipe."""
    now = {reading_key(name, first): getattr(first, name) for name in ("sheet", "header", *CHOICES)}
    state.latest(_SHOWN, now, lambda: state.put_all(now))  # also after a way back
    given: dict[str, Any] = {}
    if len(sheets) > 1:
        key, options = reading_key("sheet", first), ["", *(title for title, _, _ in sheets)]
        state.among(key, options, first.sheet if first.sheet in options else "")
        named = {title: f"{title} ({rows:,} × {columns:,})" for title, rows, columns in sheets if rows}
        named[""] = "The largest table"
        given["sheet"] = st.selectbox(
            "Sheet", options, format_func=lambda sheet: named.get(sheet, sheet), **persistent(key)
        )
    for name in ("header", *(("decimal", "cases") if sheets else CHOICES)):
        one, key = setting_of(bn.Recipe, name), reading_key(name, first)
        state.among(key, list(one.choices) or (True, False), getattr(first, name))
        widget = partial(st.selectbox, options=list(one.choices), format_func=dict(one.choices).__getitem__)
        given[name] = (widget if one.choices else st.checkbox)(one.label, **persistent(key), help=one.help)
    return dataclasses.replace(first, **given)


def reading_key(option: str, file: bn.Recipe) -> str:
    """Return the key of the widget for a reading option of a file."""
    return Key.of(Key.READING, option, file.fingerprint[:8])


def how_read(frame: pd.DataFrame) -> str:
    """Return the format of a file and the decisions made while reading it."""
    how = frame.attrs["reading"]
    shown = list(how.remarks[:4])
    if len(how.remarks) > len(shown):
        shown.append(counted(len(how.remarks) - len(shown), "more remark"))
    return "; ".join([f"Read as {how.form}", *shown]) + "."


# Reading in the background.

KIND = "reading"


@dataclass(frozen=True)
class Read:
    """What reading a file gave: the table, or the problem."""

    sheets: tuple[tuple[str, int, int], ...]
    arrival: Prepared | None
    problem: str = ""
    stopped: bool = False


def read(content: bytes, wanted: bn.Recipe) -> Prepared | None:
    """Return the uploaded table, read as its recipe says.

    None while the page shows the progress, or why there is none.
    """
    known = in_use.uploaded_table(wanted)
    if known is not None:
        return known
    key = f"{wanted.name} {wanted.for_table!r}"
    job = jobs.known(KIND, key)
    if job is None:
        job = jobs.begin(KIND, key, lambda progress: _read(content, wanted, progress), queue=job_queue.READING)
    if not job.wait(jobs.GRACE):
        jobs.in_progress(KIND, partial(_progress, wanted.name))
        return None
    found: Read | None = job.result
    if found is None:  # a defect, or nobody waited for a place
        jobs.watch(KIND, None)
        jobs.failed(job)
        return None
    in_use.keep_sheets(wanted, found.sheets)
    if found.arrival is None:
        _refusal(found)
    else:
        jobs.watch(KIND, None)
        in_use.keep_upload(wanted, content, found.arrival)
    return found.arrival


def goes_on() -> bool:
    """Return whether a file is being read."""
    job = jobs.current(KIND)
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
    kept = " Your previous data are still in use." if in_use.has_data() else ""
    message = f"{sentence(found.problem, as_is=True)}{kept}"
    if not found.stopped:
        st.error(message, icon=":material/error:")
        return
    st.warning(message, icon=":material/stop_circle:")
    if st.button("Read it again", icon=":material/replay:", key=Key.again(KIND)):
        jobs.run_again(KIND)


def _progress(name: str, job: Job[Read]) -> str:
    done, total = job.progress
    st.progress(done / total if total else 0.0, text=f"Reading {escaped(name)}")
    return "Stop reading"
