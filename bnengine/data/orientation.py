"""Tables whose cases stand in columns, as laboratories write genes in rows: found, asked about and turned."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bnengine._core.environment import pa, pc
from bnengine.data.cell_text import folded
from bnengine.data.checked_frame import DataError

_FEWEST = 5  # rows, and columns of numbers
#: What stands above the names of variables, folded.
_OF_VARIABLES = re.compile(
    r"(?:id ?ref|variable|(?:gene|probe|transcript|protein|metabolite|feature|taxon|otu|cpg|snp|peptide|compound)s?"
    r"(?: ?set)?(?: (?:id|name|symbol)s?)?)"
)
_MUCH = 4  # times as many columns as rows
_DIGITS, _LONGEST_END = "0123456789", 3


def cases_are_columns(names: Sequence[str], cells: Sequence[Any]) -> bool | None:
    """Return whether the cases stand in columns; None if they may.

    All columns but the first then hold numbers, and the first one is called as names of variables are, or the table is
    wider than long, or much wider; the names of the numbers may be numbered, as samples are. Two of these say that they
    may, the name above the variables and numbered samples that they do.

    >>> column = pa.array(["5.1", "7.2", "3.3", "4.4", "8"]).dictionary_encode()
    >>> genes = pa.array(["TP53", "MYC", "RB1", "IL6", "BAX"]).dictionary_encode()
    >>> cases_are_columns(["ID_REF", *(f"GSM{k}" for k in range(9))], [genes, *[column] * 9])
    True
    """
    labels, n_cases = cells[0], len(names) - 1
    if min(len(labels), n_cases) < _FEWEST or labels.null_count or len(labels.dictionary) < len(labels):
        return False
    called = _OF_VARIABLES.fullmatch(folded(names[0])) is not None
    in_rows, in_columns = (_are_numbered(some) for some in (labels.dictionary.to_pylist(), names[1:]))
    wider = (n_cases > len(labels)) + (n_cases > _MUCH * len(labels))
    if in_rows or called + in_columns + wider < 2:
        return False
    try:
        for column in cells[1:]:
            pc.cast(pc.replace_substring(column.dictionary, ",", "."), pa.float64())
    except pa.ArrowInvalid:
        return False
    return True if called and in_columns else None


def _are_numbered(names: Sequence[str]) -> bool:
    """Return whether nearly all names are alike but for a number."""
    stems = Counter(stem for stem in map(_stem, names) if stem is not None)
    return max(stems.values(), default=0) > 0.8 * len(names)


def _stem(name: str) -> str | None:
    """Return what stands before the number that a name ends with, but for up to three letters; None without one.

    >>> _stem("GSM12"), _stem("day 3 am"), _stem("age")
    ('GSM', 'day ', None)
    """
    before = name.rstrip("".join(set(name) - set(_DIGITS)))
    return before.rstrip(_DIGITS) if before and len(name) - len(before) <= _LONGEST_END else None


def turned(names: Sequence[str], cells: Sequence[Any], called: str) -> tuple[list[str], list[Any]]:
    """Return names and columns of the table with rows as columns; a DataError unless the first column names them."""
    variables = cells[0].cast(pa.large_string()).to_pylist()
    if None in variables or len(set(variables)) < len(variables):
        raise DataError(
            f"{called}: where cases stand in columns, the first one names the variables; '{names[0]}' leaves some "
            "without a name, or has one twice"
        )
    rows = zip(*(one.cast(pa.large_string()).to_pylist() for one in cells[1:]), strict=True)
    columns = [list(names[1:]), *map(list, rows)]
    return [names[0], *variables], [pa.array(one, pa.large_string()).dictionary_encode() for one in columns]
