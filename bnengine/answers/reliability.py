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
_OF_REAL, _OF_OTHERS, OF_PUBLISHED, OLDER = (
    f"bnengine/answers/{name}.json" for name in ("real_reliability", "reliability", "published_reliability", "older")
)
_TENTHS = [tenth / 10 for tenth in range(10)]


@cache
def shipped(file: str) -> Any:
    """Return what was counted, from one of this folder's files.

    Of *real* in simulated worlds and of the resampling methods by the number given, of both on samples of published
    networks by their rows and variables; or which shipped results an earlier version of the engine made.
    """
    return json.loads(Path(__file__).with_name(Path(file).name).read_text(encoding="utf-8"))


def dated(result: str, sentence: str) -> str:
    """Add to a sentence that its figures were measured with an earlier version of the engine, if they were."""
    end = "." * sentence.endswith(".")
    note = " (measured with an earlier version of the engine)" if result in shipped(OLDER) else ""
    return sentence.removesuffix(".") + note + end


def ends_sentence() -> str:
    """Say how right *real* was near 1 and near 0."""
    found, high, low = shipped(_OF_REAL), _of_real(0.99), _of_real(0.0, 0.01)
    edges, causes = (_percent(high[what] / high["pairs"]) for what in ("true", "confounded"))
    fewest, most = found["rows"]
    return dated(
        _OF_REAL,
        f"On {found['worlds']} simulated worlds of {found['kinds']} kinds, with {fewest:,} and {most:,} rows, "
        f"{high['pairs']:,} pairs of variables had a number of 0.99 or more: {edges} were joined by an edge and "
        f"{causes} only by a common cause that was left unmeasured. Of {low['pairs']:,} pairs below 0.01, "
        f"{short(low['expected'], 2)} were expected to have an edge, and {low['true']:,} had one that the rows did "
        "not show.",
    )


def false_remark(least: float = 0.5) -> str:
    """Say how many of the pairs with at least this number had no edge where the truth is known."""
    above = _of_real(least)
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
    least, groups = shipped(OF_PUBLISHED)["least"], shipped(OF_PUBLISHED)["groups"]
    group = min(groups, key=lambda one: _distance(one, n_variables, n_rows))
    found = []
    for question, joined, number in (
        ("found again", "fresh tables joined {} on average", again),
        ("real", "{} were edges", real),
    ):
        place = 0 if number is None else _place(least, number)
        pairs, expected, true = group[question][place]
        if number is not None and pairs:
            found.append(
                f"of {counted(int(pairs), 'pair')} {question} with probability {_between(least, place)}, "
                f"{joined.format(short(true))} ({short(expected)} expected)"
            )
    if not found:
        return ""
    fewest, most = group["variables"]
    return dated(
        OF_PUBLISHED,
        f"On the measured tables nearest in size to this one ({group['rows']:,} rows of {group['networks']} published "
        f"networks with {fewest} to {most} variables, by the default search), {'; '.join(found)}.",
    )


def cause_remark(probability: float) -> str:
    """Say how often a common cause that was left unmeasured alone joined the pairs with about this *real*."""
    bins = shipped(_OF_REAL)["bins"]
    least = [one["least"] for one in bins]
    place = _place(least, probability)
    share = _percent(bins[place]["confounded"] / bins[place]["pairs"])
    return dated(
        _OF_REAL,
        f"In simulated worlds, {share} of the pairs real with probability {_between(least, place)} were joined only "
        "by a common cause that was left unmeasured.",
    )


def _distance(group: dict[str, Any], n_variables: int, n_rows: int) -> float:
    """Return how far a group's tables are from a table's size: log ratios of the rows and of the variables, added."""
    fewest, most = group["variables"]
    outside = max(math.log(fewest / n_variables), math.log(n_variables / most), 0.0)
    return abs(math.log(max(n_rows, 1) / group["rows"])) + outside


def _of_real(least: float, below: float | None = None) -> dict[str, Any]:
    """Return the counts of *real* from the bin of one number upwards, or up to that of another, added up."""
    bins = shipped(_OF_REAL)["bins"]
    first, *end = (_place([one["least"] for one in bins], each) for each in (least, below) if each is not None)
    chosen = bins[first : end[0] if end else None]
    names = ("pairs", "expected", "true", "confounded")
    return {"least": chosen[0]["least"]} | {name: sum(one[name] for one in chosen) for name in names}


def _place(least: list[float], number: float) -> int:
    """Return the place of the bin that a number falls into; bins begin with these."""
    return int(np.searchsorted(least, number + 1e-9, side="right")) - 1


def _between(least: list[float], place: int) -> str:
    """Name the values of a bin."""
    if place == 0:
        return f"less than {least[1]:g}"
    return f"{least[place]:g} or more" if place + 1 == len(least) else f"{least[place]:g} to {least[place + 1]:g}"


def again_remark(method: str, score: str, confidence: float) -> str:
    """Say how often fresh tables joined pairs with about this confidence, by a method under a score.

    Empty where it was not measured: scores differ too much to be pooled, or to stand for one another.
    """
    counts, place = _measured(method, score), _place(_TENTHS, confidence)
    if counts is None:
        return ""
    tenth = counts["tenths"][place]
    return dated(
        _OF_OTHERS,
        f"The {tenth['pairs']:,} pairs of variables with a share of {_between(_TENTHS, place)} on held-out networks "
        f"({_setting(method, score)}) were found again in {_share(tenth['pi'], tenth['pairs'], tenth['pi_interval'])} "
        f"of fresh tables; {_percent(tenth['expected'] / tenth['pairs'])} were expected.",
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
    place = _place(_TENTHS, threshold)
    above = counts["at_least"][place]
    (low, high), start, at = above["true_interval"], short(_TENTHS[place]), short(threshold)
    tenths = "" if at == start else f" (counted by tenths: {at} itself keeps fewer)"
    false = _share(above["pairs"] - above["true"], above["pairs"], (1 - high, 1 - low))
    return dated(
        _OF_OTHERS,
        f"Of the {above['pairs']:,} pairs of variables with a strength ({_setting(method, score)}) of {start} or more "
        f"on held-out networks{tenths}, {false} were false.",
    )


def _measured(method: str, score: str) -> dict[str, Any] | None:
    counts: dict[str, Any] | None = shipped(_OF_OTHERS)["methods"].get(method, {}).get(score)
    return counts


def _setting(method: str, score: str) -> str:
    return f"{TITLES[method]}; {score}, {shipped(_OF_OTHERS)['search']}"


def _share(n: float, pairs: int, interval: tuple[float, float]) -> str:
    """Write a share of pairs with its 95 % interval over networks drawn with replacement."""
    low, high = map(_percent, interval)
    return f"{_percent(n / pairs)} ({low} to {high} with other such networks)"


def _percent(share: float) -> str:
    return f"{100 * share:.2g}%" if share < 0.995 else f"{100 * share:.3g}%"
