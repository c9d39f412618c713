"""The folders of cached compiled code. Code is loaded from them, so no other user may be able to write there."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path


def folder_for_code(preferred: Path) -> Path | None:
    """Return a writable folder: the preferred one, else one owned by the user; None if neither exists.

    Parameters
    ----------
    preferred : Path
        Inside the package: anyone who may write there may change the package itself.
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
