"""Regression of a world's truth, or of its inclusion probabilities, on what bootstraps say of each pair."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
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
    from sklearn.isotonic import IsotonicRegression
    from sklearn.linear_model import LogisticRegression

    cells, which = np.unique(known, axis=0, return_inverse=True)
    total = np.bincount(which.ravel()).astype(np.float64)
    ones = np.bincount(which.ravel(), weights=target)
    least = 0.5 / (total.sum() + 1)
    if not 0 < ones.sum() < total.sum():
        constant = 1 - least if ones.sum() else least
        return lambda asked: np.full(len(asked), constant)
    label = np.repeat([1, 0], len(cells))
    logistic = LogisticRegression(C=1.0, solver="newton-cholesky", max_iter=100)
    logistic.fit(np.vstack([cells, cells]), label, sample_weight=np.concatenate([ones, total - ones]))
    if method == "logistic":
        return lambda asked: np.asarray(logistic.predict_proba(asked)[:, 1])
    isotonic = IsotonicRegression(y_min=least, y_max=1 - least, out_of_bounds="clip")
    isotonic.fit(logistic.decision_function(cells), ones / total, sample_weight=total)
    return lambda asked: np.asarray(isotonic.predict(logistic.decision_function(asked)))
