"""What compiled code asks of single words and of the processor's vectors.

Vectors are written out for LLVM, which turns them into what the processor has, in a few cases where it finds them in a
plain loop not at all, or at half the speed.
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from bnengine._core.compiled import Pointer, compiled

#: How many 64-bit numbers a vector holds.
LANES = 8

_BYTE, _PLACE, _WORD = ir.IntType(8), ir.IntType(32), ir.IntType(64)


@compiled
def popcount(word: np.uint64) -> np.uint64:
    """Number of one bits; the compiler recognises the pattern and uses the processor's instruction."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


def vector_at(builder: Any, pointer: Any, place: Any, kind: Any, length: int) -> Any:
    """A pointer to the vector of ``length`` numbers that begins at ``pointer[place]``."""
    return builder.bitcast(builder.gep(pointer, [place]), ir.VectorType(kind, length).as_pointer())


def spread(builder: Any, number: Any, kind: Any, length: int) -> Any:
    """A vector with the number in every lane."""
    nothing = ir.Constant(ir.VectorType(kind, length), ir.Undefined)
    alone = builder.insert_element(nothing, number, ir.Constant(_PLACE, 0))
    return builder.shuffle_vector(alone, nothing, ir.Constant(ir.VectorType(_PLACE, length), [0] * length))


def _marks(length: int, kind: Any, signature: Any, compare: Callable[..., Any]) -> Callable[..., Any]:
    """A compiled function whose result has bit b set where ``compare`` holds for element ``at + b`` of an array."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, number = arguments
        elements = builder.load(vector_at(builder, array, at, kind, length), align=1)
        if isinstance(kind, ir.IntType):
            number = builder.trunc(number, kind)
        marks = compare(builder, elements, spread(builder, number, kind, length))
        bits = builder.bitcast(marks, ir.IntType(length))
        return bits if length == 64 else builder.zext(bits, _WORD)

    @intrinsic
    def marks(typing_context, array, at, number):  # type: ignore[no-untyped-def]
        return signature, write

    return marks  # type: ignore[no-any-return]


def _plain(length: int, holds: Callable[[Any, Any], bool]) -> Callable[..., np.uint64]:
    """The same with the compiler switched off."""
    return lambda array, at, number: np.uint64(sum(1 << b for b in range(length) if holds(array[at + b], number)))


_BYTES, _NUMBERS = types.CPointer(types.uint8), types.CPointer(types.float64)
where_equal: Callable[[Pointer, int, int], np.uint64]
where_above: Callable[[Pointer, int, float], np.uint64]
where_set: Callable[[Pointer, int, int], np.uint64]
if numba.config.DISABLE_JIT:
    where_equal = _plain(64, lambda element, number: element == number)
    where_above = _plain(LANES, lambda element, number: element > number)
    where_set = _plain(LANES, lambda element, number: element != number)
else:
    #: ``where_equal(bytes, at, number)``: a word with bit b set where ``bytes[at + b] == number``, b = 0 … 63.
    where_equal = _marks(
        64, _BYTE, types.uint64(_BYTES, types.int64, types.int64), lambda b, x, y: b.icmp_unsigned("==", x, y)
    )
    #: ``where_above(numbers, at, bound)``: the same where ``numbers[at + b] > bound``, b = 0 … LANES - 1.
    where_above = _marks(
        LANES,
        ir.DoubleType(),
        types.uint64(_NUMBERS, types.int64, types.float64),
        lambda b, x, y: b.fcmp_ordered(">", x, y),
    )
    #: ``where_set(bytes, at, 0)``: the same where ``bytes[at + b] != 0``.
    where_set = _marks(
        LANES, _BYTE, types.uint64(_BYTES, types.int64, types.int64), lambda b, x, y: b.icmp_unsigned("!=", x, y)
    )
