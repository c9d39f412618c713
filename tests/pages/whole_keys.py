"""Whether the key of kept work tells all that the work can see: its data, graphs, networks, settings and numbers."""

import dataclasses
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest

import bnengine as bn
from bnengine.execution import digest
from bnengine.experiment.learning import real_key
from bnengine.typing import Ensemble, LearnedGraph
from pages.predict.accuracy import Testing
from pages.shared import jobs, lessons, results

_WHOLE = (bn.Dataset, LearnedGraph, bn.BayesianNetwork, Ensemble, bn.posterior.EdgePosterior, np.ndarray)


def seen_by(work: Any) -> Iterator[Any]:
    """What a function, or a value in its closure, is made of: data and the like, settings, numbers and texts."""
    if isinstance(work, (*_WHOLE, bn.Experiment, str, int, float)):
        yield work
    elif isinstance(work, functools.partial):
        yield from seen_by([work.func, *work.args, *work.keywords.values()])
    elif inspect.isfunction(work):
        yield from seen_by(list(inspect.getclosurevars(work).nonlocals.values()))
    elif isinstance(work, Testing):  # its splits follow from the data and the code
        yield from seen_by(work.of)
    elif isinstance(work, Mapping):
        yield from seen_by([*work, *work.values()])
    elif isinstance(work, list | tuple | set | frozenset | range):
        for one in work:
            yield from seen_by(one)
    elif dataclasses.is_dataclass(work) and not isinstance(work, type) and not hasattr(work, "__setting__"):
        parts = seen_by([getattr(work, one.name) for one in dataclasses.fields(work)])
        yield from (one for one in parts if isinstance(one, _WHOLE))  # it has names and settings for other purposes


def digests_of(experiment: bn.Experiment) -> set[str]:
    """The digests of an experiment's settings, whole or as far as a kind of result depends on them."""
    methods = {experiment.method_key(method) for method in experiment.methods_run}
    return {experiment.graph_key, experiment.key, experiment.calibration_key, real_key(experiment), *methods}


def untold(work: Callable[..., Any], of: tuple[object, ...]) -> list[object]:
    """What the work sees and its key does not tell."""
    told = list(seen_by(of))
    whole = {digest(one) for one in told}
    texts = {one for one in told if isinstance(one, str)}
    settings = any(re.search(r"[0-9a-f]{64}$", one) for one in texts)  # their digest tells their numbers, too
    missed: list[object] = []
    for one in seen_by(work):
        if isinstance(one, np.ndarray) and one.shape == (1,) and one.dtype == np.uint8:
            continue  # the flag that stops it
        if isinstance(one, bn.Experiment):
            missed += [] if digests_of(one) & texts else [one]
        elif (isinstance(one, _WHOLE) or not settings) and digest(one) not in whole:
            missed.append(one)
    return missed


def check_keys(patch: pytest.MonkeyPatch) -> None:
    """Let every page fail on work that is kept under a key which does not tell all that the work sees."""
    inputs: dict[str, tuple[object, ...]] = {}
    key_of, result_of, cached = results.key_of, jobs.result_of, lessons._cached

    def remembered(kind: str, *values: object) -> str:
        key = key_of(kind, *values)
        inputs[key] = values
        return key

    def checked_result(kind: str, of: tuple[object, ...], work: Any, *args: Any, **options: Any) -> Any:
        assert not untold(work, of), (kind, untold(work, of))
        return result_of(kind, of, work, *args, **options)

    def checked_cached(key: str, work: Any) -> Any:
        assert not untold(work, inputs[key]), (key, untold(work, inputs[key]))
        return cached(key, work)

    patch.setattr(results, "key_of", remembered)
    patch.setattr(jobs, "result_of", checked_result)
    patch.setattr(lessons, "_cached", checked_cached)
