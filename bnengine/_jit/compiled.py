"""The one decorator behind every compiled function of the engine.

Compiled code is kept on disk (see ``KeptCode``), so only the first run on a machine pays for compiling. A function's
machine code holds that of the functions it calls, so what is kept is named after the digest of all files with compiled
functions: an edit of one recompiles all.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import sys
import tempfile
import threading
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import llvmlite  # type: ignore[import-untyped]
import numba
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parents[1]


_MARKS = (b"@compiled", b"@inlined", b"@kernel", b"@record", b"numba.extending", b"numba.core.compiler")


@cache
def source_digest() -> str:
    """Return a digest of what all machine code of the engine depends on: versions, and every file with a kernel."""
    digest = hashlib.sha256(f"{numba.__version__} {llvmlite.__version__} {sys.version}".encode())
    for path in sorted(_PACKAGE.rglob("*.py")):
        source = path.read_bytes()
        if any(mark in source for mark in _MARKS):
            digest.update(str(path.relative_to(_PACKAGE)).encode() + b"\0" + source)
    return digest.hexdigest()


# Compiled code kept on disk: one file for each function and kinds of arguments, with a digest that shows any damage.
#
# Numba's own cache trusts its files, so that one cut short, emptied or overwritten, by a full disk or a machine that
# went down, fails every later run. Here a damaged file is not read and written anew. A file is written
# whole under another name and then renamed, so that processes that compile at the same time never see each other's
# half; where nothing can be written, compiled code is used without being kept.

_DIGEST = hashlib.sha256
_DIGEST_SIZE = _DIGEST().digest_size


class KeptCode:
    """The compiled forms of one function, as numba's dispatcher looks them up and saves them.

    The first of the ``folders`` is written to, all are read, in their order.
    """

    def __init__(self, function: Callable[..., Any], folders: Sequence[Path]) -> None:
        self._folders, self._folder = folders, folders[0]
        self._stem = f"{function.__module__}.{function.__qualname__}".replace("<", "").replace(">", "")
        self._code = _DIGEST(function.__code__.co_code).hexdigest()
        self.cache_path = str(self._folder)  # numba's dispatcher tells it

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the function compiled for these arguments; None where it has to be compiled."""
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        found = (self._read(folder / self._name(key), key, target_context) for folder in self._folders)
        return next((one for one in found if one is not None), None)

    def _read(self, path: Path, key: tuple[str, ...], target_context: Any) -> Any:
        """Read a compiled form from a file; None if there is none, it is damaged or that of another function."""
        from bnengine._jit.parts import rebuilt

        try:
            content = path.read_bytes()
            digest, data = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
            if _DIGEST(data).digest() != digest:
                return None
            known, payload = pickle.loads(data)
            return rebuilt(target_context, pickle.loads(payload)) if known == key else None
        except Exception:  # no file; or whole, as its digest shows, but nothing that can be made into code
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled form, if a file can be written."""
        if data.lifted or data.library.has_dynamic_globals:
            return
        from numba.core.serialize import dumps

        key = self._key(sig, data.codegen)
        content = dumps((key, dumps(data._reduce())))
        path = self._folder / self._name(key)
        unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex[:16]}")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            unfinished.write_bytes(_DIGEST(content).digest() + content)
            os.replace(unfinished, path)
        except OSError:  # read-only, full: the code is in memory and works
            with suppress(OSError):
                unfinished.unlink()

    def _key(self, sig: Any, codegen: Any) -> tuple[str, ...]:
        """Return what decides on the machine code: types of arguments, processor, the function's code, the sources."""
        return (str(sig), *map(str, codegen.magic_tuple()), self._code, source_digest())

    def _name(self, key: tuple[str, ...]) -> str:
        return f"{self._stem}-{_DIGEST(repr(key).encode()).hexdigest()[:16]}.nbc"


# The folders of cached compiled code. Code is loaded from them, so no other user may be able to write there.


def folder_for_code(preferred: Path) -> Path | None:
    """Return a writable folder: the preferred one, else one of the user alone; None if neither exists.

    The preferred one is inside the package: anyone who may write there may change the package itself.
    """
    if _can_be_made(preferred) and os.access(preferred, os.W_OK):
        return preferred
    user = getattr(os, "getuid", lambda: 0)()
    own = (folder for folder in _own_folders() if _can_be_made(folder) and _is_written_by(user, folder))
    return next((folder for folder in own if os.access(folder, os.W_OK)), None)


def _own_folders() -> list[Path]:
    """Return candidates: in the user's cache, then in the temporary folder, which all users of a machine may share.

    platformdirs names the first of them only; what is kept is run, so that who else may write there matters more.
    """
    user = getattr(os, "getuid", lambda: "own")()
    folders, given = list[Path](), os.environ.get("XDG_CACHE_HOME")
    with suppress(RuntimeError):  # a user without a home
        folders.append((Path(given) if given else Path.home() / ".cache") / "bnengine")
    with suppress(OSError):  # where no folder can be written to, not even a temporary one
        folders.append(Path(tempfile.gettempdir()) / f"bnengine-{user}")
    return folders


