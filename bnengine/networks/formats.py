"""Graphs and networks in the file formats of other programs, chosen by a file's suffix.

BIF has a reader and a writer of its own (``bif``), which keep all digits. The other formats are written by pyAgrum,
with six digits (NET: all).
"""

from __future__ import annotations

import json
import re
import tempfile
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from bnengine._core.environment import need, pd
from bnengine._core.labels import readable
from bnengine._core.setting_kinds import repeated
from bnengine._core.validation import validated
from bnengine.data.csv_export import csv_text
from bnengine.data.reading_options import name_of, write_bytes
from bnengine.graphs.dag import Edge, adjacency_of, edges_of
from bnengine.graphs.pictures import PICTURES, printed
from bnengine.networks.bif import bif_text, distinct_words, with_identifiers
from bnengine.networks.network import BayesianNetwork

if TYPE_CHECKING:
    import pyagrum


# Graphs, with or without confidences, as files for other programs: pictures, DOT, GraphML, JSON, tables.

Numbers = dict[Edge, dict[str, Any]]

#: Suffixes, and what they are for.
GRAPH_FORMATS = {
    "svg": "picture, for the web and for editing",
    "pdf": "picture, for print",
    "png": "picture, for slides",
    "dot": "Graphviz",
    "graphml": "Cytoscape, Gephi, yEd, igraph",
    "json": "nodes and links, as networkx and D3 read them",
    "adjacency.csv": "0/1 matrix, parents in rows",
    "csv": "one row per edge, with bnlearn's column names",
}


@validated
def write_graph(
    names: Sequence[str], edges: Iterable[Edge] | pd.DataFrame, target: str | Path | BinaryIO, suffix: str | None = None
) -> None:
    """Write a directed graph in the format that the file's suffix names.

    Networks with probabilities are written by ``write_network``.

    Parameters
    ----------
    names : sequence of str
        Of the V variables.
    edges : iterable of (parent, child), or DataFrame
        Of a table with columns parent and child, such as that of a verdict or of an averaged network, all other columns
        are written with each edge.
    target : path or binary file
    suffix : str, optional
        ``"svg"``, ``"pdf"`` or ``"png"`` (pictures), ``"dot"`` (Graphviz), ``"graphml"``, ``"json"`` (node-link),
        ``"adjacency.csv"`` (0/1 matrix, parents in rows) or ``"csv"`` (one row per edge: from, to and the table's other
        columns, as in bnlearn's ``boot.strength``; there the table has both directions of every pair). None takes the
        suffix of the path. Pictures and DOT draw an edge thicker the larger its strength is, or its share found_again.

    Raises
    ------
    ValueError
        If there is no such format, an edge names an unknown variable, or a table has no columns parent and child, two
        columns of one name, or one that formats have a use for (from, to, source, target); or if a share is not between
        0 and 1.

    Examples
    --------
    >>> import io
    >>> import pandas as pd
    >>> table = pd.DataFrame({"parent": ["A"], "child": ["B"], "strength": [0.9], "direction": [1.0]})
    >>> buffer = io.BytesIO()
    >>> write_graph(["A", "B"], table, buffer, "csv")
    >>> print(buffer.getvalue().decode(), end="")
    from,to,strength,direction
    A,B,0.9,1.0
    """
    twice = repeated(names)
    if twice is not None:
        raise ValueError(f"names must be different; '{twice}' occurs twice")
    known: Numbers = {}
    if isinstance(edges, pd.DataFrame):
        if not {"parent", "child"} <= {*edges}:
            raise ValueError(
                f"a table of edges must have columns parent and child; it has {', '.join(map(str, edges))}"
            )
        taken = {"from", "to", "source", "target"} & {*map(str, edges)}
        if taken or not edges.columns.is_unique:
            raise ValueError(f"the columns of a table of edges must differ, and be no '{min(taken, default='parent')}'")
        for row in edges.to_dict("records"):
            edge = row.pop("parent"), row.pop("child")
            known[edge] = {key: own for key, own in row.items() if not pd.isna(own)}
        edges = list(known)
    for edge, own in known.items():
        if not 0.0 <= (_share_of(own) or 0.0) <= 1.0:
            raise ValueError(f"the share of {edge[0]} → {edge[1]} must be between 0 and 1; got {_share_of(own)}")
    numbers = {edge: known.get(edge, {}) for edge in edges_of(names, adjacency_of(names, edges))}
    raw = _content(tuple(names), numbers, _format_of(suffix if suffix is not None else name_of(target)))
    write_bytes(raw, target)


def _format_of(name: str) -> str:
    found = next((kind for kind in GRAPH_FORMATS if f".{name.lower()}".endswith(f".{kind}")), None)
    if found is None:
        raise ValueError(f"graphs are written as {', '.join(GRAPH_FORMATS)}; got '{name}'")
    return found


def _content(names: tuple[str, ...], numbers: Numbers, kind: str) -> bytes:
    if kind in PICTURES:
        place = {name: v for v, name in enumerate(names)}
        strengths = {(place[p], place[c]): _share_of(own) for (p, c), own in numbers.items()}
        return printed(names, strengths, kind)
    if kind in ("dot", "graphml"):  # control characters end an identifier, or are no XML
        plain = distinct_words(names, lambda name: _plain(name, kind) == name, lambda name: _plain(name, kind))
        names = tuple(plain.values())
        numbers = {(plain[parent], plain[child]): _written(own) for (parent, child), own in numbers.items()}
    writers = {"dot": _dot, "graphml": _graphml, "json": _json, "csv": _edge_table, "adjacency.csv": _matrix}
    return writers[kind](names, numbers).encode()


def _share_of(own: dict[str, Any]) -> float | None:
    """Return the share that says how an edge is drawn; None, in full, if there is none."""
    share = own.get("strength", own.get("found_again"))
    return share if isinstance(share, int | float) else None


