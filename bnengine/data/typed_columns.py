"""Column types by distinct strings: numbers where every cell is one. Patterns take time linear in a cell's length."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any, NoReturn

import numpy as np

from bnengine._core.display import counted
from bnengine._core.environment import pa, pc, pd
from bnengine._core.setting_kinds import LONGEST_NAME, bounded_name, composed
from bnengine.data import reading_options
from bnengine.data.cell_text import ENCODED_TWICE, decoded_once_more
from bnengine.data.checked_frame import DataError
from bnengine.data.reading_options import columns_typed

# Dictionary encoding of a table's cells: the distinct strings of each column, and a code for each row.
#
# The type of a cell is then decided once per distinct string, and a table takes little more memory than its file.

#: A pyarrow array: the distinct strings of a column, or the code of each row.
Arrow = Any

#: Rows per chunk. Small chunks create few lists at a time, which keeps Python's garbage collector idle;
#: it took three quarters of the time to read a narrow table.
_CHUNK_ROWS = 200
#: Cells to collect before they are encoded.
_PART_CELLS = 1_000_000


def check_table_size(n_rows: int, n_columns: int, called: str, most: int | None = None) -> None:
    """Raise a DataError if a table of this size exceeds the limits."""
    if n_columns > reading_options.LIMITS.columns:
        raise DataError(
            f"{called} has more than {reading_options.LIMITS.columns:,} columns, the limit; keep the columns of "
            "interest, or check the separator and the line breaks"
        )
    most = most or reading_options.LIMITS.cells
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
    strings = pc.utf8_trim_whitespace(pa.array(cells, pa.large_string()))
    empty = pc.equal(pc.binary_length(strings), 0)
    if pc.any(empty).as_py():
        strings = pc.if_else(empty, pa.scalar(None, pa.large_string()), strings)
    return strings.dictionary_encode()


def _joined(parts: list[Arrow]) -> tuple[Arrow, Arrow]:
    """Return one dictionary and its codes for the chunks of a column."""
    if not parts:
        return pa.array([], pa.large_string()), pa.array([], pa.int32())
    whole = parts[0] if len(parts) == 1 else pa.chunked_array(parts).combine_chunks()
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    return whole.dictionary, whole.indices


#: A longer cell is a string: a number of that length would lose digits.
_LONGEST_NUMBER = 40
_FEW = 12  # strings
_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,5})?$"
_WHOLE = r"^[+-]?[0-9]{1,18}$"
_NOT_A_NUMBER = r"^[+-]?(?:0[0-9]|[0-9]{19,}$)"  # a code such as 007, or an identifier too long for a float
_LONG_WHOLE = r"^[+-]?[0-9]{16,}(?:\.0*)?$"  # more digits than every float keeps
_DECIMAL_COMMA = r"^[+-]?(?:[0-9]+,[0-9]+(?:[eE][+-]?[0-9]{1,5})?|[0-9]+)$"
_THOUSANDS = r"^[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3})$"
_GROUPED_COMMAS = r"^[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?$"
_GROUPED_POINTS = r"^[+-]?[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?$"
_ROW_NAMES = "row name"
_TOTALS = ("total", "totals", "sum", "sums", "mean", "average", "summe", "gesamt", "mittelwert", "somme", "suma")
#: Remarks on ambiguous columns; the braces take the column names.
_COMMAS = "commas in {} were read as decimal points"
_GROUPED = "{} contain thousands separators and were read as text; remove the commas to have numbers"
_EITHER = "commas in {} may be decimal or thousands separators, so the values were read as text; write decimal points"
_EXACT = "{} hold numbers of more digits than a number keeps and were read as text; round them to have numbers"
_COMPOSED = "accents written as characters of their own were joined to their letters (Unicode NFC) in {}"
_TWICE = (
    "text looks as if it was encoded twice, or some lines in UTF-8 and some in Windows-1252, in {}; accept the repair "
    "that is proposed, or save the file as UTF-8"
)
_MERGED = "different spellings of the same number were merged: {}; if they are codes, put a letter before them"


def raise_formula(column: str, line: int, formula: str) -> NoReturn:
    """Raise a DataError for a cell that holds a formula instead of a value."""
    raise DataError(
        f"column '{column[:80]}', line {line} holds a formula ({formula[:40]}) instead of a value; "
        "replace formulas by their values (paste special → values) and save the file again"
    )


def check_unique(names: Sequence[str], called: str) -> None:
    """Raise a DataError if two columns have the same name."""
    for name, times in Counter(names).items():
        if times > 1:
            raise DataError(
                f"{called}: the column name '{name[:80]}' occurs {times} times; give each column its own name"
            )


def shortened(names: Sequence[str], remarks: list[str]) -> list[str]:
    """Return the column names, long ones shortened, with a remark on them."""
    n_long = sum(len(name) > LONGEST_NAME for name in names)
    if n_long:
        were = "was" if n_long == 1 else "were"
        remarks.append(f"{counted(n_long, 'column name')} of more than {LONGEST_NAME} characters {were} shortened")
    return [bounded_name(name) for name in names]


def frame_of(
    header: Sequence[str],
    chunks: Iterable[Sequence[Sequence[str]]],
    called: str,
    remarks: list[str],
    decimal_comma: bool = False,
    named_rows: bool = False,
    decimal: str = "auto",
) -> pd.DataFrame:
    """Return the table with typed columns.

    The ``chunks`` hold rows of cells as strings, each row as long as the header; surrounding blanks are ignored.
    ``called`` is the file, for error messages; a sentence is appended to ``remarks`` for each ambiguity.
    ``decimal_comma`` says that 1,500 certainly means one and a half, ``named_rows`` that the first column may lack a
    name because it holds row names, and ``decimal``, "auto", "point" or "comma", whether a comma is never, or always,
    the decimal mark.

    A DataError if column names are missing or repeated, there are too many cells, a cell holds a formula, or a number
    is too large.
    """
    doubts: dict[str, list[str]] = {}
    names = shortened(composed_names([name.strip() for name in header], doubts), remarks)
    _remark_on_names_encoded_twice(names, remarks)
    check_table_size(0, len(names), called)
    nameless = [c for c, name in enumerate(names) if not name]
    if nameless and (nameless != [0] or len(names) == 1):
        _raise_nameless(nameless[0], called)
    check_unique(names, called)
    columns = encode_columns(chunks, len(names), called)
    n_rows = len(columns[0][1])
    if not n_rows:
        raise DataError(f"{called} has column names but no rows")
    if nameless:
        names, columns = _named_first_column(names, columns, called, remarks, named_rows)
    _remark_on_units_and_totals(names, columns, n_rows, remarks)
    known: dict[tuple[str, ...], Arrow] = {}  # of columns with the same few strings, as thousands of genes have them
    typed = {}
    for c, name in enumerate(names):
        columns_typed(c, len(names))
        strings, codes = _composed(name, *columns[c], doubts)
        _doubt_encoding(name, strings, doubts)
        words = tuple(strings.to_pylist()) if len(strings) <= _FEW else None
        values = None if words is None else known.get(words)
        if values is None:
            n_doubts = sum(map(len, doubts.values()))
            values = _values(name, strings, codes, doubts, decimal_comma, decimal)
            if words is not None and n_doubts == sum(map(len, doubts.values())):
                known[words] = values
        typed[name] = values.take(codes)
        columns[c] = (None, None)  # free the strings
    add_remarks(doubts, remarks)
    return to_pandas(pa.table(typed))


def add_remarks(doubts: dict[str, list[str]], remarks: list[str]) -> None:
    """Append each sentence with the columns that it is about."""
    for sentence, of in doubts.items():
        more = f" and {len(of) - 3} more columns" if len(of) > 3 else ""
        remarks.append(sentence.format(", ".join(of[:3]) + more))


def composed_names(names: Sequence[str], doubts: dict[str, list[str]]) -> list[str]:
    """Return the column names with their accents joined to the letters; a doubt records that some were not."""
    found = list(map(composed, names))
    if found != list(names):
        doubts.setdefault(_COMPOSED, []).append("the column names")
    return found


def composed_strings(name: str, strings: Arrow, doubts: dict[str, list[str]]) -> Arrow:
    """Return strings, or a dictionary of them, with their accents joined to the letters; a doubt names the column."""
    if pa.types.is_dictionary(strings.type):
        words, codes = _composed(name, strings.dictionary, strings.indices, doubts)
        return pa.DictionaryArray.from_arrays(codes, words, ordered=strings.type.ordered)
    if pc.all(pc.string_is_ascii(strings)).as_py():
        return strings
    normal, written = pc.utf8_normalize(strings, "NFC"), f"'{name}'"
    if normal.equals(strings):
        return strings
    if written not in doubts.setdefault(_COMPOSED, []):
        doubts[_COMPOSED].append(written)
    return normal


def _composed(name: str, strings: Arrow, codes: Arrow, doubts: dict[str, list[str]]) -> tuple[Arrow, Arrow]:
    """Return the distinct strings of a column, composed, and the codes of the rows; what is alike then has one code."""
    normal = composed_strings(name, strings, doubts)
    if normal is strings:
        return strings, codes
    whole = normal.dictionary_encode()
    return whole.dictionary, whole.indices.take(codes)


def _named_first_column(
    names: list[str], columns: list[tuple[Arrow, Arrow]], called: str, remarks: list[str], named_rows: bool
) -> tuple[list[str], list[tuple[Arrow, Arrow]]]:
    """Drop a first column without a name if it holds row numbers, or name it, since it holds row names."""
    if _is_row_numbers(*columns[0]):
        remarks.append("the first column contains row numbers and was dropped")
        return names[1:], columns[1:]
    if _is_index(*columns[0]):
        remarks.append("the first column has no name and contains the numbers of selected rows; it was dropped")
        return names[1:], columns[1:]
    names = [_ROW_NAMES, *names[1:]]
    check_unique(names, called)
    why = "the first line has one name fewer than the rows have cells" if named_rows else "the first column has no name"
    remarks.append(f"{why}; {'the first column' if named_rows else 'it'} is '{_ROW_NAMES}'")
    return names, columns


def to_pandas(table: Any) -> pd.DataFrame:
    """Convert a pyarrow table to a frame; integers keep all digits even in columns with missing cells."""
    whole = {
        getattr(pa, f"{kind}{bits}")(): getattr(pd, f"{sign}Int{bits}Dtype")()
        for kind, sign in (("int", ""), ("uint", "U"))
        for bits in (8, 16, 32, 64)
    }
    return table.to_pandas(types_mapper=whole.get)


def _raise_nameless(c: int, called: str) -> NoReturn:
    raise DataError(f"{called}: column {c + 1} has no name; name every column in the first line of the file")


def _is_row_numbers(strings: Arrow, codes: Arrow) -> bool:
    """Return whether a column counts the rows from 0 or 1; many programs write one as the first column."""
    if codes.null_count or len(strings) != len(codes):
        return False
    cells = strings.take(codes)
    return any(
        pc.all(pc.equal(cells, pa.array(range(start, start + len(cells))).cast(pa.large_string()))).as_py()
        for start in (0, 1)
    )


def _is_index(strings: Arrow, codes: Arrow) -> bool:
    """Return whether a column holds whole numbers that increase, as the index of a filtered table does."""
    if codes.null_count or len(strings) != len(codes) or not pc.all(_is(strings, "^(?:0|[1-9][0-9]{0,17})$")).as_py():
        return False
    numbers = pc.cast(strings.take(codes), pa.int64()).to_numpy()
    return bool((np.diff(numbers) > 0).all())


def _is(strings: Arrow, pattern: str) -> Arrow:
    return pc.match_substring_regex(strings, pattern)


def _are_numbers(strings: Arrow) -> Arrow:
    """Return whether each string is a number."""
    short = pc.less_equal(pc.binary_length(strings), _LONGEST_NUMBER)
    return pc.and_(short, pc.and_not(_is(strings, _NUMBER), _is(strings, _NOT_A_NUMBER)))


def _values(
    name: str, strings: Arrow, codes: Arrow, doubts: dict[str, list[str]], decimal_comma: bool, decimal: str
) -> Arrow:
    """Return the values of a column's distinct strings: integers, floats or the strings."""
    formula = pc.index(_is(strings, "(?s)^=."), pa.scalar(True)).as_py()
    if formula >= 0:
        raise_formula(name, pc.index(codes, pa.scalar(formula, codes.type)).as_py() + 2, strings[formula].as_py())
    given = decimal != "auto"
    written = _marked(strings, decimal) if given else _with_points(name, strings, doubts, decimal_comma)
    if not len(strings) or not pc.all(_are_numbers(written)).as_py():
        return strings
    whole = pc.all(_is(written, _WHOLE)).as_py()
    bare = pc.replace_substring_regex(written, r"^\+", "")
    numbers = pc.cast(bare, pa.int64() if whole else pa.float64())
    if not whole and pc.any(pc.is_inf(numbers)).as_py():
        raise DataError(
            f"column '{name[:80]}' holds a number too large to read; correct it, or put a letter before it to have text"
        )
    if not whole and _loses_digits(bare, numbers):
        doubts.setdefault(_EXACT, []).append(f"'{name}'")
        return strings
    _doubt_merged(name, strings, numbers, doubts)
    return numbers


