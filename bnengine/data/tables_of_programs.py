"""Tables that other programs keep: Excel workbooks, of which one sheet is read, and Parquet files.

The sheet is the one of a title, or the largest that holds a table. openpyxl reads workbooks in a process whose memory
and time are bounded. Cells are counted as they come, since a kilobyte of a workbook may name one that is a million rows
away; the size that a sheet declares only tells which to try first.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Sequence
from typing import Any

from bnengine._core.environment import pa, pc, pd
from bnengine.data import reading_options
from bnengine.data.checked_frame import DataError
from bnengine.data.reading_options import ReadingOptions, check_bytes, numbered, rows_read
from bnengine.data.text_table import remark_on_rows_above, rows_above, transposed
from bnengine.data.typed_columns import (
    add_remarks,
    check_table_size,
    check_unique,
    composed_names,
    composed_strings,
    frame_of,
    in_chunks,
    shortened,
    to_pandas,
)

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
        if sum(len(row) > 1 for row in rows) > 1:  # two rows of two columns at least
            return sheet.title, rows
    if refused is not None:
        raise refused
    return sheets[0].title, _rows(sheets[0], called)


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


# Parquet files.
#
# A few kilobytes may unpack to gigabytes, so the schema is checked first, and rows and strings are counted while
# unpacking. What pyarrow itself takes is bounded by the process that this happens in.

_BATCH_CELLS = 500_000
#: Largest size in bytes of a number, a date or a truth value.
_CELL_BYTES = 16


def read_parquet(raw: bytes, called: str, max_bytes: int, remarks: list[str]) -> pd.DataFrame:
    """Return the table in a Parquet file; ambiguities are appended to ``remarks``."""
    try:
        return _read(raw, called, max_bytes, remarks)
    except (DataError, MemoryError):
        raise
    except Exception as error:  # pyarrow raises many kinds of errors for a damaged file
        raise DataError(f"{called} is not a readable Parquet file ({type(error).__name__}); write it again") from None


def _read(raw: bytes, called: str, max_bytes: int, remarks: list[str]) -> pd.DataFrame:
    import pyarrow.parquet as pq

    metadata = pq.read_metadata(io.BytesIO(raw))
    check_table_size(metadata.num_rows, metadata.num_columns, called)
    if not metadata.num_columns:
        raise DataError(f"{called} has no columns; a table needs at least one")
    groups = [metadata.row_group(g) for g in range(metadata.num_row_groups)]
    most = max_bytes + _CELL_BYTES * metadata.num_rows * metadata.num_columns
    check_bytes(sum(max(group.total_byte_size, 0) for group in groups), called, most)
    schema = pq.read_schema(io.BytesIO(raw))
    _check_flat(schema)
    names = _names_of(schema, remarks)
    if any(not name.strip() for name in names.values()):
        raise DataError(f"{called}: a column has no name; name every column")
    doubts: dict[str, list[str]] = {}
    written = shortened(composed_names(list(names.values()), doubts), remarks)
    names = dict(zip(names, written, strict=True))
    check_unique(list(names.values()), called)
    columns = [group.column(c) for group in groups for c in range(group.num_columns)]
    plain = {one.path_in_schema for one in columns if "DELTA_BYTE_ARRAY" in one.encodings}  # no dictionaries of these
    strings = [field.name for field in schema if _is_text(field.type) and field.name not in plain]
    table = pq.ParquetFile(io.BytesIO(raw), read_dictionary=strings, memory_map=False)
    rows = max(1, _BATCH_CELLS // metadata.num_columns)
    batches = table.iter_batches(rows, columns=list(names), use_threads=False)
    whole = pa.table(_columns(batches, list(names), schema, called, max_bytes, metadata.num_rows, doubts))
    if not whole.num_rows:
        raise DataError(f"{called} has column names but no rows")
    _remark_infinite(whole, remarks)
    add_remarks(doubts, remarks)
    return to_pandas(whole.rename_columns([names[name] for name in whole.column_names]))


def _is_text(kind: Any) -> bool:
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    )  # fmt: skip


def _holds_text(kind: Any) -> bool:
    words = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(words) or pa.types.is_large_string(words))


def _check_flat(schema: Any) -> None:
    for field in schema:
        if pa.types.is_nested(field.type):
            raise DataError(
                f"column '{field.name[:80]}' holds a {str(field.type).split('<')[0]} in each cell; give each of its "
                "parts a column of its own"
            )


def _names_of(schema: Any, remarks: list[str]) -> dict[str, str]:
    """Map the names in the file to those in the table; a pandas index becomes a column if it has a name."""
    names = {name: name for name in schema.names}
    if len(names) < len(schema.names):
        return dict(enumerate(schema.names))  # type: ignore[arg-type]  # repeated names are reported later
    try:
        metadata = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
        index = list(metadata.get("index_columns") or [])
    except (ValueError, AttributeError, TypeError):
        return names
    for entry in index:
        if isinstance(entry, dict) and entry.get("name") is not None:
            remarks.append(f"the row numbers ('{entry['name']}' in the file) were dropped")
        elif isinstance(entry, str) and entry in names and entry.startswith("__index_level_") and len(names) > 1:
            del names[entry]
            remarks.append("the row index, which has no name, was dropped")
        elif isinstance(entry, str) and entry in names:
            remarks.append(f"the row index was read as column '{entry}'")
    return names


def _columns(
    batches: Any, names: list[str], schema: Any, called: str, max_bytes: int, total: int, doubts: dict[str, list[str]]
) -> dict[str, Any]:
    """Return the columns; DataError as soon as they exceed a limit."""
    parts: dict[str, list[Any]] = {name: [] for name in names}
    n_rows, n_bytes = 0, 0
    for batch in batches:
        n_rows += len(batch)
        rows_read(n_rows, total)
        check_table_size(n_rows, len(names), called)
        for name in names:
            part = batch.column(batch.schema.get_field_index(name))
            kind = schema.field(name).type
            n_bytes += _string_bytes(part)
            check_bytes(n_bytes, called, max_bytes)
            if pa.types.is_dictionary(part.type) and not pa.types.is_dictionary(kind):
                part = part.dictionary.take(part.indices)
            part = _as_text(name, part) if _is_text(kind) else part
            parts[name].append(composed_strings(name, part, doubts) if _holds_text(part.type) else part)
    return {name: pa.chunked_array(parts.pop(name), None if n_rows else schema.field(name).type) for name in names}


def _string_bytes(part: Any) -> int:
    """Return the bytes of all strings of a column, each as often as it occurs; 0 for numbers."""
    packed = pa.types.is_dictionary(part.type)
    if not _is_text(part.type.value_type if packed else part.type):
        return 0
    lengths = pc.cast(pc.binary_length(part.dictionary if packed else part), pa.int64())
    return int(pc.sum(lengths.take(part.indices) if packed else lengths).as_py() or 0)


def _as_text(name: str, part: Any) -> Any:
    """Return strings, which some files store as plain bytes."""
    try:
        return part.cast(pa.large_string())
    except pa.ArrowInvalid:
        raise DataError(f"column '{name[:80]}' holds bytes that are not text; leave it out") from None


def _remark_infinite(table: Any, remarks: list[str]) -> None:
    for name in table.column_names:
        if pa.types.is_floating(table[name].type):
            n = pc.sum(pc.is_inf(table[name])).as_py() or 0
            if n:
                remarks.append(f"{n:,} infinite values in '{name}'; discretization treats them as missing")
