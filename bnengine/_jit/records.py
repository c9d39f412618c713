"""Records: what compiled code works on, declared once as a named tuple of arrays and numbers, passed as one pointer.

A compiled function that takes fifty arrays, or a tuple of fifty pointers, is slow to compile and slow to call. Instead
the addresses and numbers of a ``NamedTuple`` are written to a block of 8-byte words (``words_of``); compiled code takes
the block's address and reads ``context.sample.weights`` as a pointer, ``context.sample.n_rows`` as a number. With the
compiler switched off the tuple itself is passed, and the same code runs on its arrays.

Ownership: the words hold no references. Whoever passes them keeps the tuple alive during the call.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from bnengine._jit.compiled import Pointer, compiled, pointer_to
from bnengine._jit.record_types import RecordType, layout_of

R = TypeVar("R")

#: What stands in for a record when a compiled function is called from Python: its words, or the record itself.
Handle = Any


def record(declared: R) -> R:
    """Mark a named tuple as a record: machine code depends on the file that declares it."""
    return declared


def words_of(record: Any) -> npt.NDArray[np.int64]:
    """Return the words of a record: addresses of its arrays, its numbers, and the words of the records in it.

    Raises
    ------
    ValueError
        If an array is not contiguous or not of the declared type: compiled code would read memory that is not its own.
    """
    words = np.zeros(layout_of(type(record))[1], dtype=np.int64)
    _write(words, None, record)
    return words


def _write(words: npt.NDArray[np.int64], old: Any, new: Any) -> None:
    """Write the fields of ``new`` that are other objects than in ``old``."""
    for (name, field), value, before in zip(layout_of(type(new))[0].items(), new, old or repeat(None)):  # noqa: B905
        if value is before:
            continue
        if field.dtype is None:
            _write(words[field.word :], before, value)
        elif isinstance(value, np.ndarray):
            words[field.word] = _address_of(value, field.dtype, name)
        else:
            words[field.word : field.word + 1].view(field.dtype)[0] = value


def _address_of(array: npt.NDArray[Any], dtype: Any, name: str) -> int:
    if array.dtype != dtype or not array.flags.c_contiguous:
        raise ValueError(f"{name} must be a contiguous array of {dtype}; got {array.dtype}, strides {array.strides}")
    return int(array.__array_interface__["data"][0])


def handle_of(record: Any) -> Handle:
    """Return what a compiled function takes for the record, which must outlive the call."""
    return _flat(record) if numba.config.DISABLE_JIT else words_of(record)


def _flat(record: Any) -> Any:
    """Return the record with each array as the flat array that a pointer to it is."""
    parts = [_flat(part) if hasattr(part, "_fields") else part for part in record]
    return type(record)(*[pointer_to(part) if isinstance(part, np.ndarray) else part for part in parts])


def changed_handle(handle: Handle, old: R, new: R) -> Handle:
    """Return the handle after fields were replaced; what is the same object in both records is not written again."""
    if numba.config.DISABLE_JIT:
        return handle_of(new)
    _write(handle, old, new)
    return handle


def record_from(record: Callable[..., R]) -> Callable[[Handle], R]:
    """Return a compiled function that takes the handle of a record of this kind and returns the record."""
    if numba.config.DISABLE_JIT:
        return lambda handle: cast(R, handle)
    kind = RecordType(cast(type, record))

    def take_address(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.bitcast(data, context.get_value_type(kind))

    @intrinsic
    def from_words(typing_context, words):  # type: ignore[no-untyped-def]
        return kind(words), take_address

    return from_words  # type: ignore[no-any-return]


# What compiled code asks of single words and of the processor's vectors.
#
# Vectors are written out for LLVM, which turns them into what the processor has, in a few cases where it finds them
# in a plain loop not at all, or at half the speed.

#: How many 64-bit numbers a vector holds.
LANES = 8

_BYTE, _PLACE, _WORD = ir.IntType(8), ir.IntType(32), ir.IntType(64)


@compiled
def popcount(word: np.uint64) -> np.uint64:
    """Count the one bits; the compiler recognises the pattern and uses the processor's instruction."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


def vector_at(builder: Any, pointer: Any, place: Any, kind: Any, length: int) -> Any:
    """Return a pointer to the vector of ``length`` numbers that begins at ``pointer[place]``."""
    return builder.bitcast(builder.gep(pointer, [place]), ir.VectorType(kind, length).as_pointer())


def spread(builder: Any, number: Any, kind: Any, length: int) -> Any:
    """Return a vector with the number in every lane."""
    nothing = ir.Constant(ir.VectorType(kind, length), ir.Undefined)
    alone = builder.insert_element(nothing, number, ir.Constant(_PLACE, 0))
    return builder.shuffle_vector(alone, nothing, ir.Constant(ir.VectorType(_PLACE, length), [0] * length))


def _marks(length: int, kind: Any, signature: Any, compare: Callable[..., Any]) -> Callable[..., Any]:
    """Return a compiled function: bit b of its result is set where ``compare`` holds for element ``at + b``."""

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
    """Do the same with the compiler switched off."""
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
