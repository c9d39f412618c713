"""Prediction of one variable from the others: training and test rows, measures of accuracy, comparison of learners."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays, UInt16Array
from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of, random_parts, standard_error
from bnengine._core.validation import Ess, RowCount, Share, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge
from bnengine.networks.mixture import NetworkMixture
from bnengine.networks.network import BayesianNetwork, configuration_numbers, fit, log_probabilities

# Prediction of one variable from all others, and measures of its accuracy on test rows.
#
# Given all other variables a target depends only on its Markov blanket: P(target | rest) is proportional to the
# product of the target's own table and the tables of its children, at the row's states (Pearl 1988, Sec. 3.3).

#: Name and meaning of each measure; all but accuracy are better when lower.
MEASURES = {
    "absolute_error": "mean |P′ − D|: one minus the probability of the observed state",
    "accuracy": "share of rows in which the most probable state is the observed one",
    "brier": "mean squared distance between the probabilities and the observed state",
    "log_loss": "mean −ln P′ of the observed state, nats",
}


@validated
def predict(network: BayesianNetwork | NetworkMixture, data: Dataset, target: str) -> FloatArray:
    """Return P(target | all other variables) for every row.

    Parameters
    ----------
    network : BayesianNetwork or NetworkMixture
        Over the data's variables and states. A mixture's networks count by how probable they make the other variables.
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
    >>> bn.prediction.predict(asia, asia.sample(3, rng=1), "smoke").shape
    (3, 2)
    """
    if (data.names, data.states) != (network.names, network.states):
        raise ValueError("data must have the network's variables and states, in its order")
    place = data.index(target)
    if isinstance(network, NetworkMixture):
        logs = network.mean_of_logs(np.array([_joint_logs(one, data, place) for one in network.networks]))
    else:
        logs = blanket_log_weights(network, data.codes, place)
    impossible = int((logs.max(axis=1) == -np.inf).sum())
    if impossible:
        raise ValueError(
            f"in this network the other variables leave '{target}' no possible state in "
            f"{counted(impossible, 'row')}; fit the network with ess=1, which gives every state some probability"
        )
    return normalized(logs)


def normalized(logs: FloatArray) -> FloatArray:
    """Return probabilities, (N, r), from their logs up to a constant in each row."""
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _joint_logs(network: BayesianNetwork, data: Dataset, target: int) -> FloatArray:
    """Return the log-probability of each row with each state of the target in place of its own; shape (N, r)."""
    logs = blanket_log_weights(network, data.codes, target)
    own = np.take_along_axis(logs, data.codes[:, [target]].astype(np.int64), axis=1)
    return np.asarray(logs + (log_probabilities(network, data)[:, None] - own))


def blanket_log_weights(network: BayesianNetwork, codes: UInt16Array, target: int) -> FloatArray:
    """Return the log of the product of the tables that contain the target, for each of its states; shape (N, r)."""
    children = [v for v, parents in enumerate(network.parents) if target in parents]
    total = np.zeros((len(codes), len(network.states[target])))
    for v in (target, *children):
        total += family_log_weights(network, v, codes, target)
    return total


def family_log_weights(network: BayesianNetwork, child: int, codes: UInt16Array, target: int) -> FloatArray:
    """Return the log of a family's table at each row, for each state of the target, a member of it; shape (N, r)."""
    with np.errstate(divide="ignore"):
        logs = np.log(network.tables[child].ravel())
    members, arities = [*network.parents[child], child], [len(own) for own in network.states]
    step = math.prod(arities[v] for v in members[members.index(target) + 1 :])  # to the target's next state
    cells = configuration_numbers(codes, members, arities)
    elsewhere = np.arange(arities[target]) - codes[:, target, None].astype(np.int64)
    return np.asarray(logs[cells[:, None] + step * elsewhere])


