"""What threshold? Rules that need no further learning, what each keeps, and how right such numbers have been."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray
from bnengine._core.display import counted, short
from bnengine._core.environment import pd
from bnengine.answers.edge_answers import real_probability
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

    An adjacency is kept if the two variables are joined, in either direction, with a strength or a probability of at
    least the threshold. It is false if the network that the data came from does not join them. How many are false is
    what the posterior expects, under its prior; on known networks there were several times as many (``prior_remark``).

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
        of false adjacencies), error (its Monte Carlo standard error, 0 if summed exactly, or nothing is kept), least
        and most (the central 90 % of the posterior of that number), precision (1 - false / kept; NaN if nothing is
        kept).
    """
    places = np.triu_indices(len(posterior.names), 1)
    real = real_probability(posterior, "adjacency")[0][places]
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
    """Count, for each graph drawn, the kept adjacencies of each set that it lacks; shape (m, sets)."""
    counts = []
    for start in range(0, len(graphs), _CHUNK):
        some = graphs[start : start + _CHUNK]
        absent = ~(some | some.transpose(0, 2, 1))[:, places[0], places[1]]
        counts.append(absent.astype(np.float32) @ kept.T.astype(np.float32))
    return np.concatenate(counts).astype(np.float64) if counts else np.zeros((0, len(kept)))


def kept_sentence(table: pd.DataFrame, threshold: float) -> str:
    """Say what one threshold keeps by each method: the edges, and how many are false as the posterior expects."""
    parts, under = [], " under the posterior's prior"
    for line in table[table["threshold"] == threshold].itertuples():
        by = "the probability of being real" if line.by == REAL else f"the {TITLES[str(line.by)]}"
        false = ""
        if line.kept:
            false = f", about {short(line.false, 2)} of them false{under} ({line.least:.0f} to {line.most:.0f})"
            under = ""  # said once, of the first number
        parts.append(f"{by} keeps {counted(line.kept, 'edge')}{false}")
    return f"At {threshold:g}, " + "; ".join(parts) + "."


# How right the shown numbers were where the truth is known: by tenths, on held-out networks, in generated sentences.
#
# The numbers are those of ``benchmarks/which_confidence.py``, counted by ``confidence_study/reliability.py``.

_TENTHS = 10


@cache
def measured() -> dict[str, Any]:
    """Return what was counted, by method."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("reliability.json").read_text(encoding="utf-8"))
    return found


def ends_sentence() -> str:
    """Say how sure and how right the posterior was near 1 and near 0."""
    found = measured()
    low, *_, high = found[REAL]["tenths"]
    (fewest, most), none = found["rows"], _without_edge(high)
    return (
        f"At its ends it is too sure. On {found['networks']} networks by which no method was chosen, with {fewest:,} "
        f"to {most:,} rows, {high['pairs']:,} pairs of variables had a probability of 0.9 or more: "
        f"{short(high['pairs'] - high['expected'])} of them were expected to have no edge, and "
        f"{_number(none, 'false')} had none. Of {low['pairs']:,} pairs below 0.1, {short(low['expected'])} were "
        f"expected to have an edge, and {_number(low, 'true')} had one."
    )


def prior_remark(least: float = 0.5) -> str:
    """Say how many of the pairs with at least this probability had no edge where the truth is known."""
    found = measured()
    above = found[REAL]["at_least"][_tenth(least)]
    return (
        f"That number holds under the posterior's prior, and was far too small where it could be checked: of the "
        f"{above['pairs']:,} pairs of variables with a probability of {short(least)} or more on {found['networks']} "
        f"held-out networks, {short(above['pairs'] - above['expected'])} were expected to have no edge, and "
        f"{above['pairs'] - above['true']:,} had none."
    )


def real_remark(probability: float) -> str:
    """Say how many pairs with about this posterior probability an edge joined where the truth is known."""
    found = measured()[REAL]["tenths"][_tenth(probability)]
    return (
        f"Of the {found['pairs']:,} pairs of variables with a probability of {_values(probability)} on held-out "
        f"networks, {_shares(found, 'true')} were joined by an edge; {_expected(found)} were expected."
    )


def again_remark(method: str, score: str, confidence: float) -> str:
    """Say how often fresh tables joined pairs with about this confidence, by a method under a score.

    Empty where it was not measured: scores differ too much to be pooled, or to stand for one another.
    """
    counts = _measured(method, score)
    if counts is None:
        return ""
    tenth = counts["tenths"][_tenth(confidence)]
    return (
        f"The {tenth['pairs']:,} pairs of variables with a share of {_values(confidence)} on held-out networks "
        f"({_setting(method, score)}) were found again in {_shares(tenth, 'pi')} of fresh tables; "
        f"{_expected(tenth)} were expected."
    )


def threshold_remark(method: str, score: str, threshold: float) -> str:
    """Say how many pairs from a threshold's tenth upwards were false where the truth is known.

    Empty where it was not measured for the method under the score; ``"real"`` does not depend on the score.
    """
    counts = _measured(method, score)
    if counts is None:
        return ""
    tenth = _tenth(threshold)
    above = counts["at_least"][tenth]
    by = "a probability of being real" if method == REAL else f"a strength ({_setting(method, score)})"
    expected = f"; {_percent(1 - above['expected'] / above['pairs'])} were expected" if method == REAL else ""
    start, at = short(tenth / _TENTHS), short(threshold)
    tenths = "" if at == start else f" (counted by tenths: {at} itself keeps fewer)"
    return (
        f"Of the {above['pairs']:,} pairs of variables with {by} of {start} or more on held-out networks{tenths}, "
        f"{_shares(_without_edge(above), 'false')} were false{expected}."
    )


def _measured(method: str, score: str) -> dict[str, Any] | None:
    found = measured()
    counts: dict[str, Any] | None = found[REAL] if method == REAL else found["methods"].get(method, {}).get(score)
    return counts


def _setting(method: str, score: str) -> str:
    return f"{TITLES[method]}; {score}, {measured()['search']}"


def _tenth(value: float) -> int:
    return min(int(value * _TENTHS + 1e-9), _TENTHS - 1)


def _values(value: float) -> str:
    """Name the tenth that holds a value."""
    tenth = _tenth(value)
    if tenth == _TENTHS - 1:
        return "0.9 or more"
    return "less than 0.1" if tenth == 0 else f"{tenth / _TENTHS:g} to {(tenth + 1) / _TENTHS:g}"


def _expected(tenth: dict[str, Any]) -> str:
    return _percent(tenth["expected"] / tenth["pairs"])


def _shares(tenth: dict[str, Any], what: str) -> str:
    """Return the share with the 95 % interval over networks drawn with replacement."""
    low, high = tenth[f"{what}_interval"]
    return f"{_percent(tenth[what] / tenth['pairs'])} ({_percent(low)} to {_percent(high)} with other such networks)"


def _number(tenth: dict[str, Any], what: str) -> str:
    """Return the number with its share of the pairs and the interval."""
    return f"{tenth[what]:,} ({_shares(tenth, what).replace(' (', '; ', 1)}"


def _without_edge(tenth: dict[str, Any]) -> dict[str, Any]:
    """Return the same about the pairs that no edge joined."""
    low, high = tenth["true_interval"]
    return {"pairs": tenth["pairs"], "false": tenth["pairs"] - tenth["true"], "false_interval": (1 - high, 1 - low)}


def _percent(share: float) -> str:
    return f"{100 * share:.2g}%" if share < 0.995 else f"{100 * share:.3g}%"
