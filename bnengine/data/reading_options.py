"""What may be said about a file instead of being detected, and the progress of reading it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bnengine._core import isolated

#: The value of an option that is detected.
AUTO = "auto"
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "space": " "}
DECIMALS = ("point", "comma")
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
    transposed : bool
        Whether each line of text or of a sheet is a variable, with its name in the first cell.
    separator, decimal, encoding, comment : str
        Of text; one of ``CHOICES``. With the decimal mark "point", commas are thousands separators.
    """

    sheet: str = ""
    header: bool = True
    transposed: bool = False
    separator: str = AUTO
    decimal: str = AUTO
    encoding: str = AUTO
    comment: str = AUTO

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be one of {', '.join(choices)}; got '{getattr(self, name)}'")


def numbered(width: int) -> list[str]:
    """Return names for the columns of a table that has none."""
    return [f"column {c}" for c in range(1, width + 1)]


# How far the reading of a table is, told to the process that waits for it.


def rows_read(done: int, total: int) -> None:
    """Report the rows, or bytes, that were read, as the first part of the work on a table."""
    isolated.report_progress(*_share(done, total, 0, 60))


def columns_typed(done: int, total: int) -> None:
    """Report the columns whose type is known, as the second part."""
    isolated.report_progress(*_share(done, total, 60, 85))


def columns_described(done: int, total: int) -> None:
    """Report the columns that are described, as the last part."""
    isolated.report_progress(*_share(done, total, 85, 100))


def _share(done: int, total: int, begin: int, end: int) -> tuple[int, int]:
    return round(10 * (begin + (end - begin) * min(done / max(total, 1), 1))), 1000