@dataclass(frozen=True, eq=False)
class Predictions(ReadOnlyArrays):
    """Predicted probabilities of the test rows.

    Attributes
    ----------
    rows : ndarray of int, shape (n,)
        Row numbers in the data.
    splits : ndarray of int, shape (n,)
        The fold in which each row was tested.
    observed : ndarray of int, shape (n,)
        The observed state.
    probabilities : ndarray, shape (n, r)
    n_networks : int
        Networks whose predictions were averaged, in the fold with most; 1 where there is one network.
    """

    target: str
    states: tuple[str, ...]
    rows: IntArray = field(repr=False)
    splits: IntArray = field(repr=False)
    observed: IntArray = field(repr=False)
    probabilities: FloatArray = field(repr=False)
    n_networks: int = 1

    def confusion(self) -> pd.DataFrame:
        """Count the test rows by observed state, down, and likeliest state, across; their diagonal is right."""
        counts = np.zeros((len(self.states),) * 2, dtype=np.int64)
        np.add.at(counts, (self.observed, self.probabilities.argmax(axis=1)), 1)
        return pd.DataFrame(counts, index=pd.Index(self.states, name="observed"), columns=self.states)

    def by_row(self) -> dict[str, FloatArray]:
        """Return each measure by row; see ``MEASURES``."""
        return errors_of(self.probabilities, self.observed)

    def summary(self) -> pd.DataFrame:
        """Tabulate one row per measure: mean, standard_error, and the lowest and highest fold (see ``summarized``)."""
        return summarized(self.by_row(), self.splits)

    def table(self) -> pd.DataFrame:
        """Tabulate one row per test row: its number, fold, observed state, and the probability of each state."""
        named = {"row": self.rows, "fold": self.splits, "observed": np.array(self.states, dtype=object)[self.observed]}
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
    lines = []
    folds = np.unique(splits)
    for measure, values in by_row.items():
        means = np.array([values[splits == fold].mean() for fold in folds])
        error = float(standard_error(means if len(folds) > 1 else values))
        lines.append((measure, float(values.mean()), error, float(means.min()), float(means.max())))
    frame = pd.DataFrame(lines, columns=["measure", "mean", "standard_error", "lowest_fold", "highest_fold"])
    return frame.set_index("measure")


#: Numbers of the training rows and of the test rows.
Split = tuple[IntArray, IntArray]
#: Returns the edges of a graph learned from training rows, or networks averaged. One with a parameter ``progress`` is
#: asked to end early where it returns False.
Learner = Callable[..., Iterable[Edge] | NetworkMixture]
#: Equivalent sample size of fitted tables: without a prior, a state unseen in training makes the log loss infinite.
DEFAULT_ESS = 1.0


@validated
def holdout(
    n_rows: RowCount, test_share: Share = 0.3, rng: Seed = 0, *, units: Sequence[int] | None = None
) -> list[Split]:
    """Split rows at random into training and test rows; both get at least one.

    Parameters
    ----------
    n_rows : int
        2 or more.
    test_share : float
        Between 0 and 1.
    rng : int, Generator or None, default 0; None draws anew at each call
    units : sequence of int, optional
        The number of the unit of each row, such as ``data.units``; rows of one unit go to the same part.

    Returns
    -------
    list of one pair of ndarray
        The numbers of the training rows and of the test rows, increasing.

    Raises
    ------
    ValueError
        If there are fewer than two rows, or the share is not between 0 and 1.

    Examples
    --------
    >>> ((training, test),) = holdout(10, 0.3)
    >>> len(training), len(test)
    (7, 3)
    """
    test, training = random_parts(_n_split(n_rows, units), test_share, rng)
    return [(_rows_of(training, units), _rows_of(test, units))]


def _n_split(n_rows: int, units: Sequence[int] | None) -> int:
    """Return how many rows or units there are to split."""
    if units is not None and (len(units) != n_rows or min(units) < 0):
        raise ValueError(f"units must be a number of 0 or more for each of the {n_rows:,} rows; got {len(units):,}")
    return n_rows if units is None else max(units) + 1


def _rows_of(part: IntArray, units: Sequence[int] | None) -> IntArray:
    """Return the numbers of the rows of a part, increasing."""
    return np.sort(part) if units is None else np.flatnonzero(np.isin(units, part))


