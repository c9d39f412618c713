"""Parents outside the candidates: the odds of edges that the tables cannot have.

For a graph without the edge u → i, in which u may precede i, adding the edge multiplies the posterior weight by
w(S + u) / w(S), where S are the parents of i and w is exp(local score with structure prior). So the mean of that ratio
over graphs drawn from the posterior is the posterior odds of the graphs with that edge, and no other edge from outside
the candidates of i, to those with none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray
from bnengine.graphs.constraints import SearchSpace
from bnengine.posterior.chain import Batch
from bnengine.posterior.parent_set_tables import ParentSetTables
from bnengine.scores.local_score import LocalScores

_LARGEST_GAIN = 50.0  # nats: one draw with such odds is enough to make the variable a candidate


def outside_odds(
    scores: LocalScores,
    space: SearchSpace,
    tables: ParentSetTables,
    graphs: BoolArray,
    chains: IntArray,
    before: Callable[[int], BoolArray],
) -> FloatArray:
    """Return the odds of each edge outside the candidates against none at its child: (chains, V, V).

    Parameters
    ----------
    scores : LocalScores
        Columns as in ``space``; when its stop flag is set, what is not yet scored stays 0.
    space : SearchSpace
    tables : ParentSetTables
    graphs : ndarray of bool, shape (m, V, V)
        Drawn from the posterior.
    chains : ndarray of int, shape (m,)
        Which chain drew each graph: 0, 1, ….
    before : callable
        For a child, whether each variable may become its parent in each draw, shape (m, V): it precedes the child in
        the ordering, or is not among its descendants.
    """
    n, n_chains = len(space.allowed), int(chains.max()) + 1
    odds = np.zeros((n_chains, n, n))
    drawn = np.bincount(chains, minlength=n_chains)[:, None]
    for child in range(n):
        outside = space.allowed[:, child].copy()
        outside[tables.candidates_of(child)] = False
        if not outside.any() or scores.stopped:
            continue
        possible = before(child)
        distinct, number = np.unique(graphs[:, :, child], axis=0, return_inverse=True)
        for s, parents in enumerate(distinct):
            columns, same = np.flatnonzero(parents).tolist(), number.reshape(-1) == s
            if len(columns) >= space.max_parents:
                continue
            share = np.zeros((n_chains, n))
            np.add.at(share, chains[same], possible[same])
            wanted = outside & (share > 0).any(axis=0)
            gains = scores.with_one_more(child, columns, wanted)[wanted] - scores(child, columns)
            odds[:, wanted, child] += (share / drawn)[:, wanted] * np.exp(np.minimum(gains, _LARGEST_GAIN))
    return odds


def with_outside(batches: Sequence[Batch], tables: ParentSetTables, odds: FloatArray) -> list[Batch]:
    """Return a chain's batches with probabilities of the edges outside its candidates, from their ``odds``, (V, V)."""
    is_outside = tables.place.T < 0
    shares = odds / (1.0 + odds.sum(axis=0))
    return [
        batch._replace(mean=np.where(is_outside, shares, batch.mean), square=np.where(is_outside, shares, batch.square))
        for batch in batches
    ]
