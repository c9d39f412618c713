"""What a run will take, before it starts: time and memory, as a short probe needed them; and compiling ahead of it.

Processor time of one thread is what the run itself will need, however busy the machine is at the moment of the probe.
"""

from __future__ import annotations

import os
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bnengine._core.arrays import UInt8Array
from bnengine._core.display import gigabytes
from bnengine._core.environment import free_bytes, used_bytes
from bnengine._core.parallel import Progress, processors
from bnengine._core.validation import validated
from bnengine._jit.compiled import is_prepared, set_prepared
from bnengine.bootstrap.resample import check_memory, graph_bytes, resample
from bnengine.bootstrap.resamplers import Bootstrap, PredictiveBootstrap
from bnengine.bootstrap.resampling_methods import Method, resampling_methods
from bnengine.bootstrap.study import n_shared
from bnengine.data.checked_frame import DataError
from bnengine.data.dataset import Dataset
from bnengine.experiment.experiment import POSTERIOR, Experiment
from bnengine.experiment.prediction import learners
from bnengine.graphs.constraints import Constraints
from bnengine.networks.network import BayesianNetwork, fit
from bnengine.posterior.running import Inline
from bnengine.prediction.cross_validation import compare_predictions
from bnengine.scores.correction import corrected
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BIC, QNML, BDe, TableScore
from bnengine.search import SEARCHES, BestFirst, Exact, HillClimbing, IteratedLocalSearch, LearnedGraph, Search, Tabu
from bnengine.search._gain_rows import bytes_of_rows
from bnengine.search._order_graph import best_ordering_by_bounds
from bnengine.search._parent_sets import candidate_parent_sets

# Compile ahead of time: the first run on a machine has to make the compiled code, which takes some seconds.

#: Processor time to compile each part on an empty cache, seconds (``benchmarks/start_up.py``); a rough guide.
_SECONDS = {
    "counting": 6.0,
    "prior network": 2.5,
    "quotient": 0.5,
    "HillClimbing": 2.0,
    "restarts": 0.5,
    "IteratedLocalSearch": 4.0,
    "Tabu": 1.5,
    "SimulatedAnnealing": 2.5,
    "BestFirst": 1.5,
    "K2": 0.5,
    "ChowLiu": 0.5,
    "drawing tables": 1.5,
}
_LITTLE = 1.0  # what is not listed


@validated
def warm_up(score: TableScore | None = None, search: Search | None = None, progress: Progress | None = None) -> None:
    """Compile the engine, or only what a score and a search need, by running it on a table of a few rows.

    Compiled code is kept on disk; where it was made before, it is only read.

    Parameters
    ----------
    score : score, optional
    search : search, optional
        With neither, everything is compiled: all searches, scores and the exact posterior.
    progress : callable, optional
        Called with the number of parts done and of all parts; returning False ends the warm-up.

    Examples
    --------
    >>> import bnengine as bn
    >>> from bnengine.experiment.plan import seconds_to_compile
    >>> bn.warm_up(search=bn.K2())
    >>> seconds_to_compile(bn.BIC(), bn.K2())
    0.0
    """
    parts = dict(_everything() if score is None and search is None else _needed(score or BIC(), search))
    for done, (part, run) in enumerate(parts.items()):
        if progress is not None and progress(done, len(parts)) is False:
            return
        run()
        set_prepared(part)
    if progress is not None:
        progress(len(parts), len(parts))


def seconds_to_compile(score: TableScore, search: Search | None) -> float:
    """Estimate the seconds to compile what a score, and a search if given, still lack; 0 if nothing is missing."""
    missing = [part for part, _ in _needed(score, search) if not is_prepared(part)]
    return sum((_SECONDS.get(part, _LITTLE) for part in missing), start=0.0)


