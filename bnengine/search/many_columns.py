"""Many columns and few rows: how many pairs chance joins, and what a search over all pairs takes, before it starts."""

from __future__ import annotations

import itertools
import math

import numpy as np

from bnengine._core.display import counted
from bnengine.data.dataset import Dataset


class ManyColumnsWarning(UserWarning):
    """A search over very many columns was asked for."""


#: Measured with 60 rows and 500 to 8,000 columns of three states: memory and time of a search, for each ordered pair.
_BYTES, _SECONDS = 35, 1e-6
_MANY = 100  # columns; of fewer, copies of the table without dependence show what chance does
_LONG = 10.0  # seconds of a search


def size_remark(data: Dataset) -> str:
    """Say how rows stand to pairs of columns where that matters, what the work takes, and what to do; else nothing.

    A pair of independent columns looks dependent where G² exceeds the penalty of BIC, (r − 1)(s − 1) ln N for N
    effective rows; a column of numbers has one slope, as of two states.

    Examples
    --------
    >>> import pandas as pd
    >>> rng = np.random.default_rng(1)
    >>> print(size_remark(Dataset.from_frame(pd.DataFrame(rng.choice(3, (33, 320))).add_prefix("g")))[:96])
    33 rows stand against 51,040 pairs of columns: chance alone makes about 370 pairs look dependent
    """
    n, chance = data.n_variables, _by_chance(data)
    if n < _MANY or (chance < n / 2 and not takes_long(data)):
        return ""
    work = ""
    if takes_long(data):
        graph = _SECONDS * n**2
        work = (
            f" One graph takes about {_BYTES * n**2 / 1e9:.1g} GB of memory and {_in_words(graph)}, a bootstrap with "
            f"200 replicates {_in_words(200 * graph)}."
        )
    return (
        f"{counted(data.n_rows, 'row')} stand against {math.comb(n, 2):,} pairs of columns: chance alone makes about "
        f"{float(f'{chance:.2g}'):,.0f} pairs look dependent.{work} Keep the columns that matter, or the "
        f"{n_columns_worth(data):,} that vary most"
    )


def takes_long(data: Dataset) -> bool:
    """Return whether one search takes so long that it is to be asked for."""
    return _SECONDS * data.n_variables**2 > _LONG


def n_columns_worth(data: Dataset) -> int:
    """Return for how many columns chance makes one pair for each ten of them look dependent; at least 20."""
    share = _by_chance(data) / math.comb(data.n_variables, 2)
    return max(20, min(int(1 + 0.2 / max(share, 2e-4)), data.n_variables))


def _by_chance(data: Dataset) -> float:
    """Return the expected number of pairs that look dependent if all columns are independent."""
    from scipy.special import chdtrc

    kept = np.isin(data.names, data.numbers)
    arities, n_each = np.unique(np.where(kept, 2, data.arities), return_counts=True)
    penalty = math.log(data.effective_rows)
    same = n_each * (n_each - 1) / 2
    expected = 0.0
    for i, j in itertools.combinations_with_replacement(range(len(arities)), 2):
        freedom = float((arities[i] - 1) * (arities[j] - 1))
        pairs = same[i] if i == j else n_each[i] * n_each[j]
        expected += float(pairs * chdtrc(freedom, freedom * penalty)) if freedom else 0.0
    return expected


def _in_words(seconds: float) -> str:
    return "seconds" if seconds < 60 else "minutes" if seconds < 3600 else "hours" if seconds < 86_400 else "days"
