"""Standard error of a mean."""

import math

import numpy as np

from bnengine._core.arrays import FloatArray


def standard_error(values: FloatArray) -> FloatArray:
    """Return sd / sqrt(n) of n independent values along the first axis; NaN for a single value."""
    if len(values) < 2:
        return np.full(values.shape[1:], np.nan)
    return np.asarray(values.std(axis=0, ddof=1) / math.sqrt(len(values)))


def share_error(share: FloatArray, n: float) -> FloatArray:
    """Standard error of a share of n draws; one success and one failure are added, so that 0 and 1 have one too."""
    rounded = (n * share + 1) / (n + 2)
    error: FloatArray = np.sqrt(rounded * (1 - rounded) / max(n, 1))
    return error
