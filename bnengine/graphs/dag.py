"""Pure functions on directed graphs, given as a boolean matrix ``A[parent, child]``; Markov equivalence and CPDAGs."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import BoolArray, IntArray, UInt8Array
from bnengine._core.environment import pd
from bnengine._core.setting_kinds import some_of
from bnengine._core.validation import Ge, Le, validated

Adjacency = BoolArray
Edge = tuple[str, str]


class Graph:
    """Base of results with ``names`` and an ``adjacency`` ``[parent, child]``: taken wherever edges are."""

    if TYPE_CHECKING:

        @property
        def names(self) -> tuple[str, ...]: ...
        @property
        def adjacency(self) -> Adjacency: ...

    @property
    def edges(self) -> list[Edge]:
        """The (parent, child) pairs in column order."""
        return edges_of(self.names, self.adjacency)

    def to_networkx(self) -> Any:
        """Return the graph as a ``networkx.DiGraph``."""
        return as_networkx(self.names, self.adjacency)


def unpacked(packed: UInt8Array, n: int) -> Adjacency:
    """Return graphs of n variables packed by ``numpy.packbits``, shape (…, bytes): adjacency matrices (…, n, n)."""
    bits = np.unpackbits(packed, axis=-1, count=n * n)
    return bits.reshape(*packed.shape[:-1], n, n).view(np.bool_)


def adjacency_of(names: Sequence[str], edges: Iterable[Edge]) -> Adjacency:
    """Return the matrix of (parent, child) pairs of names; raise a ValueError that names an edge that is not valid."""
    place = {name: v for v, name in enumerate(names)}
    adjacency = np.zeros((len(names), len(names)), dtype=np.bool_)
    for parent, child in edges:
        for name in (parent, child):
            if name not in place:
                raise ValueError(
                    f"edge {parent} → {child}: no variable is named '{name}'; the variables are {some_of(names)}"
                )
        if parent == child:
            raise ValueError(f"edge {parent} → {child} connects a variable to itself")
        adjacency[place[parent], place[child]] = True
    return adjacency


def dag_of(names: Sequence[str], edges: Iterable[Edge], called: str = "the edges") -> Adjacency:
    """Return the matrix of (parent, child) pairs as ``adjacency_of``; a ValueError names a directed cycle, too."""
    adjacency = adjacency_of(names, edges)
    refuse_cycle(edges_of(names, adjacency), called)
    return adjacency


def refuse_cycle(edges: Iterable[Edge], called: str = "the edges") -> None:
    """Raise a ValueError that names a directed cycle, if there is one; no matrix is made, so names may be many."""
    parents: dict[str, list[str]] = {}
    for parent, child in edges:
        parents.setdefault(child, []).append(parent)
    try:
        TopologicalSorter(parents).prepare()
    except CycleError as error:
        walk = cycle_in_words(error.args[1][:-1])
        raise ValueError(f"{called} form a cycle: {walk}; a network has none: remove or reverse one of them") from None


def edges_of(names: Sequence[str], adjacency: Adjacency) -> list[Edge]:
    """Return the (parent, child) pairs in column order of the parent, then of the child."""
    return [(names[i], names[j]) for i, j in zip(*np.nonzero(adjacency), strict=True)]


def edge_frame(names: Sequence[str], shown: Adjacency, **matrices: npt.NDArray[Any]) -> pd.DataFrame:
    """Tabulate the edges in ``shown``, in column order: parent, child, and each matrix's entry [parent, child]."""
    i, j = np.nonzero(shown)
    ends = {"parent": [names[v] for v in i.tolist()], "child": [names[v] for v in j.tolist()]}
    return pd.DataFrame({**ends, **{name: matrix[i, j] for name, matrix in matrices.items()}})


def places_of(names: Sequence[str], table: pd.DataFrame) -> tuple[IntArray, IntArray]:
    """Return the column numbers of the parents and of the children in a table of edges."""
    place = {name: v for v, name in enumerate(names)}
    parents, children = (np.array([place[name] for name in table[end]], dtype=np.int64) for end in ("parent", "child"))
    return parents, children


def as_networkx(names: Sequence[str], adjacency: Adjacency, **matrices: npt.NDArray[Any]) -> Any:
    """Make a ``networkx.DiGraph`` with the variables in column order, and a number of each matrix at every edge."""
    import networkx

    graph = networkx.DiGraph()
    graph.add_nodes_from(names)
    for i, j in np.argwhere(adjacency).tolist():
        graph.add_edge(names[i], names[j], **{key: float(matrix[i, j]) for key, matrix in matrices.items()})
    return graph


def topological_order(adjacency: Adjacency) -> list[int] | None:
    """Return the lexicographically smallest topological order; None if the graph has a cycle."""
    children = _children(adjacency)
    waiting = adjacency.sum(axis=0).tolist()
    ready = [v for v, parents in enumerate(waiting) if parents == 0]
    order: list[int] = []
    while ready:
        order.append(heapq.heappop(ready))
        for child in children[order[-1]]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, child)
    return order if len(order) == len(adjacency) else None


