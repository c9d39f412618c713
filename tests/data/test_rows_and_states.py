"""What becomes of missing cells."""

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.missing import MISSING_STATE
from bnengine.data.rows_and_states import OTHER_STATE, merge_rare_states, order_states, rows_where


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "w": ["a", None, "b", "a"],
            "n": pd.array([10, 9, None, 10], dtype="Int64"),
            "f": [0.5, 1.0, None, 2.0],
            "c": pd.Categorical(["x", "x", None, "x"], categories=["x", "unseen"]),
            "full": ["k", "l", "k", "l"],
        }
    )


def test_dropping_rows_keeps_the_complete_ones_and_declared_states(frame):
    complete = bn.fill_missing(frame, "drop_rows")
    assert complete["w"].tolist() == ["a", "a"]
    assert complete.index.tolist() == [0, 1]
    assert bn.Dataset.from_frame(complete).states[3] == ("x", "unseen")


def test_a_state_of_its_own_is_last_and_only_where_cells_are_missing(frame):
    data = bn.Dataset.from_frame(bn.fill_missing(frame, "own_state"))
    assert data.states[1:3] == (("9", "10", MISSING_STATE), ("0.5", "1", "2", MISSING_STATE))
    assert data.states[3:] == (("x", "unseen", MISSING_STATE), ("k", "l"))
    assert data.codes[:, 0].tolist() == [0, 2, 1, 0]
    assert data.codes[2].tolist() == [1, 2, 3, 2, 0]


def test_a_complete_frame_stays_as_it_is(frame):
    complete = frame.dropna().reset_index(drop=True)
    for policy in ("drop_rows", "own_state"):
        pd.testing.assert_frame_equal(bn.fill_missing(complete, policy), complete)


def test_no_complete_row_names_the_worst_column(frame):
    frame.loc[[0, 3], "full"] = None
    frame.loc[[0, 1, 3], "f"] = None
    with pytest.raises(
        bn.DataError, match=r"every row has a missing cell \(most in column 'f': 4\); leave that column"
    ):
        bn.fill_missing(frame, "drop_rows")


@pytest.mark.parametrize("cells", [[MISSING_STATE, None, "a"], [1, "1", None]], ids=["own name", "same writing"])
def test_states_that_are_written_alike_become_one_or_are_refused(cells):
    """The state for missing cells may be there already; a number and a word may be written the same."""
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object)})
    try:
        filled = bn.fill_missing(frame, "own_state")
    except bn.DataError:
        return
    assert set(filled["x"].astype(str)) == {"1" if cell == 1 else cell or MISSING_STATE for cell in cells}


@pytest.mark.parametrize("kind", ["str", "object", "float64", "Int64", "category"])
def test_a_column_without_any_cell_is_all_missing(kind):
    frame = pd.DataFrame({"x": pd.Series([None, None], dtype=kind), "y": ["a", "b"]})
    assert bn.fill_missing(frame, "own_state")["x"].tolist() == ["(missing)"] * 2


def test_the_most_common_value_fills_and_the_first_of_equals(frame):
    filled = bn.fill_missing(frame, "most_common")
    assert filled["w"].tolist() == ["a", "a", "b", "a"]
    assert filled["n"].tolist() == [10, 9, 10, 10]
    assert filled["f"].tolist() == [0.5, 1.0, 0.5, 2.0]
    assert list(filled["c"].cat.categories) == ["x", "unseen"]
    with pytest.raises(bn.DataError, match="'w' has no values"):
        bn.fill_missing(frame.assign(w=None), "most_common")


def test_columns_may_be_treated_differently(frame):
    filled = bn.fill_missing(frame, {"w": "most_common", "n": "own_state", "c": "own_state"})
    assert len(filled) == 3  # column f, which is not named, costs its row
    assert filled["w"].tolist() == ["a", "a", "a"]
    assert filled["n"].tolist() == ["10", "9", "10"]


# Which rows are kept


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
    with pytest.raises(ValueError, match=says):  # on the pages, where it is typed
        rows_where(FRAME, [condition])
    if len(condition) < 3 or "one of" in says or "number" in says:
        with pytest.raises(ValueError, match=says):
            bn.Recipe(where=[condition])


# The order of states, and rare ones merged


def test_states_take_the_given_order_and_the_others_follow():
    frame = pd.DataFrame({"size": ["small", "large", "medium", None], "n": [10, 9, 10, 9]})
    before = frame.copy()
    ordered = order_states(frame, {"size": ["small", "medium", "huge"], "n": ["10"]})
    assert list(ordered["size"].cat.categories) == ["small", "medium", "large"]
    assert list(ordered["n"].cat.categories) == ["10", "9"]
    assert ordered["size"].isna().tolist() == [False, False, False, True]
    assert ordered["n"].tolist() == ["10", "9", "10", "9"]
    pd.testing.assert_frame_equal(frame, before)


def test_rare_states_become_one_and_the_rest_keep_their_order():
    frame = pd.DataFrame({"town": ["b"] * 5 + ["a"] * 6 + ["c", "d", "d", None]})
    merged = merge_rare_states(frame, {"town": 3})["town"]
    assert merged.value_counts().to_dict() == {"a": 6, "b": 5, OTHER_STATE: 3}
    assert list(merged.cat.categories) == ["a", "b", OTHER_STATE]
    assert merged.isna().sum() == 1


@pytest.mark.parametrize("fewest", [2, 20])
def test_a_single_rare_state_or_only_rare_ones_stay(fewest):
    frame = pd.DataFrame({"town": ["b"] * 5 + ["a"] * 6 + ["c"]})
    pd.testing.assert_frame_equal(merge_rare_states(frame, {"town": fewest}), frame)


def test_states_written_alike_are_refused():
    with pytest.raises(bn.DataError, match="'x' has two different states that are both written"):
        order_states(pd.DataFrame({"x": pd.Series([1, "1"], dtype=object)}), {"x": ["1"]})
    declared = pd.DataFrame({"x": pd.Categorical([2, 1], [1, 2, "1"])})  # of which the last does not occur
    assert order_states(declared, {"x": ["2"]})["x"].tolist() == ["2", "1"]
