"""Which rows are kept."""

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.rows_and_states import rows_where

FRAME = pd.DataFrame({"age": [17.0, 18.0, 70.0, np.nan], "size": [1, 2, 3, 2], "home": ["own", "let", None, "own"]})


@pytest.mark.parametrize(
    ("conditions", "rows"),
    [
        ([], [0, 1, 2, 3]),
        ([("age", "at_least", "18")], [1, 2]),
        ([("age", "at_most", "18")], [0, 1]),
        ([("size", "is", "2", "3")], [1, 2, 3]),
        ([("home", "is", "own")], [0, 3]),
        ([("home", "is_not", "own")], [1, 2]),
        ([("home", "is", "own"), ("age", "at_least", "0")], [0]),
    ],
)
def test_rows_that_meet_all_conditions_are_kept(conditions, rows):
    kept = rows_where(FRAME, conditions)
    pd.testing.assert_frame_equal(kept, FRAME.iloc[rows].reset_index(drop=True))


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        (("age",), r"where takes \(column, test, value, …\)"),
        (("age", "over", "3"), "the test one of is, is_not, at_least, at_most; got age, over, 3"),
        (("age", "at_least", "x"), "'age' is at least takes one number; got x"),
        (("size", "at_most", "nan"), "takes one number"),
        (("weight", "is", "3"), "there is no column 'weight'"),
        (("home", "at_least", "3"), "the column holds text"),
        (("age", "at_least", "100"), "no row is left after 'age is at least 100'"),
    ],
)
def test_a_condition_that_does_not_fit_is_refused(condition, says):
    with pytest.raises(ValueError, match=says):
        rows_where(FRAME, [condition])
    if len(condition) < 3 or "one of" in says or "number" in says:
        with pytest.raises(ValueError, match=says):
            bn.Recipe(where=[condition])
