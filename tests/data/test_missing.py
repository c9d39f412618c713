"""What becomes of missing cells."""

import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.rows_and_states import MISSING_STATE


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
    assert data.states == (
        ("a", "b", MISSING_STATE),
        ("9", "10", MISSING_STATE),
        ("0.5", "1", "2", MISSING_STATE),
        ("x", "unseen", MISSING_STATE),
        ("k", "l"),
    )
    assert data.codes[:, 0].tolist() == [0, 2, 1, 0]
    assert data.codes[2].tolist() == [1, 2, 3, 2, 0]


def test_the_given_frame_is_not_modified(frame):
    before = frame.copy()
    for policy in ("drop_rows", "own_state"):
        bn.fill_missing(frame, policy)
    pd.testing.assert_frame_equal(frame, before)


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


def test_errors_name_the_policy(frame):
    with pytest.raises(ValueError, match="policy must be one of drop_rows, own_state, most_common; got 'guess'"):
        bn.fill_missing(frame, "guess")


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
