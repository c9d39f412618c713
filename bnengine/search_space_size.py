"""How many graphs there are."""

from __future__ import annotations

import math


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


def gigabytes(n_bytes: int) -> str:
    """A size in words; as a power of two where it is beyond all machines (and beyond floating point)."""
    return f"{n_bytes / 2**30:,.1f} GB" if n_bytes < 2**60 else f"2^{n_bytes.bit_length() - 31} GB"
