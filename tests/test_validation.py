"""What a caller can hand in and did not mean: strings for lists, names twice, numbers that would wrap."""

import inspect
import itertools
from typing import Annotated

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import bnengine as bn
from bnengine._core.validation import Ge, validated
from tests.fuzz.public import calls

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
@pytest.mark.parametrize(
    ("argument", "ask"),
    [
        ("required", lambda edges: bn.Constraints(required=edges)),
        ("forbidden", lambda edges: bn.Constraints(forbidden=edges)),
        ("edges", lambda edges: bn.score(two(), edges, bn.BIC())),
    ],
)
def test_edges_are_pairs(argument, ask, edges, says):
    with pytest.raises(ValueError, match=f"{argument} must be .*{says}"):
        ask(edges)


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
    with pytest.raises(ValueError, match=rf"max_parents must be a whole number .*; got {limit!r}"):
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
        (("a", "a"), AB, [[0, 1]], "names must be distinct: the column name 'a' occurs 2 times"),
        ("ab", AB, [[0, 1]], "names must be a list of names, such as .*; got 'ab'"),
        (("a", 2), AB, [[0, 1]], "names must be names, that is strings, .*; got 2 of type int"),
        (("a", "b"), ("01", "01"), [[0, 1]], "the states of 'a' must be a list of names, such as .*; got '01'"),
        (("a", "b"), "01", [[0, 1]], "states must be one list of states for each variable"),
        (("a", "b"), (("0", "1"), ("x", "x")), [[0, 1]], "the states of 'b' must be distinct; 'x' occurs 2 times"),
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


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], r"rows must be a list of one or more row numbers; got an array of shape \(0,\)"),
        (0, r"rows must be a list of one or more row numbers; got an array of shape \(\)"),
        ([[0, 1]], r"got an array of shape \(1, 2\)"),
        ([0, 3], "rows must be row numbers 0 to 2; got 3"),
        ([-1], "rows must be row numbers 0 to 2; got -1"),
        ([0.0, 1.7], "rows must be whole numbers 0 to 2; got an array of float64"),
        ([True, False, True], r"got an array of bool .*numpy.flatnonzero"),
    ],
)
def test_rows_to_take_are_row_numbers(rows, says):
    with pytest.raises(bn.DataError, match=says):
        two().take(rows)


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["a", "a"], "the column name 'a' occurs 2 times; name it once"),
        ("ab", "names must be a list of names, such as .*; got 'ab'"),
        ([], "the table has 3 rows and 0 columns; at least one row"),
    ],
)
def test_variables_to_select_are_named_once(names, says):
    with pytest.raises(ValueError, match=says):
        two().select(names)


@pytest.mark.parametrize("name", sorted(calls()))
def test_everything_public_checks_its_arguments(name):
    """By the annotations, which can be read: wrong calls are refused as Python refuses them."""
    thing = calls()[name]
    function = getattr(*thing) if isinstance(thing, tuple) else thing
    assert hasattr(inspect.unwrap(function, stop=lambda each: hasattr(each, "__validated__")), "__validated__")
    with pytest.raises(TypeError, match=r"unexpected keyword argument|missing"):
        function(no_such_argument=1)


@validated
def ask(
    n: Annotated[int, Ge(1)] = 1, *, sizes: list[float] | None = None, which: dict[str, int] | None = None
) -> object:
    return n, sizes, which


