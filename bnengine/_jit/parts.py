"""Parts: compiled functions that only compiled code calls, and that its machine code therefore contains.

Numba makes machine code of every function, fully optimized, and once more of all that its callers contain: a chain of
five calls is optimized five times, of which one is used. A part is kept as LLVM's intermediate code instead, and
optimized where it is called. That saves a third of the first start, and changes nothing in the machine code
that runs.

A part has no address and no environment, so nothing with a pointer among its arguments may box, print or raise with
values of its own; none can be called from Python, which has no such pointers.

This leans on numba's own classes, which any version may change; ``compiled`` uses it with versions that were tried.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

from llvmlite import binding  # type: ignore[import-untyped]
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult

_KIND = "part"


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
        enabled = gc.isenabled()
        gc.disable()
        try:
            return super().compile_extra(func)
        finally:
            if enabled:
                gc.enable()


class PartCompiler(QuietCompiler):
    """The compiler of the engine: what takes a pointer or a record becomes a part."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        if has_pointer_argument(self.state.args):
            self.state.library = Part(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


def has_pointer_argument(kinds: tuple[Any, ...]) -> bool:
    """Return whether arguments of these types, pointers or records, can come from compiled code only."""
    return any(isinstance(kind, types.CPointer | types.RawPointer) for kind in kinds)
