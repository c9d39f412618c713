"""Export: everything in one menu, made from the view on the screen."""

import io
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.answers.verdict import NetworkView, with_methods
from bnengine.bootstrap.resampling_methods import TITLES
from bnengine.data.cell_text import csv_text
from bnengine.experiment.learning import python_real
from bnengine.graphs.layout import PICTURES
from bnengine.networks.formats import FORMATS, GRAPH_FORMATS
from bnengine.report.html_report import html_report, printed
from bnengine.report.paper_kit import paper_kit
from pages.network.run import Run
from pages.shared import in_use
from pages.shared.downloads import download_button, repeat
from pages.shared.format import escaped, short
from pages.shared.keys import Key
from pages.shared.run import link
from pages.shared.state import persistent
from pages.shared.widgets.choice import tabs

_SECTIONS = {"view": "This view", "formats": "For other programs", "code": "Code", "session": "Link and session"}
_GRAPHS = {"graphml": "GraphML", "dot": "DOT", "json": "JSON", "adjacency.csv": "Matrix, CSV"}
_NETWORKS = {"bif": "BIF", "bifxml": "BIFXML", "net": "NET", "xdsl": "XDSL"}
_MIME = {
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
    "png": "image/png",
    "adjacency.csv": "text/csv",
    "json": "application/json",
}
_MOST_CELLS = 2_000_000  # probabilities; more take too long to write while a person waits


def menu(run: Run, view: NetworkView) -> None:
    """Draw the menu; each file is written when it is asked for."""
    with st.popover("Export", icon=":material/download:"):
        chosen = tabs("What", _SECTIONS, Key.TAKE)
        {"view": _view, "formats": _formats, "code": _code, "session": _session}[chosen](run, view)


def _view(run: Run, view: NetworkView) -> None:
    """Offer the picture, the edges, the report and the paper kit."""
    if run.real is None:
        st.warning(
            "Which edges are real is not known yet; files made now leave it out.", icon=":material/hourglass_top:"
        )
    elif missing := [TITLES[key] for key in run.experiment.methods_run if key not in run.study.ensembles]:
        st.caption(f"Not learned yet, and left out of files made now: {' and '.join(missing)}.")
    result, choices = (run.study, {"kind": run.experiment.kind}) if view.name == "naive" else (view, {})
    _group(
        "Picture", {one: one.upper() for one in PICTURES}, {}, "network", lambda one: printed(result, one, **choices)
    )
    st.markdown("**Edges, report**")
    with st.container(horizontal=True, gap="small"):
        download_button("Edges (CSV)", lambda: csv_text(edges_of(run, view)), "edges.csv", "text/csv")
        about = "Findings, figures, every edge, settings and script in one file to read, print and send."
        download_button("Report (HTML)", lambda: report(run, view), "report.html", "text/html", about)
    about = (
        "Pictures as SVG and PDF, tables as CSV, a methods paragraph with its references, the report, and scripts in "
        "Python and R. It opens here again as a session."
    )
    st.markdown("**Paper kit**", help=about)
    file = None
    if run.experiment.data.source == "file":
        ticked = st.checkbox(
            "With my data", **persistent(Key.KIT_DATA), help="Your file as it is, all rows and sheets."
        )
        file = in_use.uploaded_file(run.experiment.data) if ticked else None
    kit = partial(kit_of, run, view, file)
    download_button("Paper kit (ZIP)", kit, "paper_kit.zip", "application/zip")


def edges_of(run: Run, view: NetworkView) -> pd.DataFrame:
    """Return the edges of the view as the file has them: verdict, both numbers, direction, strength, every method."""
    if view.name == "naive":
        return run.study.edge_table(run.experiment.kind)
    return with_methods(view.table(), run.study)


def report(run: Run, view: NetworkView) -> str:
    """Write the report about the view."""
    return html_report(run.experiment, run.data, run.study, run.real, view)


def kit_of(run: Run, view: NetworkView, file: bytes | None) -> bytes:
    """Pack the paper kit about the view."""
    return paper_kit(run.experiment, run.data, run.study, run.real, view, file)


def _formats(run: Run, view: NetworkView) -> None:
    """Offer the graph, and the network with probabilities."""
    _group("Graph with its numbers", _GRAPHS, GRAPH_FORMATS, "network", partial(graph_file, run, view))
    if refused := _refused(run.rows, view.edges):
        st.caption(f"{refused} Files with probabilities are not offered.")
        return
    _group("Network with probabilities", _NETWORKS, FORMATS, "network", partial(network_file, run, view))
    st.caption(
        "These formats know arrows only: a line gets the direction of the best-scoring graph. Probabilities: posterior "
        f"means with an equivalent sample size of {short(run.experiment.prediction.ess)}, as *Predict* shows them of "
        "the best-scoring graph. Names are changed to what other programs read (≤5 to le_5); read from BIF here, they "
        "are the original ones."
    )


def graph_file(run: Run, view: NetworkView, suffix: str) -> bytes:
    """Write the view's edges as they are drawn, each with its line of the table of edges; JSON says where from."""
    buffer = io.BytesIO()
    bn.write_graph(view.names, view.table(), buffer, suffix)
    if suffix != "json":
        return buffer.getvalue()
    about = {"view": view.name, "experiment": run.experiment.to_dict(), "version": bn.__version__}
    return json.dumps(json.loads(buffer.getvalue()) | {"graph": about}, indent=2, ensure_ascii=False).encode()


def network_file(run: Run, view: NetworkView, suffix: str) -> bytes:
    """Write the view's edges with the probabilities that Predict would show of them."""
    buffer = io.BytesIO()
    network = bn.prediction.fit_drawn(run.data, view.edges, run.experiment.prediction.ess)
    bn.write_network(network, buffer, suffix)
    return buffer.getvalue()


def _refused(data: bn.Dataset, edges: list[tuple[str, str]]) -> str:
    """Return why the network cannot be written with its probabilities; empty if it can."""
    try:
        n_parameters = bn.teaching.n_parameters(data, edges)
    except ValueError as error:
        return f"{escaped(str(error))}."
    return "" if n_parameters <= _MOST_CELLS else f"The network has {n_parameters:,} free parameters."


def _group(
    title: str, labels: dict[str, str], helps: dict[str, Any], stem: str, content: Callable[[str], bytes]
) -> None:
    st.markdown(f"**{title}**")
    with st.container(horizontal=True, gap="small"):
        for suffix, label in labels.items():
            about = f"{helps[suffix][0].upper()}{helps[suffix][1:]}." if suffix in helps else None
            mime = _MIME.get(suffix, "application/octet-stream")
            download_button(label, partial(content, suffix), f"{stem}.{suffix}", mime, about)


def _code(run: Run, _view: NetworkView) -> None:
    """Show what gives the same results without the pages."""
    noise = ", noise=noise" if run.found.noise is not None else ""
    given = f"study, posterior, method={run.method!r}, constraints=bn.{run.experiment.constraints!r}, data=data{noise}"
    code = run.experiment.python() + python_real(run.experiment, run.data, bool(noise))
    code += f"print(bn.verdict({given}).table())\n"
    repeat(code, "confidence", bn.settings.r_script(run.experiment))


def _session(run: Run, view: NetworkView) -> None:
    """Offer the link, which opens this view, and the session."""
    link.share_control()
