"""Single-edge changes: exactly the legal ones, each with the score's own difference, cycles by name."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.graphs.dag import adjacency_of, is_dag
from tests.strategies import dags, datasets, named

SCORES = st.sampled_from([bn.BIC(), bn.BDeu(2.0), bn.K2Score(), bn.LogLikelihood()])


def tried_one_by_one(data, edges, score, most):
    """Every change that gives another DAG with so many parents at most, by trying all of them."""
    before = bn.score(data, edges, score)
    found = {}
    for kind, parent, child in itertools.product(("add", "delete", "reverse"), data.names, data.names):
        after = set(edges)
        if kind == "add":
            if parent == child or (parent, child) in after or (child, parent) in after:
                continue
            after.add((parent, child))
        elif (parent, child) not in after:
            continue
        else:
            after.remove((parent, child))
            after |= {(child, parent)} if kind == "reverse" else set()
        adjacency = adjacency_of(data.names, after)
        if is_dag(adjacency) and adjacency.sum(axis=0).max() <= most:
            found[kind, parent, child] = bn.score(data, after, score) - before
    return found


@pytest.mark.slow
@given(datasets(min_variables=5, max_variables=5, max_rows=60, max_arity=3), dags(5), SCORES, st.integers(0, 2))
def test_against_trying_every_change(data, dag, score, room):
    edges, most = named(data, dag), int(dag.sum(axis=0).max()) + room
    changes = bn.teaching.single_changes(data, edges, score, constraints=bn.Constraints(max_parents=most))
    expected = tried_one_by_one(data, edges, score, most)
    assert {(c.kind, c.parent, c.child) for c in changes} == set(expected)
    assert len(changes) == len(expected)
    for change in changes:
        assert change.gain == pytest.approx(expected[change.kind, change.parent, change.child], abs=1e-8)
        assert change.bits == -change.gain / math.log(2)
    gains = [change.gain for change in changes]
    assert all(a >= b - 1e-6 for a, b in itertools.pairwise(gains))


def test_constraints_hold():
    data = bn.load_network("asia").sample(200, rng=1)
    limits = bn.Constraints(required=[("asia", "tub")], forbidden=[("lung", "smoke")], max_parents=1)
    changes = bn.teaching.single_changes(data, [("asia", "tub"), ("smoke", "lung")], bn.BIC(), constraints=limits)
    edges = {(c.kind, c.parent, c.child) for c in changes}
    assert ("delete", "smoke", "lung") in edges
    assert not {a for a in edges if a[1:] == ("asia", "tub")}
    assert ("reverse", "smoke", "lung") not in edges
    assert not {a for a in edges if a[0] == "add" and a[2] in ("tub", "lung")}
    assert bn.teaching.single_changes(data, []) != []


@pytest.mark.parametrize(
    ("edges", "arguments", "says"),
    [
        ([("a", "b"), ("b", "c")], ("add", "c", "a"), "c → a would close the cycle c → a → b → c"),
        ([("a", "b"), ("b", "c"), ("a", "c")], ("reverse", "a", "c"), "c → a would close the cycle c → a → b → c"),
        ([("a", "b")], ("add", "b", "a"), "a → b is in the graph already: reverse it instead"),
        ([("a", "b")], ("add", "a", "b"), "a → b is in the graph already"),
        ([], ("delete", "a", "b"), "nothing to delete"),
        ([], ("add", "a", "z"), "no variable is named 'z'"),
        ([], ("turn", "a", "b"), "kind must be one of add, delete, reverse"),
    ],
)
def test_refusals_say_why(edges, arguments, says):
    with pytest.raises(ValueError, match=says):
        bn.teaching.change_edge(["a", "b", "c"], edges, *arguments)


@pytest.fixture
def impossible():
    """Rows that the network "asia" holds for impossible, and BDe with it as prior network."""
    network = bn.load_network("asia")
    rows = network.sample(200, rng=1)
    codes = rows.codes.copy()
    codes[:5, rows.index("either")] = 1 - codes[:5, rows.index("either")]
    return bn.Dataset(rows.names, rows.states, codes), bn.BDe(network, 10.0)


def test_a_change_to_an_impossible_graph_loses_everything_and_comes_last(impossible):
    data, score = impossible
    changes = bn.teaching.single_changes(data, [("tub", "either")], score)
    gains = [change.gain for change in changes]
    lost = [(c.kind, c.parent, c.child) for c in changes if c.gain == -math.inf]
    assert ("add", "lung", "either") in lost
    assert gains[-len(lost) :] == [-math.inf] * len(lost)
    assert np.isfinite(gains[: -len(lost)]).all()
    assert changes[-1].bits == math.inf


def test_an_impossible_graph_is_said_to_be_one(impossible):
    data, score = impossible
    with pytest.raises(ValueError, match=r"minus infinity.* 'either' and its parents.* prior network"):
        bn.teaching.single_changes(data, [("tub", "either"), ("lung", "either")], score)
