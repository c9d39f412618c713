"""The optimal precision of a parameter: why the description length has log2(N) / 2 bits for each.

More digits of a probability take more bits to encode but make the rows encoded with it shorter. N rows determine a
probability only to within about 1 / sqrt(N), so digits beyond that save nothing. The total is shortest with about
sqrt(N) distinguishable values, that is log2(N) / 2 bits (Rissanen 1978; 1983).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import numpy as np

from bnengine._core.validation import Ge, Le, validated

if TYPE_CHECKING:
    import pandas as pd

_MOST_ROWS = 1_000_000
_PER_DOUBLING = 4  # numbers of values to evaluate between successive powers of two


@validated
def parameter_precision(n_rows: Annotated[int, Ge(1), Le(_MOST_ROWS)]) -> pd.DataFrame:
    """Tabulate the bits that encode a probability with M equally spaced values, and the bits its rounding costs.

    A binary variable has N rows, n of them in one state: the maximum-likelihood probability n/N is rounded to the
    midpoint of the nearest of M equal intervals, which takes log2(M) bits to identify. The rows then take
    N KL(n/N, rounded) / ln 2 bits more than with n/N itself. The loss is the mean over n = 0 … N, all equally
    likely.

    Returns
    -------
    DataFrame
        One line per M, from 1 to about N: values, cost_bits, loss_bits, total_bits.

    Examples
    --------
    >>> table = parameter_precision(1000)
    >>> best = table.loc[table["total_bits"].idxmin()]
    >>> int(best["values"]), float(best["cost_bits"]), round(0.5 * math.log2(1000), 2)
    (32, 5.0, 4.98)
    """
    import pandas as pd
    from scipy.special import rel_entr

    steps = np.arange(math.floor(_PER_DOUBLING * math.log2(n_rows)) + 1)
    values = np.unique(np.rint(2.0 ** (steps / _PER_DOUBLING)).astype(np.int64))
    p = np.arange(n_rows + 1) / n_rows
    losses = []
    for m in values.tolist():
        rounded = (np.minimum(np.floor(p * m), m - 1) + 0.5) / m
        divergence = rel_entr(p, rounded) + rel_entr(1 - p, 1 - rounded)
        losses.append(n_rows * float(divergence.mean()) / math.log(2))
    cost, loss = np.log2(values), np.array(losses)
    return pd.DataFrame({"values": values, "cost_bits": cost, "loss_bits": loss, "total_bits": cost + loss})
