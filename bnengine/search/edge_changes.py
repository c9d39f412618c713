"""The single-edge changes of a graph: which are legal, what each gains, and the cycle that one would close."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array
from bnengine._core.validation import one_of, validated
from bnengine._jit.compiled import compiled
from bnengine._jit.records import Handle
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints, SearchSpace
from bnengine.graphs.dag import Adjacency, Edge, adjacency_of, ancestors, cycle_in_words, dag_of, edges_of
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import local_score, score_context
from bnengine.scores.scores import BIC, TableScore
from bnengine.search._neighbourhood import tolerance

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
    """Return the local score of a family with each wanted variable as one more parent, nats, shape (V,).

    Else -infinity.

    ``parents`` is sorted and holds no wanted variable.
    """
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
    data: Dataset,
    edges: Iterable[Edge],
    score: TableScore | None = None,
    constraints: Constraints | None = None,
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
    """Return the children's local scores with each edge that may be added, and which these are, [parent, child].

    They are nearly all changes, so their families are scored in compiled code.
    """
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
