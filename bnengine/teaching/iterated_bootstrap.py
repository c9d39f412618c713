"""The iterated bootstrap of any statistic: resamples of resamples, by simulation.

With T_0 = T(D) and T_j the mean of the statistic after j generations of resampling, the estimate corrected k times is
sum over j of (-1)^j C(k + 1, j + 1) T_j: 2 T_0 - T_1 for k = 1, 3 T_0 - 3 T_1 + T_2 for k = 2 (Hall 1992, Sec. 1.4).
Each chain resamples its own last resample, so k generations take k evaluations per chain, and the chains are
independent: the standard error is that of a mean. For the exact values of some statistics see ``iterated_correction``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import FloatArray
from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.read_only import ReadOnlyArrays
from bnengine._core.standard_errors import standard_error
from bnengine._core.validation import Ge, Le, Repeats, validated
from bnengine.data.dataset import Dataset
from bnengine.teaching.checked_input import at_least_one_row, statistic_value
from bnengine.teaching.iterated_correction import times_corrected

if TYPE_CHECKING:
    import pandas as pd

Rows = TypeVar("Rows", npt.NDArray[Any], Dataset)
_MOST_GENERATIONS = 10


@dataclass(frozen=True, eq=False)
class IteratedBootstrap(ReadOnlyArrays):
    """A statistic of the data and of successive generations of resamples, in the statistic's own unit.

    Attributes
    ----------
    value : float
        T(D).
    on_resamples : ndarray, shape (chains, generations), read-only
        The statistic on each chain's first resample, on a resample of that, and so on.
    n_planned : int
        Number of chains asked for; there are fewer if ``status`` is ``"stopped"``.
    status : {"converged", "stopped"}
    seed : int or None
    """

    value: float
    on_resamples: FloatArray = field(repr=False)
    n_planned: int
    status: str
    seed: int | None

    @property
    def means(self) -> FloatArray:
        """T(D) and the mean of each generation, shape (generations + 1,); NaN if no chain is finished."""
        if not len(self.on_resamples):
            return np.array([self.value] + [math.nan] * self.on_resamples.shape[1])
        return np.concatenate([[self.value], self.on_resamples.mean(axis=0)])

    @validated
    def corrected(self, order: Annotated[int, Ge(0)]) -> float:
        """Return the estimate corrected ``order`` times; order 0 is T(D)."""
        return float(self._weights(order) @ self.means)

    @validated
    def standard_error(self, order: Annotated[int, Ge(0)]) -> float:
        """Return the Monte Carlo standard error of ``corrected(order)``; NaN with fewer than two chains."""
        return float(standard_error(self.on_resamples @ self._weights(order)[1:]))

    def table(self) -> pd.DataFrame:
        """Return one line per number of corrections: estimate, value, standard_error."""
        import pandas as pd

        orders = range(self.on_resamples.shape[1] + 1)
        lines = [(times_corrected(k), self.corrected(k), self.standard_error(k)) for k in orders]
        return pd.DataFrame(lines, columns=["estimate", "value", "standard_error"])

    def _weights(self, order: int) -> FloatArray:
        """Return the weight of each generation's mean in the estimate corrected ``order`` times."""
        generations = self.on_resamples.shape[1]
        if not 0 <= order <= generations:
            raise ValueError(f"order must be from 0 to the number of generations, {generations}; got {order}")
        return np.array([(-1.0) ** j * math.comb(order + 1, j + 1) for j in range(generations + 1)])


@validated
def iterated_bootstrap(
    rows: Rows,
    statistic: Callable[[Rows], float],
    generations: Annotated[int, Ge(1), Le(_MOST_GENERATIONS)] = 2,
    n: Repeats = 1000,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> IteratedBootstrap:
    """Evaluate a statistic on ``n`` resamples of the rows, on resamples of those, and so on.

    Parameters
    ----------
    rows : ndarray, shape (N, …), or Dataset
    statistic : callable
        Takes rows of the same type and returns a finite number.
    generations : int
        1 for the bootstrap, 2 for the twice iterated bootstrap, up to 10.
    n : int
        Chains; each has its own random generator and costs ``generations`` evaluations.
    rng : int, Generator or None
    progress : callable, optional
        Called with (chains done, all chains); returning False stops and keeps what is done.

    Examples
    --------
    >>> import numpy as np
    >>> made = iterated_bootstrap(np.array([1.0, 2.0, 3.0, 6.0]), np.var, n=4000, rng=1)
    >>> made.value < made.corrected(1) < made.corrected(2)  # towards the unbiased variance
    True
    """
    given = rows if isinstance(rows, Dataset) else np.asarray(rows)
    if isinstance(given, np.ndarray) and not given.ndim:
        raise ValueError("rows must be a Dataset, or an array with one entry or line per row")
    at_least_one_row(given.n_rows if isinstance(given, Dataset) else len(given))
    value = statistic_value(statistic(given))
    values = np.empty((n, generations))
    done = n
    for chain, generator in enumerate(generator_of(rng).spawn(n)):
        if progress is not None and progress(chain, n) is False:
            done = chain
            break
        drawn = given
        for generation in range(generations):
            drawn = _resample(drawn, generator)
            values[chain, generation] = statistic_value(statistic(drawn))
    return IteratedBootstrap(value, values[:done].copy(), n, "converged" if done == n else "stopped", seed_of(rng))


def _resample(rows: Any, rng: np.random.Generator) -> Any:
    if isinstance(rows, Dataset):
        return rows.take(rng.integers(0, rows.n_rows, rows.n_rows))
    return rows[rng.integers(0, len(rows), len(rows))]
