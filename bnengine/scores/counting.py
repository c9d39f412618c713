"""Counting a family: how often each parent configuration, and each child state within it, was observed.

Two ways to count, with identical counts:

* **bit masks**: one mask of rows per variable state; a configuration is the AND of its parents' masks and a count
  is a popcount. Empty prefixes of a configuration are never entered, so a family of many parents costs what its
  observed configurations cost.
* **coded rows**: each distinct row gets the mixed-radix number of its configuration, and its multiplicity is added
  to that number's cell. Wins when few rows are distinct or arities are large. Where there are more cells than rows,
  only the cells that rows touch are visited; where there are very many, the numbers are ranked through a hash table.

Only observed configurations and cells are ever stored, so neither path needs more memory than the distinct rows do.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bnengine._core.compiled import Pointer, compiled, pointer_to
from bnengine._core.hashing import rank_in_place

# Measured on one core (benchmarks/counting_paths.py): nanoseconds per unit of work. Only their ratios matter.
MASK_WORD = 0.35
MASK_VISIT = 4.0
ROW_STEP = 0.55
ROW_ADD = 1.4
HASH_STEP = 6.0
CELL_SCAN = 0.9
CELL_TOUCH = 2.0

_MANY_STATES = 8  # where one pass over 64 rows for each state costs more than one store for each row


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


class Counter(NamedTuple):
    """The arrays of a ``Sample`` and a ``Workspace`` as compiled code handles them: pointers and sizes."""

    codes: Pointer
    weights: Pointer
    arities: Pointer
    masks: Pointer
    first_mask: Pointer
    n_variables: int
    n_distinct: int
    n_words: int
    n_rows: int
    cells: Pointer
    configurations: Pointer
    stack: Pointer
    states: Pointer
    numbers: Pointer
    table: Pointer
    table_size: int
    slot_numbers: Pointer
    slot_ranks: Pointer
    n_slots: int
    ranked: Pointer


@compiled
def counter_of(sample: Sample, work: Workspace) -> Counter:
    """The counter over a sample; both must outlive it."""
    return Counter(
        pointer_to(sample.codes),
        pointer_to(sample.weights),
        pointer_to(sample.arities),
        pointer_to(sample.masks),
        pointer_to(sample.first_mask),
        sample.codes.shape[0],
        sample.codes.shape[1],
        sample.masks.shape[1],
        sample.n_rows,
        pointer_to(work.cells),
        pointer_to(work.configurations),
        pointer_to(work.stack),
        pointer_to(work.states),
        pointer_to(work.numbers),
        pointer_to(work.table),
        work.table.shape[0],
        pointer_to(work.slot_numbers),
        pointer_to(work.slot_ranks),
        work.slot_numbers.shape[0],
        pointer_to(work.ranked),
    )


@compiled
def popcount(word: np.uint64) -> np.uint64:
    """Number of one bits; the compiler recognises the pattern and uses the processor's instruction."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@compiled
def arrange(
    given: npt.NDArray[np.uint16],
    given_arities: npt.NDArray[np.int64],
    order: npt.NDArray[np.int64],
    codes: npt.NDArray[np.uint16],
    arities: npt.NDArray[np.int64],
    first_mask: npt.NDArray[np.int64],
    places: npt.NDArray[np.int64],
) -> None:
    """Write the columns of a sample in another order, and the order to ``places``."""
    n_masks = 0
    for v in range(order.shape[0]):
        places[v] = order[v]
        codes[v] = given[order[v]]
        arities[v] = given_arities[order[v]]
        first_mask[v] = n_masks
        n_masks += arities[v]


