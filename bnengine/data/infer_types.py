"""Column types, decided once per distinct text: a column is numeric where each of its cells is a number.

A column arrives as a dictionary of pyarrow: its distinct texts, and the number of one for each row. Patterns take time
linear in a cell's length.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from bnengine._core.display import counted
from bnengine._core.environment import pa, pc, pd
from bnengine._core.setting_kinds import LONGEST_NAME, bounded_name, composed
from bnengine.data import reading_options
from bnengine.data.cell_text import ENCODED_TWICE, decoded_once_more
from bnengine.data.checked_frame import DataError
from bnengine.data.number_text import points_are_thousands
from bnengine.data.reading_options import columns_typed

#: A pyarrow array: the distinct texts of a column, the number of the text in each row, or both as a dictionary.
Arrow = Any
#: Columns by the sentence of what was in doubt about them.
Doubts = dict[str, list[str]]

_FEW = 12  # texts
_LONGEST_NUMBER = 40  # a longer cell stays text: a number of that length would lose digits
_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,5})?$"
_WHOLE = r"^[+-]?[0-9]{1,18}$"
_NOT_A_NUMBER = r"^[+-]?(?:0[0-9]|[0-9]{19,}$)"  # a code such as 007, or an identifier too long for a float
_LONG_WHOLE = r"^[+-]?[0-9]{16,}(?:\.0*)?$"  # more digits than every float keeps
_DECIMAL_COMMA = r"^[+-]?(?:[0-9]+,[0-9]+(?:[eE][+-]?[0-9]{1,5})?|[0-9]+)$"
_THOUSANDS = r"^[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3})$"
_GROUPED_COMMAS = r"^[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?$"
_GROUPED_POINTS = r"^[+-]?[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?$"
_GROUPS_OR_WHOLE = r"^[+-]?(?:[1-9][0-9]{0,2}(?:\.[0-9]{3})+|[0-9]{1,18})$"
#: A column whose numbers all fit the first pattern, one of them the second, shows that the file writes decimal commas.
_MAY_HAVE_COMMAS, _HAS_COMMAS = r"^[+-]?[0-9.]{1,25}(?:,[0-9]{1,18})?$", r",(?:[0-9]{1,2}|[0-9]{4,18})$"
_ROW_NAMES = "row name"
_TOTALS = ("total", "totals", "sum", "sums", "mean", "average", "summe", "gesamt", "mittelwert", "somme", "suma")
#: Remarks on ambiguous columns; the braces take the column names.
_COMMAS = "commas in {} were read as decimal points"
_POINTS = "points in {} were read as thousands separators; if they are decimal points, choose the decimal mark 'point'"
_EITHER_POINT = (
    "points in {} may be thousands separators and were read as decimal points; if they separate thousands, choose the "
    "decimal mark 'comma'"
)
_GROUPED = "{} contain thousands separators and were read as text; remove the commas to have numbers"
_EITHER = "commas in {} may be decimal or thousands separators, so the values were read as text; write decimal points"
_EXACT = "{} hold numbers of more digits than a number keeps and were read as text; round them to have numbers"
_COMPOSED = "accents written as characters of their own were joined to their letters (Unicode NFC) in {}"
_TWICE = (
    "text looks as if it was encoded twice, or some lines in UTF-8 and some in Windows-1252, in {}; accept the repair "
    "that is proposed, or save the file as UTF-8"
)
_MERGED = "different spellings of the same number were merged: {}; if they are codes, put a letter before them"


def frame_of(
    header: Sequence[str],
    columns: Sequence[Arrow],
    called: str,
    remarks: list[str],
    semicolons: bool = False,
    named_rows: bool = False,
    decimal: str = "auto",
) -> pd.DataFrame:
    """Return the table with typed columns; surrounding blanks of names and cells are dropped.

    Parameters
    ----------
    header : sequence of str
        One name a column; the first may be empty, where it holds row numbers or row names.
    columns : sequence of pyarrow.DictionaryArray
        The cells as text.
    called : str
        The file, for error messages.
    remarks : list of str
        Takes a sentence for each ambiguity.
    semicolons : bool
        Whether semicolons separate the cells, so that a comma within one is a decimal mark.
    named_rows : bool
        Whether the first line is one name short, since it names no column of row names.
    decimal : {"auto", "point", "comma"}

    Raises
    ------
    DataError
        If column names are missing or repeated, there are too many cells, a cell holds a formula, or a number is too
        large.
    """
    doubts: Doubts = {}
    names = shortened(composed_names([name.strip() for name in header], doubts), remarks)
    _remark_on_names_encoded_twice(names, remarks)
    check_table_size(0, len(names), called)
    nameless = [c for c, name in enumerate(names) if not name]
    if nameless and (nameless != [0] or len(names) == 1):
        raise DataError(
            f"{called}: column {nameless[0] + 1} has no name; name every column in the first line of the file"
        )
    check_unique(names, called)
    n_rows = len(columns[0])
    check_table_size(n_rows, len(names), called)
    if not n_rows:
        raise DataError(f"{called} has column names but no rows")
    cells = [_trimmed(name, column, doubts) for name, column in zip(names, columns, strict=True)]
    if nameless:
        names, cells = _named_first_column(names, cells, called, remarks, named_rows)
    _remark_on_units_and_totals(names, cells, n_rows, remarks)

    @functools.cache
    def writes_decimal_commas() -> bool:
        shows = "," if semicolons else _HAS_COMMAS
        return any(_holds(one.dictionary, shows) and _are_all(one.dictionary, _MAY_HAVE_COMMAS) for one in cells)

    typed: dict[str, Arrow] = {}
    known: dict[tuple[str, ...], Arrow] = {}  # of columns with the same few texts, as thousands of genes have them
    for c, (name, column) in enumerate(zip(names, cells, strict=True)):
        columns_typed(c, len(names))
        texts = column.dictionary
        words = tuple(texts.to_pylist()) if len(texts) <= _FEW else ()
        values = known.get(words)
        if values is None:
            n_doubts = sum(map(len, doubts.values()))
            _doubt_encoding(name, texts, doubts)
            values = _values(name, column, doubts, semicolons, writes_decimal_commas, decimal)
            if words and n_doubts == sum(map(len, doubts.values())):
                known[words] = values
        typed[name] = values.take(column.indices)
    add_remarks(doubts, remarks)
    return to_pandas(pa.table(typed))


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


def add_remarks(doubts: Doubts, remarks: list[str]) -> None:
    """Append each sentence with the columns that it is about."""
    for sentence, of in doubts.items():
        more = f" and {len(of) - 3} more columns" if len(of) > 3 else ""
        remarks.append(sentence.format(", ".join(of[:3]) + more))


def composed_names(names: Sequence[str], doubts: Doubts) -> list[str]:
    """Return the column names with their accents joined to the letters; a doubt records that some were not."""
    found = list(map(composed, names))
    if found != list(names):
        doubts.setdefault(_COMPOSED, []).append("the column names")
    return found


def composed_strings(name: str, strings: Arrow, doubts: Doubts) -> Arrow:
    """Return strings with their accents joined to the letters; a doubt names the column."""
    if pc.all(pc.string_is_ascii(strings)).as_py():
        return strings
    normal = pc.utf8_normalize(strings, "NFC")
    if not normal.equals(strings):
        doubts.setdefault(_COMPOSED, []).append(f"'{name}'")
    return normal


def in_dictionary(cells: Sequence[str]) -> Arrow:
    """Return a column of texts as a dictionary."""
    return pa.array(cells, pa.large_string()).dictionary_encode()


def to_pandas(table: Any) -> pd.DataFrame:
    """Convert a pyarrow table to a frame; integers keep all digits even in columns with missing cells."""
    whole = {
        getattr(pa, f"{kind}{bits}")(): getattr(pd, f"{sign}Int{bits}Dtype")()
        for kind, sign in (("int", ""), ("uint", "U"))
        for bits in (8, 16, 32, 64)
    }
    return table.to_pandas(types_mapper=whole.get)


def _trimmed(name: str, column: Arrow, doubts: Doubts) -> Arrow:
    """Return a column without surrounding blanks and with composed accents; an empty cell is missing."""
    texts = composed_strings(name, pc.utf8_trim_whitespace(column.dictionary), doubts)
    if texts.equals(column.dictionary) and not pc.any(pc.equal(texts, "")).as_py():
        return column
    whole = pc.if_else(pc.equal(texts, ""), None, texts).dictionary_encode()  # what is alike now has one number
    return pa.DictionaryArray.from_arrays(whole.indices.take(column.indices), whole.dictionary)


def _named_first_column(
    names: list[str], columns: list[Arrow], called: str, remarks: list[str], named_rows: bool
) -> tuple[list[str], list[Arrow]]:
    """Drop a first column without a name if it holds row numbers, or name it, since it holds row names."""
    numbers = _row_numbers(columns[0])
    if numbers:
        remarks.append(numbers)
        return names[1:], columns[1:]
    names = [_ROW_NAMES, *names[1:]]
    check_unique(names, called)
    why = "the first line has one name fewer than the rows have cells" if named_rows else "the first column has no name"
    remarks.append(f"{why}; {'the first column' if named_rows else 'it'} is '{_ROW_NAMES}'")
    return names, columns


def _row_numbers(column: Arrow) -> str:
    """Say that a column counts the rows, or holds whole numbers that increase as those of selected rows do."""
    texts = column.dictionary
    if column.null_count or len(texts) != len(column) or not _are_all(texts, "^(?:0|[1-9][0-9]{0,17})$"):
        return ""
    numbers = pc.cast(texts, pa.int64()).take(column.indices).to_numpy()
    if numbers[0] in (0, 1) and (np.diff(numbers) == 1).all():
        return "the first column contains row numbers and was dropped"
    if (np.diff(numbers) > 0).all():
        return "the first column has no name and contains the numbers of selected rows; it was dropped"
    return ""


def _is(strings: Arrow, pattern: str) -> Arrow:
    return pc.match_substring_regex(strings, pattern)


def _are_all(strings: Arrow, pattern: str) -> bool:
    return bool(pc.all(_is(strings, pattern)).as_py())


def _holds(strings: Arrow, pattern: str) -> bool:
    return bool(pc.any(_is(strings, pattern)).as_py())


def _are_numbers(strings: Arrow) -> Arrow:
    """Return whether each string is a number."""
    short = pc.less_equal(pc.binary_length(strings), _LONGEST_NUMBER)
    return pc.and_(short, pc.and_not(_is(strings, _NUMBER), _is(strings, _NOT_A_NUMBER)))


def _values(
    name: str, column: Arrow, doubts: Doubts, semicolons: bool, commas: Callable[[], bool], decimal: str
) -> Arrow:
    """Return the values of a column's distinct texts: integers, floats or the texts."""
    texts = column.dictionary
    formula = pc.index(_is(texts, "(?s)^=."), pa.scalar(True)).as_py()
    if formula >= 0:
        line = pc.index(column.indices, pa.scalar(formula, column.indices.type)).as_py() + 2
        raise DataError(
            f"column '{name[:80]}', line {line} holds a formula ({texts[formula].as_py()[:40]}) instead of a value; "
            "replace formulas by their values (paste special → values) and save the file again"
        )
    if decimal == "auto":
        written = _with_points(name, texts, doubts, semicolons, commas)
    else:
        written = _with_given_mark(texts, decimal)
    if not len(texts) or not pc.all(_are_numbers(written)).as_py():
        return texts
    whole = _are_all(written, _WHOLE)
    bare = pc.replace_substring_regex(written, r"^\+", "")
    numbers = pc.cast(bare, pa.int64() if whole else pa.float64())
    if not whole and pc.any(pc.is_inf(numbers)).as_py():
        raise DataError(
            f"column '{name[:80]}' holds a number too large to read; correct it, or put a letter before it to have text"
        )
    if not whole and _loses_digits(bare, numbers):
        doubts.setdefault(_EXACT, []).append(f"'{name}'")
        return texts
    found = numbers.to_numpy()
    values, times = np.unique(found, return_counts=True)
    twice = values[(times > 1) & (values != 0)]  # not signed zeros
    if len(twice):
        one, other = (texts[int(place)].as_py() for place in np.flatnonzero(found == twice[0])[:2])
        doubts.setdefault(_MERGED, []).append(f"{one} and {other} in '{name}'")
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


