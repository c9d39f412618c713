"""Kernels: functions compiled once and called through their addresses.

The machine code of a compiled function contains that of all compiled functions it calls, so that ten searches would
compile the scoring code ten times. A kernel is compiled by itself; its callers find its address in the record they are
given and contain no more than the call, a few nanoseconds. What a caller does not need is not compiled at all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core.ccallback import CFunc
from numba.core.compiler_lock import global_compiler_lock
from numba.extending import intrinsic

from bnengine._core.compiled import kept
from bnengine._core.parts import QuietCompiler
from bnengine._core.record_types import layout_of


class Kernel:
    """A function with a fixed signature that compiled code calls through its address.

    Parameters
    ----------
    function : callable
        Its first parameter is the record.
    signature : numba signature
    """

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        self._function = function
        options = {"nopython": True, "error_model": "numpy"}
        self._code = CFunc(function, (signature.args, signature.return_type), {}, options, QuietCompiler)
        self._code._cache = kept(function) or self._code._cache  # type: ignore[attr-defined]

    @property
    def address(self) -> Any:
        """The address of its machine code, made or read from the disk when first asked for."""
        if numba.config.DISABLE_JIT:
            return self._function
        with global_compiler_lock:  # a second compilation would replace the code behind an address in use
            if self._code.address is None:
                self._code.compile()
        return self._code.address


def kernel(signature: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a function a kernel."""
    return lambda function: Kernel(function, signature)


def caller(record: type, field: str, signature: Any) -> Callable[..., Any]:
    """A compiled function that calls the kernel whose address is in ``record.kernels.<field>``."""
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
