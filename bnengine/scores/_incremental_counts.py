"""Counting many families that differ in one added parent, as every greedy search does at every step.

The rows are split once by the family as it stands: one bit mask for each observed cell (parent configuration and
child state). How many rows each cell has in common with each state of each candidate parent is then one regular loop
over cells and masks, and the counts of all larger families lie side by side. Used where the masks exist, the cells fit
the buffer, and the predicted cost is below that of counting by rows.
"""

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from bnengine._jit.compiled import Pointer, compiled, inlined
from bnengine._jit.records import LANES, allocate, popcount, spread, vector_at
from bnengine.scores.counting import ROW_ADD, ROW_STEP, narrow, narrow_to_own
from bnengine.scores.score_context import Sample, ScoreContext, SplitBuffer, Workspace, stopped

# Rows that one mask has in common with many: the innermost loop of every greedy search.
#
# Bits are counted for eight masks side by side, one word of each in a lane of a vector. The masks stand in columns
# for that: word 0 of all of them, then word 1, and so on. The vectors are written out for LLVM, which turns them into
# what the processor has (a population count of eight words is one instruction on some, thirty on others); of a plain
# loop it makes half the speed.

_SIDE_BY_SIDE = 4  # vectors whose sums stay in registers during one pass over the words

_WORD, _HALF = ir.IntType(64), ir.IntType(32)
_WORDS, _HALVES = ir.VectorType(_WORD, LANES), ir.VectorType(_HALF, LANES)
_HALF_POINTER, _WORD_POINTER = types.CPointer(types.int32), types.CPointer(types.uint64)
_SIGNATURE = types.void(
    _WORD_POINTER, _HALF_POINTER, *[types.int64] * 2, _WORD_POINTER, *[types.int64] * 2, _HALF_POINTER, types.int64
)


def _adder(n_vectors: int) -> Callable[..., None]:
    """Return a compiled function that does ``add_common_ones`` for ``n_vectors * LANES`` columns."""

    def add(
        words: Pointer,
        places: Pointer,
        start: int,
        end: int,
        table: Pointer,
        first: int,
        width: int,
        counts: Pointer,
        out: int,
    ) -> None:
        for column in range(n_vectors * LANES):
            for e in range(start, end):
                counts[out + column] += popcount(words[e] & table[places[e] * width + first + column])

    if numba.config.DISABLE_JIT:
        return add

    @intrinsic
    def added(typing_context, words, places, start, end, table, first, width, counts, out):  # type: ignore[no-untyped-def]
        return _SIGNATURE, lambda context, builder, signature, arguments: _write(builder, n_vectors, *arguments)

    return added  # type: ignore[no-any-return]


def _write(builder: Any, n_vectors: int, *arguments: Any) -> Any:
    """Write the loop over the words, with a vector of sums for every LANES columns."""
    b, (words, places, start, end, table, first, width, counts, out) = builder, arguments
    count_ones = b.module.declare_intrinsic(f"llvm.ctpop.v{LANES}i64", (), ir.FunctionType(_WORDS, [_WORDS]))
    vectors = [ir.Constant(_WORD, v * LANES) for v in range(n_vectors)]
    nothing = ir.Constant(_WORDS, [0] * LANES)
    before, loop, after = b.basic_block, b.append_basic_block("words"), b.append_basic_block("counted")
    b.cbranch(b.icmp_signed("<", start, end), loop, after)

    b.position_at_end(loop)
    e, *sums = b.phi(_WORD), *[b.phi(_WORDS) for _ in vectors]
    word = spread(b, b.load(b.gep(words, [e])), _WORD, LANES)
    place = b.zext(b.load(b.gep(places, [e])), _WORD)
    row = b.gep(table, [b.add(first, b.mul(place, width))])
    columns = [b.load(vector_at(b, row, v, _WORD, LANES), align=8) for v in vectors]
    new = [b.add(total, b.call(count_ones, [b.and_(word, one)])) for total, one in zip(sums, columns, strict=True)]
    following = b.add(e, ir.Constant(_WORD, 1))
    for phi, first_value, value in zip([e, *sums], [start, *[nothing] * n_vectors], [following, *new], strict=True):
        phi.add_incoming(first_value, before)
        phi.add_incoming(value, loop)
    b.cbranch(b.icmp_signed("<", following, end), loop, after)

    b.position_at_end(after)
    totals = [b.phi(_WORDS) for _ in vectors]
    for phi, value in zip(totals, new, strict=True):
        phi.add_incoming(nothing, before)
        phi.add_incoming(value, loop)
    for total, v in zip(totals, vectors, strict=True):
        target = vector_at(b, counts, b.add(out, v), _HALF, LANES)
        b.store(b.add(b.load(target, align=4), b.trunc(total, _HALVES)), target, align=4)
    return ir.Constant(ir.IntType(8).as_pointer(), None)


_add_to_many = _adder(_SIDE_BY_SIDE)
_add_to_few = _adder(1)


@compiled
def add_common_ones(
    words: Pointer,
    places: Pointer,
    start: int,
    end: int,
    table: Pointer,
    first: int,
    width: int,
    counts: Pointer,
    out: int,
    n_columns: int,
) -> None:
    """Add to ``counts[out + c]`` the number of ones that a mask and column ``first + c`` of a table have in common.

    The mask's words other than zero are ``words[start:end]``, and word ``e`` stands in row ``places[e]`` of the table,
    which has ``width`` columns. ``c`` goes from 0 to ``n_columns``, a multiple of LANES.
    """
    c = 0
    while c + _SIDE_BY_SIDE * LANES <= n_columns:
        _add_to_many(words, places, start, end, table, first + c, width, counts, out + c)
        c += _SIDE_BY_SIDE * LANES
    while c < n_columns:
        _add_to_few(words, places, start, end, table, first + c, width, counts, out + c)
        c += LANES


