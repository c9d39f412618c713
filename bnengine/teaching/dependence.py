"""Dependence of two variables in a table of counts, and the most dependent variables of a data set."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import IntArray
from bnengine._core.validation import Ge, StateCount, VariableCount, validated
from bnengine.data.dataset import Dataset
from bnengine.networks.network import configuration_numbers
from bnengine.scores.dependence import g_squared_of_many, mutual_informations


@validated
def contingency_table(data: Dataset, row_variable: str, column_variable: str) -> IntArray:
    """Count the rows of the data with each pair of states.

    Parameters
    ----------
    data : Dataset
    row_variable, column_variable : str

    Returns
    -------
    ndarray of int, shape (r, c)
        A line per state of the first variable, a column per state of the second.

    Raises
    ------
    ValueError
        If a name is unknown.

    Examples
    --------
    >>> import bnengine as bn
    >>> contingency_table(bn.load_network("cancer").sample(100, rng=1), "Smoker", "Cancer").sum()
    np.int64(100)
    """
    i, j = data.index(row_variable), data.index(column_variable)
    shape = int(data.arities[i]), int(data.arities[j])
    numbers = configuration_numbers(data.codes, (i, j), data.arities.tolist())
    return np.bincount(numbers, minlength=shape[0] * shape[1]).reshape(shape)


@validated
def mutual_information(table: npt.ArrayLike) -> float:
    """Return the plug-in mutual information of a table of counts, nats.

    Parameters
    ----------
    table : array of shape (r, c)

    Returns
    -------
    float
        Nats, 0 or more.

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
def leading_information_bias(n_states: StateCount, n_other_states: StateCount, n_rows: Annotated[int, Ge(1)]) -> float:
    """Return the leading-order bias of plug-in mutual information: (r - 1)(c - 1) / (2 N) nats (Miller 1955).

    A bootstrap resample adds the same bias once more. Times N, it is the penalty of one edge under the leading
    correction with the strength ``LEADING_STRENGTH``.

    Parameters
    ----------
    n_states, n_other_states : int
        r and c.
    n_rows : int
        N.

    Returns
    -------
    float
        Nats.

    Examples
    --------
    >>> leading_information_bias(2, 3, 100)
    0.01
    """
    return (n_states - 1) * (n_other_states - 1) / (2 * n_rows)


@validated
def most_dependent(data: Dataset, n_variables: VariableCount) -> list[str]:
    """Select ``n_variables`` dependent variables greedily; the names are in column order.

    The pair with the largest mutual information comes first, then repeatedly the variable with the largest mutual
    information with any variable already selected.

    Parameters
    ----------
    data : Dataset
    n_variables : int
        All if there are no more.

    Returns
    -------
    list of str

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
