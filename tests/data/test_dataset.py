"""The Dataset: its states, its distinct rows, and tables it refuses."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.bootstrap.resamplers import Replicate
from bnengine.data.checked_frame import MISSING
from bnengine.scores.local_score import LocalScores
from tests.naive import rows_of
from tests.strategies import datasets, make_data, make_score, replicates, with_holes


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


@pytest.mark.slow
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
        (pd.DataFrame({"x": ["a", None, None]}), r"'x' has 2 missing cells; keep them with .*'listwise'.*'own_state'"),
        (pd.DataFrame({"x": pd.array([1, None], dtype="Int64")}), "column 'x' has 1 missing cell;"),
        (pd.DataFrame({"x": [float("nan"), 1.0]}), "column 'x' has 1 missing cell;"),
        (pd.DataFrame({"id": range(10_000)}), r"column 'id' has 10,000 different values \(such as '0'\), more than"),
        (pd.DataFrame({"x": [1, "1"]}), "column 'x' has two different states that are both written '1'"),
        (pd.DataFrame({"x": ["é", "e\u0301"]}), "column 'x' has two different states that are both written 'é'"),
        (pd.DataFrame({"x": pd.Series([1, True, 2], dtype=object)}), "'x' holds truth values beside numbers"),
        (pd.DataFrame({"x": pd.Series([0.0, False, None], dtype=object)}), "'x' holds truth values beside numbers"),
        (pd.DataFrame({"a<b>, c": [None]}), "column 'a<b>, c' has 1 missing cell"),
    ],
)
def test_bad_tables_name_column_value_and_remedy(frame, says):
    with pytest.raises(bn.DataError, match=says):
        bn.Dataset.from_frame(frame)


def test_the_limit_on_states_spares_declared_states():
    frame = pd.DataFrame({"x": range(101)})
    with pytest.raises(bn.DataError, match="more than the 100 allowed; keep it as a number or discretize it"):
        bn.Dataset.from_frame(frame)
    declared = pd.DataFrame({"x": pd.Categorical([3], categories=range(500))})
    assert bn.Dataset.from_frame(declared).arities.tolist() == [500]


def test_codes_must_fit_the_states():
    with pytest.raises(bn.DataError, match="column 'b' has code 2 but only 2 states"):
        bn.Dataset(("a", "b"), (("0", "1"),) * 2, np.array([[0, 2]]))
    with pytest.raises(ValueError, match="one column for each of the 2 names"):
        bn.Dataset(("a", "b"), (("0", "1"),) * 2, np.array([[0]]))


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ([0.5, 1.7], "counts must hold whole numbers .* row 1 holds '0.5'"),
        ([0, 0], "counts must add up to 1 to 2,147,483,647 rows; they add up to 0"),
        ([2**31 - 1, 1], "they add up to 2,147,483,648"),
        ([1], r"counts must have shape \(2,\), one number a row; got shape \(1,\)"),
        ([[1, 2]], r"got shape \(1, 2\)"),
    ],
)
def test_counts_that_count_no_rows_are_refused(counts, says):
    with pytest.raises(bn.DataError, match=says):
        bn.Dataset(("a", "b"), (("0", "1"),) * 2, np.array([[0, 1], [1, 0]]), counts=counts)


def test_rows_that_never_occur_are_left_out():
    codes = np.array([[0, 1], [1, 0], [1, 1]])
    data = bn.Dataset(("a", "b"), (("0", "1"),) * 2, codes, counts=[2.0, 0.0, 1.0])
    assert data.codes.tolist() == [[0, 1], [0, 1], [1, 1]]
    assert data.digest == bn.Dataset(data.names, data.states, codes[[0, 2]], counts=np.array([2, 1])).digest


def test_unknown_variables_are_named():
    data = bn.Dataset(("a", "b"), (("0", "1"),) * 2, np.array([[0, 1]]))
    with pytest.raises(ValueError, match="no variable is named 'c'; the variables are a, b"):
        data.index("c")
    with pytest.raises(ValueError, match="no variable is named 'c'"):
        data.select(["a", "c"])


# Resamples of any number of rows, and weights of somebody's own making


TABLES = {
    "few distinct rows": make_data([2, 3, 2, 4], 150, seed=1, unseen=0.4),
    "one word of rows": make_data([2, 2, 3], 40, seed=3),
}


@pytest.mark.parametrize("size", [1, 75, 150, 300, 1500])
@pytest.mark.parametrize("kind", ["bic", "bdeu", "fnml", "qnml", "k2", "bds"])
def test_bootstrap_of_another_size_against_copied_rows(kind, size):
    data = TABLES["few distinct rows"]
    score, search, resampler = make_score(kind, data), bn.HillClimbing(), bn.Bootstrap(4, size=size)
    ensemble = bn.resample(data, score, search, resampler, rng=3, ties="columns")
    graphs = []
    for replicate in replicates(data, resampler, rng=3):
        assert replicate.weights.sum() == size
        of_distinct = np.array([np.flatnonzero(data.distinct_row_of == d)[0] for d in range(len(replicate.weights))])
        graphs.append(
            bn.learn(data.take(np.repeat(of_distinct, replicate.weights)), score, search, ties="columns").adjacency
        )
    assert ensemble.confidence == pytest.approx(np.mean(graphs, axis=0), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("size", [400, *(pytest.param(size, marks=pytest.mark.thorough) for size in (100, 4000))])
def test_leading_bias_is_half_a_nat_a_parameter_whatever_the_size_against_theory(size):
    """An edge between variables that are independent in the data gains 1/2 on average, as 2 gain is chi-squared(1).

    5,000 resamples; its sd is sqrt(1/2), so the mean's standard error 0.01. False-alarm rate 6e-5 each at 4 of them;
    the next order, 1 / size, is allowed for; the seed is fixed.
    """
    codes = [[a, b] for a in (0, 1) for b in (0, 1) for _ in range(100)]
    data = bn.Dataset(("a", "b"), (("0", "1"),) * 2, codes)
    scores, gains = LocalScores(data, bn.LogLikelihood()), []
    for replicate in replicates(data, bn.Bootstrap(5_000, size=size), rng=4):
        scores.reweigh(replicate.weights)
        gains.append(scores(1, [0]) - scores(1, []))
    assert np.mean(gains) == pytest.approx(0.5, abs=4 * np.sqrt(0.5 / 5_000) + 1 / size)


def test_a_correction_that_needs_as_many_rows_is_refused(asia):
    with pytest.raises(ValueError, match=r"correction='matched' .* with size=50"):
        bn.resample(asia, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(2, size=50), "matched")
    assert bn.resample(asia, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(2, size=50), "leading").n_graphs == 2


# What is refused


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ([1, 1], r"one entry for each of the 4 distinct rows .*; got shape \(2,\)"),
        ([[1, 1, 1, 1]], r"got shape \(1, 4\)"),
        ([1.0, 1.0, 1.0, 1.0], "weights must be whole numbers.*; got an array of float64"),
        ([True, True, False, True], "weights must be whole numbers.*; got an array of bool"),
        ([1, -1, 2, 1], "weights must be 0 or more; got -1 for distinct row 1"),
        ([0, 0, 0, 0], "weights must add up to 1 to 2,147,483,647 rows; got 0"),
        ([2**31 - 1, 1, 0, 0], "weights must add up to 1 to 2,147,483,647 rows; got 2,147,483,648"),
        (np.array([2**62, 2**62, 2**62, 2**62]), "weights must add up to"),
    ],
)
def test_weights_that_no_resample_has_are_refused_and_change_nothing(weights, says):
    data = bn.Dataset(("a", "b"), (("0", "1"),) * 2, [[0, 0], [0, 1], [1, 0], [1, 1], [0, 0]])
    scores = LocalScores(data, bn.BIC())
    before = scores(1, [0])
    with pytest.raises(ValueError, match=says):
        scores.reweigh(weights)
    assert scores(1, [0]) == before


@pytest.mark.parametrize(
    ("replicate", "says"),
    [
        (Replicate(np.array([1]), 1), "weights must have one entry for each"),
        (Replicate(TABLES["one word of rows"].multiplicities, 0), "multiplicity must be a whole number of 1 or more"),
        (Replicate(np.array([1]), 1, make_data([2, 2], 9, seed=1)), "must have the variables and states of the given"),
        (Replicate(np.array([1]), 1, make_data([2, 2, 4], 9, seed=1)), "must have the variables and states of the"),
    ],
)
def test_replicates_that_no_search_may_see_are_refused(replicate, says):
    own = {"n_replicates": lambda data: 2, "check": lambda data: None, "replicate": lambda *_: replicate}
    with pytest.raises(ValueError, match=says):
        bn.resample(TABLES["one word of rows"], bn.BIC(), bn.HillClimbing(), SimpleNamespace(name="hostile", **own))


# Missing cells.


@pytest.mark.slow
@given(datasets(min_variables=2), st.integers(0, 2**32 - 1))
def test_missing_cells_stay_missing_through_every_selection(data, seed):
    holed = with_holes(data, seed)
    missing = holed.codes == MISSING
    assert (holed.missing is None) == (not missing.any())
    if holed.missing is None:
        assert holed.missing_way is None
        return
    assert (holed.missing == missing).all()
    assert not holed.missing.flags.writeable
    assert holed.states == data.states
    assert (holed.codes[~missing] == data.codes[~missing]).all()
    assert (holed.to_frame().isna().to_numpy() == missing).all()
    again = bn.Dataset.from_frame(holed.to_frame(), missing="drawn")
    assert (again.codes == holed.codes).all()
    assert again.missing_way == "drawn"
    turned = holed.select(holed.names[::-1])
    assert (turned.codes == holed.codes[:, ::-1]).all()
    assert (holed.take([0, 0]).missing_way, holed.take([0, 0]).missing) == (None, None)  # its first row is complete


@pytest.mark.slow
@given(datasets(min_variables=2, max_variables=3, max_arity=3), st.integers(0, 2**32 - 1))
def test_rows_with_counts_keep_their_missing_cells(data, seed):
    holed = with_holes(data, seed)
    frame = holed.take(holed._distinct[0]).to_frame().assign(n=holed.multiplicities)
    counted = bn.Dataset.from_frame(frame, missing="keep", weights="n")
    assert counted.n_rows == holed.n_rows
    assert (counted.distinct_codes == holed.distinct_codes).all()
    assert (counted.missing is None) == (holed.missing is None)
    assert counted.with_missing("listwise").n_rows == holed.with_missing("listwise").n_rows
    if holed.missing is not None:
        assert counted.missing.sum() == holed.missing.sum()


@pytest.mark.slow
@given(datasets(min_variables=2), st.integers(0, 2**32 - 1))
def test_rows_dropped_and_states_of_their_own_are_those_of_fill_missing(data, seed):
    holed = with_holes(data, seed)
    for way, policy in {"listwise": "drop_rows", "own_state": "own_state"}.items():
        found = holed.with_missing(way)
        told = bn.Dataset.from_frame(bn.fill_missing(holed.to_frame(), policy))
        asked = bn.Dataset.from_frame(holed.to_frame(), missing=way)
        for one in (found, asked):
            assert (one.states, one.missing) == (told.states, None)
            assert (one.codes == told.codes).all()


def test_unknown_ways_and_columns_without_values_are_refused():
    frame = pd.DataFrame({"x": ["a", None], "y": [None, "b"]})
    with pytest.raises(ValueError, match="missing must be one of keep, drawn, complete_families, listwise, own_state"):
        bn.Dataset.from_frame(frame, missing="guess")
    with pytest.raises(bn.DataError, match="column 'z' has no values; leave it out"):
        bn.Dataset.from_frame(frame.assign(z=None), missing="keep")
    with pytest.raises(bn.DataError, match=r"every row has a missing cell.*way='keep'"):
        bn.Dataset.from_frame(frame, missing="listwise")
    with pytest.raises(ValueError, match=r"leaves no missing cell; use with_missing\('listwise'\)"):
        bn.Dataset(("x",), (("a",),), np.array([[0], [MISSING]]), missing_way="listwise")
