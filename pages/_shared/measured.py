"""Figures that take minutes to work out, as the scripts in ``benchmarks/`` left them, and the sentences they make."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from pages._shared.text import counted

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
        f"Our own runs on both ({rows} rows, {scores}, {found['search']}, {found['tables']} tables of each): how often "
        "an adjacency is learned from fresh data, corrected confidence tells "
        f"{compared(lines, 'distance')}; whether the network has it, {compared(lines, 'log_loss')} (log-loss)."
    )


def compared(lines: list[dict[str, Any]], measure: str) -> str:
    """In how many settings the corrected confidence has the lower, in how many the higher value."""
    by_sign: dict[str, list[dict[str, Any]]] = {"better": [], "worse": [], "as well": []}
    for line in lines:
        change, error = line[f"{measure}_change"], line[f"{measure}_error"]
        by_sign["as well" if abs(change) <= _SURE * error else "better" if change < 0 else "worse"].append(line)
    first, *others = sorted(by_sign, key=lambda word: -len(by_sign[word]))
    said = f"{first} than naive in {len(by_sign[first])} of {counted(len(lines), 'setting')}"
    if first == "as well":
        said = f"as well as naive in {len(by_sign[first])} of {counted(len(lines), 'setting')}"
    rest = [f"{word} {where(by_sign[word])}" for word in others if by_sign[word]]
    return said + (f", {' and '.join(rest)}" if rest else "")


def where(lines: list[dict[str, Any]]) -> str:
    """The settings, those with every number of rows told once."""
    listed: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        listed.setdefault((line["network"].upper(), line["score"]), []).append(f"{line['rows']:,}")
    return ", ".join(f"on {name} under {score} (N = {', '.join(rows)})" for (name, score), rows in listed.items())


def on_the_parent_limit(found: dict[str, Any] | None = None) -> str:
    """How the number of edges hangs on annealing's limit on parents."""
    found = found or measured()["parent_limit"]
    lines = found["lines"]
    limits = [f"at most {line['limit']} parents a variable" if line["limit"] else "no limit" for line in lines]
    naive = ", ".join(f"{line['naive']:.0f} with {limit}" for limit, line in zip(limits, lines, strict=True))
    fair = [round(line["corrected"]) for line in lines]
    span = str(fair[0]) if len(set(fair)) == 1 else f"{min(fair)} to {max(fair)}"
    return (
        f"It also depends on the limit on parents: the naive bootstrap finds there {naive} (mean number of edges over "
        f"{found['replicates']} replicates, {found['score']}), the corrected one {span} whatever the limit."
    )
