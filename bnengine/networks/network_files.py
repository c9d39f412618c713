"""Networks and graphs read from files: BIF and DSC here, formats of other programs by pyAgrum, and lists of edges.

pyAgrum trusts what a file says of its size, so it reads in the isolated process, see ``bnengine._core.isolated``.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from bnengine._core.setting_kinds import bounded_name
from bnengine._core.validation import validated
from bnengine.data import reading_options
from bnengine.data.checked_frame import DataError
from bnengine.data.reading import read_isolated
from bnengine.data.reading_options import content_of, name_of
from bnengine.graphs.constraints import read_edge_list
from bnengine.graphs.dag import Edge, refuse_cycle
from bnengine.networks.bif import parsed
from bnengine.networks.formats import AS_LISTED, import_pyagrum
from bnengine.networks.network import BayesianNetwork

#: Formats of networks by their suffixes: their name, and how a file begins whose suffix says nothing.
_FORMATS = {
    "bif": ("BIF", re.compile(rb"^network\b[^\n]*\{", re.MULTILINE)),
    "dsc": ("DSC", re.compile(rb"^belief network\b", re.MULTILINE)),
    "bifxml": ("BIFXML", re.compile(rb"<BIF\b")),
    "net": ("HUGIN's NET", re.compile(rb"^(?:net|class \w{1,99}) ?\s?\{", re.MULTILINE)),
    "xdsl": ("GeNIe's XDSL", re.compile(rb"<smile\b")),
}
_OWN = ("bif", "dsc")  # read without pyAgrum
_LISTS = ("csv", "tsv", "txt")
#: Suffixes of the files that are read, for a dialog that opens one.
SUFFIXES = (*_FORMATS, "xml", "gz", *_LISTS)
_READ = (
    "networks are read as BIF, DSC and, with pyAgrum, BIFXML, NET and XDSL; graphs also as lists of edges, as CSV with "
    "the columns parent and child or in lines such as A --> B"
)
_SUFFIX = re.compile(r"\.(bif|dsc|bifxml|net|xdsl)(\.gz)?$", re.IGNORECASE)


def is_network(name: str) -> bool:
    """Return whether a file is a network by its name, plain or gzipped."""
    return _SUFFIX.search(name) is not None


def title_of(name: str) -> str:
    """Return the name of a network by that of its file.

    >>> title_of("ASIA.BIF.gz")
    'ASIA'
    """
    return _SUFFIX.sub("", name)


@validated
def read_network(source: str | Path | BinaryIO, title: str | None = None) -> BayesianNetwork:
    """Read a network with its probabilities from a file, plain or gzipped, in the format that its suffix names.

    Parameters
    ----------
    source : path or binary file
        BIF, DSC (bnlearn), BIFXML (Weka, JavaBayes), NET (HUGIN) or XDSL (GeNIe); the last three are read by pyAgrum.
        Where the suffix says nothing, the content does.
    title : str, optional
        Overrides the name in the file.

    Returns
    -------
    BayesianNetwork

    Raises
    ------
    DataError
        If the file is in another format, is damaged, lacks probabilities, exceeds a limit of
        ``bnengine.data.reading_options``, or needs pyAgrum where that is not installed.

    Examples
    --------
    >>> import io
    >>> text = b'belief network "n" node a { type : discrete [ 2 ] = { "x", "y" }; } probability ( a ) { 0.2, 0.8; }'
    >>> read_network(io.BytesIO(text)).tables[0].tolist()
    [[0.2, 0.8]]
    """
    return network_in(*_content(source), title)


def network_in(raw: bytes, called: str, title: str | None = None) -> BayesianNetwork:
    """Read the network in the content of a file, as ``read_network`` does."""
    if (kind := _format_of(raw, called)) not in _FORMATS:
        raise DataError(f"{called} holds no network with probabilities; {_READ}")
    return _network(raw, called, kind, title)


@dataclass(frozen=True)
class KnownGraph:
    """The edges of a graph in a file, without probabilities.

    Attributes
    ----------
    edges : tuple of (parent, child)
        An edge of which the file leaves the direction open, as in a CPDAG, is listed in both.
    remark : str
        What of the file was not used, in a sentence without a stop; empty if all was.
    """

    names: tuple[str, ...]
    edges: tuple[Edge, ...]
    title: str
    remark: str = ""


def n_pairs(edges: Iterable[Edge]) -> int:
    """Return how many pairs of variables are joined by edges, of which some may be listed in both directions."""
    return len({frozenset(edge) for edge in edges})


@validated
def read_graph(source: str | Path | BinaryIO) -> KnownGraph:
    r"""Read the edges of a network or a graph from a file; probabilities may be incomplete or missing.

    Parameters
    ----------
    source : path or binary file
        As of ``read_network``; or a list of edges: a CSV table with the columns parent and child (or from and to), or
        lines ``a -> b``, also as Tetrad writes them, where ``a --- b`` leaves the direction open.

    Returns
    -------
    KnownGraph

    Raises
    ------
    DataError
        As ``read_network``; also if an edge is one of a graph with unmeasured causes (``a <-> b``, ``a o-> b``).

    Examples
    --------
    >>> import io
    >>> read_graph(io.BytesIO(b"Graph Nodes:\na;b;c\n\nGraph Edges:\n1. a --> b\n2. b --- c\n")).edges
    (('a', 'b'), ('b', 'c'), ('c', 'b'))
    """
    raw, called = _content(source)
    kind, title = _format_of(raw, called), bounded_name(called)
    if kind in _FORMATS:
        incomplete: list[str] = []
        network = _network(raw, called, kind, title, incomplete)
        of = "some states of its parents; only the edges are used"
        remark = f"'{incomplete[0]}' has no probabilities for {of}" if incomplete else ""
        return KnownGraph(network.names, tuple(network.edges), title, remark)
    names, edges = read_edge_list(raw)
    if len(names) > reading_options.LIMITS.columns:
        most = reading_options.LIMITS.columns
        raise DataError(f"the edges name {len(names):,} variables; a table has at most {most:,} columns")
    both = set(edges)
    refuse_cycle(edge for edge in edges if edge[::-1] not in both)
    return KnownGraph(names, edges, title)


def _content(source: str | Path | BinaryIO) -> tuple[bytes, str]:
    called = name_of(source)
    return content_of(source, called, reading_options.LIMITS.network_megabytes * 2**20), called


def _format_of(raw: bytes, called: str) -> str:
    """Return the suffix of a file's format, or "csv" for a list of edges; a DataError if it is in no known format."""
    suffix = Path(called.lower().removesuffix(".gz")).suffix.removeprefix(".")
    if suffix in _FORMATS:
        return suffix
    kind = next((kind for kind, (_, begin) in _FORMATS.items() if begin.search(raw[:4096])), "csv")
    if kind == "csv" and suffix not in ("", *_LISTS) and "." in called:
        raise DataError(f"{called} is in no format that is read here: {_READ}")
    return kind


