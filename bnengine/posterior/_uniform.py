"""Random numbers in compiled code, from a state that belongs to one chain."""

from __future__ import annotations

import numpy as np

from bnengine._core.arrays import UInt64Array
from bnengine._core.compiled import Pointer, compiled, inlined
from bnengine._core.hashing import mix


def random_state(rng: np.random.Generator) -> UInt64Array:
    """The state of a stream of uniform numbers, drawn from the generator. Shape (1,)."""
    return rng.integers(0, 2**64, size=1, dtype=np.uint64)


@compiled
def uniform(state: Pointer) -> float:
    """A number in [0, 1), from the upper 53 bits of SplitMix64 (Steele, Lea & Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    return float(mix(state[0]) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@inlined
def below(state: Pointer, n: int) -> int:
    """A whole number 0 … n - 1."""
    return min(int(uniform(state) * n), n - 1)
