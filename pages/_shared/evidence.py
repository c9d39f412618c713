"""The shipped benchmark of confidence methods on known networks, as ``benchmarks/which_confidence.py`` wrote it."""

import json
import math
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

_FILE = Path(__file__).with_name("evidence.json")
#: The two questions, by their names in the file.
QUESTIONS = ("found again", "real")
_CLEAR = 0.95  # share of the resampled sets of networks that lead to the same choice


@lru_cache(maxsize=1)
def evidence() -> dict[str, Any] | None:
    """The results; None if none are shipped."""
    if not _FILE.is_file():
        return None
    found: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


class Choice(NamedTuple):
    """The method with the smallest worst regret for a question, and the next one."""

    default: str
    runner_up: str
    clear: bool  # whether resampled sets of networks lead to the same choice
    share: float
    settings: int


def choice_of(found: dict[str, Any], part: str, question: str) -> Choice:
    """The method that the benchmark chooses for a question."""
    asked = found["parts"][part]["questions"][question]
    share = float(asked["share"])
    return Choice(asked["default"], asked["runner_up"], share >= _CLEAR, share, int(asked["settings"]))


def title_of(found: dict[str, Any], method: str) -> str:
    """A method's title in sentences."""
    return str(found["methods"].get(method, {}).get("title", method))


def bands(found: dict[str, Any]) -> list[tuple[float, float]]:
    """Bands of rows per free parameter of the true network, from low up to but not including high."""
    return [(low or 0.0, math.inf if high is None else high) for low, high in found["about"]["bands"]]


def band_of(found: dict[str, Any], rows_per_parameter: float) -> int:
    """The number of the band that holds a value."""
    return next(k for k, (low, high) in enumerate(bands(found)) if low <= rows_per_parameter < high)


def lines(found: dict[str, Any], part: str, question: str, band: int | None = None) -> pd.DataFrame:
    """One row per method: its difference to the corrected bootstrap, regrets, and settings won and lost.

    Returns
    -------
    DataFrame
        key, method, difference, error, regret, worst, won, lost, settings; smallest difference first. Differences and
        regrets in the question's unit. Only settings of the band of rows per parameter, if one is given.
    """
    asked = found["parts"][part]["questions"][question]
    rows = asked["by_measure"][asked["measure"]] if band is None else asked["by_rows_per_parameter"][band]
    columns = ["difference", "error", "regret", "worst", "won", "lost", "settings"]
    table = pd.DataFrame(
        [[key, title_of(found, key), *(stats.get(name) for name in columns)] for key, stats in rows.items()],
        columns=["key", "method", *columns],
    )
    return table.sort_values("difference", kind="stable", ignore_index=True)
