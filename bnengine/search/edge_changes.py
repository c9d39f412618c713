"""The single-edge changes of a graph: which are legal, what each gains, and the cycle that one would close.

Searches that go from change to change keep a ``GraphState``: the graph, what each change gains, and what reaches what.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array, UInt64Array
from bnengine._core.validation import one_of, validated
from bnengine._jit.compiled import Pointer, compiled, inlined
from bnengine._jit.records import LANES, allocate, handle_of, lowest, mix, record, record_from, where_set
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints, SearchSpace
from bnengine.graphs.dag import Adjacency, Edge, adjacency_of, ancestors, as_networkx, cycle_in_words, dag_of, edges_of
from bnengine.scores.local_score import LocalScores, default_score
from bnengine.scores.score_context import ScoreContext, local_score, scores_with_one_more
from bnengine.scores.scores import TableScore

EDGE_CHANGES = ("add", "delete", "reverse")


@validated
def single_changes(
    data: Dataset, edges: Iterable[Edge], score: TableScore | None = None, *, constraints: Constraints | None = None
) -> list[EdgeChange]:
    """Return every legal change of one edge with what it gains, the best first.

    A score that decomposes makes this cheap: an addition or deletion changes one family, a reversal two.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)
    score : score, default BIC(), of numbers GaussianBIC()
    constraints : Constraints, optional

    Returns
    -------
    list of EdgeChange
        Additions that would close a cycle are absent. Equal gains (within rounding) stand in column order.

    Raises
    ------
    ValueError
        Unknown names, edges with a cycle, which is named, or edges whose score is minus infinity already.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(2000, rng=1)
    >>> best = bn.teaching.single_changes(data, [])[0]
    >>> best.kind, best.bits < 0
    ('add', True)
    """
    names, adjacency = data.names, dag_of(data.names, edges)
    space, scores = (constraints or Constraints()).resolve(names), LocalScores(data, score or default_score(data))
    parents = [np.flatnonzero(column).tolist() for column in adjacency.T]
    family = [scores(v, parents[v]) for v in range(len(names))]
    if -math.inf in family:
        raise ValueError(
            f"the score of these edges is minus infinity, so no change has a gain: the data show states of "
            f"'{names[family.index(-math.inf)]}' and its parents together that are impossible under the prior network; "
            "take a prior network that allows them"
        )
    i, j, kinds = np.nonzero(np.stack(legal_changes(adjacency, space), axis=2))
    gains = np.empty(len(i))
    for change, (parent, child, kind) in enumerate(zip(i.tolist(), j.tolist(), kinds.tolist(), strict=True)):
        kept = [v for v in parents[child] if v != parent]
        gains[change] = scores(child, kept if kind else [*kept, parent]) - family[child]
        if EDGE_CHANGES[kind] == "reverse":
            gains[change] += scores(parent, [*parents[parent], child]) - family[parent]
    order = np.lexsort((kinds, j, i, -np.round(gains / tolerance(data.n_rows))))  # ties stand in column order
    in_order = zip(*(part[order].tolist() for part in (kinds, i, j, gains)), strict=True)
    return [EdgeChange(EDGE_CHANGES[kind], names[parent], names[child], gain) for kind, parent, child, gain in in_order]


@dataclass(frozen=True)
class EdgeChange:
    """One legal change of one edge.

    Attributes
    ----------
    kind : {"add", "delete", "reverse"}
    parent, child : str
        The edge as it is before a deletion or reversal, and after an addition.
    gain : float
        What the score gains, nats; positive is better. Minus infinity where the changed graph is impossible under BDe's
        prior network.
    bits : float
        What the description length changes by, bits, if the score is BIC: -gain / ln 2; negative is better.
    """

    kind: str
    parent: str
    child: str
    gain: float

    @property
    def bits(self) -> float:
        return -self.gain / math.log(2)


@validated
def change_edge(names: Sequence[str], edges: Iterable[Edge], kind: str, parent: str, child: str) -> list[Edge]:
    """Return the edges after one change, in column order.

    Parameters
    ----------
    names : sequence of str
        All variables.
    edges : iterable of (parent, child)
    kind : {"add", "delete", "reverse"}
    parent, child : str
        The edge to change; to be reversed or deleted it must be among the edges.

    Returns
    -------
    list of (parent, child)

    Raises
    ------
    ValueError
        A change that cannot be made; where it would close a cycle the sentence names the cycle.

    Examples
    --------
    >>> change_edge(["a", "b", "c"], [("a", "b"), ("b", "c")], "add", "c", "a")
    Traceback (most recent call last):
    ...
    ValueError: c → a would close the cycle c → a → b → c
    """
    one_of(kind, "kind", EDGE_CHANGES)
    adjacency_of(names, [(parent, child)])  # checks the names
    adjacency = adjacency_of(names, edges)
    i, j = list(names).index(parent), list(names).index(child)
    if kind == "add":
        if adjacency[i, j]:
            raise ValueError(f"{parent} → {child} is in the graph already")
        if adjacency[j, i]:
            raise ValueError(f"{child} → {parent} is in the graph already: reverse it instead")
        return _with_edge(names, adjacency, i, j)
    if not adjacency[i, j]:
        raise ValueError(f"{parent} → {child} is not in the graph, so there is nothing to {kind}")
    adjacency[i, j] = False
    return edges_of(names, adjacency) if kind == "delete" else _with_edge(names, adjacency, j, i)


def _with_edge(names: Sequence[str], adjacency: Adjacency, i: int, j: int) -> list[Edge]:
    """Return the edges and i → j; a ValueError names the shortest cycle that it would close."""
    import networkx

    graph, parent, child = as_networkx(names, adjacency), names[i], names[j]
    if networkx.has_path(graph, child, parent):
        walk = cycle_in_words([parent, *networkx.shortest_path(graph, child, parent)[:-1]])
        raise ValueError(f"{parent} → {child} would close the cycle {walk}")
    adjacency[i, j] = True
    return edges_of(names, adjacency)


def legal_changes(adjacency: Adjacency, space: SearchSpace) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Return which edges may be added, deleted and reversed within the space, each of shape (V, V), [parent, child]."""
    reach, room = ancestors(adjacency), adjacency.sum(axis=0) < space.max_parents
    added = space.allowed & ~adjacency & ~adjacency.T & ~reach.T & room
    deleted = adjacency & ~space.required
    other_path = adjacency @ reach
    return added, deleted, deleted & space.allowed.T & room[:, None] & ~other_path


