"""Greedy addition of edges, past the score's maximum."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bnengine.data.dataset import Dataset
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore
from bnengine.search._parents import tolerance

MOST_PARENTS = 5


def check_limits(max_parents: int, most_edges: int | None) -> None:
    """Raise a ValueError if a limit is negative."""
    if max_parents < 0 or (most_edges is not None and most_edges < 0):
        raise ValueError(f"max_parents and most_edges must be 0 or more; got {max_parents} and {most_edges}")


def greedy_edges(data: Dataset, score: TableScore, max_parents: int) -> Iterator[tuple[int, int]]:
    """Yield (parent, child) of the legal edge that raises the score most or lowers it least, until none is legal.

    Among equal gains, the first edge in column order is taken.
    """
    scores, n = LocalScores(data, score), data.n_variables
    adjacency, gains = np.zeros((n, n), dtype=np.bool_), np.zeros((n, n))
    reach = np.eye(n, dtype=np.bool_)  # [i, j]: a path leads from i to j, or they are the same

    def refresh(child: int) -> None:
        parents = np.flatnonzero(adjacency[:, child]).tolist()
        gains[:, child] = -np.inf
        if len(parents) < max_parents:
            wanted = ~adjacency[:, child]
            wanted[child] = False
            gains[:, child] = scores.with_one_more(child, parents, wanted) - scores(child, parents)

    for child in range(n):
        refresh(child)
    while True:
        legal = np.where(reach.T, -np.inf, gains)  # i → j closes a cycle if a path leads from j to i
        best = legal.max()
        if best == -np.inf:
            return
        parent, child = divmod(int(np.argmax(legal >= best - tolerance(data.n_rows))), n)
        yield parent, child
        adjacency[parent, child] = True
        reach |= reach[:, parent, None] & reach[child]
        refresh(child)
