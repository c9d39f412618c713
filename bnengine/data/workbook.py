"""Excel workbooks: one sheet, by its title or the largest that holds a table.

openpyxl reads them, in a process whose memory and time are bounded. Cells are counted as they come, since a kilobyte of
a workbook may name one that is a million rows away; the size that a sheet declares only tells which to try first.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Sequence
from typing import Any

from bnengine._core.lazy import pd
from bnengine.data import reading_options
from bnengine.data.dataset import DataError
from bnengine.data.reading_options import ReadingOptions, check_bytes, numbered, rows_read
from bnengine.data.text_table import remark_on_rows_above, rows_above, transposed
from bnengine.data.typed_columns import check_table_size, frame_of, in_chunks

#: Excel's own limits.
_MOST_ROWS, _MOST_COLUMNS, _MOST_CHARACTERS = 1_048_576, 16_384, 32_767
_WHOLE_BELOW = 1e18  # larger whole numbers are written as Excel holds them, in floating point
_DETECTED = ReadingOptions()

#: The cells of a sheet, row by row, each row up to its last nonempty cell.
Rows = list[list[str]]


def sheet_sizes(raw: bytes) -> tuple[tuple[str, int, int], ...]:
    """Return title, rows and columns of a workbook's worksheets, as they declare them; none for a file without any."""
    if raw[:4] != b"PK\x03\x04":
        return ()
    try:
        return tuple((sheet.title, sheet.max_row or 0, sheet.max_column or 0) for sheet in _opened(raw).worksheets)
    except Exception:  # as in read_xlsx, which says what is wrong
        return ()


