"""Reading a table from a file somebody else made: CSV in its dialects, Excel, Parquet, gzipped or not.

Words stay words: ``None``, ``NA`` and ``null`` are states. Only an empty cell is missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from bnengine.data import limits
from bnengine.data.dataset import DataError
from bnengine.data.parquet_table import read_parquet
from bnengine.data.sheet_table import read_xlsx
from bnengine.data.text_table import read_text
from bnengine.data.unpacking import bytes_of, name_of

if TYPE_CHECKING:
    import pandas as pd

#: Largest file, and largest content of a compressed file, in bytes.
MAX_BYTES = limits.LIMITS.bytes


@dataclass(frozen=True)
class Reading:
    """What was decided while a table was read; it stands in the frame's ``attrs["reading"]``.

    Attributes
    ----------
    form : str
        Kind of file, encoding and separator.
    remarks : tuple of str
        What could have been meant otherwise, each with what to do about it.
    """

    form: str
    remarks: tuple[str, ...] = ()


def read_table(source: str | Path | BinaryIO, *, name: str | None = None, max_bytes: int = MAX_BYTES) -> pd.DataFrame:
    r"""Read a table whose first line names the columns.

    Parameters
    ----------
    source : path or binary file
        CSV (comma, semicolon, tab, bar or space; UTF-8, UTF-16, UTF-32 or Windows-1252), xlsx (first sheet) or
        Parquet; any of them gzipped. What the file is, is told by its content.
    name : str, optional
        What to call the file in error messages.
    max_bytes : int
        Larger files, packed or unpacked, are refused before they are read.

    Returns
    -------
    DataFrame
        Columns of numbers where every cell is a number, else of words. Empty cells are missing. What was decided on
        the way stands in ``attrs["reading"]``.

    Raises
    ------
    DataError
        Empty, too large or damaged file, repeated column names, ragged lines, a formula in a cell. What is too large
        is declared in ``bnengine.limits`` and counted while reading.

    Examples
    --------
    >>> import io
    >>> frame = read_table(io.BytesIO(b"dose;cured\n1,5;yes\n2,25;no\n"))
    >>> frame["dose"].tolist()
    [1.5, 2.25]
    >>> frame.attrs["reading"].remarks
    ("decimal commas: 'dose'",)
    """
    called = name or name_of(source)
    raw = bytes_of(source, called, max_bytes)
    if not raw[:4096].strip() and not raw.strip():
        raise DataError(f"{called} is empty; a table needs a line of column names and at least one row")
    remarks: list[str] = []
    if raw[:4] == b"PAR1":
        frame, form = read_parquet(raw, called, max_bytes, remarks), "Parquet"
    elif raw[:4] == b"PK\x03\x04":
        frame, form = read_xlsx(raw, called, max_bytes, remarks)
    elif raw[:4] == b"\xd0\xcf\x11\xe0":
        raise DataError(f"{called} is an old Excel file (.xls); save it as .xlsx or .csv")
    else:
        frame, form = read_text(raw, called, remarks)
    frame.attrs["reading"] = Reading(form, tuple(remarks))
    return frame
