"""Downloads: the numbers behind a picture, the code that repeats a result, networks, the session as one file."""

import io
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.cell_text import csv_text
from bnengine.experiment.archives import opened
from bnengine.experiment.r_script import TREATED
from bnengine.networks.formats import FORMATS, GRAPH_FORMATS
from bnengine.text import bounded_name
from bnengine.typing import FloatArray
from pages.shared import in_use, results, settings
from pages.shared.format import escaped, sentence
from pages.shared.keys import Key


def download_button(
    label: str, content: str | Callable[[], str | bytes], file: str, mime: str, about: str | None = None
) -> None:
    """Draw a download button; pressing it does not run the page again."""
    st.download_button(label, content, file, mime, on_click="ignore", key=Key.download(file), help=about)


def csv_button(label: str, frame: pd.DataFrame, file: str) -> None:
    """Draw a button that downloads a table, which is written when it is pressed."""
    download_button(f"{label} (CSV)", partial(csv_text, frame), file, "text/csv")


def json_button(label: str, content: str, file: str) -> None:
    """Draw a button that downloads settings or a result."""
    download_button(f"{label} (JSON)", content, file, "application/json")


def report_button(write: Callable[[], str]) -> None:
    """Draw a button that downloads the report, which is written when it is pressed."""
    about = "Findings, figures, the network, every edge, settings and script in one file to read, print and send."
    download_button("Report (HTML)", write, "report.html", "text/html", about)


def take_away(
    *tables: tuple[str, pd.DataFrame, str],
    code: str = "",
    command: str = "",
    report: Callable[[], str] | None = None,
    r_code: str = "",
) -> None:
    """Draw a row of downloads, each with label, table and file name.

    The report, and the code that repeats it, if given.
    """
    with st.container(horizontal=True):
        for table in tables:
            csv_button(*table)
        if report is not None:
            report_button(report)
        if code:
            repeat_popover(code, command, r_code)


def repeat_popover(code: str, command: str = "", r_code: str = "") -> None:
    """Show what gives the same result without the pages: a command, if named, and Python; the nearest in R."""
    with st.popover("Repeat this"):
        if command:
            st.caption("On the command line, with the settings saved from the sidebar:")
            st.code(f"bnengine run experiment.json --as {command}", language="bash", wrap_lines=True)
            st.caption("In Python:")
        st.code(code if code.startswith("import") else f"import bnengine as bn\n\n{code}", language="python")
        if r_code:
            st.caption("The nearest in R (bnlearn), with what differs in its comments:")
            st.code(r_code, language="r")


# A network to take along: as a picture, as a graph with its confidences, with probabilities for other programs.

Edges = Sequence[tuple[str, str]]
Shares = FloatArray | None
_PICTURES = {"svg": "SVG", "pdf": "PDF", "png": "PNG"}
_GRAPHS = {"csv": "Edges, CSV", "adjacency.csv": "Matrix, CSV", "graphml": "GraphML", "dot": "DOT", "json": "JSON"}
_NETWORKS = {"bif": "BIF", "bifxml": "BIFXML", "net": "NET", "xdsl": "XDSL", "uai": "UAI"}
_MIME = {
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "png": "image/png",
    "csv": "text/csv",
    "adjacency.csv": "text/csv",
    "json": "application/json",
}
_ESS = 1.0
_MOST_CELLS = 2_000_000  # probabilities; more take too long to write while a person waits


def take_network_along(
    data: bn.Dataset,
    edges: Edges,
    stem: str,
    strength: Shares = None,
    direction: Shares = None,
    about: dict[str, Any] | None = None,
) -> None:
    """Draw a menu of files, each written when it is asked for.

    Parameters
    ----------
    data : Dataset
        Probabilities are fitted to it.
    edges : sequence of (parent, child)
    stem : str
        The files' name, without suffix; unique on the page.
    strength, direction : ndarray of float, shape (V, V), optional
        Confidences, as for ``bn.write_graph``.
    about : dict, optional
        What the JSON file also holds, such as the settings.
    """
    graph = partial(graph_file, data.names, edges, strength, direction, about or {})
    with st.popover("Take the network along", icon=":material/download:"):
        _group("Picture of the whole network", _PICTURES, GRAPH_FORMATS, stem, graph)
        _group("Graph" if strength is None else "Graph with confidences", _GRAPHS, GRAPH_FORMATS, stem, graph)
        refused = _refused(data, edges)
        if refused:
            st.caption(f"{refused} Files with probabilities are not offered.")
            return
        _group("Network with probabilities", _NETWORKS, FORMATS, stem, partial(network_file, data, edges))
        st.caption(
            f"Probabilities: posterior means with an equivalent sample size of {_ESS:g}. Names that a format cannot "
            "hold are changed in the file."
        )