Graph = UInt8Array  # a matrix of truth values, a byte each

NOTHING, ADD, DELETE, REVERSE = 0, 1, 2, 3


@record
class GraphState(NamedTuple):
    """A graph that a search changes edge by edge, and what it knows of its neighbours.

    In compiled code matrices are indexed as ``adjacency[parent * n + child]``.
    """

    allowed: Graph  # (V, V) [parent, child]
    required: Graph  # (V, V)
    adjacency: Annotated[Graph, "n_variables, n_variables"]  # (V, V) the present graph
    best: Annotated[Graph, "n_variables, n_variables"]  # (V, V) the best graph so far
    other: Annotated[Graph, "n_variables, n_variables"]  # (V, V) one more graph that a search remembers
    family: Annotated[FloatArray, "n_variables"]  # local scores
    gains: Annotated[FloatArray, "n_variables, n_variables"]  # of adding or deleting each edge, nats; or -infinity
    reach: Annotated[UInt64Array, "n_variables, n_words"]  # bit sets: the variables that each has a directed path to
    n_parents: Annotated[IntArray, "n_variables"]
    ordering: Annotated[IntArray, "n_variables"]  # room for a topological one
    waiting: Annotated[IntArray, "n_variables"]  # and for how many parents of each do not stand in it yet
    trace: Annotated[FloatArray, "most_steps"]  # score after each step
    recent: Annotated[UInt64Array, "n_recent"]  # a ring: keys of the graphs left last, by how they differ from a first
    max_parents: int
    most_steps: int
    n_recent: int
    n_variables: int  # V
    n_words: int


