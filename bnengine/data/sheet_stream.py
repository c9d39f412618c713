"""Streaming parser of an Excel sheet; only nonempty cells are stored."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any, NoReturn
from xml.parsers import expat

from bnengine.data import limits
from bnengine.data.dataset import DataError
from bnengine.data.reading_progress import rows_read

#: Excel's own limits.
MAX_ROWS, MAX_COLUMNS, MAX_CHARACTERS = 1_048_576, 16_384, 32_767
_PLACE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,19})")
_TAGS_PER_CELL = 4


@dataclass(frozen=True)
class Formula:
    """A formula without a stored value."""

    text: str


Cell = str | Formula


def parse(
    source: IO[bytes],
    opened: Callable[[str, dict[str, str]], None],
    closed: Callable[[str, str], None],
    n_bytes: int = 0,
) -> None:
    """Call ``opened(tag, attributes)`` and ``closed(tag, text since the last tag)`` for each tag of an XML stream.

    If the number of its bytes is given, how many of them were read is told.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    text: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        text.clear()
        opened(name.rpartition(" ")[2], attributes)

    def end(name: str) -> None:
        closed(name.rpartition(" ")[2], "".join(text))
        text.clear()

    def refuse(*_: Any) -> NoReturn:
        raise ValueError("a workbook must not declare a document type")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = text.append
    parser.StartDoctypeDeclHandler = refuse
    parser.buffer_text = True
    n_read = 0
    while block := source.read(2**16):
        n_read += len(block)
        if n_bytes:
            rows_read(n_read, n_bytes)
        parser.Parse(block, False)
    parser.Parse(b"", True)


class _Tags:
    """Counts tags, to bound markup without cells, too."""

    def __init__(self, called: str) -> None:
        self.called, self.n = called, 0

    def one_more(self) -> None:
        self.n += 1
        if self.n > _TAGS_PER_CELL * limits.LIMITS.sheet_cells:
            raise _too_large(self.called, "")


def _too_large(called: str, where: str) -> DataError:
    return DataError(
        f"the first sheet of {called} has more than {limits.LIMITS.sheet_cells:,} cells, the limit for "
        f"Excel{where}; delete cells outside the table, or save the sheet as .csv"
    )


def shared_strings(archive: zipfile.ZipFile, member: str, called: str) -> list[str]:
    """Return the strings that cells refer to by number."""
    strings: list[str] = []
    if member not in archive.namelist():
        return strings
    tags, parts, aside = _Tags(called), [""], [0]

    def opened(tag: str, _: dict[str, str]) -> None:
        tags.one_more()
        if tag == "si":
            parts.clear()
        aside[0] += tag == "rPh"

    def closed(tag: str, text: str) -> None:
        if tag == "t" and not aside[0]:
            parts.append(text)
        elif tag == "si":
            strings.append(_bounded("".join(parts), called))
        aside[0] -= tag == "rPh"

    with archive.open(member) as source:
        parse(source, opened, closed)
    return strings


def _bounded(text: str, called: str) -> str:
    if len(text) > MAX_CHARACTERS:
        raise DataError(
            f"a cell of {called} holds more than {MAX_CHARACTERS:,} characters, Excel's limit; leave that column out"
        )
    return text


class _Done(Exception):  # noqa: N818  # not an error: stops the parser after the last cell
    """The end of the cells."""


