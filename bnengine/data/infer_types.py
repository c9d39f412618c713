"""Column types, decided once per distinct text: a column is numeric where each of its cells is a number.

A column arrives as a dictionary of pyarrow: its distinct texts, and the number of one for each row. Patterns take time
linear in a cell's length.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bnengine._core.display import counted, listed
from bnengine._core.environment import pa, pc, pd
from bnengine._core.setting_kinds import bounded_name, composed
from bnengine.data import reading_options
from bnengine.data.cell_text import points_are_thousands, several_answers
from bnengine.data.checked_frame import DataError
from bnengine.data.orientation import cases_are_columns, turned
from bnengine.data.reading_options import AUTO, COLUMNS_TYPED, ReadingOptions, report_part

#: A pyarrow array: the distinct texts of a column, the number of the text in each row, or both as a dictionary.
Arrow = Any
_FEW, _MOST_SETS = 12, 2000  # texts
_LONGEST_NUMBER = 40  # a longer cell stays text: a number of that length would lose digits
_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,5})?$"
_WHOLE = r"^[+-]?[0-9]{1,18}$"
_NOT_A_NUMBER = r"^[+-]?(?:0[0-9]|[0-9]{19,}$)"  # a code such as 007, or an identifier too long for a float
_LONG_WHOLE = r"^[+-]?[0-9]{16,}(?:\.0*)?$"  # more digits than every float keeps
_DECIMAL_COMMA = r"^[+-]?(?:[0-9]+,[0-9]+(?:[eE][+-]?[0-9]{1,5})?|[0-9]+)$"
_THOUSANDS = r"^[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3})$"
#: By the decimal mark, the mark between thousands and numbers with it.
_GROUPED = {
    "point": (",", r"^[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?$"),
    "comma": (".", r"^[+-]?[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?$"),
}
_GROUPS_OR_WHOLE = r"^[+-]?(?:[1-9][0-9]{0,2}(?:\.[0-9]{3})+|[0-9]{1,18})$"
#: A column whose numbers all fit the first pattern, one of them the second, shows that the file writes decimal commas.
_MAY_HAVE_COMMAS, _HAS_COMMAS = r"^[+-]?[0-9.]{1,25}(?:,[0-9]{1,18})?$", r",(?:[0-9]{1,2}|[0-9]{4,18})$"
_ROW_NAMES = "row name"
_AS_DETECTED = ReadingOptions()


class Remarks:
    """Sentences about what was ambiguous in a file; one about several columns names the first three."""

    def __init__(self) -> None:
        self._columns: dict[str, list[str]] = {}

    def add(self, sentence: str, column: str = "") -> None:
        """Add a sentence, in which braces stand for the columns."""
        self._columns.setdefault(sentence, []).append(column)

    def __len__(self) -> int:
        return sum(map(len, self._columns.values()))

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences, in the order of the first column of each."""
        return tuple(
            sentence.replace(
                "{}", ", ".join(of[:3]) + (f" and {counted(len(of) - 3, 'more column')}" if len(of) > 3 else "")
            )
            for sentence, of in self._columns.items()
        )


