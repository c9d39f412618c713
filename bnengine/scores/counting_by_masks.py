"""Counting by bit masks: one bit per row, one mask for each state of each variable, populations counted by word."""

import numpy as np

from bnengine._core.arrays import IntArray, UInt8Array
from bnengine._core.compiled import Pointer, compiled, pointer_to
from bnengine._core.records import Handle
from bnengine._core.vectors import popcount, where_equal
from bnengine.scores.score_context import Sample, Workspace, score_context

_MANY_STATES = 64  # where one comparison of 64 rows for each state costs more than one store for each row
_NO_STATE = 255


@compiled
def fill_masks(handle: Handle) -> None:
    """Write the masks of a sample, by rows and by columns: distinct row ``d`` takes ``weights[d]`` consecutive bits."""
    sample = score_context(handle).sample
    rows = np.empty(sample.n_words * 64, dtype=np.int64)
    n_rows = 0
    for d in range(sample.n_distinct):
        for _ in range(sample.weights[d]):
            rows[n_rows] = d
            n_rows += 1
    states = np.empty(64, dtype=np.uint8)
    _fill(sample, rows, n_rows, states)


@compiled
def _fill(sample: Sample, rows: IntArray, n_rows: int, states: UInt8Array) -> None:
    """Write the masks from the distinct row at each bit; ``states`` is a buffer of 64 bytes."""
    codes, masks, columns = sample.codes, sample.masks, sample.columns
    n_words, n_columns = sample.n_words, sample.n_columns
    for v in range(sample.n_variables):
        first, arity, codes_at = sample.first_mask[v], sample.arities[v], v * sample.n_distinct
        for w in range(n_words):
            here = max(0, min(64, n_rows - 64 * w))
            if arity > _MANY_STATES:
                for state in range(arity):
                    masks[(first + state) * n_words + w] = 0
                for b in range(here):
                    mask = first + codes[codes_at + rows[64 * w + b]]
                    masks[mask * n_words + w] |= np.uint64(1) << np.uint64(b)
                for state in range(arity):
                    columns[w * n_columns + first + state] = masks[(first + state) * n_words + w]
                continue
            for b in range(here):
                states[b] = codes[codes_at + rows[64 * w + b]]
            for b in range(here, 64):
                states[b] = _NO_STATE
            for state in range(arity):
                word = where_equal(pointer_to(states), 0, state)
                masks[(first + state) * n_words + w] = word
                columns[w * n_columns + first + state] = word


@compiled
def _ones_in(masks: Pointer, first: int, n_words: int) -> int:
    ones = np.uint64(0)
    for w in range(n_words):
        ones += popcount(masks[first + w])
    return np.int64(ones)  # type: ignore[return-value]


@compiled
def ones_in_both(one: Pointer, one_first: int, other: Pointer, other_first: int, n_words: int) -> int:
    """Number of rows in both of two masks, given by pointer and first word."""
    ones = np.uint64(0)
    for w in range(n_words):
        ones += popcount(one[one_first + w] & other[other_first + w])
    return np.int64(ones)  # type: ignore[return-value]


@compiled
def narrow(stack: Pointer, depth: int, masks: Pointer, first: int, n_words: int) -> int:
    """Write to level ``depth`` of the stack the rows of the level above that are in a mask; returns how many."""
    ones = np.uint64(0)
    here = depth * n_words
    if depth == 0:
        for w in range(n_words):
            stack[here + w] = masks[first + w]
            ones += popcount(masks[first + w])
    else:
        above = here - n_words
        for w in range(n_words):
            rows = stack[above + w] & masks[first + w]
            stack[here + w] = rows
            ones += popcount(rows)
    return np.int64(ones)  # type: ignore[return-value]


@compiled
def count_by_masks(sample: Sample, work: Workspace, child: int, parents: Pointer, k: int) -> tuple[int, int]:
    """Counts of ``child`` given ``parents[:k]`` by bit masks; returns (configurations, cells) now in the buffers."""
    masks, stack, states, n_words = sample.masks, work.stack, work.states, sample.n_words
    arity = sample.arities[child]
    first_child = sample.first_mask[child]
    n_configurations = 0
    n_cells = 0
    if k == 0:
        for state in range(arity):
            matching = _ones_in(masks, (first_child + state) * n_words, n_words)
            if matching > 0:
                work.cells[n_cells] = matching
                n_cells += 1
        work.configurations[0] = sample.n_rows
        return 1, n_cells
    depth = 0
    states[0] = -1
    while depth >= 0:
        states[depth] += 1
        parent = parents[depth]
        if states[depth] == sample.arities[parent]:
            depth -= 1
            continue
        mask = sample.first_mask[parent] + states[depth]
        left = narrow(stack, depth, masks, mask * n_words, n_words)
        if left == 0:
            continue
        if depth < k - 1:
            depth += 1
            states[depth] = -1
            continue
        work.configurations[n_configurations] = left
        n_configurations += 1
        for state in range(arity - 1):
            if left == 0:
                break
            matching = ones_in_both(stack, depth * n_words, masks, (first_child + state) * n_words, n_words)
            work.cells[n_cells] = matching
            n_cells += matching > 0
            left -= matching
        if left > 0:
            work.cells[n_cells] = left
            n_cells += 1
    return n_configurations, n_cells
