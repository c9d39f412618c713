"""Probabilities of rows under a network, and predictive probabilities of new rows given others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray
from bnengine._core.validation import validated
from bnengine.data.dataset import DataError, Dataset
from bnengine.networks.network import BayesianNetwork, configuration_numbers

if TYPE_CHECKING:
    import pandas as pd


@validated
def log_probabilities(network: BayesianNetwork, data: Dataset) -> FloatArray:
    """Return the natural logarithm of each row's joint probability under the network, shape (N,).

    The sum over variables of ln P(state | states of the parents); minus infinity for a row of probability 0.

    Raises
    ------
    DataError
        If the rows are not over the network's variables and states.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.Dataset.from_frame(bn.load_sample("lecture_4"))
    >>> round(float(bn.prediction.log_probabilities(bn.fit(data, [("X", "Y")]), data).sum() / np.log(2)), 9)
    -6.0
    """
    if (network.names, network.states) != (data.names, data.states):
        raise DataError(
            "the rows must have the network's variables and states, in its order: "
            f"the network has {', '.join(network.names)}, the data have {', '.join(data.names)}"
        )
    total, arities = np.zeros(data.n_rows), data.arities.tolist()
    for v, (parents, table) in enumerate(zip(network.parents, network.tables, strict=True)):
        numbers = configuration_numbers(data.codes, parents, arities)
        with np.errstate(divide="ignore"):
            total += np.log(table[numbers, data.codes[:, v]])
    return total


@validated
def row_probabilities(data: Dataset, networks: dict[str, BayesianNetwork]) -> pd.DataFrame:
    """Return the rows of the data with their joint probability under each network, one column per network."""
    frame = data.to_frame().astype(str)
    for name, network in networks.items():
        frame[name] = np.exp(log_probabilities(network, data))
    return frame


def family_predictions(
    train: Dataset, test: Dataset, child: int, parents: Sequence[int], ess: float
) -> tuple[FloatArray, BoolArray]:
    """Return ln P(child | parents) of each test row by the Dirichlet mean, and where maximum likelihood gives 0.

    Only observed parent configurations are counted, so that large tables need not be built. A configuration without
    training rows gets the uniform distribution from either estimate.

    Parameters
    ----------
    train, test : Dataset
        Over the same variables and states.
    child : int
    parents : sequence of int
        Column numbers.
    ess : float
        Equivalent sample size of BDeu's prior.

    Returns
    -------
    ndarray of float, ndarray of bool
        Shape (rows of test,) each.
    """
    arities = train.arities.tolist()
    r, q = arities[child], math.prod(arities[parent] for parent in parents)
    family = [*parents, child]
    codes = np.concatenate([train.codes[:, family], test.codes[:, family]])
    numbers = configuration_numbers(codes, range(len(parents)), [arities[parent] for parent in parents])
    observed, ranks = np.unique(numbers, return_inverse=True)
    cells = ranks * r + codes[:, -1]
    n_jk = np.bincount(cells[: train.n_rows], minlength=observed.size * r)
    n_j = n_jk.reshape(-1, r).sum(axis=1)
    here, total = n_jk[cells[train.n_rows :]], n_j[ranks[train.n_rows :]]
    return np.log((here + ess / (q * r)) / (total + ess / q)), (here == 0) & (total > 0)
