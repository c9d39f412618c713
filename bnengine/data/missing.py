"""Missing cells: an explicit choice of what to do with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bnengine._core.validation import validated
from bnengine.data.dataset import DataError, sort_key, state_label
from bnengine.data.frames import checked_frame

if TYPE_CHECKING:
    import pandas as pd

MISSING_POLICIES = ("drop_rows", "own_state", "most_common")
MISSING_STATE = "(missing)"


@validated
def fill_missing(frame: pd.DataFrame, policy: str | Mapping[str, str] = "drop_rows") -> pd.DataFrame:
    """Return a frame without missing cells.

    Parameters
    ----------
    frame : DataFrame
    policy : {"drop_rows", "own_state", "most_common"} or mapping from column to policy
        Drop every row with a missing cell; make "(missing)" a state of its own in the columns that have missing cells
        (numbers in these columns become strings, so discretize first); or fill in the column's most common value, of
        equally common ones the first, counted before rows are dropped. Columns that a mapping does not name drop rows.

    Raises
    ------
    DataError
        If no row is complete under ``drop_rows``, two states of a column are written alike, or a column to fill has no
        values.
    ValueError
        If the policy is unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"home": ["own", None, "own"], "region": ["north", "south", None]})
    >>> fill_missing(frame, {"home": "most_common"})["home"].tolist()
    ['own', 'own']
    """
    for one in policy.values() if isinstance(policy, Mapping) else [policy]:
        if one not in MISSING_POLICIES:
            raise ValueError(f"policy must be one of {', '.join(MISSING_POLICIES)}; got '{one!s:.60}'")
    frame = checked_frame(frame)
    if not frame.shape[1]:
        raise DataError("the table has no columns; at least one is needed")
    if not len(frame):
        raise DataError("the table has no rows; at least one is needed")
    policies = dict(policy) if isinstance(policy, Mapping) else dict.fromkeys(frame.columns, policy)
    filled = frame.copy()
    dropping = []
    for name in frame.columns[frame.isna().any()]:
        how = policies.get(name, "drop_rows")
        if how == "drop_rows":
            dropping.append(name)
        elif how == "own_state":
            filled[name] = _with_own_state(frame[name])
        else:
            filled[name] = frame[name].fillna(_most_common(frame[name]))
    return _without_rows(filled, dropping)


def _without_rows(frame: pd.DataFrame, dropping: list[str]) -> pd.DataFrame:
    """Drop the rows with missing cells in some columns."""
    if not dropping:
        return frame
    missing = frame[dropping].isna()
    complete = frame[~missing.any(axis=1)].reset_index(drop=True)
    if not len(complete):
        worst = missing.sum().idxmax()
        raise DataError(
            f"every row has a missing cell (most in column '{worst}': {int(missing[worst].sum())}); "
            "leave that column out, or give missing cells a state of their own with policy='own_state'"
        )
    return complete


def _most_common(column: pd.Series[Any]) -> Any:
    """Return the most common value; of equally common ones the first in the order of the states."""
    import pandas as pd

    counts = column.value_counts(sort=False)
    if not counts.sum():
        raise DataError(f"column '{column.name}' has no values, so none is the most common; leave it out")
    common = counts.index[counts == counts.max()]
    if isinstance(column.dtype, pd.CategoricalDtype):
        return next(state for state in column.cat.categories if state in common)
    return min(common, key=sort_key)


def _with_own_state(column: pd.Series[Any]) -> Any:
    """Return a column in which missing is a state, the last one."""
    import pandas as pd

    # astype(object) again, since ``map`` makes an empty column numeric, which cannot hold a string
    if isinstance(column.dtype, pd.CategoricalDtype):
        states = [str(state) for state in column.cat.categories]
        strings = column.astype(object).map(str, na_action="ignore").astype(object)
    else:
        values = sorted(column.dropna().unique(), key=sort_key)
        states = [state_label(value) for value in values]
        strings = column.astype(object).map(state_label, na_action="ignore").astype(object)
    if len(set(states)) < len(states):
        raise DataError(f"column '{column.name}' has two different states that are written alike; rename one of them")
    states = [state for state in states if state != MISSING_STATE]  # an existing one has the same meaning
    return pd.Categorical(strings.fillna(MISSING_STATE), categories=[*states, MISSING_STATE])
