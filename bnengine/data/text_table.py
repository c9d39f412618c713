"""Delimited text: its encoding and layout are detected from the first lines, then pyarrow splits it into cells."""

from __future__ import annotations

import codecs
import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from bnengine._core.display import counted
from bnengine._core.environment import pa, pc, pd
from bnengine.data.checked_frame import DataError
from bnengine.data.declared_text import declarations_below, is_arff, read_arff
from bnengine.data.encodings import decoded, encoding_of, encoding_title
from bnengine.data.infer_types import Remarks, check_table_size, frame_of
from bnengine.data.reading_options import AUTO, COMMENTS, ENCODINGS, SEPARATORS, ReadingOptions, numbered_columns

_NAMES = {mark: name for name, mark in SEPARATORS.items()}
#: Lines, and bytes, from which the dialect is detected.
_HEAD_LINES, _HEAD_BYTES = 50, 2**22
_LONGEST_CELL = 131_072  # longer ones come of a quote that is not closed
_NUMBER = re.compile(r"[+-]?[0-9]{0,20}[.,]?[0-9]{1,20}|NA")
_STATED = re.compile(r"\"?sep=([,;\t|])\"?")
#: The line of column names is looked for among this many.
_FARTHEST = 20
_LONGEST_TITLE = 40


def read_text(raw: bytes, called: str, remarks: Remarks, options: ReadingOptions) -> tuple[pd.DataFrame, str]:
    """Return the table and a description of its format; ``remarks`` takes what is ambiguous."""
    name, doubt = encoding_of(raw, called) if options.encoding == AUTO else (ENCODINGS[options.encoding], "")
    if doubt:
        remarks.add(doubt)
    is_utf8 = name == "utf-8-sig" and options.encoding == AUTO
    text = raw.removeprefix(codecs.BOM_UTF8) if is_utf8 else decoded(raw, name).encode()
    if not text[:4096].strip() and not text.strip():
        raise DataError(f"{called} is empty; a table needs a line of column names and at least one row")
    if is_arff(text[:_HEAD_BYTES].decode(errors="ignore")):
        return read_arff(text.decode(), called, remarks), f"ARFF ({encoding_title(name)})"
    lines, comment = _first_lines(text), COMMENTS[options.comment]
    stated = _STATED.fullmatch(lines[0].rstrip("\r\n")) if lines else None  # as Excel writes it for itself
    text = _without_lines(text, lines, stated is not None)
    lines = lines[stated is not None :]
    n_comments = next((k for k, line in enumerate(lines) if not (comment and line.startswith(comment))), 0)
    rest, never = lines[n_comments:], "," if options.decimal == "comma" else ""
    written = SEPARATORS.get(options.separator) or (stated and stated[1]) or separator_of(rest, never)
    marked = (
        bool(n_comments) and comment == "#" and options.header and _names_columns(lines[n_comments - 1], rest, written)
    )
    n_comments -= marked
    if n_comments:
        remarks.add(f"skipped {counted(n_comments, 'comment line')} ({comment}) before the table")
    text = _without_lines(text, lines, n_comments)
    text = text.lstrip(b"# ") if marked else text
    lines = _first_lines(text)
    extra = _extra_of(lines, written)
    text, separator = (_tabbed(text), "\t") if written == " " else (text, written)
    lines = _first_lines(text)
    cells = itertools.chain.from_iterable(_split(lines, separator))
    if any(cell.startswith(" ") and cell.lstrip(" ").startswith('"') for cell in cells):  # quotes after blanks
        text = re.sub(rb'(?<=[,;\t|]) {1,20}"', b'"', text)
        lines = _first_lines(text)
    header, n_lines = _header_of(lines, separator, extra, options.header, called, remarks, written == " ")
    text = _without_lines(text, lines, n_lines)
    columns = _columns(text, separator, len(header) + (extra == "separator"), called, comment, remarks)[: len(header)]
    frame = frame_of(header, columns, called, remarks, options, semicolons=separator == ";")
    layout = f"{_NAMES[written]}-separated" if frame.shape[1] > 1 else "one column"
    return frame, f"text ({encoding_title(name)}), {layout}"


def _without_lines(text: bytes, lines: Sequence[str], n_lines: int) -> bytes:
    return text[sum(len(line.encode()) for line in lines[:n_lines]) :]


def _first_lines(text: bytes) -> list[str]:
    """Return the first lines, from which the dialect is detected; whole ones, if the first is."""
    lines = list(itertools.islice(io.StringIO(text[:_HEAD_BYTES].decode(errors="ignore"), newline=""), _HEAD_LINES))
    return lines[:-1] if len(text) > _HEAD_BYTES and 1 < len(lines) < _HEAD_LINES else lines