@compiled
def fill_masks(
    codes: npt.NDArray[np.uint16],
    weights: npt.NDArray[np.int32],
    arities: npt.NDArray[np.int64],
    first_mask: npt.NDArray[np.int64],
    masks: npt.NDArray[np.uint64],
) -> None:
    """Write the masks of a sample: distinct row ``d`` takes ``weights[d]`` consecutive bits.

    Where states are few, each word is put together in a register by comparisons that run side by side: setting one
    bit after the other in memory takes twice as long.
    """
    n_variables, n_distinct = codes.shape
    n_words = masks.shape[1]
    rows = np.empty(n_words * 64, dtype=np.int64)
    n_rows = 0
    for d in range(n_distinct):
        for _ in range(weights[d]):
            rows[n_rows] = d
            n_rows += 1
    states = np.empty(64, dtype=np.int64)
    for v in range(n_variables):
        first = first_mask[v]
        arity = arities[v]
        for w in range(n_words):
            here = min(64, n_rows - 64 * w)
            for b in range(64):
                states[b] = codes[v, rows[64 * w + b]] if b < here else -1
            if arity > _MANY_STATES:
                masks[first : first + arity, w] = 0
                for b in range(here):
                    masks[first + states[b], w] |= np.uint64(1) << np.uint64(b)
                continue
            for state in range(arity):
                word = np.uint64(0)
                for b in range(64):
                    word |= np.uint64(states[b] == state) << np.uint64(b)
                masks[first + state, w] = word


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
def count_by_masks(counter: Counter, child: int, parents: Pointer, k: int) -> tuple[int, int]:
    """Counts of ``child`` given ``parents[:k]`` by bit masks; returns (configurations, cells) now in the buffers."""
    masks, stack, states, n_words = counter.masks, counter.stack, counter.states, counter.n_words
    arity = counter.arities[child]
    first_child = counter.first_mask[child]
    n_configurations = 0
    n_cells = 0
    if k == 0:
        for state in range(arity):
            matching = _ones_in(masks, (first_child + state) * n_words, n_words)
            if matching > 0:
                counter.cells[n_cells] = matching
                n_cells += 1
        counter.configurations[0] = counter.n_rows
        return 1, n_cells
    depth = 0
    states[0] = -1
    while depth >= 0:
        states[depth] += 1
        parent = parents[depth]
        if states[depth] == counter.arities[parent]:
            depth -= 1
            continue
        mask = counter.first_mask[parent] + states[depth]
        left = narrow(stack, depth, masks, mask * n_words, n_words)
        if left == 0:
            continue
        if depth < k - 1:
            depth += 1
            states[depth] = -1
            continue
        counter.configurations[n_configurations] = left
        n_configurations += 1
        for state in range(arity - 1):
            if left == 0:
                break
            matching = ones_in_both(stack, depth * n_words, masks, (first_child + state) * n_words, n_words)
            counter.cells[n_cells] = matching
            n_cells += matching > 0
            left -= matching
        if left > 0:
            counter.cells[n_cells] = left
            n_cells += 1
    return n_configurations, n_cells


@compiled
def rank_numbers(counter: Counter) -> int:
    """Replace the rows' configuration numbers by their rank of first appearance; returns how many there are."""
    return rank_in_place(counter.numbers, counter.n_distinct, counter.slot_numbers, counter.slot_ranks, counter.n_slots)


@compiled
def _counts_by_rank(counter: Counter, n_ranks: int, out: Pointer) -> int:
    """Write to ``out`` the positive counts of the ranked numbers; returns how many there are."""
    ranked = counter.ranked
    for rank in range(n_ranks):
        ranked[rank] = 0
    for d in range(counter.n_distinct):
        ranked[counter.numbers[d]] += counter.weights[d]
    n = 0
    for rank in range(n_ranks):
        if ranked[rank] > 0:
            out[n] = ranked[rank]
            n += 1
    return n


@compiled
def append_digit(numbers: Pointer, arity: int, digits: Pointer, first: int, n: int) -> None:
    """Multiply the rows' numbers by ``arity`` and add each row's state."""
    for d in range(n):
        numbers[d] = numbers[d] * arity + digits[first + d]


@compiled
def rank_configurations(counter: Counter, parents: Pointer, k: int) -> int:
    """Number the rows by the rank of their parent configuration; returns how many there are."""
    codes, numbers, n_distinct = counter.codes, counter.numbers, counter.n_distinct
    size = 1
    for d in range(n_distinct):
        numbers[d] = 0
    for i in range(k):
        if size > n_distinct:  # more numbers than rows: rank them, so that they never overflow
            size = rank_numbers(counter)
        append_digit(numbers, counter.arities[parents[i]], codes, parents[i] * n_distinct, n_distinct)
        size *= counter.arities[parents[i]]
    return rank_numbers(counter)


