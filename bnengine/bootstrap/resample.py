"""Edge confidence: learn a graph from every resample and count each edge; matched strength; further replicates."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

import numpy as np

from bnengine._core.arrays import UInt8Array
from bnengine._core.display import gigabytes
from bnengine._core.environment import free_bytes
from bnengine._core.parallel import Flag, Learned, Progress, Step, learn_some, run, shared_progress, stoppable
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.validation import accepts, one_of, validated
from bnengine.bootstrap.cut_anew import CutAnew, Discretization, check_cut_anew
from bnengine.bootstrap.ensemble import Ensemble, combined_status
from bnengine.bootstrap.resamplers import (
    Bootstrap,
    ParametricBootstrap,
    PredictiveBootstrap,
    Resampler,
    checked_replicate,
    n_graphs_learned,
    replicate_generators,
    replicates_planned,
)
from bnengine.data.checked_frame import DataError
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints, SearchSpace
from bnengine.networks.network import fit
from bnengine.scores.correction import CORRECTIONS, LEADING_STRENGTH, corrected
from bnengine.scores.evaluation import score as score_of
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore
from bnengine.search import LearnedGraph, Search, learn
from bnengine.search.learning import Columns, DrawnCells, check_ties, resampled, search_from_graph

# Replicates added to a finished ensemble: the same as if they had been asked for from the start.

_DIGITS = 1e-9  # of a score, relative


def check_continued(
    ensemble: Ensemble, data: Dataset, score: TableScore, settings: dict[str, object], n_planned: int
) -> None:
    """Raise a ValueError unless an ensemble can be continued with these settings to ``n_planned`` graphs.

    Parameters
    ----------
    ensemble : Ensemble
    data, score
        Of the further replicates: the graph that the ensemble learned from its data must have the same score here.
    settings : dict from attribute of Ensemble to value
        Of the further replicates.
    n_planned : int
        Graphs in all.
    """
    if ensemble.status == "stopped":
        raise ValueError(
            "continued must be a finished ensemble; this one was stopped, and which of its replicates are missing is "
            "not known: run it again"
        )
    if ensemble.correction == "matched":
        raise ValueError(
            "continued must be an ensemble whose strength does not depend on its replicates; 'matched' finds it from "
            f"all of them: run it again, or continue one with correction='leading', strength={ensemble.strength:g}"
        )
    if ensemble.seed is None:
        raise ValueError("continued must be an ensemble made with a whole number as rng, which repeats its replicates")
    for name, value in settings.items():
        if getattr(ensemble, name) != value:
            argument = "rng" if name == "seed" else "data" if name in ("names", "n_rows") else name
            had = getattr(ensemble, name)
            raise ValueError(f"{argument} must be as for the continued ensemble, {name} = {had!r}; got {value!r}")
    n = ensemble.n_graphs
    if n_planned < n:
        raise ValueError(f"n must be at least {n:,}, the replicates of the continued ensemble; got {n_planned:,}")
    if data.missing_way == "drawn":  # the graph's score is that of one draw
        return
    here = score_of(data, ensemble.reference.edges, score)
    if not np.isclose(here, ensemble.reference.score, rtol=_DIGITS, atol=_DIGITS * data.n_rows):
        raise ValueError(
            f"data must be those of the continued ensemble: the graph learned from them had the score "
            f"{ensemble.reference.score:.9g} under {ensemble.score}, but has {here:.9g} on these data"
        )


def check_repeated(ensemble: Ensemble, learn_again: Callable[[int], UInt8Array]) -> None:
    """Raise a ValueError unless the first and the last graph of an ensemble are learned again from their replicates.

    An ensemble does not record everything that it depends on, such as constraints and a search's limits.
    """
    for number in sorted({0, ensemble.n_graphs - 1}):
        if (learn_again(number) != ensemble.packed_graphs[number]).any():
            raise ValueError(
                f"continued was learned with other settings: replicate {number} gives another graph with these. "
                "Constraints, ties, and the settings of the score, the search and the resampler must be the same"
            )


# The matched correction: the strength at which resamples have as many edges as the data, by bisection.

#: Learns from all resamples at a strength; returns the graphs and whether the run was stopped.
LearnedAt = Callable[[float, Progress | None], tuple[list[Learned], bool]]

#: Approximate number of rounds of the bisection, each learning from all replicates; for progress.
MAX_ROUNDS = 10
_EDGE_TOLERANCE = 0.05  # edges
_STRENGTH_TOLERANCE = 0.005  # nats per parameter
_MAX_STRENGTH = 64.0  # nats per parameter


def applied_correction(correction: str, strength: float) -> tuple[str, float]:
    """Return the correction and strength to be applied: ``"matched"`` is ``"leading"`` at the strength found.

    With ``ensemble.correction`` and ``ensemble.strength``, the settings that repeat an ensemble or apply its correction
    to other data.
    """
    return ("leading" if correction == "matched" else correction), strength


def matched(
    learned_at: LearnedAt, target: float, n_replicates: int, progress: Progress | None = None
) -> tuple[float, list[Learned], bool]:
    """Find the strength at which the mean number of edges is nearest to a target.

    The mean number of edges decreases with the strength, but in steps, so the best of the strengths tried is returned;
    of two equally good ones the smaller. If strength 0 already gives at most ``target`` edges, it is the result. A run
    that is stopped returns the best finished round, or the partial first one.

    Parameters
    ----------
    learned_at : callable
    target : float
        Number of edges.
    n_replicates : int
        Replicates of a round, for progress.
    progress : callable, optional

    Returns
    -------
    strength : float
        Nats per parameter.
    learned : list of Learned
        The graphs learned at that strength.
    stopped : bool
    """
    rounds: dict[float, list[Learned]] = {}
    partial: list[tuple[float, list[Learned]]] = []
    reported = 0

    def tell(done: int, _: int) -> bool | None:
        if progress is None:
            return None
        nonlocal reported
        before = min(len(rounds), MAX_ROUNDS - 1) * n_replicates
        reported = max(reported, (before + done) // MAX_ROUNDS)
        return progress(reported, n_replicates)

    def excess(strength: float) -> float:
        learned, stopped = learned_at(strength, tell)
        if stopped:
            partial.append((strength, learned))
            raise _StoppedError
        rounds[strength] = learned
        return mean_edges(learned) - target

    try:
        _bisect(excess)
    except _StoppedError:
        if not rounds:
            return (*partial[0], True)
    strength = min(sorted(rounds), key=lambda s: round(abs(mean_edges(rounds[s]) - target), 9))
    return strength, rounds[strength], bool(partial)


def mean_edges(learned: list[Learned]) -> float:
    """Return the mean number of edges of packed graphs, weighted by their multiplicities."""
    edges = [int(np.bitwise_count(graph).sum()) for graph, _, _ in learned]
    return float(np.average(edges, weights=[times for _, times, _ in learned]))


class _StoppedError(Exception):
    """The caller stopped the run."""


def _bisect(excess: Callable[[float], float]) -> None:
    """Evaluate a decreasing function at strengths that close in on its zero, until one is near enough."""
    low, high = 0.0, 1.0
    if excess(low) <= _EDGE_TOLERANCE:
        return
    while (at_high := excess(high)) > 0 and high < _MAX_STRENGTH:
        low, high = high, 2 * high
    if abs(at_high) <= _EDGE_TOLERANCE or at_high > 0:
        return
    while high - low > _STRENGTH_TOLERANCE:
        middle = (low + high) / 2
        at_middle = excess(middle)
        if abs(at_middle) <= _EDGE_TOLERANCE:
            return
        low, high = (middle, high) if at_middle > 0 else (low, middle)


#: Largest number of adjacency entries over all graphs that are kept.
MOST_CELLS = 8 * 2**30


@validated
@accepts(interventions=True, missing=True)
def resample(
    data: Dataset,
    score: TableScore,
    search: Search,
    resampler: Resampler,
    correction: str = "none",
    constraints: Constraints | None = None,
    *,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    strength: float = LEADING_STRENGTH,
    reference: LearnedGraph | None = None,
    target_edges: float | None = None,
    ties: str = "drawn",
    continued: Ensemble | None = None,
    discretize: Discretization | None = None,
) -> Ensemble:
    """Learn a graph from every resample of the data.

    A replicate draws rows with their missing cells. Then families are counted where they are seen, or the cells are
    drawn from a network that is fitted to the replicate (``data.missing_way``).

    Parameters
    ----------
    data : Dataset
    score, search, resampler
    correction : {"none", "leading", "matched"}
        Bias correction of the score on resamples (see ``bnengine.scores.correction``). ``"matched"`` is ``"leading"``
        at the strength where the mean number of edges equals ``target_edges``, found by bisection on the same
        resamples; ``Ensemble.strength`` records it.
    constraints : Constraints, optional
        Hold in every replicate.
    rng : int, Generator or None, default 0; None draws anew at each call
        Runs with the same seed that differ only in score, search or correction see the same resamples. Results do not
        depend on the number of workers.
    executor : concurrent.futures.Executor, optional
        None for one thread per core (the compiled code releases the global interpreter lock). An executor of processes
        receives picklable tasks. With a Dask client (or its executor) the data go once to each worker, replicates as
        seeds, graphs come back packed; the replicates of a worker that is lost are learned by another.
    progress : callable, optional
        Called from the calling thread; see ``Progress``. Stopping drops the replicates that are not finished; threads
        stop within a search, the workers of an executor after the replicates they were given.

    Other Parameters
    ----------------
    strength : float
        Nats per parameter of the leading correction.
    reference : LearnedGraph, optional
        The graph learned from the data, if available; otherwise it is learned here. Iterated local search starts from
        it in every replicate, too.
    target_edges : float, optional
        Number of edges that ``"matched"`` aims at; None for that of the graph learned from the data.
    ties : {"drawn", "columns"}
        As for ``learn``. Each replicate draws its own order of the columns, so that of two equally good edges, such as
        the two directions of a reversible edge, each gets its share of the replicates. With ``"columns"`` every
        replicate breaks ties by the order of the columns in the data.
    continued : Ensemble, optional
        A finished ensemble of the same data with the same settings and seed, but fewer replicates. Only the further
        ones are learned; the result is what it would be without. Not for ``"matched"``.
    discretize : LearnedDiscretization, optional
        What ``learn_discretization`` returned; ``data`` are its frame. Then each replicate learns cut points anew,
        jointly with its graph, from rows of the table of numbers: a fraction of a second each. By default cut points
        stay fixed, and confidence does not reflect the uncertainty of choosing them.

    Raises
    ------
    ValueError
        If the resampler does not apply to the data, or the correction to the resampler, or ``continued`` is of
        other data or settings.
    DataError
        If the graphs need too much memory.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(500, rng=1)
    >>> naive = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(50))
    >>> corrected = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(50), correction="leading")
    >>> naive.mean_edges > corrected.mean_edges
    True
    >>> more = bn.resample(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(80), continued=naive)
    >>> more.n_graphs, bool((more.adjacencies[:50] == naive.adjacencies).all())
    (80, True)
    """
    resampler.check(data)
    check_ties(ties)
    check_correction(correction, resampler)
    check_memory(data, [resampler])
    if discretize is not None:
        check_cut_anew(discretize, data, resampler, ties)
    space = (constraints or Constraints()).resolve(data.names, search.max_parents)
    seed, n_planned, stopped = seed_of(rng), replicates_planned(resampler, data), False
    settings: dict[str, Any] = {
        "names": data.names,
        "n_rows": data.n_rows,
        "score": score.name,
        "search": search.name,
        "resampler": resampler.name + (", cut points anew" if discretize is not None else ""),
        "correction": correction,
        "strength": float(strength) if correction in ("leading", "matched") else 0.0,
        "seed": seed,
    }
    if continued is not None:
        check_continued(continued, data, score, settings, n_planned)
        reference = continued.reference
    if reference is None:
        start = 0 if seed is None else seed

        def learned_from_data(stop: UInt8Array) -> LearnedGraph:
            if discretize is not None:
                return discretize.again(np.arange(data.n_rows), score, search, constraints, start, stop)
            return learn(data, score, search, constraints, rng=start, ties=ties, stop=stop)

        reference = stoppable(learned_from_data, progress, n_graphs_learned(resampler, data))
        stopped = reference.status == "stopped"
    if isinstance(resampler, ParametricBootstrap) and resampler.network is None:
        resampler = dataclasses.replace(resampler, network=fit(data, reference.edges))
    if isinstance(resampler, PredictiveBootstrap) and resampler.graphs is None and not stopped:
        first, progress = shared_progress(progress, [n_planned, n_planned])
        learning: dict[str, Any] = {"constraints": constraints, "ties": ties, "reference": reference}
        running: dict[str, Any] = {"rng": rng, "executor": executor, "progress": first}
        graphs = resample(data, score, search, Bootstrap(n_planned), "leading", **learning, **running)
        stopped = graphs.status == "stopped"
        resampler = resampler if stopped else dataclasses.replace(resampler, graphs=graphs)
    generators = replicate_generators(generator_of(rng), n_planned)

    of_replicates = search if stopped else search_from_graph(data, score, search, space, reference.adjacency)

    def work_at(strength: float) -> _Work | CutAnew:
        used = corrected(score, *applied_correction(correction, strength))
        if discretize is not None:
            return CutAnew(discretize, data, used, of_replicates, resampler, constraints)
        return _Work(data, used, of_replicates, resampler, space, ties)

    def learned_at(strength: float, tell: Progress | None) -> tuple[list[Learned], bool]:
        # several rounds start from the same state; a copy of 100,000 generators takes longer than drawing with them
        drawn = copy.deepcopy(generators) if correction == "matched" else generators
        return run(work_at(strength).prepared, drawn, executor, tell)

    learned: list[Learned] = []
    if stopped:
        pass
    elif continued is not None:
        learned, stopped = _continued_graphs(work_at(strength), continued, generators, executor, progress)
    elif correction == "matched":
        target = len(reference.edges) if target_edges is None else target_edges
        strength, learned, stopped = matched(learned_at, target, len(generators), progress)
    else:
        learned, stopped = learned_at(strength, progress)
    width = (data.n_variables**2 + 7) // 8
    return Ensemble(
        **settings | ({"strength": float(strength)} if correction == "matched" else {}),
        packed_graphs=np.array([graph for graph, _, _ in learned], dtype=np.uint8).reshape(len(learned), width),
        multiplicities=np.array([times for _, times, _ in learned], dtype=np.int64),
        reference=reference,
        n_planned=n_planned,
        status=combined_status([*(status for _, _, status in learned), *["stopped"] * stopped]),
    )


def _continued_graphs(
    work: _Work | CutAnew,
    continued: Ensemble,
    generators: list[np.random.Generator],
    executor: Executor | None,
    progress: Progress | None,
) -> tuple[list[Learned], bool]:
    """Return the graphs of a finished ensemble and of the replicates that it lacks, and whether the run was stopped."""

    def again(number: int) -> UInt8Array:
        return learn_some(work.prepared, number, [copy.deepcopy(generators[number])])[0][0]

    check_repeated(continued, again)
    n = continued.n_graphs
    pairs = zip(continued.packed_graphs, continued.multiplicities.tolist(), strict=True)
    known: list[Learned] = [(graph, times, continued.status) for graph, times in pairs]
    if n == len(generators):
        return known, False
    more, stopped = run(dataclasses.replace(work, n_known=n).prepared, generators[n:], executor, progress)
    return known + more, stopped


def check_correction(correction: str, resampler: Resampler) -> None:
    """Raise a ValueError if there is no such correction, or it does not apply to the resampling method."""
    one_of(correction, "correction", CORRECTIONS)
    if correction == "matched" and isinstance(resampler, Bootstrap) and resampler.size is not None:
        raise ValueError(
            "correction='matched' compares resamples with the data and needs the same number of rows in both; "
            f"with size={resampler.size} use 'none' or 'leading', or omit size"
        )


def graph_bytes(data: Dataset, resamplers: Sequence[Resampler]) -> int:
    """Return the bytes of the graphs of these resampling methods, one per graph and pair of variables; all are kept."""
    return sum(n_graphs_learned(resampler, data) for resampler in resamplers) * data.n_variables**2


def check_memory(data: Dataset, resamplers: Sequence[Resampler]) -> None:
    """Raise a DataError if the graphs of these resampling methods need too much memory; it says how many would fit."""
    needed, each, free = graph_bytes(data, resamplers), data.n_variables**2, free_bytes()
    room = MOST_CELLS if free is None else min(MOST_CELLS, free)
    if needed > room:
        where = "allowed" if room == MOST_CELLS else "that are free on this machine"
        raise DataError(
            f"{needed // each:,} graphs of {data.n_variables:,} variables need about {gigabytes(needed)} (one byte per "
            f"graph and pair of variables), more than the {gigabytes(room)} {where}; {room // each:,} would fit, those "
            "of all methods together: use fewer variables or fewer replicates, or omit the delete-1 jackknife, which "
            "has at least one replicate per distinct row"
        )


@dataclass(frozen=True)
class _Work:
    """Everything a worker needs to learn from a replicate; picklable."""

    data: Dataset
    score: TableScore
    search: Search
    resampler: Resampler
    space: SearchSpace
    ties: str
    n_known: int = 0  # replicates before the first that is to be learned

    def prepared(self, stop: Flag | None = None) -> Step[Learned]:
        """Return the function that learns from one replicate."""
        columns, cells = Columns(self.data.names, self.space, self.ties), None
        if self.data.missing_way == "drawn":
            cells = DrawnCells(self.data)
        scores = LocalScores(self.data, self.score, stop) if cells is None else None

        def learned(number: int, generator: np.random.Generator) -> Learned | None:
            nonlocal scores
            drawn = self.resampler.replicate(self.data, number + self.n_known, generator)
            replicate = checked_replicate(drawn, self.data)
            weights, rows = replicate.weights, replicate.data
            if cells is not None:
                rows = cells.completed(resampled(rows or self.data, weights), generator)
                weights = rows.multiplicities.astype(np.int32)
            if scores is None or rows is not None:
                rows = rows or self.data
                scores = LocalScores(rows, self.score, stop) if scores is None else scores.with_rows_of(rows)
            order = columns.order(generator)
            scores.reweigh(weights, order)
            found = columns.find(self.search, scores, order, generator)
            return None if scores.stopped else (np.packbits(found.adjacency), replicate.multiplicity, found.status)

        return learned