class SheetReader:
    """Parser of the cells of one sheet.

    Parameters
    ----------
    strings : list of str
    styles : list of str
        "date", "duration" or "" for each style number.
    epoch : datetime
        Day 0 of the workbook's dates.
    called : str
        The file, for error messages.
    """

    def __init__(self, strings: list[str], styles: list[str], epoch: datetime, called: str) -> None:
        self.strings, self.styles, self.epoch, self.called = strings, styles, epoch, called
        self.cells: dict[int, list[Cell]] = {}
        self.row = self.column = self.last_row = self.last_column = self.n_characters = 0
        self.tags = _Tags(called)

    def read(self, source: IO[bytes], n_bytes: int = 0) -> dict[int, list[Cell]]:
        """Return cells by row number, from 1, up to the last nonempty cell of each row; missing cells are empty."""
        with suppress(_Done):
            parse(source, self._opened, self._closed, n_bytes)
        return self.cells

    def _opened(self, tag: str, attributes: dict[str, str]) -> None:
        self.tags.one_more()
        if tag == "row":
            self.row, self.column = self._row_number(attributes.get("r"), self.row + 1), 0
        elif tag == "c":
            self.column += 1
            place = _PLACE.fullmatch(attributes.get("r", ""))
            if place:
                self.column = _column_number(place[1])
                self.row = self._row_number(place[2], self.row)
            if self.column > MAX_COLUMNS:
                raise DataError(
                    f"the first sheet of {self.called} refers to column {self.column}, but a sheet has at most "
                    f"{MAX_COLUMNS:,} columns; open the file and save it again as .xlsx or .csv"
                )
            self.kind, self.style = attributes.get("t", "n"), attributes.get("s", "0")
            self.value, self.inline, self.formula = None, [], None
            self.aside = 0
        elif tag == "f":
            self.formula_kind = attributes.get("t", "")
        elif tag == "rPh":
            self.aside += 1

    value: str | None
    inline: list[str]
    formula: str | None
    formula_kind: str
    kind: str
    style: str
    aside: int

    def _row_number(self, written: str | None, expected: int) -> int:
        row = expected if written is None else int(written[:20])
        if not 1 <= row <= MAX_ROWS:
            raise DataError(
                f"the first sheet of {self.called} refers to row {row}, but a sheet has at most {MAX_ROWS:,} rows; "
                "open the file and save it again as .xlsx or .csv"
            )
        return row

    def _closed(self, tag: str, text: str) -> None:
        if tag == "v":
            self.value = text
        elif tag == "t" and not self.aside:
            self.inline.append(text)
        elif tag == "rPh":
            self.aside -= 1
        elif tag == "f":
            self.formula = f"={text}" if self.formula_kind != "array" and text else "array or shared formula"
        elif tag == "c":
            self._keep(self._content())
        elif tag == "sheetData":
            raise _Done

    def _content(self) -> Cell:
        if self.kind == "inlineStr":
            return "".join(self.inline)
        if not self.value:
            return Formula(self.formula) if self.formula is not None and self.kind != "str" else ""
        if self.kind == "s":
            place = int(self.value[:20])
            if place < 0:
                raise ValueError("a cell refers to a missing string")
            return self.strings[place]
        if self.kind == "b":
            return str(bool(int(self.value[:20])))
        if self.kind == "n":
            return self._number(self.value)
        return self.value

    def _number(self, written: str) -> str:
        number = float(written)
        style = self.styles[int(self.style[:10])] if self.styles else ""
        if style:
            from openpyxl.utils.datetime import from_excel

            try:
                return str(from_excel(number, self.epoch, timedelta=style == "duration"))
            except (OverflowError, ValueError):
                return "#VALUE!"
        if number.is_integer() and abs(number) < 1e18:
            return str(int(number)) if any(letter in written for letter in ".eE") else str(int(written))
        return repr(number)

    def _keep(self, cell: Cell) -> None:
        """Store a cell; DataError if the table would become too large."""
        if cell == "":
            return
        if isinstance(cell, str):
            self.n_characters += len(_bounded(cell, self.called))
            if self.n_characters > limits.LIMITS.bytes:
                raise DataError(
                    f"the text in {self.called} is larger than {limits.LIMITS.megabytes} MB; keep the columns of "
                    "interest"
                )
        self.last_row, self.last_column = max(self.last_row, self.row), max(self.last_column, self.column)
        if self.last_row * self.last_column > limits.LIMITS.sheet_cells:
            raise _too_large(self.called, f" (one is in row {self.row:,}, column {self.column:,})")
        line = self.cells.setdefault(self.row, [])
        line.extend([""] * (self.column - len(line)))
        line[self.column - 1] = cell


def _column_number(letters: str) -> int:
    number = 0
    for letter in letters.upper():
        number = 26 * number + ord(letter) - 64
    return number
