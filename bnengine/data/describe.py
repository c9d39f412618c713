"""A summary of a raw table, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnengine.data.cuts import numeric_columns
from bnengine.data.dataset import MAX_STATES, state_label
from bnengine.data.frames import checked_frame

if TYPE_CHECKING:
    import pandas as pd


def describe(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarize each column: kind, distinct values, most common value and its share, missing cells, and a note.

    Returns
    -------
    DataFrame
        One line per column: variable, kind ("number" or "word"), distinct, most_common, share (of the cells that are
        not missing), missing, note. Notes: "constant" (a single value, so no edge can involve it), "identifier?" (a
        different string in every row), "too many states" (more strings than a Dataset accepts), "measured" (as many
        numbers: discretize it).
    """
    import pandas as pd

    frame = checked_frame(frame)
    numeric = set(numeric_columns(frame))
    lines = []
    for name in frame.columns:
        column = frame[name]
        counts = column.value_counts()
        present = int(column.notna().sum())
        top = counts.index[0] if len(counts) else ""
        distinct = int((counts > 0).sum())
        lines.append(
            (
                str(name),
                "number" if str(name) in numeric else "word",
                distinct,
                state_label(top),
                float(counts.iloc[0]) / present if present else 0.0,
                int(column.isna().sum()),
                _note(str(name) in numeric, distinct, present),
            )
        )
    return pd.DataFrame(lines, columns=["variable", "kind", "distinct", "most_common", "share", "missing", "note"])


def _note(number: bool, distinct: int, present: int) -> str:
    if distinct <= 1:
        return "constant"
    if distinct == present and present > 12 and not number:
        return "identifier?"
    if distinct > MAX_STATES:
        return "measured" if number else "too many states"
    return ""
