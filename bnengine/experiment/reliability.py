"""How right the shown numbers were where the truth is known: by tenths, on held-out networks, in generated sentences.

The numbers are those of ``benchmarks/which_confidence.py``, counted by ``confidence_study/reliability.py``.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from bnengine.bootstrap.resampling_methods import TITLES

REAL = "real"
_TENTHS = 10


@lru_cache(maxsize=1)
def measured() -> dict[str, Any]:
    """Return what was counted, by method."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("reliability.json").read_text(encoding="utf-8"))
    return found


def ends_sentence() -> str:
    """Say how sure and how right the posterior was near 1 and near 0."""
    found = measured()
    low, *_, high = found["methods"][REAL]["tenths"]
    (fewest, most), none = found["rows"], _without_edge(high)
    return (
        f"At its ends it is too sure: on {found['networks']} networks that no method was chosen by, with {fewest:,} to "
        f"{most:,} rows, of {high['pairs']:,} pairs of variables at 0.9 or more {high['pairs'] - high['expected']:.1f} "
        f"were expected not to be joined by an edge and {_number(none, 'false')} were not; of {low['pairs']:,} below "
        f"0.1, {low['expected']:.1f} were expected to be joined and {_number(low, 'true')} were."
    )


def real_remark(probability: float) -> str:
    """Say how many pairs with about this posterior probability an edge joined where the truth is known."""
    found = measured()["methods"][REAL]["tenths"][_tenth(probability)]
    return (
        f"Of the {found['pairs']:,} pairs of variables {_band(probability)} on held-out networks, "
        f"{_shares(found, 'true')} were joined by an edge; {_percent(found['expected'] / found['pairs'])} were "
        "expected."
    )


def again_remark(method: str, confidence: float) -> str:
    """Say how often fresh tables joined pairs with about this confidence by a method; empty if it was not measured."""
    found = measured()
    if method not in found["methods"]:
        return ""
    tenth = found["methods"][method]["tenths"][_tenth(confidence)]
    return (
        f"The {tenth['pairs']:,} pairs of variables to which the {TITLES[method]} gave {_values(confidence)} on "
        f"held-out networks ({found['search']}) were found again in {_shares(tenth, 'pi')} of fresh tables; "
        f"{_percent(tenth['expected'] / tenth['pairs'])} were expected."
    )


def threshold_remark(method: str, threshold: float) -> str:
    """Say how many pairs from a threshold upwards were false where the truth is known; empty if it was not measured.

    The threshold is rounded down to a tenth.
    """
    found = measured()
    if method not in found["methods"]:
        return ""
    tenth = _tenth(threshold)
    above = found["methods"][method]["at_least"][tenth]
    by = "a probability of being real" if method == REAL else f"a strength by the {TITLES[method]}"
    expected = ""
    if method == REAL:
        expected = f"; {_percent(1 - above['expected'] / above['pairs'])} were expected"
    return (
        f"Of the {above['pairs']:,} pairs of variables with {by} of {tenth / _TENTHS:g} or more on held-out networks, "
        f"{_shares(_without_edge(above), 'false')} were false{expected}."
    )


def _tenth(value: float) -> int:
    return min(int(value * _TENTHS + 1e-9), _TENTHS - 1)


def _values(value: float) -> str:
    """Name the tenth that holds a value."""
    tenth = _tenth(value)
    if tenth == _TENTHS - 1:
        return "0.9 or more"
    return "less than 0.1" if tenth == 0 else f"{tenth / _TENTHS:g} to {(tenth + 1) / _TENTHS:g}"


def _band(value: float) -> str:
    return _values(value).replace("less than", "below") if _tenth(value) == 0 else f"at {_values(value)}"


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
