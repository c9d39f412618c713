"""Dependence of variables in a table, and spurious dependence between independent ones."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.random_generators import Seed, generator_of, standard_error
from bnengine._core.validation import Ge, Le, RowCount, Samples, StateCount, VariableCount, validated
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

    def where_found(self) -> SpuriousDependence:
        """Return only the data sets in which the test finds dependence, with their resamples."""
        found = self.in_data > self.critical_value
        return replace(self, in_data=self.in_data[found], in_resamples=self.in_resamples[found])

    def densities(self) -> pd.DataFrame:
        """Return the large-sample densities on a grid: chi-square for data, twice a chi-square for resamples.

        A resample's deviation from independence is the data's plus an independent one of the same size, so in the
        limit its square has twice the mean.

        Returns
        -------
        DataFrame
            g_squared, data, resample.
        """
        from scipy.stats import chi2

        top = float(np.quantile(self.in_resamples, 0.995)) or 1.0
        g = np.linspace(0, top, 201)[1:]
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
