"""What one learning, or a test of predictions, will take, before it starts."""

from __future__ import annotations

import time
from dataclasses import replace

from bnengine._core.arrays import UInt8Array
from bnengine._core.memory import free_bytes, used_bytes
from bnengine._core.sizes import gigabytes
from bnengine.data.dataset import DataError, Dataset
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.plan import Plan, traced
from bnengine.experiment.predicting import learners
from bnengine.experiment.warm_up import warm_up
from bnengine.prediction.cross_validation import compare_predictions
from bnengine.search import BestFirst, Exact, IteratedLocalSearch, LearnedGraph
from bnengine.search._gain_rows import bytes_of_rows

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
    """A graph learned from the data, its processor time, the most memory held, and whether it was ended first."""
    warm_up(experiment.full_score, experiment.search)  # the time to compile is no part of the run's

    def learned(stop: UInt8Array) -> LearnedGraph:
        return _within(experiment).learn(data, stop)

    graph, seconds, n_bytes = traced(learned)
    return graph, max(seconds, 1e-9), n_bytes, graph.status == "stopped"


def _within(experiment: Experiment) -> Experiment:
    """The experiment, whose exact search may hold no more than what is free: it refuses what would not fit."""
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
    """Bytes that one learning holds at most, beside what the data hold."""
    search = experiment.search
    graphs = 0
    if isinstance(search, BestFirst):
        graphs = search.frontier if frontier is None else frontier
    rows = bytes_of_rows(n_variables) if isinstance(search, IteratedLocalSearch) else 0
    return rows + (_MATRICES + graphs) * n_variables**2 + _CODES * n_rows * n_variables
