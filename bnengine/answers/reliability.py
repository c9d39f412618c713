"""How right have such numbers been where the truth is known? In sentences beside the numbers that pages show.

*Real* was counted on simulated worlds (``benchmarks/real_worlds.py``), both default numbers on samples of published
networks (``benchmarks/published.py``), the resampling methods on held-out networks, by tenths
(``benchmarks/which_confidence.py``).
"""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bnengine._core.display import counted, short
from bnengine.answers.thresholds import REAL
from bnengine.bootstrap.resampling_methods import TITLES

#: The method and score behind *found again* on samples of published networks.
DEFAULT = ("predictive", "BIC")
_TENTHS = 10
_OF_REAL, _OF_OTHERS, _OF_PUBLISHED = (
    f"bnengine/answers/{name}.json" for name in ("real_reliability", "reliability", "published_reliability")
)


@cache
def _shipped(file: str) -> Any:
    return json.loads(Path(__file__).with_name(Path(file).name).read_text(encoding="utf-8"))


def measured() -> dict[str, Any]:
    """Return what was counted of the resampling methods, by method."""
    return _shipped(_OF_OTHERS)  # type: ignore[no-any-return]


def real_measured() -> dict[str, Any]:
    """Return what was counted of *real* in simulated worlds, by the number given."""
    return _shipped(_OF_REAL)  # type: ignore[no-any-return]


def published_measured() -> dict[str, Any]:
    """Return what was counted of both numbers on samples of published networks, by numbers of rows and variables."""
    return _shipped(_OF_PUBLISHED)  # type: ignore[no-any-return]


def older_results() -> frozenset[str]:
    """Return the shipped results that an earlier version of the engine made; a test keeps the list true."""
    return frozenset(_shipped("older.json"))


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


def tables_like(n_variables: int, n_rows: int, again: float | None = None, real: float | None = None) -> str:
    """Say what such numbers were worth on the measured tables whose size is nearest to that of a table.

    Parameters
    ----------
    n_variables, n_rows : int
    again : float, optional
        *Found again* of a pair, by the default method and score.
    real : float, optional
        *Real* of a pair.

    Returns
    -------
    str
        Empty where no pair of these tables had such a number.
    """
    group = min(published_measured()["groups"], key=lambda one: _distance(one, n_variables, n_rows))
    found = []
    for question, joined, number in (
        ("found again", "fresh tables joined {} on average", again),
        ("real", "{} were edges", real),
    ):
        place = 0 if number is None else _place_among(published_measured()["least"], number)
        pairs, expected, true = group[question][place]
        if number is not None and pairs:
            values = _between(published_measured()["least"], place)
            found.append(
                f"of {counted(int(pairs), 'pair')} {question} with probability {values}, {joined.format(short(true))} "
                f"({short(expected)} expected)"
            )
    if not found:
        return ""
    fewest, most = group["variables"]
    return dated(
        _OF_PUBLISHED,
        f"On the measured tables nearest in size to this one ({group['rows']:,} rows of {group['networks']} published "
        f"networks with {fewest} to {most} variables, by the default search), {'; '.join(found)}.",
    )


def cause_remark(probability: float) -> str:
    """Say how often a common cause that was left unmeasured alone joined the pairs with about this *real*."""
    one = real_measured()["bins"][_place(probability)]
    if not one["confounded"]:
        return ""
    share = _percent(one["confounded"] / one["pairs"])
    values = _between([each["least"] for each in real_measured()["bins"]], _place(probability))
    return dated(
        _OF_REAL,
        f"In simulated worlds, {share} of the pairs real with probability {values} were joined only by a common cause "
        "that was left unmeasured.",
    )


def _distance(group: dict[str, Any], n_variables: int, n_rows: int) -> float:
    """Return how far a group's tables are from a table's size: log ratios of the rows and of the variables, added."""
    fewest, most = group["variables"]
    outside = max(math.log(fewest / n_variables), math.log(n_variables / most), 0.0)
    return abs(math.log(max(n_rows, 1) / group["rows"])) + outside


def _joined(found: dict[str, Any]) -> str:
    """Say the share of pairs that an edge joined, and of those that only an unmeasured common cause did."""
    text = f"{_percent(found['true'] / found['pairs'])} were joined by an edge"
    if not found["confounded"]:
        return text
    return (
        f"{text} and {_percent(found['confounded'] / found['pairs'])} only by a common cause that was left unmeasured"
    )


def _place(probability: float) -> int:
    """Return the place of the bin that a number of *real* falls into."""
    return _place_among([one["least"] for one in real_measured()["bins"]], probability)


def _place_among(least: list[float], number: float) -> int:
    return int(np.searchsorted(least, number + 1e-9, side="right")) - 1


def _between(least: list[float], place: int) -> str:
    """Name the values of a bin."""
    return f"{least[place]:g} or more" if place + 1 == len(least) else f"{least[place]:g} to {least[place + 1]:g}"


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
