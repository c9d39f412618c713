"""How many graphs there are, and how much work it takes to find the best of them."""

from __future__ import annotations

import math
from typing import NamedTuple


def n_undirected_graphs(n_variables: int) -> int:
    """Undirected graphs on labelled variables: 2**(n (n - 1) / 2)."""
    return 1 << (n_variables * (n_variables - 1) // 2)


def n_dags(n_variables: int) -> int:
    """Directed acyclic graphs on labelled variables (Robinson 1973).

    Examples
    --------
    >>> [n_dags(n) for n in range(1, 6)]
    [1, 3, 25, 543, 29281]
    """
    counts = [1]
    for n in range(1, n_variables + 1):
        counts.append(
            sum((-1) ** (k + 1) * math.comb(n, k) * 2 ** (k * (n - k)) * counts[n - k] for k in range(1, n + 1))
        )
    return counts[n_variables]


def n_trees(n_variables: int) -> int:
    """Undirected trees on labelled variables: n**(n - 2) (Cayley 1889)."""
    return 1 if n_variables < 3 else n_variables ** (n_variables - 2)


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class ExactProblem(NamedTuple):
    """A set of graphs, how the best of them is found exactly, how the number of steps grows, and how large it is."""

    among: str
    method: str
    growth: str
    steps: int
    polynomial: bool


def exact_problems(n_variables: int, max_parents: int = 3) -> list[ExactProblem]:
    """What it takes to find the best graph exactly, from the easiest set of graphs to all.

    A step scores one family or looks one up. To find the best graph of all is NP-hard as soon as a variable may have
    two parents (Chickering 1996), even with unlimited data if it may have three (Chickering, Heckerman & Meek 2004).

    Parameters
    ----------
    n_variables : int
    max_parents : int
        Of the problems that have a limit.

    Examples
    --------
    >>> [(problem.steps, problem.polynomial) for problem in exact_problems(4, 2)]
    [(6, True), (14, True), (32, False)]
    """
    if n_variables < 1 or max_parents < 0:
        raise ValueError(f"n_variables must be 1 or more, max_parents 0 or more; got {n_variables}, {max_parents}")
    ordered = sum(math.comb(place, k) for place in range(n_variables) for k in range(max_parents + 1))
    return [
        ExactProblem(
            "trees: one parent a variable", "Chow & Liu 1968", "n²", n_variables * (n_variables - 1) // 2, True
        ),
        ExactProblem(
            f"graphs of a given ordering, at most {max_parents} parents",
            "each parent set tried",
            "n" + str(max_parents + 1).translate(_RAISED),
            ordered,
            True,
        ),
        ExactProblem(
            "all graphs",
            "dynamic programming over sets of variables",
            "n 2ⁿ",
            n_variables * 2 ** (n_variables - 1),
            False,
        ),
    ]


def gigabytes(n_bytes: int) -> str:
    """A size in words; as a power of two where it is beyond all machines (and beyond floating point)."""
    return f"{n_bytes / 2**30:,.1f} GB" if n_bytes < 2**60 else f"2^{n_bytes.bit_length() - 31} GB"
