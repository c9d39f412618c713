"""What is in a raw table, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnengine.data.cuts import numeric_columns
from bnengine.data.dataset import MAX_STATES

if TYPE_CHECKING:
    import pandas as pd


def describe(frame: pd.DataFrame) -> pd.DataFrame:
    """One line a column: kind, distinct values, the most common one and its share, missing cells, and what is odd.

    Returns
    -------
    DataFrame
        Columns variable, kind ("number" or "word"), distinct, most_common, share (of the cells that are not missing),
        missing, note. Notes: "constant" (one value, so no edge can touch it), "identifier?" (another word in every
        row), "too many states" (more words than a Dataset takes), "measured" (as many numbers: to be cut).
    """
    import pandas as pd

    numeric = set(numeric_columns(frame))
    lines = []
    for name in frame.columns:
        column = frame[name]
        counts = column.value_counts()
        shown = int(column.notna().sum())
        top = counts.index[0] if len(counts) else ""
        distinct = int((counts > 0).sum())
        lines.append(
            (
                str(name),
                "number" if str(name) in numeric else "word",
                distinct,
                str(int(top)) if isinstance(top, float) and top.is_integer() else str(top),
                float(counts.iloc[0]) / shown if shown else 0.0,
                int(column.isna().sum()),
                _note(str(name) in numeric, distinct, shown),
            )
        )
    return pd.DataFrame(lines, columns=["variable", "kind", "distinct", "most_common", "share", "missing", "note"])


def _note(number: bool, distinct: int, shown: int) -> str:
    if distinct <= 1:
        return "constant"
    if distinct == shown and shown > 12 and not number:
        return "identifier?"
    if distinct > MAX_STATES:
        return "measured" if number else "too many states"
    return ""
