"""What a caller can hand in and did not mean: strings for lists, names twice, numbers that would wrap."""

import numpy as np
import pandas as pd
import pytest

import bnengine as bn

AB = (("0", "1"),) * 2


def two():
    return bn.Dataset(("a", "b"), AB, [[0, 1], [1, 0], [1, 1]])


EDGES = [
    (["AB"], r"\(parent, child\) pairs of names, such as .*; got 'AB'"),
    ("AB", r"\(parent, child\) pairs .*; got 'AB'"),
    ([("A", "B", "C")], r"got \('A', 'B', 'C'\)"),
    ([("A",)], r"got \('A',\)"),
    ([("A", 1)], r"got \('A', 1\)"),
    ([7], "got 7"),
    (None, "got None"),
]


@pytest.mark.parametrize(("edges", "says"), EDGES)
@pytest.mark.parametrize("field", ["required", "forbidden"])
def test_edges_of_constraints_are_pairs(field, edges, says):
    with pytest.raises(ValueError, match=f"{field} must be .*{says}"):
        bn.Constraints(**{field: edges})


@pytest.mark.parametrize(("edges", "says"), EDGES)
def test_edges_of_a_graph_are_pairs(edges, says):
    data = bn.Dataset(("A", "B"), AB, [[0, 1]])
    for ask in (bn.score, bn.fit):
        with pytest.raises(ValueError, match=f"edges must be .*{says}"):
            ask(data, edges, *([bn.BIC()] if ask is bn.score else []))


def test_edges_may_be_pairs_of_any_kind():
    pairs = np.array([["A", "B"]])
    assert bn.Constraints(required=pairs).required == bn.Constraints([["A", "B"]]).required == (("A", "B"),)


def test_parents_of_a_family_are_a_list_of_names():
    with pytest.raises(ValueError, match=r"parents must be a list of names, such as .*; got 'a'"):
        bn.local_score(two(), "b", "a", bn.BIC())


@pytest.mark.parametrize(
    ("tiers", "says"),
    [
        (["abc"], "tier 1 must be a list of names, such as .*; got 'abc'"),
        ([["a"], "bc"], "tier 2 must be a list of names"),
        ("abc", "tiers must be lists of names, such as .*; got 'abc'"),
        ([["a", 2]], "tier 1 must be names, that is strings, .*; got 2 of type int"),
    ],
)
def test_tiers_are_lists_of_names(tiers, says):
    with pytest.raises(ValueError, match=says):
        bn.Constraints(tiers=tiers)


@pytest.mark.parametrize("limit", [1.5, "2", True])
def test_max_parents_of_constraints_is_a_whole_number(limit):
    with pytest.raises(ValueError, match=f"max_parents must be a whole number from 0 to .*; got {limit!r}"):
        bn.Constraints(max_parents=limit)


@pytest.mark.parametrize("search", [bn.K2, bn.FixedOrdering])
def test_an_ordering_is_a_list_of_names(search):
    with pytest.raises(ValueError, match=r"ordering must be a list of names, such as .*; got 'abc'"):
        search("abc")
    with pytest.raises(ValueError, match=r"ordering must be names, that is strings, .*; got 3 of type int"):
        search(["a", 3])
    assert search(["a", "b"]).ordering == ("a", "b")


@pytest.mark.parametrize(
    ("names", "states", "codes", "says"),
    [
        (("a", "a"), AB, [[0, 1]], "names must differ from each other: the column name 'a' occurs 2 times"),
        ("ab", AB, [[0, 1]], "names must be a list of names, such as .*; got 'ab'"),
        (("a", 2), AB, [[0, 1]], "names must be names, that is strings, .*; got 2 of type int"),
        (("a", "b"), ("01", "01"), [[0, 1]], "the states of 'a' must be a list of names, such as .*; got '01'"),
        (("a", "b"), "01", [[0, 1]], "states must be one list of states for each variable"),
        (("a", "b"), (("0", "1"), ("x", "x")), [[0, 1]], "the states of 'b' must differ; 'x' occurs 2 times"),
        (("a", "b"), (("0", "1"), (0, 1)), [[0, 1]], "the states of 'b' must be names, .*; got 0 of type int"),
        (("a", "b"), AB, [[0.0, 1.0]], "codes must be whole numbers, .*; got an array of float64"),
        (("a", "b"), AB, [["0", "1"]], "codes must be whole numbers"),
        (("a", "b"), AB, [[0, -1]], "codes must be 0 to 65,535; got -1"),
        (("a", "b"), AB, [[0, 65_536]], "codes must be 0 to 65,535; got 65536"),
        (("a", "b"), AB, np.zeros((0, 2), dtype=int), "the table has 0 rows and 2 columns; at least one row"),
        ((), (), np.zeros((3, 0), dtype=int), "the table has 3 rows and 0 columns; at least one row"),
    ],
)
def test_a_data_set_says_what_is_wrong_with_it(names, states, codes, says):
    with pytest.raises(bn.DataError, match=says):
        bn.Dataset(names, states, codes)


def test_a_data_set_takes_lists():
    data = bn.Dataset(["a", "b"], [["0", "1"]] * 2, [[0, 1]])
    assert (data.names, data.states) == (("a", "b"), AB)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], r"rows must be a list of one or more row numbers; got an array of shape \(0,\)"),
        (0, r"rows must be a list of one or more row numbers; got an array of shape \(\)"),
        ([[0, 1]], r"got an array of shape \(1, 2\)"),
        ([0, 3], "rows must be row numbers 0 to 2; got 3"),
        ([-1], "rows must be row numbers 0 to 2; got -1"),
        ([0.0, 1.7], "rows must be whole numbers 0 to 2; got an array of float64"),
        ([True, False, True], r"got an array of bool: for a mask take numpy.flatnonzero\(mask\)"),
    ],
)
def test_rows_to_take_are_row_numbers(rows, says):
    with pytest.raises(bn.DataError, match=says):
        two().take(rows)


@pytest.mark.parametrize("rows", [range(2), (0, 1), np.array([0, 1], dtype=np.uint8)])
def test_rows_to_take_may_be_any_list_of_numbers(rows):
    assert two().take(rows).codes.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["a", "a"], "the column name 'a' occurs 2 times; name it once"),
        ("ab", "names must be a list of names, such as .*; got 'ab'"),
        ([], "the table has 3 rows and 0 columns; at least one row"),
    ],
)
def test_variables_to_select_are_named_once(names, says):
    with pytest.raises(bn.DataError, match=says):
        two().select(names)


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (["x", "x"], "columns must differ from each other: the column name 'x' occurs 2 times; name it once"),
        ("xy", "columns must be a list of names, such as .*; got 'xy'"),
        ("x", "columns must be a list of names, such as .*; got 'x'"),
    ],
)
def test_columns_to_discretize_are_named_once(columns, says):
    frame = pd.DataFrame({"x": [0.1, 0.2, 0.3, 0.4], "y": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(bn.DataError, match=says):
        bn.discretize(frame, columns=columns)


def test_a_frame_with_a_name_twice_is_not_discretized():
    frame = pd.DataFrame([[0.1, 0.2], [0.3, 0.4]], columns=["x", "x"])
    with pytest.raises(bn.DataError, match=r"the column name 'x' occurs 2 times; give each column its own name"):
        bn.discretize(frame)
