"""Constraints on learned graphs: required and forbidden edges, a limit on parents, tiers; edges and names as text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
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

#: Marks between two names: an edge forwards, backwards, of open direction; the others allow for unmeasured causes.
_FORWARD, _BACKWARD, _OPEN = ("-->", "->", "→"), ("<--", "<-", "←"), ("---", "--")
_MARKS = (*_FORWARD, *_BACKWARD, *_OPEN, "<->", "<-o", "o->", "o-o", "o--", "--o")
_LONGEST_FIRST = sorted(_MARKS, key=len, reverse=True)


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

    >>> read_edge('smoke → "x -> y"'), read_edge("lung <-- smoke"), read_edge("smoke --- lung")
    (('smoke', 'x -> y'), ('smoke', 'lung'), None)
    """
    first, mark, second = _marked(line) or ("", "", "")
    return (first, second) if mark in _FORWARD else (second, first) if mark in _BACKWARD else None


def _marked(line: str) -> tuple[str, str, str] | None:
    """Return two names and the mark between them; None if the line is something else."""
    first, rest = _first_name(line)
    mark = next((mark for mark in _LONGEST_FIRST if rest.startswith(mark)), "")
    second, rest = _first_name(rest.removeprefix(mark))
    return (first, mark, second) if mark and first and second and not rest else None


def _written(name: str) -> str:
    odd = any(arrow in name for arrow in _FORWARD) or not {*name.split()}.isdisjoint(_MARKS)
    plain = name == name.strip() and not name.startswith('"') and "," not in name and not odd
    return name if plain else '"' + name.replace('"', '""') + '"'


def _first_name(text: str) -> tuple[str, str]:
    """Return the name at the beginning of a text, and what follows it; an empty name if its quotes are not closed.

    A mark other than an arrow forwards is one only between blanks, since names such as co-op hold some.
    """
    text = text.strip()
    if not text.startswith('"'):
        marks = (*_FORWARD, *(f" {mark} " for mark in _MARKS))
        place = min((at for mark in marks if (at := text.find(mark)) >= 0), default=len(text))
        return text[:place].rstrip(), text[place:].lstrip()
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


def read_edge_list(content: bytes) -> tuple[tuple[str, ...], tuple[Edge, ...]]:
    r"""Read names and edges from text: a CSV table with columns parent and child (or from and to), or lines ``a -> b``.

    Without such a header the first two columns are parent and child. Separators are commas, semicolons or tabs. Lines
    may be numbered, as in Tetrad's files, of which the nodes and edges are read; an edge ``a --- b`` is returned in
    both directions. DAGitty's ``dag { a -> b -> c }`` is read as well. Names longer than 500 characters are shortened
    as those of a table are.

    Raises
    ------
    ValueError
        If a line is no edge, or there is none.

    Examples
    --------
    >>> read_edge_list(b"from,to,strength\nrain,wet,0.9\nsprinkler,wet,0.4\n")
    (('rain', 'wet', 'sprinkler'), (('rain', 'wet'), ('sprinkler', 'wet')))
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("the edge list is not text in UTF-8; save it as CSV in UTF-8") from None
    lines = _lines_of_dagitty(text) or [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        raise ValueError("the edge list is empty; write one edge per line, as parent,child")
    if len(lines) > _MOST_EDGES:
        raise ValueError(f"the edge list has {len(lines):,} lines; at most {_MOST_EDGES:,} are read")
    nodes, lines = _parts_of_tetrad(lines)
    if all(map(_NUMBERED.match, lines)):
        lines = [_NUMBERED.sub("", line, count=1) for line in lines]
    marked = [one for line in lines if (one := _marked(line)) is not None]
    found = _by_marks(marked, nodes) if len(marked) == len(lines) else _by_columns(lines)
    edges = tuple(dict.fromkeys((_name(parent), _name(child)) for parent, child in found))
    return tuple(dict.fromkeys([*map(_name, nodes), *(end for edge in edges for end in edge)])), edges


_LINK = re.compile(r"(<->|->|<-|--)")


def _lines_of_dagitty(text: str) -> list[str]:
    """Return the edges of a DAGitty text, such as ``dag { a [pos="0,1"]; a -> b <- c }``, a line each; else none."""
    head, brace, body = text.partition("{")
    if not brace or head.split()[:1] not in (["dag"], ["pdag"]):
        return []
    first, *others = body.rpartition("}")[0].split("[")
    plain = first + "".join(part.partition("]")[2] for part in others)  # without the attributes in brackets
    lines = []
    for statement in re.split(r"[;\n]", plain):
        one, *rest = map(str.strip, _LINK.split(statement))
        for mark, other in zip(rest[::2], rest[1::2], strict=True):
            lines.append(f"{one} {mark} {other}")
            one = other
    return lines


#: The number before an edge of Tetrad's.
_NUMBERED = re.compile(r"[0-9]{1,9}\.\s")


def _parts_of_tetrad(lines: list[str]) -> tuple[list[str], list[str]]:
    """Return the nodes and the lines of edges of a file of Tetrad's; of another list no nodes and all lines."""
    heads = {line.strip(): number for number, line in enumerate(lines) if line.strip() in _TETRAD}
    if len(heads) < len(_TETRAD):
        return [], lines
    nodes, edges = heads["Graph Nodes:"], heads["Graph Edges:"]
    after = lines[edges + 1 :]
    n_edges = next((n for n, line in enumerate(after) if not _NUMBERED.match(line)), len(after))
    named = ";".join(lines[nodes + 1 : edges])
    return [name.strip() for name in named.split(";" if ";" in named else ",") if name.strip()], after[:n_edges]


_TETRAD = ("Graph Nodes:", "Graph Edges:")


def _by_marks(marked: Iterable[tuple[str, str, str]], nodes: Sequence[str]) -> Iterator[Edge]:
    """Return the edges of lines; behind the second name, where nodes are known, a line may say more of its edge."""
    known = set(nodes)
    for first, mark, more in marked:
        second = more.split()[0] if known and more not in known else more
        if mark not in (*_FORWARD, *_BACKWARD, *_OPEN):
            raise ValueError(
                f"the edge list has '{first[:60]} {mark} {second[:60]}', which allows for an unmeasured common cause; "
                "a DAG or CPDAG holds A --> B and A --- B only: write one of these, or leave the line out"
            )
        if mark not in _BACKWARD:
            yield first, second
        if mark not in _FORWARD:
            yield second, first


def _by_columns(lines: Sequence[str]) -> Iterator[Edge]:
    """Return the edges of a table."""
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
    for number, row in enumerate(rows[first:], start=first + 1):
        ends = tuple(row[place].strip() if place < len(row) else "" for place in places)
        if not all(ends):
            raise ValueError(
                f"line {number} of the edge list is no edge: {lines[number - 1][:60]!r}; write parent,child or "
                "parent --> child"
            )
        yield ends[0], ends[1]


def _name(text: str) -> str:
    return bounded_name(composed(text))