def _needed(score: TableScore, search: Search | None) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the parts that a score and a search consist of, each with what compiles it."""
    form, data = score.form(12), _table()
    yield "counting", lambda: LocalScores(data, BIC())(0, [1])
    if form.network is not None:
        yield "prior network", lambda: LocalScores(data, BDe(_network()))(0, [1])
    if form.quotient:
        yield "quotient", lambda: LocalScores(data, QNML())(0, [1])
    if form.unbias:
        yield "bias of resampling", lambda: LocalScores(data, corrected(BIC(), "exact", 0.5))(0, [1])
    if search is not None:
        kind = type(search)
        yield kind.__name__, lambda: resample(data, BIC(), kind(), Bootstrap(1))
        if isinstance(search, HillClimbing | Tabu) and search.restarts:
            few = replace(search, restarts=1)
            yield "restarts", lambda: resample(data, BIC(), few, Bootstrap(1))
        if kind is Exact:
            yield "branch and bound", _branch_and_bound


def _everything() -> Iterator[tuple[str, Callable[[], object]]]:
    from bnengine.posterior.sample_posterior import sample_posterior
    from bnengine.scores.dependence import conditional_g_squared

    for score in (corrected(BIC(), "exact", 0.5), QNML(), BDe(_network())):
        yield from _needed(score, None)
    for kind in SEARCHES.values():
        search = kind()
        yield from _needed(BIC(), replace(search, restarts=1) if isinstance(search, HillClimbing | Tabu) else search)
    yield "drawing tables", lambda: resample(_table(), BIC(), HillClimbing(), PredictiveBootstrap(1))
    yield "posterior", lambda: sample_posterior(_table())
    yield "independence tests", lambda: conditional_g_squared(_table(), "a", "b")


def _branch_and_bound() -> None:
    """Compile the exact search's method for many variables."""
    data = _table()
    candidates, _ = candidate_parent_sets(LocalScores(data, BIC()), Constraints().resolve(data.names), 2**20)
    best_ordering_by_bounds(candidates, 1e-9, 2**20)


def _table() -> Dataset:
    codes = np.array([[i & 1, (i >> 1) & 1, (i & 1) ^ (i % 3 == 0)] for i in range(12)], dtype=np.uint16)
    return Dataset(("a", "b", "c"), (("0", "1"),) * 3, codes)


def _network() -> BayesianNetwork:
    return fit(_table(), [("a", "b")], ess=1.0)


#: Seconds after which a probe is ended; the plan then says "more than".
PROBE = 10.0
_LONG = 2.0  # seconds of one search from which no resample is probed besides
_REPLICATES = 3  # resamples of a probe


@dataclass(frozen=True)
class Plan:
    """The predicted time and memory of a run.

    Attributes
    ----------
    n_graphs : int
        Graphs to learn; rounds of a matched correction counted.
    seconds_per_graph : float
        Processor time.
    cut_short : bool
        Whether the probe was ended first, so that times are lower bounds.
    n_workers : int
        Threads.
    n_bytes : int
        Of this process, with as many threads.
    free : int or None
        Bytes that are free beside what the process holds already.
    remark : str
        What is not counted.
    posterior_seconds : float or None
        Roughly, processor time of the posterior that is worked out besides; not counted in the other times.
    unit : str
        What is counted as a graph: ``"graph"``, or ``"split"`` for a test of predictions.
    """

    n_graphs: int
    seconds_per_graph: float
    cut_short: bool
    n_workers: int
    n_bytes: int
    free: int | None
    remark: str = ""
    posterior_seconds: float | None = None
    unit: str = "graph"

    @property
    def processor_seconds(self) -> float:
        """Of all graphs together."""
        return self.n_graphs * self.seconds_per_graph

    @property
    def seconds(self) -> float:
        """The predicted time, if every thread has a processor of its own."""
        return self.processor_seconds / min(self.n_workers, max(self.n_graphs, 1))


def plan_study(experiment: Experiment, data: Dataset, n_workers: int) -> Plan:
    """Predict what the experiment's methods take on these data.

    Raises
    ------
    DataError
        If their graphs do not fit in memory; it says how many would.
    """
    used = resampling_methods(experiment.n, experiment.d, experiment.methods_run, experiment.size)
    resamplers = [method.resampler for method in used]
    check_memory(data, resamplers)
    n_graphs = 1 + sum(one.n_learnings(data) - n_shared(one, used, experiment.strength) for one in used)
    return _plan(experiment, data, n_graphs, graph_bytes(data, resamplers), n_workers)


