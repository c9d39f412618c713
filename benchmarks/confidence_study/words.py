"""Numbers, lists and tables in Markdown."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import pandas as pd


def short(value: float, digits: int = 3) -> str:
    """Write three significant digits, at most three decimals; a real minus sign."""
    if not math.isfinite(value):
        return "–"
    if value == 0 or abs(value) < 0.0005:
        return "0"
    decimals = min(3, max(0, digits - 1 - math.floor(math.log10(abs(value)))))
    return f"{value:,.{decimals}f}".replace("-", "−")


def signed(value: float) -> str:
    """Write as ``short`` does, with a plus sign."""
    return f"+{short(value)}" if value > 0 and short(value) != "0" else short(value)


def with_error(value: float, error: float) -> str:
    """Return a difference ± its standard error."""
    return f"{signed(value)} ± {short(error, 2)}" if math.isfinite(error) else signed(value)


def percent(share: float) -> str:
    """Return a share as whole per cent."""
    return f"{100 * share:.0f} %"


def listed(words: Iterable[str], last: str = "and") -> str:
    """Join words: Join words: a, b and c."""
    *first, final = list(words)
    return f"{', '.join(first)} {last} {final}" if first else final


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; the first column is left-aligned, the others right."""
    lines = [list(header), ["---", *["---:"] * (len(header) - 1)], *[list(row) for row in rows]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def frame_table(frame: pd.DataFrame, first: str) -> str:
    """Return a frame of numbers by method (index), in bold the smallest of each row's column group."""
    rows = []
    best = frame.idxmin()
    for key, line in frame.iterrows():
        cells = [f"**{short(v)}**" if best[column] == key else short(v) for column, v in line.items()]
        rows.append([str(key), *cells])
    return table([first, *map(str, frame.columns)], rows)
