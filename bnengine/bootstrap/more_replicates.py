"""Replicates added to a finished ensemble: the same as if they had been asked for from the start."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from concurrent.futures import Executor

import numpy as np

from bnengine._core.arrays import UInt8Array
from bnengine._core.parallel import Learned, Progress, run, run_chunk, split_progress
from bnengine._core.validation import accepts, validated
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.resample import ResampleTask, ensemble_of, graphs_to_draw_from
from bnengine.bootstrap.resamplers import Resampler, learns_graphs_first, replicate_generators
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.scores.evaluation import score as score_of
from bnengine.scores.scores import TableScore
from bnengine.search import Search

_ARGUMENTS = {"names": "data", "n_rows": "data", "seed": "rng"}  # where another attribute is told from
_DIGITS = 1e-9  # of a score, relative


@validated
@accepts(interventions=True, missing=True)
def add_replicates(
    ensemble: Ensemble,
    data: Dataset,
    score: TableScore,
    search: Search,
    resampler: Resampler,
    constraints: Constraints | None = None,
    *,
    ties: str = "drawn",
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Ensemble:
    """Learn the further replicates of a finished ensemble; the result is what it would be with all of them at once.

    Parameters
    ----------
    ensemble : Ensemble
        Of the same data and settings, with fewer replicates. Its correction, strength and seed are those of the
        further ones; not for ``"matched"``, whose strength depends on all replicates.
    data, score, search, constraints, ties, executor
        As for ``resample``.
    resampler : resampler
        With the number of replicates in all.
    progress : callable, optional
        Counts the further replicates.

    Returns
    -------
    Ensemble

    Raises
    ------
    ValueError
        If the ensemble is not finished, or of other data or settings.

    Examples
    --------
    >>> import bnengine as bn
    >>> data, settings = bn.load_network("asia").sample(500, rng=1), (bn.BIC(), bn.HillClimbing())
    >>> few = bn.resample(data, *settings, bn.Bootstrap(50))
    >>> more = bn.add_replicates(few, data, *settings, bn.Bootstrap(80))
    >>> more.n_graphs, bool((more.adjacencies[:50] == few.adjacencies).all())
    (80, True)
    """
    task = ResampleTask(data, score, search, resampler, ensemble.correction, constraints, ensemble.strength, ties)
    return continue_ensemble(ensemble, task, executor, progress)


def continue_ensemble(
    ensemble: Ensemble, task: ResampleTask, executor: Executor | None = None, progress: Progress | None = None
) -> Ensemble:
    """Learn the replicates of a task that the ensemble lacks."""
    task.check()
    check_same_settings(ensemble, task, ensemble.seed)
    check_finished(ensemble)
    n, n_planned = ensemble.n_graphs, task.n_planned
    if n_planned < n:
        raise ValueError(f"resampler must have at least {n:,} replicates, as the ensemble has; got {n_planned:,}")
    if n == n_planned:
        return ensemble
    reference, seed = ensemble.reference, ensemble.seed
    if learns_graphs_first(task.resampler):
        first, progress = split_progress(progress, [n_planned, n_planned - n])
        graphs = graphs_to_draw_from(task, reference, seed, executor, first)
        if graphs.status == "stopped":
            return dataclasses.replace(ensemble, n_planned=n_planned, status="stopped")
        task = task.drawing_from(graphs)
    generators = replicate_generators(seed, n_planned)
    prepared = task.from_reference(reference)

    def learned_again(number: int) -> UInt8Array:
        return run_chunk(prepared.preparation(task.strength), number, [copy.deepcopy(generators[number])])[0][0]

    check_repeated(ensemble, learned_again)
    pairs = zip(ensemble.packed_graphs, ensemble.multiplicities.tolist(), strict=True)
    known: list[Learned] = [(graph, times, ensemble.status) for graph, times in pairs]
    more, stopped = run(prepared.preparation(task.strength, n), generators[n:], executor, progress)
    return ensemble_of(task, reference, known + more, seed, stopped)


def check_finished(ensemble: Ensemble) -> None:
    """Raise a ValueError unless replicates can be added to an ensemble."""
    if ensemble.status == "stopped":
        raise ValueError(
            "ensemble must be a finished one; this one was stopped, and which of its replicates are missing is not "
            "known: run it again"
        )
    if ensemble.correction == "matched":
        raise ValueError(
            "ensemble must be one whose strength does not depend on its replicates; 'matched' finds it from all of "
            f"them: run it again, or start with correction='leading', strength={ensemble.strength:g}"
        )
    if ensemble.seed is None:
        raise ValueError("ensemble must be one made with a whole number as rng, which repeats its replicates")


def check_same_settings(ensemble: Ensemble, task: ResampleTask, seed: int | None) -> None:
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


def check_repeated(ensemble: Ensemble, learned_again: Callable[[int], UInt8Array]) -> None:
    """Raise a ValueError unless the first and the last graph of an ensemble are learned again from their replicates.

    An ensemble does not record everything that it depends on, such as constraints and a search's limits.
    """
    for number in sorted({0, ensemble.n_graphs - 1}):
        if (learned_again(number) != ensemble.packed_graphs[number]).any():
            raise ValueError(
                f"ensemble was learned with other settings: replicate {number} gives another graph with these. "
                "Constraints, ties, and the settings of the score, the search and the resampler must be the same"
            )