def _with_given_mark(texts: Arrow, decimal: str) -> Arrow:
    """Replace decimal commas by points, and drop the marks between thousands, if every text is then a number."""
    grouped, mark = (_GROUPED_POINTS, r"\.") if decimal == "comma" else (_GROUPED_COMMAS, ",")
    bare = pc.if_else(_is(texts, grouped), pc.replace_substring_regex(texts, mark, ""), texts)
    pointed = pc.replace_substring(bare, ",", ".") if decimal == "comma" else bare
    return pointed if pc.all(_are_numbers(pointed)).as_py() else texts


def _with_points(name: str, texts: Arrow, doubts: Doubts, semicolons: bool, commas: Callable[[], bool]) -> Arrow:
    """Replace decimal commas by points, and drop points between thousands, where every text is such a number."""
    column = f"'{name}'"
    if not _holds(texts, ","):
        if not _holds(texts, r"\.") or not _are_all(texts, _GROUPS_OR_WHOLE):
            return texts
        thousands = "yes" if commas() else points_are_thousands(texts.to_pylist())
        thousands = "maybe" if thousands == "no" and semicolons and not _holds(texts, _WHOLE) else thousands
        if thousands != "no":
            doubts.setdefault(_POINTS if thousands == "yes" else _EITHER_POINT, []).append(column)
        return pc.replace_substring(texts, ".", "") if thousands == "yes" else texts
    decimal, thousands_only = _are_all(texts, _DECIMAL_COMMA), _are_all(texts, _THOUSANDS)
    if thousands_only and not (decimal and semicolons):
        doubts.setdefault(_EITHER if decimal else _GROUPED, []).append(column)
    elif decimal:
        doubts.setdefault(_COMMAS, []).append(column)
        return pc.replace_substring(texts, ",", ".")
    return texts


