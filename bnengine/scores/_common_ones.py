"""Rows that one mask has in common with many: the innermost loop of every greedy search.

Bits are counted for eight masks side by side, one word of each in a lane of a vector. The masks stand in columns for
that: word 0 of all of them, then word 1, and so on. The vectors are written out for LLVM, which turns them into what
the processor has (a population count of eight words is one instruction on some, thirty on others); of a plain loop it
makes half the speed.
"""

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from bnengine._core.compiled import Pointer, compiled
from bnengine._core.vectors import LANES, popcount, spread, vector_at

_SIDE_BY_SIDE = 4  # vectors whose sums stay in registers during one pass over the words

_WORD, _HALF = ir.IntType(64), ir.IntType(32)
_WORDS, _HALVES = ir.VectorType(_WORD, LANES), ir.VectorType(_HALF, LANES)
_HALF_POINTER, _WORD_POINTER = types.CPointer(types.int32), types.CPointer(types.uint64)
_SIGNATURE = types.void(
    _WORD_POINTER, _HALF_POINTER, *[types.int64] * 2, _WORD_POINTER, *[types.int64] * 2, _HALF_POINTER, types.int64
)


def _adder(n_vectors: int) -> Callable[..., None]:
    """A compiled function that does ``add_common_ones`` for ``n_vectors * LANES`` columns."""

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
    """The loop over the words, with a vector of sums for every LANES columns."""
    b, (words, places, start, end, table, first, width, counts, out) = builder, arguments
    count_ones = cgutils.get_or_insert_function(b.module, ir.FunctionType(_WORDS, [_WORDS]), f"llvm.ctpop.v{LANES}i64")
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
