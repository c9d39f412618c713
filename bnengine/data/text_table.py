"""Delimited text: detection of encoding, separator, header and comments."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine.data import reading_options
from bnengine.data.checked_frame import DataError
from bnengine.data.reading_options import AUTO, COMMENTS, ENCODINGS, ReadingOptions, numbered, rows_read
from bnengine.data.reading_options import SEPARATORS as BY_NAME
from bnengine.data.typed_columns import check_table_size, frame_of, in_chunks

#: The line of column names is looked for among this many.
FARTHEST = 20
_LONGEST = 40


def rows_above(rows: Sequence[Sequence[object]]) -> int:
    """Return how many rows stand above the column names; 0 if that cannot be told.

    A first row that names all columns but perhaps the first (of row names) is the line of column names. Otherwise that
    line is the first in which no cell is empty, provided that each row above it fills at most half of the columns.
    """
    if not rows or all(map(_filled, rows[0][1:])):
        return 0
    width = len(rows[0])
    for r, row in enumerate(rows[:FARTHEST]):
        n_filled = sum(map(_filled, row))
        if n_filled == len(row) == width:
            return r
        if 2 * n_filled > width:
            return 0
    return 0


def remark_on_rows_above(rows: Sequence[Sequence[object]]) -> str:
    """Say that rows were skipped, and how the first of them begins."""
    first = next((cell.strip() for row in rows for cell in row if isinstance(cell, str) and cell.strip()), "")
    quoted = f" ('{first if len(first) <= _LONGEST else first[: _LONGEST - 1] + '…'}')" if first else ""
    return f"skipped {counted(len(rows), 'line')} above the column names{quoted}"


def _filled(cell: object) -> bool:
    return bool(cell.strip()) if isinstance(cell, str) else True


# Tables whose lines are the variables, as those of gene expression often are.

#: Name of the column that holds the former column names, where the corner of the table is empty.
OBSERVATION = "observation"
_MANY = 10  # rows, and columns of numbers, of a table that may have its variables in rows


def transposed(header: Sequence[str], rows: Iterable[Sequence[str]], called: str) -> tuple[list[str], list[list[str]]]:
    """Return names and rows of the table with rows and columns exchanged; the first cell of each row is its name.

    A DataError if it is larger than a sheet may be, since all of its cells are held at once.
    """
    lines: list[Sequence[str]] = []
    for row in rows:
        lines.append(row)
        check_table_size(len(header), len(lines) + 1, called, reading_options.LIMITS.sheet_cells)
    names = [header[0].strip() or OBSERVATION, *(row[0] for row in lines)]
    columns = [list(header[1:]), *(row[1:] for row in lines)]
    return names, [list(cells) for cells in zip(*columns, strict=True)]


def remark_on_variables_in_rows(frame: pd.DataFrame) -> str:
    """Say how lines were read if they may be the variables: measurements only, and a name for each line."""
    from pandas.api.types import is_float_dtype, is_numeric_dtype

    if len(frame) < _MANY or frame.shape[1] <= _MANY or not all(map(is_float_dtype, frame.dtypes.iloc[1:])):
        return ""
    names = frame.iloc[:, 0]
    if is_numeric_dtype(names.dtype) or names.nunique() < len(frame):
        return ""
    return (
        f"each line was read as one observation; if '{str(frame.columns[0])[:40]}' names the variables, read the file "
        "with variables in rows (transposed)"
    )


SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar", " ": "space"}
_BYTE_ORDER_MARKS = (  # UTF-32 first: its mark starts with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DETECTED = ReadingOptions()
_HEAD_LINES, _HEAD_CHARACTERS = 50, 2**20
_NUMBER = re.compile(r"[+-]?[0-9]{0,20}[.,]?[0-9]{1,20}")


@dataclass(frozen=True)
class Layout:
    """How the text is laid out as a table.

    Attributes
    ----------
    skipped : int
        Lines before the header.
    extra : {"", "row names", "separator"}
        What the rows have in addition to the header: a leading row name, or a trailing separator.
    hash_mark : bool
        Whether the header starts with a hash mark.
    comment : str
        What comment lines begin with; empty if there are none.
    """

    separator: str
    skipped: int = 0
    extra: str = ""
    hash_mark: bool = False
    comment: str = "#"


def read_text(
    raw: bytes, called: str, remarks: list[str], options: ReadingOptions = _DETECTED
) -> tuple[pd.DataFrame, str]:
    """Return the table and a description of its format; ambiguities are appended to ``remarks``."""
    encoding = encoding_of(raw, called) if options.encoding == AUTO else ENCODINGS[options.encoding]

    source = io.BytesIO(raw)

    def lines(source: io.BytesIO) -> io.TextIOWrapper:
        return io.TextIOWrapper(source, encoding, errors="replace", newline="")

    head = _head_of(lines(io.BytesIO(raw)))
    if not any(line.strip() for line in head):
        raise DataError(f"{called} is empty; a table needs a line of column names and at least one row")
    layout = layout_of(head, BY_NAME.get(options.separator, ""), COMMENTS[options.comment], options.decimal)
    if layout.skipped:
        remarks.append(f"skipped {counted(layout.skipped, 'comment line')} ({layout.comment}) before the table")
    try:
        table: Iterator[str] = itertools.islice(lines(source), layout.skipped, None)
        if layout.hash_mark:
            table = itertools.chain([next(table).lstrip("# ")], table)
        cells = _cells(table, layout, called)
        header = next((row for row in cells if any(cell.strip() for cell in row)), None)
        if header is None:
            raise DataError(f"{called} has no column names; name every column in the first line")
        if not options.header:
            cells, header = itertools.chain([header], cells), numbered(len(header))
        elif layout.extra == "row names":
            header = ["", *header]
        elif not layout.extra:
            header, cells = _without_title(header, cells, remarks)
        _check_at_a_glance(raw, len(header), layout.separator, called)
        rows = _told(_rows(cells, len(header), layout, called, remarks), source, len(raw))
        if options.transposed:
            header, turned_rows = transposed(header, itertools.chain.from_iterable(rows), called)
            rows = in_chunks(iter(turned_rows))
        frame = frame_of(header, rows, called, remarks, layout.separator == ";", bool(layout.extra), options.decimal)
    except csv.Error as error:
        raise DataError(f"{called} is not a readable table ({error}); save it as CSV, with all quotes closed") from None
    written = {"utf-8-sig": "UTF-8", "cp1252": "Windows-1252"}.get(encoding, encoding.upper())
    if options.encoding != AUTO and options.encoding != "utf-8":
        written = options.encoding
    form = f"{SEPARATORS[layout.separator]}-separated" if frame.shape[1] > 1 else "one column"
    return frame, f"text ({written}), {form}"


def _without_title(
    header: list[str], cells: Iterator[list[str]], remarks: list[str]
) -> tuple[list[str], Iterator[list[str]]]:
    """Return the line of column names and the rows below it, without the title of a spreadsheet above them."""
    first = [header, *itertools.islice(cells, FARTHEST)]
    above = rows_above(first)
    if above:
        remarks.append(remark_on_rows_above(first[:above]))
    return first[above], itertools.chain(first[above + 1 :], cells)


def encoding_of(raw: bytes, called: str) -> str:
    """Return Python's name of the encoding: by the byte order mark, else UTF-8 if valid, else Windows-1252.

    A statistical detector is no improvement: charset-normalizer 3.5 takes a short Windows-1252 table for CP1006, and 20
    MB of valid UTF-8 for CP932, and needs seconds where this check needs milliseconds.
    """
    for mark, name in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return name
    if b"\0" in raw[:4096]:
        raise DataError(
            f"{called} is not a text table; upload CSV, TSV, a workbook (.xlsx, .xls, .ods), Parquet, or a file of "
            "SPSS, Stata or SAS"
        )
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        for start in range(0, len(raw), 2**20):
            decoder.decode(raw[start : start + 2**20])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8-sig"


def _head_of(lines: io.TextIOWrapper) -> list[str]:
    """Return the first lines, from which the layout is detected."""
    head: list[str] = []
    left = _HEAD_CHARACTERS
    while left > 0 and len(head) < _HEAD_LINES and (line := lines.readline(left)):
        head.append(line)
        left -= len(line)
    return head[:-1] if left <= 0 and len(head) > 1 else head


def layout_of(head: list[str], separator: str = "", comment: str = "#", decimal: str = AUTO) -> Layout:
    """Detect the layout from the first lines, but for what is given."""
    n_comments = next((k for k, line in enumerate(head) if not (comment and line.startswith(comment))), 0)
    rest = head[n_comments:]
    separator = separator or separator_of(rest, "," if decimal == "comma" else "")
    if not n_comments or comment != "#":
        return Layout(separator, n_comments, _extra_of(rest, separator), comment=comment)
    marked = [head[n_comments - 1].lstrip("# "), *rest]
    widths = [len(row) for row in _parsed(marked[:2], separator)]
    numbers = [any(_NUMBER.fullmatch(cell.strip()[:50]) for cell in row) for row in _parsed(rest, separator)]
    named_by_mark = len(widths) == 2 and widths[0] == widths[1] > 1 and (numbers[0] or not any(numbers))
    if named_by_mark:
        return Layout(separator, n_comments - 1, _extra_of(marked, separator), hash_mark=True)
    return Layout(separator, n_comments, _extra_of(rest, separator))


def separator_of(head: list[str], never: str = "") -> str:
    """Return the separator, not ``never``, that splits the lines into equally many cells, the most if several do."""
    possible = [separator for separator in SEPARATORS if separator != never]

    def quality(separator: str) -> tuple[bool, bool, int]:
        widths = [len(row) for row in _parsed(head, separator)]
        if not widths:
            return False, False, 0
        usual, times = Counter(widths).most_common(1)[0]
        if times > 0.8 * len(widths) and usual == widths[0] > 1:
            return separator != " ", True, usual
        if _extra_of(head, separator):
            return separator != " ", False, usual
        return False, False, 0

    best = max(possible, key=quality)
    first = next((line for line in head if line.strip()), "")
    return best if quality(best)[2] else max(possible, key=lambda s: first.count(s) * (s != " "))


def _extra_of(head: list[str], separator: str) -> str:
    """Return what every row of the first lines has in addition to the header (see ``Layout``)."""
    rows = _parsed(head, separator)
    if len(rows) < 3 or len(rows[0]) < 2 or any(len(row) != len(rows[0]) + 1 for row in rows[1:]):
        return ""
    if not any(row[-1].strip() for row in rows[1:]):
        return "separator"
    names = [row[0] for row in rows[1:]]
    quoted = all(line.startswith('"') for line in head[1:] if line.strip())  # as R writes row names
    return "row names" if len(set(names)) == len(names) and (separator != " " or quoted) else ""


def _parsed(lines: Iterable[str], separator: str) -> list[list[str]]:
    """Return rows of cells that are not blank; none if quotes are not closed."""
    try:
        return [row for row in _split(lines, separator) if any(cell.strip() for cell in row)]
    except csv.Error:
        return []


def _split(lines: Iterable[str], separator: str) -> Iterator[list[str]]:
    """Split lines into cells; a quote may follow a blank after the separator."""
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=separator != " ")
    return (row[:-1] if row and row[-1] == "" else row for row in rows) if separator == " " else rows


def _cells(lines: Iterable[str], layout: Layout, called: str) -> Iterator[list[str]]:
    """Yield rows of cells; a line with more cells than allowed is refused before it is split."""
    most = reading_options.LIMITS.columns + 1

    def bounded_lines() -> Iterator[str]:
        for line in lines:
            if len(line) > most and line.count(layout.separator) > most:
                outside = re.sub(r'"[^"]*"', "", line) if '"' in line else line
                check_table_size(0, outside.count(layout.separator), called)
            yield line

    return _split(bounded_lines(), layout.separator)


def _check_at_a_glance(raw: bytes, width: int, separator: str, called: str) -> None:
    """Refuse a table with far too many cells before any is read, where counting bytes tells their number."""
    if any(mark in raw for mark in (b'"', b"#", b"\0")) or separator == " ":
        return  # cells in quotes, comments, two bytes a character
    n_rows = raw.count(separator.encode()) // (width - 1) if width > 1 else raw.count(b"\n")
    check_table_size(n_rows, width, called)


def _rows(
    cells: Iterator[list[str]], width: int, layout: Layout, called: str, remarks: list[str]
) -> Iterator[list[list[str]]]:
    """Yield the rows in chunks, each row as wide as the header, without blank lines and comments."""
    skipped = _SkippedLines()
    for chunk in in_chunks(cells):
        if skipped.pending or set(map(len, chunk)) != {width}:
            chunk = list(_full_rows(chunk, width, layout, called, skipped))
        skipped.n_rows += len(chunk)
        yield chunk
    if skipped.n_comments:
        remarks.append(f"skipped {counted(skipped.n_comments, 'comment line')} ({layout.comment}) among the rows")
    if skipped.n_blank:
        remarks.append(f"read {counted(skipped.n_blank, 'blank line')} among the rows as empty cells")


def _told(chunks: Iterator[list[list[str]]], source: io.BytesIO, n_bytes: int) -> Iterator[list[list[str]]]:
    """Yield the chunks, and report how much of the file they took."""
    for chunk in chunks:
        rows_read(n_bytes if source.closed else source.tell(), n_bytes)
        yield chunk


@dataclass
class _SkippedLines:
    """Counts so far: rows, comments, blank lines read as empty cells, and blank lines that may yet be empty cells."""

    n_rows: int = 0
    n_comments: int = 0
    n_blank: int = 0
    pending: int = 0


def _full_rows(
    chunk: list[list[str]], width: int, layout: Layout, called: str, skipped: _SkippedLines
) -> Iterator[list[str]]:
    """Yield the lines that are rows of the table; DataError if one has another number of cells than the header."""
    n_rows = skipped.n_rows
    for row in chunk:
        if not row or (len(row) == 1 and not row[0].strip()):
            skipped.pending += 1  # an empty cell of a single column, if more rows follow
            continue
        if skipped.pending:
            if width == 1:
                n_rows += skipped.pending
                skipped.n_blank += skipped.pending
                yield from ([""] for _ in range(skipped.pending))
            skipped.pending = 0
        if layout.extra == "separator" and len(row) == width + 1 and not row[-1].strip():
            row = row[:-1]
        if len(row) != width:
            if layout.comment and row[0].startswith(layout.comment):
                skipped.n_comments += 1
                continue
            raise DataError(
                f"{called}: row {n_rows + 1} has {counted(len(row), 'cell')} but the first line names {width} columns "
                f"(read as {SEPARATORS[layout.separator]}-separated); check that row for a stray separator or quote"
            )
        n_rows += 1
        yield row
