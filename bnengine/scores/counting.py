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

import numpy as np

from bnengine._core.arrays import IntArray, UInt8Array
from bnengine._jit.compiled import Pointer, compiled, pointer_to
from bnengine._jit.records import Handle, popcount, rank_in_place, where_equal
from bnengine.scores.score_context import Sample, Workspace, family_rows_at, own_mask, own_rows, score_context

# Counting by bit masks: one bit per row, one mask for each state of each variable, populations counted by word.

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
    if sample.n_own > 0:
        _fill_own(sample, rows, n_rows)


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
                    if sample.has_holes != 0 and sample.seen[codes_at + rows[64 * w + b]] == 0:
                        continue
                    mask = first + codes[codes_at + rows[64 * w + b]]
                    masks[mask * n_words + w] |= np.uint64(1) << np.uint64(b)
                for state in range(arity):
                    columns[w * n_columns + first + state] = masks[(first + state) * n_words + w]
                continue
            for b in range(here):
                states[b] = codes[codes_at + rows[64 * w + b]]
            for b in range(here, 64):
                states[b] = _NO_STATE
            if sample.has_holes != 0:
                for b in range(here):
                    if sample.seen[codes_at + rows[64 * w + b]] == 0:
                        states[b] = _NO_STATE
            for state in range(arity):
                word = where_equal(pointer_to(states), 0, state)
                masks[(first + state) * n_words + w] = word
                columns[w * n_columns + first + state] = word


@compiled
def _fill_own(sample: Sample, rows: IntArray, n_rows: int) -> None:
    """Write for each child the mask of the rows that count for its family."""
    for v in range(sample.n_variables):
        mask, weights_at = own_mask(sample, v), own_rows(sample, v)
        for w in range(sample.n_words):
            word = np.uint64(0)
            for b in range(max(0, min(64, n_rows - 64 * w))):
                if sample.weights[weights_at + rows[64 * w + b]] > 0:
                    word |= np.uint64(1) << np.uint64(b)
            sample.masks[mask + w] = word


@compiled
def narrow_to_own(sample: Sample, stack: Pointer, child: int) -> int:
    """Write to the stack's first level the rows that count for a child; returns how many levels that took: 0 or 1."""
    mask = own_mask(sample, child)
    if mask < 0:
        return 0
    for w in range(sample.n_words):
        stack[w] = sample.masks[mask + w]
    return 1


@compiled
def ones_in_both(one: Pointer, one_first: int, other: Pointer, other_first: int, n_words: int) -> int:
    """Count the rows in both of two masks, given by pointer and first word."""
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
    """Count ``child`` given ``parents[:k]`` by bit masks; return (configurations, cells) now in the buffers."""
    masks, stack, states, n_words = sample.masks, work.stack, work.states, sample.n_words
    arity = sample.arities[child]
    first_child = sample.first_mask[child]
    n_configurations = 0
    n_cells = 0
    above = narrow_to_own(sample, stack, child)
    if k == 0:
        for state in range(arity):
            first = (first_child + state) * n_words
            if above > 0:
                matching = ones_in_both(stack, 0, masks, first, n_words)
            else:
                matching = ones_in_both(masks, first, masks, first, n_words)
            if matching > 0:
                work.cells[n_cells] = matching
                n_cells += 1
        work.configurations[0] = sample.family_rows[child]
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
        left = narrow(stack, depth + above, masks, mask * n_words, n_words)
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
            matching = ones_in_both(stack, (depth + above) * n_words, masks, (first_child + state) * n_words, n_words)
            work.cells[n_cells] = matching
            n_cells += matching > 0
            left -= matching
        if left > 0:
            work.cells[n_cells] = left
            n_cells += 1
    return n_configurations, n_cells


# Counting by coded rows: each distinct row's parent configuration as one number, counted in a table or ranked.