@compiled
def count_by_rows(counter: Counter, child: int, parents: Pointer, k: int) -> tuple[int, int]:
    """Counts of ``child`` given ``parents[:k]`` by coded rows; returns (configurations, cells) now in the buffers."""
    codes, numbers, n_distinct = counter.codes, counter.numbers, counter.n_distinct
    arity = counter.arities[child]
    size = 1
    for d in range(n_distinct):
        numbers[d] = 0
    for i in range(k):
        parent = parents[i]
        if size > n_distinct:  # more numbers than rows: rank them, so that they never overflow
            size = rank_numbers(counter)
        append_digit(numbers, counter.arities[parent], codes, parent * n_distinct, n_distinct)
        size *= counter.arities[parent]
    if size * arity > counter.table_size:
        n_configurations = _counts_by_rank(counter, rank_numbers(counter), counter.configurations)
        append_digit(numbers, arity, codes, child * n_distinct, n_distinct)
        return n_configurations, _counts_by_rank(counter, rank_numbers(counter), counter.cells)
    if size * arity > n_distinct:
        n_configurations = _counts_by_touch(counter, counter.configurations)
        append_digit(numbers, arity, codes, child * n_distinct, n_distinct)
        return n_configurations, _counts_by_touch(counter, counter.cells)
    append_digit(numbers, arity, codes, child * n_distinct, n_distinct)
    return _counts_by_scan(counter, size, arity)


@compiled
def _counts_by_touch(counter: Counter, out: Pointer) -> int:
    """Write to ``out`` the positive counts of the rows' numbers, visiting only cells that rows touch."""
    table, numbers, weights = counter.table, counter.numbers, counter.weights
    for d in range(counter.n_distinct):
        table[numbers[d]] = 0
    for d in range(counter.n_distinct):
        table[numbers[d]] += weights[d]
    n = 0
    for d in range(counter.n_distinct):
        cell = table[numbers[d]]
        table[numbers[d]] = 0
        out[n] = cell
        n += cell > 0
    return n


@compiled
def _counts_by_scan(counter: Counter, size: int, arity: int) -> tuple[int, int]:
    """Counts from the whole table of a small family; returns (configurations, cells) now in the buffers."""
    table = counter.table
    for cell in range(size * arity):
        table[cell] = 0
    for d in range(counter.n_distinct):
        table[counter.numbers[d]] += counter.weights[d]
    n_configurations = 0
    n_cells = 0
    for configuration in range(size):
        total = 0
        for state in range(arity):
            cell = table[configuration * arity + state]
            counter.cells[n_cells] = cell
            n_cells += cell > 0
            total += cell
        counter.configurations[n_configurations] = total
        n_configurations += total > 0
    return n_configurations, n_cells


@compiled
def masks_are_cheaper(counter: Counter, child: int, parents: Pointer, k: int) -> bool:
    """Whether the predicted cost of counting by masks is below that of counting by rows."""
    if counter.n_words == 0:
        return False
    n_distinct = float(counter.n_distinct)
    visits = 0.0
    size = 1.0
    for i in range(k):
        size = min(size, n_distinct) * counter.arities[parents[i]]
        visits += size
    arity = float(counter.arities[child])
    visits += min(size, n_distinct) * max(arity - 1.0, 1.0)
    by_masks = visits * (counter.n_words * MASK_WORD + MASK_VISIT)
    by_rows = n_distinct * (ROW_STEP * k + ROW_ADD)
    if size * arity > counter.table_size:
        by_rows += 2.0 * n_distinct * HASH_STEP
    elif size * arity > n_distinct:
        by_rows += n_distinct * CELL_TOUCH
    else:
        by_rows += size * arity * CELL_SCAN
    return by_masks < by_rows


@compiled
def count(counter: Counter, child: int, parents: Pointer, k: int) -> tuple[int, int]:
    """Counts of ``child`` given ``parents[:k]`` by the cheaper path; returns (configurations, cells)."""
    if masks_are_cheaper(counter, child, parents, k):
        return count_by_masks(counter, child, parents, k)
    return count_by_rows(counter, child, parents, k)
