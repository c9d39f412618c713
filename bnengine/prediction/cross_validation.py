"""Splits into training and test rows, and the comparison of learners by how well they predict the test rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.random_generators import Seed, generator_of, random_parts
from bnengine._core.validation import Ess, RowCount, Share, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge
from bnengine.networks.network import check_ess, fit
from bnengine.prediction.predict import Predictions, predict

if TYPE_CHECKING:
    import pandas as pd

#: Numbers of the training rows and of the test rows.
Split = tuple[IntArray, IntArray]
#: Returns the edges of a graph learned from training rows.
Learner = Callable[[Dataset], Iterable[Edge]]
#: Called with (splits done, total); returning False stops the run, which keeps the splits done.
SplitProgress = Callable[[int, int], bool | None]
#: Equivalent sample size of fitted tables: without a prior, a state unseen in training makes the log loss infinite.
DEFAULT_ESS = 1.0


@validated
def holdout(n_rows: RowCount, test_share: Share = 0.3, rng: Seed = 0) -> list[Split]:
    """Return one random split into training and test rows; both get at least one row."""
    test, training = random_parts(n_rows, test_share, rng)
    return [(np.sort(training), np.sort(test))]


@validated
def k_folds(n_rows: RowCount, k: int = 10, rng: Seed = 0) -> list[Split]:
    """Return ``k`` random splits in which each row is a test row once."""
    if not 2 <= k <= n_rows:
        raise ValueError(f"k must be from 2 to the number of rows, {n_rows}; got {k}")
    folds = np.array_split(generator_of(rng).permutation(n_rows), k)
    return [(np.sort(np.concatenate([*folds[:i], *folds[i + 1 :]])), np.sort(folds[i])) for i in range(k)]


@validated
def base_rate(data: Dataset) -> list[Edge]:
    """Return no edges: the target is predicted by the frequencies of its states."""
    return []


@validated
def naive_bayes(target: str) -> Learner:
    """Return the learner of naive Bayes: an edge from the target to every other variable."""
    return lambda data: [(target, name) for name in data.names if name != target]


@validated
def predictive_accuracy(
    data: Dataset, target: str, learner: Learner, splits: Sequence[Split], ess: Ess = DEFAULT_ESS
) -> Predictions:
    """Learn from each split's training rows and predict the target in its test rows from all other variables.

    Parameters
    ----------
    data : Dataset
    target : str
    learner : callable
        Takes the training rows, a Dataset, and returns edges; such as ``lambda rows: bn.learn(rows).edges``,
        ``base_rate`` or ``naive_bayes(target)``.
    splits : sequence of (training rows, test rows)
        Such as ``holdout(data.n_rows)`` or ``k_folds(data.n_rows, 10)``.
    ess : float
        Equivalent sample size of the tables' Dirichlet prior; see ``fit``.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(500, rng=1)
    >>> splits = bn.prediction.k_folds(data.n_rows, 5)
    >>> learned = bn.prediction.predictive_accuracy(data, "either", lambda rows: bn.learn(rows).edges, splits)
    >>> none = bn.prediction.predictive_accuracy(data, "either", bn.prediction.base_rate, splits)
    >>> bool(learned.summary()["mean"]["absolute_error"] < none.summary()["mean"]["absolute_error"])
    True
    """
    return compare_predictions(data, target, {"": learner}, splits, ess).predictions[""]


@dataclass(frozen=True, eq=False)
class PredictionComparison:
    """Predictions of the same rows by several learners.

    Attributes
    ----------
    predictions : dict from str to Predictions
        By the learner's name.
    n_splits : int
        Number of splits done.
    status : str
        ``"converged"``, or ``"stopped"`` before all splits were done.
    """

    predictions: Mapping[str, Predictions] = field(repr=False)
    n_splits: int
    status: str

    def table(self) -> pd.DataFrame:
        """One row per learner and measure: mean, standard_error, lowest_fold, highest_fold."""
        import pandas as pd

        frames = [made.summary().reset_index().assign(learner=name) for name, made in self.predictions.items()]
        frame = pd.concat(frames, ignore_index=True)
        return frame[["learner", *[column for column in frame if column != "learner"]]]


@validated
def compare_predictions(
    data: Dataset,
    target: str,
    learners: Mapping[str, Learner],
    splits: Sequence[Split],
    ess: Ess = DEFAULT_ESS,
    progress: SplitProgress | None = None,
) -> PredictionComparison:
    """Apply ``predictive_accuracy`` to several learners on the same splits.

    Parameters
    ----------
    data, target, splits, ess
        See ``predictive_accuracy``.
    learners : mapping from name to learner
    progress : callable, optional
        See ``SplitProgress``; all learners keep the same splits.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(300, rng=1)
    >>> learners = {"base rate": bn.prediction.base_rate, "naive Bayes": bn.prediction.naive_bayes("lung")}
    >>> bn.prediction.compare_predictions(data, "lung", learners, bn.prediction.holdout(data.n_rows)).table().shape
    (8, 6)
    """
    check_ess(ess)
    if not learners or not splits:
        raise ValueError("learners and splits must have at least one entry each")
    place = data.index(target)
    probabilities: dict[str, list[FloatArray]] = {name: [] for name in learners}
    done, stopped = 0, False
    for training_rows, test_rows in splits:
        training, test = data.take(training_rows), data.take(test_rows)
        for name, learner in learners.items():
            probabilities[name].append(predict(fit(training, learner(training), ess), test, target))
        done += 1
        if progress is not None and progress(done, len(splits)) is False and done < len(splits):
            stopped = True
            break
    rows = np.concatenate([test_rows for _, test_rows in splits[:done]])
    folds = np.repeat(np.arange(done), [len(test_rows) for _, test_rows in splits[:done]])
    observed = data.codes[rows, place].astype(np.int64)
    return PredictionComparison(
        {
            name: Predictions(target, data.states[place], rows, folds, observed, np.concatenate(parts))
            for name, parts in probabilities.items()
        },
        done,
        "stopped" if stopped else "converged",
    )
