"""Figures that take minutes to work out, as the scripts in ``benchmarks/`` left them, and the sentences they make."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from pages._shared.format import counted, short

_FILE = Path(__file__).with_name("measured.json")
_SURE = 2.0  # standard errors


@lru_cache(maxsize=1)
def measured() -> dict[str, Any]:
    """All of them, by script."""
    found: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def on_correcting(found: dict[str, Any] | None = None) -> str:
    """What correcting does to confidence as an estimate of π, and as a statement on the truth."""
    found = found or measured()["truth_and_pi"]
    lines = found["lines"]
    rows = " and ".join(f"{n:,}" for n in dict.fromkeys(line["rows"] for line in lines))
    scores = " and ".join(dict.fromkeys(line["score"] for line in lines))
    return (
        f"Our own runs on both ({rows} rows, {scores}, {found['search']}, {found['tables']} tables of each): corrected "
        f"confidence predicts how often an adjacency is found again in a new sample "
        f"{compared(lines, 'total_absolute_error')}, "
        f"and whether the true network has it (log loss) {compared(lines, 'log_loss')}."
    )


def compared(lines: list[dict[str, Any]], measure: str) -> str:
    """In how many settings the corrected confidence is better, and which are the others."""
    found: dict[str, list[dict[str, Any]]] = {"better than": [], "worse than": [], "as well as": []}
    for line in lines:
        change, error = line[f"{measure}_change"], line[f"{measure}_error"]
        sure = abs(change) > _SURE * error
        found["as well as" if not sure else "better than" if change < 0 else "worse than"].append(line)
    first, *others = sorted(found, key=lambda words: -len(found[words]))
    rest = "; ".join(f"{words.rsplit(' ', 1)[0]}: {where(found[words])}" for words in others if found[words])
    return f"{first} naive in {len(found[first])} of {counted(len(lines), 'setting')}" + (f" ({rest})" if rest else "")


def where(lines: list[dict[str, Any]]) -> str:
    """The settings, those with every number of rows told once."""
    listed: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        listed.setdefault((line["network"].upper(), line["score"]), []).append(f"{line['rows']:,}")
    return ", ".join(f"{name} under {score}, N = {' and '.join(rows)}" for (name, score), rows in listed.items())


def on_the_parent_limit(found: dict[str, Any] | None = None) -> str:
    """How the number of edges hangs on annealing's limit on parents."""
    found = found or measured()["parent_limit"]
    lines = found["lines"]
    limits = [f"at most {line['limit']} parents" if line["limit"] else "no limit" for line in lines]
    naive = ", ".join(f"{short(line['naive'])} with {limit}" for limit, line in zip(limits, lines, strict=True))
    fair = [round(line["corrected"]) for line in lines]
    span = str(fair[0]) if len(set(fair)) == 1 else f"{min(fair)} to {max(fair)}"
    return (
        f"It also depends on how many parents annealing allows a variable: the naive bootstrap's mean number of edges "
        f"there is {naive} ({found['score']}, {found['replicates']} replicates), the corrected one's {span} whatever "
        "the limit."
    )