def _doubt_encoding(name: str, texts: Arrow, doubts: Doubts) -> None:
    """Record a column with text that was decoded in the wrong way, with the first such text."""
    if pc.all(pc.string_is_ascii(texts)).as_py():
        return
    for text in texts.filter(_is(texts, ENCODED_TWICE)).to_pylist():
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


def _remark_on_units_and_totals(names: list[str], columns: list[Arrow], n_rows: int, remarks: list[str]) -> None:
    """Add a remark if the first row looks like units, or the last like totals."""
    if n_rows < 3:
        return
    units = [
        f"{column[0].as_py()} for '{name}'" for name, column in zip(names, columns, strict=True) if _has_unit(column)
    ]
    if units:
        remarks.append(
            f"the first row may contain units ({', '.join(units[:3])}), which turns numeric columns into text; if so, "
            "delete that row"
        )
    for cell in (column[n_rows - 1].as_py() for column in columns):
        if cell is not None and len(cell) < 20 and cell.casefold().rstrip(":.") in _TOTALS:
            remarks.append(f"the last row may contain totals ('{cell}'); if so, delete it")
            return


def _has_unit(column: Arrow) -> bool:
    """Return whether a column would be numeric without its first row."""
    texts, first = column.dictionary, column.indices[0].as_py()
    if len(texts) < 2 or first is None or _is_float(texts[first].as_py()):
        return False
    numbers = _are_numbers(texts)
    once = pc.index(column.indices.slice(1), column.indices[0]).as_py() < 0
    return bool(once and pc.sum(numbers).as_py() == len(texts) - 1 and not numbers[first].as_py())


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
