"""The single-edge changes of a graph: which are legal, what each gains, and the cycle that one would close."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Adjacency, Edge, adjacency_of, ancestors, edges_of, find_cycle
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC, TableScore
from bnengine.search._parents import tolerance

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


def single_changes(
    data: Dataset,
    edges: Iterable[Edge],
    score: TableScore | None = None,
    constraints: Constraints | None = None,
) -> list[EdgeChange]:
    """Every legal change of one edge with what it gains, the best first.

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
    adjacency = adjacency_of(names, edges)
    cycle = find_cycle(adjacency)
    if cycle is not None:
        raise ValueError(f"the edges form a cycle: {_walk(names, cycle)}")
    space = (constraints or Constraints()).resolve(names)
    scores = LocalScores(data, score or BIC())
    reach = ancestors(adjacency)
    parents = [np.flatnonzero(adjacency[:, v]).tolist() for v in range(len(names))]
    family = [scores(v, parents[v]) for v in range(len(names))]
    if -math.inf in family:
        raise ValueError(
            f"the score of these edges is minus infinity, so no change has a gain: the data show states of "
            f"'{names[family.index(-math.inf)]}' and its parents together that are impossible under the prior network; "
            "take a prior network that allows them"
        )
    changes = []
    for i in range(len(names)):
        for j in range(len(names)):
            if adjacency[i, j] and not space.required[i, j]:
                dropped = scores(j, [p for p in parents[j] if p != i]) - family[j]
                changes.append(EdgeChange("delete", names[i], names[j], dropped))
                detour = (adjacency[i] & reach[:, j]).any()
                if not detour and space.allowed[j, i] and len(parents[i]) < space.max_parents:
                    turned = dropped + scores(i, [*parents[i], j]) - family[i]
                    changes.append(EdgeChange("reverse", names[i], names[j], turned))
            elif (
                space.allowed[i, j]
                and not adjacency[i, j]
                and not adjacency[j, i]
                and not reach[j, i]
                and len(parents[j]) < space.max_parents
            ):
                changes.append(EdgeChange("add", names[i], names[j], scores(j, [*parents[j], i]) - family[j]))
    margin = tolerance(data.n_rows)
    return sorted(changes, key=lambda change: -np.round(change.gain / margin))  # stable: ties keep column order


def change_edge(names: Sequence[str], edges: Iterable[Edge], kind: str, parent: str, child: str) -> list[Edge]:
    """The edges after one change, in column order.

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
    if kind not in EDGE_CHANGES:
        raise ValueError(f"kind must be one of {', '.join(EDGE_CHANGES)}; got '{kind!s:.60}'")
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
    raise ValueError(f"{names[i]} → {names[j]} would close the cycle {_walk(names, [i, *path[:0:-1]])}")


def _walk(names: Sequence[str], cycle: Sequence[int]) -> str:
    return " → ".join(names[v] for v in [*cycle, cycle[0]])
