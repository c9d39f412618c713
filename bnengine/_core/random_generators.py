"""One way to say where random numbers come from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Seed = int | np.random.Generator | None
#: The largest seed of an experiment: every program that reads JSON holds it exactly.
MAX_SEED = 2**53 - 1


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


def random_parts(n_rows: int, share: float, rng: Seed = 0) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Row numbers, shuffled, in two parts; ``share`` of them, at least one and not all, are in the first."""
    if n_rows < 2:
        raise ValueError(f"two rows at least are needed to split them in two parts; got {n_rows}")
    if not 0 < share < 1:
        raise ValueError(f"the rows are split by a share between 0 and 1; got {share}")
    shuffled = generator_of(rng).permutation(n_rows)
    n_first = min(max(round(share * n_rows), 1), n_rows - 1)
    return shuffled[:n_first], shuffled[n_first:]
