"""Functions on graphs, against slow walks and enumerations; lists of edges, and cycles that are refused."""

import inspect
import itertools
import math
from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import bnengine as bn
from bnengine.graphs import dag
from bnengine.graphs.constraints import read_edge_list
from bnengine.graphs.dag import adjacency_of, compare_with_truth, cpdag, n_dags, shd
from tests import naive
from tests.growth import grows_linearly
from tests.patience import takes_at_most
from tests.strategies import dags

DIGRAPHS = st.integers(1, 5).flatmap(lambda n: arrays(bool, (n, n))).map(lambda a: a & ~np.eye(len(a), dtype=bool))
DAGS = st.integers(1, 6).flatmap(dags)


@given(DIGRAPHS)
def test_cycles_against_naive(adjacency):
    cyclic = naive.has_cycle(adjacency.tolist())
    assert dag.is_dag(adjacency) != cyclic
    edges = [(str(parent), str(child)) for parent, child in np.argwhere(adjacency).tolist()]
    with pytest.raises(ValueError, match="form a cycle") if cyclic else nullcontext() as error:
        dag.refuse_cycle(edges)
    if cyclic:
        walk = str(error.value).partition("cycle: ")[2].partition(";")[0].split(" → ")
        assert walk[0] == walk[-1]
        assert len({*walk}) == len(walk) - 1
        assert {*itertools.pairwise(walk)} <= {*edges}


@given(DAGS)
def test_topological_order_against_all_orders(adjacency):
    """The first, in alphabetical order of numbers, of all the orders that fit."""
    n = len(adjacency)

    def fits(order):
        return not any(adjacency[j, i] for a, i in enumerate(order) for j in order[a + 1 :])

    assert dag.topological_order(adjacency) == next(list(o) for o in itertools.permutations(range(n)) if fits(o))


@given(DIGRAPHS)
def test_ancestors_against_matrix_powers(adjacency):
    power = reach = adjacency.astype(int)
    for _ in range(len(adjacency)):
        power = (power @ adjacency > 0).astype(int)
        reach = reach | power
    assert (dag.ancestors(adjacency) == reach.astype(bool)).all()


# How many graphs there are. (Enumeration of small ones: ``tests/search/test_tree_search.py``.)


def test_dags_against_the_sum_with_binomials():
    """Robinson's recurrence written out, beyond what can be enumerated."""
    counts = [1]
    for n in range(1, 41):
        terms = [(-1) ** (k + 1) * math.comb(n, k) * 2 ** (k * (n - k)) * counts[n - k] for k in range(1, n + 1)]
        counts.append(sum(terms))
    assert [n_dags(n) for n in range(41)] == counts


def test_hundreds_of_variables_are_counted_in_a_moment():
    """Measured: a seventh of the yardstick, 1.2 when others work; the plain sum takes ten times as long."""

    def counted():
        n_dags.__wrapped__.cache_clear()
        n_dags(200)

    assert takes_at_most(4, counted)


# Markov equivalence against the enumeration of all graphs.


def interventional_classes(n, targets):
    """DAGs with the same skeletons and v-structures, also after the edges into each experiment's variables are cut.

    Hauser & Bühlmann (2012), Theorem 10.
    """
    observational = naive.equivalence_classes(naive.all_dags(n))
    observed = {graph.tobytes(): k for k, group in enumerate(observational) for graph in group}
    classes = {}
    for graph in naive.all_dags(n):
        key = [observed[graph.tobytes()]]
        for variables in targets:
            cut = graph.copy()
            cut[:, list(variables)] = False
            key.append(observed[cut.tobytes()])
        classes.setdefault(tuple(key), []).append(graph)
    return list(classes.values())


@pytest.mark.parametrize(
    "targets", [[], [[0]], [[], [1, 2]], [[0], [3]], [[0, 1], [1, 2]], [[], [0], [1], [2]]], ids=str
)
def test_a_cpdag_is_the_union_of_its_class_against_enumeration(targets):
    for group in interventional_classes(4, [[], *targets]):
        union = np.any(group, axis=0)
        for member in group:
            assert (cpdag(member, targets) == union).all()


def test_targets_that_are_no_columns_are_refused():
    with pytest.raises(ValueError, match="targets must be column numbers 0 to 2; got 3"):
        cpdag(np.zeros((3, 3), dtype=bool), [[3]])


def test_a_cpdag_costs_as_much_as_the_graph_has_edges():
    """Meek's rules, applied to whole matrices until nothing changes, take the fourth power along a chain."""

    def work(n):
        adjacency = np.zeros((n, n), dtype=bool)
        adjacency[np.arange(n - 1), np.arange(1, n)] = True
        adjacency[0, 2], adjacency[0, 1] = True, False  # a v-structure at its head directs all of it
        return lambda: cpdag(adjacency)

    assert grows_linearly(lambda n: work(int(n**0.5 * 8)))  # in the entries of the matrix