_LARGEST_BUFFER = 4 * 2**20  # bytes, each of masks and counts
_BLOCK = 2**18  # bytes of the masks' columns that are gone through at a time: they stay in a core's second cache
_GAP = 4 * LANES  # columns of unwanted candidates that are counted rather than left out

# Nanoseconds, measured on one core, comparable to those in ``counting``.
_COMMON_WORD = 0.03
_COMMON_VISIT = 0.8


def split_buffer(sample: Sample) -> SplitBuffer:
    """Return a buffer for the sample's size; empty where there are no masks."""
    n_words, n_columns = sample.masks.shape[1], sample.columns.shape[1]
    most = 0
    if n_words:
        widest = max(12 * n_words, 4 * n_columns)
        most = min(sample.codes.shape[1] + int(sample.arities.max()), _LARGEST_BUFFER // widest)
    return allocate(SplitBuffer, W=n_words, C=n_columns, R=int(sample.arities.max()), most=most)


@compiled
def _keep_cells(
    sample: Sample, kept: SplitBuffer, child: int, rows: Pointer, first_row_word: int, configuration: int, n_cells: int
) -> int:
    """Split one configuration's rows (all if ``first_row_word`` < 0) by the child's states; return how many cells."""
    n_words = sample.n_words
    for state in range(sample.arities[child]):
        child_mask = (sample.first_mask[child] + state) * n_words
        start = at = kept.starts[n_cells]
        for w in range(n_words):
            word = sample.masks[child_mask + w]
            if first_row_word >= 0:
                word &= rows[first_row_word + w]
            kept.words[at] = word
            kept.places[at] = w
            at += word != 0
        kept.configurations[n_cells] = configuration
        kept.states[n_cells] = state
        n_cells += at > start
        kept.starts[n_cells] = at
    return n_cells


@inlined
def cells_worth_splitting(sample: Sample, k: int) -> float:
    """Return the number of cells up to which extending a family of k parents is cheaper than counting by rows."""
    by_rows = sample.n_distinct * (ROW_STEP * (k + 1) + ROW_ADD)
    each = (sample.n_words * _COMMON_WORD + _COMMON_VISIT) * sample.n_columns / sample.n_variables
    return by_rows / each


@compiled
def split(
    sample: Sample, work: Workspace, kept: SplitBuffer, child: int, parents: Pointer, k: int, worth: float
) -> int:
    """Keep the observed cells of the family; returns how many, or -1 where they exceed ``worth`` or the buffer."""
    n_words, states = sample.n_words, work.states
    arity = sample.arities[child]
    if n_words == 0 or arity > kept.most:
        return -1
    above = narrow_to_own(sample, work.stack, child)
    if k == 0:
        return _keep_cells(sample, kept, child, work.stack, above - 1, 0, 0)
    n_cells = 0
    configuration = 0
    depth = 0
    states[0] = -1
    while depth >= 0:
        states[depth] += 1
        parent = parents[depth]
        if states[depth] == sample.arities[parent]:
            depth -= 1
            continue
        mask = sample.first_mask[parent] + states[depth]
        if narrow(work.stack, depth + above, sample.masks, mask * n_words, n_words) == 0:
            continue
        if depth < k - 1:
            depth += 1
            states[depth] = -1
            continue
        if n_cells + arity > kept.most or n_cells > worth:
            return -1
        n_cells = _keep_cells(sample, kept, child, work.stack, (depth + above) * n_words, configuration, n_cells)
        configuration += 1
    return n_cells


@compiled
def _count_columns(context: ScoreContext, n_split: int, first: int, last: int) -> None:
    """Count the rows that each kept cell has in common with columns ``first`` to ``last``, both multiples of LANES."""
    sample, kept = context.sample, context.split
    n_words, width = sample.n_words, sample.n_columns
    for cell in range(n_split):
        for column in range(first, last):
            kept.counts[cell * width + column] = 0
        kept.next[cell] = kept.starts[cell]
    block = max(1, _BLOCK // (8 * (last - first)))
    for word in range(0, n_words, block):
        if stopped(context):
            return
        for cell in range(n_split):
            start, end = kept.next[cell], kept.starts[cell + 1]
            if word + block < n_words:
                end = start
                while end < kept.starts[cell + 1] and kept.places[end] < word + block:
                    end += 1
                kept.next[cell] = end
            out = cell * width + first
            add_common_ones(
                kept.words, kept.places, start, end, sample.columns, first, width, kept.counts, out, last - first
            )


@compiled
def count_extended(context: ScoreContext, n_split: int, wanted: Pointer) -> None:
    """Count, for all families that add a wanted variable to the split one, ``counts[cell, column]`` in the buffer.

    Neighbouring candidates are counted in one go. The counts of others may be anything.
    """
    sample = context.sample
    first, last = -1, -1
    for place in range(sample.n_variables):
        candidate = sample.by_states[place]
        if wanted[candidate] == 0:
            continue
        start = sample.first_mask[candidate]
        end = start + sample.arities[candidate]
        if first >= 0 and start - last > _GAP:
            _count_columns(context, n_split, first, last)
            first = -1
        if first < 0:
            first = start // LANES * LANES
        last = (end + LANES - 1) // LANES * LANES
    if first >= 0:
        _count_columns(context, n_split, first, last)
