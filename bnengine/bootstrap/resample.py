"""Edge confidence: learn a graph from every resample of the data and count each edge."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from bnengine._core.arrays import UInt8Array
from bnengine._core.parallel import Flag, Learned, Prepare, Progress, Step, run, split_progress, stoppable
from bnengine._core.random_generators import Seed, seed_of
from bnengine._core.validation import accepts, one_of, validated
from bnengine.bootstrap import resamplers
from bnengine.bootstrap.ensemble import Ensemble, combined_status, graphs_from, listed
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints, SearchSpace
from bnengine.networks.network import fit
from bnengine.scores.evaluation import score as score_of
from bnengine.scores.local_score import LocalScores, default_score
from bnengine.scores.scores import CORRECTIONS, LEADING_STRENGTH, TableScore, corrected
from bnengine.search import IteratedLocalSearch, LearnedGraph, Search
from bnengine.search.column_order import Columns
from bnengine.search.drawn_cells import DrawnCells, resampled
from bnengine.search.learning import learned_graph, search_from_graph


@validated
@accepts(interventions=True, missing=True, numbers=True)
def resample(
    data: Dataset,
    score: TableScore | None = None,
    search: Search | None = None,
    resampler: resamplers.Resampler | None = None,
    correction: str = "none",
    *,
    constraints: Constraints | None = None,
    strength: float = LEADING_STRENGTH,
    ties: str = "drawn",
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Ensemble:
    """Learn a graph from every resample of the data.

    A replicate draws rows with their missing cells. Then families are counted where they are seen, or the cells are
    drawn from a network that is fitted to the replicate (``data.missing_way``).

    Parameters
    ----------
    data : Dataset
    score, search : default BIC(), of numbers GaussianBIC(), and IteratedLocalSearch()
    resampler : default Bootstrap(), of 200 replicates
    correction : {"none", "leading", "matched"}
        Bias correction of the score on resamples (see ``bnengine.scores.scores``). ``"matched"`` is ``"leading"``
        at the strength where the mean number of edges equals that of the graph learned from the data, found by
        bisection on the same resamples; ``Ensemble.strength`` records it.
    constraints : Constraints, optional
        Hold in every replicate.
    strength : float
        Nats per parameter of the leading correction.
    ties : {"drawn", "columns"}
        As for ``learn``. Each replicate draws its own order of the columns, so that of two equally good edges, such as
        the two directions of a reversible edge, each gets its share of the replicates. With ``"columns"`` every
        replicate breaks ties by the order of the columns in the data.
    rng : int, Generator or None, default 0; None draws anew at each call
        Runs with the same seed that differ only in score, search or correction see the same resamples. Results do not
        depend on the number of workers.
    executor : concurrent.futures.Executor, optional
        None for one thread per core (the compiled code releases the global interpreter lock). An executor of processes
        receives picklable tasks. With a Dask client (or its executor) the data go once to each worker, replicates as
        seeds, graphs come back as lists of edges; the replicates of a worker that is lost are learned by another.
    progress : callable, optional
        Called from the calling thread; see ``Progress``. Stopping drops the replicates that are not finished; threads
        stop within a search, the workers of an executor after the replicates they were given.

    Returns
    -------
    Ensemble

    Raises
    ------
    ValueError
        If the resampler does not apply to the data, or the correction to the resampler.
    DataError
        If the graphs need too much memory.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(500, rng=1)
    >>> naive = bn.resample(data, resampler=bn.Bootstrap(50))
    >>> corrected = bn.resample(data, resampler=bn.Bootstrap(50), correction="leading")
    >>> naive.mean_edges > corrected.mean_edges
    True
    """
    used = (score or default_score(data), search or IteratedLocalSearch(), resampler or resamplers.Bootstrap())
    task = ResampleTask(data, *used, correction, constraints, strength, ties)
    return learn_ensemble(task, rng=rng, executor=executor, progress=progress)


@dataclass(frozen=True)
class ResampleTask:
    """What an ensemble is learned from and how; with a seed, all that its graphs depend on."""

    data: Dataset
    score: TableScore
    search: Search
    resampler: resamplers.Resampler
    correction: str = "none"
    constraints: Constraints | None = None
    strength: float = LEADING_STRENGTH
    ties: str = "drawn"

    def check(self) -> None:
        """Raise a ValueError if the settings do not go together, a DataError if the graphs need too much memory."""
        self.resampler.check(self.data)
        check_correction(self.correction, self.resampler)
        resamplers.check_memory(self.data, [self.resampler])

    @property
    def holds(self) -> Sequence[str]:
        """What the data hold, which not every function accepts."""
        return self.data.holds

    @cached_property
    def n_planned(self) -> int:
        """How many replicates there are to be."""
        return resamplers.replicates_planned(self.resampler, self.data)

    @cached_property
    def space(self) -> SearchSpace:
        """The graphs that may be learned."""
        return (self.constraints or Constraints()).resolve(self.data.names, self.search.max_parents)

    def settings(self, seed: int | None) -> dict[str, Any]:
        """Return what an ensemble records of its settings, by attribute."""
        return {
            "names": self.data.names,
            "n_rows": self.data.n_rows,
            "score": self.score.name,
            "search": self.search.name,
            "resampler": self.resampler.name,
            "correction": self.correction,
            "strength": float(self.strength) if self.correction in ("leading", "matched") else 0.0,
            "seed": seed,
        }

    def learn(self, seed: int, stop: UInt8Array) -> LearnedGraph:
        """Learn the graph of the data."""
        return learned_graph(self.data, self.score, self.search, self.space, seed, self.ties, stop)

    def of_corrected_bootstrap(self) -> ResampleTask:
        """Return the task that learns the graphs that the predictive bootstrap draws from: as many as replicates."""
        resampler = resamplers.Bootstrap(self.n_planned)
        return dataclasses.replace(self, resampler=resampler, correction="leading", strength=LEADING_STRENGTH)

    def drawing_from(self, graphs: Ensemble) -> ResampleTask:
        """Return the task with the graphs that the predictive bootstrap draws from."""
        return dataclasses.replace(self, resampler=dataclasses.replace(self.resampler, graphs=graphs))  # type: ignore[type-var]

    def of_replicates(self, reference: LearnedGraph, stop: Flag) -> ResampleTask:
        """Return the task of the replicates, with the network and the search that the data's graph gives; picklable."""
        resampler = self.resampler
        if isinstance(resampler, resamplers.ParametricBootstrap) and resampler.network is None:
            if self.data.numbers:
                resampler = resamplers.FittedBlocks(reference.adjacency)
            else:
                resampler = dataclasses.replace(resampler, network=fit(self.data, reference.edges))
        search = search_from_graph(self.data, self.score, self.search, self.space, reference.adjacency, stop)
        return dataclasses.replace(self, resampler=resampler, search=search)