def plan_calibration(experiment: Experiment, network: BayesianNetwork, n_rows: int, n_workers: int) -> Plan:
    """Predict what a calibration on a network takes; ``experiment`` fits its variables (``on_network``)."""
    settings = experiment.calibration
    table = network.by_name.sample(settings.n_rows or n_rows, 0).select(network.names)
    keys = [key for key in settings.methods if key != POSTERIOR]
    used: Sequence[Method] = resampling_methods(settings.n, experiment.d, keys)
    check_memory(table, [m.resampler for m in used])
    check_memory(table, [Bootstrap(settings.n_fresh)])
    n_graphs = settings.n_fresh + 1 + settings.n_tables * (1 + sum(method.n_learnings(table) for method in used))
    kept = max(graph_bytes(table, [m.resampler for m in used]), graph_bytes(table, [Bootstrap(settings.n_fresh)]))
    tables = settings.n_tables * table.codes.nbytes
    remark = "sampled posteriors are not counted" if POSTERIOR in settings.methods else ""
    return _plan(experiment, table, n_graphs, kept + tables, n_workers, remark)


def _plan(experiment: Experiment, data: Dataset, n_graphs: int, kept: int, n_workers: int, remark: str = "") -> Plan:
    """Probe by learning from the data, then from a few resamples."""
    warm_up(experiment.full_score, experiment.search)  # the time to compile is no part of the run's
    data.multiplicities.sum()  # rows are compared once, whatever the number of replicates
    graph, seconds, held = traced(lambda stop: experiment.learn(data, stop))
    cut_short = graph.status == "stopped"
    if seconds < _LONG and not cut_short:
        seconds = max(seconds_of_replicate(experiment, data, graph), 1e-9)
    elif not cut_short and hasattr(experiment.search, "in_replicates"):
        replicate = replace(experiment, search=experiment.search.in_replicates)
        seconds = max(traced(lambda stop: replicate.learn(data, stop))[1], 1e-9)
    total = used_bytes() + n_workers * held + kept
    return Plan(n_graphs, seconds, cut_short, n_workers, total, free_bytes(), remark)


def wall_seconds(processor_seconds: float, n_workers: int | None = None) -> float:
    """Predict the time that work takes beside what else the machine does now, each thread getting an equal share.

    Parameters
    ----------
    processor_seconds : float
        Of all threads together.
    n_workers : int, optional
        Threads; None for one per processor.
    """
    n = processors() if n_workers is None else min(n_workers, processors())
    others = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return processor_seconds / (n * min(1.0, processors() / (n + others)))


def seconds_of_replicate(experiment: Experiment, data: Dataset, graph: LearnedGraph) -> float:
    """Return the processor time of a replicate without what is done once for all; the searches run in this thread."""

    def seconds(n: int) -> float:
        start = time.thread_time()
        resample(data, resampler=Bootstrap(n), reference=graph, executor=Inline(), **experiment.arguments)
        return time.thread_time() - start

    once, whole = seconds(1), seconds(1 + _REPLICATES)
    return max(whole - once, whole / _REPLICATES**2) / _REPLICATES  # of tiny tables, the difference is mostly noise


def traced(work: Callable[[UInt8Array], LearnedGraph]) -> tuple[LearnedGraph, float, int]:
    """Run the work, at most ``PROBE`` seconds; return result, processor time, and the most memory that it held."""
    stop = np.zeros(1, dtype=np.uint8)
    timer = threading.Timer(PROBE, lambda: stop.fill(1))
    timer.daemon = True
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    timer.start()
    try:
        before, start = tracemalloc.get_traced_memory()[0], time.thread_time()
        graph = work(stop)
        return graph, time.thread_time() - start, max(tracemalloc.get_traced_memory()[1] - before, 0)
    finally:
        timer.cancel()
        if not tracing:
            tracemalloc.stop()


# What one learning, or a test of predictions, will take, before it starts.