@compiled
def rank_numbers(sample: Sample, work: Workspace) -> int:
    """Replace the rows' configuration numbers by their rank of first appearance; returns how many there are."""
    return rank_in_place(work.numbers, sample.n_distinct, work.slot_numbers, work.slot_ranks, work.n_slots)


@compiled
def count_ranks(sample: Sample, work: Workspace, own: int, n_ranks: int) -> None:
    """Count the rows of each ranked number; ``own`` is where the child's weights begin, here and below."""
    for rank in range(n_ranks):
        work.ranked[rank] = 0
    for d in range(sample.n_distinct):
        work.ranked[work.numbers[d]] += sample.weights[own + d]


@compiled
def _counts_by_rank(sample: Sample, work: Workspace, own: int, n_ranks: int, out: Pointer) -> int:
    """Write to ``out`` the positive counts of the ranked numbers; returns how many there are."""
    count_ranks(sample, work, own, n_ranks)
    ranked, n = work.ranked, 0
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
def number_configurations(sample: Sample, work: Workspace, parents: Pointer, k: int) -> int:
    """Assign to each row a number of its parent configuration; return a number that is larger than all of them."""
    codes, numbers, n_distinct = sample.codes, work.numbers, sample.n_distinct
    size = 1
    for d in range(n_distinct):
        numbers[d] = 0
    for i in range(k):
        parent = parents[i]
        if size > n_distinct:  # more numbers than rows: rank them, so that they never overflow
            size = rank_numbers(sample, work)
        append_digit(numbers, sample.arities[parent], codes, parent * n_distinct, n_distinct)
        size *= sample.arities[parent]
    return size


@compiled
def count_by_rows(sample: Sample, work: Workspace, child: int, parents: Pointer, k: int) -> tuple[int, int]:
    """Count ``child`` given ``parents[:k]`` by coded rows; return (configurations, cells) now in the buffers."""
    own = own_rows(sample, child)
    if sample.has_holes != 0 and k > 0:
        own = _weigh_family(sample, child, parents, k)
    return _count_weighted(sample, work, own, child, parents, k)


@compiled
def _weigh_family(sample: Sample, child: int, parents: Pointer, k: int) -> int:
    """Write the weights of the rows in which child and parents are seen; return where they begin."""
    here, own, n_distinct = family_rows_at(sample), own_rows(sample, child), sample.n_distinct
    for d in range(n_distinct):
        sample.weights[here + d] = sample.weights[own + d]
    for i in range(k):
        first = parents[i] * n_distinct
        for d in range(n_distinct):
            sample.weights[here + d] *= sample.seen[first + d]
    return here


@compiled
def count_alone(sample: Sample, work: Workspace, child: int, parents: Pointer, k: int) -> tuple[int, int]:
    """Count the child's states in the rows in which it and ``parents[:k]`` are seen; return (rows, cells)."""
    if sample.n_words == 0:
        own = _weigh_family(sample, child, parents, k)
        n_cells = _count_weighted(sample, work, own, child, parents, 0)[1]
        return work.configurations[0], n_cells
    stack, masks, n_words = work.stack, sample.masks, sample.n_words
    narrow_to_own(sample, stack, child)
    for i in range(k):
        first, arity = sample.first_mask[parents[i]], sample.arities[parents[i]]
        for w in range(n_words):
            seen = np.uint64(0)
            for state in range(arity):
                seen |= masks[(first + state) * n_words + w]
            stack[w] &= seen
    n_rows, n_cells = 0, 0
    for state in range(sample.arities[child]):
        matching = ones_in_both(stack, 0, masks, (sample.first_mask[child] + state) * n_words, n_words)
        work.cells[n_cells] = matching
        n_cells += matching > 0
        n_rows += matching
    return n_rows, n_cells


