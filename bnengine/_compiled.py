"""The one decorator behind every compiled function of the engine.

Compiled code is kept on disk (see ``_kept``), so only the first run on a machine pays for compiling. A function's
machine code holds that of the functions it calls, in whatever file they stand; the kept code therefore lives in a
folder named after the digest of all files that hold compiled functions: any edit opens a fresh folder.
"""

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from bnengine._code_folder import folder_for_code
from bnengine._kept import KeptCode

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent


def _digest_of_kernels() -> str:
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if b"@compiled" in source:
            digest.update(source)
    return digest.hexdigest()[:16]


_BESIDE = folder_for_code(_PACKAGE / "__pycache__")
_FOLDER = None if _BESIDE is None else _BESIDE / f"compiled-{_digest_of_kernels()}"


def inlined(function: F) -> F:
    """Compile a short function into its callers: for those that take a large tuple, which a call would copy."""
    return numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)  # type: ignore[no-any-return]


#: A pointer, in compiled code; see ``pointer_to``.
Pointer = Any


@intrinsic
def _pointer_to(typing_context, array):  # type: ignore[no-untyped-def]
    """The address of a contiguous array's first element, for use in compiled code; index it as the flat array.

    Every call between compiled functions touches the reference count of each array it hands over, atomically; with
    the dozen arrays of a ``Problem`` that costs more than counting a small family does. Pointers carry no count: a
    search takes them once, from arrays that its caller keeps alive.
    """

    def take_address(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), take_address


pointer_to: Callable[[npt.NDArray[Any]], Pointer] = _pointer_to


def compiled(function: F) -> F:
    """Compile ``function`` on first call: no Python objects, no global lock held, kept on disk."""
    dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
    if _FOLDER is not None and hasattr(dispatcher, "_cache"):  # with the compiler switched off it is a plain function
        dispatcher._cache = KeptCode(function, _FOLDER)
    return dispatcher  # type: ignore[no-any-return]