# Every public function that takes the edges of a network refuses a cycle, which it names.


DATA = bn.load_network("cancer").sample(60, rng=1)
CYCLE = [("Pollution", "Cancer"), ("Cancer", "Xray"), ("Xray", "Pollution")]
SPACES = (bn, bn.teaching, bn.prediction, bn.posterior, bn.paper)
GIVEN = {"data": DATA, "resample": DATA, "score": bn.BIC()}
#: What draws, writes or mends any directed graph, cyclic or not.
OF_ANY_GRAPH = {"write_graph", "change_edge"}


def takers():
    """The public functions with an argument called edges."""
    for space in SPACES:
        for name in getattr(space, "__all__", dir(space)):
            found = getattr(space, name)
            if inspect.isfunction(found) and "edges" in inspect.signature(found).parameters:
                yield name, found


def test_a_cycle_is_refused_and_named():
    asked = []
    for name, function in takers():
        if name not in OF_ANY_GRAPH:
            given = {one: GIVEN[one] for one in inspect.signature(function).parameters if one in GIVEN}
            with pytest.raises(ValueError, match=r"cycle: (Pollution|Cancer|Xray) → "):
                function(edges=CYCLE, **given)
            asked.append(name)
    assert {"score", "n_parameters", "mdl", "fit"} <= set(asked)


def test_a_cycle_is_refused_where_graphs_have_other_names():
    for one, other, says in ((CYCLE, [], "the edges form a cycle"), ([], CYCLE, "the true edges form a cycle")):
        with pytest.raises(ValueError, match=says):
            compare_with_truth(DATA.names, one, other)
    with pytest.raises(ValueError, match="cycle"):
        bn.teaching.score_growth(bn.load_network("cancer"), {"true": [], "odd": CYCLE}, [20])
    graph = np.zeros((5, 5), dtype=bool)
    graph[[0, 1, 2], [1, 2, 0]] = True
    with pytest.raises(ValueError, match="cycle"):
        bn.cpdag(graph)


# A learned graph against the true one.


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
        "1. a --> b\n2. c <-- b\n",
        "a --> b\nc ← b\n",
    ],
)
def test_edge_lists_in_their_dialects(text):
    assert set(read_edge_list(("\ufeff" + text).encode())[1]) == {("a", "b"), ("b", "c")}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"parent,child\na,\n", "line 2 of the edge list is no edge: 'a,'"),
        (b"\xff\xfe", "UTF-8"),
        (b"a --> b\na --\n", "line 1 of the edge list is no edge: 'a --> b'"),
        *((f"1. a {mark} b\n".encode(), "unmeasured common cause") for mark in ("<->", "o->", "<-o", "o-o")),
    ],
)
def test_what_is_no_edge_list_is_refused(content, says):
    with pytest.raises(ValueError, match=says):
        read_edge_list(content)


TETRAD = """Graph Nodes:
a;b;co-op;alone

Graph Edges:
1. a --> b dd nl
2. b --- co-op

Graph Attributes:
Score: -1.2
"""


def test_a_graph_of_tetrad_has_open_edges_and_nodes_without_edges():
    names, edges = read_edge_list(TETRAD.encode())
    assert names == ("a", "b", "co-op", "alone")
    assert edges == (("a", "b"), ("b", "co-op"), ("co-op", "b"))


def test_an_open_edge_of_the_truth_is_found_whichever_way_it_was_learned():
    truth = [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("d", "c"), ("e", "c")]
    for first in (("a", "b"), ("b", "a")):
        found = compare_with_truth([*"abcde"], [first, ("c", "d")], truth)
        assert (found.true, found.reversed) == ((first,), (("c", "d"),))
        assert (len(found.missing), found.shd) == (2, 3)
    with pytest.raises(ValueError, match="the true edges form a cycle"):
        compare_with_truth([*"abc"], [], [("a", "b"), ("b", "c"), ("c", "a")])


# What constraints accept.


def test_lists_become_tuples():
    constraints = bn.Constraints([["a", "b"]], tiers=[["a"], ["b"]])
    assert constraints == bn.Constraints((("a", "b"),), tiers=(("a",), ("b",)))
    assert hash(constraints) == hash(bn.Constraints((("a", "b"),), tiers=(("a",), ("b",))))


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ('dag {\na [exposure,pos="0,1"]\nb\na -> b <- c; c -> "d e"\n}', (("a", "b"), ("c", "b"), ("c", "d e"))),
        ("pdag { a -- b }", (("a", "b"), ("b", "a"))),
    ],
)
def test_the_edges_of_a_dagitty_text_are_read(text, edges):
    assert read_edge_list(text.encode())[1] == edges
