"""Results of the scripts in ``benchmarks/``, which take minutes to compute, and sentences that report them."""

import json
import math
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from pages.shared.format import counted, short

_CALIBRATION_FILE = Path(__file__).with_name("measured.json")
_SURE = 2.0  # standard errors


@lru_cache(maxsize=1)
def measured() -> dict[str, Any]:
    """Return the results, by script."""
    found: dict[str, Any] = json.loads(_CALIBRATION_FILE.read_text(encoding="utf-8"))
    return found


@lru_cache(maxsize=1)
def home_figure() -> dict[str, Any]:
    """Return the numbers of the picture on Home."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("home_figure.json").read_text(encoding="utf-8"))
    return found


def on_edges_found(found: dict[str, Any]) -> str:
    """Say the finding of that picture: mean numbers of edges of the naive and the corrected bootstrap's graphs."""
    edges = found["mean_edges"]
    return (
        f"The graph learned from {found['rows']} rows of ALARM has **{short(edges['data'])} edges**. Graphs learned "
        f"from naive bootstrap replicates have **{short(edges['bootstrap'])}** on average, corrected ones "
        f"**{short(edges['bootstrap_corrected'])}**."
    )


def on_correcting(found: dict[str, Any] | None = None) -> str:
    """Say how the correction affects confidence as an estimate of π, and as a statement about the true network."""
    lines = (found or measured()["truth_and_pi"])["lines"]
    networks, rows, scores = (
        " and ".join(dict.fromkeys(write(line) for line in lines))
        for write in (lambda one: one["network"].upper(), lambda one: f"{one['rows']:,}", lambda one: one["score"])
    )
    return (
        f"Naive and corrected confidence were compared on {networks} ({rows} rows, {scores}): as an estimate of how "
        f"often two variables are joined again, corrected is {compared(lines, 'total_absolute_error')}; as a statement "
        f"on which are joined in the true network, it is {compared(lines, 'log_loss')}."
    )


def compared(lines: list[dict[str, Any]], measure: str) -> str:
    """Return in how many settings corrected confidence is better, worse or as good, the most frequent first."""
    found = {"better than naive": 0, "worse than naive": 0, "as good as naive": 0}
    for line in lines:
        change, sure = line[f"{measure}_change"], abs(line[f"{measure}_change"]) > _SURE * line[f"{measure}_error"]
        found["as good as naive" if not sure else "better than naive" if change < 0 else "worse than naive"] += 1
    first, *others = sorted((words for words in found if found[words]), key=lambda words: -found[words])
    rest = "".join(f" and {words.split(' than')[0].split(' as ')[0]} in {found[words]}" for words in others)
    return f"{first} in {found[first]} of {counted(len(lines), 'setting')}{rest}"


def on_the_parent_limit(found: dict[str, Any] | None = None) -> str:
    """Return the effect of annealing's limit on parents on the number of edges."""
    found = found or measured()["parent_limit"]
    lines = found["lines"]
    limits = [f"at most {line['limit']} parents" if line["limit"] else "no limit" for line in lines]
    naive = ", ".join(f"{short(line['naive'])} edges with {limit}" for limit, line in zip(limits, lines, strict=True))
    corrected = [round(line["corrected"]) for line in lines]
    low, high = min(corrected), max(corrected)
    return (
        f"It also depends on the number of parents that annealing allows: the naive bootstrap's graphs have {naive} on "
        f"average ({found['score']}, {found['replicates']} replicates). With the corrected bootstrap they have "
        f"{low if low == high else f'{low} to {high}'} edges, whatever the limit."
    )


_WAYS = {
    "drawn": "drawing the cells in each replicate",
    "complete_families": "complete families",
    "listwise": "dropping rows",
    "own_state": "a state of its own",
    "most_common": "the most common state",
}


def on_missing_cells(found: dict[str, Any] | None = None) -> str:
    """Say how near each way comes to the confidence and the graphs of tables without holes."""
    found = found or measured()["missing"]
    means = found["means"]
    ways = sorted((way for way in _WAYS if way in means), key=lambda way: means[way]["error_complete"])
    parts = [f"{short(means[way]['error_complete'])} with {_WAYS[way]}" for way in ways]
    return (
        f"We measured the ways on {counted(found['tables'], 'table')} with holes from "
        f"{counted(len(found['networks']), 'known network')} ({', '.join(map(str.upper, found['networks']))}): "
        "confidence differs from how often an edge is learned from tables without holes, summed over all edges, by "
        f"{'; '.join(parts)}."
    )


# The shipped benchmark of confidence methods on known networks, as ``benchmarks/which_confidence.py`` wrote it.

_FILE = Path(__file__).with_name("evidence.json")
#: The two questions, by their names in the file.
QUESTIONS = ("found again", "real")
_CLEAR = 0.9  # share of the resampled sets of networks that lead to the same choice


@lru_cache(maxsize=1)
def evidence() -> dict[str, Any] | None:
    """Return the results; None if none are shipped."""
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
    """Return the method that the benchmark chooses for a question."""
    asked = found["parts"][part]["questions"][question]
    share = float(asked["share"])
    return Choice(asked["default"], asked["runner_up"], share >= _CLEAR, share, int(asked["settings"]))


def title_of(found: dict[str, Any], method: str) -> str:
    """Return a method's title in sentences."""
    return str(found["methods"].get(method, {}).get("title", method))


def bands(found: dict[str, Any]) -> list[tuple[float, float]]:
    """Return bands of rows per free parameter of the true network, from low up to but not including high."""
    return [(low or 0.0, math.inf if high is None else high) for low, high in found["about"]["bands"]]


def band_of(found: dict[str, Any], rows_per_parameter: float) -> int:
    """Return the number of the band that holds a value."""
    return next(k for k, (low, high) in enumerate(bands(found)) if low <= rows_per_parameter < high)


def lines(found: dict[str, Any], part: str, question: str, band: int | None = None) -> pd.DataFrame:
    """Tabulate one row per method: its difference to the corrected bootstrap, regrets, and settings won and lost.

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
