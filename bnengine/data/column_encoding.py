"""Dictionary encoding of a table's cells: the distinct strings of each column, and a code for each row.

The type of a cell is then decided once per distinct string, and a table takes little more memory than its file.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bnengine.data import limits
from bnengine.data.dataset import DataError

#: A pyarrow array: the distinct strings of a column, or the code of each row.
Arrow = Any

#: Rows per chunk. Small chunks create few lists at a time, which keeps Python's garbage collector idle;
#: it took three quarters of the time to read a narrow table.
_CHUNK_ROWS = 200
#: Cells to collect before they are encoded.
_PART_CELLS = 1_000_000


def check_table_size(n_rows: int, n_columns: int, called: str, most: int | None = None) -> None:
    """Raise a DataError if a table of this size exceeds the limits."""
    if n_columns > limits.LIMITS.columns:
        raise DataError(
            f"{called} has more than {limits.LIMITS.columns:,} columns, the limit; keep the columns of interest, or "
            "check the separator and the line breaks"
        )
    most = most or limits.LIMITS.cells
    if n_rows * n_columns > most:
        raise DataError(
            f"{called} has more than {most:,} cells, the limit; keep the columns of interest, or a random sample of "
            "the rows"
        )


def in_chunks(rows: Iterator[list[str]]) -> Iterator[list[list[str]]]:
    """Yield the rows in chunks."""
    while chunk := list(itertools.islice(rows, _CHUNK_ROWS)):
        yield chunk


def encode_columns(chunks: Iterable[Sequence[Sequence[str]]], width: int, called: str) -> list[tuple[Arrow, Arrow]]:
    """Return the distinct strings, stripped of surrounding blanks, and the codes of each column."""
    parts: list[list[Arrow]] = [[] for _ in range(width)]
    columns: list[list[str]] = [[] for _ in range(width)]
    n_rows = 0

    def encode() -> None:
        for part, column in zip(parts, columns, strict=True):
            part.append(_encoded(column))
            column.clear()

    for chunk in chunks:
        n_rows += len(chunk)
        check_table_size(n_rows, width, called)
        for column, cells in zip(columns, zip(*chunk, strict=True), strict=False):
            column.extend(cells)
        if len(columns[0]) * width > _PART_CELLS:
            encode()
    if columns[0]:
        encode()
    return [_joined(parts.pop(0)) for _ in range(width)]


def _encoded(cells: Sequence[str]) -> Arrow:
    """Return the cells dictionary-encoded; an empty cell is null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    strings = pc.utf8_trim_whitespace(pa.array(cells, pa.large_string()))
    empty = pc.equal(pc.binary_length(strings), 0)
    if pc.any(empty).as_py():
        strings = pc.if_else(empty, pa.scalar(None, pa.large_string()), strings)
    return strings.dictionary_encode()


def _joined(parts: list[Arrow]) -> tuple[Arrow, Arrow]:
    """Return one dictionary and its codes for the chunks of a column."""
    import pyarrow as pa

    if not parts:
        return pa.array([], pa.large_string()), pa.array([], pa.int32())
    whole = parts[0] if len(parts) == 1 else pa.chunked_array(parts).combine_chunks()
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    return whole.dictionary, whole.indices