def _loses_digits(written: Arrow, numbers: Arrow) -> bool:
    """Return whether a whole number is not exact as a float, or two numbers become the same."""
    found = numbers.to_numpy()
    _, which, times = np.unique(found, return_inverse=True, return_counts=True)
    long = _is(written, _LONG_WHOLE).to_numpy(zero_copy_only=False)
    exact: dict[float, Decimal] = {}
    for place in np.flatnonzero(long | (times[which] > 1)).tolist():
        number = Decimal(written[place].as_py())
        if (long[place] and number != Decimal(float(found[place]))) or exact.setdefault(found[place], number) != number:
            return True
    return False


def _marked(strings: Arrow, decimal: str) -> Arrow:
    """Replace decimal commas by points, or drop the commas between thousands, if every string is then a number."""
    grouped, mark = (_GROUPED_POINTS, r"\.") if decimal == "comma" else (_GROUPED_COMMAS, ",")
    if not pc.all(pc.or_(_are_numbers(_pointed(strings, decimal)), _is(strings, grouped))).as_py():
        return strings
    bare = pc.if_else(_is(strings, grouped), pc.replace_substring_regex(strings, mark, ""), strings)
    return _pointed(bare, decimal)


def _pointed(strings: Arrow, decimal: str) -> Arrow:
    return pc.replace_substring(strings, ",", ".") if decimal == "comma" else strings


