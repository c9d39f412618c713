"""Probability of rows under a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bnengine.data import DataError, Dataset
from bnengine.network import BayesianNetwork

if TYPE_CHECKING:
    import pandas as pd


def log_probabilities(network: BayesianNetwork, data: Dataset) -> npt.NDArray[np.float64]:
    """Natural logarithm of each row's joint probability under the network, shape (N,).

    The chain rule of a network: the sum over variables of ln P(state | states of the parents). Minus infinity marks a
    row that the network holds for impossible.

    Raises
    ------
    DataError
        If the rows are not over the network's variables and states.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.Dataset.from_frame(bn.load_sample("lecture_4"))
    >>> round(float(bn.log_probabilities(bn.fit(data, [("X", "Y")]), data).sum() / np.log(2)), 9)
    -6.0
    """
    if (network.names, network.states) != (data.names, data.states):
        raise DataError(
            "the rows must have the network's variables and states, in its order: "
            f"the network has {', '.join(network.names)}, the data have {', '.join(data.names)}"
        )
    total = np.zeros(data.n_rows)
    for v, (parents, table) in enumerate(zip(network.parents, network.tables, strict=True)):
        numbers = np.zeros(data.n_rows, dtype=np.int64)
        for parent in parents:
            numbers = numbers * len(network.states[parent]) + data.codes[:, parent]
        with np.errstate(divide="ignore"):
            total += np.log(table[numbers, data.codes[:, v]])
    return total


def row_probabilities(data: Dataset, networks: dict[str, BayesianNetwork]) -> pd.DataFrame:
    """The rows of the data with their joint probability under each network, one column a network."""
    frame = data.to_frame().astype(str)
    for name, network in networks.items():
        frame[name] = np.exp(log_probabilities(network, data))
    return frame