def frame_of(
    header: Sequence[str],
    columns: Sequence[Arrow],
    called: str,
    remarks: Remarks,
    options: ReadingOptions = _AS_DETECTED,
    semicolons: bool = False,
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
    remarks : Remarks
        Takes a sentence for each ambiguity.
    options : ReadingOptions
    semicolons : bool
        Whether semicolons separate the cells, so that a comma within one is a decimal mark.

    Raises
    ------
    DataError
        If column names are missing or repeated, there are too many cells, a cell holds a formula, or a number is too
        large.
    """
    used = [c for c, name in enumerate(header) if c == 0 or name.strip() or columns[c].null_count < len(columns[c])]
    header, columns = [header[c] for c in used], [columns[c] for c in used]  # what has neither name nor cell is none
    names = table_names([name.strip() for name in header], called, first_may_lack_one=len(header) > 1)
    nameless, columns = not names[0], _without_import_ids(columns, remarks)
    check_table_size(len(columns[0]), len(names), called)
    if not len(columns[0]):
        raise DataError(f"{called} has column names but no rows")
    cells = _without_empty_rows(list(map(_trimmed, columns)), remarks)
    in_columns = options.cases == "columns" if options.cases != AUTO else cases_are_columns(names, cells)
    if in_columns and len(cells[0]) < reading_options.LIMITS.columns:
        names, cells = turned([names[0] or _ROW_NAMES, *names[1:]], cells, called)
        names, nameless = table_names(names, called), False
        remarks.add("the table was turned, since its cases stand in columns; choose cases 'rows' if that is wrong")
    elif in_columns is not False:
        remarks.add("the cases may stand in columns; choose cases 'columns' if that is right")
    if nameless and _are_row_numbers(cells[0]):
        remarks.add("the first column has no name and numbers the rows; it was dropped")
        names, cells = names[1:], cells[1:]
    elif nameless:
        names = table_names([_ROW_NAMES, *names[1:]], called)
        remarks.add(f"the first column has no name; it is '{_ROW_NAMES}'")

    @functools.cache
    def writes_decimal_commas() -> bool:
        shows = "," if semicolons else _HAS_COMMAS
        return any(_holds(one.dictionary, shows) and _are_all(one.dictionary, _MAY_HAVE_COMMAS) for one in cells)

    typed: dict[str, Arrow] = {}
    known: dict[tuple[str, ...], Arrow] = {}  # of columns with the same few texts, as thousands of genes have them
    for c, (name, column) in enumerate(zip(names, cells, strict=True)):
        report_part(COLUMNS_TYPED, c, len(names))
        words = tuple(column.dictionary.to_pylist()) if len(column.dictionary) <= _FEW else ()
        values = known.get(words)
        if values is None:
            n_remarks = len(remarks)
            values = _values(name, column, remarks, semicolons, writes_decimal_commas, options.decimal)
            if words and n_remarks == len(remarks):
                known[words] = values
        typed[name] = values.take(column.indices)
    return to_pandas(pa.table(typed))


def check_table_size(n_rows: int, n_columns: int, called: str) -> None:
    """Raise a DataError if a table of this size exceeds the limits."""
    if n_columns > reading_options.LIMITS.columns:
        raise DataError(
            f"{called} has more than {reading_options.LIMITS.columns:,} columns, the limit; keep the columns of "
            "interest, or check the separator and the line breaks"
        )
    if n_rows * n_columns > (most := reading_options.LIMITS.cells):
        raise DataError(
            f"{called} has more than {most:,} cells, the limit; keep the columns of interest, or a random sample of "
            "the rows"
        )


def table_names(given: Sequence[str], called: str, first_may_lack_one: bool = False) -> list[str]:
    """Return the names of a table's columns, long ones shortened, accents joined to the letters; each occurs once.

    A DataError says which names occur again, and which columns have none.
    """
    names = [bounded_name(composed(name)) for name in given]
    times = Counter(filter(str.strip, names))
    again = [f"'{name[:80]}' occurs {n} times" for name, n in times.items() if n > 1]
    nameless = [c + 1 for c, name in enumerate(names) if not name.strip() and (c or not first_may_lack_one)]
    if again or nameless:
        wrong = listed([*again, *(f"column {c} has no name" for c in nameless)], 6)
        raise DataError(f"{called}: {'the column name ' * bool(again)}{wrong}; give each column its own name")
    return names


def _without_import_ids(columns: Sequence[Arrow], remarks: Remarks) -> Sequence[Arrow]:
    """Return the columns without the two lines that Qualtrics writes below the names: questions, and JSON of ids."""
    ids = [text for column in columns for text in column[1:2].to_pylist() if text]
    if not ids or not all("ImportId" in text for text in ids):
        return columns
    remarks.add("skipped the second and third line, which hold the questions and import ids of a Qualtrics export")
    return [column[2:].cast(pa.large_string()).dictionary_encode() for column in columns]


def _without_empty_rows(columns: list[Arrow], remarks: Remarks) -> list[Arrow]:
    """Return the columns without the rows that have no value in any of them, such as a line above a total."""
    if len(columns) == 1 or min(column.null_count for column in columns) == 0:
        return columns
    filled = functools.reduce(pc.or_, (pc.is_valid(column) for column in columns))
    n_empty = len(filled) - pc.sum(filled).as_py()
    if n_empty in (0, len(filled)):
        return columns
    remarks.add(f"{counted(n_empty, 'row')} without any value {'was' if n_empty == 1 else 'were'} left out")
    return [column.filter(filled) for column in columns]


def clean_texts(texts: Arrow) -> Arrow:
    """Return texts with accents joined to their letters."""
    return texts if pc.all(pc.string_is_ascii(texts)).as_py() else pc.utf8_normalize(texts, "NFC")


def to_pandas(table: Any) -> pd.DataFrame:
    """Convert a pyarrow table to a frame; integers keep all digits even in columns with missing cells."""

    def nullable(kind: Any) -> Any:
        return pd.array(np.empty(0, kind.to_pandas_dtype())).dtype if pa.types.is_integer(kind) else None

    return table.to_pandas(types_mapper=nullable)


def _trimmed(column: Arrow) -> Arrow:
    """Return a column without surrounding blanks and with composed accents; an empty cell is missing."""
    texts = clean_texts(pc.utf8_trim_whitespace(column.dictionary))
    if texts.equals(column.dictionary) and not pc.any(pc.equal(texts, "")).as_py():
        return column
    whole = pc.if_else(pc.equal(texts, ""), None, texts).dictionary_encode()  # what is alike now has one number
    return pa.DictionaryArray.from_arrays(whole.indices.take(column.indices), whole.dictionary)


def _are_row_numbers(column: Arrow) -> bool:
    """Return whether a column holds whole numbers that increase, as those of all or of selected rows do."""
    texts = column.dictionary
    if column.null_count or len(texts) != len(column) or not _are_all(texts, "^(?:0|[1-9][0-9]{0,17})$"):
        return False
    return bool((np.diff(pc.cast(texts, pa.int64()).take(column.indices).to_numpy()) > 0).all())


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
    name: str, column: Arrow, remarks: Remarks, semicolons: bool, commas: Callable[[], bool], decimal: str
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
    mark = _mark_of(name, texts, remarks, semicolons, commas) if decimal == AUTO else decimal
    written = _marked(texts, mark) if mark else texts
    if not len(texts) or not pc.all(_are_numbers(written)).as_py():
        return texts
    whole = _are_all(written, _WHOLE)
    if not whole and _holds(written, _LONG_WHOLE):
        return texts
    bare = pc.replace_substring_regex(written, r"^\+", "")
    numbers = pc.cast(bare, pa.int64() if whole else pa.float64())
    if not whole and pc.any(pc.is_inf(numbers)).as_py():
        raise DataError(
            f"column '{name[:80]}' holds a number too large to read; correct it, or put a letter before it to have text"
        )
    found = numbers.to_numpy()
    _, which, times = np.unique(found, return_inverse=True, return_counts=True)
    twice = np.flatnonzero((times[which] > 1) & (found != 0))  # not signed zeros
    if twice.size:
        first = twice[which[twice] == which[twice].min()]
        one, other = (texts[int(place)].as_py() for place in first[:2])
        remarks.add(
            "different spellings of the same number were merged: {}; if they are codes, put a letter before them",
            f"{one} and {other} in '{name}'",
        )
    return numbers


def _marked(texts: Arrow, decimal: str) -> Arrow:
    """Replace decimal commas by points, and drop the marks between thousands, if every text is then a number."""
    between, grouped = _GROUPED[decimal]
    bare = pc.if_else(_is(texts, grouped), pc.replace_substring(texts, between, ""), texts)
    pointed = pc.replace_substring(bare, ",", ".") if decimal == "comma" else bare
    return pointed if pc.all(_are_numbers(pointed)).as_py() else texts


def _mark_of(name: str, texts: Arrow, remarks: Remarks, semicolons: bool, commas: Callable[[], bool]) -> str:
    """Return the decimal mark of a column's texts if they are numbers with commas, or points between thousands."""
    if not _holds(texts, ","):
        if not _holds(texts, r"\.") or not _are_all(texts, _GROUPS_OR_WHOLE):
            return ""
        thousands = commas() or points_are_thousands(texts.to_pylist())
        if thousands:
            remarks.add(
                "points in {} were read as thousands separators; if they are decimal points, choose the decimal mark "
                "'point'",
                f"'{name}'",
            )
        elif thousands is None or (semicolons and not _holds(texts, _WHOLE)):
            remarks.add(
                "points in {} may be thousands separators and were read as decimal points; if they separate thousands, "
                "choose the decimal mark 'comma'",
                f"'{name}'",
            )
        return "comma" if thousands else ""
    thousands_only = _are_all(texts, _THOUSANDS)
    if len(texts) <= _MOST_SETS and several_answers(texts.to_pylist())[0]:
        return ""  # 1,4 beside 1 … 6 is a set of answers
    if _are_all(texts, _DECIMAL_COMMA) and (semicolons or not thousands_only):
        remarks.add("commas in {} were read as decimal points", f"'{name}'")
        return "comma"
    if thousands_only:
        remarks.add(
            "commas in {} may be decimal or thousands separators, so the values were read as text; choose the decimal "
            "mark",
            f"'{name}'",
        )
    return ""
