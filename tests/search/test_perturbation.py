"""The random changes that a restart makes: so many, all of them legal, and as likely as they are meant to be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

import bnengine as bn
from bnengine.graphs.constraints import SearchSpace
from bnengine.search.edge_changes import GraphSearch
from bnengine.search.hill_climbing import perturb
from tests import naive
from tests.strategies import dags


def perturbed(adjacency, space, draws):
    """The changed graph and how many changes were made."""
    search = GraphSearch(space, 0)
    search.state.adjacency[:] = adjacency
    made = perturb(search.handle, draws, np.zeros(4, dtype=np.int64))
    return search.state.adjacency.view(np.bool_), made


def kind_of(before, after):
    """What was done: "add", "delete" or "reverse"."""
    return {1: "add", -1: "delete", 0: "reverse"}[int(after.sum()) - int(before.sum())]


@st.composite
def graphs_in_spaces(draw):
    """A graph and a space that holds it: forbidden and required edges, a limit on parents."""
    n = draw(st.integers(1, 5))
    graph = draw(dags(n))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    allowed = (rng.random((n, n)) < draw(st.sampled_from([0.0, 0.5, 1.0]))) & ~np.eye(n, dtype=bool) | graph
    required = graph & (rng.random((n, n)) < draw(st.sampled_from([0.0, 0.5, 1.0])))
    limit = int(graph.sum(axis=0).max(initial=0)) + draw(st.integers(0, 2))
    return graph, SearchSpace(allowed, required, limit), seed


@pytest.mark.slow
@settings(max_examples=200)
@given(graphs_in_spaces(), st.integers(1, 7))
def test_each_change_is_one_of_the_legal_ones_and_none_is_missing_against_enumeration(case, perturbation):
    graph, space, seed = case
    draws = np.random.default_rng(seed).random((perturbation, 2))
    step = graph
    for made in range(perturbation):
        legal = naive.neighbours(step, space)
        after, n = perturbed(step, space, draws[made : made + 1])
        assert n == (1 if legal else 0)
        if not legal:
            assert (after == step).all()
            break
        assert any((after == option).all() for _, _, option in legal)
        step = after
    else:
        made = perturbation
    whole, n = perturbed(graph, space, draws)
    assert n == made
    assert (whole == step).all()


SPACES = {
    "free": bn.Constraints(),
    "constrained": bn.Constraints([("c", "d")], [("a", "d"), ("d", "a"), ("b", "a")], max_parents=2),
    "no addition": bn.Constraints(forbidden=[("a", "c"), ("c", "a"), ("a", "d"), ("d", "a"), ("b", "d"), ("d", "b")]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SPACES)
def test_kinds_are_as_likely_as_each_other_and_changes_of_a_kind_too_against_theory(name):
    """The chain a → b → c → d; Pearson's test on 20,000 draws at the 1e-6 level; the seed is fixed."""
    space = SPACES[name].resolve(list("abcd"))
    graph = np.zeros((4, 4), dtype=bool)
    graph[[0, 1, 2], [1, 2, 3]] = True
    options = [option for _, _, option in naive.neighbours(graph, space)]
    kinds = [kind_of(graph, option) for option in options]
    assert len(set(kinds)) == (2 if name == "no addition" else 3)
    expected = np.array([1 / len(set(kinds)) / kinds.count(kind) for kind in kinds]) * 20_000
    assert expected.sum() == pytest.approx(20_000)
    observed = np.zeros(len(options))
    for draws in np.random.default_rng(7).random((20_000, 1, 2)):
        after, made = perturbed(graph, space, draws)
        assert made == 1
        observed[next(k for k, option in enumerate(options) if (option == after).all())] += 1
    assert ((observed - expected) ** 2 / expected).sum() < chi2.isf(1e-6, len(options) - 1)
    alike = np.full(len(options), 20_000 / len(options))  # what the test can see: all changes alike
    if not np.allclose(alike, expected):
        assert ((observed - alike) ** 2 / alike).sum() > 10 * chi2.isf(1e-6, len(options) - 1)