def _network(
    raw: bytes, called: str, kind: str, title: str | None, incomplete: list[str] | None = None
) -> BayesianNetwork:
    if kind in _OWN:
        return parsed(raw, title, incomplete)
    if find_spec("pyagrum") is None:
        raise DataError(
            f"{called} is in {_FORMATS[kind][0]}, which needs pyAgrum: pip install 'bnengine[formats]'; BIF, DSC and "
            "lists of edges are read without it"
        )
    return _by_pyagrum(raw, called, kind, title_of(called) if title is None else title)


def _by_pyagrum(raw: bytes, called: str, kind: str, title: str) -> BayesianNetwork:
    form = _FORMATS[kind][0]
    with tempfile.TemporaryDirectory() as folder:  # pyAgrum reads files by their path; this process removes it
        path = Path(folder) / f"network.{kind}"
        path.write_bytes(raw)
        (names, states, parents), found = read_isolated("network", b"", called, {"path": str(path), "form": form})
    numbers, tables, at = np.frombuffer(found), [], 0
    for own, given in zip(states, parents, strict=True):
        q = math.prod(len(states[p]) for p in given)
        tables.append(numbers[at : at + q * len(own)].reshape(q, len(own)))
        at += q * len(own)
    return BayesianNetwork(tuple(names), tuple(map(tuple, states)), tuple(map(tuple, parents)), tuple(tables), title)


def read_here(content: bytes, path: str, form: str) -> tuple[Any, bytes]:
    """Read a network by pyAgrum, in the isolated process: names, states and parents, and the tables one by one."""
    library = import_pyagrum()
    try:
        network = library.loadBN(path)
    except MemoryError:
        raise
    except Exception as error:
        raise DataError(
            f"the file is no network in {form} that pyAgrum reads ({type(error).__name__}); write it again"
        ) from None
    tables = [network.cpt(node) for node in sorted(network.nodes())]
    n_cells = sum(math.prod(table.shape) for table in tables)
    if n_cells > reading_options.LIMITS.table_cells:
        raise DataError(f"the network's tables have {n_cells:,} cells; at most {reading_options.LIMITS.table_cells:,}")
    names = [table.names[0] for table in tables]
    place = {name: v for v, name in enumerate(names)}
    states = [list(network.variable(name).labels()) for name in names]
    slowest_first = Path(path).suffix[1:] in AS_LISTED
    listed = [table.names[1:] if slowest_first else table.names[:0:-1] for table in tables]
    parents = [[place[name] for name in given] for given in listed]
    numbers = b"".join(np.asarray(table.toarray(), np.float64).tobytes() for table in tables)
    return (names, states, parents), numbers
