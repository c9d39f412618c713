"""Edge probabilities, exact or sampled, with their errors, and graphs drawn from the posterior."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Annotated, NamedTuple

import numpy as np
from scipy.special import stdtrit

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array
from bnengine._core.display import counted, short
from bnengine._core.parallel import Progress
from bnengine._core.setting_kinds import shown
from bnengine._core.validation import Gt, Le, validated
from bnengine.graphs.dag import Adjacency, cpdag, unpacked
from bnengine.posterior.chain import batch_means, error_of_mean
from bnengine.posterior.edge_posterior import EdgeProbabilities
from bnengine.posterior.parent_set_tables import ScoreWeight

# Relations of one variable to each other one in a graph, given by its adjacency matrix.


def descendants(graph: Adjacency, variable: int) -> BoolArray:
    """Return to which columns a directed path leads from a variable, shape (V,)."""
    reached, further = np.zeros(len(graph), dtype=np.bool_), graph[variable]
    while (further != reached).any():
        reached, further = further, further | graph[further].any(axis=0)
    return reached


def markov_blanket(graph: Adjacency, variable: int) -> BoolArray:
    """Return which columns are parents, children, or other parents of children of a variable, shape (V,)."""
    blanket: BoolArray = graph[:, variable] | graph[variable] | graph[:, graph[variable]].any(axis=1)
    blanket[variable] = False
    return blanket


def with_common_parent(graph: Adjacency, variable: int) -> BoolArray:
    """Return which columns have a parent in common with a variable, shape (V,)."""
    return np.asarray(graph[graph[:, variable]].any(axis=0))


#: A difference between chains, in probability, from which a result carries a warning.
DISAGREEMENT = 0.1


def small_sample_factor(n: int) -> float:
    """Return by what the standard error of a mean of n independent numbers is widened, so that twice it covers 95 %.

    The quotient of the 97.5 % quantiles of Student's t with n - 1 degrees of freedom and of the normal distribution.
    """
    return float(stdtrit(n - 1, 0.975) / NormalDist().inv_cdf(0.975)) if n > 1 else 1.0


class Estimate(NamedTuple):
    """A posterior probability and its Monte Carlo standard error."""

    probability: float
    error: float


@dataclass(frozen=True, eq=False)
class SampledPosterior(EdgeProbabilities):
    """Posterior probability of each edge, exact or by Markov chains, and graphs drawn from the posterior.

    Attributes
    ----------
    probability : ndarray of float, shape (V, V), read-only
        ``[parent, child]``. Posterior probabilities if ``weight.is_posterior``; otherwise see ``weight``.
    error : ndarray of float, shape (V, V)
        Monte Carlo standard error: the largest of those from batch means, from the differences between chains, whose
        starts and candidate parents differ, and 1 / (n + 2) for n effectively independent states. 0 where the sum is
        exact, and for edges that the constraints decide.
    r_hat : ndarray of float, shape (V, V)
        Split R-hat: near 1 where the chains agree. NaN if a chain was stopped too early.
    effective_sample_size : ndarray of float, shape (V, V)
        How many independent states would give that error; infinite where the sum is exact.
    between_chains : float
        Largest difference between two chains in the probability of an edge.
    warning : str or None
        A sentence where chains disagree, which names the edges.
    acceptance : mapping from str to float
        Share of the proposed moves that were made, by kind of move.
    trace : ndarray of float, shape (chains, records)
        Log weight of the recorded states, nats; NaN beyond a chain's end. Includes the burn-in.
    map_graph : ndarray of bool, shape (V, V)
        The graph of highest score that the chains met.
    map_score : float
        Its score with structure prior, nats.
    packed_graphs : ndarray of uint8, shape (m, bytes)
        The graphs drawn from the posterior, packed by ``numpy.packbits``; see ``graphs``.
    graph_scores : ndarray of float, shape (m,)
        Their scores with structure prior, nats.
    groups : ndarray of int, shape (m, 2)
        The chain and the batch in which each was drawn.
    method : str
        ``"exact"``: summed over all orderings, the graphs drawn independently; or by chains over an ``"order"``,
        with the same prior over graphs.
    weight : ScoreWeight
        Interpretation of exp(score): a marginal likelihood, an approximation of one, or neither.
    n_evaluations : int
        Number of local scores computed.
    n_chains, n_steps : int
        Chains, and moves planned on each rung of their ladders; 0 where the sum is exact. Of one draw of missing cells.
    status : str
        ``"optimal"`` if summed exactly, ``"converged"`` if all planned moves were made, else ``"stopped"``. Whether the
        chains agree, ``warning`` says.
    n_draws : int
        Draws of the missing cells that it is the mean over, the error covering their differences; 0 if none is missing.
    """

    names: tuple[str, ...]
    probability: FloatArray = field(repr=False)
    error: FloatArray = field(repr=False)
    r_hat: FloatArray = field(repr=False)
    effective_sample_size: FloatArray = field(repr=False)
    between_chains: float
    warning: str | None
    acceptance: Mapping[str, float]
    trace: FloatArray = field(repr=False)
    map_graph: Adjacency = field(repr=False)
    map_score: float
    packed_graphs: UInt8Array = field(repr=False)
    graph_scores: FloatArray = field(repr=False)
    groups: IntArray = field(repr=False)
    method: str
    score: str
    weight: ScoreWeight
    max_parents: int
    n_evaluations: int
    n_chains: int
    n_steps: int
    seed: int | None
    status: str
    n_draws: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether the probabilities have no error: summed exactly, from complete rows."""
        return self.method == "exact" and not self.n_draws

    @property
    def n_graphs(self) -> int:
        """Number m of graphs drawn."""
        return len(self.packed_graphs)

    def _how(self) -> str:
        if self.is_exact:
            return super()._how()
        if self.n_draws:
            said = (
                f"Averaged over {counted(self.n_draws, 'draw')} of the missing cells; errors cover their differences."
            )
        else:
            said = f"Sampled by {counted(self.n_chains, 'chain')} of {self.n_steps:,} moves; chains differ by at most "
            said += f"{short(self.between_chains)} in the probability of an edge."
        return f"{said} Warning: {self.warning.rstrip('.')}." if self.warning else said

    def graphs(self) -> BoolArray:
        """Return the graphs drawn from the posterior, chain by chain: adjacency matrices, shape (m, V, V)."""
        return unpacked(self.packed_graphs, len(self.names))

    @property
    def least_error(self) -> float:
        """Least standard error of a share of the graphs drawn: what none of them shows may have about that share."""
        uncertain = self.error[self.error > 0]
        return float(uncertain.min()) if uncertain.size else 1.0 / (self.n_graphs + 2)

    @property
    def error_factor(self) -> float:
        """By what standard errors from the differences between chains of completions are widened, as these are few."""
        return small_sample_factor(len(np.unique(self.groups[:, 0]))) if self.n_draws else 1.0

    @validated
    def feature(self, predicate: Callable[[Adjacency], bool | float]) -> Estimate:
        """Return the posterior probability of anything that can be said of a graph.

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

        def value(graph: Adjacency) -> FloatArray:
            found = predicate(graph)
            if not isinstance(found, int | float | np.bool_ | np.number):
                raise ValueError(f"predicate must return true, false or a number; got {shown(found)}")
            return np.array([float(found)])

        values = self._values(value)[:, 0]
        return Estimate(float(values.mean()), float(self.error_of(values[:, None])[0]))

    @validated
    def path(self, start: str, end: str) -> Estimate:
        """Return the posterior probability of a directed path from one variable to another."""
        a, b = self._column(start), self._column(end)
        return self.feature(lambda graph: descendants(graph, a)[b])

    @validated
    def common_parent(self, first: str, second: str) -> Estimate:
        """Return the posterior probability that two variables share a parent."""
        a, b = self._column(first), self._column(second)
        return self.feature(lambda graph: with_common_parent(graph, a)[b])

    @validated
    def markov_blanket(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Return the posterior probability that each variable is in one's Markov blanket, and errors, (V,) each."""
        v = self._column(name)
        values = self._values(lambda graph: markov_blanket(graph, v).astype(np.float64))
        return np.asarray(values.mean(axis=0)), self.error_of(values)

    def _column(self, name: str) -> int:
        if name not in self.names:
            raise ValueError(f"no variable is named '{name}'; the variables are {', '.join(self.names)}")
        return self.names.index(name)

    def _values(self, function: Callable[[Adjacency], FloatArray]) -> FloatArray:
        """Return the numbers computed from each graph drawn, shape (m, numbers), once for each distinct graph."""
        distinct, number = np.unique(self.packed_graphs, axis=0, return_inverse=True)
        values = np.array([function(unpacked(row, len(self.names))) for row in distinct])
        return np.asarray(values[number.reshape(-1)])

    @validated
    def error_of(self, values: FloatArray) -> FloatArray:
        """Return the standard errors of the means, over the graphs drawn, of values of each, shape (m, …).

        Raises
        ------
        ValueError
            If there are more or fewer values than graphs drawn.
        """
        if values.shape[:1] != (len(self.groups),):
            raise ValueError(f"values must have one row for each of the {len(self.groups):,} graphs drawn")
        means = batch_means(values, self.groups)
        if self.n_draws and len(means) == 1:  # one completion tells nothing of others
            return np.asarray(values.std(axis=0))
        error = error_of_mean(means, np.array([mean.mean(axis=0) for mean in means]))
        return np.asarray(np.fmax(error * self.error_factor, self.least_error))

    @validated
    def credible_set(
        self, level: Annotated[float, Gt(0), Le(1)] = 0.95, *, equivalence: bool = False
    ) -> list[tuple[Adjacency, float]]:
        """Return the fewest graphs drawn that together have at least this share of all draws, most frequent first.

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
        n, counts = len(self.names), Counter[bytes]()
        for row, times in Counter(map(bytes, self.packed_graphs)).items():
            counts[np.packbits(cpdag(_graph(row, n))).tobytes() if equivalence else row] += times
        chosen, mass = [], 0
        for row, times in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            if mass >= level * self.n_graphs - 1e-9:
                break
            chosen.append((_graph(row, n), times / self.n_graphs))
            mass += times
        return chosen


def _graph(row: bytes, n: int) -> Adjacency:
    return unpacked(np.frombuffer(row, dtype=np.uint8), n)


PARTS = 1_000  # of the progress of one posterior


def in_parts(tell: Progress | None, parts: int = PARTS) -> Progress | None:
    """Return the callback of one posterior's moves, which reports them as so many parts."""
    return None if tell is None else lambda done, total: tell(parts * done // max(total, 1), parts)
