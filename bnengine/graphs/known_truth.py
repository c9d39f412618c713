"""A learned graph compared with a graph that is known to be true."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bnengine._core.setting_kinds import bounded_name, composed
from bnengine._core.validation import validated
from bnengine.graphs.constraints import read_edge
from bnengine.graphs.dag import Edge, cpdag, dag_of, shd

_HEADERS = (("parent", "child"), ("from", "to"), ("source", "target"))
_MOST_EDGES = 1_000_000


@dataclass(frozen=True)
class EdgeComparison:
    """Edges of a learned graph by whether the true graph has them.

    Attributes
    ----------
    true : tuple of (parent, child)
        Learned edges that the true graph has.
    reversed : tuple of (parent, child)
        Learned edges that the true graph has the other way round.
    extra : tuple of (parent, child)
        Learned edges between variables that are not adjacent in the true graph.
    missing : tuple of (parent, child)
        Edges of the true graph between variables that are not adjacent in the learned one.
    shd : int
        Structural Hamming distance between the graphs: reversed, extra and missing edges.
    class_shd : int
        The same between their CPDAGs, where only compelled directions count.
    """

    true: tuple[Edge, ...]
    reversed: tuple[Edge, ...]
    extra: tuple[Edge, ...]
    missing: tuple[Edge, ...]
    shd: int
    class_shd: int


@validated
def compare_with_truth(names: Sequence[str], edges: Iterable[Edge], truth: Iterable[Edge]) -> EdgeComparison:
    """Compare a learned graph with the true one.

    Parameters
    ----------
    names : sequence of str
        The variables.
    edges, truth : iterable of (parent, child)
        Both acyclic, over these variables.

    Raises
    ------
    ValueError
        If an edge names an unknown variable, or a graph has a cycle.

    Examples
    --------
    >>> found = compare_with_truth([*"abc"], [("a", "b"), ("c", "b")], [("b", "a"), ("c", "b"), ("c", "a")])
    >>> found.true, found.reversed, found.missing, found.shd
    ((('c', 'b'),), (('a', 'b'),), (('c', 'a'),), 2)
    """
    learned, known = tuple(edges), tuple(truth)
    one, other = dag_of(names, learned), dag_of(names, known, "the true edges")
    has, given = set(known), set(learned)
    return EdgeComparison(
        true=tuple(edge for edge in learned if edge in has),
        reversed=tuple(edge for edge in learned if edge not in has and edge[::-1] in has),
        extra=tuple(edge for edge in learned if edge not in has and edge[::-1] not in has),
        missing=tuple(edge for edge in known if edge not in given and edge[::-1] not in given),
        shd=shd(one, other),
        class_shd=shd(cpdag(one), cpdag(other)),
    )


def read_edge_list(content: bytes) -> tuple[Edge, ...]:
    r"""Read edges from text: a CSV table with columns parent and child (or from and to), or lines ``a -> b``.

    Without such a header the first two columns are parent and child. Separators are commas, semicolons or tabs. Names
    longer than 500 characters are shortened as those of a table are.

    Raises
    ------
    ValueError
        If a line is no edge, or there is none.

    Examples
    --------
    >>> read_edge_list(b"from,to,strength\nrain,wet,0.9\nsprinkler,wet,0.4\n")
    (('rain', 'wet'), ('sprinkler', 'wet'))
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("the edge list is not text in UTF-8; save it as CSV in UTF-8") from None
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        raise ValueError("the edge list is empty; write one edge per line, as parent,child")
    if len(lines) > _MOST_EDGES:
        raise ValueError(f"the edge list has {len(lines):,} lines; at most {_MOST_EDGES:,} are read")
    arrows = [read_edge(line) for line in lines]
    if None not in arrows:
        return _distinct(edge for edge in arrows if edge is not None)
    separator = max(",;\t", key=lines[0].count)
    try:
        rows = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=separator, skipinitialspace=True))
    except csv.Error:
        raise ValueError("the edge list is no table: a cell is too long, or its quotes are not closed") from None
    header = [cell.strip().lower() for cell in rows[0]]
    places, first = (0, 1), 0
    for start, end in _HEADERS:
        if start in header and end in header:
            places, first = (header.index(start), header.index(end)), 1
    edges = []
    for number, row in enumerate(rows[first:], start=first + 1):
        ends = tuple(row[place].strip() if place < len(row) else "" for place in places)
        if not all(ends):
            raise ValueError(
                f"line {number} of the edge list is no edge: {lines[number - 1][:60]!r}; write parent,child"
            )
        edges.append((ends[0], ends[1]))
    return _distinct(edges)


def _distinct(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    return tuple(
        dict.fromkeys((bounded_name(composed(parent)), bounded_name(composed(child))) for parent, child in edges)
    )
