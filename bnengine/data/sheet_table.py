"""Excel workbooks: the first sheet.

A workbook is a zip archive of XML. A kilobyte of it may name a cell a billion rows away or unpack to gigabytes, so the
sheet is parsed as a stream and its cells are counted; the size that it declares is ignored.
"""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING

from bnengine.data import limits
from bnengine.data.column_encoding import check_table_size, in_chunks
from bnengine.data.dataset import DataError
from bnengine.data.sheet_stream import Cell, Formula, SheetReader, shared_strings
from bnengine.data.typed_columns import frame_of, raise_formula
from bnengine.data.unpacking import check_bytes
from bnengine.data.workbook import Workbook

if TYPE_CHECKING:
    import pandas as pd


def read_xlsx(raw: bytes, called: str, max_bytes: int, remarks: list[str]) -> tuple[pd.DataFrame, str]:
    """Return the table in the first sheet, and the format; ambiguities are appended to ``remarks``."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            check_bytes(sum(item.file_size for item in archive.infolist()), called, max_bytes)
            book = Workbook.of(archive, called)
            strings = shared_strings(archive, book.strings, called)
            with archive.open(book.sheet) as source:
                cells = SheetReader(strings, book.styles, book.epoch, called).read(source)
    except DataError:
        raise
    except Exception as error:  # zipfile, expat and date conversion raise many kinds of errors for a damaged file
        raise DataError(
            f"{called} is not a readable Excel file ({type(error).__name__}); "
            "open it and save it again as .xlsx or .csv"
        ) from None
    if book.n_sheets > 1:
        remarks.append(f"only the first of {book.n_sheets} sheets was read, '{book.title}'")
    rows = _table(cells, called)
    header = ["" if isinstance(name, Formula) else name for name in rows[0]]
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            if isinstance(cell, Formula):
                raise_formula(header[c] or f"number {c + 1}", r + 1, cell.text)
    written: list[list[str]] = rows[1:]  # type: ignore[assignment]  # no formula remains
    return frame_of(header, in_chunks(iter(written)), called, remarks), "Excel"


def _table(cells: dict[int, list[Cell]], called: str) -> list[list[Cell]]:
    """Return all rows down to the last nonempty one, padded to the same width."""
    if not cells:
        raise DataError(f"the first sheet of {called} is empty; move the table there, or save it as .csv")
    width = max(map(len, cells.values()))
    check_table_size(max(cells), width, called, limits.LIMITS.sheet_cells)
    rows = [cells.get(r, []) for r in range(1, max(cells) + 1)]
    return [row + [""] * (width - len(row)) for row in rows]
