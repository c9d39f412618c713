"""Edge confidence: learn a graph on every resample and count how often each edge appears."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from bnengine._core.parallel import Learned, Progress, run
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.resamplers import (
    Bootstrap,
    ParametricBootstrap,
    Resampler,
    checked_replicate,
    replicate_generators,
)
from bnengine.bootstrap.strength_matching import matched
from bnengine.data.dataset import DataError, Dataset
from bnengine.graphs.constraints import Constraints, SearchSpace
from bnengine.graphs.enumeration import gigabytes
from bnengine.networks.network import fit
from bnengine.scores.correction import LEADING_STRENGTH, corrected, correction_refused
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore
from bnengine.search import LearnedGraph, Search, learn
from bnengine.search.column_order import Columns, check_ties, with_ordering

#: Most adjacency entries, over all graphs of an ensemble.
MOST_CELLS = 8 * 2**30


def resample(
    data: Dataset,
    score: TableScore,
    search: Search,
    resampler: Resampler,
    correction: str = "none",
    constraints: Constraints | None = None,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    *,
    strength: float = LEADING_STRENGTH,
    reference: LearnedGraph | None = None,
    target_edges: float | None = None,
    ties: str = "drawn",
) -> Ensemble:
    """Learn a graph on every resample of the data.

    Parameters
    ----------
    data : Dataset
    score, search, resampler
    correction : {"none", "leading", "exact", "matched"}
        What the score is charged on a resample (see ``correction``). ``"matched"`` is ``"leading"`` at the strength
        where the mean number of edges equals ``target_edges``, found by bisection on the same resamples and told in
        the result.
    constraints : Constraints, optional
        They hold in every replicate.
    rng : int, Generator or None
        With one seed, two runs that differ only in score, search or correction see the same resamples. Results do not
        depend on the number of workers.
    executor : concurrent.futures.Executor, optional
        None: threads, one a core (the compiled code holds no global lock). Any other executor, of processes or of a
        cluster, gets picklable pieces of work.
    progress : callable, optional
        Called from the calling thread; see ``Progress``.
    strength : float
        Nats per parameter of the leading correction.
    reference : LearnedGraph, optional
        The data's own graph, if it is at hand; otherwise it is learned here.
    target_edges : float, optional
        What ``"matched"`` matches; None takes the number of edges of the data's own graph.
    ties : {"drawn", "columns"}
        As of ``learn``: each replicate draws an order of its own, so that where two edges are equally good, such as
        the two directions of a reversible edge, each has its share of the replicates. With ``"columns"`` every
        replicate settles them alike, by the order in which the table has the columns.

    Returns
    -------
    Ensemble

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(500, rng=1)
    >>> naive = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(50))
    >>> fair = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(50), correction="leading")
    >>> naive.mean_edges > fair.mean_edges
    True
    """
    resampler.check(data)
    check_ties(ties)
    check_correction(score, correction, resampler)
    refuse_too_large(resampler.n_replicates(data), data.n_variables)
    space = (constraints or Constraints()).resolve(data.names, search.max_parents)
    seed = seed_of(rng)
    if reference is None:
        reference = learn(data, score, search, constraints, rng=0 if seed is None else seed, ties=ties)
    if isinstance(resampler, ParametricBootstrap) and resampler.network is None:
        resampler = dataclasses.replace(resampler, network=fit(data, reference.edges))
    generators = replicate_generators(generator_of(rng), resampler.n_replicates(data))

    def learned_at(strength: float, tell: Progress | None) -> tuple[list[Learned], bool]:
        used = corrected(score, "leading" if correction == "matched" else correction, strength)
        work = _Work(data, used, with_ordering(search, data.names), resampler, space, ties)
        return run(work.learn, copy.deepcopy(generators), executor, tell)  # drawing changes a generator

    if correction == "matched":
        target = len(reference.edges) if target_edges is None else target_edges
        strength, learned, stopped = matched(learned_at, target, len(generators), progress)
    else:
        learned, stopped = learned_at(strength, progress)
    limited = any(status == "max_iterations" for _, _, status in learned)
    width = (data.n_variables**2 + 7) // 8
    return Ensemble(
        names=data.names,
        packed_graphs=np.array([graph for graph, _, _ in learned], dtype=np.uint8).reshape(len(learned), width),
        multiplicities=np.array([times for _, times, _ in learned], dtype=np.int64),
        reference=reference,
        score=score.name,
        search=search.name,
        resampler=resampler.name,
        correction=correction,
        strength=float(strength) if correction in ("leading", "matched") else 0.0,
        n_rows=data.n_rows,
        n_planned=len(generators),
        status="stopped" if stopped else "max_iterations" if limited else "converged",
        seed=seed,
    )


def check_correction(score: TableScore, correction: str, resampler: Resampler) -> None:
    """A ValueError says why a correction does not exist for a score, or does not belong to a resampling method."""
    refused = correction_refused(score, correction)
    if refused is not None:
        raise ValueError(refused)
    if correction == "exact" and not isinstance(resampler, Bootstrap):
        raise ValueError(
            "the exact correction is that of the nonparametric bootstrap, where each count is binomial about its value "
            f"in the given data; with {resampler.name} take 'none', 'leading' or 'matched'"
        )
    if correction in ("exact", "matched") and isinstance(resampler, Bootstrap) and resampler.size is not None:
        raise ValueError(
            f"the {correction} correction compares resamples with the given data and so needs as many rows in both; "
            f"with size={resampler.size} take 'none' or 'leading', or leave size out"
        )


def refuse_too_large(n_graphs: int, n_variables: int) -> None:
    """Refuse more graphs than memory holds: all are kept, and an edge's confidence is counted from them."""
    needed = n_graphs * n_variables**2
    if needed > MOST_CELLS:
        raise DataError(
            f"{n_graphs:,} graphs of {n_variables:,} variables need about {gigabytes(needed)} (a byte for each "
            f"graph and pair of variables), more than the {gigabytes(MOST_CELLS)} allowed: take fewer columns or "
            "fewer replicates n; the delete-1 jackknife (jack_1) has one for every distinct row"
        )


@dataclass(frozen=True)
class _Work:
    """What a worker needs to learn from any replicate; picklable."""

    data: Dataset
    score: TableScore
    search: Search
    resampler: Resampler
    space: SearchSpace
    ties: str

    def learn(
        self, first: int, generators: list[np.random.Generator], tell: Callable[[], bool] | None = None
    ) -> list[Learned]:
        """Learn from consecutive replicates; ``tell`` is called after each and may say stop."""
        scores, columns = LocalScores(self.data, self.score), Columns(self.data.names, self.space, self.ties)
        learned: list[Learned] = []
        for number, generator in enumerate(generators, start=first):
            replicate = checked_replicate(self.resampler.replicate(self.data, number, generator), self.data)
            if replicate.data is not None:
                scores = LocalScores(replicate.data, self.score)
            order = columns.order(generator)
            scores.reweigh(replicate.weights, order)
            found = columns.find(self.search, scores, order, generator)
            learned.append((np.packbits(found.adjacency), replicate.multiplicity, found.status))
            if tell is not None and tell():
                break
        return learned