def _can_be_made(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    return True


def _is_written_by(user: int, folder: Path) -> bool:
    """Return whether it is a folder, no link, of a user who alone may write there, where the system has users."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and (
        not hasattr(os, "getuid") or (found.st_uid == user and not found.st_mode & 0o022)
    )


def folders_for_code(package: Path) -> list[Path]:
    """Return where compiled code is written to, if it can be, and where else it is read from.

    The second is where whoever installed the package compiled it ahead, if they alone may write there.
    """
    beside = package / "__pycache__"
    first, ahead = folder_for_code(beside) or Path(os.devnull), beside / "compiled"
    is_trusted = first != beside and _is_written_by(os.lstat(package).st_uid, ahead)
    return [first / "compiled", *[ahead] * is_trusted]


FOLDERS = folders_for_code(_PACKAGE)

#: The versions of numba that the tests were run with. With another one, or with ``BNENGINE_NUMBA=plain``, none of its
#: own classes are used: it compiles and caches as it does for everybody, which takes longer and gives the same results.
#: To try another version, add it here and run ``tests/_jit`` with it.
TRIED = {(0, 68)}
FENCE = (
    os.environ.get("BNENGINE_NUMBA") != "plain"
    and not numba.config.DISABLE_JIT
    and tuple(map(int, numba.__version__.split(".")[:2])) in TRIED
)
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
if FENCE:
    from numba.core.ccallback import CFunc

    from bnengine._jit.parts import PartCompiler, QuietCompiler, has_pointer_argument

    _OPTIONS["pipeline_class"] = PartCompiler


def _plain(decorate: Callable[..., Any], function: Callable[..., Any], *signature: Any, **options: Any) -> Any:
    """Compile as numba does for everybody, kept by numba itself if it finds a folder for that."""
    try:
        return decorate(*signature, cache=True, **options)(function)
    except RuntimeError:
        return decorate(*signature, **options)(function)


def inlined(function: F) -> F:
    """Compile a short function into its callers."""
    dispatcher = numba.njit(forceinline=True, **_OPTIONS)(function)
    if FENCE:
        _compile_once(dispatcher)
    return dispatcher  # type: ignore[no-any-return]


#: A pointer, in compiled code; see ``pointer_to``.
Pointer = Any


@intrinsic
def _pointer_to(typing_context, array):  # type: ignore[no-untyped-def]
    """Return the address of a contiguous array's first element, for use in compiled code; index it as the flat array.

    Every call between compiled functions touches the reference count of each array it passes, atomically. Pointers
    carry no count. Convention: take the pointer of an argument of the function only, or of an array in one, since its
    caller keeps it alive; an array made in the function would be freed at its last use, with the pointer still in use.
    """

    def take_address(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), take_address


def _flat(array: npt.NDArray[Any]) -> Pointer:
    """Return what stands for a pointer with the compiler switched off."""
    flat = array.view()
    flat.shape = (-1,)  # unlike ``reshape`` this never copies
    return flat


pointer_to: Callable[[npt.NDArray[Any]], Pointer] = _flat if numba.config.DISABLE_JIT else _pointer_to


def compiled(function: F) -> F:
    """Compile ``function`` on first call: no Python objects, no global lock held, kept on disk."""
    if not FENCE:
        return _plain(numba.njit, function, **_OPTIONS)  # type: ignore[no-any-return]
    dispatcher = numba.njit(**_OPTIONS)(function)
    dispatcher._cache = KeptCode(function, FOLDERS)
    _compile_once(dispatcher)
    return dispatcher  # type: ignore[no-any-return]


def _compile_once(dispatcher: Any) -> None:
    """Compile for the type of an argument only, not again for each constant that a caller passes.

    What takes a pointer can be called by compiled code only and needs no wrapper for calls from Python.
    """
    by_types, options = dispatcher.get_call_template, dispatcher.targetoptions

    def template(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        options["no_cpython_wrapper"] = has_pointer_argument(args)
        try:
            return by_types(tuple(map(types.unliteral, args)), {name: types.unliteral(kws[name]) for name in kws})
        finally:
            options["no_cpython_wrapper"] = False

    dispatcher.get_call_template = template
    options["no_cfunc_wrapper"] = True


# Kernels: functions compiled once and called through their addresses.
#
# The machine code of a compiled function contains that of all compiled functions it calls, so that ten searches would
# compile the scoring code ten times. A kernel is compiled by itself; its callers find its address in the record they
# are given and contain no more than the call, a few nanoseconds. What a caller does not need is not compiled at all.


class Kernel:
    """A function with a fixed signature that compiled code calls through its address.

    Parameters
    ----------
    function : callable
        Its first parameter is the record.
    signature : numba signature
    """

    def __init__(self, function: Callable[..., Any], signature: Any) -> None:
        self._function, self._signature = function, signature
        self._code: Any = None
        self._lock = threading.RLock()

    @property
    def address(self) -> Any:
        """The address of its machine code, made or read from the disk when first asked for."""
        if numba.config.DISABLE_JIT:
            return self._function
        with self._lock:  # a second compilation would replace the code behind an address in use
            if self._code is None:
                self._code = self._compiled()
        return self._code.address

    def _compiled(self) -> Any:
        if not FENCE:
            return _plain(numba.cfunc, self._function, self._signature, error_model="numpy")
        options = {"nopython": True, "error_model": "numpy"}
        code = CFunc(self._function, (self._signature.args, self._signature.return_type), {}, options, QuietCompiler)
        code._cache = KeptCode(self._function, FOLDERS)  # type: ignore[attr-defined]
        code.compile()
        return code


def kernel(signature: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Make a function a kernel."""
    return lambda function: Kernel(function, signature)
