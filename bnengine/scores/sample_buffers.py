"""Room for a sample and for what is computed from it: the arrays behind a score context."""

from __future__ import annotations

import numpy as np

from bnengine._core.arrays import Int32Array, IntArray, UInt16Array, UInt64Array
from bnengine._core.vectors import LANES
from bnengine.scores.score_context import Sample, Workspace

_LARGEST_MASKS = 256 * 2**20  # bytes, once by rows and once by columns
SMALLEST_TABLE = 1 << 16  # cells: what fits a core's second cache


def empty_masks(n_masks: int, n_words: int) -> tuple[UInt64Array, UInt64Array]:
    """Room for the masks of a sample, one a row and one a column."""
    n_columns = (n_masks + LANES - 1) // LANES * LANES
    return np.zeros((n_masks, n_words), dtype=np.uint64), np.zeros((n_words, n_columns), dtype=np.uint64)


def shape_of_masks(arities: IntArray, n_rows: int, n_distinct: int, has_prior: bool) -> tuple[int, int]:
    """Masks and words of each; none where they are too large or can never win, or rows are to be ranked."""
    n_words = (n_rows + 63) // 64
    n_masks = int(arities.sum())
    if has_prior or not _masks_can_win(n_words, n_distinct) or n_masks * n_words * 8 > _LARGEST_MASKS:
        return 0, 0
    return n_masks, n_words


def _masks_can_win(n_words: int, n_distinct: int) -> bool:
    """Whether the smallest family, two variables of two states, could be cheaper by masks (see ``counting``)."""
    return 4 * n_words < 6 * n_distinct


def sample_of(
    codes: UInt16Array,
    weights: Int32Array,
    arities: IntArray,
    masks: UInt64Array,
    columns: UInt64Array,
) -> Sample:
    """The sample of these arrays, with their sizes."""
    n_rows = int(weights.sum(dtype=np.int64))
    n_variables, n_distinct = codes.shape
    sizes = n_rows, n_variables, n_distinct, masks.shape[1], columns.shape[1]
    first_mask, by_states = np.zeros((2, n_variables), dtype=np.int64)
    sample = Sample(codes, weights, arities, masks, columns, first_mask, by_states, *sizes)
    place_masks(sample)
    return sample


def place_masks(sample: Sample, ranking: IntArray | None = None) -> None:
    """Write where each variable's masks begin: those with as many states stand side by side (``_extended_scores``).

    Among these they stand by a ranking of the variables; None: as they are.
    """
    sample.by_states[:] = (
        sample.arities.argsort(kind="stable") if ranking is None else np.lexsort((ranking, sample.arities))
    )
    ends = sample.arities[sample.by_states].cumsum()
    sample.first_mask[sample.by_states[1:]] = ends[:-1]
    sample.first_mask[sample.by_states[0]] = 0


def workspace(n_variables: int, n_distinct: int, n_words: int) -> Workspace:
    """Buffers for samples of that size."""
    slots = 1 << max(4, (2 * n_distinct).bit_length())
    table_size = max(SMALLEST_TABLE, 2 * n_distinct)
    return Workspace(
        cells=np.zeros(n_distinct + 1, dtype=np.int32),
        configurations=np.zeros(n_distinct + 1, dtype=np.int32),
        observed=np.zeros(1, dtype=np.int64),
        stack=np.zeros((n_variables + 1, n_words), dtype=np.uint64),
        states=np.zeros(n_variables + 1, dtype=np.int64),
        numbers=np.zeros(n_distinct, dtype=np.int64),
        table=np.zeros(table_size, dtype=np.int32),
        slot_numbers=np.zeros(slots, dtype=np.int64),
        slot_ranks=np.zeros(slots, dtype=np.int32),
        ranked=np.zeros(n_distinct + 1, dtype=np.int32),
        parents=np.zeros(n_variables + 1, dtype=np.int64),
        fewer=np.zeros(n_variables + 1, dtype=np.int64),
        wanted=np.zeros(n_variables, dtype=np.uint8),
        extended=np.zeros(n_variables),
        table_size=table_size,
        n_slots=slots,
    )