def learn_ensemble(
    task: ResampleTask,
    reference: LearnedGraph | None = None,
    target_edges: float | None = None,
    *,
    known: Ensemble | None = None,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Ensemble:
    """Learn a graph from every resample; before, the graphs that the predictive bootstrap draws from if it has none.

    Parameters
    ----------
    task : ResampleTask
    reference : LearnedGraph, optional
        The graph of the data, which is learned first if it is not given.
    target_edges : float, optional
        Number of edges that ``"matched"`` aims at; None for that of the reference.
    known : Ensemble, optional
        The first replicates, of a task with the same settings and seed, as ``check_same`` tells. The further ones are
        learned, which ``progress`` counts; the result is the same as if all had been learned at once.
    rng, executor, progress
        As for ``resample``.

    Returns
    -------
    Ensemble
    """
    task.check()
    if reference is None:
        total = task.n_planned * (1 + resamplers.learns_graphs_first(task.resampler))
        reference = stoppable(partial(task.learn, seed_of(rng) or 0), progress, total)
    before: list[Learned] = []
    if known is not None:
        pairs = zip(known.graphs, known.multiplicities.tolist(), strict=True)
        before = [(edges, times, known.status) for edges, times in pairs]
    if reference.status == "stopped":
        return ensemble_of(task, reference, before, rng, stopped=True)
    if resamplers.learns_graphs_first(task.resampler):
        first, progress = split_progress(progress, [task.n_planned, task.n_planned - len(before)])
        first_task = task.of_corrected_bootstrap()
        graphs = learn_ensemble(first_task, reference, rng=rng, executor=executor, progress=first)
        if graphs.status == "stopped":
            return ensemble_of(task, reference, before, rng, stopped=True)
        task = task.drawing_from(graphs)
    generators = resamplers.replicate_generators(rng, task.n_planned)
    n_known = len(before)

    def prepared(stop: Flag) -> ResampleTask | None:
        ready = task.of_replicates(reference, stop)
        if known is not None:
            _check_replicates(known, partial(_prepared, ready, task.space, task.strength, 0), generators, stop)
        return None if stop[0] else ready

    ready = stoppable(prepared, progress, len(generators) - n_known)
    if ready is None:
        return ensemble_of(task, reference, before, rng, stopped=True)
    if task.correction != "matched":
        prepare = partial(_prepared, ready, task.space, task.strength, n_known)
        learned, stopped = run(prepare, generators[n_known:], executor, progress)
        return ensemble_of(task, reference, before + learned, rng, stopped)

    def learned_at(strength: float, tell: Progress | None) -> tuple[list[Learned], bool]:
        # each round starts from the same state; a copy of 100,000 generators takes longer than drawing with them
        prepare = partial(_prepared, ready, task.space, strength, n_known)
        return run(prepare, copy.deepcopy(generators), executor, tell)

    target = len(reference.edges) if target_edges is None else target_edges
    strength, learned, stopped = matched(learned_at, target, len(generators), progress)
    return ensemble_of(dataclasses.replace(task, strength=strength), reference, learned, rng, stopped)


def ensemble_of(
    task: ResampleTask, reference: LearnedGraph, learned: Sequence[Learned], rng: Seed, stopped: bool
) -> Ensemble:
    """Return what was learned from the replicates as an ensemble."""
    data, statuses = task.data, [status for _, _, status in learned]
    return Ensemble(
        **task.settings(seed_of(rng)),
        graphs=graphs_from([edges for edges, _, _ in learned], len(data.names), data.names),
        multiplicities=np.array([times for _, times, _ in learned], dtype=np.int64),
        reference=reference,
        n_planned=task.n_planned,
        status=combined_status([*statuses, *["stopped"] * stopped]),
    )


_ARGUMENTS = {"names": "data", "n_rows": "data", "seed": "rng"}  # where another attribute comes from
_DIGITS = 1e-9  # of a score, relative


def _check_replicates(
    known: Ensemble, prepared: Prepare[Learned], generators: Sequence[np.random.Generator], stop: Flag
) -> None:
    """Refuse an ensemble of other constraints, or other limits of the search, which it does not record."""
    learn = prepared(stop)
    for number in sorted({0, known.n_graphs - 1}):
        again = learn(number, copy.deepcopy(generators[number]))
        if again is not None and not np.array_equal(again[0], known.graphs[number]):
            raise ValueError(
                f"ensemble was learned with other settings: replicate {number} gives another graph with these. "
                "Constraints, ties, and the settings of the score, the search and the resampler must be the same"
            )


def check_same(ensemble: Ensemble, task: ResampleTask, seed: int | None) -> None:
    """Raise a ValueError unless an ensemble is of a task's data and settings, as far as it records them.

    The graph that the ensemble learned from its data must have the same score here.
    """
    for name, value in task.settings(seed).items():
        if getattr(ensemble, name) != value and (name, ensemble.correction) != ("strength", "matched"):
            argument, had = _ARGUMENTS.get(name, name), getattr(ensemble, name)
            raise ValueError(f"{argument} must be as for the ensemble, {name} = {had!r}; got {value!r}")
    data = task.data
    if data.missing_way == "drawn":  # the graph's score is that of one draw
        return
    here = score_of(data, ensemble.reference.edges, task.score)
    if not np.isclose(here, ensemble.reference.score, rtol=_DIGITS, atol=_DIGITS * data.n_rows):
        raise ValueError(
            f"data must be those of the ensemble: the graph learned from them had the score "
            f"{ensemble.reference.score:.9g} under {ensemble.score}, but has {here:.9g} on these data"
        )


def check_correction(correction: str, resampler: resamplers.Resampler) -> None:
    """Raise a ValueError if there is no such correction, or it does not apply to the resampling method."""
    one_of(correction, "correction", CORRECTIONS)
    if correction == "matched" and isinstance(resampler, resamplers.Bootstrap) and resampler.size is not None:
        raise ValueError(
            "correction='matched' compares resamples with the data and needs the same number of rows in both; "
            f"with size={resampler.size} use 'none' or 'leading', or omit size"
        )


def _prepared(
    task: ResampleTask, space: SearchSpace, strength: float, n_known: int, stop: Flag | None = None
) -> Step[Learned]:
    """Return the function that learns from one replicate, of those after the first ``n_known``."""
    data, score = task.data, corrected(task.score, *applied_correction(task.correction, strength))
    cells = DrawnCells(data, stop) if data.missing_way == "drawn" else None
    columns = Columns(data.names, space, task.ties)
    scores = LocalScores(data, score, stop) if cells is None else None

    def learned(number: int, generator: np.random.Generator) -> Learned | None:
        nonlocal scores
        drawn = task.resampler.replicate(data, number + n_known, generator)
        replicate = resamplers.checked_replicate(drawn, data)
        weights, rows = replicate.weights, replicate.data
        if cells is not None:
            rows = cells.completed(resampled(rows or data, weights), generator)
            weights = rows.multiplicities.astype(np.int32)
        if scores is None or rows is not None:
            rows = rows or data
            scores = LocalScores(rows, score, stop) if scores is None else scores.with_rows_of(rows)
        found = columns.searched(task.search, scores, weights, generator)
        return None if scores.stopped else (listed(found.adjacency), replicate.multiplicity, found.status)

    return learned


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
    reported, refused = 0, False

    def tell(done: int, _: int) -> bool | None:
        if progress is None:
            return None
        nonlocal reported, refused
        before = min(len(rounds), MAX_ROUNDS - 1) * n_replicates
        reported = max(reported, (before + done) // MAX_ROUNDS)
        go_on = progress(reported, n_replicates)
        refused = refused or go_on is False
        return go_on

    def excess(strength: float) -> float:
        learned, stopped = learned_at(strength, tell)
        if stopped:
            partial.append((strength, learned))
            raise _StoppedError
        rounds[strength] = learned
        if refused:  # as the last graph of the round came in
            raise _StoppedError
        return mean_edges(learned) - target

    try:
        _bisect(excess)
    except _StoppedError:
        if not rounds:
            return (*partial[0], True)
    else:
        if progress is not None:
            progress(n_replicates, n_replicates)  # fewer rounds were enough
    strength = min(sorted(rounds), key=lambda s: round(abs(mean_edges(rounds[s]) - target), 9))
    return strength, rounds[strength], refused


def mean_edges(learned: list[Learned]) -> float:
    """Return the mean number of edges of graphs, weighted by their multiplicities."""
    return float(np.average([len(edges) for edges, _, _ in learned], weights=[times for _, times, _ in learned]))


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
