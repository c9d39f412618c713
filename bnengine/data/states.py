"""States of discrete columns: their order, and rare ones merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bnengine.data.dataset import DataError, sort_key, state_label

if TYPE_CHECKING:
    import pandas as pd

#: The state that rare ones are merged into.
OTHER_STATE = "(other)"


def as_states(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column as a Categorical of its states that occur, in their order; missing cells stay missing.

    Raises
    ------
    DataError
        If two states are written alike.
    """
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        values = list(column.cat.categories[np.unique(column.cat.codes[column.cat.codes >= 0])])
    else:
        values = sorted(column.dropna().unique(), key=sort_key)
    labels = [state_label(value) for value in values]
    if len(set(labels)) < len(labels):
        raise DataError(f"column '{column.name}' has two different states that are written alike; rename one of them")
    written = column.astype(object).map(dict(zip(values, labels, strict=True)), na_action="ignore")
    return pd.Series(pd.Categorical(written, categories=labels), index=column.index, name=column.name)


def order_states(frame: pd.DataFrame, orders: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return a frame whose named columns have their states in the given order, then the others that occur.

    States that do not occur are passed over.
    """
    result = frame.copy()
    for name, wanted in orders.items():
        column = as_states(frame[name])
        present = list(column.cat.categories)
        known = set(present)
        order = list(dict.fromkeys([*(state for state in wanted if state in known), *present]))
        result[name] = column.cat.set_categories(order, ordered=True)
    return result


def merge_rare_states(frame: pd.DataFrame, fewest: Mapping[str, int]) -> pd.DataFrame:
    """Return a frame in which states with fewer rows than given for their column become the state "(other)".

    A single rare state stays as it is, and so does a column in which every state is rare.
    """
    import pandas as pd

    result = frame.copy()
    for name, least in fewest.items():
        column = as_states(frame[name])
        counts = column.value_counts(sort=False)
        rare = [state for state in column.cat.categories if counts[state] < least]
        if len(rare) < 2 or len(rare) == len(column.cat.categories):
            continue
        gone = {*rare, OTHER_STATE}
        kept = [state for state in column.cat.categories if state not in gone]
        merged = column.astype(object).where(~column.isin(rare), OTHER_STATE)
        result[name] = pd.Categorical(merged, categories=[*kept, OTHER_STATE], ordered=column.cat.ordered)
    return result
