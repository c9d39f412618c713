"""What may be declared about a file instead of being detected, and the progress of reading it."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import BinaryIO

from bnengine._core import isolated
from bnengine._core.limits import check_limits, limit
from bnengine.data.checked_frame import DataError


@dataclass(frozen=True)
class Limits:
    """The largest size of files that are read; larger ones are refused with a message that names the limit.

    Attributes
    ----------
    megabytes : int
        Of a file, packed and unpacked, in units of 2**20 bytes; also of the strings in a table.
    cells, columns : int
        Of a table.
    sheet_cells : int
        Of the sheet of a workbook, empty cells included.
    network_megabytes, table_cells : int
        Of a network file, packed and unpacked; of all its probability tables together.
    reader_megabytes, reader_seconds : int
        Memory and processor time that reading one file may take, in a process of its own.
    """

    megabytes: int = 200
    cells: int = 30_000_000
    columns: int = 10_000
    sheet_cells: int = 2_000_000
    network_megabytes: int = 50
    table_cells: int = 50_000_000
    reader_megabytes: int = 2048
    reader_seconds: int = 120

    @classmethod
    def from_environment(cls) -> Limits:
        """Return the limits, changed by variables such as ``BNENGINE_MAX_COLUMNS=20000``; see ``check_limits``."""
        return cls(**{field.name: limit(field.name.upper(), getattr(cls, field.name)) for field in fields(cls)})

    @property
    def bytes(self) -> int:
        """The limit ``megabytes`` in bytes."""
        return self.megabytes * 2**20

    @property
    def sentence(self) -> str:
        """A sentence that states the limits to the user."""
        return (
            f"At most {self.cells / 1e6:g} million cells in {self.columns:,} columns, "
            f"{self.sheet_cells / 1e6:g} million cells in an Excel sheet, {self.megabytes} MB when unpacked."
        )


LIMITS = Limits.from_environment()


# The content of an untrusted file, gzipped or not, up to a maximal size.


def name_of(source: str | Path | BinaryIO) -> str:
    """Return the name of a file for error messages."""
    return Path(source).name if isinstance(source, (str, Path)) else str(getattr(source, "name", "the file"))


def content_of(source: str | Path | BinaryIO, called: str, max_bytes: int) -> bytes:
    """Return the unpacked content; a DataError without a file, for a damaged one, or above ``max_bytes``."""
    check_limits()
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


def write_bytes(raw: bytes, target: str | Path | BinaryIO) -> None:
    """Write to a path or a binary file."""
    if isinstance(target, (str, Path)):
        Path(target).write_bytes(raw)
    else:
        target.write(raw)


def check_bytes(n_bytes: int, called: str, max_bytes: int) -> None:
    """Raise a DataError if there are more than ``max_bytes``."""
    if n_bytes > max_bytes:
        raise DataError(
            f"{called} is larger than {max_bytes // 2**20} MB; "
            "keep the columns of interest, or a random sample of the rows"
        )


#: The value of an option that is detected.
AUTO = "auto"
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "space": " "}
#: Encodings by their names in lists, as Python calls them.
ENCODINGS = {
    "utf-8": "utf-8-sig",
    "utf-16": "utf-16",
    "windows-1252": "cp1252",
    "windows-1250": "cp1250",
    "windows-1251": "cp1251",
    "iso-8859-15": "iso8859-15",
    "mac-roman": "mac-roman",
    "gb18030": "gb18030",
    "shift-jis": "shift_jis",
}
COMMENTS = {AUTO: "#", "none": "", "percent": "%", "slashes": "//"}
#: Choices of the options that have them, with titles.
CHOICES: Mapping[str, Mapping[str, str]] = {
    "separator": {AUTO: "As detected", **{name: name.capitalize() for name in SEPARATORS}},
    "decimal": {AUTO: "As detected", "point": "Point: 1,234.5", "comma": "Comma: 1234,5"},
    "encoding": {AUTO: "As detected", **{name: name for name in ENCODINGS}},
    "comment": {AUTO: "Lines that begin with #", "none": "None", "percent": "Lines with %", "slashes": "Lines with //"},
    "cases": {AUTO: "As detected", "rows": "A case a row", "columns": "A case a column"},
}


@dataclass(frozen=True)
class ReadingOptions:
    """How to read a file; each option is detected unless it is given.

    Attributes
    ----------
    sheet : str
        Title of an Excel sheet; empty for the largest that holds a table.
    header : bool
        Whether the first line holds the column names; otherwise they are "column 1", "column 2", ….
    separator, decimal, encoding, comment : str
        Of text; one of ``CHOICES``. With the decimal mark "point", commas are thousands separators.
    cases : str
        Whether the rows or the columns of text and sheets are the cases; one of ``CHOICES``.
    """

    sheet: str = ""
    header: bool = True
    separator: str = AUTO
    decimal: str = AUTO
    encoding: str = AUTO
    comment: str = AUTO
    cases: str = AUTO

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}; got '{getattr(self, name)}'")


def numbered_columns(width: int) -> list[str]:
    """Return names for the columns of a table that has none."""
    return [f"column {c}" for c in range(1, width + 1)]


#: The parts of the work on a table, as shares of the whole: its rows, or bytes, read; columns typed; described.
ROWS_READ, COLUMNS_TYPED, COLUMNS_DESCRIBED = (0, 600), (600, 850), (850, 1000)


def report_part(part: tuple[int, int], done: int, total: int) -> None:
    """Report how much of a part of the work is done to the process that waits for it."""
    begin, end = part
    isolated.report_progress(round(begin + (end - begin) * min(done / max(total, 1), 1)), 1000)