def separator_of(lines: list[str], never: str = "") -> str:
    """Return the separator, not ``never``, that splits the lines into equally many cells, the most if several do.

    Blanks separate cells only if no other separator does, and they split all lines alike.
    """
    qualities = {}
    for separator in _NAMES:
        widths = [len(row) for row in _parsed(lines, separator)]
        usual, times = Counter(widths).most_common(1)[0] if widths else (0, 0)
        alike = times == len(widths) if separator == " " else times > 0.8 * len(widths)
        fits = alike and bool(widths) and usual == widths[0] > 1
        if separator != never and (fits or _extra_of(lines, separator)):
            qualities[separator] = (separator != " ", fits, usual)
    if qualities:
        return max(qualities, key=lambda separator: qualities[separator])
    first = next((line for line in lines if line.strip()), "")
    return max((one for one in _NAMES if one not in (never, " ")), key=first.count)


def _names_columns(comment: str, lines: list[str], separator: str) -> bool:
    """Return whether the comment above the lines names their columns, as numpy.savetxt and genetics write the names."""
    rows = _parsed([comment.lstrip("# "), *lines], separator)
    numbers = [any(_NUMBER.fullmatch(cell.strip()) for cell in row) for row in rows[1:]]
    return len(rows) > 1 and len(rows[0]) == len(rows[1]) > 1 and (numbers[0] or not any(numbers))


def _extra_of(lines: list[str], separator: str) -> str:
    """Return what every row has in addition to the header: leading "row names", a trailing "separator", or nothing."""
    rows = _parsed(lines, separator)
    in_r = separator == " " and all(line.startswith('"') for line in lines if line.strip())  # as R writes a table
    if len(rows) < (2 if in_r else 3) or (len(rows[0]) < 2 and not in_r):
        return ""
    if any(len(row) != len(rows[0]) + 1 for row in rows[1:]):
        return ""
    if not any(row[-1].strip() for row in rows[1:]):
        return "separator"
    numbers = (
        all(_NUMBER.fullmatch(cell) for cell in cells) for cells in zip(*(row[1:] for row in rows[1:]), strict=True)
    )
    distinct = len({row[0] for row in rows[1:]}) == len(rows) - 1
    return "row names" if in_r or (distinct and (separator != " " or any(numbers))) else ""


def _parsed(lines: Iterable[str], separator: str) -> list[list[str]]:
    """Return rows of cells that are not blank; none if quotes are not closed."""
    if separator == " ":
        lines, separator = _tabbed("".join(lines).encode()).decode().splitlines(keepends=True), "\t"
    return [row for row in _split(lines, separator, True) if any(cell.strip() for cell in row)]


def _split(lines: Iterable[str], separator: str, skip_blanks: bool = False) -> list[list[str]]:
    try:
        return list(csv.reader(lines, delimiter=separator, skipinitialspace=skip_blanks))
    except csv.Error:
        return []


def _tabbed(text: bytes) -> bytes:
    r"""Return text in which a tab separates what blanks separated; a quote after \ , as R writes it, is doubled."""
    parts = text.replace(b'\\"', b'""').split(b'"')
    parts[::2] = [re.sub(rb"[ \t]+", b"\t", part) for part in parts[::2]]
    return re.sub(rb"(?m)^\t|\t$|\t(?=\r)", b"", b'"'.join(parts))


def _header_of(
    lines: list[str], separator: str, extra: str, named: bool, called: str, remarks: Remarks, is_spaced: bool
) -> tuple[list[str], int]:
    """Return the column names, and the number of lines down to them; a title above them is skipped with a remark."""
    rows: list[list[str]] = []
    ends, reader = [0], csv.reader(lines, delimiter=separator)
    try:
        for row in reader:
            check_table_size(0, len(row), called)
            if rows or any(cell.strip() for cell in row):
                rows.append(row)
                ends.append(reader.line_num)
            else:
                ends = [reader.line_num]
            if len(rows) > _FARTHEST:
                break
    except csv.Error:
        check_table_size(0, lines[0].count(separator), called)
        if not rows:
            raise _not_readable(called, "a cell is too long") from None
    if not rows:
        raise DataError(f"{called} has no column names; name every column in the first line")
    if not named:
        return numbered_columns(len(rows[0])), ends[0]
    if extra:
        return ([""] if extra == "row names" else []) + rows[0], ends[1]
    names, n_rows = names_in(rows, remarks)
    n_declared, remark = declarations_below(rows[n_rows - 1 :], " " if is_spaced else separator)
    if n_declared:
        remarks.add(remark)
    return names, ends[n_rows + n_declared]


def _not_readable(called: str, why: str) -> DataError:
    return DataError(f"{called} is not a readable table ({why}); save it as CSV, with all quotes closed")