def _children(adjacency: Adjacency) -> list[list[int]]:
    """Return each variable's children, in column order; of a large graph the matrix is looked through once."""
    children: list[list[int]] = [[] for _ in adjacency]
    for edge in np.flatnonzero(adjacency).tolist():
        parent, child = divmod(edge, len(adjacency))
        children[parent].append(child)
    return children


def is_dag(adjacency: Adjacency) -> bool:
    """Return whether the graph has no directed cycle."""
    return topological_order(adjacency) is not None


def cycle_in_words(cycle: Sequence[str]) -> str:
    """Return the names along a cycle, back to the first; of a long one its first few and the last.

    >>> cycle_in_words(["a", "b"])
    'a → b → a'
    """
    shown = [*cycle[:_LONGEST_WALK], "…", cycle[-1]] if len(cycle) > _LONGEST_WALK + 1 else cycle
    return " → ".join([*shown, cycle[0]])


_LONGEST_WALK = 10  # vertices of a cycle that a message shows


def ancestors(adjacency: Adjacency) -> BoolArray:
    """Return the matrix R with ``R[i, j]`` true if a directed path leads from i to j."""
    reach = adjacency.copy()
    for middle in range(len(adjacency)):
        reach |= reach[:, middle : middle + 1] & reach[middle : middle + 1, :]
    return reach


def checked_graph(adjacency: Adjacency, argument: str = "adjacency") -> Adjacency:
    """Return the matrix; a ValueError if it is not a square matrix of truth values."""
    given = np.asarray(adjacency)
    if given.ndim != 2 or given.shape[0] != given.shape[1] or given.dtype != np.bool_:
        raise ValueError(
            f"{argument} must be a square matrix of truth values, [parent, child]; got an array of {given.dtype}, "
            f"shape {given.shape}"
        )
    return given


def blankets(adjacency: Adjacency) -> BoolArray:
    """Return which variables are in each one's Markov blanket, (V, V): parents, children, and their other parents."""
    married = adjacency.astype(np.int64) @ adjacency.T > 0
    return np.asarray((adjacency | adjacency.T | married) & ~np.eye(len(adjacency), dtype=np.bool_))


def skeleton(adjacency: Adjacency) -> Adjacency:
    """Return the symmetric matrix of adjacencies."""
    return adjacency | adjacency.T


@validated
def shd(one: Adjacency | Graph, other: Adjacency | Graph) -> int:
    """Return the structural Hamming distance: pairs of variables whose edge is missing, extra or directed differently.

    Between two DAGs every direction counts; between two CPDAGs only compelled directions do (Tsamardinos, Brown &
    Aliferis 2006).

    Parameters
    ----------
    one, other : ndarray of bool, shape (V, V), [parent, child]; or a learned graph, a network or a verdict
        Two that have names may list their variables in different orders.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If the matrices are not square, or differ in shape or in their variables.

    Examples
    --------
    >>> import numpy as np
    >>> shd(np.array([[False, True], [False, False]]), np.array([[False, False], [True, False]]))
    1
    """
    if isinstance(one, Graph) and isinstance(other, Graph):
        if sorted(one.names) != sorted(other.names):
            raise ValueError(
                f"one and other must have the same variables; got {some_of(one.names)} and {some_of(other.names)}"
            )
        other = adjacency_of(one.names, other.edges)
    one = checked_graph(one.adjacency if isinstance(one, Graph) else one, "one")
    other = checked_graph(other.adjacency if isinstance(other, Graph) else other, "other")
    if one.shape != other.shape:
        raise ValueError(f"one and other must have the same variables; got shapes {one.shape} and {other.shape}")
    differs = one != other
    return int(np.triu(differs | differs.T).sum())


# The number of labelled graphs of several kinds.


