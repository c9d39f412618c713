"""How near probabilities are to π and to the true network: sums and means over all possible edges, as numbers."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from .cells import FloatArray

Bools = npt.NDArray[np.bool_]
BINS = 10


def kept_off_0_and_1(p: FloatArray, n: int) -> FloatArray:
    """Return the probabilities that log-loss can judge: shares of n replicates with half a count added to either side.

    The same for every method, also those without replicates: none gains by being allowed nearer to 0 or 1.
    """
    return (n * p + 0.5) / (n + 1)


def log_loss(p: FloatArray, truth: Bools, n: int) -> float:
    """Return Σ −log of the probability of what is true, in nats."""
    kept = kept_off_0_and_1(p, n)
    return float(-np.log(np.where(truth, kept, 1.0 - kept)).sum())


def brier(p: FloatArray, truth: Bools) -> float:
    """Return Σ (p − truth)²."""
    return float(((p - truth) ** 2).sum())


def average_precision(p: FloatArray, truth: Bools) -> float:
    """Return the area under precision by recall, as a sum over the distinct probabilities; NaN where nothing is true.

    Pairs of equal probability enter together. The precision of a step counts for the recall that it adds (Davis &
    Goadrich 2006: no interpolation between steps).
    """
    if not truth.any():
        return math.nan
    order = np.argsort(-p, kind="stable")
    last = np.flatnonzero(np.append(np.diff(p[order]) != 0, True))
    hits = np.cumsum(truth[order])[last]
    gained = np.diff(hits, prepend=0) / truth.sum()
    return float((hits / (last + 1) * gained).sum())


def against_pi(p: FloatArray, pi: FloatArray) -> dict[str, float]:
    """Return Σ |p − π|, root mean square and mean of p − π."""
    error = p - pi
    return {
        "pi_error": float(np.abs(error).sum()),
        "pi_rmse": float(np.sqrt((error**2).mean())),
        "pi_bias": float(error.mean()),
    }


def against_truth(p: FloatArray, truth: Bools, n: int) -> dict[str, float]:
    """Return log-loss, Brier score, area under precision–recall, and the expected number of edges."""
    return {
        "log_loss": log_loss(p, truth, n),
        "brier": brier(p, truth),
        "average_precision": average_precision(p, truth),
        "edges": float(p.sum()),
    }


def doubt(p: FloatArray, n: int) -> dict[str, float]:
    """Return Σ p (1 − p), of n replicates without bias (0: as it is), and how many pairs have p between 0.1 and 0.9."""
    spread = float((p * (1 - p)).sum()) * (n / (n - 1) if n > 1 else 1.0)
    return {"doubt": spread, "unsettled": float(((p > 0.1) & (p < 0.9)).sum())}


def floor(pi: FloatArray, n_fresh: int, n: int) -> float:
    """Return Σ |p − π| of a method that knew π exactly: the noise of n replicates and of the fresh tables alone."""
    variance = pi * (1 - pi) * (1 / n_fresh + 1 / n)
    return float(math.sqrt(2 / math.pi) * np.sqrt(variance).sum())


def reliability(p: FloatArray, pi: FloatArray, truth: Bools) -> npt.NDArray[np.float64]:
    """Count pairs by tenth of p: how many, sum of p, sum of π, how many true; shape (BINS, 4)."""
    inside = np.minimum((p * BINS + 1e-9).astype(int), BINS - 1)
    columns = (np.ones_like(p), p, pi, truth.astype(np.float64))
    return np.stack([np.bincount(inside, weights=column, minlength=BINS) for column in columns], axis=1)
