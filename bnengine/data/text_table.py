"""Tables written as text: which encoding, which separator, which lines belong to the table."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnengine.data import limits
from bnengine.data.coded_columns import in_chunks, refuse_many_cells
from bnengine.data.dataset import DataError
from bnengine.data.typed_columns import frame_of

if TYPE_CHECKING:
    import pandas as pd

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
_MARKS = (  # the longer ones first: that of UTF-16 begins that of UTF-32
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HEAD_LINES, _HEAD_LETTERS = 50, 2**20


@dataclass(frozen=True)
class Layout:
    """How a text is cut into a table.

    Attributes
    ----------
    separator : str
    skipped : int
        Lines before the one that names the columns.
    extra : {"", "row names", "separator"}
        What the rows have beyond the header: a first cell with the row's name, or a separator at the end.
    hash_mark : bool
        Whether the line that names the columns begins with one.
    """

    separator: str
    skipped: int = 0
    extra: str = ""
    hash_mark: bool = False


def read_text(raw: bytes, called: str, remarks: list[str]) -> tuple[pd.DataFrame, str]:
    """The table in a text and, in a few words, how it was read; ``remarks`` gets what could be meant otherwise."""
    encoding = encoding_of(raw, called)

    def lines() -> io.TextIOWrapper:
        return io.TextIOWrapper(io.BytesIO(raw), encoding, errors="replace", newline="")

    head = _head_of(lines())
    if not any(line.strip() for line in head):
        raise DataError(f"{called} is empty; a table needs a line of column names and at least one row")
    layout = layout_of(head)
    if layout.skipped:
        remarks.append(f"{_lines(layout.skipped, 'of comments (#) before the table')} left out")
    try:
        table: Iterator[str] = itertools.islice(lines(), layout.skipped, None)
        if layout.hash_mark:
            table = itertools.chain([next(table).lstrip("# ")], table)
        cells = _cells(table, layout, called)
        header = next((row for row in cells if any(cell.strip() for cell in row)), None)
        if header is None:
            raise DataError(f"{called} names no columns; name every column in the first line")
        if layout.extra == "row names":
            header = ["", *header]
        rows = _rows(cells, len(header), layout, called, remarks)
        frame = frame_of(header, rows, called, remarks, layout.separator == ";", bool(layout.extra))
    except csv.Error as error:
        raise DataError(f"{called} is not a readable table ({error}); save it as CSV with quotes closed") from None
    written = {"utf-8-sig": "UTF-8", "cp1252": "Windows-1252"}.get(encoding, encoding.upper())
    between = f"a {SEPARATORS[layout.separator]} between cells" if frame.shape[1] > 1 else "one column"
    return frame, f"text ({written}) with {between}"


def encoding_of(raw: bytes, called: str) -> str:
    """What Python calls the encoding, told by the mark at the beginning and by whether all bytes fit."""
    for mark, name in _MARKS:
        if raw.startswith(mark):
            return name
    if b"\0" in raw[:4096]:
        raise DataError(f"{called} is not a table of text; upload CSV, TSV, xlsx or Parquet")
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        for start in range(0, len(raw), 2**20):
            decoder.decode(raw[start : start + 2**20])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8-sig"


def _head_of(lines: io.TextIOWrapper) -> list[str]:
    """The first lines, as many as tell how the text is to be cut."""
    head: list[str] = []
    left = _HEAD_LETTERS
    while left > 0 and len(head) < _HEAD_LINES and (line := lines.readline(left)):
        head.append(line)
        left -= len(line)
    return head[:-1] if left <= 0 and len(head) > 1 else head


def layout_of(head: list[str]) -> Layout:
    """The layout that the first lines of a text speak for."""
    n_comments = next((k for k, line in enumerate(head) if not line.startswith("#")), 0)
    rest = head[n_comments:]
    separator = separator_of(rest)
    if not n_comments:
        return Layout(separator, 0, _extra_of(rest, separator))
    marked = [head[n_comments - 1].lstrip("# "), *rest]
    widths = [len(row) for row in _parsed(marked[:2], separator)]
    numbers = [any(_looks_like_a_number(cell) for cell in row) for row in _parsed(rest, separator)]
    named_by_mark = len(widths) == 2 and widths[0] == widths[1] > 1 and (numbers[0] or not any(numbers))
    if named_by_mark:
        return Layout(separator, n_comments - 1, _extra_of(marked, separator), hash_mark=True)
    return Layout(separator, n_comments, _extra_of(rest, separator))


def separator_of(head: list[str]) -> str:
    """The separator that cuts the lines into the same number of cells, the most cells winning."""

    def worth(separator: str) -> tuple[bool, bool, int]:
        widths = [len(row) for row in _parsed(head, separator)]
        if not widths:
            return False, False, 0
        usual, times = Counter(widths).most_common(1)[0]
        if times > 0.8 * len(widths) and usual == widths[0] > 1:
            return separator != " ", True, usual
        if _extra_of(head, separator):
            return separator != " ", False, usual
        return False, False, 0

    best = max(SEPARATORS, key=worth)
    first = next((line for line in head if line.strip()), "")
    return best if worth(best)[2] else max(SEPARATORS, key=lambda s: first.count(s) * (s != " "))


def _extra_of(head: list[str], separator: str) -> str:
    """What every row of the first lines has beyond the header."""
    rows = _parsed(head, separator)
    if len(rows) < 3 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) + 1 for row in rows[1:]):
        return ""
    if not any(row[-1].strip() for row in rows[1:]):
        return "separator"
    names = [row[0] for row in rows[1:]]
    quoted = all(line.startswith('"') for line in head[1:] if line.strip())  # as R writes them; words of a text are not
    return "row names" if len(set(names)) == len(names) and (separator != " " or quoted) else ""


def _looks_like_a_number(cell: str) -> bool:
    return bool(re.fullmatch(r"[+-]?[0-9]{0,20}[.,]?[0-9]{1,20}", cell.strip()[:50]))


def _parsed(lines: Iterable[str], separator: str) -> list[list[str]]:
    """Rows of cells; nothing where quotes are not closed."""
    try:
        return [row for row in _split(lines, separator) if any(cell.strip() for cell in row)]
    except csv.Error:
        return []


def _split(lines: Iterable[str], separator: str) -> Iterator[list[str]]:
    """Cells of each line. A blank after a separator does not keep a quote from opening a cell."""
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=separator != " ")
    return (row[:-1] if row and row[-1] == "" else row for row in rows) if separator == " " else rows


def _cells(lines: Iterable[str], layout: Layout, called: str) -> Iterator[list[str]]:
    """Rows, none of them of more cells than a table may have."""
    most = limits.LIMITS.columns + 1

    def short_lines() -> Iterator[str]:
        for line in lines:
            if len(line) > most and line.count(layout.separator) > most:
                outside = re.sub(r'"[^"]*"', "", line) if '"' in line else line
                refuse_many_cells(0, outside.count(layout.separator), called)
            yield line

    return _split(short_lines(), layout.separator)


def _rows(
    cells: Iterator[list[str]], width: int, layout: Layout, called: str, remarks: list[str]
) -> Iterator[list[list[str]]]:
    """The rows of the table, some at a time: blank lines and comments left out, each as wide as the header."""
    tally = _Tally()
    for chunk in in_chunks(cells):
        if tally.waiting or set(map(len, chunk)) != {width}:
            chunk = list(_kept(chunk, width, layout, called, tally))
        tally.n_rows += len(chunk)
        yield chunk
    if tally.n_comments:
        remarks.append(f"{_lines(tally.n_comments, 'of comments (#) among the rows')} left out")
    if tally.n_blank:
        remarks.append(f"{_lines(tally.n_blank, 'without a letter among the rows')} taken for empty cells")


def _lines(n: int, which: str) -> str:
    return f"{n:,} line{'s' if n > 1 else ''} {which} {'are' if n > 1 else 'is'}"


@dataclass
class _Tally:
    """What was seen before: rows, lines that are none, and blank lines that may turn out to be rows."""

    n_rows: int = 0
    n_comments: int = 0
    n_blank: int = 0
    waiting: int = 0


def _kept(chunk: list[list[str]], width: int, layout: Layout, called: str, tally: _Tally) -> Iterator[list[str]]:
    """Of some lines those that are rows."""
    n_rows = tally.n_rows
    for row in chunk:
        if not row or (len(row) == 1 and not row[0].strip()):
            tally.waiting += 1  # in a single column an empty cell, if more rows follow
            continue
        if tally.waiting:
            if width == 1:
                n_rows += tally.waiting
                tally.n_blank += tally.waiting
                yield from ([""] for _ in range(tally.waiting))
            tally.waiting = 0
        if layout.extra == "separator" and len(row) == width + 1 and not row[-1].strip():
            row = row[:-1]
        if len(row) != width:
            if row[0].startswith("#"):
                tally.n_comments += 1
                continue
            raise DataError(
                f"{called}: row {n_rows + 1} has {len(row)} cells but the first line names {width} columns "
                f"(read with {SEPARATORS[layout.separator]} between cells); check that row for a stray separator or "
                "quote"
            )
        n_rows += 1
        yield row
