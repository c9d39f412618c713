"""Posterior probabilities of edges with their errors, and graphs drawn from the posterior."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays, UInt8Array
from bnengine._core.display import Displayed, counted, short
from bnengine._core.environment import pd
from bnengine._core.random_generators import share_interval
from bnengine._core.setting_kinds import shown
from bnengine._core.validation import Share, validated
from bnengine.graphs.dag import Adjacency, as_networkx, edge_frame, unpacked
from bnengine.posterior.chain import batch_means, error_of_mean
from bnengine.scores._count_terms import ENTROPY, OBSERVED, OFFSET, REGRET, SHARED
from bnengine.scores.scores import TableScore

#: What the numbers are called where they are a mean of posteriors.
REAL = "probability of being real"
#: Their prior over graphs, in words.
PRIOR_OF_REAL = (
    "a prior uniform over parent-set sizes, lowered by 20 / N nats for each edge of N rows (a third of a nat at most), "
    "without families that leave fewer than two rows to a parent configuration"
)


def score_weight(score: TableScore, n_rows: int) -> str:
    """Return what normalized sums of exp(score) over graphs are called, structure priors aside.

    A marginal likelihood is the probability of the data given the graph, and only its sums are posterior probabilities.
    exp(BIC) approximates one in large samples (Schwarz 1978). A normalized maximum likelihood is a probability of the
    data without a prior over parameters, so its sums are weights by description length; those of other scores, and of
    bias-corrected ones, are weights and no more.
    """
    form = score.form(n_rows)
    functions = (form.cell, form.configuration)
    if form.penalty == 0.0 and functions in ((SHARED, SHARED), (OFFSET, OFFSET), (OBSERVED, OBSERVED)):
        return "posterior probability"
    if form.penalty == 0.0 and (functions == (ENTROPY, REGRET) or form.quotient):
        return "normalized maximum likelihood weight"
    is_schwarz = n_rows > 1 and math.isclose(form.penalty, 0.5 * math.log(n_rows), rel_tol=1e-12)
    if functions == (ENTROPY, ENTROPY) and not form.quotient and is_schwarz:
        return "approximate posterior probability"
    return "normalized weight"


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


#: A difference between chains, in the probability of a pair, from which a result carries a warning.
DISAGREEMENT = 0.1
_NAMED = 5  # pairs in a warning
_LEAST_SPREAD = 0.25  # standard errors that p (1 - p) counts as at least in an interval; benchmarks/intervals.py


def small_sample_factor(n: int) -> float:
    """Return by what the standard error of a mean of n independent numbers is widened, so that twice it covers 95 %.

    The quotient of the 97.5 % quantiles of Student's t with n - 1 degrees of freedom and of the normal distribution.
    """
    return float(stdtrit(n - 1, 0.975) / NormalDist().inv_cdf(0.975)) if n > 1 else 1.0


def packed(graphs: BoolArray) -> UInt8Array:
    """Return graphs, (m, V, V), as ``unpacked`` takes them, (m, bytes)."""
    return np.packbits(graphs.reshape(len(graphs), graphs.shape[1] * graphs.shape[2]), axis=1)


def error_of_few(values: FloatArray) -> FloatArray:
    """Return the standard errors of the means of a few independent probabilities along the first axis.

    Twice such an error covers as much as if there were many. A single one says nothing of others: no more is known than
    the largest standard deviation that a number between 0 and 1 can have.
    """
    if len(values) == 1:
        return np.asarray(np.sqrt(np.clip(values[0] * (1.0 - values[0]), 0.0, None)))
    spread = values.std(axis=0, ddof=1) / math.sqrt(len(values))
    return np.asarray(small_sample_factor(len(values)) * spread)


def interval_of(probability: FloatArray, error: FloatArray) -> FloatArray:
    """Return the ends, (2, …), of 95 % intervals of probabilities with these standard errors.

    A score interval (Wilson 1927), as of the share of as many independent graphs as would have this error. It lies
    within 0 and 1, and near them is longer towards the middle. Without an error both ends are the probability.
    """
    spread = np.maximum(probability * (1.0 - probability), _LEAST_SPREAD * error)
    n = spread / np.where(error > 0, error, 1.0) ** 2
    return np.where(error > 0, share_interval(probability, n), probability)


class Estimate(NamedTuple):
    """A posterior probability and its standard error."""

    probability: float
    error: float

    @property
    def interval(self) -> tuple[float, float]:
        """Ends of a 95 % interval of what infinitely many graphs would give."""
        low, high = interval_of(np.asarray(self.probability), np.asarray(self.error)).tolist()
        return low, high


#: The first part of *real* that is a mean over resamples; those before are of the data themselves. By each
#: representation there are four parts.
FIRST_OF_BAGS, OF_REPRESENTATION = 2, 4
#: Edges of less probability are not listed in a notebook.
_LEAST = 0.01


@dataclass(frozen=True, eq=False)
class EdgePosterior(ReadOnlyArrays, Displayed):
    """Probability of each edge given the data, and graphs drawn with it.

    Attributes
    ----------
    probability : ndarray of float, shape (V, V), read-only
        ``[parent, child]``. *Real*, or under one score its posterior; see ``score`` and ``weight``.
    error : ndarray of float, shape (V, V)
        Standard error: of the means over resamples, over draws of missing cells, and of Markov chains, which covers
        what chains with different starts and candidate parents differ in. 0 where nothing was sampled, and for edges
        that the constraints decide.
    pair_error : ndarray of float, shape (V, V)
        Standard error of the probability that a pair is joined, ``probability + probability.T``.
    under_each_prior : ndarray of float, shape (2, V, V)
        *Real* with BDeu(1) alone and with BDeu(10) alone, whose mean it is: how far the number depends on the prior.
        Where columns are kept as numbers, (3, V, V): before these it is by blocks, half of the mean, so that the range
        is that over representations, too. Under one score, its posterior twice.
    between_chains : ndarray of float, shape (V, V)
        Largest difference between two chains in the probability that a pair is joined; for a mean over posteriors, as
        *real*, by how much it can differ for that. 0 where nothing was sampled.
    packed_graphs : ndarray of uint8, shape (m, bytes)
        Graphs drawn, packed by ``numpy.packbits``; see ``graphs``.
    groups : ndarray of int, shape (m, 3)
        The part of the mean, the chain or resample, and the batch in which each was drawn. The parts of *real* are the
        posteriors under BDeu(1) and under BDeu(10), 0 and 1, and the resamples of N and of 2 N rows, 2 and 3; where
        columns are kept as numbers these are by blocks, and 4 to 7 by cuts. Under one score there is one part, 0.
    method : str
        ``"exact"``: each posterior summed over all orderings, graphs drawn independently; or chains over an
        ``"order"``, with the same prior over graphs.
    score : str
        Its name; for *real* those of both.
    weight : str
        What the numbers are: posterior probabilities, an approximation of them, or neither; see ``score_weight``.
    max_parents : int
    n_evaluations : int
        Number of local scores computed.
    n_chains, n_steps : int
        Chains of one posterior of the data, and moves planned on each rung of their ladders; 0 where it is summed.
    seed : int or None
    status : str
        ``"optimal"`` if summed exactly, ``"converged"`` if all was done that was planned, else ``"stopped"``. Whether
        chains agree, ``warning`` says.
    n_bags : int
        Resamples of each of the two sizes that *real* is a mean over; 0 under one score.
    n_draws : int
        Draws of the missing cells that it is a mean over; 0 if none is missing.
    any_exactly : callable, optional
        What ``any_of`` is summed by where nothing was sampled.
    """

    names: tuple[str, ...]
    probability: FloatArray = field(repr=False)
    error: FloatArray = field(repr=False)
    pair_error: FloatArray = field(repr=False)
    under_each_prior: FloatArray = field(repr=False)
    between_chains: FloatArray = field(repr=False)
    packed_graphs: UInt8Array = field(repr=False)
    groups: IntArray = field(repr=False)
    method: str
    score: str
    weight: str
    max_parents: int
    n_evaluations: int
    n_chains: int
    n_steps: int
    seed: int | None
    status: str
    n_bags: int = 0
    n_draws: int = 0
    any_exactly: Callable[[str, Sequence[str]], float] | None = field(repr=False, compare=False, default=None)

    @property
    def n_batches(self) -> int:
        """Number of batches of the chains, and of resamples, that the graphs drawn are of; few if it was stopped."""
        return len(np.unique(self.groups, axis=0))

    @property
    def is_exact(self) -> bool:
        """Whether nothing was sampled: the sum over all orderings under one score, from complete rows."""
        return self.method == "exact" and not self.n_draws and not self.n_bags

    @property
    def pair_probability(self) -> FloatArray:
        """Probability that each pair is joined, in either direction: (V, V). No graph has both."""
        return np.minimum(self.probability + self.probability.T, 1.0)

    @property
    def interval(self) -> FloatArray:
        """Ends of 95 % intervals, (2, V, V), of the probability that infinitely many resamples and chains would give.

        Like ``error`` they cover the Monte Carlo uncertainty only. ``benchmarks/intervals.py`` measures their coverage.
        """
        return interval_of(self.probability, np.nan_to_num(self.error))

    @property
    def pair_interval(self) -> FloatArray:
        """Ends of 95 % intervals of ``pair_probability``, (2, V, V)."""
        return interval_of(self.pair_probability, np.nan_to_num(self.pair_error))

    @property
    def warning(self) -> str | None:
        """A sentence that names the pairs on which independent chains disagree by more than 0.1, the worst first."""
        places = np.argwhere(np.triu(self.between_chains) > DISAGREEMENT).tolist()
        if not places:
            return None
        places.sort(key=lambda pair: -self.between_chains[*pair])
        pairs = [f"{self.names[i]} – {self.names[j]}" for i, j in places[:_NAMED]]
        more = f" and {len(places) - _NAMED:,} more" if len(places) > _NAMED else ""
        return f"Independent runs disagree on {counted(len(places), 'pair')}: {', '.join(pairs)}{more}."

    @property
    def n_graphs(self) -> int:
        """Number m of graphs drawn."""
        return len(self.packed_graphs)

    def to_frame(self) -> pd.DataFrame:
        """One row per edge: parent, child, probability, and low and high, its 95 % interval; likely ones first."""
        shown, (low, high) = ~np.eye(len(self.names), dtype=np.bool_), self.interval
        frame = edge_frame(self.names, shown, probability=self.probability, low=low, high=high)
        return frame.sort_values("probability", ascending=False, kind="stable", ignore_index=True)

    def table(self) -> pd.DataFrame:
        """One row per pair: parent and child in their more probable direction, the probability that they are joined.

        Also low and high, its 95 % interval, and direction, the share of that probability that has this direction;
        likely pairs first.
        """
        forwards, (low, high) = self.probability, self.pair_interval
        order = np.triu(np.ones_like(forwards, dtype=np.bool_), 1)
        shown = np.where(order, forwards >= forwards.T, forwards > forwards.T) & ~np.eye(len(order), dtype=np.bool_)
        direction = forwards / np.maximum(forwards + forwards.T, np.finfo(float).tiny)
        columns = {"probability": self.pair_probability, "low": low, "high": high, "direction": direction}
        frame = edge_frame(self.names, shown, **columns)
        return frame.sort_values("probability", ascending=False, kind="stable", ignore_index=True)

    @validated
    def to_networkx(self, threshold: Share = 0.5) -> Any:
        """Return the edges above a probability as a ``networkx.DiGraph``, which may have cycles."""
        return as_networkx(self.names, self.probability > threshold, probability=self.probability)

    def _how(self) -> str:
        """Say in a sentence how the probabilities were found."""
        if self.is_exact:
            return "Summed exactly over all orderings: the probabilities have no Monte Carlo error."
        text = ""
        if self.n_bags:
            text = f"The mean of the posterior and of corrected ones of {counted(2 * self.n_bags, 'resample')}. "
        if self.n_draws:
            text += f"Averaged over {counted(self.n_draws, 'draw')} of the missing cells. "
        if self.n_chains:
            text += f"Sampled by {counted(self.n_chains, 'chain')} of {self.n_steps:,} moves, which differ by at most "
            text += f"{short(float(self.between_chains.max()))} in the probability that a pair is joined. "
        text += "The intervals, of 95%, cover what these differ in."
        return f"{text} {self.warning}" if self.warning else text

    def _shown(self) -> tuple[str, pd.DataFrame]:
        stopped = " Stopped before the end." if self.status == "stopped" else ""
        listed, title = self.to_frame(), self.weight.capitalize()
        return (
            f"{title} of each edge, {self.score}. {self._how()}{stopped} It answers whether an edge is real, under the "
            "prior; how often it would be found again, an ensemble answers.",
            listed[listed["probability"] > _LEAST],
        )

    def graphs(self) -> BoolArray:
        """Return the graphs drawn, part by part: adjacency matrices, shape (m, V, V)."""
        return unpacked(self.packed_graphs, len(self.names))

    def of_data(self) -> BoolArray:
        """Return the graphs drawn from the posterior of the data themselves, not of resamples: (m, V, V)."""
        return unpacked(self.packed_graphs[self.groups[:, 0] % OF_REPRESENTATION < FIRST_OF_BAGS], len(self.names))

    @validated
    def feature(self, predicate: Callable[[Adjacency], bool | float]) -> Estimate:
        """Return the probability of any property of a graph.

        Parameters
        ----------
        predicate : callable
            Takes an adjacency matrix ``[parent, child]``, shape (V, V); called once for each distinct graph drawn.

        Returns
        -------
        Estimate
            The share of the graphs drawn for which it holds, and its standard error, from the differences between
            resamples, chains, and batches in which they were drawn.

        Examples
        --------
        >>> import bnengine as bn
        >>> data = bn.load_network("cancer").sample(500, rng=1)
        >>> posterior = bn.edge_posterior(data, bn.BDeu(1), n_steps=20_000)
        >>> many = posterior.feature(lambda graph: graph.sum() >= 2)
        >>> 0 <= many.probability <= 1
        True
        """

        def value(graph: Adjacency) -> FloatArray:
            found = predicate(graph)
            if not isinstance(found, int | float | np.bool_ | np.number):
                raise ValueError(f"predicate must return true, false or a number; got {shown(found)}")
            return np.array([float(found)])

        mean, error = self.mean_of(value)
        return Estimate(float(mean[0]), float(error[0]))

    @validated
    def path(self, start: str, end: str) -> Estimate:
        """Return the probability of a directed path from one variable to another."""
        a, b = self._column(start), self._column(end)
        return self.feature(lambda graph: descendants(graph, a)[b])

    @validated
    def markov_blanket(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Return the probability that each variable is in one's Markov blanket, and errors, (V,) each."""
        v = self._column(name)
        return self.mean_of(lambda graph: markov_blanket(graph, v).astype(np.float64))

    @validated
    def any_of(self, child: str, group: Sequence[str]) -> Estimate:
        """Return the probability that at least one edge joins a variable to a group of others.

        Edges of either direction count, as for ``pair_probability``: which of two equivalent graphs it is, data do not
        tell. Where several variables carry the same information, as items of one scale do, each edge may be open while
        this is nearly certain.

        Parameters
        ----------
        child : str
        group : sequence of str
            Other variables.

        Returns
        -------
        Estimate
            Exact where ``is_exact``, summed anew without these edges; of a single member that of the pair. Else the
            share of the graphs drawn, which lies between the largest probability of a pair and the sum of all. Where
            every graph shows such an edge, its interval is that of as many independent ones as there are batches.

        Raises
        ------
        ValueError
            If a variable is unknown, or the group is empty, or has one twice or the child.

        Examples
        --------
        >>> import bnengine as bn
        >>> data = bn.load_network("cancer").sample(500, rng=1)
        >>> posterior = bn.edge_posterior(data, bn.BDeu(1))
        >>> estimate = posterior.any_of("Cancer", ["Xray", "Dyspnoea"])
        >>> pairs = posterior.pair_probability[2, 3:]
        >>> bool(pairs.max() <= estimate.probability <= pairs.sum())
        True
        """
        v, others = self._column(child), [self._column(name) for name in group]
        if not others or len({v, *others}) <= len(others):
            named = ", ".join(group)
            raise ValueError(f"group must name variables other than '{child}', each once; got {named}")
        pairs = self.pair_probability[v, others]
        if len(others) == 1:
            return Estimate(float(pairs[0]), float(self.pair_error[v, others[0]]))
        if self.is_exact and self.any_exactly is not None:
            return Estimate(self.any_exactly(child, group), 0.0)
        joined = self.joins(v, others).astype(np.float64)
        error = max(float(self._spread_of(joined)), min(self._least_error, _LEAST_SPREAD / self.n_batches))
        return Estimate(float(np.clip(joined.mean(), pairs.max(), min(pairs.sum(), 1.0))), error)

    @validated
    def joins(self, variable: int, others: Sequence[int]) -> BoolArray:
        """Return which of the graphs drawn join a variable to one of others, by their columns: (m,)."""
        n = len(self.names)
        bits = np.array([a * n + b for u in others for a, b in ((u, variable), (variable, u))])
        return np.asarray(((self.packed_graphs[:, bits >> 3] >> (7 - bits % 8).astype(np.uint8)) & 1).any(axis=1))

    def _column(self, name: str) -> int:
        if name not in self.names:
            raise ValueError(f"no variable is named '{name}'; the variables are {', '.join(self.names)}")
        return self.names.index(name)

    @validated
    def mean_of(self, function: Callable[[Adjacency], FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Return means over the graphs drawn of numbers computed from each, and standard errors."""
        place: dict[bytes, int] = {}
        numbers = [place.setdefault(row.tobytes(), len(place)) for row in self.packed_graphs]
        distinct = (unpacked(np.frombuffer(row, np.uint8), len(self.names)) for row in place)
        values = np.array([function(graph) for graph in distinct])[numbers]
        return np.asarray(values.mean(axis=0)), self.error_of(values)

    @validated
    def error_of(self, values: FloatArray) -> FloatArray:
        """Return the standard errors of the means, over the graphs drawn, of values of each, shape (m, …).

        At least that of a share which none of as many independent graphs has: what no graph drawn shows is not
        impossible.

        Raises
        ------
        ValueError
            If there are more or fewer values than graphs drawn.
        """
        if values.shape[:1] != (len(self.groups),):
            raise ValueError(f"values must have one row for each of the {len(self.groups):,} graphs drawn")
        return np.asarray(np.fmax(self._spread_of(values), self._least_error))

    def _spread_of(self, values: FloatArray) -> FloatArray:
        squared = np.zeros(values.shape[1:])
        for part in np.unique(self.groups[:, 0]).tolist():
            own = self.groups[:, 0] == part
            means = batch_means(values[own], self.groups[own, 1:])
            error = error_of_mean(means, np.array([mean.mean(axis=0) for mean in means]))
            if self.n_draws or part % OF_REPRESENTATION >= FIRST_OF_BAGS:
                # one resample or completion carries no information about others
                error = values[own].std(axis=0) if len(means) == 1 else error * small_sample_factor(len(means))
            squared += (own.mean() * error) ** 2
        return np.asarray(np.sqrt(squared))

    @property
    def _least_error(self) -> float:
        uncertain = self.error[self.error > 0]
        least = 1.0 / (self.n_graphs + 2)
        return max(float(uncertain.min()), least) if uncertain.size else least
