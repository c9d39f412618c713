"""Records: what compiled code works on, declared once as a named tuple of arrays and numbers, passed as one pointer.

A compiled function that takes fifty arrays, or a tuple of fifty pointers, is slow to compile and slow to call. Instead
the addresses and numbers of a ``NamedTuple`` are written to a block of 8-byte words (``words_of``); compiled code takes
the block's address and reads ``context.sample.weights`` as a pointer, ``context.sample.n_rows`` as a number. With the
compiler switched off the tuple itself is passed, and the same code runs on its arrays.

Ownership: the words hold no references. Whoever passes them keeps the tuple alive during the call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

import numba
import numpy as np
import numpy.typing as npt
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model

R = TypeVar("R")

#: What stands in for a record when a compiled function is called from Python: its words, or the record itself.
Handle = Any


def record(declared: R) -> R:
    """Mark a named tuple as a record: machine code depends on the file that declares it."""
    return declared


class Address(int):
    """The type of a field with the address of a kernel (see ``kernels``); 0 where it is not needed."""


class RecordType(types.Type):  # type: ignore[misc]
    """The compiled type of a record: a pointer to its first word."""

    def __init__(self, record: type) -> None:
        self.record = record
        super().__init__(name=f"Record({record.__module__}.{record.__qualname__})")

    @property
    def key(self) -> Any:
        return self.name


@cache
def layout_of(record: type) -> tuple[dict[str, tuple[int, Any]], int]:
    """The first word and compiled type of each field, and how many words there are."""
    fields, n_words = {}, 0
    for name, hint in get_type_hints(record).items():
        kind = _compiled_type(hint)
        fields[name] = (n_words, kind)
        n_words += layout_of(kind.record)[1] if isinstance(kind, RecordType) else 1
    return fields, n_words


def _compiled_type(hint: Any) -> Any:
    """The compiled type of a field by its annotation."""
    if get_origin(hint) is np.ndarray:
        return types.CPointer(numba.from_dtype(np.dtype(get_args(get_args(hint)[1])[0])))
    if hasattr(hint, "_fields"):
        return RecordType(hint)
    return {int: types.int64, float: types.float64, np.uint64: types.uint64, Address: types.int64}[hint]


def words_of(record: Any) -> npt.NDArray[np.int64]:
    """The words of a record: addresses of its arrays, its numbers, and the words of the records in it.

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
    for (name, (first, kind)), value in zip(layout_of(type(new))[0].items(), new, strict=True):
        before = getattr(old, name) if old is not None else None
        if value is before:
            continue
        if isinstance(kind, RecordType):
            _write(words[first:], before, value)
        elif isinstance(kind, types.CPointer):
            words[first] = _address_of(value, kind, name)
        else:
            words[first : first + 1].view(np.dtype(kind.name))[0] = value


def _address_of(array: npt.NDArray[Any], kind: Any, name: str) -> int:
    if not array.flags.c_contiguous or numba.from_dtype(array.dtype) != kind.dtype:
        raise ValueError(f"{name} must be a contiguous array of {kind.dtype}; got {array.dtype}, {array.strides}")
    return int(array.__array_interface__["data"][0])


def handle_of(record: Any) -> Handle:
    """What a compiled function takes for the record, which must outlive the call."""
    return record if numba.config.DISABLE_JIT else words_of(record)


def changed_handle(handle: Handle, old: R, new: R) -> Handle:
    """The handle after fields were replaced; what is the same object in both records is not written again."""
    if numba.config.DISABLE_JIT:
        return new
    _write(handle, old, new)
    return handle


@register_model(RecordType)
class _RecordModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: RecordType) -> None:
        super().__init__(manager, kind, cgutils.int8_t.as_pointer())


@infer_getattr
class _RecordFields(AttributeTemplate):  # type: ignore[misc]
    key = RecordType

    def generic_resolve(self, kind: RecordType, name: str) -> Any:
        fields, _ = layout_of(kind.record)
        return fields[name][1] if name in fields else None


@lower_getattr_generic(RecordType)  # type: ignore[untyped-decorator]
def _read_field(context: Any, builder: Any, kind: RecordType, pointer: Any, name: str) -> Any:
    """Read a field. It does not change during a call, which lets the optimizer keep it in a register."""
    first, field = layout_of(kind.record)[0][name]
    place = builder.gep(pointer, [cgutils.intp_t(8 * first)])
    if isinstance(field, RecordType):
        return place
    word = builder.load(builder.bitcast(place, context.get_value_type(field).as_pointer()))
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word


def record_from(record: Callable[..., R]) -> Callable[[Handle], R]:
    """A compiled function that takes the handle of a record of this kind and returns the record."""
    if numba.config.DISABLE_JIT:
        return lambda handle: cast(R, handle)
    kind = RecordType(cast(type, record))

    def take_address(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        return builder.bitcast(data, context.get_value_type(kind))

    @intrinsic  # type: ignore[untyped-decorator]
    def from_words(typing_context, words):  # type: ignore[no-untyped-def]
        return kind(words), take_address

    return from_words  # type: ignore[no-any-return]