def _with_points(name: str, strings: Arrow, doubts: dict[str, list[str]], decimal_comma: bool) -> Arrow:
    """Replace decimal commas by points, if every string with a comma is such a number."""
    if not pc.any(pc.match_substring(strings, ",")).as_py():
        return strings
    decimal, thousands = (pc.all(_is(strings, pattern)).as_py() for pattern in (_DECIMAL_COMMA, _THOUSANDS))
    if thousands and not (decimal and decimal_comma):
        doubts.setdefault(_EITHER if decimal else _GROUPED, []).append(f"'{name}'")
        return strings
    if not decimal:
        return strings
    doubts.setdefault(_COMMAS, []).append(f"'{name}'")
    return pc.replace_substring(strings, ",", ".")


def _doubt_encoding(name: str, strings: Arrow, doubts: dict[str, list[str]]) -> None:
    """Record a column with text that was decoded in the wrong way, with the first such text."""
    if not pc.all(pc.string_is_ascii(strings)).as_py():
        for text in strings.filter(_is(strings, ENCODED_TWICE)).to_pylist():
            right = decoded_once_more(text)
            if right is not None or "\ufffd" in text:
                shown = f"'{text[:30]}'" if right is None else f"'{text[:30]}' for '{right[:30]}'"
                doubts.setdefault(_TWICE, []).append(f"'{name}' ({shown})")
                return


