"""Dependence between variables: mutual information, its bias, G², and the selection of dependent variables."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.validation import Ge, StateCount, VariableCount, validated
from bnengine.data.dataset import Dataset
from bnengine.networks.network import configuration_numbers
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import LogLikelihood


@validated
def contingency_table(data: Dataset, row_variable: str, column_variable: str) -> IntArray:
    """Count the rows of the data with each pair of states; shape (states of the first, states of the second)."""
    i, j = data.index(row_variable), data.index(column_variable)
    shape = int(data.arities[i]), int(data.arities[j])
    numbers = configuration_numbers(data.codes, (i, j), data.arities.tolist())
    return np.bincount(numbers, minlength=shape[0] * shape[1]).reshape(shape)


@validated
def mutual_information(table: npt.ArrayLike) -> float:
    """Plug-in mutual information of a table of counts, nats.

    Parameters
    ----------
    table : array of shape (r, c)

    Raises
    ------
    ValueError
        If the table is not two-dimensional, has a negative or infinite entry, or is all zeros.

    Examples
    --------
    >>> mutual_information([[5, 5], [5, 5]])
    0.0
    >>> import math
    >>> round(mutual_information([[5, 0], [0, 5]]) / math.log(2), 3)
    1.0
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or not np.isfinite(counts).all() or (counts < 0).any() or not counts.sum():
        raise ValueError("table must be a table of counts, none negative and not all 0")
    return float(g_squared_of_many(counts[None])[0] / (2 * counts.sum()))


@validated
def g_squared(table: npt.ArrayLike) -> float:
    """Likelihood-ratio statistic of independence, G² = 2 N I.

    For independent variables it is approximately chi-square with (r - 1)(c - 1) degrees of freedom (Wilks 1938).
    """
    return 2 * float(np.sum(table)) * mutual_information(table)


@validated
def leading_information_bias(n_states: StateCount, n_other_states: StateCount, n_rows: Annotated[int, Ge(1)]) -> float:
    """Leading-order bias of a sample's plug-in mutual information: (r - 1)(c - 1) / (2 N) nats (Miller 1955).

    A bootstrap resample adds the same bias once more. Times N, it is the penalty of one edge under the leading
    correction with the strength ``LEADING_STRENGTH``.
    """
    return (n_states - 1) * (n_other_states - 1) / (2 * n_rows)


def g_squared_of_many(tables: FloatArray) -> FloatArray:
    """G² of each table; ``tables`` has shape (R, r, c), the result shape (R,)."""
    n = tables.sum(axis=(1, 2), keepdims=True)
    expected = tables.sum(axis=1, keepdims=True) * tables.sum(axis=2, keepdims=True) / n
    ratio = tables / np.where(expected > 0, expected, 1.0)
    result: FloatArray = 2 * (tables * np.log(np.where(tables > 0, ratio, 1.0))).sum(axis=(1, 2))
    return np.maximum(result, 0.0)


@validated
def mutual_informations(data: Dataset) -> FloatArray:
    """Mutual information of every pair of variables, nats per row; shape (V, V), symmetric, zero diagonal."""
    scores = LocalScores(data, LogLikelihood())
    alone = [scores(v) for v in range(data.n_variables)]
    information = np.zeros((data.n_variables, data.n_variables))
    for j in range(data.n_variables):
        for i in range(j):
            information[i, j] = information[j, i] = max(scores(j, [i]) - alone[j], 0.0) / data.n_rows
    return information


@validated
def most_dependent(data: Dataset, n_variables: VariableCount) -> list[str]:
    """Select ``n_variables`` dependent variables greedily; the names are in column order.

    The pair with the largest mutual information comes first, then repeatedly the variable with the largest mutual
    information with any variable already selected.

    Raises
    ------
    ValueError
        If ``n_variables`` is smaller than 1.

    Examples
    --------
    >>> import bnengine as bn
    >>> bn.teaching.most_dependent(bn.load_network("asia").sample(2000, rng=1), 3)
    ['smoke', 'bronc', 'dysp']
    """
    information = mutual_informations(data)
    if data.n_variables <= n_variables or n_variables == 1:
        return list(data.names[:n_variables])
    i, j = np.unravel_index(int(np.argmax(information)), information.shape)
    chosen = [int(i), int(j)] if i != j else [0, 1]
    while len(chosen) < n_variables:
        nearest = information[chosen].max(axis=0)
        nearest[chosen] = -1.0
        chosen.append(int(np.argmax(nearest)))
    return [data.names[v] for v in sorted(chosen)]
