"""The content of an untrusted file, gzipped or not, up to a maximal size."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import BinaryIO

from bnengine.data.dataset import DataError


def name_of(source: str | Path | BinaryIO) -> str:
    """Return the name of a file for error messages."""
    return Path(source).name if isinstance(source, (str, Path)) else str(getattr(source, "name", "the file"))


def bytes_of(source: str | Path | BinaryIO, called: str, max_bytes: int) -> bytes:
    """Return the unpacked content.

    Raises
    ------
    DataError
        If there is no such file, the gzip file is damaged, or the content exceeds ``max_bytes``, packed or unpacked.
    """
    if isinstance(source, (str, Path)):
        path = Path(source)
        if not path.is_file():
            raise DataError(f"there is no file {path}; check the path")
        check_bytes(path.stat().st_size, called, max_bytes)
        raw = path.read_bytes()
    else:
        raw = source.read(max_bytes + 1)
    check_bytes(len(raw), called, max_bytes)
    if raw[:2] == b"\x1f\x8b":
        try:
            with gzip.open(io.BytesIO(raw)) as packed:
                raw = packed.read(max_bytes + 1)
        except (OSError, EOFError, zlib.error):
            raise DataError(f"{called} is a damaged gzip file; pack or download it again") from None
        check_bytes(len(raw), called, max_bytes)
    return raw


def check_bytes(n_bytes: int, called: str, max_bytes: int) -> None:
    """Raise a DataError if there are more than ``max_bytes``."""
    if n_bytes > max_bytes:
        raise DataError(
            f"{called} is larger than {max_bytes // 2**20} MB; "
            "keep the columns of interest, or a random sample of the rows"
        )
