"""Counting a family: how often each parent configuration, and each child state within it, was observed.

Two ways to count, with identical counts:

* **bit masks**: one mask of rows per variable state; a configuration is the AND of its parents' masks and a count
  is a popcount. Empty prefixes of a configuration are never entered, so a family of many parents costs what its
  observed configurations cost.
* **coded rows**: each distinct row gets the mixed-radix number of its configuration, and its multiplicity is added
  to that number's cell. Wins when few rows are distinct or arities are large. Where the table of all cells would be
  larger than the data, the numbers are ranked through a hash table instead.

Only observed configurations and cells are ever stored, so neither path needs more memory than the distinct rows do.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bnengine._compiled import compiled

# Measured on one core (benchmarks/counting_paths.py): nanoseconds per unit of work. Only their ratios matter.
_MASK_WORD = 0.35
_MASK_VISIT = 4.0
_ROW_STEP = 0.55
_ROW_ADD = 1.4
_HASH_STEP = 6.0
_CELL_SCAN = 0.9


class Sample(NamedTuple):
    """A sample or resample in the two forms the counters read.

    The distinct rows are those of the given data: a resample differs from it in ``weights`` and ``masks`` only, and
    a state that it has lost keeps its place in ``arities``.
    """

    codes: npt.NDArray[np.uint16]  # (V, D) state number of each variable in each distinct row
    weights: npt.NDArray[np.int32]  # (D,) how often each distinct row occurs in this sample
    arities: npt.NDArray[np.int64]  # (V,)
    n_rows: int  # sum of the weights
    masks: npt.NDArray[np.uint64]  # (sum of arities, W) one bit a row; (0, 0) where masks can never win
    first_mask: npt.NDArray[np.int64]  # (V,) where a variable's masks begin


class Workspace(NamedTuple):
    """Buffers that a counter writes to; one a thread, used again for every family."""

    cells: npt.NDArray[np.int32]  # (D + 1,) counts n_jk > 0 of the last family counted
    configurations: npt.NDArray[np.int32]  # (D + 1,) counts n_j > 0
    stack: npt.NDArray[np.uint64]  # (V + 1, W) rows that match the first parents' states
    states: npt.NDArray[np.int64]  # (V + 1,) odometer over the parents' states
    numbers: npt.NDArray[np.int64]  # (D,) configuration number of each distinct row
    table: npt.NDArray[np.int32]  # dense cells of a small family
    slot_numbers: npt.NDArray[np.int64]  # hash table: number -> rank
    slot_ranks: npt.NDArray[np.int32]
    ranked: npt.NDArray[np.int32]  # (D + 1,) counts by rank


@compiled
def popcount(word: np.uint64) -> np.uint64:
    """Number of one bits; the compiler recognises the pattern and uses the processor's instruction."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@compiled
def fill_masks(codes, weights, first_mask, masks):  # type: ignore[no-untyped-def]
    """Write the masks of a sample: distinct row ``d`` takes ``weights[d]`` consecutive bits."""
    masks[:] = 0
    n_variables, n_distinct = codes.shape
    for v in range(n_variables):
        first = first_mask[v]
        bit = 0
        for d in range(n_distinct):
            mask = first + codes[v, d]
            for _ in range(weights[d]):
                masks[mask, bit >> 6] |= np.uint64(1) << np.uint64(bit & 63)
                bit += 1


@compiled
def count_by_masks(sample, work, child, parents, k):  # type: ignore[no-untyped-def]
    """Counts of ``child`` given ``parents[:k]`` by bit masks; returns (configurations, cells) stored in ``work``."""
    masks, stack, states = sample.masks, work.stack, work.states
    n_words = masks.shape[1]
    arity = sample.arities[child]
    first_child = sample.first_mask[child]
    n_configurations = 0
    n_cells = 0
    if k == 0:
        for state in range(arity):
            count = 0
            for w in range(n_words):
                count += popcount(masks[first_child + state, w])
            if count > 0:
                work.cells[n_cells] = count
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
        matching = np.uint64(0)
        if depth == 0:
            for w in range(n_words):
                rows = masks[mask, w]
                stack[0, w] = rows
                matching += popcount(rows)
        else:
            for w in range(n_words):
                rows = stack[depth - 1, w] & masks[mask, w]
                stack[depth, w] = rows
                matching += popcount(rows)
        if matching == 0:
            continue
        if depth < k - 1:
            depth += 1
            states[depth] = -1
            continue
        left = np.int64(matching)
        work.configurations[n_configurations] = left
        n_configurations += 1
        for state in range(arity - 1):
            if left == 0:
                break
            counted = np.uint64(0)
            for w in range(n_words):
                counted += popcount(stack[depth, w] & masks[first_child + state, w])
            if counted > 0:
                work.cells[n_cells] = np.int64(counted)
                n_cells += 1
                left -= np.int64(counted)
        if left > 0:
            work.cells[n_cells] = left
            n_cells += 1
    return n_configurations, n_cells


