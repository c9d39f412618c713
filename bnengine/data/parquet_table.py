"""Tables in Parquet.

A few kilobytes may hold gigabytes, so the schema is judged first, and rows and words are counted while unpacked.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

from bnengine.data.coded_columns import refuse_many_cells
from bnengine.data.dataset import DataError
from bnengine.data.typed_columns import refuse_repeated, to_pandas
from bnengine.data.unpacking import refuse_large

if TYPE_CHECKING:
    import pandas as pd

_BATCH_CELLS = 500_000
#: Bytes that a cell of a number, a date or a truth value takes at most.
_CELL_BYTES = 16


def read_parquet(raw: bytes, called: str, max_bytes: int, remarks: list[str]) -> pd.DataFrame:
    """The table in a Parquet file; ``remarks`` gets what could be meant otherwise."""
    try:
        return _read(raw, called, max_bytes, remarks)
    except DataError:
        raise
    except Exception as error:  # pyarrow raises many kinds for a damaged file
        raise DataError(f"{called} is not a readable Parquet file ({type(error).__name__}); write it again") from None


def _read(raw: bytes, called: str, max_bytes: int, remarks: list[str]) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.parquet as pq

    about = pq.read_metadata(io.BytesIO(raw))
    refuse_many_cells(about.num_rows, about.num_columns, called)
    if not about.num_columns:
        raise DataError(f"{called} has no columns; a table needs at least one")
    groups = [about.row_group(g) for g in range(about.num_row_groups)]
    refuse_large(
        sum(max(group.total_byte_size, 0) for group in groups),
        called,
        max_bytes + _CELL_BYTES * about.num_rows * about.num_columns,
    )
    schema = pq.read_schema(io.BytesIO(raw))
    _refuse_nested(schema)
    names = _names_of(schema, remarks)
    if any(not name.strip() for name in names.values()):
        raise DataError(f"{called}: a column has no name; name every column")
    refuse_repeated(list(names.values()), called)
    shared = _sharing(groups)
    words = [field.name for field in schema if _is_text(field.type) and field.name not in shared]
    table = pq.ParquetFile(io.BytesIO(raw), read_dictionary=words, memory_map=False)
    rows = max(1, _BATCH_CELLS // about.num_columns)
    rows = max(1, min([rows, *(max_bytes // max(size, 1) for size in shared.values())]))
    batches = table.iter_batches(rows, columns=list(names))
    whole = pa.table(_columns(batches, list(names), schema, called, max_bytes))
    if not whole.num_rows:
        raise DataError(f"{called} has column names but no rows")
    _remark_on_infinite(whole, remarks)
    frame = to_pandas(whole.rename_columns([names[name] for name in whole.column_names]))
    return frame


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    )  # fmt: skip


def _refuse_nested(schema: Any) -> None:
    import pyarrow as pa

    for field in schema:
        if pa.types.is_nested(field.type):
            raise DataError(
                f"column '{field.name[:80]}' holds a {str(field.type).split('<')[0]} in each cell; give each of its "
                "parts a column of its own"
            )


def _names_of(schema: Any, remarks: list[str]) -> dict[str, str]:
    """What the columns are called in the file, and in the table: an index of pandas is a column if it has a name."""
    names = {name: name for name in schema.names}
    if len(names) < len(schema.names):
        return dict(enumerate(schema.names))  # type: ignore[arg-type]  # refused as repeated
    try:
        about = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
        index = list(about.get("index_columns") or [])
    except (ValueError, AttributeError, TypeError):
        return names
    for entry in index:
        if isinstance(entry, dict) and entry.get("name") is not None:
            remarks.append(f"the row numbers, called '{entry['name']}' in the file, are left out")
        elif isinstance(entry, str) and entry in names and entry.startswith("__index_level_") and len(names) > 1:
            del names[entry]
            remarks.append("the index of the rows, which has no name, is left out")
        elif isinstance(entry, str) and entry in names:
            remarks.append(f"the index of the rows is the column '{entry}'")
    return names


def _sharing(groups: list[Any]) -> dict[str, int]:
    """Columns in whose encoding a word may share letters with the one before it, and their bytes in the file.

    Each word may then be as long as the whole column is in the file, so that few are to be unpacked at a time.
    """
    sharing: dict[str, int] = {}
    for group in groups:
        for c in range(group.num_columns):
            column = group.column(c)
            if "DELTA_BYTE_ARRAY" in column.encodings:
                name = column.path_in_schema
                sharing[name] = max(sharing.get(name, 0), column.total_uncompressed_size)
    return sharing


def _columns(batches: Any, names: list[str], schema: Any, called: str, max_bytes: int) -> dict[str, Any]:
    """The columns, refused as soon as they are too large."""
    import pyarrow as pa

    parts: dict[str, list[Any]] = {name: [] for name in names}
    n_rows, n_bytes = 0, 0
    for batch in batches:
        n_rows += len(batch)
        refuse_many_cells(n_rows, len(names), called)
        for name in names:
            part = batch.column(batch.schema.get_field_index(name))
            kind = schema.field(name).type
            n_bytes += _letters(part)
            refuse_large(n_bytes, called, max_bytes)
            if pa.types.is_dictionary(part.type) and not pa.types.is_dictionary(kind):
                part = part.dictionary.take(part.indices)
            parts[name].append(_as_text(name, part) if _is_text(kind) else part)
    return {name: pa.chunked_array(parts.pop(name), None if n_rows else schema.field(name).type) for name in names}


def _letters(part: Any) -> int:
    """Bytes of all the words of a column, each as often as it occurs; 0 for numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    packed = pa.types.is_dictionary(part.type)
    if not _is_text(part.type.value_type if packed else part.type):
        return 0
    lengths = pc.cast(pc.binary_length(part.dictionary if packed else part), pa.int64())
    return int(pc.sum(lengths.take(part.indices) if packed else lengths).as_py() or 0)


def _as_text(name: str, part: Any) -> Any:
    """Words, which in some files are kept as bare bytes."""
    import pyarrow as pa

    try:
        return part.cast(pa.large_string())
    except pa.ArrowInvalid:
        raise DataError(f"column '{name[:80]}' holds bytes that are no text; leave it out") from None


def _remark_on_infinite(table: Any, remarks: list[str]) -> None:
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in table.column_names:
        if pa.types.is_floating(table[name].type):
            n = pc.sum(pc.is_inf(table[name])).as_py() or 0
            if n:
                remarks.append(
                    f"{n:,} infinite numbers in '{name}'; where the column is cut into states they count as missing"
                )