#: The graph state behind the handle that a search is called with.
graph_state = record_from(GraphState)


class GraphSearch:
    """A graph state at the required edges alone, with the handle that compiled functions take.

    Parameters
    ----------
    space : SearchSpace
    most_steps : int
        Length of the trace.
    n_recent : int
        How many of the graphs left last are remembered.
    """

    def __init__(self, space: SearchSpace, most_steps: int, n_recent: int = 0) -> None:
        n = len(space.allowed)
        self.state = allocate(
            GraphState,
            allowed=np.ascontiguousarray(space.allowed).view(np.uint8),
            required=np.ascontiguousarray(space.required).view(np.uint8),
            max_parents=space.max_parents,
            most_steps=most_steps,
            n_recent=n_recent,
            n_variables=n,
            n_words=(n + 63) // 64,
        )
        self.handle = handle_of(self.state)
        self.start_again()

    def start_again(self) -> None:
        """Return to the required edges alone."""
        for graph in (self.state.adjacency, self.state.best, self.state.other):
            graph[:] = self.state.required

    def best(self) -> Adjacency:
        """Return the best graph so far."""
        return self.state.best.copy().view(np.bool_)


_LATEST: WeakKeyDictionary[LocalScores, tuple[SearchSpace, GraphSearch]] = WeakKeyDictionary()


def graph_search(scores: LocalScores, space: SearchSpace, most_steps: int) -> GraphSearch:
    """Return a graph search at its start; the last one with these scores is used again if it fits."""
    latest_space, latest = _LATEST.get(scores, (None, None))
    if latest is None or latest_space is not space or latest.state.most_steps != most_steps:
        latest = GraphSearch(space, most_steps)
        _LATEST[scores] = space, latest
    else:
        latest.start_again()
    return latest


@compiled
def copy_graph(state: GraphState, source: Pointer, target: Pointer) -> None:
    """Overwrite one graph by another."""
    for e in range(state.n_variables * state.n_variables):
        target[e] = source[e]


@compiled
def parents_in(state: GraphState, child: int, out: Pointer) -> int:
    """Write the sorted parents of ``child`` to ``out``; returns how many there are."""
    k = 0
    for v in range(state.n_variables):
        if state.adjacency[v * state.n_variables + child]:
            out[k] = v
            k += 1
    return k


@compiled
def edge_key(i: int, j: int) -> np.uint64:
    """Return an edge's key; a graph's key is the exclusive or of its edges' keys."""
    return mix((np.uint64(i) << np.uint64(20)) + np.uint64(j) + np.uint64(1))


@inlined
def reaches(state: GraphState, i: int, j: int) -> bool:
    """Return whether there is a directed path from i to j."""
    return (state.reach[i * state.n_words + (j >> 6)] >> np.uint64(j & 63)) & np.uint64(1) != 0  # type: ignore[no-any-return]


@compiled
def _find_children(state: GraphState) -> None:
    """Write the children of each variable to its bit set, and to ``waiting`` how many parents each has."""
    adjacency, reach, n, n_words = state.adjacency, state.reach, state.n_variables, state.n_words
    for v in range(n):
        state.waiting[v] = 0
    for i in range(n):
        for w in range(n_words):
            reach[i * n_words + w] = np.uint64(0)
        whole = n - n % LANES
        for start in range(0, whole, LANES):
            reach[i * n_words + (start >> 6)] |= where_set(adjacency, i * n + start, 0) << np.uint64(start & 63)
        for j in range(whole, n):
            if adjacency[i * n + j]:
                reach[i * n_words + (j >> 6)] |= np.uint64(1) << np.uint64(j & 63)
        for w in range(n_words):
            word = reach[i * n_words + w]
            while word != 0:
                state.waiting[(w << 6) + lowest(word)] += 1
                word &= word - np.uint64(1)


