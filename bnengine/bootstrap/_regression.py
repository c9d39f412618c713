"""Regression of a world's truth, or of its inclusion probabilities, on what bootstraps say of each pair."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bnengine._core.arrays import FloatArray

#: Predicts from features, shape (n, 3), values between 0 and 1, shape (n,).
Prediction = Callable[[FloatArray], FloatArray]

METHODS = ("isotonic", "logistic")


def features(naive: FloatArray, leading: FloatArray, learned: FloatArray, n_replicates: int) -> FloatArray:
    """What the regression knows of each pair, shape (n, 3): logit naive, logit leading, in the learned graph or not.

    Half a replicate is added to either side, so that shares of 0 and 1 have finite logits.
    """
    return np.column_stack([_logit(naive, n_replicates), _logit(leading, n_replicates), learned.ravel()])


def _logit(share: FloatArray, n: int) -> FloatArray:
    shrunk = (share.ravel() * n + 0.5) / (n + 1)
    logit: FloatArray = np.log(shrunk / (1 - shrunk))
    return logit


def fitted(known: FloatArray, target: FloatArray, method: str) -> Prediction:
    """Fit a regression of a target between 0 and 1, shape (n,), on features, shape (n, 3).

    ``"logistic"`` is a ridge logistic regression. ``"isotonic"`` is the nondecreasing function of its linear predictor
    that is nearest to the target in least squares (Zadrozny & Elkan 2002).
    Of n pairs none may be true, or all: no prediction is below 1 / (2n + 2) or as near to 1.
    """
    cells, which = np.unique(known, axis=0, return_inverse=True)
    total = np.bincount(which.ravel()).astype(np.float64)
    ones = np.bincount(which.ravel(), weights=target).astype(np.float64)
    least = 0.5 / (total.sum() + 1)
    if not 0 < ones.sum() < total.sum():
        constant = 1 - least if ones.sum() else least
        return lambda asked: np.full(len(asked), constant)
    from scipy.special import expit

    coefficients = _ridge_logistic(cells, ones, total)
    if method == "logistic":
        return lambda asked: expit(_linear(asked, coefficients))
    places, heights = _isotonic(_linear(cells, coefficients), ones, total)
    return lambda asked: np.interp(_linear(asked, coefficients), places, np.clip(heights, least, 1 - least))


def _linear(known: FloatArray, coefficients: FloatArray) -> FloatArray:
    """The linear predictor, without the last digits, so that equal features give equal values."""
    linear: FloatArray = np.round(known @ coefficients[1:] + coefficients[0], 10)
    return linear


def _ridge_logistic(cells: FloatArray, ones: FloatArray, total: FloatArray) -> FloatArray:
    """Intercept and slopes that maximize the likelihood of weighted cells less half the slopes' squares."""
    from scipy.optimize import minimize
    from scipy.special import expit

    design = np.column_stack([np.ones(len(cells)), cells])
    ridge = np.ones(design.shape[1])
    ridge[0] = 0.0

    def loss(b: FloatArray) -> float:
        linear = design @ b
        return float(total @ np.logaddexp(0, linear) - ones @ linear + ridge @ b**2 / 2)

    def slope(b: FloatArray) -> FloatArray:
        gradient: FloatArray = design.T @ (total * expit(design @ b) - ones) + ridge * b
        return gradient

    def curvature(b: FloatArray) -> FloatArray:
        p = expit(design @ b)
        hessian: FloatArray = (design.T * (total * p * (1 - p))) @ design + np.diag(ridge)
        return hessian

    return np.asarray(
        minimize(loss, np.zeros(len(ridge)), jac=slope, hess=curvature, method="trust-exact", options={"gtol": 1e-10}).x
    )


def _isotonic(linear: FloatArray, ones: FloatArray, total: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Places in increasing order and the heights of the nondecreasing function nearest to the shares there."""
    from scipy.optimize import isotonic_regression

    places, which = np.unique(linear, return_inverse=True)
    weights = np.bincount(which, weights=total)
    shares = np.bincount(which, weights=ones) / weights
    return places, isotonic_regression(shares, weights=weights).x