def _columns(text: bytes, separator: str, width: int, called: str, comment: str, remarks: Remarks) -> list[Any]:
    """Return the columns of text without a header; a remark says which lines among the rows are none."""
    from pyarrow import csv as reader

    if width == 1:
        text = text.rstrip()  # blank lines are empty cells, unless no row follows
    if b'"' not in text:
        check_table_size(text.count(b"\n") // 2 if comment.encode() in text else text.count(b"\n"), width, called)
    wrong, n_comments = [], 0

    def skip(row: Any) -> str:
        nonlocal n_comments
        is_comment = bool(comment) and row.text.startswith(comment)
        n_comments += is_comment
        if not is_comment and row.text.strip():
            wrong.append(row)
        return "error" if wrong else "skip"

    names = list(map(str, range(width)))
    try:
        table = reader.read_csv(
            pa.py_buffer(text or b"\n"),
            reader.ReadOptions(use_threads=False, block_size=min(len(text) + 2, 2**31 - 1), column_names=names),
            reader.ParseOptions(
                delimiter=separator, newlines_in_values=True, ignore_empty_lines=width > 1, invalid_row_handler=skip
            ),
            reader.ConvertOptions(
                column_types=dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string())),
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
    except pa.ArrowInvalid as error:
        if not wrong or len(wrong[0].text) > _LONGEST_CELL:
            why = f"a line of {len(wrong[0].text):,} characters" if wrong else str(error)[:80]
            raise _not_readable(called, why) from None
        cells, place = counted(wrong[0].actual_columns, "cell"), wrong[0].number - n_comments
        widths = [len(row) for row in _parsed(_first_lines(text), separator)]
        what, remedy = f"{called}: row {place} has {cells}", "check that row for a stray separator or quote"
        if 1 in widths and 2 * widths.count(width) < len(widths):  # as in prose
            what = f"{called}: its lines have {min(widths)} to {max(widths)} cells"
            remedy = "this does not look like a table: choose another file, or another separator"
        raise DataError(
            f"{what} but the first line names {width} columns (read as {_NAMES[separator]}-separated); {remedy}"
        ) from None
    columns = [column.combine_chunks().cast(pa.dictionary(pa.int32(), pa.large_string())) for column in table.columns]
    if any((pc.max(pc.binary_length(column.dictionary)).as_py() or 0) > _LONGEST_CELL for column in columns):
        raise _not_readable(called, f"a cell has more than {_LONGEST_CELL:,} characters")
    if n_comments:
        remarks.add(f"skipped {counted(n_comments, 'comment line')} ({comment}) among the rows")
    if width == 1 and columns[0].null_count:
        remarks.add(f"read {counted(columns[0].null_count, 'blank line')} among the rows as empty cells")
    return columns


def names_in(rows: Sequence[Sequence[str]], remarks: Remarks) -> tuple[list[str], int]:
    """Return the column names, and how many rows there are down to the last of them; a remark says what was skipped.

    Where names are blank, as beside a question that is merged over its options, and the next row fills these places but
    leaves one blank below a name, a name is that of the question and the option. A blank after the last name, which no
    row has a cell for, is no name.
    """
    above = _titles(rows)
    if above:
        first = next((cell.strip() for row in rows[:above] for cell in row if cell.strip()), "")
        cut = first if len(first) <= _LONGEST_TITLE else f"{first[: _LONGEST_TITLE - 1]}…"
        remarks.add(f"skipped {counted(above, 'line')} above the column names" + (f" ('{cut}')" if first else ""))
    rows = rows[above:]
    names = list(rows[0])
    width = max(map(len, rows[1:]), default=len(names))
    while len(names) > max(width, 1) and not names[-1].strip():
        names.pop()
    below = rows[1] if len(rows) > 2 and len(rows[1]) == len(names) else []
    blank = [c for c in range(1, len(names)) if not names[c].strip()]
    answers = bool(below) and all(below[c].strip() for c in blank) and not all(map(str.strip, below))
    if not blank or not answers:
        return names, above + 1
    found, question = [], ""
    for c, name in enumerate(names):
        question = name.strip() or question
        within = c in blank or c + 1 in blank
        found.append(f"{question}: {below[c].strip()}" if within and below[c].strip() else name)
    remarks.add(f"names over two lines were joined, such as '{next(found[c] for c in blank)}'")
    return found, above + 2


def _titles(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows stand above the column names; 0 if that is unclear.

    A first row that names all columns but perhaps the first (of row names) is the line of column names. Otherwise that
    line is the first in which no cell is empty, provided that each row above it fills at most half of the columns.
    """
    for r, row in enumerate(rows[:_FARTHEST]):
        n_filled = sum(map(bool, map(str.strip, row)))
        if n_filled == len(row) == len(rows[0]):
            return r
        if 2 * n_filled > len(rows[0]) or all(map(str.strip, rows[0][1:])):
            return 0
    return 0