@validated
def k_folds(n_rows: RowCount, k: int = 10, rng: Seed = 0, *, units: Sequence[int] | None = None) -> list[Split]:
    """Split rows at random ``k`` times, so that each is a test row once.

    Parameters
    ----------
    n_rows : int
    k : int
        From 2 to the number of rows, or of units.
    rng : int, Generator or None, default 0; None draws anew at each call
    units : sequence of int, optional
        The number of the unit of each row, such as ``data.units``; rows of one unit go to the same fold.

    Returns
    -------
    list of k pairs of ndarray
        The numbers of the training rows and of the test rows, increasing.

    Raises
    ------
    ValueError
        If ``k`` is below 2 or above the number of rows or units.

    Examples
    --------
    >>> [len(test) for training, test in k_folds(10, 3)]
    [4, 3, 3]
    """
    n = _n_split(n_rows, units)
    if not 2 <= k <= n:
        raise ValueError(f"k must be from 2 to the number of {'rows' if units is None else 'units'}, {n}; got {k}")
    folds = np.array_split(generator_of(rng).permutation(n), k)
    training = [np.concatenate([*folds[:i], *folds[i + 1 :]]) for i in range(k)]
    return [(_rows_of(rest, units), _rows_of(fold, units)) for rest, fold in zip(training, folds, strict=True)]


@validated
def base_rate(data: Dataset) -> list[Edge]:
    """Learn no edges: the target is predicted by the frequencies of its states.

    Parameters
    ----------
    data : Dataset
        The training rows.

    Returns
    -------
    list
        Empty.
    """
    return []


@validated
def naive_bayes(target: str) -> Learner:
    """Return the learner of naive Bayes: an edge from the target to every other variable.

    Parameters
    ----------
    target : str

    Returns
    -------
    callable
        Takes training rows, a Dataset, and returns edges.

    Examples
    --------
    >>> import bnengine as bn
    >>> naive_bayes("Cancer")(bn.load_network("cancer").sample(9))[:2]
    [('Cancer', 'Pollution'), ('Cancer', 'Smoker')]
    """
    return lambda data: [(target, name) for name in data.names if name != target]


@dataclass(frozen=True, eq=False)
class PredictionComparison:
    """Predictions of the same rows by several learners.

    Attributes
    ----------
    predictions : dict from str to Predictions
        By the learner's name.
    status : str
        ``"converged"``, or ``"stopped"`` before all splits were done.
    """

    predictions: Mapping[str, Predictions] = field(repr=False)
    status: str

    def table(self) -> pd.DataFrame:
        """Tabulate one row per learner and measure: mean, standard_error, lowest_fold, highest_fold."""
        frames = [made.summary().reset_index().assign(learner=name) for name, made in self.predictions.items()]
        frame = pd.concat(frames, ignore_index=True)
        return frame[["learner", *[column for column in frame if column != "learner"]]]

    @validated
    def difference(self, one: str, other: str, measure: str = "brier") -> tuple[float, float]:
        """Return how much a measure differs between two learners on the same rows, with its standard error.

        Parameters
        ----------
        one, other : str
            Names of learners.
        measure : str
            One of ``MEASURES``.

        Returns
        -------
        tuple of two floats
            The mean over the rows of the one learner's measure minus the other's, and its standard error.

        Raises
        ------
        ValueError
            If there is no such learner or measure.
        """
        for name, known in ((one, self.predictions), (other, self.predictions), (measure, MEASURES)):
            if name not in known:
                raise ValueError(f"expected one of {', '.join(known)}; got '{name[:60]}'")
        values, others = (self.predictions[name].by_row()[measure] for name in (one, other))
        line = summarized({measure: values - others}, self.predictions[one].splits).loc[measure]
        return float(line["mean"]), float(line["standard_error"])


