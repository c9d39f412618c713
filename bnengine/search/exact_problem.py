"""How many steps the exact solution of a structure-learning problem takes, from the easiest set of graphs to all."""

from __future__ import annotations

import math
from typing import NamedTuple

from bnengine._core.validation import ParentLimit, VariableCount, validated

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class ExactProblem(NamedTuple):
    """A set of graphs, how its best member is found exactly, how the number of steps grows, and that number."""

    among: str
    method: str
    growth: str
    steps: int
    polynomial: bool


@validated
def exact_problems(n_variables: VariableCount, max_parents: ParentLimit = 3) -> list[ExactProblem]:
    """List what it takes to find the best graph exactly, from the easiest set of graphs to all.

    A step scores one family or looks one up. Finding the best of all graphs is NP-hard as soon as a variable may have
    two parents (Chickering 1996), and with three even in the limit of unlimited data (Chickering, Heckerman & Meek
    2004).

    Parameters
    ----------
    n_variables : int
    max_parents : int
        Limit in the problem with a given ordering.

    Raises
    ------
    ValueError
        If ``n_variables`` is below 1 or ``max_parents`` below 0.

    Examples
    --------
    >>> [(problem.steps, problem.polynomial) for problem in exact_problems(4, 2)]
    [(6, True), (14, True), (32, False)]
    """
    ordered = sum(math.comb(place, k) for place in range(n_variables) for k in range(max_parents + 1))
    return [
        ExactProblem(
            "trees: one parent per variable", "Chow & Liu 1968", "n²", n_variables * (n_variables - 1) // 2, True
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
