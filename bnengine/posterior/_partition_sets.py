"""The parent sets of all children as partitions need them: sorted by weight, with the sums of the tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import IntArray
from bnengine.posterior._partition_tables import ParentSets
from bnengine.posterior.parent_set_tables import ParentSetTables

_SORTED: WeakKeyDictionary[ParentSetTables, ParentSets] = WeakKeyDictionary()


def parent_sets_of(tables: ParentSetTables) -> ParentSets:
    """The parent sets of the tables, sorted once for all chains."""
    if tables not in _SORTED:
        _SORTED[tables] = _sorted_sets(tables)
    return _SORTED[tables]


def _sorted_sets(tables: ParentSetTables) -> ParentSets:
    """Sort each child's parent sets by falling weight; sets that the constraints forbid are left out."""
    n = tables.n_variables
    masks, weights, first = [], [], np.zeros(n + 1, dtype=np.int64)
    for child in range(n):
        log_weights = tables.weights_of(child)
        order = np.argsort(-log_weights, kind="stable")[: int(np.isfinite(log_weights).sum())]
        masks.append(tables.masks[order])
        weights.append(log_weights[order])
        first[child + 1] = first[child] + len(order)
    is_candidate = tables.place >= 0  # [child, parent]
    return ParentSets(
        n_variables=n,
        first_candidate=_starts(tables.n_candidates),
        candidates=_joined([tables.candidates_of(child) for child in range(n)], np.int64),
        first_sum=tables.first_sum,
        sums=tables.sums,
        first_set=first,
        masks=_joined(masks, np.int64),
        weights=_joined(weights, np.float64),
        first_child=_starts(is_candidate.sum(axis=0)),
        children=np.nonzero(is_candidate.T)[1].astype(np.int64),
    )


def _starts(counts: IntArray) -> IntArray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _joined(parts: Sequence[npt.NDArray[Any]], dtype: Any) -> npt.NDArray[Any]:
    return np.concatenate([*parts, []]).astype(dtype)