@validated
def compare_predictions(
    data: Dataset,
    target: str,
    learners: Mapping[str, Learner],
    splits: Sequence[Split],
    ess: Ess = DEFAULT_ESS,
    *,
    progress: Progress | None = None,
) -> PredictionComparison:
    """Learn from each split's training rows and predict the target in its test rows from all other variables.

    Parameters
    ----------
    data : Dataset
    target : str
    learners : mapping from name to learner
        Each takes the training rows, a Dataset, and returns edges, such as ``lambda rows: bn.learn(rows).edges``,
        ``base_rate`` or ``naive_bayes(target)``; or what ``averaged`` returns.
    splits : sequence of (training rows, test rows)
        Such as ``holdout(data.n_rows)`` or ``k_folds(data.n_rows, 10)``; those of all learners.
    ess : float
        Equivalent sample size of the tables' Dirichlet prior; see ``fit``.
    progress : callable, optional
        Called with (splits done, total); returning False stops the run, which keeps the splits done by all learners.

    Returns
    -------
    PredictionComparison

    Raises
    ------
    ValueError
        If no variable is the target, there is no learner or split, or a split names rows that are not there.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(300, rng=1)
    >>> learners = {"base rate": bn.prediction.base_rate, "naive Bayes": bn.prediction.naive_bayes("lung")}
    >>> bn.prediction.compare_predictions(data, "lung", learners, bn.prediction.holdout(data.n_rows)).table().shape
    (8, 6)
    """
    if not learners or not splits:
        raise ValueError("learners and splits must have at least one entry each")
    place = data.index(target)
    probabilities: dict[str, list[FloatArray]] = {name: [] for name in learners}
    n_networks = dict.fromkeys(learners, 1)
    for done, (training_rows, test_rows) in enumerate(splits, start=1):
        training, test = data.take(training_rows), data.take(test_rows)
        for name, learner in learners.items():
            made = _made(learner, training, progress, done - 1, len(splits))
            network = made if isinstance(made, NetworkMixture) else fit(training, made, ess)
            n_networks[name] = max(n_networks[name], len(made.networks) if isinstance(made, NetworkMixture) else 1)
            probabilities[name].append(predict(network, test, target))
        if progress is not None and progress(done, len(splits)) is False:
            break
    rows = np.concatenate([test_rows for _, test_rows in splits[:done]])
    folds = np.repeat(np.arange(done), [len(test_rows) for _, test_rows in splits[:done]])
    observed = data.codes[rows, place].astype(np.int64)
    return PredictionComparison(
        {
            name: Predictions(
                target, data.states[place], rows, folds, observed, np.concatenate(parts), n_networks[name]
            )
            for name, parts in probabilities.items()
        },
        "converged" if done == len(splits) else "stopped",
    )


def _made(
    learner: Learner, training: Dataset, progress: Progress | None, done: int, n: int
) -> Iterable[Edge] | NetworkMixture:
    """Return what a learner makes of training rows; one that takes long is asked meanwhile whether to end early."""
    if progress is None or "progress" not in inspect.signature(learner).parameters:
        return learner(training)
    return learner(training, progress=lambda *_: progress(done, n))


# One state against all others by its predicted probability: precision, recall, and the area under the curve.


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
    >>> learners = {"learned": lambda rows: bn.learn(rows).edges}
    >>> made = bn.prediction.compare_predictions(data, "xray", learners, splits)
    >>> found = detection(made.predictions["learned"])
    >>> found.state, found.base_rate, round(found.auc, 2)
    ('yes', 0.107, 0.82)
    """
    if state is None:  # the rarest that was observed, the first of several
        observed = np.bincount(predictions.observed, minlength=len(predictions.states))
        state = predictions.states[int(np.where(observed > 0, observed, observed.max() + 1).argmin())]
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
    """One state against all others, by its predicted probability.

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


def _wins(likely: FloatArray, has: BoolArray) -> float:
    """Return in how many pairs of a row with and one without the state the first is more likely; ties count half."""
    without = np.sort(likely[~has])
    below, not_above = (np.searchsorted(without, likely[has], side=side) for side in ("left", "right"))
    return float((below + not_above).sum() / 2)
