"""Parquet files.

A few kilobytes may unpack to gigabytes, so the schema is checked first, and rows and strings are counted while
unpacking. What pyarrow itself takes is bounded by the process that this happens in.
"""

from __future__ import annotations

import io
import json
from typing import Any

from bnengine._core.lazy import pa, pc, pd
from bnengine.data.dataset import DataError
from bnengine.data.reading_options import check_bytes, rows_read
from bnengine.data.typed_columns import (
    add_remarks,
    check_table_size,
    check_unique,
    composed_names,
    composed_strings,
    shortened,
    to_pandas,
)

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
