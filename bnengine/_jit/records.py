"""Records: what compiled code works on, declared once as a named tuple of arrays and numbers, passed as one pointer.

A compiled function that takes fifty arrays, or a tuple of fifty pointers, is slow to compile and slow to call. Instead
the addresses and numbers of a ``NamedTuple`` are written to a block of 8-byte words; compiled code takes the block's
address and reads ``context.sample.weights`` as a pointer, ``context.sample.n_rows`` as a number. With the
compiler switched off the tuple itself is passed, and the same code runs on its arrays.

Ownership: the words hold no references. Whoever passes them keeps the tuple alive during the call.
"""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from functools import cache
from itertools import repeat
from typing import Annotated, Any, NamedTuple, TypeVar, cast, get_args, get_origin, get_type_hints

import numba
import numpy as np
import numpy.typing as npt
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, models, register_model

from bnengine._jit.compiled import Pointer, compiled, inlined, pointer_to

R = TypeVar("R")

#: What stands in for a record when a compiled function is called from Python: its words, or the record itself.
Handle = Any


def record(declared: R) -> R:
    """Mark a named tuple as a record: machine code depends on the file that declares it."""
    return declared


#: Marks an array of a record whose every entry is written before it is read, so that it need not begin as zeros.
UNSET = "unset"


@cache
def _declared_shapes(record: type) -> list[tuple[str, Callable[..., Any], Any, Any]]:
    """Return the fields with a declared shape: name, what makes the array, its shape as code, type of its elements."""
    fields, found = layout_of(record)[0], []
    for name, hint in get_type_hints(record, include_extras=True).items():
        if get_origin(hint) is Annotated:
            _, shape, *marks = get_args(hint)
            make = np.empty if UNSET in marks else np.zeros
            found.append((name, make, compile(shape, name, "eval"), fields[name].dtype))
    return found


def allocate(record: Callable[..., R], **given: Any) -> R:
    """Return a record with the given fields, and zeros where a shape is declared: ``Annotated[IntArray, "V + 1"]``.

    The names in a shape are given, too, whether or not they are fields.
    """
    kind: Any = record
    room = {name: make(eval(shape, given), dtype) for name, make, shape, dtype in _declared_shapes(kind)}
    return record(**room, **{name: value for name, value in given.items() if name in kind._fields})


def handle_of(record: Any) -> Handle:
    """Return what a compiled function takes for the record, which must outlive the call.

    These are its words: addresses of its arrays, its numbers, and the words of the records in it. An array that is not
    contiguous or of the declared type is refused by a ValueError: compiled code would read memory that is not its own.
    """
    if numba.config.DISABLE_JIT:
        return _flat(record)
    kind: Any = type(record)
    words = np.zeros(layout_of(kind)[1], dtype=np.int64)
    _write(words, None, record)
    return words


def _write(words: npt.NDArray[np.int64], old: Any, new: Any) -> None:
    """Write the fields of ``new`` that are other objects than in ``old``."""
    kind: Any = type(new)
    for (name, field), value, before in zip(layout_of(kind)[0].items(), new, old or repeat(None)):  # noqa: B905
        if value is before:
            continue
        if field.dtype is None:
            _write(words[field.word :], before, value)
        elif isinstance(value, np.ndarray):
            if value.dtype != field.dtype or not value.flags.c_contiguous:
                got = f"{value.dtype}, strides {value.strides}"
                raise ValueError(f"{name} must be a contiguous array of {field.dtype}; got {got}")
            words[field.word] = value.__array_interface__["data"][0]
        else:
            words[field.word : field.word + 1].view(field.dtype)[0] = value


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


# Records in compiled code: a pointer to words, whose fields are read by name.


class Address(int):
    """The type of a field with the address of a kernel (see ``kernels``); 0 where it is not needed."""


class RecordType(types.RawPointer):  # type: ignore[misc]
    """The compiled type of a record: a pointer to its first word."""

    def __init__(self, record: type) -> None:
        self.record = record
        super().__init__(name=f"Record({record.__module__}.{record.__qualname__})")


class Field(NamedTuple):
    """One field of a record."""

    word: int  # its first word
    kind: Any  # its compiled type
    dtype: Any  # that of the array or number; None for a record