def _remark_on_names_encoded_twice(names: Sequence[str], remarks: list[str]) -> None:
    found = [(name, right) for name in names if (right := decoded_once_more(name)) is not None]
    if found:
        remarks.append(
            f"the column name '{found[0][0][:40]}' looks as if it was encoded twice, for '{found[0][1][:40]}'"
            f"{f', and {len(found) - 1} more do' if len(found) > 1 else ''}; rename it, or save the file as UTF-8"
        )


def _doubt_merged(name: str, strings: Arrow, numbers: Arrow, doubts: dict[str, list[str]]) -> None:
    """Record strings that became the same number, except signed zeros."""
    found = numbers.to_numpy()
    values, times = np.unique(found, return_counts=True)
    twice = values[(times > 1) & (values != 0)]
    if len(twice):
        one, other = (strings[int(place)].as_py() for place in np.flatnonzero(found == twice[0])[:2])
        doubts.setdefault(_MERGED, []).append(f"{one} and {other} in '{name}'")


def _remark_on_units_and_totals(
    names: list[str], columns: list[tuple[Arrow, Arrow]], n_rows: int, remarks: list[str]
) -> None:
    """Add a remark if the first row looks like units, or the last like totals."""
    if n_rows < 3:
        return
    units = [
        (name, strings[0].as_py())
        for name, (strings, codes) in zip(names, columns, strict=True)
        if _only_first(strings, codes)
    ]
    if units:
        shown = ", ".join(f"{unit} for '{name}'" for name, unit in units[:3])
        remarks.append(
            f"the first row may contain units ({shown}), which turns numeric columns into text; if so, delete that row"
        )
    for strings, codes in columns:
        last = codes[n_rows - 1].as_py()
        cell = None if last is None else strings[last].as_py()
        if cell is not None and len(cell) < 20 and cell.casefold().rstrip(":.") in _TOTALS:
            remarks.append(f"the last row may contain totals ('{cell}'); if so, delete it")
            return


def _only_first(strings: Arrow, codes: Arrow) -> bool:
    """Return whether a column would be numeric without its first row."""
    if len(strings) < 2 or codes[0].as_py() != 0 or _are_numbers(strings.slice(0, 1))[0].as_py():
        return False
    once = pc.index(codes.slice(1), pa.scalar(0, codes.type)).as_py() < 0
    return bool(once and pc.all(_are_numbers(strings.slice(1))).as_py())
