"""One way to say where random numbers come from."""

from __future__ import annotations

import numpy as np

Seed = int | np.random.Generator | None


def generator_of(rng: Seed) -> np.random.Generator:
    """A generator from a seed; a generator is passed through; None draws a fresh seed from the machine."""
    if rng is not None and not isinstance(rng, (int, np.integer, np.random.Generator)):
        raise ValueError(f"rng must be a whole number, a numpy Generator or None; got {rng!r}")
    if isinstance(rng, (int, np.integer)) and rng < 0:
        raise ValueError(f"rng must be 0 or more as a seed; got {rng}")
    return np.random.default_rng(rng)


def seed_of(rng: Seed) -> int | None:
    """The seed to store in a result, where there is one."""
    return int(rng) if isinstance(rng, (int, np.integer)) else None