def _group(
    title: str, labels: dict[str, str], helps: dict[str, str], stem: str, content: Callable[[str], bytes]
) -> None:
    st.markdown(f"**{title}**")
    with st.container(horizontal=True, gap="small"):
        for suffix, label in labels.items():
            file, mime = f"{stem}.{suffix}", _MIME.get(suffix, "application/octet-stream")
            about = f"{helps[suffix][0].upper()}{helps[suffix][1:]}."
            download_button(label, partial(content, suffix), file, mime, about)


def graph_file(
    names: Sequence[str], edges: Edges, strength: Shares, direction: Shares, about: dict[str, Any], suffix: str
) -> bytes:
    """Return the graph in the format of that suffix; with what the file is about, if it is JSON."""
    buffer = io.BytesIO()
    bn.write_graph(names, edges, buffer, suffix, strength, direction)
    if suffix != "json":
        return buffer.getvalue()
    made = json.loads(buffer.getvalue())
    return json.dumps({**made, "graph": {**about, "version": bn.__version__}}, indent=2, ensure_ascii=False).encode()


def network_file(data: bn.Dataset, edges: Edges, suffix: str) -> bytes:
    """Return the network fitted to the data, in the format of that suffix."""
    buffer = io.BytesIO()
    bn.write_network(bn.fit(data, list(edges), ess=_ESS), buffer, suffix)
    return buffer.getvalue()


def _refused(data: bn.Dataset, edges: Edges) -> str:
    """Return why the network cannot be written with its probabilities; empty if it can."""
    try:
        n_parameters = bn.n_parameters(data, list(edges))
    except ValueError as error:
        return f"{escaped(str(error))}."
    return "" if n_parameters <= _MOST_CELLS else f"The network has {n_parameters:,} free parameters."


# A session as one file: saved from the sidebar, opened there and wherever data are uploaded.

_Results = Callable[[], tuple[bn.LearnedGraph | None, dict[str, bn.Ensemble]]]


def save_control(experiment: bn.Experiment) -> None:
    """Draw the button that saves the session; the data are in it only if the person says so."""
    used, _ = in_use.dataset()
    data, file = None, None
    if experiment.data.source == "file" and in_use.awaited() is None:
        with_data = st.checkbox(
            "Include my data", key=Key.WITH_DATA, help="Your file as it is, every row and sheet of it."
        )
        if with_data:
            data, file = used, in_use.uploaded_file(experiment.data)
    written = partial(content, experiment, results.finder(experiment, used), file, data)
    about = "Settings, tables of the results so far, and scripts in Python and R; opens here again."
    download_button("Save the session (ZIP)", written, "session.zip", "application/zip", about)


def content(experiment: bn.Experiment, results: _Results, file: bytes | None, data: bn.Dataset | None) -> bytes:
    """Return the file's content, with the results there are when it is asked for."""
    tables = {} if data is None else {TREATED.removesuffix(".csv"): data.to_frame()}
    graph, ensembles = results()
    if graph is not None:
        tables["learned_edges"] = pd.DataFrame(graph.edges, columns=["parent", "child"])
    if graph is not None and ensembles:
        study = bn.Study(graph, ensembles)
        tables |= {"table1": study.table1().reset_index(), "edge_confidence": study.edge_table(experiment.kind)}
    return bn.settings.SessionFile(experiment, None, tables, file).to_bytes()


def open_file(name: str, raw: bytes) -> None:
    """Take settings, and the data if they are there, from a session or a file of settings; say what is wrong with it.

    Call it before the widgets are drawn, or from a callback.
    """
    try:
        found = opened(raw, read=False)
    except ValueError as error:
        settings.set_remark(
            f"{escaped(bounded_name(name))}: {sentence(error, as_is=True)} Your settings are unchanged."
        )
        return
    if found.file is not None:
        in_use.keep_file(found.experiment.data, found.file)
    settings.apply(found.experiment)
    settings.set_remark(found.remark)