def _written(own: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of an edge as texts and numbers; programs differ in how they write a truth value."""
    return {key: readable(value) if isinstance(value, str) else float(value) for key, value in own.items()}


def _plain(name: str, kind: str) -> str:
    """Return a name as the format can hold it; to Graphviz a node has no name if that begins with %."""
    return re.sub("^%", "％", readable(name)) if kind == "dot" else readable(name)


def _dot(names: tuple[str, ...], numbers: Numbers) -> str:
    lines = ["digraph {", "  node [shape=box];", *(f"  {_quoted(name)};" for name in names)]
    for (parent, child), own in numbers.items():
        share = _share_of(own)
        more = own if share is None else {**own, "penwidth": round(0.7 + 1.8 * share, 3)}
        written = {key: _quoted(value) if isinstance(value, str) else f"{value:g}" for key, value in more.items()}
        inside = ", ".join(f"{key if key.isidentifier() else _quoted(key)}={value}" for key, value in written.items())
        lines.append(f"  {_quoted(parent)} -> {_quoted(child)}{f' [{inside}]' if inside else ''};")
    return "\n".join([*lines, "}", ""])


def _quoted(name: str) -> str:
    """Quote an identifier of DOT; Graphviz shows a doubled backslash as one."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _graphml(names: tuple[str, ...], numbers: Numbers) -> str:
    import networkx

    graph = networkx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from((parent, child, own) for (parent, child), own in numbers.items())
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *networkx.generate_graphml(graph), ""])


def _json(names: tuple[str, ...], numbers: Numbers) -> str:
    made: dict[str, Any] = {"directed": True, "multigraph": False, "graph": {}}
    made["nodes"] = [{"id": name} for name in names]
    made["edges"] = [{"source": parent, "target": child, **own} for (parent, child), own in numbers.items()]
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def _edge_table(names: tuple[str, ...], numbers: Numbers) -> str:
    rows = [{"from": parent, "to": child, **own} for (parent, child), own in numbers.items()]
    return csv_text(pd.DataFrame(rows) if rows else pd.DataFrame(columns=["from", "to"]))


def _matrix(names: tuple[str, ...], numbers: Numbers) -> str:
    frame = pd.DataFrame(adjacency_of(names, list(numbers)).astype(np.int64), columns=list(names))
    frame.insert(0, "parent", list(names), allow_duplicates=True)
    return csv_text(frame)


def import_pyagrum() -> Any:
    """Import pyAgrum with warnings off: where these are errors, its bindings bring the whole interpreter down."""
    need("pyagrum", "formats")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import pyagrum
    return pyagrum


def pyagrum_network(network: BayesianNetwork, as_listed: bool = False) -> pyagrum.BayesNet:
    """Return the network as pyAgrum's; the ids of its nodes are the variables' numbers.

    ``as_listed`` keeps the parents in our order, although pyAgrum takes the first of them to vary fastest and here it
    varies slowest: only for the writers that list the parents in this order, see ``AS_LISTED``.
    """
    library = import_pyagrum()
    made = library.BayesNet(re.sub(r"[^A-Za-z0-9_]", "_", network.title) or "network")
    for name, states in zip(network.names, network.states, strict=True):
        variable = library.LabelizedVariable(name, "", 0)
        for state in states:
            variable.addLabel(state)
        made.add(variable)
    for v, (parents, table) in enumerate(zip(network.parents, network.tables, strict=True)):
        for parent in parents if as_listed else reversed(parents):  # the one added last varies slowest
            made.addArc(parent, v)
        made.cpt(v).fillWith(table.ravel())
    return made


#: Suffixes, and the programs that the formats come from.
FORMATS = {
    "bif": "Interchange format of bnlearn's repository",
    "bifxml": "XML interchange format (Weka, JavaBayes)",
    "net": "HUGIN",
    "xdsl": "GeNIe",
}
_RESERVED = {"net": {"net", "node", "potential", "data"}}
#: Where the first parent varies slowest by the format's definition (SMILE's manual on XDSL), and fastest in what
#: pyAgrum 3.3 writes. Its parents are taken as listed, so that GeNIe reads the right numbers.
AS_LISTED = ("xdsl",)


@validated
def write_network(network: BayesianNetwork, target: str | Path | BinaryIO, suffix: str | None = None) -> dict[str, str]:
    """Write a network in the format that the file's suffix names, see ``FORMATS``.

    Parameters
    ----------
    network : BayesianNetwork
    target : path or binary file
    suffix : str, optional
        Such as ``"xdsl"``; None takes that of the path.

    Returns
    -------
    dict from str to str
        New names of the variables that the format cannot hold, and of states under ``"variable=state"``: formats hold
        letters, digits and underscores. ``read_bif`` returns the original ones.

    Raises
    ------
    ValueError
        If there is no such format.

    Examples
    --------
    >>> import io
    >>> import bnengine as bn
    >>> bn.write_network(bn.load_network("asia"), io.BytesIO(), "xdsl")
    {}
    """
    suffix = suffix if suffix is not None else name_of(target).lower().rpartition(".")[2]
    if suffix not in FORMATS:
        raise ValueError(f"networks are written as {', '.join(FORMATS)}; got the suffix '{suffix}'")
    if suffix == "bif":
        _, changed = with_identifiers(network)
        raw = bif_text(network).encode()
    else:
        portable, changed = with_identifiers(network, _RESERVED.get(suffix, ()), integers=False)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"network.{suffix}"
            getattr(pyagrum_network(portable, suffix in AS_LISTED), f"save{suffix.upper()}")(str(path))
            raw = path.read_bytes()
    write_bytes(raw, target)
    return changed
