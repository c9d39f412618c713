"""The Dataset: its states, its distinct rows, and tables it refuses."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from tests.naive import rows_of
from tests.strategies import datasets, make_data


def test_states_of_words_and_numbers_against_docs():
    """Words in alphabetical order, numbers by size and without a needless decimal point."""
    frame = pd.DataFrame({"w": ["b", "a", "c"], "i": [10, 9, -1], "f": [2.0, 10.0, 0.5], "t": [True, False, True]})
    data = bn.Dataset.from_frame(frame)
    assert data.names == ("w", "i", "f", "t")
    assert data.states == (("a", "b", "c"), ("-1", "9", "10"), ("0.5", "2", "10"), ("False", "True"))
    assert data.codes.tolist() == [[1, 2, 1, 1], [0, 1, 2, 0], [2, 0, 0, 1]]


def test_categories_are_the_declared_states_in_their_order():
    column = pd.Categorical(["low", "high"], categories=["low", "middle", "high"], ordered=True)
    data = bn.Dataset.from_frame(pd.DataFrame({"x": column}))
    assert data.states == (("low", "middle", "high"),)
    assert data.arities.tolist() == [3]
    assert data.codes.ravel().tolist() == [0, 2]


@given(datasets())
def test_to_frame_and_back_invariant(data):
    again = bn.Dataset.from_frame(data.to_frame())
    assert (again.names, again.states) == (data.names, data.states)
    assert (again.codes == data.codes).all()


@given(datasets(max_variables=3, max_arity=3), st.randoms(use_true_random=False))
def test_distinct_rows_against_naive(data, random):
    rows = rows_of(data)
    distinct = [tuple(row) for row in data.distinct_codes.T.tolist()]
    assert distinct == list(dict.fromkeys(rows))  # in order of first appearance
    assert data.multiplicities.tolist() == [rows.count(row) for row in distinct]
    assert [distinct[d] for d in data.distinct_row_of] == rows


@given(datasets(min_variables=2), st.data())
def test_take_and_select_against_indexing(data, draws):
    rows = draws.draw(st.lists(st.integers(0, data.n_rows - 1), min_size=1, max_size=20))
    taken = data.take(rows)
    assert (taken.codes == data.codes[rows]).all()
    assert taken.states == data.states
    columns = draws.draw(st.permutations(range(data.n_variables)))[:2]
    selected = data.select([data.names[v] for v in columns])
    assert (selected.codes == data.codes[:, columns]).all()
    assert selected.states == tuple(data.states[v] for v in columns)


def test_nothing_given_is_modified_and_codes_are_read_only():
    codes = np.array([[0, 1], [1, 0]])
    data = bn.Dataset(("a", "b"), (("0", "1"),) * 2, codes)
    codes[0, 0] = 1
    assert data.codes[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        data.codes[0, 0] = 1
    frame = pd.DataFrame({"x": ["a", "b"]})
    before = frame.copy()
    bn.Dataset.from_frame(frame)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (pd.DataFrame(), "0 rows and 0 columns; at least one row and one column"),
        (pd.DataFrame({"x": []}), "0 rows and 1 column"),
        (pd.DataFrame([[1, 2]], columns=["x", "x"]), "'x' occurs 2 times; give each column its own name"),
        (pd.DataFrame({"x": ["a", None, None]}), r"column 'x' has 2 missing cells; drop those rows, give missing"),
        (pd.DataFrame({"x": pd.array([1, None], dtype="Int64")}), "column 'x' has 1 missing cell;"),
        (pd.DataFrame({"x": [float("nan"), 1.0]}), "column 'x' has 1 missing cell;"),
        (pd.DataFrame({"id": range(10_000)}), r"column 'id' has 10,000 different values \(such as '0'\), more than"),
        (pd.DataFrame({"x": [1, "1"]}), "column 'x' has two different states that are both written '1'"),
        (pd.DataFrame({"a<b>, c": [None]}), "column 'a<b>, c' has 1 missing cell"),
    ],
)
def test_bad_tables_name_column_value_and_remedy(frame, says):
    with pytest.raises(bn.DataError, match=says):
        bn.Dataset.from_frame(frame)


def test_the_limit_on_states_can_be_raised_and_spares_declared_states():
    frame = pd.DataFrame({"x": range(101)})
    with pytest.raises(bn.DataError, match="more than the 100 allowed; discretize it"):
        bn.Dataset.from_frame(frame)
    assert bn.Dataset.from_frame(frame, max_states=101).arities.tolist() == [101]
    declared = pd.DataFrame({"x": pd.Categorical([3], categories=range(500))})
    assert bn.Dataset.from_frame(declared).arities.tolist() == [500]


def test_codes_must_fit_the_states():
    with pytest.raises(bn.DataError, match="column 'b' has code 2 but only 2 states"):
        bn.Dataset(("a", "b"), (("0", "1"),) * 2, np.array([[0, 2]]))
    with pytest.raises(ValueError, match="one column for each of the 2 names"):
        bn.Dataset(("a", "b"), (("0", "1"),) * 2, np.array([[0]]))


def test_unknown_variables_are_named():
    data = bn.Dataset(("a", "b"), (("0", "1"),) * 2, np.array([[0, 1]]))
    with pytest.raises(ValueError, match="no variable is named 'c'; the variables are a, b"):
        data.index("c")
    with pytest.raises(ValueError, match="no variable is named 'c'"):
        data.select(["a", "c"])


@pytest.mark.parametrize("arities", [[2], [2, 2, 3], [300, 2], [2] * 40])
def test_distinct_rows_against_sorting(arities):
    data = make_data(arities, 200, seed=3)
    _, first, which, times = np.unique(data.codes, axis=0, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)
    assert (data.distinct_codes == data.codes[first[order]].T).all()
    assert (order[data.distinct_row_of] == which.ravel()).all()
    assert (data.multiplicities == times[order]).all()