@cache
def layout_of(record: Any) -> tuple[dict[str, Field], int]:
    """Return the fields of a record by name, and how many words it has."""
    fields, n_words = {}, 0
    for name, hint in get_type_hints(record).items():
        fields[name] = _field(n_words, hint)
        n_words += layout_of(hint)[1] if fields[name].dtype is None else 1
    return fields, n_words


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


def caller(record: type, field: str, signature: Any) -> Callable[..., Any]:
    """Return a compiled function that calls the kernel whose address is in ``record.kernels.<field>``."""
    if numba.config.DISABLE_JIT:
        return lambda context, *arguments: getattr(context.kernels, field)(context, *arguments)
    kernels = layout_of(record)[0]["kernels"]
    place = 8 * (kernels.word + layout_of(kernels.kind.record)[0][field].word)

    def call(context, builder, used, arguments):  # type: ignore[no-untyped-def]
        kinds = [context.get_value_type(kind) for kind in used.args]
        function = ir.FunctionType(context.get_value_type(used.return_type), kinds)
        word = builder.bitcast(
            builder.gep(arguments[0], [ir.Constant(ir.IntType(64), place)]), function.as_pointer().as_pointer()
        )
        address = builder.load(word)
        address.set_metadata("invariant.load", builder.module.add_metadata([]))
        return builder.call(address, arguments)

    def through_address(typing_context, *arguments):  # type: ignore[no-untyped-def]
        return signature, call

    names = ["typing_context", *(f"argument_{i}" for i in range(len(signature.args)))]
    through_address.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in names]
    )
    return intrinsic(through_address)  # type: ignore[no-any-return]


# What compiled code asks of single words: ones, hashes, ranks.


@compiled
def popcount(word: np.uint64) -> np.uint64:
    """Count the one bits; the compiler recognises the pattern and uses the processor's instruction."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@inlined
def lowest(word: np.uint64) -> int:
    """Return the place of a word's lowest one bit; 64 if it has none."""
    return np.int64(popcount(~word & (word - np.uint64(1))))  # type: ignore[return-value]


