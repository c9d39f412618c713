"""Parts: compiled functions that only compiled code calls, and that its machine code therefore contains.

Numba makes machine code of every function, fully optimized, and once more of all that its callers contain: a chain of
five calls is optimized five times, of which one is used. A part is kept as LLVM's intermediate code instead, and
optimized where it is called. That saves nearly half of the compiler's time, and changes nothing in the machine code
that runs.

A part has no address and no environment, so nothing with a pointer among its arguments may box, print or raise with
values of its own; none can be called from Python, which has no such pointers.

This leans on numba's own classes, which any version may change. With a version that was not tried here, parts are
compiled as numba compiles everything: slower, with the same results. To try another version, add it to ``TRIED`` and
run ``tests/_core`` with it.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import numba
import numpy as np
from llvmlite import binding  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, models, register_model

# Records in compiled code: a pointer to words, whose fields are read by name (see ``records``).


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


#: The versions of numba that the tests were run with.
TRIED = {(0, 68)}

_KIND = "part"


def is_part(kinds: tuple[Any, ...]) -> bool:
    """Return whether arguments of these types can come from compiled code only."""
    return any(isinstance(kind, types.CPointer | RecordType) for kind in kinds)


def parts_are_known() -> bool:
    """Return whether this version of numba was tried."""
    return tuple(map(int, numba.__version__.split(".")[:2])) in TRIED


class _NoMachineCode:
    """Stands for the code generator where numba would write to machine code that a part does not have."""

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: there is nothing to write to."""


class Part(JITCodeLibrary):  # type: ignore[misc]
    """The intermediate code of one part."""

    @classmethod
    def read(cls, generator: Any, kept: tuple[str, str, bytes]) -> Part:
        """Make a part from what ``serialize_using_object_code`` returned."""
        name, _, code = kept
        part = cls(generator, name)
        part._final_module = part._shared_module = binding.parse_bitcode(code)
        part._finalize_final_module()
        return part

    def serialize_using_object_code(self) -> tuple[str, str, bytes]:
        """Return what is kept on disk: instead of machine code the intermediate code."""
        return self.name, _KIND, self._get_module_for_linking().as_bitcode()

    @property
    def codegen(self) -> _NoMachineCode:
        return _NoMachineCode()

    def get_pointer_to_function(self, name: str) -> int:
        """Raise what numba raises for a function that a library does not have."""
        return 0

    def _optimize_functions(self, module: Any) -> None:
        """Leave this to the callers, which optimize the whole in any case; measured, a twelfth less time to compile."""
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        """Leave this to the callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class _PartsReader:
    """Numba's target context, except that it makes parts of what is read."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self.typing_context = context.typing_context
        self.get_executable = context.get_executable

    def codegen(self) -> _PartsReader:
        return self

    def unserialize_library(self, kept: tuple[str, str, bytes]) -> Part:
        return Part.read(self._context.codegen(), kept)


def rebuilt(context: Any, kept: tuple[Any, ...]) -> Any:
    """Return the compile result of which ``_reduce`` made ``kept``: a part, or a function with machine code."""
    if kept[0][1] != _KIND:
        return CompileResult._rebuild(context, *kept)
    return CompileResult._rebuild(_PartsReader(context), *kept)._replace(target_context=context)


class QuietCompiler(Compiler):  # type: ignore[misc]
    """Numba's compiler, with the garbage left lying while it works: looking for it takes a tenth of the time."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        with _garbage_kept():
            return super().compile_extra(func)


class PartCompiler(QuietCompiler):
    """The compiler of the engine: what takes a pointer or a record becomes a part."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        if is_part(self.state.args) and parts_are_known():
            self.state.library = Part(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


@contextmanager
def _garbage_kept() -> Iterator[None]:
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
