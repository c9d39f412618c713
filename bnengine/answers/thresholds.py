"""What threshold? Rules that need no further learning, and what each keeps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray
from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine.bootstrap.ensemble import l1_threshold
from bnengine.bootstrap.resampling_methods import TITLES
from bnengine.bootstrap.study import Study
from bnengine.posterior import EdgePosterior

#: The strength from which studies of questionnaires keep an edge, in the direction of at least half of its replicates
#: (Briganti, Scutari & McNally 2023).
CONVENTION, CONVENTION_REPLICATES = 0.85, 1_000
#: Thresholds that a table compares.
THRESHOLDS_SHOWN = (0.5, 0.6, 0.7, 0.8, CONVENTION, 0.9, 0.95)
REAL = "real"
_INTERVAL = 0.05, 0.95
_CHUNK = 128  # graphs at a time, to bound memory


def by_rule(rule: str, study: Study, method: str, kind: str) -> float:
    """Return the threshold that a rule suggests; where columns would have to be shuffled, that of ``"mean"``."""
    if rule == "convention":
        return CONVENTION
    if rule == "l1":
        return l1_threshold(study.strength(method, kind))
    return study.strength_threshold(method, kind)


def kept_at(study: Study, posterior: EdgePosterior, thresholds: Sequence[float] = THRESHOLDS_SHOWN) -> pd.DataFrame:
    """Tabulate what each threshold keeps, by each method's strength and by the posterior probability.

    An edge is kept if the two variables are joined, in either direction, with a strength or a probability of at
    least the threshold. It is false if the network that the data came from does not join them. How many are false is
    what is expected; ``false_remark`` says how many were in simulated worlds.

    Parameters
    ----------
    study : Study
    posterior : EdgePosterior
        Of the same data.
    thresholds : sequence of float

    Returns
    -------
    DataFrame
        One row per threshold and method (``by``: its key, or ``"real"``): threshold, by, kept, false (expected number
        of false edges), error (its Monte Carlo standard error, 0 if summed exactly, or nothing is kept), least
        and most (the central 90 % of the posterior of that number), precision (1 - false / kept; NaN if nothing is
        kept).
    """
    places = np.triu_indices(len(posterior.names), 1)
    real = posterior.pair_probability[places]
    values = {key: study.strength(key, "adjacency")[places] for key in study.ensembles if key != "data"} | {REAL: real}
    cells = [(threshold, by) for threshold in thresholds for by in values]
    kept = np.array([values[by] >= threshold for threshold, by in cells])
    missing = _missing(posterior.graphs(), kept, places)
    low, high = np.quantile(missing, _INTERVAL, axis=0) if len(missing) else np.full((2, len(cells)), np.nan)
    false, number = kept @ (1.0 - real), kept.sum(axis=1)
    exact = posterior.is_exact or not len(missing)
    error = np.where(number > 0, 0.0 if exact else posterior.error_of(missing), 0.0)
    return pd.DataFrame(
        {
            "threshold": [threshold for threshold, _ in cells],
            "by": [by for _, by in cells],
            "kept": number,
            "false": false,
            "error": error,
            "least": low,
            "most": high,
            "precision": np.where(number > 0, 1.0 - false / np.maximum(number, 1), np.nan),
        }
    )


def _missing(graphs: BoolArray, kept: BoolArray, places: tuple[np.ndarray, ...]) -> FloatArray:
    """Count, for each graph drawn, the kept edges of each set that it lacks; shape (m, sets)."""
    counts = []
    for start in range(0, len(graphs), _CHUNK):
        some = graphs[start : start + _CHUNK]
        absent = ~(some | some.transpose(0, 2, 1))[:, places[0], places[1]]
        counts.append(absent.astype(np.float32) @ kept.T.astype(np.float32))
    return np.concatenate(counts).astype(np.float64) if counts else np.zeros((0, len(kept)))


def kept_sentence(table: pd.DataFrame, threshold: float) -> str:
    """Say what one threshold keeps by each method: the edges, and how many are expected to be false."""
    parts = []
    for line in table[table["threshold"] == threshold].itertuples():
        by = "the probability of being real" if line.by == REAL else f"the {TITLES[str(line.by)]}"
        false = f", {false_in_words(line.false, line.least, line.most)}" if line.kept else ""
        parts.append(f"{by} keeps {counted(line.kept, 'edge')}{false}")
    return f"At {threshold:g}, " + "; ".join(parts) + "."


def false_in_words(expected: float, least: float, most: float) -> str:
    """Say how many edges are expected to be false, with the interval that probably holds their number."""
    if most < 1 and expected < 0.5:
        return "none of which is expected to be false"
    about = f"about {expected:.0f} of them false" if expected >= 0.5 else "fewer than 1 of them false"
    return about if least == most else f"{about} ({least:.0f} to {most:.0f})"
