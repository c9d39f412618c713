"""Prediction of one variable from all others, and measures of its accuracy on test rows.

Given all other variables a target depends only on its Markov blanket: P(target | rest) is proportional to the product
of the target's own table and the tables of its children, at the row's states (Pearl 1988, Sec. 3.3).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt16Array
from bnengine._core.number_text import counted
from bnengine._core.read_only import ReadOnlyArrays
from bnengine._core.standard_errors import standard_error
from bnengine._core.validation import validated
from bnengine.data.dataset import Dataset
from bnengine.networks.network import BayesianNetwork, configuration_numbers

if TYPE_CHECKING:
    import pandas as pd

#: Name and meaning of each measure; all but accuracy are better when lower.
MEASURES = {
    "absolute_error": "mean |P′ − D|: one minus the probability of the observed state",
    "accuracy": "share of rows in which the most probable state is the observed one",
    "brier": "mean squared distance between the probabilities and the observed state",
    "log_loss": "mean −ln P′ of the observed state, nats",
}


@validated
def predict(network: BayesianNetwork, data: Dataset, target: str) -> FloatArray:
    """Return P(target | all other variables) for every row.

    Parameters
    ----------
    network : BayesianNetwork
        Over the data's variables and states.
    data : Dataset
        The target's column is ignored.
    target : str

    Returns
    -------
    ndarray, shape (N, r)
        Rows sum to 1.

    Raises
    ------
    ValueError
        If the data's variables or states differ from the network's, or the other variables of a row rule out every
        state of the target.

    Examples
    --------
    >>> import bnengine as bn
    >>> asia = bn.load_network("asia")
    >>> bn.predict(asia, asia.sample(3, rng=1), "smoke").shape
    (3, 2)
    """
    if (data.names, data.states) != (network.names, network.states):
        raise ValueError("data must have the network's variables and states, in its order")
    logs = blanket_log_weights(network, data.codes, data.index(target))
    highest = logs.max(axis=1, keepdims=True)
    impossible = int((highest == -np.inf).sum())
    if impossible:
        raise ValueError(
            f"in this network the other variables leave '{target}' no possible state in "
            f"{counted(impossible, 'row')}; fit the network with ess=1, which gives every state some probability"
        )
    weights: FloatArray = np.exp(logs - highest)
    weights /= weights.sum(axis=1, keepdims=True)
    return weights


def blanket_log_weights(network: BayesianNetwork, codes: UInt16Array, target: int) -> FloatArray:
    """Return the log of the product of the tables that contain the target, for each of its states; shape (N, r)."""
    children = [v for v, parents in enumerate(network.parents) if target in parents]
    total = np.zeros((len(codes), len(network.states[target])))
    for v in (target, *children):
        total += family_log_weights(network.tables[v], network.parents[v], v, network.states, codes, target)
    return total


def family_log_weights(
    table: FloatArray,
    parents: Sequence[int],
    child: int,
    states: Sequence[Sequence[str]],
    codes: UInt16Array,
    target: int,
) -> FloatArray:
    """Return the log of a family's table at each row, for each state of the target, a member of it; shape (N, r)."""
    with np.errstate(divide="ignore"):
        logs = np.log(table.ravel())
    members, arities = [*parents, child], [len(own) for own in states]
    step = math.prod(arities[v] for v in members[members.index(target) + 1 :])  # to the target's next state
    cells = configuration_numbers(codes, members, arities)
    elsewhere = np.arange(arities[target]) - codes[:, target, None].astype(np.int64)
    return np.asarray(logs[cells[:, None] + step * elsewhere])


@dataclass(frozen=True, eq=False)
class Predictions(ReadOnlyArrays):
    """Predicted probabilities of the test rows.

    Attributes
    ----------
    target : str
    states : tuple of str
    rows : ndarray of int, shape (n,)
        Row numbers in the data.
    splits : ndarray of int, shape (n,)
        The fold in which each row was tested.
    observed : ndarray of int, shape (n,)
        The observed state.
    probabilities : ndarray, shape (n, r)
    """

    target: str
    states: tuple[str, ...]
    rows: IntArray = field(repr=False)
    splits: IntArray = field(repr=False)
    observed: IntArray = field(repr=False)
    probabilities: FloatArray = field(repr=False)

    def by_row(self) -> dict[str, FloatArray]:
        """Return each measure by row; see ``MEASURES``."""
        return errors_of(self.probabilities, self.observed)

    def summary(self) -> pd.DataFrame:
        """One row per measure: mean, standard_error, and the lowest and highest fold (see ``summarized``)."""
        return summarized(self.by_row(), self.splits)

    def table(self) -> pd.DataFrame:
        """One row per test row: its number, fold, observed state, and the probability of each state."""
        import pandas as pd

        named = {
            "row": self.rows,
            "fold": self.splits,
            "observed": np.array(self.states, dtype=object)[self.observed],
        }
        return pd.DataFrame(named | {f"P({s})": self.probabilities[:, k] for k, s in enumerate(self.states)})


def errors_of(probabilities: FloatArray, observed: IntArray) -> dict[str, FloatArray]:
    """Return each measure of predicted probabilities by row.

    The lecture's |P' - D| compares the probability of the observed state with D = 1. (For two states this equals the
    mean over the states; for r states that mean is 2/r of it.) The Brier score sums over all states, from 0 to 2
    (Brier 1950). Ties for the most probable state go to the first.
    """
    of_observed = probabilities[np.arange(len(observed)), observed]
    with np.errstate(divide="ignore"):
        log_loss = -np.log(of_observed)
    return {
        "absolute_error": 1 - of_observed,
        "accuracy": (probabilities.argmax(axis=1) == observed).astype(np.float64),
        "brier": (probabilities**2).sum(axis=1) - 2 * of_observed + 1,
        "log_loss": log_loss,
    }


def summarized(by_row: dict[str, FloatArray], splits: IntArray) -> pd.DataFrame:
    """Return the mean of each measure and its spread.

    With one split the standard error is that of a mean of independent rows; with k folds it is the sd of the folds'
    means over the square root of k, which treats folds as independent although they share training rows.
    """
    import pandas as pd

    lines = []
    folds = np.unique(splits)
    for measure, values in by_row.items():
        means = np.array([values[splits == fold].mean() for fold in folds])
        error = float(standard_error(means if len(folds) > 1 else values))
        lines.append((measure, float(values.mean()), error, float(means.min()), float(means.max())))
    frame = pd.DataFrame(lines, columns=["measure", "mean", "standard_error", "lowest_fold", "highest_fold"])
    return frame.set_index("measure")