@compiled
def _rank_numbers(work, n_distinct):  # type: ignore[no-untyped-def]
    """Replace the rows' configuration numbers by their rank of first appearance; returns how many there are."""
    slots, ranks, numbers = work.slot_numbers, work.slot_ranks, work.numbers
    n_slots = slots.shape[0]
    slots[:] = -1
    n_ranks = 0
    for d in range(n_distinct):
        number = numbers[d]
        slot = np.int64((np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & (n_slots - 1)
        while slots[slot] != -1 and slots[slot] != number:
            slot = (slot + 1) & (n_slots - 1)
        if slots[slot] == -1:
            slots[slot] = number
            ranks[slot] = n_ranks
            n_ranks += 1
        numbers[d] = ranks[slot]
    return n_ranks


@compiled
def _counts_by_rank(sample, work, n_ranks, out):  # type: ignore[no-untyped-def]
    """Write to ``out`` the positive counts of the ranked numbers; returns how many there are."""
    ranked, numbers, weights = work.ranked, work.numbers, sample.weights
    ranked[:n_ranks] = 0
    for d in range(numbers.shape[0]):
        ranked[numbers[d]] += weights[d]
    n = 0
    for rank in range(n_ranks):
        if ranked[rank] > 0:
            out[n] = ranked[rank]
            n += 1
    return n


@compiled
def count_by_rows(sample, work, child, parents, k):  # type: ignore[no-untyped-def]
    """Counts of ``child`` given ``parents[:k]`` by coded rows; returns (configurations, cells) stored in ``work``."""
    codes, weights, numbers = sample.codes, sample.weights, work.numbers
    n_distinct = codes.shape[1]
    arity = sample.arities[child]
    size = 1
    numbers[:] = 0
    for i in range(k):
        parent = parents[i]
        if size > n_distinct:  # more numbers than rows: rank them, so that they never overflow
            size = _rank_numbers(work, n_distinct)
        parent_arity = sample.arities[parent]
        for d in range(n_distinct):
            numbers[d] = numbers[d] * parent_arity + codes[parent, d]
        size *= parent_arity
    if size * arity > work.table.shape[0]:
        n_ranks = _rank_numbers(work, n_distinct)
        n_configurations = _counts_by_rank(sample, work, n_ranks, work.configurations)
        for d in range(n_distinct):
            numbers[d] = numbers[d] * arity + codes[child, d]
        n_ranks = _rank_numbers(work, n_distinct)
        return n_configurations, _counts_by_rank(sample, work, n_ranks, work.cells)
    table = work.table
    table[: size * arity] = 0
    for d in range(n_distinct):
        table[numbers[d] * arity + codes[child, d]] += weights[d]
    n_configurations = 0
    n_cells = 0
    for configuration in range(size):
        total = 0
        for state in range(arity):
            count = table[configuration * arity + state]
            if count > 0:
                work.cells[n_cells] = count
                n_cells += 1
                total += count
        if total > 0:
            work.configurations[n_configurations] = total
            n_configurations += 1
    return n_configurations, n_cells


@compiled
def masks_are_cheaper(sample, work, child, parents, k):  # type: ignore[no-untyped-def]
    """Whether the predicted cost of counting by masks is below that of counting by rows."""
    n_words = sample.masks.shape[1]
    if n_words == 0:
        return False
    n_distinct = sample.codes.shape[1]
    visits = 0.0
    size = 1.0
    for i in range(k):
        size = min(size, float(n_distinct)) * sample.arities[parents[i]]
        visits += size
    arity = sample.arities[child]
    visits += min(size, float(n_distinct)) * max(arity - 1, 1)
    by_masks = visits * (n_words * _MASK_WORD + _MASK_VISIT)
    by_rows = n_distinct * (_ROW_STEP * k + _ROW_ADD)
    if size * arity > work.table.shape[0]:
        by_rows += 2 * n_distinct * _HASH_STEP
    else:
        by_rows += size * arity * _CELL_SCAN
    return by_masks < by_rows


@compiled
def count(sample, work, child, parents, k):  # type: ignore[no-untyped-def]
    """Counts of ``child`` given ``parents[:k]`` by the cheaper path; returns (configurations, cells)."""
    if masks_are_cheaper(sample, work, child, parents, k):
        return count_by_masks(sample, work, child, parents, k)
    return count_by_rows(sample, work, child, parents, k)
