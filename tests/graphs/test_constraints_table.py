"""Constraints as CSV."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnengine.graphs.constraints import Constraints
from bnengine.graphs.constraints_table import read_constraints, write_constraints

NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5).map(str.strip).filter(bool)
EDGES = st.lists(st.tuples(NAMES, NAMES), max_size=3)


@given(EDGES, EDGES, st.lists(st.lists(NAMES, min_size=1, max_size=3), max_size=3))
def test_what_was_written_is_read_again_invariant(required, forbidden, tiers):
    constraints = Constraints(required, forbidden, tiers=tiers)
    assert read_constraints(write_constraints(constraints).encode()) == constraints


def test_a_table_from_a_spreadsheet():
    text = "\ufefftier,variable,kind,parent,child\n3,b,tier,,\n1,a,Tier,,\n,,FORBIDDEN,b,a\n"
    assert read_constraints(text.encode()) == Constraints(forbidden=[("b", "a")], tiers=[["a"], ["b"]])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"kind,parent,child\nrequired,a,\n", "line 2 of the constraints must be"),
        (b"kind,variable,tier\ntier,a,first\n", "line 2"),
        (b"a,b\n1,2\n", "the columns are kind, parent, child, variable, tier"),
        (b"\xff\xfe\x00", "not CSV in UTF-8"),
    ],
)
def test_another_table_is_refused(content, says):
    with pytest.raises(ValueError, match=says):
        read_constraints(content)
