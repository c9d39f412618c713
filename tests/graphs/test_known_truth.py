"""A learned graph against the true one."""

import itertools

import numpy as np
import pytest

from bnengine.graphs.constraints import read_edge_list
from bnengine.graphs.dag import adjacency_of, compare_with_truth, cpdag, shd

NAMES = [*"abcdef"]


def drawn(rng):
    order = rng.permutation(len(NAMES))
    return [(NAMES[i], NAMES[j]) for i, j in itertools.combinations(order, 2) if rng.random() < 0.4]


@pytest.mark.parametrize("seed", range(20))
def test_every_pair_is_counted_once_invariant(seed):
    rng = np.random.default_rng(seed)
    learned, truth = drawn(rng), drawn(rng)
    found = compare_with_truth(NAMES, learned, truth)
    assert sorted(found.true + found.reversed + found.extra) == sorted(learned)
    assert len(found.true) + len(found.reversed) + len(found.missing) == len(truth)
    one, other = adjacency_of(NAMES, learned), adjacency_of(NAMES, truth)
    assert found.shd == shd(one, other) == len(found.reversed) + len(found.extra) + len(found.missing)
    assert found.class_shd == shd(cpdag(one), cpdag(other))


@pytest.mark.parametrize(
    "text",
    [
        "parent,child\na,b\nb,c\n",
        "to;from;x\nb;a;1\nc;b;2\n",
        "a\tb\nb\tc\n",
        "a -> b\n\nb → c\n",
        "# mine\na, b\nb, c\na,b\n",
    ],
)
def test_edge_lists_in_their_dialects(text):
    assert read_edge_list(("\ufeff" + text).encode()) == (("a", "b"), ("b", "c"))


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "is empty"), (b"parent,child\na,\n", "line 2 of the edge list is no edge: 'a,'"), (b"\xff\xfe", "UTF-8")],
)
def test_what_is_no_edge_list_is_refused(content, says):
    with pytest.raises(ValueError, match=says):
        read_edge_list(content)


def test_a_cycle_and_an_unknown_variable_are_named():
    with pytest.raises(ValueError, match="the true edges form a cycle: "):
        compare_with_truth([*"ab"], [], [("a", "b"), ("b", "a")])
    with pytest.raises(ValueError, match="no variable is named 'z'"):
        compare_with_truth([*"ab"], [], [("a", "z")])
