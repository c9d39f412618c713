"""Constraints as CSV."""

import csv
import io
import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnengine.experiment.constraints_table import read_constraints, write_constraints
from bnengine.graphs.constraints import Constraints

NAMES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5),
    st.text(st.sampled_from("a \t\n\r,;\"'=-+@1\ufeff\u200b"), min_size=1, max_size=6),  # what CSV or spreadsheets read
)
EDGES = st.lists(st.tuples(NAMES, NAMES), max_size=3)


@given(EDGES, EDGES, st.lists(st.lists(NAMES, min_size=1, max_size=3), max_size=3))
def test_what_was_written_is_read_again_invariant(required, forbidden, tiers):
    constraints = Constraints(required, forbidden, tiers=tiers)
    assert read_constraints(write_constraints(constraints).encode()) == constraints


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=3))
def test_no_cell_of_the_table_is_a_formula(required):
    """However a program splits the text: at commas with quotes, or at semicolons, tabs and line breaks without."""
    text = write_constraints(Constraints(required))
    quoted = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    for cell in [*quoted, *re.split("[;\t\r\n]", text)]:
        bare = "".join(letter for letter in cell if letter.isprintable() and letter not in ' "\u3000')
        first = bare.partition(",")[0]
        assert first[:1] not in tuple("=+-@") or is_number(first) or len(first) == 1, cell


def is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def test_blanks_around_names_count_only_in_quotes():
    text = 'kind, parent , child\nrequired , a , "b "\n'
    assert read_constraints(text.encode()) == Constraints([("a", "b ")])


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