def test_arguments_become_what_the_annotations_say():
    n, sizes, which = ask(np.int8(3), sizes=(x for x in (1, np.float32(0.5))), which={"a": np.uint8(2)})
    assert (n, sizes, which) == (3, (1.0, 0.5), {"a": 2})
    assert [type(n), *map(type, sizes), type(which["a"])] == [int, float, float, int]
    assert ask() == (1, None, None)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"n": 0}, "n must be a whole number of at least 1; got 0"),
        ({"n": True}, "n must be a whole number of at least 1; got True"),
        ({"n": 10**400}, "n must be a whole number of at least 1; got a number of many digits"),
        ({"n": pd.DataFrame({"a": [1, 2]})}, r"n must be .*; got a DataFrame of shape \(2, 1\)"),
        ({"sizes": [1, "a  b"]}, r"sizes\[1\] must be a number; got 'a b'"),
        ({"sizes": {1.0, 2.0}}, "sizes must be a list, or None; got {1.0, 2.0}"),
        ({"sizes": itertools.count()}, "sizes must be a list of at most 10,000,000 items, or None; got count"),
        ({"which": {"\ud800": 1}}, r"'\\ud800' is not valid Unicode; correct it"),
        ({"which": {"a": 0.5}}, r"which\['a'\] must be a whole number; got 0.5"),
    ],
)
def test_a_refusal_names_the_argument_what_it_takes_and_the_value(given, says):
    with pytest.raises(ValueError, match=f"^{says}") as caught:
        ask(**given)
    assert "\n" not in str(caught.value)


def test_a_class_for_one_of_its_objects_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"score must be a score, such as bn.BIC\(\), not a class: write BDeu\(\)"):
        bn.score(two(), [], bn.BDeu)


def test_a_message_stays_in_one_line_whatever_it_repeats():
    data = bn.Dataset(("a", "b"), AB, [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match=r"no variable is named 'a b'") as caught:
        data.index("a\nb")
    assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match="no variable is named") as caught:
        data.index("x" * 10**6)
    assert len(str(caught.value)) < 600


FRAME = pd.DataFrame({"a": ["x", "y", "x", "y"] * 9, "b": [1, 2, 2, 3] * 9, "c": [True, False, False] * 12})
DECLARED = FRAME.assign(a=pd.Categorical(FRAME["a"], categories=["y", "z", "x"]))


class Columns:
    """A table of another library, which hands over Arrow columns."""

    def __init__(self, frame):
        self.table = pa.table(frame)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


@pytest.mark.slow
@pytest.mark.parametrize("frame", [FRAME, DECLARED], ids=["plain", "declared states"])
@pytest.mark.parametrize("table", [lambda frame: frame, pa.table, Columns], ids=["pandas", "pyarrow", "another"])
@pytest.mark.parametrize(
    "ask",
    [
        lambda data: bn.score(data, [("a", "b")], bn.BDeu()),
        lambda data: bn.prediction.edge_plan(data=data).information,
        lambda data: bn.resample(data, bn.BIC(), bn.ChowLiu(), bn.Bootstrap(5)).confidence,
    ],
)
def test_a_table_is_taken_for_the_data_set_made_from_it(ask, table, frame):
    assert np.array_equal(ask(table(frame)), ask(bn.Dataset.from_frame(frame)))


@pytest.mark.parametrize(
    "bad",
    [
        pd.DataFrame(),
        pd.DataFrame({"a": [None, "x"]}),
        pd.DataFrame({"a": np.arange(200)}),
        pd.DataFrame([["x", "y"]], columns=["a", "a"]),
    ],
)
def test_a_bad_table_is_refused_as_the_data_set_would_be(bad):
    with pytest.raises(bn.DataError) as expected:
        bn.Dataset.from_frame(bad)
    with pytest.raises(bn.DataError) as caught:
        bn.edge_posterior(bad)
    assert str(caught.value) == str(expected.value)


def test_a_table_has_text_for_names():
    """Numbers as names of columns are their digits."""
    numbered = FRAME.set_axis(range(3), axis=1)
    assert bn.Dataset.from_frame(numbered).names == ("0", "1", "2")
    assert bn.score(numbered, [("0", "1")], bn.BIC()) == bn.score(FRAME, [("a", "b")], bn.BIC())
    filled = bn.fill_missing(numbered.astype(object).mask(numbered == 3), "drop_rows")
    assert list(filled.columns) == ["0", "1", "2"]