@validated
def n_undirected_graphs(n_variables: Annotated[int, Ge(0), Le(10_000)]) -> int:
    """Return the number of undirected graphs on labelled variables: 2**(n (n - 1) / 2)."""
    return 1 << (n_variables * (n_variables - 1) // 2)


@validated
@lru_cache(maxsize=64)
def n_dags(n_variables: Annotated[int, Ge(0), Le(500)]) -> int:
    """Return the number of directed acyclic graphs on labelled variables (Robinson 1973).

    Exact, by the recurrence a(n) = sum over k of (-1)**(k + 1) C(n, k) 2**(k (n - k)) a(n - k). The numbers have about
    n**2 / 2 bits, and each of the n**2 / 2 terms is one shift and one product of such a number with a short one.

    Examples
    --------
    >>> [n_dags(n) for n in range(1, 6)]
    [1, 3, 25, 543, 29281]
    """
    counts = [1]
    for n in range(1, n_variables + 1):
        choose, total = 1, 0
        for k in range(1, n + 1):
            choose = choose * (n - k + 1) // k
            term = (choose * counts[n - k]) << (k * (n - k))
            total = total + term if k % 2 else total - term
        counts.append(total)
    return counts[n_variables]


@validated
def n_trees(n_variables: Annotated[int, Ge(0), Le(10_000)]) -> int:
    """Return the number of undirected trees on labelled variables: n**(n - 2) (Cayley 1889)."""
    return 1 if n_variables < 3 else n_variables ** (n_variables - 2)


# Markov equivalence of DAGs, and the completed partially directed graph (CPDAG) of an equivalence class.
#
# Two DAGs are equivalent if they have the same skeleton and the same v-structures (Verma & Pearl 1990). Experiments
# tell more DAGs apart: with rows in which variables were set, the class is the smaller one of the DAGs that are
# equivalent under interventions, and its CPDAG has more compelled edges (Hauser & Bühlmann 2012).


@validated
def cpdag(adjacency: Adjacency, targets: Sequence[Sequence[int]] = ()) -> Adjacency:
    """Return the CPDAG of a DAG: ``C[i, j]`` without ``C[j, i]`` is a compelled edge, both together a reversible one.

    Edges are labelled child by child in topological order (Chickering 1995, Sec. 3): whether those into a child are
    compelled follows from its last parent, so that the work grows with the number of edges.

    Parameters
    ----------
    adjacency : ndarray of bool, shape (V, V)
        ``[parent, child]``.
    targets : sequence of sequence of int, optional
        The variables that were set in each experiment, if some were. Then it is the interventional CPDAG (Hauser &
        Bühlmann 2012, Theorem 18): an edge is also compelled if an experiment set one of its ends but not the other, or
        if the edges compelled so far leave it no other direction without a new v-structure or a cycle (Meek 1995).

    Returns
    -------
    ndarray of bool, shape (V, V)

    Raises
    ------
    ValueError
        If the graph has a directed cycle.

    Examples
    --------
    >>> import numpy as np
    >>> cpdag(np.array([[False, True], [False, False]])).tolist()
    [[False, True], [True, False]]
    """
    adjacency = checked_graph(adjacency)
    order = topological_order(adjacency)
    if order is None:
        raise ValueError("adjacency must have no directed cycle, since only a DAG has a CPDAG; remove an edge of it")
    rank = {v: place for place, v in enumerate(order)}
    parents = _children(adjacency.T)
    known = [set(own) for own in parents]
    compelled: list[list[int]] = [[] for _ in order]
    found = skeleton(adjacency)
    for child in order:
        if not parents[child]:
            continue
        last = max(parents[child], key=rank.__getitem__)
        inherited = all(v in known[child] for v in compelled[last])
        joined = all(v == last or v in known[last] for v in parents[child])
        compelled[child] = compelled[last] if inherited and joined else parents[child]
        found[child, compelled[child]] = False
    return _told_apart(adjacency, found, targets) if any(targets) else found


def _told_apart(adjacency: Adjacency, found: Adjacency, targets: Sequence[Sequence[int]]) -> Adjacency:
    """Return the CPDAG with the reversible edges directed that experiments compel."""
    n = len(adjacency)
    outside = next((v for variables in targets for v in variables if not 0 <= v < n), None)
    if outside is not None:
        raise ValueError(f"targets must be column numbers 0 to {n - 1}; got {outside}")
    was_set = np.zeros((len(targets), n), dtype=np.bool_)
    for experiment, variables in enumerate(targets):
        was_set[experiment, list(variables)] = True
    compelled = adjacency & (was_set[:, :, None] != was_set[:, None, :]).any(axis=0)
    far = ~skeleton(adjacency) & ~np.eye(n, dtype=np.bool_)
    while compelled.any():
        found = found & ~compelled.T
        directed, open_edges = found & ~found.T, found & found.T
        into = directed.astype(np.int64)
        chain = (into.T @ far) > 0  # c → a – b, c and b not joined: else a new v-structure
        detour = (into @ into) > 0  # a → c → b: else a cycle
        compelled = adjacency & open_edges & (chain | detour)
        for a, b in np.argwhere(adjacency & open_edges & ~compelled).tolist():
            between = open_edges[a] & directed[:, b]  # a – c → b and a – d → b, c and d not joined: else one of both
            compelled[a, b] = bool(far[np.ix_(between, between)].any())
    return found


# A learned graph compared with a graph that is known to be true.


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
        Both acyclic, over these variables. An edge of the truth in both directions, as in a CPDAG, is true whichever
        way it was learned.

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
    one, other = dag_of(names, learned), adjacency_of(names, known)
    settled = other & ~other.T
    refuse_cycle(edges_of(names, settled), "the true edges")
    has, given = set(known), set(learned)
    turned = tuple(edge for edge in learned if edge not in has and edge[::-1] in has)
    extra = tuple(edge for edge in learned if edge not in has and edge[::-1] not in has)
    pairs = {frozenset(edge): edge for edge in known}
    missing = tuple(edge for edge in pairs.values() if not given & {edge, edge[::-1]})
    return EdgeComparison(
        true=tuple(edge for edge in learned if edge in has),
        reversed=turned,
        extra=extra,
        missing=missing,
        shd=len(turned) + len(extra) + len(missing),
        class_shd=shd(cpdag(one), cpdag(other) if (settled == other).all() else other),
    )
