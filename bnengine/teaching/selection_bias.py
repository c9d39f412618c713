"""Cut points learned anew in every replicate, and spurious dependence between independent variables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from bnengine._core.arrays import FloatArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.random_generators import Seed, generator_of, standard_error
from bnengine._core.validation import Ge, Le, RowCount, Samples, validated
from bnengine.scores.dependence import g_squared_of_many

# What learning cut points anew in every resample does to confidence (Steck & Jaakkola 2003, footnote 5).

#: The edges of the model that rows of numbers are drawn from, with their coefficients; each noise has variance 1.
MODEL = {("a", "b"): 0.6, ("b", "d"): 0.4, ("c", "d"): 0.4, ("d", "e"): 0.3, ("b", "f"): 0.25}
_NAMES = ("a", "b", "c", "d", "e", "f")


def numbers(n_rows: int, rng: Seed = 0) -> pd.DataFrame:
    """Draw rows of numbers from a linear model with normal noise: six variables, the five edges of ``MODEL``."""
    generator = generator_of(rng)
    columns: dict[str, np.ndarray] = {}
    for name in _NAMES:
        columns[name] = generator.normal(size=n_rows)
        for (parent, child), weight in MODEL.items():
            if child == name:
                columns[name] += weight * columns[parent]
    return pd.DataFrame(columns).round(3)


# Spurious dependence between independent variables, in data and in bootstrap samples.


@dataclass(frozen=True, eq=False)
class SpuriousDependence(ReadOnlyArrays):
    """G² of independent variables in samples of N rows, and in one bootstrap sample of each.

    Attributes
    ----------
    freedom : int
        Degrees of freedom (r - 1)(c - 1).
    in_data, in_resamples : ndarray, shape (S,), read-only
    """

    n_rows: int
    freedom: int
    in_data: FloatArray = field(repr=False)
    in_resamples: FloatArray = field(repr=False)

    @property
    def critical_value(self) -> float:
        """The 95% quantile of the chi-square distribution."""
        from scipy.stats import chi2

        return float(chi2.ppf(0.95, self.freedom))

    def found_dependent(self) -> tuple[float, float]:
        """Return the fraction of data sets and of resamples in which a test at the 5% level finds dependence."""
        return (
            float((self.in_data > self.critical_value).mean()),
            float((self.in_resamples > self.critical_value).mean()),
        )

    @validated
    def densities(self, n_points: Annotated[int, Ge(2), Le(100_000)] = 200) -> pd.DataFrame:
        """Return the large-sample densities on a grid: chi-square for data, twice a chi-square for resamples.

        A resample's deviation from independence is the data's plus an independent one of the same size, so in the
        limit its square has twice the mean.

        Parameters
        ----------
        n_points : int
            At least 2.

        Returns
        -------
        DataFrame
            g_squared, data, resample.
        """
        from scipy.stats import chi2

        top = float(np.quantile(self.in_resamples, 0.995)) or 1.0
        g = np.linspace(0, top, n_points + 1)[1:]
        limits = {"data": chi2.pdf(g, self.freedom), "resample": chi2.pdf(g, self.freedom, scale=2.0)}
        return pd.DataFrame({"g_squared": g, **limits})

    def table(self) -> pd.DataFrame:
        """Return for data and resamples: mean G², its standard error, its limit, and the fraction found dependent."""
        both = (self.in_data, self.in_resamples)
        return pd.DataFrame(
            {
                "rows": ["data", "bootstrap"],
                "mean_g_squared": [float(g.mean()) for g in both],
                "standard_error": [float(standard_error(g)) for g in both],
                "limit": [float(self.freedom), 2.0 * self.freedom],
                "found_dependent": self.found_dependent(),
            }
        )


@validated
def spurious_dependence(
    n_states: tuple[Annotated[int, Ge(2), Le(1_000)], Annotated[int, Ge(2), Le(1_000)]] = (2, 2),
    n_rows: RowCount = 100,
    n_samples: Samples = 2000,
    rng: Seed = 0,
) -> SpuriousDependence:
    """Sample two independent, uniform variables repeatedly, resample each data set once, and compute G² of both.

    Parameters
    ----------
    n_states : (int, int)
        Numbers of states, at least 2 each.
    n_rows : int
        N.
    n_samples : int
        Data sets, at least 2.
    rng : int, Generator or None, default 0; None draws anew at each call

    Returns
    -------
    SpuriousDependence

    Examples
    --------
    >>> made = spurious_dependence((2, 3), 200, 500, rng=1)
    >>> made.freedom, bool(1.6 < made.in_resamples.mean() / made.in_data.mean() < 2.4)
    (2, True)
    """
    generator = generator_of(rng)
    n_cells = n_states[0] * n_states[1]
    data = generator.multinomial(n_rows, np.full(n_cells, 1 / n_cells), size=n_samples)
    resamples = generator.multinomial(n_rows, data / n_rows)
    shape = (n_samples, *n_states)
    return SpuriousDependence(
        n_rows,
        (n_states[0] - 1) * (n_states[1] - 1),
        g_squared_of_many(data.reshape(shape).astype(np.float64)),
        g_squared_of_many(resamples.reshape(shape).astype(np.float64)),
    )
