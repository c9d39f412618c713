"""Features of a graph: predicates on an adjacency matrix, for ``SampledPosterior.feature``."""

from __future__ import annotations

from bnengine.graphs.dag import Adjacency


def has_path(graph: Adjacency, start: int, end: int) -> bool:
    """Whether a directed path leads from one column to another."""
    reached = graph[start].copy()
    while not reached[end]:
        further = reached | graph[reached].any(axis=0)
        if (further == reached).all():
            return False
        reached = further
    return True


def in_markov_blanket(graph: Adjacency, variable: int) -> Adjacency:
    """Which columns are parents, children, or other parents of children of a variable, shape (V,)."""
    blanket: Adjacency = graph[:, variable] | graph[variable] | graph[:, graph[variable]].any(axis=1)
    blanket[variable] = False
    return blanket


def have_common_parent(graph: Adjacency, first: int, second: int) -> bool:
    """Whether some column is a parent of both."""
    return bool((graph[:, first] & graph[:, second]).any())
