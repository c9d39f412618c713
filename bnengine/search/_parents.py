"""Parent sets in a graph under construction: sorted column numbers in a row of a matrix, with their number."""

import numpy as np
import numpy.typing as npt

from bnengine._core.compiled import compiled
from bnengine.graphs.dag import Adjacency

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@compiled
def without_parent(parents: IntArray, k: int, old: int, out: IntArray) -> None:
    """Write the sorted ``parents[:k]`` but ``old`` to ``out``."""
    n = 0
    for i in range(k):
        if parents[i] != old:
            out[n] = parents[i]
            n += 1


@compiled
def parents_of(adjacency: Adjacency, child: int, out: IntArray) -> int:
    """Write the sorted parents of ``child`` to ``out``; returns how many there are."""
    k = 0
    for v in range(adjacency.shape[0]):
        if adjacency[v, child]:
            out[k] = v
            k += 1
    return k


@compiled
def tolerance(n_rows: int) -> float:
    """Differences of a score below this, in nats, are rounding: ties, which go by column order."""
    return 1e-9 * max(n_rows, 1)
