"""From the words of a table to columns of numbers and of words. All patterns are linear in the length of a word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from bnengine.data.coded_columns import Arrow, coded, refuse_many_cells
from bnengine.data.dataset import DataError

if TYPE_CHECKING:
    import pandas as pd

#: A cell of more characters is a word: a number of that length would lose digits.
_LONGEST_NUMBER = 40
_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,5})?$"
_WHOLE = r"^[+-]?[0-9]{1,18}$"
_NOT_A_NUMBER = r"^[+-]?(?:0[0-9]|[0-9]{19,}$)"  # a code such as 007; an identifier, of which a float would lose digits
_DECIMAL_COMMA = r"^[+-]?(?:[0-9]+,[0-9]+(?:[eE][+-]?[0-9]{1,5})?|[0-9]+)$"
_THOUSANDS = r"^[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3})$"
_ROW_NAMES = "row name"
_SUMS = ("total", "totals", "sum", "sums", "mean", "average", "summe", "gesamt", "mittelwert", "somme", "suma")
#: What may have been meant otherwise, and in which columns.
_COMMAS = "decimal commas: {}"
_GROUPED = "commas between thousands make words of {}; write numbers without them"
_EITHER = "a comma may be a decimal one or stand between thousands in {}, read as words; write a point, or no comma"
_MERGED = "read as the same number: {}; if they are codes, write a letter before them"


def refuse_formula(column: str, line: int, formula: str) -> NoReturn:
    """Say where a formula stands instead of a value."""
    raise DataError(
        f"column '{column[:80]}', line {line} holds a formula ({formula[:40]}) instead of a value; "
        "replace formulas by their values (paste special → values) and save again"
    )


def refuse_repeated(names: Sequence[str], called: str) -> None:
    """A DataError if two columns have the same name."""
    for name, times in Counter(names).items():
        if times > 1:
            raise DataError(
                f"{called}: the column name '{name[:80]}' occurs {times} times; give each column its own name"
            )


def frame_of(
    header: Sequence[str],
    chunks: Iterable[Sequence[Sequence[str]]],
    called: str,
    remarks: list[str],
    decimal_comma: bool = False,
    named_rows: bool = False,
) -> pd.DataFrame:
    """The table; every row as long as the header.

    Parameters
    ----------
    header : sequence of str
    chunks : iterable of sequences of rows
        The cells as written, some rows at a time; blanks around a cell do not count.
    called : str
        The file, for error messages.
    remarks : list of str
        Gets a sentence for each thing that could be meant otherwise.
    decimal_comma : bool
        Whether 1,500 is one and a half for sure.
    named_rows : bool
        Whether the first column may do without a name, as that of the names of the rows.

    Raises
    ------
    DataError
        Nameless or repeated columns, too many cells, a formula, a number beyond all bounds.
    """
    import pyarrow as pa

    names = [name.strip() for name in header]
    refuse_many_cells(0, len(names), called)
    nameless = [c for c, name in enumerate(names) if not name]
    if nameless and (nameless != [0] or len(names) == 1):
        _refuse_nameless(nameless[0], called)
    refuse_repeated(names, called)
    columns = coded(chunks, len(names), called)
    n_rows = len(columns[0][1])
    if not n_rows:
        raise DataError(f"{called} has column names but no rows")
    if nameless:
        if _are_row_numbers(*columns[0]):
            names, columns = names[1:], columns[1:]
            remarks.append("the row numbers in the first column are left out")
        elif named_rows:
            names[0] = _ROW_NAMES
            refuse_repeated(names, called)
            remarks.append(f"the first line names one column less than the rows have; the first is '{_ROW_NAMES}'")
        else:
            _refuse_nameless(0, called)
    _remark_on_rows(names, columns, n_rows, remarks)
    doubts: dict[str, list[str]] = {}
    typed = {}
    for c, name in enumerate(names):
        typed[name] = _typed(name, *columns[c], doubts, decimal_comma)
        columns[c] = (None, None)  # let go of the words
    for sentence, of in doubts.items():
        more = f" and {len(of) - 3} more columns" if len(of) > 3 else ""
        remarks.append(sentence.format(", ".join(of[:3]) + more))
    return to_pandas(pa.table(typed))


def to_pandas(table: Any) -> pd.DataFrame:
    """A pyarrow table as a frame in which whole numbers keep all their digits beside missing cells."""
    import pandas as pd
    import pyarrow as pa

    whole = {
        getattr(pa, f"{kind}{bits}")(): getattr(pd, f"{sign}Int{bits}Dtype")()
        for kind, sign in (("int", ""), ("uint", "U"))
        for bits in (8, 16, 32, 64)
    }
    frame: pd.DataFrame = table.to_pandas(types_mapper=whole.get)
    return frame


def _refuse_nameless(c: int, called: str) -> NoReturn:
    raise DataError(f"{called}: column {c + 1} has no name; name every column in the first line")


def _are_row_numbers(words: Arrow, codes: Arrow) -> bool:
    """Whether a column counts the rows, from 0 or from 1, as many programs write it first."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if codes.null_count or len(words) != len(codes):
        return False
    cells = words.take(codes)
    return any(
        pc.all(pc.equal(cells, pa.array(range(start, start + len(cells))).cast(pa.large_string()))).as_py()
        for start in (0, 1)
    )