@compiled
def _count_weighted(sample: Sample, work: Workspace, own: int, child: int, parents: Pointer, k: int) -> tuple[int, int]:
    """Count by coded rows with the weights that begin at ``own``."""
    codes, numbers, n_distinct = sample.codes, work.numbers, sample.n_distinct
    arity, size = sample.arities[child], number_configurations(sample, work, parents, k)
    if size * arity > work.table_size:
        n_configurations = _counts_by_rank(sample, work, own, rank_numbers(sample, work), work.configurations)
        append_digit(numbers, arity, codes, child * n_distinct, n_distinct)
        return n_configurations, _counts_by_rank(sample, work, own, rank_numbers(sample, work), work.cells)
    if size * arity > n_distinct:
        n_configurations = _counts_by_touch(sample, work, own, work.configurations)
        append_digit(numbers, arity, codes, child * n_distinct, n_distinct)
        return n_configurations, _counts_by_touch(sample, work, own, work.cells)
    append_digit(numbers, arity, codes, child * n_distinct, n_distinct)
    return _counts_by_scan(sample, work, own, size, arity)


@compiled
def _counts_by_touch(sample: Sample, work: Workspace, own: int, out: Pointer) -> int:
    """Write to ``out`` the positive counts of the rows' numbers, visiting only cells that rows touch."""
    table, numbers, weights = work.table, work.numbers, sample.weights
    for d in range(sample.n_distinct):
        table[numbers[d]] = 0
    for d in range(sample.n_distinct):
        table[numbers[d]] += weights[own + d]
    n = 0
    for d in range(sample.n_distinct):
        cell = table[numbers[d]]
        table[numbers[d]] = 0
        out[n] = cell
        n += cell > 0
    return n


@compiled
def _counts_by_scan(sample: Sample, work: Workspace, own: int, size: int, arity: int) -> tuple[int, int]:
    """Count over the whole table of a small family; return (configurations, cells) now in the buffers."""
    table = work.table
    for cell in range(size * arity):
        table[cell] = 0
    for d in range(sample.n_distinct):
        table[work.numbers[d]] += sample.weights[own + d]
    n_configurations = 0
    n_cells = 0
    for configuration in range(size):
        total = 0
        for state in range(arity):
            cell = table[configuration * arity + state]
            work.cells[n_cells] = cell
            n_cells += cell > 0
            total += cell
        work.configurations[n_configurations] = total
        n_configurations += total > 0
    return n_configurations, n_cells


# Nanoseconds per unit of work, measured on one core. Only their ratios matter.
MASK_WORD = 0.35
MASK_VISIT = 4.0
ROW_STEP = 0.55
ROW_ADD = 1.4
HASH_STEP = 6.0
CELL_SCAN = 0.9
CELL_TOUCH = 2.0


@compiled
def masks_are_cheaper(sample: Sample, table_size: int, child: int, parents: Pointer, k: int) -> bool:
    """Return whether the predicted cost of counting by masks is below that of counting by rows."""
    if sample.n_words == 0:
        return False
    n_distinct = float(sample.n_distinct)
    visits = 0.0
    size = 1.0
    for i in range(k):
        size = min(size, n_distinct) * sample.arities[parents[i]]
        visits += size
    arity = float(sample.arities[child])
    visits += min(size, n_distinct) * max(arity - 1.0, 1.0)
    by_masks = visits * (sample.n_words * MASK_WORD + MASK_VISIT)
    by_rows = n_distinct * (ROW_STEP * k + ROW_ADD)
    if size * arity > table_size:
        by_rows += 2.0 * n_distinct * HASH_STEP
    elif size * arity > n_distinct:
        by_rows += n_distinct * CELL_TOUCH
    else:
        by_rows += size * arity * CELL_SCAN
    return by_masks < by_rows


@compiled
def count(sample: Sample, work: Workspace, child: int, parents: Pointer, k: int) -> tuple[int, int]:
    """Count ``child`` given ``parents[:k]`` by the cheaper path; return (configurations, cells)."""
    if masks_are_cheaper(sample, work.table_size, child, parents, k):
        return count_by_masks(sample, work, child, parents, k)
    return count_by_rows(sample, work, child, parents, k)
