"""The written cells of a table: the distinct words of each column and, for each row, which of them stands there.

What a word may mean is then asked once a word, and a table takes little more memory than its file.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bnengine.data import limits
from bnengine.data.dataset import DataError

#: A pyarrow array of the distinct words of a column, or of which of them stands in each row.
Arrow = Any

#: Rows that are handed on at a time: so few that Python's garbage collector, which each some hundred new lists set to
#: work on all there is, has nothing to do. (It took three quarters of the time to read a narrow table.)
_CHUNK_ROWS = 200
#: Cells that are encoded at a time.
_PART_CELLS = 1_000_000


def refuse_many_cells(n_rows: int, n_columns: int, called: str, most: int | None = None) -> None:
    """A DataError if a table of that size is too large."""
    if n_columns > limits.LIMITS.columns:
        raise DataError(
            f"{called} has more than {limits.LIMITS.columns:,} columns, the most that is read; keep the columns of "
            "interest (was the file cut at the right separator, and does each row stand on a line of its own?)"
        )
    most = most or limits.LIMITS.cells
    if n_rows * n_columns > most:
        raise DataError(
            f"{called} has more than {most:,} cells, the most that is read; keep the columns of interest, or a random "
            "part of the rows"
        )


def in_chunks(rows: Iterator[list[str]]) -> Iterator[list[list[str]]]:
    """The rows, some at a time."""
    while chunk := list(itertools.islice(rows, _CHUNK_ROWS)):
        yield chunk


def coded(chunks: Iterable[Sequence[Sequence[str]]], width: int, called: str) -> list[tuple[Arrow, Arrow]]:
    """Distinct words, blanks around them cut off, and codes of each column."""
    parts: list[list[Arrow]] = [[] for _ in range(width)]
    columns: list[list[str]] = [[] for _ in range(width)]
    n_rows = 0

    def encode() -> None:
        for part, column in zip(parts, columns, strict=True):
            part.append(_encoded(column))
            column.clear()

    for chunk in chunks:
        n_rows += len(chunk)
        refuse_many_cells(n_rows, width, called)
        for column, cells in zip(columns, zip(*chunk, strict=True), strict=False):
            column.extend(cells)
        if len(columns[0]) * width > _PART_CELLS:
            encode()
    if columns[0]:
        encode()
    return [_joined(parts.pop(0)) for _ in range(width)]


def _encoded(cells: Sequence[str]) -> Arrow:
    """Cells as a dictionary and codes; an empty one is null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pc.utf8_trim_whitespace(pa.array(cells, pa.large_string()))
    empty = pc.equal(pc.binary_length(words), 0)
    if pc.any(empty).as_py():
        words = pc.if_else(empty, pa.scalar(None, pa.large_string()), words)
    return words.dictionary_encode()


def _joined(parts: list[Arrow]) -> tuple[Arrow, Arrow]:
    """One dictionary for the chunks of a column."""
    import pyarrow as pa

    if not parts:
        return pa.array([], pa.large_string()), pa.array([], pa.int32())
    whole = parts[0] if len(parts) == 1 else pa.chunked_array(parts).combine_chunks()
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    return whole.dictionary, whole.indices
