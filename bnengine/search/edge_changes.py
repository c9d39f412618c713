"""The single-edge changes of a graph: which are legal, what each gains, and the cycle that one would close."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array, UInt64Array
from bnengine._core.validation import one_of, validated
from bnengine._jit.compiled import Pointer, compiled, inlined
from bnengine._jit.records import Handle, handle_of, mix, record, record_from, with_room
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints, SearchSpace
from bnengine.graphs.dag import Adjacency, Edge, adjacency_of, ancestors, cycle_in_words, dag_of, edges_of
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import ScoreContext, local_score, score_context, scores_with_one_more
from bnengine.scores.scores import BIC, TableScore
from bnengine.search.result import SearchResult

Graph = UInt8Array  # a matrix of truth values, a byte each

NOTHING, ADD, DELETE, REVERSE = 0, 1, 2, 3


@record
class GraphState(NamedTuple):
    """A graph that a search changes edge by edge, and what it knows of its neighbours.

    In compiled code matrices are indexed as ``adjacency[parent * n + child]``.
    """

    allowed: Graph  # (V, V) [parent, child]
    required: Graph  # (V, V)
    adjacency: Graph  # (V, V) the present graph
    best: Graph  # (V, V) the best graph so far
    other: Graph  # (V, V) one more graph that a search remembers
    family: Annotated[FloatArray, "n_variables"]  # local scores
    gains: Annotated[FloatArray, "n_variables, n_variables"]  # of adding or deleting each edge, nats; or -infinity
    reach: Annotated[UInt64Array, "n_variables, n_words"]  # bit sets: the variables that each has a directed path to
    n_parents: Annotated[IntArray, "n_variables"]
    trace: Annotated[FloatArray, "most_steps"]  # score after each step
    max_parents: int
    most_steps: int
    n_variables: int  # V
    n_words: int


#: The graph state behind the handle that a search is called with.
graph_state = record_from(GraphState)


def graph_state_for(space: SearchSpace, most_steps: int) -> GraphState:
    """Return the state of a search through a space, with the required edges alone."""
    n = len(space.allowed)
    required = np.ascontiguousarray(space.required).view(np.uint8)
    return with_room(
        GraphState,
        allowed=np.ascontiguousarray(space.allowed).view(np.uint8),
        required=required,
        adjacency=required.copy(),
        best=required.copy(),
        other=required.copy(),
        max_parents=space.max_parents,
        most_steps=most_steps,
        n_variables=n,
        n_words=(n + 63) // 64,
    )


class GraphSearch:
    """A graph state in Python's hands, with the handle that compiled functions take.

    Parameters
    ----------
    space : SearchSpace
    most_steps : int
        Length of the trace.
    """

    def __init__(self, space: SearchSpace, most_steps: int) -> None:
        self.state = graph_state_for(space, most_steps)
        self.handle = handle_of(self.state)

    def start_again(self) -> None:
        """Return to the required edges alone."""
        for graph in (self.state.adjacency, self.state.best, self.state.other):
            graph[:] = self.state.required

    def result(
        self,
        score: float,
        n_scored: int,
        status: str,
        trace: FloatArray,
        diagnostics: Mapping[str, FloatArray] = MappingProxyType({}),
    ) -> SearchResult:
        """Return the best graph so far as the search's result."""
        return SearchResult(self.state.best.copy().view(np.bool_), float(score), n_scored, status, trace, diagnostics)


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
def find_reach(state: GraphState) -> None:
    """Write which variables each variable has a directed path to."""
    adjacency, reach, n, n_words = state.adjacency, state.reach, state.n_variables, state.n_words
    for i in range(n):
        for w in range(n_words):
            reach[i * n_words + w] = np.uint64(0)
        for j in range(n):
            if adjacency[i * n + j]:
                reach[i * n_words + (j >> 6)] |= np.uint64(1) << np.uint64(j & 63)
    for middle in range(n):
        for i in range(n):
            if reaches(state, i, middle):
                for w in range(n_words):
                    reach[i * n_words + w] |= reach[middle * n_words + w]


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


# Local scores of a family with each of many further parents, each as if it were asked for by itself.
#
# ``LocalScores.with_one_more`` is faster, but adds up a family's cells in another order: the last digits may differ
# from those of a single question. Here they do not.


@compiled
def _score_larger(handle: Handle, child: int, parents: IntArray, wanted: UInt8Array, out: FloatArray) -> None:
    context = score_context(handle)
    larger = context.work.parents
    for v in range(wanted.shape[0]):
        if wanted[v] == 0:
            continue
        n_before = 0
        for p in range(parents.shape[0]):  # sorted: the new one stands between those before and those after it
            after = parents[p] > v
            larger[p + after] = parents[p]
            n_before += not after
        larger[n_before] = v
        out[v] = local_score(context, child, larger, parents.shape[0] + 1)


def scores_of_larger(scores: LocalScores, child: int, parents: IntArray, wanted: BoolArray) -> FloatArray:
    """Return local scores with each wanted variable as a further parent, nats, shape (V,); else -infinity."""
    out = np.full(len(wanted), -np.inf)
    _score_larger(scores.handle, child, parents, wanted.astype(np.uint8), out)
    return out


