"""Compiled code kept on disk: one file for each function and kinds of arguments, with a digest that shows any damage.

Numba's own cache trusts its files, so that one cut short, emptied or overwritten, by a full disk or a machine that went
down, fails every later run. Here a damaged file is set aside and the function compiled again. A file is written whole
under another name and then renamed, so that processes that compile at the same time never see each other's half; where
nothing can be written, compiled code is used without being kept.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import tempfile
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

_DIGEST = hashlib.sha256
_DIGEST_SIZE = _DIGEST().digest_size


class KeptCode:
    """The compiled forms of one function, as numba's dispatcher looks them up and saves them.

    The first of the ``folders`` is written to, all are read, in their order; ``sources`` is a digest of all that the
    machine code depends on.
    """

    def __init__(self, function: Callable[..., Any], folders: Sequence[Path], sources: str = "") -> None:
        self._folders, self._folder, self._sources = folders, folders[0], sources
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
        try:
            content = path.read_bytes()
        except OSError:
            return None
        digest, data = content[:_DIGEST_SIZE], content[_DIGEST_SIZE:]
        if _DIGEST(data).digest() != digest:
            self._set_aside(path)
            return None
        from bnengine._jit.parts import rebuilt

        try:
            known, payload = pickle.loads(data)
            return rebuilt(target_context, pickle.loads(payload)) if known == key else None
        except Exception:  # whole, as its digest shows, but nothing that can be made into code
            self._set_aside(path)
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
        return (str(sig), *map(str, codegen.magic_tuple()), self._code, self._sources)

    def _name(self, key: tuple[str, ...]) -> str:
        return f"{self._stem}-{_DIGEST(repr(key).encode()).hexdigest()[:16]}.nbc"

    def _set_aside(self, path: Path) -> None:
        with suppress(OSError):
            os.replace(path, path.with_suffix(".damaged"))


# The folders of cached compiled code. Code is loaded from them, so no other user may be able to write there.


def folder_for_code(preferred: Path) -> Path | None:
    """Return a writable folder: the preferred one, else one owned by the user; None if neither exists.

    The preferred one is inside the package: anyone who may write there may change the package itself.
    """
    if _can_be_made(preferred) and os.access(preferred, os.W_OK):
        return preferred
    return next((folder for folder in _own_folders() if _is_ours_alone(folder)), None)


def made_ahead(folder: Path) -> Path | None:
    """Return a folder inside the package that is only read, since others installed it; None unless it is theirs alone.

    An image or an administrator compiles ahead for users who may not write there.
    """
    package = folder.parents[1]
    try:
        found, owner = os.lstat(folder), os.lstat(package).st_uid
    except OSError:
        return None
    alone = not hasattr(os, "getuid") or (found.st_uid == owner and not found.st_mode & 0o022)
    return folder if stat.S_ISDIR(found.st_mode) and alone else None


def _own_folders() -> list[Path]:
    """Return candidates: in the user's cache, then in the temporary folder, which all users of a machine may share."""
    user = getattr(os, "getuid", lambda: "own")()
    folders = [Path(tempfile.gettempdir()) / f"bnengine-{user}"]
    given = os.environ.get("XDG_CACHE_HOME")
    try:
        return [(Path(given) if given else Path.home() / ".cache") / "bnengine", *folders]
    except RuntimeError:  # a user without a home
        return folders


def _can_be_made(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    return True


def _is_ours_alone(folder: Path) -> bool:
    """Create the folder if needed; return whether it is this user's, not a link, and writable by no one else."""
    if not _can_be_made(folder):
        return False
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    if not stat.S_ISDIR(found.st_mode):
        return False
    if hasattr(os, "getuid") and (found.st_uid != os.getuid() or found.st_mode & 0o022):
        return False
    return os.access(folder, os.W_OK)