def read_xlsx(
    raw: bytes, called: str, max_bytes: int, remarks: list[str], options: ReadingOptions = _DETECTED
) -> tuple[pd.DataFrame, str]:
    """Return the table in a sheet, and the format; ambiguities are appended to ``remarks``."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            check_bytes(sum(item.file_size for item in archive.infolist()), called, max_bytes)
        sheets = _opened(raw).worksheets
        if not sheets:
            raise DataError(f"{called} has no worksheet; save the table as .xlsx or .csv")
        title, rows = _chosen(sheets, options.sheet, called)
        _show_formulas(raw, title, rows)
    except (DataError, MemoryError):
        raise
    except Exception as error:  # zipfile and openpyxl raise many kinds of errors for a damaged file
        raise DataError(
            f"{called} is not a readable Excel file ({type(error).__name__}); "
            "open it and save it again as .xlsx or .csv"
        ) from None
    first = sheets[0].title
    if len(sheets) > 1 and not options.sheet:
        remarks.append(f"of {len(sheets)} sheets only '{title}' was read")
    rows = _table(rows, called, "" if title == first else title)
    above = rows_above(rows) if options.header else 0
    if above:
        remarks.append(remark_on_rows_above(rows[:above]))
        rows = rows[above:]
    header, written = (rows[0], rows[1:]) if options.header else (numbered(len(rows[0])), rows)
    if options.transposed:
        header, written = transposed(header, written, called)
    return frame_of(header, in_chunks(iter(written)), called, remarks, decimal=options.decimal), "Excel"


def _opened(raw: bytes, values: bool = True) -> Any:
    """Return the workbook with the values that its formulas had when it was saved, or with the formulas."""
    import openpyxl

    return openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=values, keep_links=False)


def _chosen(sheets: Sequence[Any], wanted: str, called: str) -> tuple[str, Rows]:
    """Return the title and cells of the sheet to read; if none is wanted, of the largest that holds a table."""
    by_title = {sheet.title: sheet for sheet in sheets}
    if wanted:
        if wanted not in by_title:
            raise DataError(f"{called} has no sheet '{wanted}'; it has {', '.join(by_title)}")
        return wanted, _rows(by_title[wanted], called)
    refused: DataError | None = None
    for sheet in sorted(sheets, key=lambda one: -(one.max_row or 0) * (one.max_column or 0)):
        try:
            rows = _rows(sheet, called)
        except DataError as error:  # too large: it is not chosen where there is another
            refused = refused or error
            continue
        if _is_table(rows):
            return sheet.title, rows
    if refused is not None:
        raise refused
    return sheets[0].title, _rows(sheets[0], called)


def _is_table(rows: Rows) -> bool:
    """Whether there are at least two rows of two columns."""
    return sum(len(row) > 1 for row in rows) > 1


def _rows(sheet: Any, called: str) -> Rows:
    """Return the cells as text, down to the last nonempty row; DataError if the sheet exceeds a limit."""
    declared = sheet.max_row or 0
    sheet.reset_dimensions()
    rows: Rows = []
    n_rows = width = n_characters = 0
    for r, values in enumerate(sheet.iter_rows(values_only=True), 1):
        if r > _MOST_ROWS or len(values) > _MOST_COLUMNS:
            raise DataError(
                f"a sheet of {called} refers to row {r:,}, column {len(values):,}, but a sheet has at most "
                f"{_MOST_ROWS:,} rows and {_MOST_COLUMNS:,} columns; open the file and save it again as .xlsx or .csv"
            )
        row = [_text(value) for value in values]
        while row and not row[-1]:
            row.pop()
        rows.append(row)
        rows_read(r, declared)
        if not row:
            continue
        n_rows, width, n_characters = r, max(width, len(row)), n_characters + sum(map(len, row))
        if n_rows * width > reading_options.LIMITS.sheet_cells:
            raise DataError(
                f"a sheet of {called} has more than {reading_options.LIMITS.sheet_cells:,} cells, the limit for Excel "
                f"(one is in row {r:,}, column {len(row):,}); delete cells outside the table, or save the sheet as .csv"
            )
        if max(map(len, row)) > _MOST_CHARACTERS:
            raise DataError(
                f"a cell of {called} holds more than {_MOST_CHARACTERS:,} characters, Excel's limit; leave that "
                "column out"
            )
        if n_characters > reading_options.LIMITS.bytes:
            raise DataError(
                f"the text in {called} is larger than {reading_options.LIMITS.megabytes} MB; keep the columns of "
                "interest"
            )
    return rows[:n_rows]


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = float(value) if abs(value) >= _WHOLE_BELOW else int(value) if value == int(value) else value
    return str(value)


def _show_formulas(raw: bytes, title: str, rows: Rows) -> None:
    """Enter the formulas that were saved without their values, as their text, which no table may hold."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        if not any(re.search(rb"[<:]f[\s/>]", archive.read(name)) for name in archive.namelist() if "sheet" in name):
            return
    values, formulas = _opened(raw)[title], _opened(raw, values=False)[title]
    for sheet in (values, formulas):
        sheet.reset_dimensions()
    for r, cells in enumerate(zip(values.iter_rows(), formulas.iter_rows(), strict=True)):
        for c, (value, formula) in enumerate(zip(*cells, strict=True)):
            if formula.data_type == "f" and value.value is None and value.data_type == "n":
                rows += [[] for _ in range(r + 1 - len(rows))]
                rows[r] += [""] * (c + 1 - len(rows[r]))
                rows[r][c] = str(getattr(formula.value, "text", formula.value))


def _table(rows: Rows, called: str, title: str) -> Rows:
    """Return the rows padded to the same width, without empty columns at the left."""
    if not rows:
        which = f"the sheet '{title}'" if title else "the first sheet"
        raise DataError(f"{which} of {called} is empty; choose another sheet, or move the table there")
    width = max(map(len, rows))
    check_table_size(len(rows), width, called, reading_options.LIMITS.sheet_cells)
    margin = min(next(c for c, cell in enumerate(row) if cell) for row in rows if row)
    return [row[margin:] + [""] * (width - max(len(row), margin)) for row in rows]
