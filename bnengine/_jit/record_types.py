"""Records in compiled code: a pointer to words, whose fields are read by name (see ``records``)."""

from __future__ import annotations

from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, models, register_model


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


class Field(NamedTuple):
    """One field of a record."""

    word: int  # its first word
    kind: Any  # its compiled type
    dtype: Any  # that of the array or number; None for a record


_LAYOUTS: dict[Any, tuple[dict[str, Field], int]] = {}


def layout_of(record: Any) -> tuple[dict[str, Field], int]:
    """Return the fields of a record by name, and how many words it has."""
    if record not in _LAYOUTS:
        fields, n_words = {}, 0
        for name, hint in get_type_hints(record).items():
            fields[name] = _field(n_words, hint)
            n_words += layout_of(hint)[1] if fields[name].dtype is None else 1
        _LAYOUTS[record] = fields, n_words
    return _LAYOUTS[record]


def _field(word: int, hint: Any) -> Field:
    """Return a field by its annotation."""
    if hasattr(hint, "_fields"):
        return Field(word, RecordType(hint), None)
    if get_origin(hint) is np.ndarray:
        dtype = np.dtype(get_args(get_args(hint)[1])[0])
        return Field(word, types.CPointer(numba.from_dtype(dtype)), dtype)
    dtype = np.dtype({int: np.int64, Address: np.int64, float: np.float64, np.uint64: np.uint64}[hint])
    return Field(word, numba.from_dtype(dtype), dtype)


@register_model(RecordType)
class _RecordModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: RecordType) -> None:
        super().__init__(manager, kind, cgutils.int8_t.as_pointer())


@infer_getattr
class _RecordFields(AttributeTemplate):  # type: ignore[misc]
    key = RecordType

    def generic_resolve(self, kind: RecordType, name: str) -> Any:
        fields, _ = layout_of(kind.record)
        return fields[name].kind if name in fields else None


@lower_getattr_generic(RecordType)  # type: ignore[untyped-decorator]
def _read_field(context: Any, builder: Any, kind: RecordType, pointer: Any, name: str) -> Any:
    """Read a field. It does not change during a call, which lets the optimizer keep it in a register."""
    field = layout_of(kind.record)[0][name]
    place = builder.gep(pointer, [cgutils.intp_t(8 * field.word)])
    if field.dtype is None:
        return place
    word = builder.load(builder.bitcast(place, context.get_value_type(field.kind).as_pointer()))
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word


def has_pointer_argument(kinds: tuple[Any, ...]) -> bool:
    """Return whether arguments of these types can come from compiled code only."""
    return any(isinstance(kind, types.CPointer | RecordType) for kind in kinds)
