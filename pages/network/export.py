"""Export: everything in one menu, made from the view on the screen."""

import io
import json
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.answers.views import NetworkView, with_methods
from bnengine.bootstrap.resampling_methods import TITLES
from bnengine.data.csv_export import csv_text
from bnengine.graphs.pictures import PICTURES
from bnengine.networks.formats import FORMATS, GRAPH_FORMATS
from bnengine.report.html_report import html_report, printed
from bnengine.report.paper_kit import methods_paragraph, paper_kit
from bnengine.report.report_sentences import python_edges
from bnengine.text import short_names
from pages.network.run import Run
from pages.shared import state
from pages.shared.downloads import download_button, own_file, repeat
from pages.shared.format import escaped, short
from pages.shared.keys import Key
from pages.shared.run import link
from pages.shared.state import persistent
from pages.shared.widgets.choice import choice, tabs
from pages.shared.words import NETWORK as WORDS

_SECTIONS = {"view": "This view", "methods": "Methods", "code": "Code", "session": "Link and session"}
_GRAPHS = {"graphml": "GraphML", "dot": "DOT", "json": "JSON", "adjacency.csv": "Matrix, CSV"}
_KINDS = {one: f"{label}: the graph" for one, label in _GRAPHS.items()} | {
    one: f"{one.upper()}: with probabilities" for one in FORMATS
}
_MOST_CELLS = 2_000_000  # probabilities; more take too long to write while a person waits


def menu(run: Run, view: NetworkView) -> None:
    """Draw the menu; each file is written when it is asked for."""
    with st.popover("Export", icon=":material/download:"):
        chosen = tabs("What", _SECTIONS, Key.TAKE)
        {"view": _view, "methods": _methods, "code": _code, "session": _session}[chosen](run, view)


def _view(run: Run, view: NetworkView) -> None:
    """Offer the picture, the edges, the report and the paper kit."""
    if run.real is None:
        st.warning(
            "Which edges are real is not known yet; files made now leave it out.", icon=":material/hourglass_top:"
        )
    elif missing := [TITLES[key] for key in run.experiment.methods_run if key not in run.study.ensembles]:
        st.caption(f"Not learned yet, and left out of files made now: {' and '.join(missing)}.")
    result, choices = (run.study, {"kind": run.experiment.kind}) if view.name == "naive" else (view, {})
    st.markdown("**Picture**")
    _short_names(run)
    with st.container(horizontal=True, gap="small"):
        for one in PICTURES:
            download_button(one.upper(), partial(printed, result, one, **choices), f"network.{one}")
    st.markdown("**Edges, report**")
    with st.container(horizontal=True, gap="small"):
        download_button("Edges (CSV)", lambda: csv_text(edges_of(run, view)), "edges.csv")
        about = "Findings, figures, every edge, settings and script in one file to read, print and send."
        report = partial(html_report, run.experiment, run.data, run.study, run.real, view)
        download_button("Report (HTML)", report, "report.html", about)
    about = WORDS["kit"]
    st.markdown("**Paper kit**", help=about)
    file = own_file(run.experiment, Key.KIT_DATA)
    kit = partial(paper_kit, run.experiment, run.data, run.study, run.real, view, file)
    download_button("Paper kit (ZIP)", kit, "paper_kit.zip")
    _for_other_programs(run, view)


def _short_names(run: Run) -> None:
    """Offer names that fit their boxes, once, where some do not; they can be edited."""
    proposed = short_names(run.found.names)
    if not proposed:
        return
    st.toggle(
        "Short names", **persistent(Key.SHORT_NAMES), help="In pictures; report and kit list what they stand for."
    )
    if short := short_in_use(run):
        rows = pd.DataFrame({"Short name": [short[name] for name in proposed], "Name": list(proposed)})
        options: dict[str, Any] = {"hide_index": True, "disabled": ["Name"], "height": min(38 + 35 * len(rows), 220)}
        st.data_editor(rows, key=_EDITED, on_change=_keep_names, args=(list(proposed),), **options)


def short_in_use(run: Run) -> dict[str, str]:
    """Return the names in pictures, by variable; none unless the visitor wants short ones."""
    own: dict[str, str] = state.get(Key.OWN_NAMES) or {}
    proposed = short_names(run.found.names) if state.get(Key.SHORT_NAMES) else {}
    return {name: own.get(name, short) for name, short in proposed.items()}


_EDITED = "edited names"


def _keep_names(names: list[str]) -> None:
    """Keep the names that the visitor wrote; an empty one is the proposed one again."""
    rows = state.get(_EDITED)["edited_rows"]
    written = {names[k]: (row.get("Short name") or "").strip() for k, row in rows.items()}
    held = (state.get(Key.OWN_NAMES) or {}) | written
    state.put(Key.OWN_NAMES, {name: short for name, short in held.items() if short})


def _methods(run: Run, view: NetworkView) -> None:
    """Show the methods paragraph, to copy, with its references; the kit has it in LaTeX, too."""
    text, sources = methods_paragraph(run.experiment, run.data, run.study, view, run.real)
    st.code("\n\n".join([text, "\n".join(one.listed for one in sources)]), language=None, wrap_lines=True)


def edges_of(run: Run, view: NetworkView) -> pd.DataFrame:
    """Return the edges of the view as the file has them: verdict, both numbers, direction, strength, every method."""
    if view.name == "naive":
        return run.study.edge_table(run.experiment.kind)
    return with_methods(view.table(), run.study)


def _for_other_programs(run: Run, view: NetworkView) -> None:
    """Offer the graph, or the network with probabilities, in one of the formats."""
    st.markdown("**For other programs**", help=WORDS["networks"].format(short(run.experiment.prediction.ess)))
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        chosen = choice("Format", _KINDS, Key.FORMAT, label_visibility="collapsed", width=240)
        if chosen in FORMATS and (refused := _refused(run.rows.cut(), view.edges)):
            st.caption(refused)
            return
        content = network_file if chosen in FORMATS else graph_file
        about = (FORMATS | GRAPH_FORMATS)[chosen]
        download_button("Download", partial(content, run, view, chosen), f"network.{chosen}", f"{about}.")


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
    network = bn.prediction.fit_drawn(run.data.cut(), view.edges, run.experiment.prediction.ess)
    bn.write_network(network, buffer, suffix)
    return buffer.getvalue()


def _refused(data: bn.Dataset, edges: list[tuple[str, str]]) -> str:
    """Return why the network cannot be written with its probabilities; empty if it can."""
    try:
        n_parameters = bn.teaching.n_parameters(data, edges)
    except ValueError as error:
        return f"{escaped(str(error))}."
    return "" if n_parameters <= _MOST_CELLS else f"The network has {n_parameters:,} free parameters."


def _code(run: Run, view: NetworkView) -> None:
    """Show what gives the same results without the pages."""
    repeat(python_edges(run.experiment, run.data, view), "confidence", bn.settings.r_script(run.experiment, run.data))


def _session(run: Run, view: NetworkView) -> None:
    """Offer the link, which opens this view, and the session."""
    link.share_control()
