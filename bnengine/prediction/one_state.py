"""One state told from all others by its predicted probability: precision, recall, and the area under the curve."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.validation import validated
from bnengine.prediction.cross_validation import Predictions


@validated
def detection(predictions: Predictions, state: str | None = None) -> Detection:
    """Tell how well the predictions detect a state.

    Parameters
    ----------
    predictions : Predictions
    state : str, optional
        The rarest observed one by default.

    Returns
    -------
    Detection

    Raises
    ------
    ValueError
        If the target has no such state, or no tested row has it.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(1000, rng=1)
    >>> splits = bn.prediction.k_folds(data.n_rows, 5)
    >>> made = bn.prediction.predictive_accuracy(data, "xray", lambda rows: bn.learn(rows).edges, splits)
    >>> found = detection(made)
    >>> found.state, found.base_rate, round(found.auc, 2)
    ('yes', 0.107, 0.82)
    """
    state = rarest_state(predictions) if state is None else state
    if state not in predictions.states:
        raise ValueError(f"state must be one of {', '.join(predictions.states[:8])}; got '{state[:60]}'")
    place = predictions.states.index(state)
    has, likely = predictions.observed == place, predictions.probabilities[:, place]
    if not has.any():
        raise ValueError(f"no tested row has the state '{state}'; choose another one")
    counts, wins, pairs = np.zeros((2, 2), dtype=np.int64), 0.0, 0
    for fold in np.unique(predictions.splits):
        here = predictions.splits == fold
        n, tested = int(has[here].sum()), has[here]
        flagged = likely[here] >= np.sort(likely[here])[::-1][n - 1] if n else np.zeros(len(tested), dtype=bool)
        np.add.at(counts, (tested.astype(np.int64), flagged.astype(np.int64)), 1)
        wins += _wins(likely[here], tested)
        pairs += n * (len(tested) - n)
    return Detection(state, counts, wins / pairs if pairs else np.nan)


@dataclass(frozen=True, eq=False)
class Detection(ReadOnlyArrays):
    """One state told from all others, by its predicted probability.

    Flagged are, in each fold, the rows with the highest probability of the state: as many as have it there, and those
    that tie with the last of them.

    Attributes
    ----------
    counts : ndarray of int, shape (2, 2)
        The confusion matrix, [observed, flagged]: rows without and with the state, not flagged and flagged.
    auc : float
        Probability that a row with the state has a higher probability of it than a row of the same fold without, ties
        counting one half (Hanley & McNeil 1982); NaN where no fold has both.
    """

    state: str
    counts: IntArray = field(repr=False)
    auc: float

    @property
    def base_rate(self) -> float:
        """Share of the tested rows that have the state."""
        return float(self.counts[1].sum() / self.counts.sum())

    @property
    def precision(self) -> float:
        """Share of the flagged rows that have the state."""
        return float(self.counts[1, 1] / self.counts[:, 1].sum())

    @property
    def recall(self) -> float:
        """Share of the rows with the state that are flagged."""
        return float(self.counts[1, 1] / self.counts[1].sum())


def rarest_state(predictions: Predictions) -> str:
    """Return the rarest of the states that were observed; the first of several."""
    counts = np.bincount(predictions.observed, minlength=len(predictions.states))
    return predictions.states[int(np.where(counts > 0, counts, counts.max() + 1).argmin())]


def _wins(likely: FloatArray, has: BoolArray) -> float:
    """Return in how many pairs of a row with and one without the state the first is more likely; ties count half."""
    without = np.sort(likely[~has])
    below, not_above = (np.searchsorted(without, likely[has], side=side) for side in ("left", "right"))
    return float((below + not_above).sum() / 2)
