"""Chains advanced on workers, what they record batch by batch, and the probabilities and errors from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from typing import NamedTuple, TypeVar

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, Int32Array, IntArray, UInt8Array
from bnengine._core.parallel import Progress, processors, results_of, submitter


class Batch(NamedTuple):
    """What a chain recorded between two looks at it; V variables, e edges from candidates, m graphs drawn.

    Batches are many, and matrices of them would take more memory than all else: these are made when they are read.
    """

    n_records: int
    edges: IntArray  # (e,) places in the flattened matrix
    of_edges: FloatArray  # (2, e) means over the records of P(edge | state), and of its square
    besides: FloatArray  # (V, V) the same for all other edges, shared by the batches of a chain
    trace: FloatArray  # (n_records,) log weight of each state, nats
    graphs: UInt8Array  # (m, bytes) drawn given a state each; adjacency matrices packed by numpy.packbits
    orderings: Int32Array  # (m, V) that each graph was drawn from
    best_graph: UInt8Array  # (bytes,) the heaviest graph met

    @property
    def mean(self) -> FloatArray:
        """Mean of P(edge | state) over the records, (V, V)."""
        return self._matrix(self.of_edges[0])

    @property
    def square(self) -> FloatArray:
        """Mean of its square, (V, V)."""
        return self._matrix(self.of_edges[1])

    def _matrix(self, values: FloatArray) -> FloatArray:
        found = self.besides.copy()
        found.reshape(-1)[self.edges] = values
        return found


class Plan(NamedTuple):
    """How long a chain runs and what it records."""

    n_batches: int
    graphs_per_batch: int
    records_per_graph: int
    thin: int  # moves from one record to the next

    @property
    def n_steps(self) -> int:
        """Number of moves proposed."""
        return self.n_batches * self.graphs_per_batch * self.records_per_graph * self.thin


def plan_for(n_variables: int, n_steps: int, n_batches: int = 20, graphs_per_batch: int = 20) -> Plan:
    """Plan about ``n_steps`` moves on each rung: a state is recorded every V moves."""
    graphs = n_batches * graphs_per_batch
    thin = max(1, min(n_variables, n_steps // graphs))
    return Plan(n_batches, graphs_per_batch, max(1, round(n_steps / (graphs * thin))), thin)


# Probabilities, Monte Carlo errors and diagnostics from the batches of several chains.

_DECIDED = 0.01  # edges with a probability nearer to 0 or 1 say little about how fast a chain moves
_FEW = 0.05  # share of the undecided edges
_BURN_IN = 0.2  # share of each chain's batches that is left out


class Summary(NamedTuple):
    """Edge probabilities and how far they can be trusted; each of shape (V, V), [parent, child]."""

    probability: FloatArray
    error: FloatArray
    pair_error: FloatArray  # of the sum of both directions
    between_chains: FloatArray  # largest difference between two chains in the sum of both directions


def without_burn_in(batches: Sequence[Batch]) -> list[Batch]:
    """Return the batches after the burn-in."""
    return list(batches[int(_BURN_IN * len(batches)) :])


def summary_of(chains: Sequence[Sequence[Batch]], uncertain: BoolArray) -> Summary:
    """Return the means over the chains' batches, burn-in already left out.

    The Monte Carlo standard error is that of batch means (Flegal, Haran & Jones 2008) or, where it is larger, that of
    the chains' means; for edges that are ``uncertain`` at least 1 / (n + 2), n being the effective number of
    independent states: what n draws never showed may yet have a probability of that size (Laplace's rule of
    succession).
    """
    sizes = [np.array([batch.n_records for batch in chain], dtype=np.float64) for chain in chains]
    means = [np.array([batch.mean for batch in chain]) for chain in chains]
    squares = (np.array([batch.square for batch in chain]) for chain in chains)  # one chain's at a time
    chain_means = np.array([_mean(mean, size) for mean, size in zip(means, sizes, strict=True)])
    chain_sizes = np.array([size.sum() for size in sizes])
    probability = _mean(chain_means, chain_sizes)
    variance = np.maximum(
        _mean(np.array([_mean(square, size) for square, size in zip(squares, sizes, strict=True)]), chain_sizes)
        - probability**2,
        0.0,
    )
    error = error_of_mean(means, chain_means)
    with np.errstate(divide="ignore", invalid="ignore"):
        effective = np.where(error > 0, variance / error**2, chain_sizes.sum())
    effective = np.clip(effective, 1.0, chain_sizes.sum())
    n_independent = min(_independent_states(chains), _of_the_slowest(probability, effective))
    pairs = (mean + mean.transpose(0, 2, 1) for mean in means)
    pair_means = chain_means + chain_means.transpose(0, 2, 1)
    pair_error = error_of_mean(pairs, pair_means)
    least = 1.0 / (n_independent + 2.0)
    error = np.where(uncertain, np.fmax(error, least), 0.0)
    pair_error = np.where(uncertain | uncertain.T, np.fmax(pair_error, least), 0.0)
    return Summary(probability, error, pair_error, np.ptp(pair_means, axis=0))


def _independent_states(chains: Sequence[Sequence[Batch]]) -> float:
    """Return how many independent states would know the mean log weight as well."""
    means = [np.array([[batch.trace.mean()] for batch in chain]) for chain in chains]
    trace = np.concatenate([batch.trace for chain in chains for batch in chain])
    error = float(error_of_mean(means, np.array([mean.mean(axis=0) for mean in means]))[0])
    return float(np.clip(trace.var() / error**2, 1.0, len(trace))) if error > 0 else float(len(trace))


def _of_the_slowest(probability: FloatArray, effective: FloatArray) -> float:
    """Return the effective sample size that all but a few of the undecided edges reach."""
    undecided = (probability > _DECIDED) & (probability < 1 - _DECIDED)
    return float(np.quantile(effective[undecided], _FEW)) if undecided.any() else math.inf


def mean_of_chain(batches: Sequence[Batch]) -> FloatArray:
    """Return the edge probabilities that one chain gives, (V, V)."""
    size = np.array([batch.n_records for batch in batches], dtype=np.float64)
    return _mean(np.array([batch.mean for batch in batches]), size)


def _mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    return np.asarray(np.tensordot(weights / weights.sum(), values, axes=1))


def batch_means(values: FloatArray, groups: IntArray) -> list[FloatArray]:
    """Return for each chain the means of values (m, …) by batch; ``groups`` (m, 2) are numbers of chain and batch."""
    batches: dict[int, list[FloatArray]] = {}
    for chain, batch in np.unique(groups, axis=0).tolist():
        batches.setdefault(chain, []).append(values[(groups == (chain, batch)).all(axis=1)].mean(axis=0))
    return [np.array(chain) for chain in batches.values()]


def error_of_mean(means: Iterable[FloatArray], chain_means: FloatArray) -> FloatArray:
    """Return the standard error of the mean over all chains, from their batch means; NaN for a single batch."""
    within = [mean.var(axis=0, ddof=1) / len(mean) for mean in means if len(mean) > 1]
    between = chain_means.var(axis=0, ddof=1) if len(chain_means) > 1 else np.zeros(chain_means.shape[1:])
    if not within and len(chain_means) == 1:
        return np.full(chain_means.shape[1:], np.nan)
    squared = np.mean(within, axis=0) if within else np.zeros(chain_means.shape[1:])
    return np.asarray(np.sqrt(np.maximum(squared, between) / len(chain_means)))


# Advance several chains on workers, round by round, with progress and stop.

State = TypeVar("State")
Result = TypeVar("Result")
#: Called with the number of steps done; returning False stops the run.
StepReport = Callable[[int], bool | None]


def run_steps(
    step: Callable[[State], tuple[State, Result]],
    states: Sequence[State],
    n_steps: int,
    stop: UInt8Array,
    executor: Executor | None = None,
    report_steps: StepReport | None = None,
) -> tuple[list[State], list[list[Result]]]:
    """Take every state ``n_steps`` steps forward; the states of the end and what the steps of each gave, in order.

    Parameters
    ----------
    step : callable
        Picklable if an executor of processes or a cluster runs it. In threads it should look at ``stop``.
    states : sequence
    n_steps : int
    stop : ndarray of uint8, shape (1,)
        Set to 1 when ``report_steps`` returns False; then steps under way are waited for and no others are begun.
    executor : Executor, optional
        None for one thread per core.
    report_steps : callable, optional
        Called from this thread with the number of steps done.
    """
    states, results = list(states), [list[Result]() for _ in states]
    n_threads = max(1, min(processors(), len(states)))
    threads = ThreadPoolExecutor(n_threads) if executor is None else nullcontext(executor)

    def ask() -> bool | None:
        return None if report_steps is None else report_steps(sum(map(len, results)))

    with threads as workers:
        submit = submitter(workers, step)
        # every state takes one step, even if work is to stop already: that step looks at the flag and gives a short,
        # valid result
        futures = {submit(state): number for number, state in enumerate(states)}
        for number, (state, result) in results_of(futures, ask, stop):
            states[number] = state
            results[number].append(result)
            if len(results[number]) < n_steps and not stop[0]:
                futures[submit(state)] = number
    return states, results


def run_with_progress(function: Callable[[], Result], stop: UInt8Array, report_steps: StepReport | None) -> Result:
    """Call a function in a thread and look after progress and stop meanwhile."""
    _, results = run_steps(lambda state: (state, function()), [None], 1, stop, None, report_steps)
    return results[0][0]


PARTS = 1_000  # of the progress of one posterior


def scale_progress(report: Progress | None, parts: int = PARTS) -> Progress | None:
    """Return the callback of one posterior's moves, which reports them as so many parts."""
    return None if report is None else lambda done, total: report(parts * done // max(total, 1), parts)
