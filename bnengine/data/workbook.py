"""The structure of an Excel workbook: its sheets, its strings, and which number formats are dates."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import IO, TYPE_CHECKING, Any, NoReturn
from xml.etree import ElementTree
from xml.parsers import expat

from bnengine.data import limits
from bnengine.data.dataset import DataError
from bnengine.data.limits import check_bytes
from bnengine.data.reading_options import ReadingOptions, numbered, rows_read
from bnengine.data.table_layout import remark_on_rows_above, rows_above, turned
from bnengine.data.typed_columns import check_table_size, frame_of, in_chunks, raise_formula

if TYPE_CHECKING:
    import pandas as pd


#: Largest size in bytes of parts other than sheets and strings, which are parsed as a whole.
_LARGEST_PART = 8 * 2**20


@dataclass(frozen=True)
class Workbook:
    """The parts of a workbook that a table needs.

    Attributes
    ----------
    sheets : list of (str, str)
        Titles of the worksheets, with their members of the archive.
    strings : str
        Member of the archive with the strings that cells refer to.
    styles : list of str
        "date", "duration" or "" for each style number.
    epoch : datetime
        Day 0 of the dates.
    """

    sheets: list[tuple[str, str]]
    strings: str
    styles: list[str]
    epoch: datetime

    @classmethod
    def of(cls, archive: zipfile.ZipFile, called: str) -> Workbook:
        """Parse the structure of an archive; KeyError or ValueError if it is not a workbook."""
        from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH

        root = _related(archive, "", called)
        main = next(target for kind, target in root.values() if kind == "officeDocument")
        parts = _related(archive, main, called)
        book = _part(archive, main, called)
        sheets = []
        for sheet in _all(book, "sheet"):
            kind, target = parts[next(value for key, value in sheet.items() if _local(key) == "id")]
            if kind == "worksheet":
                sheets.append((sheet.get("name", ""), target))
        if not sheets:
            raise DataError(f"{called} has no worksheet; save the table as .xlsx or .csv")
        by_kind = {kind: target for kind, target in parts.values()}
        old = any(properties.get("date1904") in ("1", "true") for properties in _all(book, "workbookPr"))
        styles = (
            _styles(_part(archive, by_kind["styles"], called)) if by_kind.get("styles") in archive.namelist() else []
        )
        epoch = MAC_EPOCH if old else WINDOWS_EPOCH
        return cls(sheets, by_kind.get("sharedStrings", ""), styles, epoch)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _all(element: Any, tag: str) -> list[Any]:
    return [one for one in element.iter() if _local(str(one.tag)) == tag]


def _part(archive: zipfile.ZipFile, member: str, called: str) -> Any:
    """Return a part of the archive as a tree."""
    if archive.getinfo(member).file_size > _LARGEST_PART:
        raise DataError(
            f"a part of {called} other than a sheet ({member}) is larger than {_LARGEST_PART // 2**20} MB; save the "
            "sheet as .csv"
        )
    return ElementTree.fromstring(archive.read(member))


def _related(archive: zipfile.ZipFile, member: str, called: str) -> dict[str, tuple[str, str]]:
    """Return the relationships of a part of the archive: identifier to kind and member."""
    folder, name = posixpath.split(member)
    tree = _part(archive, posixpath.join(folder, "_rels", f"{name}.rels"), called)
    found = {}
    for one in _all(tree, "Relationship"):
        target = one.get("Target", "")
        target = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
        found[one.get("Id", "")] = (one.get("Type", "").rpartition("/")[2], target)
    return found


def _styles(tree: Any) -> list[str]:
    """Return for each style whether it formats numbers as dates or durations."""
    from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format

    formats = dict(BUILTIN_FORMATS)
    formats.update({int(one.get("numFmtId", "-1")): one.get("formatCode", "") for one in _all(tree, "numFmt")})
    kinds = {
        number: "duration" if is_timedelta_format(form) else "date" if is_date_format(form) else ""
        for number, form in formats.items()
    }
    cells = next((one for one in _all(tree, "cellXfs")), None)
    return [] if cells is None else [kinds.get(int(one.get("numFmtId", "0")), "") for one in cells]


# Streaming parser of an Excel sheet; only nonempty cells are stored.

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


# Excel workbooks: one sheet, by its title or the first that holds a table.
#
# A workbook is a zip archive of XML. A kilobyte of it may name a cell a billion rows away or unpack to gigabytes, so
# the sheet is parsed as a stream and its cells are counted; the size that it declares is ignored.

_DETECTED = ReadingOptions()


def sheet_titles(raw: bytes) -> tuple[str, ...]:
    """Return the titles of a workbook's worksheets; none for another file, or one that is damaged."""
    if raw[:4] != b"PK\x03\x04":
        return ()
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return tuple(title for title, _ in Workbook.of(archive, "").sheets)
    except Exception:  # as in read_xlsx, which says what is wrong
        return ()


