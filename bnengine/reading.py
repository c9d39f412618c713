"""Reading a table from a file somebody else made: CSV in its dialects, Excel, Parquet, gzipped or not.

Words stay words: ``None``, ``NA`` and ``null`` are states. Only an empty cell is missing.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
import zipfile
import zlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from bnengine.data import DataError

if TYPE_CHECKING:
    import pandas as pd

#: Largest file, and largest content of a compressed file, in bytes.
MAX_BYTES = 200 * 2**20
_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_LEADING_ZERO = re.compile(r"[+-]?0\d")


def read_table(source: str | Path | BinaryIO, *, name: str | None = None, max_bytes: int = MAX_BYTES) -> pd.DataFrame:
    """Read a table whose first line names the columns.

    Parameters
    ----------
    source : path or binary file
        CSV (comma, semicolon, tab, bar or space; UTF-8, UTF-16 or Windows-1252), xlsx (first sheet) or Parquet; any
        of them gzipped. What the file is, is told by its content.
    name : str, optional
        What to call the file in error messages.
    max_bytes : int
        Larger files, packed or unpacked, are refused before they are read.

    Returns
    -------
    DataFrame
        Columns of numbers where every cell is a number, else of words. Empty cells are missing.

    Raises
    ------
    DataError
        Empty, too large or damaged file, repeated column names, ragged lines, a formula in a cell.
    """
    called = name or (
        Path(source).name if isinstance(source, (str, Path)) else str(getattr(source, "name", "the file"))
    )
    raw = _bytes_of(source, called, max_bytes)
    if not raw.strip():
        _refuse_empty(called)
    if raw[:4] == b"PAR1":
        frame = _read_parquet(raw, called, max_bytes)
    elif raw[:4] == b"PK\x03\x04":
        frame = _read_xlsx(raw, called, max_bytes)
    elif raw[:4] == b"\xd0\xcf\x11\xe0":
        raise DataError(f"{called} is an old Excel file (.xls); save it as .xlsx or .csv")
    else:
        frame = _read_text(raw, called)
    if not len(frame):
        raise DataError(f"{called} has column names but no rows")
    return frame


def _refuse_empty(called: str) -> None:
    raise DataError(f"{called} is empty; a table needs a line of column names and at least one row")


def _bytes_of(source: str | Path | BinaryIO, called: str, max_bytes: int) -> bytes:
    if isinstance(source, (str, Path)):
        path = Path(source)
        if not path.is_file():
            raise DataError(f"there is no file {path}")
        _refuse_large(path.stat().st_size, called, max_bytes)
        raw = path.read_bytes()
    else:
        raw = source.read(max_bytes + 1)
    _refuse_large(len(raw), called, max_bytes)
    if raw[:2] == b"\x1f\x8b":
        try:
            with gzip.open(io.BytesIO(raw)) as unpacked:
                raw = unpacked.read(max_bytes + 1)
        except (OSError, EOFError, zlib.error):
            raise DataError(f"{called} is a damaged gzip file; pack or download it again") from None
        _refuse_large(len(raw), called, max_bytes)
    return raw


def _refuse_large(n_bytes: int, called: str, max_bytes: int) -> None:
    if n_bytes > max_bytes:
        raise DataError(
            f"{called} is larger than {max_bytes // 2**20} MB; "
            "keep the columns of interest, or a random part of the rows"
        )


def _read_parquet(raw: bytes, called: str, max_bytes: int) -> pd.DataFrame:
    import pandas as pd
    import pyarrow.parquet

    try:
        size = pyarrow.parquet.ParquetFile(io.BytesIO(raw)).metadata
        _refuse_large(size.num_rows * size.num_columns, called, max_bytes)  # a cell is a byte at least
        frame = pd.read_parquet(io.BytesIO(raw))
    except DataError:
        raise
    except Exception as error:  # pyarrow raises many kinds for a damaged file
        raise DataError(f"{called} is not a readable Parquet file ({type(error).__name__}); write it again") from None
    _refuse_repeated([str(name) for name in frame.columns], called)
    return frame


def _read_xlsx(raw: bytes, called: str, max_bytes: int) -> pd.DataFrame:
    import openpyxl

    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            _refuse_large(sum(item.file_size for item in archive.infolist()), called, 4 * max_bytes)
        formulas = openpyxl.load_workbook(io.BytesIO(raw), read_only=True)
        values = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
        for book in (formulas, values):  # a file may tell a wrong size of its sheet
            book.worksheets[0].reset_dimensions()
        written = list(formulas.worksheets[0].iter_rows(values_only=True))
        rows = list(values.worksheets[0].iter_rows(values_only=True))
    except DataError:
        raise
    except Exception as error:  # openpyxl, zipfile and the XML parser raise many kinds for a damaged file
        raise DataError(
            f"{called} is not a readable Excel file ({type(error).__name__}); "
            "open it and save it again as .xlsx or .csv"
        ) from None
    rows = [list(row) for row in rows]
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise DataError(f"the first sheet of {called} is empty")
    header = ["" if cell is None else str(cell) for cell in rows[0]]
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            formula = written[r][c] if cell is None else None
            text = formula if isinstance(formula, str) else getattr(formula, "text", None) or ""
            if text.startswith("=") or (formula is not None and not isinstance(formula, str)):
                _refuse_formula(header[c] if c < len(header) else f"number {c + 1}", r + 1, text or "array formula")
    width = max(len(row) for row in rows)
    header += [""] * (width - len(header))
    cells = [["" if cell is None else _cell_text(cell) for cell in row] for row in rows[1:]]
    cells = [row + [""] * (width - len(row)) for row in cells]
    while header and not header[-1] and not any(row[len(header) - 1] for row in cells):
        header.pop()  # columns that only a format reaches
    cells = [row[: len(header)] for row in cells]
    return _frame_of(header, cells, called)


def _cell_text(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell)


def _read_text(raw: bytes, called: str) -> pd.DataFrame:
    text = _decode(raw, called)
    if not text.strip():
        _refuse_empty(called)
    separator = _separator_of(text)
    try:
        lines = [line for line in csv.reader(io.StringIO(text), delimiter=separator) if line]
    except csv.Error as error:
        raise DataError(f"{called} is not a readable table ({error}); save it as CSV with quotes closed") from None
    header, rows = lines[0], lines[1:]
    if separator == " ":
        header, rows = header[: len(header) - (header[-1] == "")], [row[: len(row) - (row[-1] == "")] for row in rows]
    for r, row in enumerate(rows):
        if len(row) != len(header):
            raise DataError(
                f"{called}: row {r + 1} has {len(row)} cells but the first line names {len(header)} columns "
                f"(read with {_SEPARATORS[separator]} between cells); check that row for a stray separator or quote"
            )
    if separator == ";":
        rows = _with_decimal_points(rows)
    return _frame_of(header, rows, called)


def _decode(raw: bytes, called: str) -> str:
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", errors="replace")
    if b"\0" in raw[:4096]:
        raise DataError(f"{called} is not a table of text; upload CSV, TSV, xlsx or Parquet")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("cp1252", errors="replace")


def _separator_of(text: str) -> str:
    """The separator that cuts the first lines into the same number of cells, the most cells winning."""
    head = "".join(text.splitlines(keepends=True)[:50])

    def cells(separator: str) -> int:
        try:
            counts = [len(line) for line in csv.reader(io.StringIO(head), delimiter=separator) if line]
        except csv.Error:
            return 0
        steady = Counter(counts).most_common(1)[0][1] > 0.8 * len(counts)
        return counts[0] if steady and counts[0] == Counter(counts).most_common(1)[0][0] else 0

    found = {separator: cells(separator) for separator in _SEPARATORS}
    best = max(found, key=lambda separator: (found[separator] > 1 and separator != " ", found[separator]))
    return best if found[best] > 1 else max(_SEPARATORS, key=lambda s: text.split("\n", 1)[0].count(s) * (s != " "))


def _with_decimal_points(rows: list[list[str]]) -> list[list[str]]:
    """Columns in which every cell with a comma is a number with a decimal comma get points instead."""
    decimal = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?|[+-]?\d+")
    for c in range(len(rows[0]) if rows else 0):
        column = [row[c] for row in rows if row[c]]
        if any("," in cell for cell in column) and all(decimal.fullmatch(cell) for cell in column):
            for row in rows:
                row[c] = row[c].replace(",", ".")
    return rows


def _frame_of(header: list[str], rows: list[list[str]], called: str) -> pd.DataFrame:
    import pandas as pd

    names = [name.strip() for name in header]
    nameless = [c for c, name in enumerate(names) if not name]
    if nameless == [0] and len(names) > 1 and [row[0].strip() for row in rows] in _row_numbers(len(rows)):
        names, rows = names[1:], [row[1:] for row in rows]  # the row numbers that many programs write first
    elif nameless:
        raise DataError(f"{called}: column {nameless[0] + 1} has no name; name every column in the first line")
    _refuse_repeated(names, called)
    columns = {name: _column_of(name, [row[c].strip() for row in rows]) for c, name in enumerate(names)}
    return pd.DataFrame(columns)


def _row_numbers(n: int) -> list[list[str]]:
    return [[str(i + start) for i in range(n)] for start in (0, 1)]


def _column_of(name: str, cells: list[str]) -> pd.Series[Any]:
    import pandas as pd

    for r, cell in enumerate(cells):
        if cell.startswith("=") and len(cell) > 1:
            _refuse_formula(name, r + 2, cell)
    shown = [cell for cell in cells if cell]
    too_long = any(re.fullmatch(r"[+-]?\d{19,}", cell) for cell in shown)  # an identifier; a float would lose digits
    numeric = (
        shown and not too_long and all(_NUMBER.fullmatch(cell) and not _LEADING_ZERO.match(cell) for cell in shown)
    )
    if not numeric:
        return pd.Series([cell or None for cell in cells], dtype="str")
    if all(re.fullmatch(r"[+-]?\d{1,18}", cell) for cell in shown):
        return pd.Series([int(cell) if cell else None for cell in cells], dtype="Int64")
    numbers = [float(cell) if cell else math.nan for cell in cells]
    if any(math.isinf(number) for number in numbers):
        raise DataError(f"column '{name}' holds a number too large to read; write it with fewer digits or as a word")
    return pd.Series(numbers, dtype="float64")


def _refuse_repeated(names: list[str], called: str) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise DataError(f"{called}: the column name '{name}' occurs {times} times; give each column its own name")


def _refuse_formula(column: str, line: int, formula: str) -> None:
    raise DataError(
        f"column '{column}', line {line} holds a formula ({formula[:40]}) instead of a value; "
        "replace formulas by their values (paste special → values) and save again"
    )