EDGE_CHANGES = ("add", "delete", "reverse")


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
def single_changes(
    data: Dataset, edges: Iterable[Edge], score: TableScore | None = None, constraints: Constraints | None = None
) -> list[EdgeChange]:
    """Return every legal change of one edge with what it gains, the best first.

    A score that decomposes makes this cheap: an addition or deletion changes one family, a reversal two.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)
    score : score, default BIC()
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
    names = data.names
    adjacency = dag_of(names, edges)
    space = (constraints or Constraints()).resolve(names)
    scores = LocalScores(data, score or BIC())
    parents = [np.flatnonzero(adjacency[:, v]).tolist() for v in range(len(names))]
    family = [scores(v, parents[v]) for v in range(len(names))]
    if -math.inf in family:
        raise ValueError(
            f"the score of these edges is minus infinity, so no change has a gain: the data show states of "
            f"'{names[family.index(-math.inf)]}' and its parents together that are impossible under the prior network; "
            "take a prior network that allows them"
        )
    reach = ancestors(adjacency)
    added, legal = _additions(scores, adjacency, reach, space)
    i, j = np.nonzero(legal)
    others = _other_changes(scores, adjacency, reach, space, family)
    found = (
        np.concatenate([np.zeros(len(i), dtype=np.int64), [kind for kind, *_ in others]]).astype(np.int64),
        np.concatenate([i, [parent for _, parent, *_ in others]]).astype(np.int64),
        np.concatenate([j, [child for _, _, child, _ in others]]).astype(np.int64),
        np.concatenate([(added - family)[i, j], [gain for *_, gain in others]]),
    )
    kinds, i, j, gains = found
    order = np.lexsort((kinds, j, i, -np.round(gains / tolerance(data.n_rows))))  # ties stand in column order
    return [
        EdgeChange(EDGE_CHANGES[kind], names[parent], names[child], gain)
        for kind, parent, child, gain in zip(*(part[order].tolist() for part in found), strict=True)
    ]


def _additions(
    scores: LocalScores, adjacency: Adjacency, reach: Adjacency, space: SearchSpace
) -> tuple[FloatArray, Adjacency]:
    """Return the children's local scores with each legal further edge, and which are legal, [parent, child]."""
    room = adjacency.sum(axis=0) < space.max_parents
    legal = space.allowed & ~adjacency & ~adjacency.T & ~reach.T & room
    larger = np.full(legal.shape, -np.inf)
    for j in np.flatnonzero(legal.any(axis=0)).tolist():
        larger[:, j] = scores_of_larger(scores, j, np.flatnonzero(adjacency[:, j]), legal[:, j])
    return larger, legal


def _other_changes(
    scores: LocalScores, adjacency: Adjacency, reach: Adjacency, space: SearchSpace, family: Sequence[float]
) -> list[tuple[int, int, int, float]]:
    """Return the edges that may go or be turned round: kind (place in ``EDGE_CHANGES``), parent, child, gain."""
    found = []
    for i, j in np.argwhere(adjacency & ~space.required).tolist():
        dropped = scores(j, [p for p in np.flatnonzero(adjacency[:, j]).tolist() if p != i]) - family[j]
        found.append((1, i, j, dropped))
        detour = (adjacency[i] & reach[:, j]).any()
        others = np.flatnonzero(adjacency[:, i]).tolist()
        if not detour and space.allowed[j, i] and len(others) < space.max_parents:
            found.append((2, i, j, dropped + scores(i, [*others, j]) - family[i]))
    return found


@validated
def change_edge(names: Sequence[str], edges: Iterable[Edge], kind: str, parent: str, child: str) -> list[Edge]:
    """Return the edges after one change, in column order.

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
    adjacency = adjacency_of(names, [*edges, (parent, child)])  # checks the names
    adjacency = adjacency_of(names, edges)
    i, j = list(names).index(parent), list(names).index(child)
    if kind == "add":
        if adjacency[i, j]:
            raise ValueError(f"{parent} → {child} is in the graph already")
        if adjacency[j, i]:
            raise ValueError(f"{child} → {parent} is in the graph already: reverse it instead")
        _refuse_cycle(names, adjacency, i, j)
        adjacency[i, j] = True
        return edges_of(names, adjacency)
    if not adjacency[i, j]:
        raise ValueError(f"{parent} → {child} is not in the graph, so there is nothing to {kind}")
    adjacency[i, j] = False
    if kind == "reverse":
        _refuse_cycle(names, adjacency, j, i)
        adjacency[j, i] = True
    return edges_of(names, adjacency)


def _refuse_cycle(names: Sequence[str], adjacency: Adjacency, i: int, j: int) -> None:
    """Refuse the new edge i → j if there is a path from j to i; the shortest one is named."""
    before: dict[int, int] = {j: -1}
    waiting = [j]
    for v in waiting:  # breadth first; the list grows while it is read
        for w in np.flatnonzero(adjacency[v]).tolist():
            if w not in before:
                before[w] = v
                waiting.append(w)
    if i not in before:
        return
    path = [i]
    while path[-1] != j:
        path.append(before[path[-1]])
    walk = cycle_in_words([names[v] for v in [i, *path[:0:-1]]])
    raise ValueError(f"{names[i]} → {names[j]} would close the cycle {walk}")
