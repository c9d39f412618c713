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


# How right the shown numbers were where the truth is known: in generated sentences.
#
# *Real* was counted by ``benchmarks/real_worlds.py``, the others by ``benchmarks/which_confidence.py``, by tenths, on
# held-out networks.

_TENTHS = 10
_OF_REAL, _OF_OTHERS = "bnengine/answers/real_reliability.json", "bnengine/answers/reliability.json"


@cache
def _shipped(name: str) -> Any:
    return json.loads(Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8"))


def measured() -> dict[str, Any]:
    """Return what was counted of the resampling methods, by method."""
    return _shipped("reliability")  # type: ignore[no-any-return]


def real_measured() -> dict[str, Any]:
    """Return what was counted of *real*, by the number given; see ``benchmarks/real_worlds.py``."""
    return _shipped("real_reliability")  # type: ignore[no-any-return]


def older_results() -> frozenset[str]:
    """Return the shipped results that an earlier version of the engine made; a test keeps the list true."""
    return frozenset(_shipped("older"))


def dated(result: str, sentence: str) -> str:
    """Add to a sentence that its figures were measured with an earlier version of the engine, if they were."""
    end = "." * sentence.endswith(".")
    note = " (measured with an earlier version of the engine)" if result in older_results() else ""
    return sentence.removesuffix(".") + note + end


def ends_sentence() -> str:
    """Say how right *real* was near 1 and near 0."""
    found, high, low = real_measured(), _real_from(0.99), _real_below(0.01)
    fewest, most = found["rows"]
    return dated(
        _OF_REAL,
        f"On {found['worlds']} simulated worlds of {found['kinds']} kinds, with {fewest:,} and {most:,} rows, "
        f"{high['pairs']:,} pairs of variables had a number of 0.99 or more: {_joined(high)}. Of {low['pairs']:,} "
        f"pairs below 0.01, {short(low['expected'], 2)} were expected to have an edge, and {low['true']:,} had one "
        "that the rows did not show.",
    )


def false_remark(least: float = 0.5) -> str:
    """Say how many of the pairs with at least this number had no edge where the truth is known."""
    above = _real_from(least)
    none = above["pairs"] - above["true"]
    return dated(
        _OF_REAL,
        f"Of the {above['pairs']:,} pairs of variables with {short(above['least'])} or more in simulated worlds, "
        f"{above['pairs'] - above['expected']:,.0f} were expected to have no edge, and {none:,} had none, "
        f"{above['confounded']:,} of them joined by a common cause that was left unmeasured.",
    )


def real_remark(probability: float) -> str:
    """Say how many pairs with about this number an edge joined where the truth is known."""
    bins = real_measured()["bins"]
    place = _place(probability)
    start = f"{bins[place]['least']:g}"
    values = f"{start} or more" if place + 1 == len(bins) else f"{start} to {bins[place + 1]['least']:g}"
    return dated(
        _OF_REAL,
        f"Of the {bins[place]['pairs']:,} pairs of variables with {values} in simulated worlds, "
        f"{_joined(bins[place])}.",
    )


def _joined(found: dict[str, Any]) -> str:
    """Say the share of pairs that an edge joined, and of those that only an unmeasured common cause did."""
    text = f"{_percent(found['true'] / found['pairs'])} were joined by an edge"
    if not found["confounded"]:
        return text
    return (
        f"{text} and {_percent(found['confounded'] / found['pairs'])} only by a common cause that was left unmeasured"
    )


def _place(probability: float) -> int:
    """Return the place of the bin that a number falls into."""
    starts = [one["least"] for one in real_measured()["bins"]]
    return int(np.searchsorted(starts, probability + 1e-9, side="right")) - 1


def _real_from(least: float) -> dict[str, Any]:
    """Return the counts of all bins from that of a number upwards."""
    return _sum_of(real_measured()["bins"][_place(least) :])


def _real_below(most: float) -> dict[str, Any]:
    return _sum_of(real_measured()["bins"][: _place(most)])


def _sum_of(bins: list[dict[str, Any]]) -> dict[str, Any]:
    columns = ("pairs", "expected", "true", "confounded")
    return {"least": bins[0]["least"]} | {name: sum(one[name] for one in bins) for name in columns}


def again_remark(method: str, score: str, confidence: float) -> str:
    """Say how often fresh tables joined pairs with about this confidence, by a method under a score.

    Empty where it was not measured: scores differ too much to be pooled, or to stand for one another.
    """
    counts = _measured(method, score)
    if counts is None:
        return ""
    tenth = counts["tenths"][_tenth(confidence)]
    return dated(
        _OF_OTHERS,
        f"The {tenth['pairs']:,} pairs of variables with a share of {_values(confidence)} on held-out networks "
        f"({_setting(method, score)}) were found again in {_shares(tenth, 'pi')} of fresh tables; "
        f"{_expected(tenth)} were expected.",
    )


def threshold_remark(method: str, score: str, threshold: float) -> str:
    """Say how many pairs from a threshold's tenth upwards were false where the truth is known.

    Empty where it was not measured for the method under the score; ``"real"`` does not depend on the score.
    """
    if method == REAL:
        return false_remark(threshold)
    counts = _measured(method, score)
    if counts is None:
        return ""
    tenth = _tenth(threshold)
    above = counts["at_least"][tenth]
    start, at = short(tenth / _TENTHS), short(threshold)
    tenths = "" if at == start else f" (counted by tenths: {at} itself keeps fewer)"
    return dated(
        _OF_OTHERS,
        f"Of the {above['pairs']:,} pairs of variables with a strength ({_setting(method, score)}) of {start} or more "
        f"on held-out networks{tenths}, {_shares(_without_edge(above), 'false')} were false.",
    )


def _measured(method: str, score: str) -> dict[str, Any] | None:
    counts: dict[str, Any] | None = measured()["methods"].get(method, {}).get(score)
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


def _without_edge(tenth: dict[str, Any]) -> dict[str, Any]:
    """Return the same about the pairs that no edge joined."""
    low, high = tenth["true_interval"]
    return {"pairs": tenth["pairs"], "false": tenth["pairs"] - tenth["true"], "false_interval": (1 - high, 1 - low)}


def _percent(share: float) -> str:
    return f"{100 * share:.2g}%" if share < 0.995 else f"{100 * share:.3g}%"
