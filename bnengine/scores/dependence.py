"""Dependence between variables: mutual information, and G² of tables."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import xlogy

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.validation import validated
from bnengine.data.dataset import Dataset
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import LogLikelihood


@validated
def mutual_informations(data: Dataset) -> FloatArray:
    """Return the mutual information of each pair of variables, nats per row.

    Parameters
    ----------
    data : Dataset

    Returns
    -------
    ndarray, shape (V, V)
        Symmetric, with zeros on the diagonal.

    Examples
    --------
    >>> import bnengine as bn
    >>> information = mutual_informations(bn.load_network("cancer").sample(200, rng=1))
    >>> information.shape, bool((information == information.T).all())
    ((5, 5), True)
    """
    scores = LocalScores(data, LogLikelihood())
    alone = [scores(v) for v in range(data.n_variables)]
    information, rows = np.zeros((data.n_variables, data.n_variables)), data.n_rows / data.design_effect
    for j in range(data.n_variables):
        for i in range(j):
            information[i, j] = information[j, i] = max(scores(j, [i]) - alone[j], 0.0) / rows
    return information


def g_squared_of_many(tables: FloatArray) -> FloatArray:
    """Return G² of each table; ``tables`` has shape (R, r, c), the result shape (R,)."""
    n = tables.sum(axis=(1, 2), keepdims=True)
    expected = tables.sum(axis=1, keepdims=True) * tables.sum(axis=2, keepdims=True) / n
    ratio = tables / np.where(expected > 0, expected, 1.0)
    result: FloatArray = 2 * (tables * np.log(np.where(tables > 0, ratio, 1.0))).sum(axis=(1, 2))
    return np.maximum(result, 0.0)


# Conditional independence: G² of two variables in each configuration of others, for sparse tables too.


def conditional_g_squared(data: Dataset, one: str, other: str, given: Sequence[str] = ()) -> tuple[float, int]:
    """Return G² of two variables given others, and its degrees of freedom.

    In each configuration of the others the statistic is the likelihood-ratio G² of the table of the two, and their sum
    is approximately chi-square if the two are independent given the others (Wilks 1938). A configuration's degrees of
    freedom are (a - 1)(b - 1) with a and b the numbers of their states that occur in it, so that states that never
    occur there, whose cells are zero under any hypothesis, are not counted (as Bishop, Fienberg & Holland 1975).

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(5000, rng=1)
    >>> g, freedom = conditional_g_squared(data, "Xray", "Smoker", ["Cancer"])  # independent of all others given that
    >>> g < 15, freedom
    (True, 2)
    """
    x, y = data.distinct_codes[[data.index(one), data.index(other)]].astype(np.int64)
    r, s, weights = int(data.arities[data.index(one)]), int(data.arities[data.index(other)]), data.multiplicities
    z = np.zeros(len(x), dtype=np.int64)
    for column in map(data.index, given):  # renumbered each time, so that no product of arities can overflow
        z = np.unique(z * int(data.arities[column]) + data.distinct_codes[column], return_inverse=True)[1]

    def information(numbers: IntArray) -> float:
        """Return the sum of n ln n over the rows with each number."""
        counts = np.bincount(np.unique(numbers, return_inverse=True)[1], weights)
        return float(xlogy(counts, counts).sum())

    freedom = int(((np.bincount(np.unique(z * r + x) // r) - 1) * (np.bincount(np.unique(z * s + y) // s) - 1)).sum())
    joint = information((z * r + x) * s + y) + information(z)
    g = 2.0 * (joint - information(z * r + x) - information(z * s + y))
    return (max(g * data.worth, 0.0), freedom) if freedom else (0.0, 0)