@compiled
def find_reach(state: GraphState) -> None:
    """Write which variables each variable has a directed path to: those of its children, from the last one back."""
    reach, ordering, n_words, n_ordered, first = state.reach, state.ordering, state.n_words, 0, 0
    _find_children(state)
    for v in range(state.n_variables):
        if state.waiting[v] == 0:
            ordering[n_ordered] = v
            n_ordered += 1
    while first < n_ordered:
        at = ordering[first] * n_words
        first += 1
        for w in range(n_words):
            word = reach[at + w]
            while word != 0:
                child = (w << 6) + lowest(word)
                word &= word - np.uint64(1)
                state.waiting[child] -= 1
                if state.waiting[child] == 0:
                    ordering[n_ordered] = child
                    n_ordered += 1
    for place in range(n_ordered - 1, -1, -1):
        at = ordering[place] * n_words
        for w in range(n_words):
            word = reach[at + w]
            while word != 0:
                child = (w << 6) + lowest(word)
                word &= word - np.uint64(1)
                for other in range(n_words):
                    reach[at + other] |= reach[child * n_words + other]


@compiled
def _extend_reach(state: GraphState, i: int, j: int) -> None:
    """Update what reaches what after the edge i → j was added."""
    reach, n_words = state.reach, state.n_words
    for a in range(state.n_variables):
        if a == i or reaches(state, a, i):
            for w in range(n_words):
                reach[a * n_words + w] |= reach[j * n_words + w]
            reach[a * n_words + (j >> 6)] |= np.uint64(1) << np.uint64(j & 63)


@compiled
def reversal_makes_cycle(state: GraphState, i: int, j: int) -> bool:
    """Return whether i has another path to j than the edge i → j."""
    for middle in range(state.n_variables):
        if middle != j and state.adjacency[i * state.n_variables + middle] and reaches(state, middle, j):
            return True
    return False


@compiled
def total_score(state: GraphState) -> float:
    """Return the score of the graph: its local scores summed in column order."""
    total = 0.0
    for v in range(state.n_variables):
        total += state.family[v]
    return total


@compiled
def refresh(context: ScoreContext, state: GraphState, child: int) -> None:
    """Update the child's local score and gains.

    Minus infinity marks what is not allowed, and additions whose penalty alone shows that they cannot gain. Such an
    addition cannot make a reversal the best move either: the deletion it begins with would gain as much.
    """
    n, adjacency, gains, work = state.n_variables, state.adjacency, state.gains, context.work
    parents, fewer, wanted, extended = work.parents, work.fewer, work.wanted, work.extended
    k = parents_in(state, child, parents)
    score = local_score(context, child, parents, k)
    state.family[child] = score
    for v in range(n):
        wanted[v] = state.allowed[v * n + child] and not adjacency[v * n + child] and k < state.max_parents
    scores_with_one_more(context, child, parents, k, wanted, score, extended)
    for v in range(n):
        gains[v * n + child] = extended[v] - score if extended[v] > -np.inf else -np.inf
    for p in range(k):
        parent = parents[p]
        if not state.required[parent * n + child]:
            for other in range(k):
                fewer[other - (other > p)] = parents[other]
            without = local_score(context, child, fewer, k - 1)
            gains[parent * n + child] = without - score if without > -np.inf else -np.inf


@compiled
def start_at(context: ScoreContext, state: GraphState) -> None:
    """Fill in local scores, gains and paths of the present graph."""
    for child in range(state.n_variables):
        refresh(context, state, child)
    find_reach(state)


@compiled
def make_move(context: ScoreContext, state: GraphState, kind: int, i: int, j: int) -> None:
    """Change the edge i → j, and bring the children's scores and the paths up to date."""
    n = state.n_variables
    state.adjacency[i * n + j] = kind == ADD
    if kind == REVERSE:
        state.adjacency[j * n + i] = True
        refresh(context, state, i)
    refresh(context, state, j)
    if kind == ADD:
        _extend_reach(state, i, j)
    else:
        find_reach(state)


@compiled
def tolerance(n_rows: int) -> float:
    """Return the difference of scores, nats, below which they tie (rounding); ties go by column order."""
    return 1e-9 * max(n_rows, 1)