def read_xlsx(
    raw: bytes, called: str, max_bytes: int, remarks: list[str], options: ReadingOptions = _DETECTED
) -> tuple[pd.DataFrame, str]:
    """Return the table in a sheet, and the format; ambiguities are appended to ``remarks``."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            check_bytes(sum(item.file_size for item in archive.infolist()), called, max_bytes)
            book = Workbook.of(archive, called)
            strings = shared_strings(archive, book.strings, called)

            def cells_of(member: str) -> dict[int, list[Cell]]:
                with archive.open(member) as source:
                    return SheetReader(strings, book.styles, book.epoch, called).read(
                        source, archive.getinfo(member).file_size
                    )

            title, cells = _chosen(book, options.sheet, called, cells_of)
    except (DataError, MemoryError):
        raise
    except Exception as error:  # zipfile, expat and date conversion raise many kinds of errors for a damaged file
        raise DataError(
            f"{called} is not a readable Excel file ({type(error).__name__}); "
            "open it and save it again as .xlsx or .csv"
        ) from None
    if len(book.sheets) > 1 and not options.sheet:
        first = title == book.sheets[0][0]
        others = f"only the first of {len(book.sheets)} sheets was read, '{title}'"
        remarks.append(others if first else f"sheet '{title}' was read, since the first one holds no table")
    rows = _table(cells, called, "" if title == book.sheets[0][0] else title)
    above = rows_above(rows) if options.header else 0
    if above:
        remarks.append(remark_on_rows_above(rows[:above]))
        rows = rows[above:]
    if not options.header:
        rows = [list(numbered(len(rows[0]))), *rows]
    header = ["" if isinstance(name, Formula) else name for name in rows[0]]
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            if isinstance(cell, Formula):
                raise_formula(header[c] or f"number {c + 1}", above + r + options.header, cell.text)
    written: list[list[str]] = rows[1:]  # type: ignore[assignment]  # no formula remains
    if options.transposed:
        header, written = turned(header, written, called)
    return frame_of(header, in_chunks(iter(written)), called, remarks, decimal=options.decimal), "Excel"


def _chosen(
    book: Workbook, wanted: str, called: str, cells_of: Callable[[str], dict[int, list[Cell]]]
) -> tuple[str, dict[int, list[Cell]]]:
    """Return the title and cells of the sheet to read; if none is wanted, the first that holds a table."""
    members = dict(book.sheets)
    if wanted:
        if wanted not in members:
            raise DataError(f"{called} has no sheet '{wanted}'; it has {', '.join(members)}")
        return wanted, cells_of(members[wanted])
    title, member = book.sheets[0]
    first = cells_of(member)
    if _is_table(first):
        return title, first
    for other, place in book.sheets[1:]:
        try:
            cells = cells_of(place)
        except DataError:  # too large: it is not chosen unasked
            continue
        if _is_table(cells):
            return other, cells
    return title, first


def _is_table(cells: dict[int, list[Cell]]) -> bool:
    """Return whether cells have at least two rows and two columns."""
    return sum(len(row) > 1 for row in cells.values()) > 1


def _table(cells: dict[int, list[Cell]], called: str, title: str) -> list[list[Cell]]:
    """Return all rows down to the last nonempty one, padded to the same width, without empty columns at the left."""
    if not cells:
        which = f"the sheet '{title}'" if title else "the first sheet"
        raise DataError(f"{which} of {called} is empty; choose another sheet, or move the table there")
    width = max(map(len, cells.values()))
    check_table_size(max(cells), width, called, limits.LIMITS.sheet_cells)
    rows = [cells.get(r, []) for r in range(1, max(cells) + 1)]
    margin = min(next((c for c, cell in enumerate(row) if cell), width - 1) for row in rows)
    return [row[margin:] + [""] * (width - max(len(row), margin)) for row in rows]
