"""Replicates added to a finished ensemble: the same as if they had been asked for from the start."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bnengine._core.arrays import UInt8Array
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.data.dataset import Dataset
from bnengine.scores.evaluation import score as score_of
from bnengine.scores.scores import TableScore

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
    here = score_of(data, ensemble.reference.edges, score)
    if not np.isclose(here, ensemble.reference.score, rtol=_DIGITS, atol=_DIGITS * data.n_rows):
        raise ValueError(
            f"data must be those of the continued ensemble: the graph learned from them had the score "
            f"{ensemble.reference.score:.9g} under {ensemble.score}, but has {here:.9g} on these data"
        )
    n = ensemble.n_graphs
    if n_planned < n:
        raise ValueError(f"n must be at least {n:,}, the replicates of the continued ensemble; got {n_planned:,}")


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
