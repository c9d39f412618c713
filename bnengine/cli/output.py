"""A command's result: a table as CSV, everything as JSON, a network as BIF; on standard output or in a file."""

from __future__ import annotations

import errno
import io
import json
import math
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from click import UsageError

from bnengine._core.versions import versions as versions
from bnengine.networks.bif import write_bif
from bnengine.networks.network import BayesianNetwork


def format_of(given: Mapping[str, Any], formats: Sequence[str]) -> str:
    """The format asked for; a click.UsageError before any work if the file's ending or folder cannot be used."""
    for name in (None if given["out"] == "-" else given["out"], given.get("save_experiment")):
        path = None if name is None else Path(name)
        if path is not None and not path.absolute().parent.is_dir():
            raise UsageError(f"there is no folder {path.parent} to write {path.name} in")
        if path is not None and path.is_dir():
            raise UsageError(f"{path} is a folder; name a file in it")
        if path is not None and not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
            raise UsageError(f"{path} may not be written; name a file in a folder of yours")
    if given["format"] is not None:
        return str(given["format"])
    if given["out"] == "-":
        return formats[0]
    suffix = Path(given["out"]).suffix.lower().removeprefix(".")
    if suffix not in formats:
        endings = " or ".join(f".{name}" for name in formats)
        raise UsageError(f"--out must end in {endings}; or name the format by --format")
    return suffix


def write_file(path: Path, text: str) -> None:
    """Write a file whole or not at all; what is no regular file, such as a pipe, is written to directly."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        path.write_bytes(text.encode())
        return
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:50]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~umask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def write_out(text: str) -> None:
    """Write to standard output."""
    if sys.stdout is None:
        raise OSError(errno.EBADF, "standard output is closed; write to a file by --out")
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:  # a program has replaced it
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    left = memoryview(text.encode())
    while left:  # where Python does not buffer, the system may take a part only
        left = left[stream.write(left) :]
    stream.flush()


def bif_text(network: BayesianNetwork) -> str:
    """A network as BIF."""
    buffer = io.BytesIO()
    write_bif(network, buffer)
    return buffer.getvalue().decode()


def document(command: str, **parts: Any) -> str:
    """A result as JSON, with versions; a table is a list of lines, and NaN, which JSON does not have, is null."""
    plain = _plain({"command": command, "versions": versions(), **parts})
    return json.dumps(plain, indent=2, ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:
    if hasattr(value, "iterrows"):  # a frame
        value = value.to_dict(orient="records")
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
