"""Run several resampling methods on one data set."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor

from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.shared_progress import shared_progress
from bnengine._core.stoppable import stoppable
from bnengine._core.validation import validated
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.methods import ALL_KEYS, Method
from bnengine.bootstrap.predictive_bootstrap import PredictiveBootstrap, learns_graphs_first, n_graphs_learned
from bnengine.bootstrap.resample import check_memory, resample
from bnengine.bootstrap.resamplers import Bootstrap, Resampler
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.scores.correction import LEADING_STRENGTH
from bnengine.scores.scores import TableScore
from bnengine.search import Search, learn


@validated
def study(
    data: Dataset,
    score: TableScore,
    search: Search,
    methods: Sequence[Method],
    constraints: Constraints | None = None,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    *,
    strength: float = LEADING_STRENGTH,
    known: Mapping[str, Ensemble] | None = None,
    ties: str = "drawn",
    continued: Mapping[str, Ensemble] | None = None,
) -> Study:
    """Run several resampling methods on one data set; the naive and corrected bootstraps see the same resamples.

    Parameters
    ----------
    data, score, search, constraints, rng, executor, strength, ties
        As for ``resample``.
    methods : sequence of Method
        See ``methods``.
    progress : callable, optional
        Counts the replicates of all methods that have to be run. Stopping keeps finished and partial ensembles.
    known : mapping from method key to Ensemble, optional
        Ensembles to use instead of running their methods.
    continued : mapping from method key to Ensemble, optional
        Finished ensembles of the same data, settings and seed with fewer replicates, such as ``Study.ensembles``: only
        the further replicates are learned. One that was stopped or is matched is learned anew.

    Raises
    ------
    DataError
        If the graphs of all methods together need too much memory.
    ValueError
        If a method does not apply to the data or its correction to the score.
    """
    check_memory(data, [method.resampler for method in methods])
    seed = fixed_seed(rng)
    ensembles = {method.key: known[method.key] for method in methods if known and method.key in known}
    missing = [method for method in methods if method.key not in ensembles]
    # matched needs the runs on the data; predictive draws from the corrected one's graphs.
    missing.sort(key=lambda method: (method.key != "data", learns_graphs_first(method.resampler)))
    sizes = [n_graphs_learned(method.resampler, data) for method in missing]
    reference = stoppable(
        lambda stop: learn(data, score, search, constraints, rng=seed, ties=ties, stop=stop), progress, sum(sizes)
    )
    stopped = reference.status == "stopped"
    for method, share in zip(missing, shared_progress(progress, sizes), strict=True):
        if stopped:
            break
        ensemble = resample(
            data,
            score,
            search,
            _with_graphs(method.resampler, ensembles.get("boot_bc"), seed),
            method.correction,
            constraints,
            seed,
            executor,
            share,
            strength=strength,
            reference=reference,
            target_edges=ensembles["data"].mean_edges if "data" in ensembles else None,
            ties=ties,
            continued=_to_continue(continued, method, data),
        )
        if ensemble.n_graphs:
            ensembles[method.key] = ensemble
        stopped = ensemble.status == "stopped"
    order = dict.fromkeys([*ALL_KEYS, *(method.key for method in methods)])
    return Study(reference, {key: ensembles[key] for key in order if key in ensembles}, stopped)


def _to_continue(continued: Mapping[str, Ensemble] | None, method: Method, data: Dataset) -> Ensemble | None:
    """The ensemble to which a method's further replicates are to be added, if there is one that allows it."""
    ensemble = (continued or {}).get(method.key)
    if ensemble is None or ensemble.status == "stopped" or method.correction == "matched":
        return None
    return ensemble if ensemble.n_graphs <= method.resampler.n_replicates(data) else None


def _with_graphs(resampler: Resampler, corrected: Ensemble | None, seed: int) -> Resampler:
    """The resampler; if it would learn graphs that the corrected bootstrap has learned already, with those."""
    if corrected is None or not isinstance(resampler, PredictiveBootstrap) or not learns_graphs_first(resampler):
        return resampler
    settings = (corrected.resampler, corrected.correction, corrected.strength, corrected.seed, corrected.n_graphs)
    if settings != (Bootstrap().name, "leading", LEADING_STRENGTH, seed, resampler.n) or corrected.status == "stopped":
        return resampler
    return dataclasses.replace(resampler, graphs=corrected)


def fixed_seed(rng: Seed) -> int:
    """Return the seed, or draw one, so that several runs can see the same resamples."""
    seed = seed_of(rng)
    return int(generator_of(rng).integers(2**53)) if seed is None else seed
