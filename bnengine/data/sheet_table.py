"""Excel workbooks: one sheet, by its title or the first that holds a table.

A workbook is a zip archive of XML. A kilobyte of it may name a cell a billion rows away or unpack to gigabytes, so the
sheet is parsed as a stream and its cells are counted; the size that it declares is ignored.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import TYPE_CHECKING

from bnengine.data import limits
from bnengine.data.column_encoding import check_table_size, in_chunks
from bnengine.data.dataset import DataError
from bnengine.data.reading_options import ReadingOptions, numbered
from bnengine.data.sheet_stream import Cell, Formula, SheetReader, shared_strings
from bnengine.data.title_rows import remark_on_rows_above, rows_above
from bnengine.data.turned import turned
from bnengine.data.typed_columns import frame_of, raise_formula
from bnengine.data.unpacking import check_bytes
from bnengine.data.workbook import Workbook

if TYPE_CHECKING:
    import pandas as pd

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
    """Whether cells have at least two rows and two columns."""
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
