"""The settings of a recipe refuse what does not fit, in sentences that name it."""

import pytest

import bnengine as bn


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (
            {"per_column": [("a", "ward")]},
            "one of none, number, quantile, width, kmeans, hartemink, score, .*; got a, ward",
        ),
        ({"per_column": [("a", "width", 1)]}, "the bins of 'a' must be from 2 to .*; got 1"),
        ({"per_column": [("a", "hand", "2", "1")]}, "the cut points of 'a' must be increasing"),
        ({"missing_in": [("a", "guess")]}, "missing_in takes .column, policy."),
        ({"renamed": [("a", " ")]}, "renamed takes .column, new name."),
        ({"renamed": [("a", "x"), ("b", "x")]}, "renamed names 'x' twice"),
        ({"states": [("a",)]}, "states takes"),
        ({"states": [("a", "x"), ("a", "y")]}, "states names 'a' twice"),
        ({"rare": [("a", "1")]}, "rare takes .column, rows."),
        ({"rare": "a"}, "rare must be a list of columns with a number of rows"),
        ({"per_column": range(10**12)}, "per_column must be a list of treatments"),
        ({"repairs": [("missing", "q1")]}, "a repair is"),
        ({"repairs": [("date", "day", "ymd", "decade")]}, "a repair is"),
        ({"repairs": [("spellings", "home", "OWN")]}, "a repair is"),
        ({"repairs": [("paint", "q1")]}, "a repair is"),
    ],
)
def test_what_does_not_fit_is_refused(settings, says):
    with pytest.raises(ValueError, match=says):
        bn.Recipe(**settings)


def test_rows_drawn_from_a_network_are_bounded_by_their_cells():
    assert bn.Recipe("network", "andes", n_rows=134_000).n_cells == 134_000 * 223
    with pytest.raises(ValueError, match=r"n_rows must be at most 134,529 to draw from andes, 30,000,000 cells"):
        bn.Recipe("network", "andes", n_rows=1_000_000)
