"""Standard errors by resampling: the jackknife's small spread and its inflation, beside the bootstrap and the truth.

Two replicates of the delete-1 jackknife differ in one row, two bootstrap samples in most of theirs: replicates of the
jackknife are too much alike for their spread to say how a statistic varies from sample to sample. Multiplied by N - 1,
or for d rows by (N - d) / d, their variance does (Efron & Tibshirani 1993, Sec. 11.2 and 11.7; Shao & Wu 1989; Steck &
Jaakkola 2003, Sec. 5), if d is large enough for the statistic: one row is enough for a smooth one, not for one that
jumps, such as a number of edges.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bnengine._core.random_generators import Seed, generator_of
from bnengine.bootstrap.resamplers import Bootstrap, DeleteD, Jackknife, Resampler, replicate_generators
from bnengine.data.dataset import Dataset
from bnengine.networks.network import BayesianNetwork

if TYPE_CHECKING:
    import pandas as pd

Vector = npt.NDArray[np.float64]
FRESH, BOOTSTRAP, DELETE_1, DELETE_D = "fresh samples", "bootstrap", "jackknife, delete 1", "jackknife, delete d"


def inflation(n_rows: int, d: int = 1) -> float:
    """What the variance of delete-d replicates of N rows is multiplied by: (N - d) / d.

    Examples
    --------
    >>> inflation(300), inflation(300, 30)
    (299.0, 9.0)
    """
    if not 1 <= d < n_rows:
        raise ValueError(f"d must be from 1 to one less than the number of rows, {n_rows}; got {d}")
    return (n_rows - d) / d


def jackknife_error(
    values: npt.ArrayLike, n_rows: int, d: int = 1, multiplicities: npt.ArrayLike | None = None
) -> float:
    """The jackknife's standard error of a statistic from its values on the replicates, in the statistic's unit.

    The root of ``(N - d) / d`` times the mean squared deviation of the values.

    Parameters
    ----------
    values : array of float, shape (R,)
        The statistic without each row, or without d rows drawn at random.
    n_rows : int
        N, rows of the data.
    d : int
        Rows left out.
    multiplicities : array of int, shape (R,), optional
        For how many equal replicates each value stands.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([1.0, 2.0, 4.0, 7.0])
    >>> without_each = (x.sum() - x) / 3
    >>> bool(np.isclose(jackknife_error(without_each, 4), x.std(ddof=1) / 2))  # the standard error of a mean
    True
    """
    return math.sqrt(inflation(n_rows, d)) * _spread(np.asarray(values, dtype=np.float64), multiplicities)


def _spread(values: Vector, multiplicities: npt.ArrayLike | None = None) -> float:
    """The root of the mean squared deviation."""
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        raise ValueError("values must be a list of finite numbers, one a replicate")
    weights = np.ones(values.size) if multiplicities is None else np.asarray(multiplicities, dtype=np.float64)
    if weights.shape != values.shape or (weights <= 0).any():
        raise ValueError("multiplicities must be positive, one for each value")
    mean = np.average(values, weights=weights)
    return math.sqrt(float(np.average((values - mean) ** 2, weights=weights)))


@dataclass(frozen=True, eq=False)
class ResamplingErrors:
    """A statistic of one sample of a network, of its resamples, and of other samples of the network.

    Attributes
    ----------
    value : float
        Of the sample.
    n_rows, d : int
        Rows of the sample, and those that the delete-d jackknife leaves out.
    values : mapping from str to ndarray, read-only
        By method: ``"fresh samples"``, ``"bootstrap"``, ``"jackknife, delete 1"`` and ``"jackknife, delete d"``.
    multiplicities : ndarray of int
        For how many rows each replicate of the delete-1 jackknife stands.
    status : str
        ``"converged"``, or ``"stopped"`` before all replicates were done.
    """

    value: float
    n_rows: int
    d: int
    values: Mapping[str, Vector] = field(repr=False)
    multiplicities: npt.NDArray[np.int64] = field(repr=False)
    status: str

    def __post_init__(self) -> None:
        for array in (*self.values.values(), self.multiplicities):
            array.setflags(write=False)

    def table(self) -> pd.DataFrame:
        """One line a method: replicates, mean, sd of the replicates, inflation, standard_error = sd √inflation."""
        import pandas as pd

        lines = []
        for method, values in self.values.items():
            weights = self.multiplicities if method == DELETE_1 else np.ones(values.size)
            factor = {DELETE_1: inflation(self.n_rows), DELETE_D: inflation(self.n_rows, self.d)}.get(method, 1.0)
            mean, sd = float(np.average(values, weights=weights)), _spread(values, weights)
            lines.append((method, values.size, mean, sd, factor, sd * math.sqrt(factor)))
        return pd.DataFrame(lines, columns=["method", "replicates", "mean", "sd", "inflation", "standard_error"])


def resampling_errors(
    truth: BayesianNetwork,
    n_rows: int,
    statistic: Callable[[Dataset], float],
    n: int = 200,
    d: int | None = None,
    rng: Seed = 0,
    progress: Callable[[int, int], bool | None] | None = None,
) -> ResamplingErrors:
    """How much a statistic varies over fresh samples of a network, and what resampling one sample says about it.

    Parameters
    ----------
    truth : BayesianNetwork
    n_rows : int
        Rows of each sample; at least 2.
    statistic : callable
        From a Dataset to a number; such as ``lambda data: len(bn.learn(data).edges)``.
    n : int
        Fresh samples, bootstrap samples, and replicates of the delete-d jackknife; at least 2. The delete-1 jackknife
        takes one for each distinct row.
    d : int, optional
        Rows that the delete-d jackknife leaves out; None takes a tenth of them.
    rng : int, Generator or None
    progress : callable, optional
        Called with (replicates done, replicates); False stops, and what is done is returned.

    Examples
    --------
    >>> import bnengine as bn
    >>> entropy = lambda data: bn.teaching.plugin_entropy(np.bincount(data.codes[:, 0]))
    >>> table = bn.teaching.resampling_errors(bn.load_network("survey"), 200, entropy).table().set_index("method")
    >>> bool(table["sd"]["jackknife, delete 1"] < table["sd"]["bootstrap"] / 10)
    True
    """
    if n < 2:
        raise ValueError(f"n must be 2 or more replicates; got {n}")
    sample_rng, fresh_rng, *resample_rngs = generator_of(rng).spawn(5)
    data = truth.sample(n_rows, sample_rng)
    delete_d = DeleteD(d, n)
    resamplers: dict[str, Resampler] = {BOOTSTRAP: Bootstrap(n), DELETE_1: Jackknife(), DELETE_D: delete_d}
    for resampler in resamplers.values():
        resampler.check(data)
    generators = {FRESH: fresh_rng.spawn(n)}
    for (method, resampler), resample_rng in zip(resamplers.items(), resample_rngs, strict=True):
        generators[method] = replicate_generators(resample_rng, resampler.n_replicates(data))

    def drawn(method: str, number: int) -> tuple[Dataset, int]:
        generator = generators[method][number]
        if method == FRESH:
            return truth.sample(n_rows, generator), 1
        replicate = resamplers[method].replicate(data, number, generator)
        rows = np.repeat(data.distinct_codes.T, replicate.weights, axis=0)
        return Dataset(data.names, data.states, rows), replicate.multiplicity

    # in turns, so that a run that is stopped has replicates of every method
    plan = sorted((number, method) for method, one_each in generators.items() for number in range(len(one_each)))
    seen: dict[str, list[float]] = {method: [] for method in generators}
    multiplicities: list[int] = []
    status = "converged"
    for done, (number, method) in enumerate(plan, start=1):
        replicate, times = drawn(method, number)
        seen[method].append(float(statistic(replicate)))
        if method == DELETE_1:
            multiplicities.append(times)
        if progress is not None and progress(done, len(plan)) is False and number >= 1 and done < len(plan):
            status = "stopped"
            break
    return ResamplingErrors(
        float(statistic(data)),
        n_rows,
        delete_d.rows_left_out(data),
        {method: np.array(values) for method, values in seen.items()},
        np.array(multiplicities, dtype=np.int64),
        status,
    )
