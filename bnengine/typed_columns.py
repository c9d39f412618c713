"""From the written cells of a table to columns of numbers and of words.

A column is held as its distinct words and, for each row, which of them stands there: what a word may mean is asked
once a word, and a table takes little more memory than its file. All patterns are linear in the length of a cell.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from bnengine import limits
from bnengine.data import DataError

if TYPE_CHECKING:
    import pandas as pd

#: A pyarrow array of the distinct words of a column, or of which of them stands in each row.
Arrow = Any

#: Cells that are turned into columns at a time.
_CHUNK = 1_000_000
#: A cell of more characters is a word: a number of that length would lose digits.
_LONGEST_NUMBER = 40
_NUMBER = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,5})?$"
_WHOLE = r"^[+-]?[0-9]{1,18}$"
_NOT_A_NUMBER = r"^[+-]?(?:0[0-9]|[0-9]{19,}$)"  # a code such as 007; an identifier, of which a float would lose digits
_DECIMAL_COMMA = r"^[+-]?(?:[0-9]+,[0-9]+(?:[eE][+-]?[0-9]{1,5})?|[0-9]+)$"
_THOUSANDS = r"^[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,3})$"
_SUMS = ("total", "totals", "sum", "sums", "mean", "average", "summe", "gesamt", "mittelwert", "somme", "suma")


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
    header: Sequence[str], rows: Iterator[Sequence[str]], called: str, remarks: list[str], decimal_comma: bool = False
) -> pd.DataFrame:
    """The table; every row as long as the header.

    Parameters
    ----------
    header : sequence of str
    rows : iterator of sequences of str
        The cells as written; blanks around them do not count.
    called : str
        The file, for error messages.
    remarks : list of str
        Gets a sentence for each thing that could be meant otherwise.
    decimal_comma : bool
        Whether 1,500 is one and a half for sure.

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
    columns = _coded(rows, len(names), called)
    n_rows = len(columns[0][1])
    if not n_rows:
        raise DataError(f"{called} has column names but no rows")
    if nameless:
        if not _are_row_numbers(*columns[0]):
            _refuse_nameless(0, called)
        names, columns = names[1:], columns[1:]
        remarks.append("the row numbers in the first column are left out")
    _remark_on_rows(names, columns, n_rows, remarks)
    typed = {}
    for c, name in enumerate(names):
        typed[name] = _typed(name, *columns[c], remarks, decimal_comma)
        columns[c] = (None, None)  # let go of the words
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


def _coded(rows: Iterable[Sequence[str]], width: int, called: str) -> list[tuple[Arrow, Arrow]]:
    """Distinct words, blanks around them cut off, and codes of each column."""
    import pyarrow as pa

    rows = iter(rows)
    parts: list[list[Arrow]] = [[] for _ in range(width)]
    n_rows = 0
    while chunk := list(itertools.islice(rows, max(1, _CHUNK // width))):
        n_rows += len(chunk)
        refuse_many_cells(n_rows, width, called)
        for part, cells in zip(parts, zip(*chunk, strict=True), strict=True):
            part.append(pa.array(cells, pa.large_string()).dictionary_encode())
    return [_joined(parts.pop(0)) for _ in range(width)]


def _joined(parts: list[Arrow]) -> tuple[Arrow, Arrow]:
    """One dictionary for the chunks of a column; the empty cell is null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not parts:
        return pa.array([], pa.large_string()), pa.array([], pa.int32())
    whole = pa.chunked_array(parts).combine_chunks()
    whole = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
    cut = pc.utf8_trim_whitespace(whole.dictionary)
    cut = pc.if_else(pc.equal(cut, ""), pa.scalar(None, pa.large_string()), cut)
    again = cut.dictionary_encode()
    return again.dictionary, again.indices.take(whole.indices)


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


def _typed(name: str, words: Arrow, codes: Arrow, remarks: list[str], decimal_comma: bool) -> Arrow:
    """The column as whole numbers, as numbers, or as words."""
    import pyarrow as pa
    import pyarrow.compute as pc

    formula = pc.index(_is(words, "(?s)^=."), pa.scalar(True)).as_py()
    if formula >= 0:
        refuse_formula(name, pc.index(codes, pa.scalar(formula, codes.type)).as_py() + 2, words[formula].as_py())
    written = _with_points(name, words, remarks, decimal_comma)
    if not len(words) or not pc.all(_are_numbers(written)).as_py():
        return words.take(codes)
    whole = pc.all(_is(written, _WHOLE)).as_py()
    bare = pc.replace_substring_regex(written, r"^\+", "")
    numbers = pc.cast(bare, pa.int64() if whole else pa.float64())
    if not whole and pc.any(pc.is_inf(numbers)).as_py():
        raise DataError(
            f"column '{name[:80]}' holds a number too large to read; write it with fewer digits or as a word"
        )
    _remark_on_merged(name, words, numbers, remarks)
    return numbers.take(codes)


def _with_points(name: str, words: Arrow, remarks: list[str], decimal_comma: bool) -> Arrow:
    """The words with a point for each decimal comma, where every word with a comma is such a number."""
    import pyarrow.compute as pc

    commas = pc.match_substring(words, ",")
    if not pc.any(commas).as_py() or not pc.all(_is(words, _DECIMAL_COMMA)).as_py():
        if pc.any(commas).as_py() and pc.all(_is(words, _THOUSANDS)).as_py():
            remarks.append(f"'{name}' holds commas between thousands and is read as words; write it without them")
        return words
    if not decimal_comma and pc.all(_is(words, _THOUSANDS)).as_py():
        remarks.append(
            f"the commas in '{name}' may be decimal commas or stand between thousands, so it is read as words; "
            "write a decimal point, or no comma"
        )
        return words
    remarks.append(f"the commas in '{name}' are decimal commas")
    return pc.replace_substring(words, ",", ".")


def _remark_on_merged(name: str, words: Arrow, numbers: Arrow, remarks: list[str]) -> None:
    """Say which words became one number."""
    import numpy as np

    values, first, times = np.unique(numbers.to_numpy(), return_index=True, return_counts=True)
    if len(values) == len(words):
        return
    alike = int(np.argmax(times > 1))
    one = words[int(first[alike])].as_py()
    other = words[int(np.flatnonzero(numbers.to_numpy() == values[alike])[1])].as_py()
    remarks.append(
        f"{one} and {other} in '{name}' are read as the same number; if they are codes, write a letter before them"
    )


def _remark_on_rows(names: list[str], columns: list[tuple[Arrow, Arrow]], n_rows: int, remarks: list[str]) -> None:
    """Say where a first row of units, or a last row of totals, may have been taken for data."""
    if n_rows < 3:
        return
    units = [
        (name, words[0].as_py()) for name, (words, codes) in zip(names, columns, strict=True) if _only_first(words, codes)
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
