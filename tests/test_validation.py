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


def dataset(names=("a", "b"), states=AB, codes=((0, 1),)):
    return lambda: bn.Dataset(names, states, codes)


def constrained(**settings):
    return lambda: bn.Constraints(**settings)


def taken(rows):
    return lambda: two().take(rows)


def selected(names):
    return lambda: two().select(names)


#: What is refused, and how.
REFUSED = [
    *(
        (ask(edges), rf"{argument} must be .*{says}")
        for argument, ask in (
            ("required", lambda edges: constrained(required=edges)),
            ("forbidden", lambda edges: constrained(forbidden=edges)),
            ("edges", lambda edges: lambda: bn.score(two(), edges, bn.BIC())),
        )
        for edges, says in (
            (["AB"], r"\(parent, child\) pairs of names, such as .*; got 'AB'"),
            ("AB", r"\(parent, child\) pairs .*; got 'AB'"),
            ([("A", "B", "C")], r"got \('A', 'B', 'C'\)"),
            ([("A", 1)], r"got \('A', 1\)"),
            (None, "got None"),
        )
    ),
    (lambda: bn.local_score(two(), "b", "a", bn.BIC()), "parents must be a list of names, such as .*; got 'a'"),
    (constrained(tiers=["abc"]), "tier 1 must be a list of names, such as .*; got 'abc'"),
    (constrained(tiers="abc"), "tiers must be lists of names, such as .*; got 'abc'"),
    (constrained(tiers=[["a", 2]]), "tier 1 must be names, that is strings, .*; got 2 of type int"),
    *((constrained(max_parents=limit), rf"max_parents must be .*; got {limit!r}") for limit in (1.5, "2", True)),
    *((lambda kind=kind: kind("abc"), "ordering must be a list of names") for kind in (bn.K2, bn.FixedOrdering)),
    *((lambda kind=kind: kind(["a", 3]), "ordering must be names, .*; got 3 of") for kind in (bn.K2, bn.FixedOrdering)),
    (dataset(("a", "a")), "names must be distinct: the column name 'a' occurs 2 times"),
    (dataset("ab"), "names must be a list of names, such as .*; got 'ab'"),
    (dataset(states="01"), "states must be one list for each variable"),
    (dataset(states=(("0", "1"), ("x", "x"))), "the states of 'b' must be distinct; 'x' occurs 2 times"),
    (dataset(codes=None), "codes must be whole numbers 0 to 65,535; got an array of object"),
    (dataset(codes=[[0.0, 1.0]]), "codes must be whole numbers 0 to 65,535; got an array of float64"),
    (dataset(codes=[[0, -1]]), "codes must be whole numbers 0 to 65,535; got -1"),
    (dataset(codes=np.zeros((0, 2), dtype=int)), "the table has 0 rows and 2 columns; at least one row"),
    (taken([]), r"rows must be a list of one or more row numbers; got an array of shape \(0,\)"),
    (taken([[0, 1]]), r"got an array of shape \(1, 2\)"),
    (taken([0, 3]), "rows must be whole numbers 0 to 2; got 3"),
    (taken([0.0, 1.7]), "rows must be whole numbers 0 to 2; got an array of float64"),
    (taken([True, False, True]), r"got an array of bool .*numpy.flatnonzero"),
    (selected(["a", "a"]), "the column name 'a' occurs 2 times; name it once"),
]


@pytest.mark.parametrize(("ask", "says"), REFUSED, ids=[says for _, says in REFUSED])
def test_what_was_not_meant_is_refused_with_its_name_and_the_value(ask, says):
    with pytest.raises(ValueError, match=says):
        ask()


def test_pairs_and_lists_of_any_kind_will_do():
    pairs = np.array([["A", "B"]])
    assert bn.Constraints(required=pairs).required == bn.Constraints([["A", "B"]]).required == (("A", "B"),)
    assert bn.K2(["a", "b"]).ordering == ("a", "b")


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
