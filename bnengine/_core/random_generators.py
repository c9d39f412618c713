"""Normalization of the ``rng`` argument, random splits, standard errors of means and shares, and intervals."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import FloatArray, IntArray

Seed = int | np.random.Generator | None
#: The largest seed of an experiment: every program that reads JSON holds it exactly.
MAX_SEED = 2**53 - 1
_QUANTILE = 1.959964  # 97.5 % of a normal distribution


def generator_of(rng: Seed) -> np.random.Generator:
    """Return a generator: from a seed, the given one, or for None one seeded by the operating system."""
    if isinstance(rng, (int, np.integer)) and rng < 0:
        raise ValueError(f"rng must be 0 or more as a seed; got {rng}")
    return np.random.default_rng(rng)


def seed_of(rng: Seed) -> int | None:
    """Return the seed to store in a result; None if there is none."""
    return int(rng) if isinstance(rng, (int, np.integer)) else None


def random_parts(n_rows: int, share: float, rng: Seed = 0) -> tuple[IntArray, IntArray]:
    """Split row numbers at random in two parts; the first gets ``share`` of them, at least one and not all."""
    if n_rows < 2:
        raise ValueError(f"n_rows must be 2 or more to be split in two parts; got {n_rows}")
    if not 0 < share < 1:
        raise ValueError(f"share must be between 0 and 1; got {share}")
    shuffled = generator_of(rng).permutation(n_rows)
    n_first = min(max(round(share * n_rows), 1), n_rows - 1)
    return shuffled[:n_first], shuffled[n_first:]


def standard_error(values: FloatArray) -> FloatArray:
    """Return sd / sqrt(n) of n independent values along the first axis; NaN for a single value."""
    if len(values) < 2:
        return np.full(values.shape[1:], np.nan)
    return np.asarray(values.std(axis=0, ddof=1) / math.sqrt(len(values)))


def share_error(share: FloatArray, n: float) -> FloatArray:
    """Return the standard error of a share of n draws, with a success and a failure added, for shares of 0 and 1."""
    rounded = (n * share + 1) / (n + 2)
    rounded *= 1 - rounded  # in place: of thousands of variables a matrix is large
    return np.sqrt(rounded / max(n, 1))


def share_interval(share: npt.ArrayLike, n: npt.ArrayLike) -> FloatArray:
    """Return the ends of the 95 % interval of a probability, (2, …), where a share of n draws was so (Wilson 1927).

    Examples
    --------
    >>> share_interval([0.0, 0.5], 100).round(3).tolist()
    [[0.0, 0.404], [0.037, 0.596]]
    """
    share, n = np.asarray(share, dtype=np.float64), np.asarray(n, dtype=np.float64)
    half = _QUANTILE * np.sqrt(n * share * (1.0 - share) + _QUANTILE**2 / 4.0)
    low, high = (n * share + _QUANTILE**2 / 2.0 + np.array([-half, half])) / (n + _QUANTILE**2)
    ends = np.array([np.minimum(low, share), np.maximum(high, share)])  # also where rounding is larger
    return np.asarray(np.clip(ends, 0.0, 1.0))
