"""Fit of bootstrap probabilities at several scales, and the three probabilities that are read from it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc, log_ndtr, ndtr, ndtri, xlogy

from bnengine._core.arrays import BoolArray, FloatArray

#: Scales with a probability other than 0 and 1 that a fit needs.
FEWEST_SCALES = 4
_ROUNDS = 50
_LARGEST = 8.0  # of |z| while iterating: beyond any share of a million replicates, and the information is not yet 0
_ROUNDING = 1e-10


class MultiscaleFit(NamedTuple):
    """Fits of E edges; NaN for an edge with fewer than four unsaturated scales."""

    distance: FloatArray  # (E,) v, the signed distance from the region's boundary, in standard errors
    curvature: FloatArray  # (E,) c, of the boundary
    errors: FloatArray  # (E, 3) standard errors of v + c, v and v - c
    deviance: FloatArray  # (E,) chi-square with S - 2 degrees of freedom, about, if the model holds
    goodness: FloatArray  # (E,) its p-value

    @property
    def fitted(self) -> BoolArray:
        """Which edges have a fit, shape (E,)."""
        return np.isfinite(self.distance)

    @property
    def probabilities(self) -> FloatArray:
        """Naive, corrected once and approximately unbiased: Φ(-(v + c)), Φ(-v), Φ(-(v - c)); shape (E, 3)."""
        probabilities: FloatArray = ndtr(-self._arguments)
        return probabilities

    @property
    def probability_errors(self) -> FloatArray:
        """Standard errors of the probabilities, by the delta method; shape (E, 3)."""
        errors: FloatArray = np.exp(-0.5 * self._arguments**2) / np.sqrt(2 * np.pi) * self.errors
        return errors

    @property
    def _arguments(self) -> FloatArray:
        arguments: FloatArray = self.distance[:, None] + self.curvature[:, None] * np.array([1.0, 0.0, -1.0])
        return arguments


def fit_multiscale(scales: FloatArray, hits: FloatArray, replicates: FloatArray) -> MultiscaleFit:
    """Fit z_r = v √r + c / √r to bootstrap probabilities Φ(-z_r) at scales r, by maximum likelihood.

    The model of Shimodaira (2002, "An approximately unbiased test of phylogenetic tree selection", Systematic Biology
    51): the data are normal with unit variance about a mean, and an edge is found where they lie in a region with a
    smooth boundary. A resample of r N rows varies with variance 1 / r about the data, which lie outside the region at
    distance v where the boundary has curvature c. Hits are binomial, so this is probit regression on √r and 1 / √r;
    saturated scales count as they are.

    Parameters
    ----------
    scales : ndarray, shape (S,)
        r, rows of a resample over rows of the data.
    hits : ndarray, shape (S, E)
        Number of replicates with the edge.
    replicates : ndarray, shape (S,)

    Examples
    --------
    >>> r = np.array([0.5, 0.75, 1.0, 1.25, 1.5])
    >>> hits = 1000 * ndtr(-(1.0 * np.sqrt(r) + 0.3 / np.sqrt(r)))[:, None]  # v = 1, c = 0.3
    >>> fit = fit_multiscale(r, hits, np.full(5, 1000.0))
    >>> fit.probabilities.round(3).tolist()
    [[0.097, 0.159, 0.242]]
    """
    scales, hits, replicates = (np.asarray(given, dtype=np.float64) for given in (scales, hits, replicates))
    times = replicates[:, None]
    unsaturated = ((hits > 0) & (hits < times)).sum(axis=0) >= FEWEST_SCALES
    terms = np.column_stack([np.sqrt(scales), 1 / np.sqrt(scales)])
    n_edges = hits.shape[1]
    coefficients, covariance = np.full((n_edges, 2), np.nan), np.full((n_edges, 2, 2), np.nan)
    coefficients[unsaturated], covariance[unsaturated] = _probit(terms, hits[:, unsaturated], times)
    v, c = coefficients.T
    read_at = np.array([[1.0, 1.0], [1.0, 0.0], [1.0, -1.0]])
    errors = np.sqrt(np.einsum("ki,eij,kj->ek", read_at, covariance, read_at))
    deviance = np.full(n_edges, np.nan)
    deviance[unsaturated] = _deviance(terms @ coefficients[unsaturated].T, hits[:, unsaturated], times)
    goodness = chdtrc(max(len(scales) - 2, 1), np.maximum(deviance, 0.0))  # NaN stays NaN
    return MultiscaleFit(v, c, errors, deviance, np.asarray(goodness))


def _probit(terms: FloatArray, hits: FloatArray, times: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Coefficients (E, 2) and their covariance (E, 2, 2) by Fisher scoring from the least-squares start."""
    shares = (hits + 0.5) / (times + 1)
    z = -ndtri(shares)
    solved, covariance = _weighted(terms, z, _weights(z, times))
    for _ in range(_ROUNDS):
        z = np.clip(terms @ solved.T, -_LARGEST, _LARGEST)
        density = np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
        with np.errstate(divide="ignore", invalid="ignore"):
            working = np.where(density > 0, z - (hits / times - ndtr(-z)) / density, z)
        before = solved
        solved, covariance = _weighted(terms, working, _weights(z, times))
        if np.abs(solved - before).max(initial=0.0) < _ROUNDING:
            break
    return solved, covariance


def _weights(z: FloatArray, times: FloatArray) -> FloatArray:
    """Fisher information of z in each cell: n φ(z)² / (Φ(z) Φ(-z)), shape (S, E)."""
    logs = -(z**2) - np.log(2 * np.pi) - log_ndtr(z) - log_ndtr(-z)
    return times * np.exp(logs)  # type: ignore[no-any-return]


def _weighted(terms: FloatArray, z: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Weighted least squares of each column of z on the two terms."""
    information = np.einsum("si,se,sj->eij", terms, weights, terms)
    covariance = np.linalg.inv(information)
    return np.einsum("eij,sj,se,se->ei", covariance, terms, weights, z), covariance


def _deviance(z: FloatArray, hits: FloatArray, times: FloatArray) -> FloatArray:
    """Twice the log-likelihood that the observed shares have over the fitted ones, shape (E,)."""
    shares = hits / times
    observed = xlogy(hits, shares) + xlogy(times - hits, 1 - shares)
    model = hits * log_ndtr(-z) + (times - hits) * log_ndtr(z)
    deviance: FloatArray = 2 * (observed - model).sum(axis=0)
    return deviance
