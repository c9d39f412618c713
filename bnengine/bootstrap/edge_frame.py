"""Edges as a data frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bnengine.graphs.dag import Adjacency

if TYPE_CHECKING:
    import pandas as pd


def edge_frame(names: Sequence[str], shown: Adjacency, **matrices: npt.NDArray[Any]) -> pd.DataFrame:
    """Tabulate edges: one row per True entry of ``shown``, in column order.

    Parameters
    ----------
    names : sequence of str
        Of the V variables.
    shown : ndarray of bool, shape (V, V), [parent, child]
    **matrices : ndarray, shape (V, V)

    Returns
    -------
    DataFrame
        parent, child, and the entry ``[parent, child]`` of each matrix in a column named by its keyword.
    """
    import pandas as pd

    i, j = np.nonzero(shown)
    ends = {"parent": [names[v] for v in i.tolist()], "child": [names[v] for v in j.tolist()]}
    return pd.DataFrame({**ends, **{name: matrix[i, j] for name, matrix in matrices.items()}})
