"""Pure functions on directed graphs, given as a boolean matrix ``A[parent, child]``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from bnengine._core.names import checked_edges

Adjacency = npt.NDArray[np.bool_]
Edge = tuple[str, str]


def adjacency_of(names: Sequence[str], edges: Iterable[Edge]) -> Adjacency:
    """The matrix of a list of (parent, child) names; a ValueError names what is not a variable or not legal."""
    place = {name: v for v, name in enumerate(names)}
    adjacency = np.zeros((len(names), len(names)), dtype=np.bool_)
    for parent, child in checked_edges(edges, "edges"):
        for name in (parent, child):
            if name not in place:
                raise ValueError(
                    f"edge {parent} → {child}: no variable is named '{name}'; the variables are {', '.join(names)}"
                )
        if parent == child:
            raise ValueError(f"edge {parent} → {child} joins a variable to itself")
        adjacency[place[parent], place[child]] = True
    return adjacency


def edges_of(names: Sequence[str], adjacency: Adjacency) -> list[Edge]:
    """The (parent, child) pairs, in column order of the parent, then of the child."""
    return [(names[i], names[j]) for i, j in zip(*np.nonzero(adjacency), strict=True)]


def topological_order(adjacency: Adjacency) -> list[int] | None:
    """An order in which parents precede children, lowest number first where several fit; None if there is a cycle."""
    waiting = adjacency.sum(axis=0).astype(np.int64)
    placed = np.zeros(len(adjacency), dtype=np.bool_)
    order: list[int] = []
    while len(order) < len(adjacency):
        ready = np.flatnonzero((waiting == 0) & ~placed)
        if not ready.size:
            return None
        v = int(ready[0])
        order.append(v)
        placed[v] = True
        waiting -= adjacency[v]
    return order


def is_dag(adjacency: Adjacency) -> bool:
    """Whether the graph has no directed cycle."""
    return topological_order(adjacency) is not None


def find_cycle(adjacency: Adjacency) -> list[int] | None:
    """Some directed cycle as a list of vertices (first not repeated), or None."""
    alive = np.ones(len(adjacency), dtype=np.bool_)
    while True:
        ends = alive & ~((adjacency & alive[None, :] & alive[:, None]).any(axis=0))
        if not ends.any():
            break
        alive &= ~ends
    if not alive.any():
        return None
    walk = [int(np.flatnonzero(alive)[0])]  # every vertex left has a parent left: walk up until one repeats
    while True:
        parent = int(np.flatnonzero(adjacency[:, walk[-1]] & alive)[0])
        if parent in walk:
            return walk[walk.index(parent) :][::-1]
        walk.append(parent)


def ancestors(adjacency: Adjacency) -> npt.NDArray[np.bool_]:
    """``R[i, j]``: there is a directed path of at least one edge from i to j."""
    reach = adjacency.copy()
    for middle in range(len(adjacency)):
        reach |= reach[:, middle : middle + 1] & reach[middle : middle + 1, :]
    return reach


def skeleton(adjacency: Adjacency) -> Adjacency:
    """The symmetric matrix of adjacencies."""
    return adjacency | adjacency.T


def shd(one: Adjacency, other: Adjacency) -> int:
    """Structural Hamming distance: pairs of variables whose edge is missing, extra or otherwise directed.

    On two DAGs every direction counts; on two CPDAGs only what data can tell (Tsamardinos, Brown & Aliferis 2006).
    """
    differs = one != other
    return int(np.triu(differs | differs.T).sum())


def compare_skeletons(one: Adjacency, other: Adjacency) -> tuple[int, int, int]:
    """How many adjacencies two graphs share, how many only the first has, how many only the second."""
    first, second = np.triu(skeleton(one)), np.triu(skeleton(other))
    return int((first & second).sum()), int((first & ~second).sum()), int((~first & second).sum())
