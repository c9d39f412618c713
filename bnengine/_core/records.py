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
from numba.extending import intrinsic

from bnengine._core.arrays import IntArray
from bnengine._core.compiled import pointer_to
from bnengine._core.record_types import RecordType, layout_of

R = TypeVar("R")

#: What stands in for a record when a compiled function is called from Python: its words, or the record itself.
Handle = Any


def record(declared: R) -> R:
    """Mark a named tuple as a record: machine code depends on the file that declares it."""
    return declared


def words_of(record: Any) -> IntArray:
    """The words of a record: addresses of its arrays, its numbers, and the words of the records in it.

    Raises
    ------
    ValueError
        If an array is not contiguous or not of the declared type: compiled code would read memory that is not its own.
    """
    words = np.zeros(layout_of(type(record))[1], dtype=np.int64)
    _write(words, None, record)
    return words


def _write(words: IntArray, old: Any, new: Any) -> None:
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
    """What a compiled function takes for the record, which must outlive the call."""
    return _flat(record) if numba.config.DISABLE_JIT else words_of(record)


def _flat(record: Any) -> Any:
    """The record with each array as the flat array that a pointer to it is."""
    parts = [_flat(part) if hasattr(part, "_fields") else part for part in record]
    return type(record)(*[pointer_to(part) if isinstance(part, np.ndarray) else part for part in parts])


def changed_handle(handle: Handle, old: R, new: R) -> Handle:
    """The handle after fields were replaced; what is the same object in both records is not written again."""
    if numba.config.DISABLE_JIT:
        return handle_of(new)
    _write(handle, old, new)
    return handle


def record_from(record: Callable[..., R]) -> Callable[[Handle], R]:
    """A compiled function that takes the handle of a record of this kind and returns the record."""
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
