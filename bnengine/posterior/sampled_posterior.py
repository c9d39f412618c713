"""The result of sampling: edge probabilities with their errors, and graphs drawn from the posterior."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bnengine._core.read_only import ReadOnlyArrays
from bnengine.graphs.cpdag import cpdag
from bnengine.graphs.dag import Adjacency
from bnengine.posterior.score_weights import ScoreWeight

Numbers = npt.NDArray[np.float64]

#: A difference between chains, in probability, from which a result carries a warning.
DISAGREEMENT = 0.1


class Estimate(NamedTuple):
    """A posterior probability and its Monte-Carlo standard error."""

    probability: float
    error: float


@dataclass(frozen=True, eq=False)
class SampledPosterior(ReadOnlyArrays):
    """Posterior probability of each edge, by Markov chains, and graphs drawn from the posterior.

    Attributes
    ----------
    names : tuple of str
    probability : ndarray of float, shape (V, V), read-only
        ``[parent, child]``. Posterior probabilities if ``weight.is_posterior``; otherwise see ``weight``.
    error : ndarray of float, shape (V, V)
        Monte-Carlo standard error, from batch means and from the differences between chains, the larger of the two.
    r_hat : ndarray of float, shape (V, V)
        Split R-hat: near 1 where the chains agree. NaN if a chain was stopped too early.
    effective_sample_size : ndarray of float, shape (V, V)
        How many independent states would give that error.
    between_chains : float
        Largest difference between two chains in the probability of an edge.
    warning : str or None
        A sentence where chains disagree.
    acceptance : mapping from str to float
        Share of the proposed moves that were made, by kind of move.
    trace : ndarray of float, shape (chains, records)
        Log weight of the recorded states, nats; NaN beyond a chain's end. Includes the burn-in.
    map_graph : ndarray of bool, shape (V, V)
        The graph of highest score that the chains met.
    map_score : float
        Its score with structure prior, nats.
    method : str
        ``"order"`` or ``"partition"``: the prior over graphs.
    score : str
    weight : ScoreWeight
        Interpretation of exp(score): a marginal likelihood, an approximation of one, or neither.
    max_parents : int
    n_evaluations : int
        Number of local scores computed.
    n_chains, n_steps : int
        Chains, and moves planned for each.
    seed : int or None
    status : str
        ``"converged"`` if all planned moves were made, else ``"stopped"``. Whether the chains agree, ``warning`` says.
    """

    names: tuple[str, ...]
    probability: Numbers = field(repr=False)
    error: Numbers = field(repr=False)
    r_hat: Numbers = field(repr=False)
    effective_sample_size: Numbers = field(repr=False)
    between_chains: float
    warning: str | None
    acceptance: Mapping[str, float]
    trace: Numbers = field(repr=False)
    map_graph: Adjacency = field(repr=False)
    map_score: float
    packed_graphs: npt.NDArray[np.uint8] = field(repr=False)
    graph_scores: Numbers = field(repr=False)
    groups: npt.NDArray[np.int64] = field(repr=False)
    method: str
    score: str
    weight: ScoreWeight
    max_parents: int
    n_evaluations: int
    n_chains: int
    n_steps: int
    seed: int | None
    status: str

    @property
    def n_graphs(self) -> int:
        """Number m of graphs drawn."""
        return len(self.packed_graphs)

    def graphs(self) -> npt.NDArray[np.bool_]:
        """The graphs drawn from the posterior, chain by chain: adjacency matrices, shape (m, V, V)."""
        n = len(self.names)
        bits = np.unpackbits(self.packed_graphs, axis=1, count=n * n)
        return bits.reshape(-1, n, n).astype(np.bool_)

    def feature(self, predicate: Callable[[Adjacency], bool | float]) -> Estimate:
        """Posterior probability of anything that can be said of a graph.

        Parameters
        ----------
        predicate : callable
            Takes an adjacency matrix ``[parent, child]``, shape (V, V); called once for each distinct graph drawn.

        Returns
        -------
        Estimate
            The share of the graphs drawn for which it holds, and its standard error, from the means of the batches in
            which they were drawn and the differences between chains.

        Examples
        --------
        >>> import bnengine as bn
        >>> data = bn.load_network("cancer").sample(500, rng=1)
        >>> posterior = bn.sample_posterior(data, n_steps=20_000)
        >>> many = posterior.feature(lambda graph: graph.sum() >= 2)
        >>> 0 <= many.probability <= 1
        True
        """
        distinct, number = np.unique(self.packed_graphs, axis=0, return_inverse=True)
        n = len(self.names)
        holds = np.array(
            [float(predicate(np.unpackbits(row, count=n * n).reshape(n, n).astype(np.bool_))) for row in distinct]
        )
        values = holds[number.reshape(-1)]
        return Estimate(float(values.mean()), _error(values, self.groups))

    def credible_set(self, level: float = 0.95, *, equivalence: bool = False) -> list[tuple[Adjacency, float]]:
        """The fewest graphs drawn that together have at least this share of all draws, most frequent first.

        Parameters
        ----------
        level : float
            Between 0 and 1.
        equivalence : bool
            Count Markov equivalence classes, given by their CPDAGs, instead of DAGs.

        Returns
        -------
        list of (ndarray of bool of shape (V, V), float)
            Graphs and their shares. Where nearly all graphs drawn differ, shares are too small to mean much.
        """
        if not 0 < level <= 1:
            raise ValueError(f"level must be greater than 0 and at most 1; got {level}")
        n, counts = len(self.names), Counter[bytes]()
        for row, times in Counter(map(bytes, self.packed_graphs)).items():
            graph = _unpacked(row, n)
            counts[np.packbits(cpdag(graph)).tobytes() if equivalence else row] += times
        chosen, mass = [], 0
        for row, times in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            if mass >= level * self.n_graphs - 1e-9:
                break
            chosen.append((_unpacked(row, n), times / self.n_graphs))
            mass += times
        return chosen


def _unpacked(row: bytes, n: int) -> Adjacency:
    bits = np.unpackbits(np.frombuffer(row, dtype=np.uint8), count=n * n)
    return bits.reshape(n, n).astype(np.bool_)


def _error(values: Numbers, groups: npt.NDArray[np.int64]) -> float:
    """Standard error of a mean over draws, each with the number of its chain and of its batch, shape (m, 2)."""
    by_batch: dict[int, list[float]] = {}
    for chain, batch in np.unique(groups, axis=0).tolist():
        inside = (groups[:, 0] == chain) & (groups[:, 1] == batch)
        by_batch.setdefault(chain, []).append(float(values[inside].mean()))
    n_chains = len(by_batch)
    within = [np.var(means, ddof=1) / len(means) for means in by_batch.values() if len(means) > 1]
    chains = [float(np.mean(means)) for means in by_batch.values()]
    between = float(np.var(chains, ddof=1)) if n_chains > 1 else 0.0
    if not within and n_chains == 1:
        return math.nan
    return math.sqrt(max(float(np.mean(within)) if within else 0.0, between) / n_chains)
