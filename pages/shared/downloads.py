"""Downloads: the numbers behind a picture, the code that repeats a result, networks, the session as one file."""

import mimetypes
from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.csv_export import csv_text
from bnengine.experiment.archives import opened
from bnengine.experiment.r_script import TREATED
from bnengine.text import bounded_name
from pages.shared import in_use, state
from pages.shared.format import escaped, sentence
from pages.shared.keys import Key
from pages.shared.run import run_state


def download_button(label: str, content: str | Callable[[], str | bytes], file: str, about: str | None = None) -> None:
    """Draw a download button; pressing it does not run the page again."""
    mime = mimetypes.guess_type(file)[0] or "application/octet-stream"
    st.download_button(label, content, file, mime, on_click="ignore", key=Key.download(file), help=about)


def csv_button(label: str, frame: pd.DataFrame, file: str) -> None:
    """Draw a button that downloads a table, which is written when it is pressed."""
    download_button(f"{label} (CSV)", partial(csv_text, frame), file)


def take_away(*tables: tuple[str, pd.DataFrame, str], code: str = "", command: str = "") -> None:
    """Draw a row of downloads, each with label, table and file name, and the code that repeats them, if given."""
    with st.container(horizontal=True):
        for table in tables:
            csv_button(*table)
        if code:
            with st.popover("Repeat this"):
                repeat(code, command)


def repeat(code: str, command: str = "", r_code: str = "") -> None:
    """Show what gives the same result without the pages: a command, if named, and Python; the nearest in R."""
    if command:
        st.caption("On the command line, with the settings as saved here:")
        st.code(f"bnengine run experiment.json --as {command}", language="bash", wrap_lines=True)
        st.caption("In Python:")
    st.code(code if code.startswith("import") else f"import bnengine as bn\n\n{code}", language="python")
    if r_code:
        st.caption("The nearest in R (bnlearn), with what differs in its comments:")
        st.code(r_code, language="r")


# A session as one file: saved from the menu, opened there and wherever data are uploaded.


def save_control(experiment: bn.Experiment) -> None:
    """Draw the button that saves the session; the data are in it only if the person says so."""
    file = own_file(experiment, Key.WITH_DATA)
    written = partial(content, experiment, file, in_use.dataset()[0] if file else None)
    about = "Settings, and scripts in Python and R; opens here again."
    label = "Save the session with my data (ZIP)" if file else "Save the session (ZIP)"
    download_button(label, written, "session.zip", about)


def own_file(experiment: bn.Experiment, key: str) -> bytes | None:
    """Ask whether the visitor's file, if there is one, goes into what is downloaded, and return it then."""
    if experiment.data.source != "file" or in_use.awaited() is not None:
        return None
    about = "Your file as it is, every row and sheet of it."
    wanted = st.checkbox("Include my data", **state.persistent(key), help=about)
    return in_use.uploaded_file(experiment.data) if wanted else None


def content(experiment: bn.Experiment, file: bytes | None, data: bn.Dataset | None) -> bytes:
    """Return the session's file; what was found is found again from it."""
    tables = {} if data is None else {TREATED.removesuffix(".csv"): data.to_frame()}
    return bn.settings.SessionFile(experiment, file, tables, treated=data).to_bytes()


def open_file(name: str, raw: bytes) -> None:
    """Take settings, and the data if they are there, from a session or a file of settings; say what is wrong with it.

    Call it before the widgets are drawn, or from a callback.
    """
    try:
        found = opened(raw)
    except ValueError as error:
        run_state.set_remark(
            f"{escaped(bounded_name(name))}: {sentence(error, as_is=True)} Your settings are unchanged."
        )
        return
    if found.file is not None:
        in_use.keep_file(found.experiment.data, found.file)
    run_state.open_experiment(found.experiment, found.remark)
