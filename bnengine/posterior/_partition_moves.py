"""Swaps, splits and joins of parts (Kuipers & Moffa 2017, Sec. 4).

Each function proposes one change of the partition and makes it or not; it returns whether it was made. Where a drawn
change does not exist the partition stays as it is, which keeps the proposal probabilities simple.
"""

from __future__ import annotations

import math

from bnengine._core.compiled import compiled
from bnengine.posterior._partition_state import Chain, is_made, size_of, weigh
from bnengine.posterior._uniform import below, uniform


@compiled
def _copy(chain: Chain) -> None:
    """Begin the proposal as a copy of the present parts."""
    chain.proposed.n_parts[0] = chain.now.n_parts[0]
    for v in range(chain.sets.n_variables):
        chain.proposed.part[v] = chain.now.part[v]


@compiled
def _swapped(chain: Chain, v: int, w: int) -> bool:
    """Let two variables change places; as likely to be proposed as the swap back, since all sizes stay."""
    p, q = chain.now.part[v], chain.now.part[w]
    if p == q:
        return False
    _copy(chain)
    chain.proposed.part[v], chain.proposed.part[w] = q, p
    return is_made(chain, 0.0, weigh(chain, min(p, q), max(p, q) + 1), chain.power[0])


@compiled
def swap_any(chain: Chain) -> bool:
    """Swap two variables of any two parts."""
    n = chain.sets.n_variables
    return _swapped(chain, below(chain.random, n), below(chain.random, n))


@compiled
def swap_neighbours(chain: Chain) -> bool:
    """Swap two variables of parts that follow each other."""
    now = chain.now
    if now.n_parts[0] < 2:
        return False
    p = below(chain.random, now.n_parts[0] - 1)
    v = now.order[now.first[p] + below(chain.random, size_of(now, p))]
    w = now.order[now.first[p + 1] + below(chain.random, size_of(now, p + 1))]
    return _swapped(chain, v, w)


@compiled
def _log_binomial(n: int, k: int) -> float:
    return math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0)


@compiled
def _log_split(n_divisible: int, size: int, size_of_first: int) -> float:
    """Log probability of one split: a part of two or more, then how many go first, then which."""
    return -math.log(n_divisible) - math.log(size - 1) - _log_binomial(size, size_of_first)


@compiled
def _n_divisible(chain: Chain) -> int:
    """The number of parts with two variables or more."""
    n = 0
    for p in range(chain.now.n_parts[0]):
        n += size_of(chain.now, p) > 1
    return n


@compiled
def split_or_join(chain: Chain) -> bool:
    """Split a part in two, or join two parts that follow each other, as likely one as the other."""
    return _split(chain) if uniform(chain.random) < 0.5 else _join(chain)


@compiled
def _split(chain: Chain) -> bool:
    now, new, n_divisible = chain.now, chain.proposed, _n_divisible(chain)
    if n_divisible == 0:
        return False
    left = below(chain.random, n_divisible)
    p = -1
    while left >= 0:
        p += 1
        left -= size_of(now, p) > 1
    size = size_of(now, p)
    n_first = 1 + below(chain.random, size - 1)
    for v in range(chain.sets.n_variables):
        new.part[v] = now.part[v] + (now.part[v] > p)
    needed, start = n_first, now.first[p]
    for k in range(size):  # each subset of that size is as likely as any other
        if below(chain.random, size - k) < needed:
            needed -= 1
        else:
            new.part[now.order[start + k]] = p + 1
    new.n_parts[0] = now.n_parts[0] + 1
    ratio = -math.log(now.n_parts[0]) - _log_split(n_divisible, size, n_first)
    return is_made(chain, ratio, weigh(chain, p + 1, p + 2), chain.power[0])


@compiled
def _join(chain: Chain) -> bool:
    now, new = chain.now, chain.proposed
    if now.n_parts[0] < 2:
        return False
    p = below(chain.random, now.n_parts[0] - 1)
    n_first, n_second = size_of(now, p), size_of(now, p + 1)
    for v in range(chain.sets.n_variables):
        new.part[v] = now.part[v] - (now.part[v] > p)
    new.n_parts[0] = now.n_parts[0] - 1
    n_divisible = _n_divisible(chain) + 1 - (n_first > 1) - (n_second > 1)
    ratio = math.log(now.n_parts[0] - 1) + _log_split(n_divisible, n_first + n_second, n_first)
    return is_made(chain, ratio, weigh(chain, p, p + 1), chain.power[0])
