"""Scores of graphs somebody already has: whole, by family, corrected, and as description lengths in bits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bnengine._core.names import checked_names
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import Edge, adjacency_of, find_cycle
from bnengine.scores.correction import LEADING_STRENGTH, corrected
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC, LogLikelihood, TableScore


def _checked_adjacency(data: Dataset, edges: Iterable[Edge]) -> np.ndarray:
    adjacency = adjacency_of(data.names, edges)
    cycle = find_cycle(adjacency)
    if cycle is not None:
        raise ValueError(f"the edges form a cycle: {' → '.join(data.names[v] for v in [*cycle, cycle[0]])}")
    return adjacency


def score(data: Dataset, edges: Iterable[Edge], score: TableScore) -> float:
    """Score of a graph on the data: natural log, higher is better.

    Parameters
    ----------
    data : Dataset
    edges : iterable of (parent, child)
    score : score

    Raises
    ------
    ValueError
        Unknown names, or a cycle, which is named.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(1000, rng=1)
    >>> bn.score(data, [("Smoker", "Cancer")], bn.BIC()) < 0
    True
    """
    adjacency = _checked_adjacency(data, edges)
    scores = LocalScores(data, score)
    return float(sum(scores(v, np.flatnonzero(adjacency[:, v]).tolist()) for v in range(data.n_variables)))


def local_score(data: Dataset, child: str, parents: Sequence[str], score: TableScore) -> float:
    """Local score of one family: natural log, higher is better."""
    parents = checked_names(parents, "parents")
    if child in parents or len(set(parents)) < len(parents):
        raise ValueError(
            f"the parents of '{child}' must be different variables other than itself; got {', '.join(parents)}"
        )
    return LocalScores(data, score)(data.index(child), [data.index(parent) for parent in parents])


def corrected_score(
    data: Dataset,
    resample: Dataset,
    edges: Iterable[Edge],
    score: TableScore,
    correction: str = "leading",
    strength: float = LEADING_STRENGTH,
) -> float:
    """Score of a graph on one resample of the data, bias-corrected: nats, higher is better.

    With ``leading`` this is T - strength |theta| (Steck & Jaakkola 2003, Eq. 7); with ``exact`` the average that
    resampling the given data adds to the graph's score is subtracted, so that the mean over all resamples is the score
    of the data.

    Raises
    ------
    ValueError
        If the resample is not over the data's variables and states, or, for ``exact``, has another number of rows.
    """
    if (resample.names, resample.states) != (data.names, data.states):
        raise ValueError("resample must have the data's variables and states; Dataset.take keeps both")
    adjacency = _checked_adjacency(data, edges)
    families = [(v, np.flatnonzero(adjacency[:, v]).tolist()) for v in range(data.n_variables)]

    def total(rows: Dataset, used: TableScore) -> float:
        scores = LocalScores(rows, used)
        return float(sum(scores(v, parents) for v, parents in families))

    if correction != "exact":
        return total(resample, corrected(score, correction, strength))
    if resample.n_rows != data.n_rows:
        raise ValueError(
            f"the exact correction is for resamples of as many rows as the data, {data.n_rows:,}; this one has "
            f"{resample.n_rows:,}"
        )
    return total(resample, score) - (total(data, score) - total(data, corrected(score, "exact")))


def edge_gains(data: Dataset, edges: Iterable[Edge], score: TableScore) -> dict[Edge, float]:
    """What each edge adds to the score, nats: the graph with it minus the graph without it."""
    adjacency = _checked_adjacency(data, edges)
    scores = LocalScores(data, score)
    gains = {}
    for i, j in zip(*np.nonzero(adjacency), strict=True):
        parents = np.flatnonzero(adjacency[:, j]).tolist()
        others = [p for p in parents if p != i]
        gains[data.names[i], data.names[j]] = scores(j, parents) - scores(j, others)
    return gains


def n_parameters(data: Dataset, edges: Iterable[Edge]) -> int:
    """Free parameters |theta| of a graph: declared states, all parent configurations, observed or not."""
    adjacency = adjacency_of(data.names, edges)
    arities = [int(arity) for arity in data.arities]
    return sum(
        (arities[v] - 1) * math.prod(arities[p] for p in np.flatnonzero(adjacency[:, v])) for v in range(len(arities))
    )


@dataclass(frozen=True)
class DescriptionLength:
    """Two-part description length of data and network, bits; lower is better (Rissanen 1978; Lam & Bacchus 1994).

    Attributes
    ----------
    parameters : int
        |theta|.
    size_bits : float
        |theta| / 2 log2 N: what it takes to write the parameters down.
    log2_likelihood : float
        Base-2 log-likelihood at its maximum; its negative is what it takes to write the data down.
    mdl : float
        ``size_bits - log2_likelihood``, which is -BIC / ln 2.
    """

    parameters: int
    size_bits: float
    log2_likelihood: float
    mdl: float


def mdl(data: Dataset, edges: Iterable[Edge]) -> DescriptionLength:
    """Description length of the data with the given network, bits; lower is better."""
    edges = list(edges)
    parameters = n_parameters(data, edges)
    log2_likelihood = score(data, edges, LogLikelihood()) / math.log(2)
    size_bits = 0.5 * parameters * math.log2(data.n_rows)
    return DescriptionLength(parameters, size_bits, log2_likelihood, size_bits - log2_likelihood)


def explain_empty(data: Dataset, score_used: TableScore | None = None, constraints: Constraints | None = None) -> str:
    """Why a graph without edges was learned: the best allowed edge, and what it would have cost, in a sentence."""
    score_used = score_used or BIC()
    scores, plain = LocalScores(data, score_used), LocalScores(data, LogLikelihood())
    alone = [(scores(v), plain(v)) for v in range(data.n_variables)]
    space = (constraints or Constraints()).resolve(data.names)
    several = data.arities > 1  # a constant gains nothing, and says nothing
    possible = space.allowed & several[:, None] & several[None, :]
    pairs = [(int(i), int(j)) for i, j in np.argwhere(possible)] if space.max_parents else []
    if not pairs:
        return "No edge is possible here."
    gains = [scores(j, [i]) - alone[j][0] for i, j in pairs]
    best = int(np.argmax(gains))
    i, j = pairs[best]
    fit = plain(j, [i]) - alone[j][1]
    return (
        f"No edge gains. The best one, {data.names[i]} → {data.names[j]}, raises the log-likelihood by {fit:.3g} nats, "
        f"and {score_used.name} charges {fit - gains[best]:.3g} nats for it."
    )
