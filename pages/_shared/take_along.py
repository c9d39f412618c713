"""A network to take along: as a picture, as a graph with its confidences, with probabilities for other programs."""

import io
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

import bnengine as bn
from bnengine._core.arrays import FloatArray
from bnengine.networks.formats import FORMATS
from bnengine.networks.graph_files import GRAPH_FORMATS
from pages._shared.format import escaped
from pages._shared.session import Key

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
    """A menu of files, each written when it is asked for.

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
            st.download_button(
                label, partial(content, suffix), file, mime, on_click="ignore", key=Key.download(file), help=about
            )


def graph_file(
    names: Sequence[str], edges: Edges, strength: Shares, direction: Shares, about: dict[str, Any], suffix: str
) -> bytes:
    """The graph in the format of that suffix; with what the file is about, if it is JSON."""
    buffer = io.BytesIO()
    bn.write_graph(names, edges, buffer, suffix, strength, direction)
    if suffix != "json":
        return buffer.getvalue()
    made = json.loads(buffer.getvalue())
    return json.dumps({**made, "graph": {**about, "version": bn.__version__}}, indent=2, ensure_ascii=False).encode()


def network_file(data: bn.Dataset, edges: Edges, suffix: str) -> bytes:
    """The network fitted to the data, in the format of that suffix."""
    buffer = io.BytesIO()
    bn.write_network(bn.fit(data, list(edges), ess=_ESS), buffer, suffix)
    return buffer.getvalue()


def _refused(data: bn.Dataset, edges: Edges) -> str:
    """Why the network cannot be written with its probabilities; empty if it can."""
    try:
        n_parameters = bn.n_parameters(data, list(edges))
    except ValueError as error:
        return f"{escaped(str(error))}."
    return "" if n_parameters <= _MOST_CELLS else f"The network has {n_parameters:,} free parameters."
