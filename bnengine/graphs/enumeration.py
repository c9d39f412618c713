"""The number of labelled graphs of several kinds."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated

from bnengine._core.sizes import gigabytes as gigabytes
from bnengine._core.validation import Ge, Le, validated

#: Limits of the count of DAGs (Robinson 1973; Stanley 1973): a(n) ~ n! 2**(n (n - 1) / 2) / (M p**n).
_P, _M = 1.4880785455997103, 0.5743623733093115


@validated
def n_undirected_graphs(n_variables: Annotated[int, Ge(0), Le(10_000)]) -> int:
    """Number of undirected graphs on labelled variables: 2**(n (n - 1) / 2)."""
    return 1 << (n_variables * (n_variables - 1) // 2)


@validated
@lru_cache(maxsize=64)
def n_dags(n_variables: Annotated[int, Ge(0), Le(500)]) -> int:
    """Number of directed acyclic graphs on labelled variables (Robinson 1973).

    Exact, by the recurrence a(n) = sum over k of (-1)**(k + 1) C(n, k) 2**(k (n - k)) a(n - k). The numbers have about
    n**2 / 2 bits, and each of the n**2 / 2 terms is one shift and one product of such a number with a short one.

    Examples
    --------
    >>> [n_dags(n) for n in range(1, 6)]
    [1, 3, 25, 543, 29281]
    """
    counts = [1]
    for n in range(1, n_variables + 1):
        choose, total = 1, 0
        for k in range(1, n + 1):
            choose = choose * (n - k + 1) // k
            term = (choose * counts[n - k]) << (k * (n - k))
            total = total + term if k % 2 else total - term
        counts.append(total)
    return counts[n_variables]


@validated
def log10_n_dags(n_variables: Annotated[int, Ge(0), Le(10_000)]) -> float:
    """Decimal logarithm of ``n_dags``, in constant time from 60 variables on.

    There the limit of Robinson (1973), a(n) ~ n! 2**(n (n - 1) / 2) / (M p**n), is exact to all digits of a float.

    Examples
    --------
    >>> round(log10_n_dags(5), 3), round(log10_n_dags(1000))
    (4.467, 152760)
    """
    n = n_variables
    if n < 60:
        return math.log10(n_dags(n))
    return (math.lgamma(n + 1) + n * (n - 1) / 2 * math.log(2) - math.log(_M) - n * math.log(_P)) / math.log(10)


@validated
def n_trees(n_variables: Annotated[int, Ge(0), Le(10_000)]) -> int:
    """Number of undirected trees on labelled variables: n**(n - 2) (Cayley 1889)."""
    return 1 if n_variables < 3 else n_variables ** (n_variables - 2)
