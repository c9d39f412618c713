"""Candidate parents of each child: where sampling looks for parent sets.

Most frequent neighbours in graphs learned from resamples, whose over-inclusiveness is welcome here, then the variables
that gain most by themselves (Friedman & Koller 2003, Sec. 4.2; Kuipers, Suter & Moffa 2022).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore
from bnengine.search.column_order import Columns
from bnengine.search.hill_climbing import HillClimbing

#: How many graphs are learned from resamples.
N_GRAPHS = 24


class Resampled(NamedTuple):
    """Learns a graph from each resample that a generator draws."""

    data: Dataset
    score: TableScore
    space: SearchSpace
    weights: npt.NDArray[np.int32]  # (D,) of the distinct rows to draw from
    stop: npt.NDArray[np.uint8]

    def learn(self, generators: list[np.random.Generator]) -> list[Adjacency]:
        """One graph a generator; fewer when stopped."""
        scores = LocalScores(self.data, self.score, self.stop)
        columns = Columns(self.data.names, self.space)
        n_rows = int(self.weights.sum())
        graphs: list[Adjacency] = []
        for rng in generators:
            drawn = rng.multinomial(n_rows, self.weights / n_rows).astype(np.int32)
            order = columns.order(rng)
            scores.reweigh(drawn, order)
            graphs.append(columns.find(HillClimbing(), scores, order, rng).adjacency)
            if scores.stopped:
                break
        return graphs


def candidate_parents(scores: LocalScores, space: SearchSpace, graphs: list[Adjacency], most: int) -> list[list[int]]:
    """At most ``most`` candidates for each child, required parents always, the others by rank.

    Parameters
    ----------
    scores : LocalScores
        Of the data, columns as in ``space``.
    space : SearchSpace
    graphs : list of ndarray of bool, shape (V, V)
        From resamples.
    most : int
        K.
    """
    n = len(space.allowed)
    if n - 1 <= most:
        return [np.flatnonzero(space.allowed[:, child]).tolist() for child in range(n)]
    near = np.zeros((n, n))
    for graph in graphs:
        near += graph | graph.T
    candidates = []
    for child in range(n):
        allowed = space.allowed[:, child]
        alone = scores.with_one_more(child, [], allowed)
        alone[~np.isfinite(alone)] = -1e300
        ranks = np.lexsort((-alone, -near[:, child], ~space.required[:, child]))
        ranked = [v for v in ranks.tolist() if allowed[v]]
        candidates.append(sorted(ranked[: max(most, int(space.required[:, child].sum()))]))
    return candidates
