"""What a run will take, before it starts: time by processor time of a short probe, memory by what the probe allocated.

Processor time of one thread is what the run itself will need, however busy the machine is at the moment of the probe.
"""

from __future__ import annotations

import threading
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from bnengine._core.arrays import UInt8Array
from bnengine._core.memory import free_bytes, used_bytes
from bnengine.bootstrap.methods import Method, methods
from bnengine.bootstrap.resample import check_memory, graph_bytes, resample
from bnengine.bootstrap.resamplers import Bootstrap
from bnengine.data.dataset import Dataset
from bnengine.experiment.calibration_settings import POSTERIOR
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.warm_up import warm_up
from bnengine.networks.network import BayesianNetwork
from bnengine.posterior.running import Inline
from bnengine.search import LearnedGraph

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
    used = methods(experiment.n, experiment.d, experiment.methods_run, experiment.size)
    resamplers = [method.resampler for method in used]
    check_memory(data, resamplers)
    n_graphs = 1 + sum(method.n_learnings(data) for method in used)
    return _plan(experiment, data, n_graphs, graph_bytes(data, resamplers), n_workers)


def plan_calibration(experiment: Experiment, network: BayesianNetwork, n_rows: int, n_workers: int) -> Plan:
    """Predict what a calibration on a network takes; ``experiment`` fits its variables (``on_network``)."""
    settings = experiment.calibration
    table = network.by_name.sample(settings.n_rows or n_rows, 0).select(network.names)
    keys = [key for key in settings.methods if key != POSTERIOR]
    used: Sequence[Method] = methods(settings.n, experiment.d, keys)
    check_memory(table, [m.resampler for m in used])
    check_memory(table, [Bootstrap(settings.n_fresh)])
    n_graphs = settings.n_fresh + 1 + settings.n_tables * (1 + sum(method.n_learnings(table) for method in used))
    kept = max(graph_bytes(table, [m.resampler for m in used]), graph_bytes(table, [Bootstrap(settings.n_fresh)]))
    tables = settings.n_tables * table.codes.nbytes
    remark = "sampled posteriors are not counted" if POSTERIOR in settings.methods else ""
    return _plan(experiment, table, n_graphs, kept + tables, n_workers, remark)


def _plan(experiment: Experiment, data: Dataset, n_graphs: int, kept: int, n_workers: int, remark: str = "") -> Plan:
    """Probe: learn from the data, then from a few resamples."""
    warm_up(experiment.full_score, experiment.search)  # the time to compile is no part of the run's
    data.multiplicities.sum()  # rows are compared once, whatever the number of replicates
    graph, seconds, held = traced(lambda stop: experiment.learn(data, stop))
    cut_short = graph.status == "stopped"
    if seconds < _LONG and not cut_short:
        seconds = max(_seconds_of_resamples(experiment, data, graph), 1e-9)
    total = used_bytes() + n_workers * held + kept
    return Plan(n_graphs, seconds, cut_short, n_workers, total, free_bytes(), remark)


def _seconds_of_resamples(experiment: Experiment, data: Dataset, graph: LearnedGraph) -> float:
    """Processor time of a replicate; the searches run in this thread."""
    start = time.thread_time()
    resample(data, resampler=Bootstrap(_REPLICATES), reference=graph, executor=Inline(), **experiment.arguments)
    return (time.thread_time() - start) / _REPLICATES


def traced(work: Callable[[UInt8Array], LearnedGraph]) -> tuple[LearnedGraph, float, int]:
    """What the work gives, its processor time, and the most memory that it held; ended after ``PROBE`` seconds."""
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
