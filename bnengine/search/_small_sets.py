"""Sums and maxima over the small subsets of every set, without a table of all sets for each variable.

The best parent set within S, or the total weight of the parent sets within S, obeys a recursion that removes one
variable at a time: of the sets within S + u, those without u are sets within S, and those with u are such sets with u
added. Going through all S in numeric order needs one list a bit (compare the truncated zeta transform of Björklund,
Husfeldt, Kaski & Koivisto 2010): memory counts the sets of at most k members, and the work for each S is some 2 (k + 1)
operations a variable.

A child's parent sets are sets of the *others*, of which other o is variable o, or o + 1 from the child on.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import IntArray
from bnengine._core.compiled import inlined


class SmallSets(NamedTuple):
    """All sets of at most k among n others, in numeric order: those among the first m are the first ``within[m]``.

    Those among the first m with fewer than k members number ``smaller[m]``, and they stand at ``places``; with other m
    added they are, in this order, the sets after the first ``within[m]``. A list for each m begins at ``starts[m]``.
    """

    masks: IntArray  # (within[n],)
    places: IntArray  # (smaller[n],)
    within: IntArray  # (n + 1,)
    smaller: IntArray  # (n + 1,)
    starts: IntArray  # (n + 1,)


def number_of_small_sets(n: int, k: int) -> int:
    """How many subsets of n have at most k members."""
    return sum(math.comb(n, size) for size in range(min(n, k) + 1))


def small_sets(n: int, k: int) -> SmallSets:
    """The sets of at most ``k`` among ``n`` others."""
    masks = np.zeros(1, dtype=np.int64)
    for other in range(n):
        masks = np.concatenate([masks, masks[np.bitwise_count(masks) < k] | (1 << other)])
    within = np.array([number_of_small_sets(m, k) for m in range(n + 1)], dtype=np.int64)
    smaller = np.array([number_of_small_sets(m, k - 1) for m in range(n + 1)], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(within[:-1])]).astype(np.int64)
    return SmallSets(masks, np.flatnonzero(np.bitwise_count(masks) < k), within, smaller, starts)


def bytes_of_lists(n_variables: int, k: int) -> int:
    """What the weights of all children's sets and a list for each of their bits take."""
    others = max(n_variables - 1, 0)
    return 8 * n_variables * sum(number_of_small_sets(m, k) for m in range(others + 1))


@inlined
def lowest_bit(number: int) -> int:
    """The place of the lowest bit of a number that has one."""
    place = 0
    while not (number >> place) & 1:
        place += 1
    return place


@inlined
def other_of(v: int, child: int) -> int:
    """The number of variable v among the others of the child."""
    return v if v < child else v - 1