def _is(words: Arrow, pattern: str) -> Arrow:
    import pyarrow.compute as pc

    return pc.match_substring_regex(words, pattern)


def _are_numbers(words: Arrow) -> Arrow:
    """Of each word, whether it is a number."""
    import pyarrow.compute as pc

    short = pc.less_equal(pc.binary_length(words), _LONGEST_NUMBER)
    return pc.and_(short, pc.and_not(_is(words, _NUMBER), _is(words, _NOT_A_NUMBER)))


def _typed(name: str, words: Arrow, codes: Arrow, doubts: dict[str, list[str]], decimal_comma: bool) -> Arrow:
    """The column as whole numbers, as numbers, or as words."""
    import pyarrow as pa
    import pyarrow.compute as pc

    formula = pc.index(_is(words, "(?s)^=."), pa.scalar(True)).as_py()
    if formula >= 0:
        refuse_formula(name, pc.index(codes, pa.scalar(formula, codes.type)).as_py() + 2, words[formula].as_py())
    written = _with_points(name, words, doubts, decimal_comma)
    if not len(words) or not pc.all(_are_numbers(written)).as_py():
        return words.take(codes)
    whole = pc.all(_is(written, _WHOLE)).as_py()
    bare = pc.replace_substring_regex(written, r"^\+", "")
    numbers = pc.cast(bare, pa.int64() if whole else pa.float64())
    if not whole and pc.any(pc.is_inf(numbers)).as_py():
        raise DataError(
            f"column '{name[:80]}' holds a number too large to read; write it with fewer digits or as a word"
        )
    _doubt_merged(name, words, numbers, doubts)
    return numbers.take(codes)


def _with_points(name: str, words: Arrow, doubts: dict[str, list[str]], decimal_comma: bool) -> Arrow:
    """The words with a point for each decimal comma, where every word with a comma is such a number."""
    import pyarrow.compute as pc

    if not pc.any(pc.match_substring(words, ",")).as_py():
        return words
    decimal, thousands = (pc.all(_is(words, pattern)).as_py() for pattern in (_DECIMAL_COMMA, _THOUSANDS))
    if thousands and not (decimal and decimal_comma):
        doubts.setdefault(_EITHER if decimal else _GROUPED, []).append(f"'{name}'")
        return words
    if not decimal:
        return words
    doubts.setdefault(_COMMAS, []).append(f"'{name}'")
    return pc.replace_substring(words, ",", ".")


def _doubt_merged(name: str, words: Arrow, numbers: Arrow, doubts: dict[str, list[str]]) -> None:
    """Say which words became one number; that a zero has a sign means nothing."""
    import numpy as np

    found = numbers.to_numpy()
    values, times = np.unique(found, return_counts=True)
    twice = values[(times > 1) & (values != 0)]
    if len(twice):
        one, other = (words[int(place)].as_py() for place in np.flatnonzero(found == twice[0])[:2])
        doubts.setdefault(_MERGED, []).append(f"{one} and {other} in '{name}'")


def _remark_on_rows(names: list[str], columns: list[tuple[Arrow, Arrow]], n_rows: int, remarks: list[str]) -> None:
    """Say where a first row of units, or a last row of totals, may have been taken for data."""
    if n_rows < 3:
        return
    units = [
        (name, words[0].as_py())
        for name, (words, codes) in zip(names, columns, strict=True)
        if _only_first(words, codes)
    ]
    if units:
        shown = ", ".join(f"{unit} for '{name}'" for name, unit in units[:3])
        remarks.append(
            f"the first row may hold units ({shown}), which makes words of columns of numbers; delete that row if so"
        )
    for words, codes in columns:
        last = codes[n_rows - 1].as_py()
        word = None if last is None else words[last].as_py()
        if word is not None and len(word) < 20 and word.casefold().rstrip(":.") in _SUMS:
            remarks.append(f"the last row may hold totals ('{word}'); delete it if so")
            return


def _only_first(words: Arrow, codes: Arrow) -> bool:
    """Whether the first row alone keeps a column from being one of numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if len(words) < 2 or codes[0].as_py() != 0 or _are_numbers(words.slice(0, 1))[0].as_py():
        return False
    once = pc.index(codes.slice(1), pa.scalar(0, codes.type)).as_py() < 0
    return bool(once and pc.all(_are_numbers(words.slice(1))).as_py())