@compiled
def mix(number: np.uint64) -> np.uint64:
    """Scramble 64 bits: the finaliser of SplitMix64 (Steele, Lea & Flood 2014)."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@compiled
def rank_in_place(numbers: Pointer, n: int, slots: Pointer, ranks: Pointer, n_slots: int) -> int:
    """Replace ``numbers[:n]``, none negative, by their rank of first appearance; returns how many differ.

    ``slots`` and ``ranks`` are the hash table: ``n_slots`` of each, a power of two and at least 2 n.
    """
    for s in range(n_slots):
        slots[s] = -1
    n_ranks = 0
    for i in range(n):
        number = numbers[i]
        slot: Any = np.int64((np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & (n_slots - 1)
        while slots[slot] != -1 and slots[slot] != number:
            slot = (slot + 1) & (n_slots - 1)
        if slots[slot] == -1:
            slots[slot] = number
            ranks[slot] = n_ranks
            n_ranks += 1
        numbers[i] = ranks[slot]
    return n_ranks


# The distinct rows of a table, found by a hash table.

_Ints = npt.NDArray[np.int64]
_Codes = npt.NDArray[np.uint16]


def distinct_rows(codes: _Codes) -> tuple[_Ints, _Ints, _Ints]:
    """Return the first index of each distinct row, as they appear, the distinct row of each row, and multiplicities."""
    n_rows = len(codes)
    first, which, times = (np.zeros(n_rows, dtype=np.int64) for _ in range(3))
    slots = np.full(1 << (2 * n_rows).bit_length(), -1, dtype=np.int64)
    n = _number_rows(np.ascontiguousarray(codes), first, which, times, slots)
    return first[:n].copy(), which, times[:n].copy()


@compiled
def _number_rows(codes: _Codes, first: _Ints, which: _Ints, times: _Ints, slots: _Ints) -> int:
    """Fill the arrays; ``slots`` is the hash table, a power of two of at least twice as many places as rows."""
    n_rows, n_variables = codes.shape
    n_distinct = 0
    for i in range(n_rows):
        key = np.uint64(0)
        for v in range(n_variables):
            key = key * np.uint64(0x9E3779B97F4A7C15) + np.uint64(codes[i, v]) + np.uint64(1)
        slot = np.int64(mix(key) & np.uint64(slots.shape[0] - 1))
        while slots[slot] >= 0:
            other = first[slots[slot]]
            v = 0
            while v < n_variables and codes[other, v] == codes[i, v]:
                v += 1
            if v == n_variables:
                break
            slot = (slot + 1) & (slots.shape[0] - 1)
        if slots[slot] < 0:
            slots[slot] = n_distinct
            first[n_distinct] = i
            n_distinct += 1
        which[i] = slots[slot]
        times[slots[slot]] += 1
    return n_distinct


# Random numbers of a search or a chain, from a state of its own.


def random_state(rng: np.random.Generator) -> npt.NDArray[np.uint64]:
    """Return the state of a stream of uniform numbers, drawn from the generator, shape (1,)."""
    return rng.integers(0, 2**64, 1, dtype=np.uint64)


@compiled
def uniform(state: Pointer) -> float:
    """Draw a number in [0, 1), from the upper 53 bits of SplitMix64 (Steele, Lea & Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    return float(mix(state[0]) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@inlined
def below(state: Pointer, n: int) -> int:
    """Draw a whole number from 0 to n - 1."""
    return np.int64(uniform(state) * n)  # type: ignore[return-value]


@compiled
def draw_place(state: Pointer, weights: Pointer, n: int) -> int:
    """Draw a place with probabilities in proportion to ``weights[:n]``; -1 if all are 0."""
    total, place = 0.0, -1
    for k in range(n):
        total += weights[k]
    if not total > 0.0:
        return place
    left = uniform(state) * total
    for k in range(n):
        if weights[k] > 0.0:
            place = k
        left -= weights[k]
        if left < 0.0:
            break
    return place


# What compiled code asks of the processor's vectors: they are written out for LLVM, which turns them into what the
# processor has, in a few cases where it finds them in a plain loop not at all, or at half the speed.

#: How many 64-bit numbers a vector holds.
LANES = 8

_PLACE = ir.IntType(32)


def vector_at(builder: Any, pointer: Any, place: Any, kind: Any, length: int) -> Any:
    """Return a pointer to the vector of ``length`` numbers that begins at ``pointer[place]``."""
    return builder.bitcast(builder.gep(pointer, [place]), ir.VectorType(kind, length).as_pointer())


def spread(builder: Any, number: Any, kind: Any, length: int) -> Any:
    """Return a vector with the number in every lane."""
    nothing = ir.Constant(ir.VectorType(kind, length), ir.Undefined)
    alone = builder.insert_element(nothing, number, ir.Constant(_PLACE, 0))
    return builder.shuffle_vector(alone, nothing, ir.Constant(ir.VectorType(_PLACE, length), [0] * length))


def _marks(comparison: str, length: int, element: Any) -> Callable[..., np.uint64]:
    """Return a compiled function: bit b of its result is set where element ``at + b`` of an array compares so."""
    if numba.config.DISABLE_JIT:
        holds = {"==": operator.eq, "!=": operator.ne, ">": operator.gt}[comparison]
        return lambda array, at, number: np.uint64(sum(1 << b for b in range(length) if holds(array[at + b], number)))
    is_byte = element == types.uint8
    kind, number = (ir.IntType(8), types.int64) if is_byte else (ir.DoubleType(), element)
    signature = types.uint64(types.CPointer(element), types.int64, number)

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, number = arguments
        elements = builder.load(vector_at(builder, array, at, kind, length), align=1)
        compare = builder.icmp_unsigned if is_byte else builder.fcmp_ordered
        number = builder.trunc(number, kind) if is_byte else number
        bits = builder.bitcast(compare(comparison, elements, spread(builder, number, kind, length)), ir.IntType(length))
        return bits if length == 64 else builder.zext(bits, ir.IntType(64))

    @intrinsic
    def marks(typing_context, array, at, number):  # type: ignore[no-untyped-def]
        return signature, write

    return marks  # type: ignore[no-any-return]


#: ``where_equal(bytes, at, number)``: a word with bit b set where ``bytes[at + b] == number``, b = 0 … 63.
where_equal: Callable[[Pointer, int, int], np.uint64] = _marks("==", 64, types.uint8)
#: ``where_above(numbers, at, bound)``: the same where ``numbers[at + b] > bound``, b = 0 … LANES - 1.
where_above: Callable[[Pointer, int, float], np.uint64] = _marks(">", LANES, types.float64)
#: ``where_set(bytes, at, 0)``: the same where ``bytes[at + b] != 0``.
where_set: Callable[[Pointer, int, int], np.uint64] = _marks("!=", LANES, types.uint8)
