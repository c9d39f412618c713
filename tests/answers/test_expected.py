"""Edges that were expected, sorted by the verdict on them."""

from dataclasses import replace

import numpy as np

import bnengine as bn
from bnengine.answers.edge_answers import EdgeAnswers
from bnengine.answers.expected import CONFIRMED, NOT_EXPECTED, NOT_FOUND, OPEN, REVERSED
from bnengine.answers.verdict import Verdict

NAMES = tuple("abcdef")


def pair(matrix, one, other, value):
    i, j = NAMES.index(one), NAMES.index(other)
    matrix[i, j] = matrix[j, i] = value


def judged():
    """a → b is certain and settled, c – d certain and open, a – d real but rarely found, e – f close to one half."""
    again, real = np.zeros((6, 6)), np.zeros((6, 6))
    for ends, values in {
        "ab": (0.9, 0.9),
        "cd": (0.9, 0.8),
        "ad": (0.2, 0.8),
        "ef": (0.4, 0.5),
        "bc": (0.9, 0.1),
    }.items():
        for matrix, value in zip((again, real), values, strict=True):
            pair(matrix, *ends, value)
    reach = np.array([real - 0.05, real + 0.05])
    none = np.zeros((6, 6), dtype=bool)
    answers = EdgeAnswers(NAMES, "predictive", again, none, real, reach, reach, real_range=reach)
    compelled = np.zeros((6, 6))
    compelled[0, 1] = 0.9
    return Verdict(answers, compelled, none, none)


def groups(expected, found=None):
    table = bn.answers.expectations(found or judged(), expected)
    return {(line.parent, line.child): line.group for line in table.itertuples()}


def test_each_expected_edge_is_in_its_group_as_it_was_written_and_the_certain_others_follow():
    assert groups(
        [("b", "a"), ("d", "c"), ("d", "a"), ("f", "e"), ("c", "b"), ("a", "c"), ("a", "unknown"), ("a", "a")]
    ) == {
        ("d", "c"): CONFIRMED,
        ("b", "a"): REVERSED,
        ("d", "a"): OPEN,
        ("f", "e"): OPEN,
        ("c", "b"): NOT_FOUND,
        ("a", "c"): NOT_FOUND,
    }
    assert groups([]) == {("a", "b"): NOT_EXPECTED, ("c", "d"): NOT_EXPECTED}


def test_an_edge_of_either_direction_is_confirmed_whichever_is_settled():
    assert groups([("a", "b"), ("b", "a")])["a", "b"] == CONFIRMED
    required = np.zeros((6, 6), dtype=bool)
    pair(required, "a", "b", True)
    assert groups([("a", "b")], replace(judged(), required=required))["a", "b"] == CONFIRMED
