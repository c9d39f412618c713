"""The bytes of a file somebody else made, gzipped or not, never more of them than asked for."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import BinaryIO

from bnengine.data.dataset import DataError


def name_of(source: str | Path | BinaryIO) -> str:
    """What to call a file in an error message."""
    return Path(source).name if isinstance(source, (str, Path)) else str(getattr(source, "name", "the file"))


def bytes_of(source: str | Path | BinaryIO, called: str, max_bytes: int) -> bytes:
    """The content, unpacked.

    Raises
    ------
    DataError
        There is no such file, the packing is damaged, or there are more bytes, packed or unpacked.
    """
    if isinstance(source, (str, Path)):
        path = Path(source)
        if not path.is_file():
            raise DataError(f"there is no file {path}")
        refuse_large(path.stat().st_size, called, max_bytes)
        raw = path.read_bytes()
    else:
        raw = source.read(max_bytes + 1)
    refuse_large(len(raw), called, max_bytes)
    if raw[:2] == b"\x1f\x8b":
        try:
            with gzip.open(io.BytesIO(raw)) as packed:
                raw = packed.read(max_bytes + 1)
        except (OSError, EOFError, zlib.error):
            raise DataError(f"{called} is a damaged gzip file; pack or download it again") from None
        refuse_large(len(raw), called, max_bytes)
    return raw


def refuse_large(n_bytes: int, called: str, max_bytes: int) -> None:
    """A DataError if there are more bytes."""
    if n_bytes > max_bytes:
        raise DataError(
            f"{called} is larger than {max_bytes // 2**20} MB; "
            "keep the columns of interest, or a random part of the rows"
        )
