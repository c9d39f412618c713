"""Keeping the rows that meet conditions on their columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bnengine.data.cuts import numeric_columns
from bnengine.data.dataset import DataError, state_label

if TYPE_CHECKING:
    import pandas as pd

#: Tests of a cell, with their names in sentence case.
TESTS = {"is": "is one of", "is_not": "is none of", "at_least": "is at least", "at_most": "is at most"}
_OF_NUMBERS = ("at_least", "at_most")


def check_condition(condition: Sequence[str]) -> None:
    """Raise a ValueError unless a condition is a column, a test, and values for it."""
    column, test, values = (*condition, "", "")[0], (*condition, "", "")[1], condition[2:]
    if test not in TESTS or not values:
        raise ValueError(
            f"where takes (column, test, value, …), the test one of {', '.join(TESTS)}; got {', '.join(condition)}"
        )
    if test in _OF_NUMBERS and (len(values) != 1 or not math.isfinite(_number(values[0]))):
        raise ValueError(f"where: '{column}' {TESTS[test]} takes one number; got {', '.join(values)}")


def rows_where(frame: pd.DataFrame, conditions: Sequence[Sequence[str]]) -> pd.DataFrame:
    """Return the rows that meet all conditions.

    Parameters
    ----------
    frame : DataFrame
    conditions : sequence of (column, test, value, …)
        The test ``"is"`` (one of the values) or ``"is_not"`` (none of them), ``"at_least"`` or ``"at_most"`` (a number,
        for numeric columns). A missing cell meets only ``"is_not"``.

    Raises
    ------
    DataError
        If a column does not exist or holds no numbers that could be compared, or no row is left.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [17, 30, 70], "region": ["north", "north", "south"]})
    >>> rows_where(frame, [("age", "at_least", "18"), ("region", "is", "north")])["age"].tolist()
    [30]
    """
    kept = frame
    numeric = numeric_columns(frame)
    for condition in conditions:
        check_condition(condition)
        name, test, values = condition[0], condition[1], condition[2:]
        if name not in frame.columns:
            raise DataError(f"there is no column '{name}' to select rows by; check its spelling")
        if test in _OF_NUMBERS and name not in numeric:
            raise DataError(f"rows cannot be selected by '{name} {TESTS[test]} {values[0]}': the column holds text")
        kept = kept[_meets(kept[name], test, values)]
        if not len(kept):
            raise DataError(f"no row is left after '{name} {TESTS[test]} {', '.join(values)[:60]}'; change it")
    return kept.reset_index(drop=True) if conditions else frame


def _meets(column: pd.Series[Any], test: str, values: Sequence[str]) -> Any:
    import numpy as np

    if test in _OF_NUMBERS:
        numbers = np.asarray(column.astype("float64"), dtype=np.float64)
        return numbers >= _number(values[0]) if test == "at_least" else numbers <= _number(values[0])
    written = column.astype(object).map(state_label, na_action="ignore")
    return written.isin(values).to_numpy() == (test == "is")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
