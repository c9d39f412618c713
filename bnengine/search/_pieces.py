"""Pieces of the search for an ordering: variables that can be each other's ancestors, one piece after the other.

Draw an edge to each variable from all that are in one of its candidate parent sets. Cycles lie within the strongly
connected components of that graph, so each component can be put in order by itself, ancestors first (Fan, Malone &
Yuan 2014).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnengine._core.arrays import IntArray
from bnengine.search._parent_sets import ParentSets


def pieces(candidates: Sequence[ParentSets]) -> list[list[int]]:
    """The components, ancestors first, each in column order; of those that may change places the first column leads."""
    n = len(candidates)
    ancestor = np.eye(n, dtype=np.bool_)
    for child, sets in enumerate(candidates):
        possible = int(np.bitwise_or.reduce(sets.masks))
        ancestor[:, child] |= [bool(possible >> v & 1) for v in range(n)]
    for v in range(n):
        ancestor |= ancestor[:, v, None] & ancestor[None, v, :]
    order = sorted(range(n), key=lambda v: (int(ancestor[:, v].sum()), v))
    found: list[list[int]] = []
    placed = np.zeros(n, dtype=np.bool_)
    for v in order:
        if not placed[v]:
            found.append(np.flatnonzero(ancestor[:, v] & ancestor[v]).tolist())
            placed[found[-1]] = True
    return found


def within_piece(sets: ParentSets, members: Sequence[int]) -> ParentSets:
    """The sets without what stands before the piece, bit i for its i-th member: of each only the best is kept."""
    masks: IntArray = np.zeros_like(sets.masks)
    for i, v in enumerate(members):
        masks |= ((sets.masks >> v) & 1) << i
    kept = np.sort(np.unique(masks, return_index=True)[1])
    return ParentSets(masks[kept], sets.scores[kept])
