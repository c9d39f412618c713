"""Constraints on learned graphs: required and forbidden edges, a limit on parents, tiers; edges and names as text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from bnengine._core.setting_kinds import bounded_name, composed
from bnengine._core.settings import Edges, Tiers, Whole, field, setting
from bnengine._core.validation import ParentLimit, validated
from bnengine.graphs.dag import Adjacency, Edge, adjacency_of, edges_of, refuse_cycle


class SearchSpace(NamedTuple):
    """Constraints as the compiled searches read them."""

    allowed: Adjacency  # (V, V) [parent, child]: the edge may be present
    required: Adjacency  # (V, V) [parent, child]: the edge must be present
    max_parents: int

    def holds(self, adjacency: Adjacency) -> bool:
        """Return whether a graph satisfies the constraints."""
        within = not (adjacency & ~self.allowed).any() and not (self.required & ~adjacency).any()
        return bool(within and (adjacency.sum(axis=0) <= self.max_parents).all())


@setting
class Constraints:
    """Background knowledge about the graph; it holds in the graph learned from the data and in every resample's."""

    required: Edges = field(default=(), label="Required edges", help="Edges that must be in the graph.")
    forbidden: Edges = field(default=(), label="Forbidden edges", help="Edges that must not be in the graph.")
    max_parents: Whole | None = field(
        default=None,
        ge=0,
        le=10_000,
        none="no limit",
        label="Most parents of a variable",
        help="A limit in addition to the search's own; the smaller one holds.",
    )
    tiers: Tiers = field(
        default=(),
        label="Tiers",
        help="Groups of variables in causal or temporal order: no edge leads from a later tier to an earlier one. "
        "Variables in no tier are free.",
    )

    @validated
    def resolve(self, names: Sequence[str], max_parents: ParentLimit | None = None) -> SearchSpace:
        """Return the constraints as matrices.

        Raises
        ------
        ValueError
            If the constraints contradict each other or name unknown variables.
        """
        limits = [limit for limit in (self.max_parents, max_parents) if limit is not None]
        limit = min([*limits, max(len(names) - 1, 0)])
        required = adjacency_of(names, self.required)
        allowed = ~np.eye(len(names), dtype=np.bool_) & ~adjacency_of(names, self.forbidden)
        place = {name: v for v, name in enumerate(names)}
        tier_of: dict[int, int] = {}
        for tier, members in enumerate(self.tiers):
            for name in members:
                if name not in place:
                    raise ValueError(f"tier {tier + 1}: no variable is named '{name}'")
                if tier_of.setdefault(place[name], tier) != tier:
                    raise ValueError(
                        f"'{name}' is in tier {tier_of[place[name]] + 1} and in tier {tier + 1}; name it once"
                    )
        placed, tiers = list(tier_of), np.array(list(tier_of.values()), dtype=np.int64)
        allowed[np.ix_(placed, placed)] &= tiers[:, None] <= tiers[None, :]
        _refuse_contradictions(names, allowed, required, limit)
        return SearchSpace(allowed, required, limit)


def _refuse_contradictions(names: Sequence[str], allowed: Adjacency, required: Adjacency, max_parents: int) -> None:
    for i, j in zip(*np.nonzero(required & ~allowed), strict=True):
        raise ValueError(f"edge {names[i]} → {names[j]} is required but also forbidden, or against the tiers")
    refuse_cycle(edges_of(names, required), "the required edges")
    for v in np.flatnonzero(required.sum(axis=0) > max_parents).tolist():
        raise ValueError(
            f"'{names[v]}' has {int(required[:, v].sum())} required parents but at most {max_parents} are allowed"
        )


# An edge as a line of text, ``parent -> child``; a name that could be misread stands in quotes, as in CSV.

_ARROWS = ("->", "→")


def write_edge(edge: Edge) -> str:
    """Return an edge as a line that ``read_edge`` reads.

    >>> print(write_edge(("smoke", "x -> y")))
    smoke -> "x -> y"
    """
    return " -> ".join(map(_written, edge))


def read_edge(line: str) -> Edge | None:
    """Return the edge in a line; None if it is none.

    Names are read without the blanks around them, unless these are in quotes. The work grows with the line's length,
    whatever it holds.

    >>> read_edge('smoke → "x -> y"'), read_edge("smoke, lung")
    (('smoke', 'x -> y'), None)
    """
    parent, rest = _first_name(line)
    arrow = next((arrow for arrow in _ARROWS if rest.startswith(arrow)), None)
    if arrow is None:
        return None
    child, rest = _first_name(rest.removeprefix(arrow))
    return (parent, child) if parent and child and not rest else None


def _written(name: str) -> str:
    plain = name == name.strip() and not name.startswith('"') and not any(arrow in name for arrow in _ARROWS)
    return name if plain and "," not in name else '"' + name.replace('"', '""') + '"'


def _first_name(text: str) -> tuple[str, str]:
    """Return the name at the beginning of a text, and what follows it; an empty name if its quotes are not closed."""
    text = text.strip()
    if not text.startswith('"'):
        place = min((at for arrow in _ARROWS if (at := text.find(arrow)) >= 0), default=len(text))
        return text[:place].rstrip(), text[place:]
    parts = text[1:].split('"')  # a doubled quote leaves an empty part between two others
    end = 0
    while end + 2 < len(parts) and not parts[end + 1]:
        end += 2
    if end + 1 == len(parts):
        return "", text
    return '"'.join(parts[: end + 1 : 2]), '"'.join(parts[end + 1 :]).strip()


#: A name that needs no quotes.
_PLAIN = re.compile(r'[^\s",][^",\r\n]*(?<!\s)')


def write_names(names: Sequence[str]) -> str:
    """Write names as a line of CSV: commas between them, quotes around a name that could be misread.

    >>> print(write_names(["dose", "a, b", 'size "L", wide']))
    dose,"a, b","size ""L"", wide"
    """
    return ",".join(name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"' for name in names)


def read_names(text: str) -> list[list[str]]:
    """Return the lines of names in a text; the inverse of ``write_names``, line by line.

    >>> read_names('dose, "a, b"')
    [['dose', 'a, b']]
    """
    lines = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True)
    try:
        return [line for line in lines if line]
    except csv.Error:
        raise ValueError(f"{text!r} is not a list of names: close its quotes, and double a quote in a name") from None


# Lists of edges in files.

_HEADERS = (("parent", "child"), ("from", "to"), ("source", "target"))
_MOST_EDGES = 1_000_000


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