_MATRICES = 40  # bytes of a search for each pair of variables: graphs, gains, lists of edges
_CODES = 8  # bytes for each cell of the table: as given, its distinct rows, and as scores hold them


def plan_learning(experiment: Experiment, data: Dataset) -> Plan:
    """Predict what learning one graph takes.

    Raises
    ------
    DataError
        If it does not fit in the memory that is free; it says what would.
    """
    check_learning(experiment, data)
    _, seconds, n_bytes, cut_short = _probe(experiment, data)
    return Plan(1, seconds, cut_short, 1, used_bytes() + n_bytes, free_bytes())


def plan_prediction(experiment: Experiment, data: Dataset) -> Plan:
    """Predict what a test of predictions takes, from its first split.

    Raises
    ------
    DataError
        As of ``plan_learning``.
    """
    check_learning(experiment, data)
    settings = experiment.prediction
    target = settings.target or data.names[-1]
    splits = settings.splits(data.n_rows, experiment.seed)
    rivals = learners(experiment, data, target)  # refuses a target that is no variable before any work
    data.index(target)
    graph, seconds, n_bytes, cut_short = _probe(experiment, data.take(splits[0][0]))
    if not cut_short:
        rivals |= {"learned": lambda rows: graph.edges}
        start = time.thread_time()
        compare_predictions(data, target, rivals, splits[:1], settings.ess)
        seconds += time.thread_time() - start
    return Plan(len(splits), seconds, cut_short, 1, used_bytes() + n_bytes, free_bytes(), unit="split")


def _probe(experiment: Experiment, data: Dataset) -> tuple[LearnedGraph, float, int, bool]:
    """Learn one graph; return it, its processor time, the most memory held, and whether it was cut short."""
    warm_up(experiment.full_score, experiment.search)  # the time to compile is no part of the run's

    def learned(stop: UInt8Array) -> LearnedGraph:
        return _within(experiment).learn(data, stop)

    graph, seconds, n_bytes = traced(learned)
    return graph, max(seconds, 1e-9), n_bytes, graph.status == "stopped"


def _within(experiment: Experiment) -> Experiment:
    """Return the experiment, whose exact search may hold no more than what is free: it refuses what would not fit."""
    search, free = experiment.search, free_bytes()
    if free is None or not isinstance(search, Exact):
        return experiment
    return replace(experiment, search=replace(search, max_memory=max(1, min(search.max_memory, free))))


def check_learning(experiment: Experiment, data: Dataset) -> None:
    """Raise a DataError if a learning needs more memory than is free; it says how many variables, or graphs, would fit.

    The parent sets of the exact search are counted by the search itself, which refuses what would not fit.
    """
    free = free_bytes()
    needed = learning_bytes(experiment, data.n_rows, data.n_variables)
    if free is None or needed <= free:
        return
    search, rest = experiment.search, learning_bytes(experiment, data.n_rows, data.n_variables, frontier=0)
    if isinstance(search, BestFirst) and rest + data.n_variables**2 <= free:
        remedy = f"a frontier of {(free - rest) // data.n_variables**2:,} graphs would fit"
    else:
        fits = [n for n in range(data.n_variables) if learning_bytes(experiment, data.n_rows, n) <= free]
        remedy = f"{max(fits, default=0):,} variables would fit"
    raise DataError(
        f"{search.name} on {data.n_variables:,} variables and {data.n_rows:,} rows needs about {gigabytes(needed)}, "
        f"more than the {gigabytes(free)} that are free on this machine; {remedy}"
    )


def learning_bytes(experiment: Experiment, n_rows: int, n_variables: int, frontier: int | None = None) -> int:
    """Return the most bytes that one learning holds, beside what the data hold."""
    search = experiment.search
    graphs = 0
    if isinstance(search, BestFirst):
        graphs = search.frontier if frontier is None else frontier
    rows = bytes_of_rows(n_variables) if isinstance(search, IteratedLocalSearch) else 0
    return rows + (_MATRICES + graphs) * n_variables**2 + _CODES * n_rows * n_variables
