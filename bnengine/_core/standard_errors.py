"""Standard error of a mean."""

import math

import numpy as np
import numpy.typing as npt


def standard_error(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return sd / sqrt(n) of n independent values along the first axis; NaN for a single value."""
    if len(values) < 2:
        return np.full(values.shape[1:], np.nan)
    return np.asarray(values.std(axis=0, ddof=1) / math.sqrt(len(values)))


def share_error(share: npt.NDArray[np.float64], n: float) -> npt.NDArray[np.float64]:
    """Standard error of a share of n draws; one success and one failure are added, so that 0 and 1 have one too."""
    rounded = (n * share + 1) / (n + 2)
    error: npt.NDArray[np.float64] = np.sqrt(rounded * (1 - rounded) / max(n, 1))
    return error
