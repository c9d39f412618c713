"""Counting by coded rows: each distinct row's parent configuration as one number, counted in a table or ranked."""

from bnengine._core.compiled import Pointer, compiled
from bnengine._core.hashing import rank_in_place
from bnengine.scores.score_context import Sample, Workspace


@compiled
def rank_numbers(sample: Sample, work: Workspace) -> int:
    """Replace the rows' configuration numbers by their rank of first appearance; returns how many there are."""
    return rank_in_place(work.numbers, sample.n_distinct, work.slot_numbers, work.slot_ranks, work.n_slots)


@compiled
def _counts_by_rank(sample: Sample, work: Workspace, n_ranks: int, out: Pointer) -> int:
    """Write to ``out`` the positive counts of the ranked numbers; returns how many there are."""
    ranked = work.ranked
    for rank in range(n_ranks):
        ranked[rank] = 0
    for d in range(sample.n_distinct):
        ranked[work.numbers[d]] += sample.weights[d]
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
def rank_configurations(sample: Sample, work: Workspace, parents: Pointer, k: int) -> int:
    """Number the rows by the rank of their parent configuration; returns how many there are."""
    codes, numbers, n_distinct = sample.codes, work.numbers, sample.n_distinct
    size = 1
    for d in range(n_distinct):
        numbers[d] = 0
    for i in range(k):
        if size > n_distinct:  # more numbers than rows: rank them, so that they never overflow
            size = rank_numbers(sample, work)
        append_digit(numbers, sample.arities[parents[i]], codes, parents[i] * n_distinct, n_distinct)
        size *= sample.arities[parents[i]]
    return rank_numbers(sample, work)


@compiled
def count_by_rows(sample: Sample, work: Workspace, child: int, parents: Pointer, k: int) -> tuple[int, int]:
    """Counts of ``child`` given ``parents[:k]`` by coded rows; returns (configurations, cells) now in the buffers."""
    codes, numbers, n_distinct = sample.codes, work.numbers, sample.n_distinct
    arity = sample.arities[child]
    size = 1
    for d in range(n_distinct):
        numbers[d] = 0
    for i in range(k):
        parent = parents[i]
        if size > n_distinct:  # more numbers than rows: rank them, so that they never overflow
            size = rank_numbers(sample, work)
        append_digit(numbers, sample.arities[parent], codes, parent * n_distinct, n_distinct)
        size *= sample.arities[parent]
    if size * arity > work.table_size:
        n_configurations = _counts_by_rank(sample, work, rank_numbers(sample, work), work.configurations)
        append_digit(numbers, arity, codes, child * n_distinct, n_distinct)
        return n_configurations, _counts_by_rank(sample, work, rank_numbers(sample, work), work.cells)
    if size * arity > n_distinct:
        n_configurations = _counts_by_touch(sample, work, work.configurations)
        append_digit(numbers, arity, codes, child * n_distinct, n_distinct)
        return n_configurations, _counts_by_touch(sample, work, work.cells)
    append_digit(numbers, arity, codes, child * n_distinct, n_distinct)
    return _counts_by_scan(sample, work, size, arity)


@compiled
def _counts_by_touch(sample: Sample, work: Workspace, out: Pointer) -> int:
    """Write to ``out`` the positive counts of the rows' numbers, visiting only cells that rows touch."""
    table, numbers, weights = work.table, work.numbers, sample.weights
    for d in range(sample.n_distinct):
        table[numbers[d]] = 0
    for d in range(sample.n_distinct):
        table[numbers[d]] += weights[d]
    n = 0
    for d in range(sample.n_distinct):
        cell = table[numbers[d]]
        table[numbers[d]] = 0
        out[n] = cell
        n += cell > 0
    return n


@compiled
def _counts_by_scan(sample: Sample, work: Workspace, size: int, arity: int) -> tuple[int, int]:
    """Counts from the whole table of a small family; returns (configurations, cells) now in the buffers."""
    table = work.table
    for cell in range(size * arity):
        table[cell] = 0
    for d in range(sample.n_distinct):
        table[work.numbers[d]] += sample.weights[d]
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
