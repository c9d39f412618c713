"""A session as one file: saved from the sidebar, opened there and wherever data are uploaded."""

from collections.abc import Callable
from functools import partial

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine._core.names import bounded_name
from bnengine.experiment.r_script import TREATED
from bnengine.experiment.session_file import opened
from pages._shared import session
from pages._shared.format import escaped, sentence
from pages._shared.session import Key

_Results = Callable[[], tuple[bn.LearnedGraph | None, dict[str, bn.Ensemble]]]


def save_control(experiment: bn.Experiment) -> None:
    """The button that saves the session; the data are in it only if the person says so."""
    data, file = None, None
    if experiment.data.source == "file" and session.files.awaited() is None:
        with_data = st.checkbox(
            "Include my data", key=Key.WITH_DATA, help="Your file as it is, every row and sheet of it."
        )
        if with_data:
            data, file = session.data.dataset()[0], session.data.uploaded_file(experiment.data)
    st.download_button(
        "Save the session (ZIP)",
        partial(content, experiment, session.results.finder(experiment), file, data),
        "session.zip",
        "application/zip",
        on_click="ignore",
        key=Key.download("session.zip"),
        help="Settings, tables of the results so far, and scripts in Python and R; opens here again.",
    )


def content(experiment: bn.Experiment, results: _Results, file: bytes | None, data: bn.Dataset | None) -> bytes:
    """The file's content, with the results there are when it is asked for."""
    tables = {} if data is None else {TREATED.removesuffix(".csv"): data.to_frame()}
    graph, ensembles = results()
    if graph is not None:
        tables["learned_edges"] = pd.DataFrame(graph.edges, columns=["parent", "child"])
    if graph is not None and ensembles:
        study = bn.Study(graph, ensembles)
        tables |= {"table1": study.table1().reset_index(), "edge_confidence": study.edge_table(experiment.kind)}
    return bn.SessionFile(experiment, None, tables, file).to_bytes()


def open_file(name: str, raw: bytes, apply: Callable[[bn.Experiment], None]) -> None:
    """Take settings, and the data if they are there, from a session or a file of settings; say what is wrong with it.

    Call it before the widgets are drawn, or from a callback.
    """
    try:
        found = opened(raw, read=False)
    except ValueError as error:
        session.settings.set_remark(
            f"{escaped(bounded_name(name))}: {sentence(str(error))} Your settings are unchanged."
        )
        return
    if found.file is not None:
        session.data.keep_last(session.data.CONTENTS, found.experiment.data.fingerprint, found.file)
    apply(found.experiment)
