"""Text in whose first lines a program declares its columns: ARFF of Weka, ``.tab`` of Orange, ``.dat`` of GOBNILP."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from bnengine._core.environment import pa, pd
from bnengine.data.checked_frame import DataError
from bnengine.data.infer_types import Remarks, check_table_size, frame_of

_RELATION = re.compile(r"@relation\b", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"@attribute\s+('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^\s{]+)", re.IGNORECASE)
_DATA = re.compile(r"^[ \t]{0,100}@data\b[^\n]{0,1000}\n?", re.IGNORECASE | re.MULTILINE)
_TYPES = frozenset(["discrete", "continuous", "string", "time", "d", "c", "s", "t", "n", "m"])
_ROLES = re.compile(r"|class|meta|ignore|i|m|(?:-dc )?[\w-]{1,40}=.{0,200}")
_FEWEST_CODED = 10  # rows below the numbers of states, by chance none of which is as large as they are


def is_arff(text: str) -> bool:
    """Return whether text is in Weka's format."""
    lines = (line.lstrip() for line in text.splitlines())
    return _RELATION.match(next((line for line in lines if line and not line.startswith("%")), "")) is not None


def read_arff(text: str, called: str, remarks: Remarks) -> pd.DataFrame:
    """Return the table in a text of Weka's; a question mark is a missing cell."""
    mark = _DATA.search(text)
    head, body = (text[: mark.start()], text[mark.end() :]) if mark else (text, "")
    names = [name.strip("'\"").replace("\\", "") for name in _ATTRIBUTE.findall(head)]
    if not mark or not names:
        raise DataError(f"{called} is cut short: an ARFF file has lines with @attribute, and @data above its rows")
    lines = [line for line in body.splitlines() if line.strip() and not line.lstrip().startswith("%")]
    if any(line.lstrip().startswith("{") for line in lines[:1]):
        raise DataError(f"{called} has sparse rows of ARFF, which are not read; save it with a value in each cell")
    check_table_size(len(lines), len(names), called)
    quote = "'" if "'" in body else '"'
    rows = list(csv.reader(lines, quotechar=quote, escapechar="\\", skipinitialspace=True))
    wrong = next((r for r, row in enumerate(rows, 1) if len(row) != len(names)), None)
    if wrong:
        raise DataError(
            f"{called}: row {wrong} has {len(rows[wrong - 1])} cells but {len(names)} attributes are declared; check "
            "that row for a stray comma or quote"
        )
    columns = [[None if cell.strip() == "?" else cell for cell in column] for column in zip(*rows, strict=True)]
    cells = [pa.array(column, pa.large_string()).dictionary_encode() for column in columns or [[] for _ in names]]
    return frame_of(names, cells, called, remarks)


def declarations_below(rows: Sequence[Sequence[str]], separator: str) -> tuple[int, str]:
    r"""Return how many rows below the names declare the columns, and a remark that says so; 0 and "" if none does.

    >>> declarations_below([["age", "sex"], ["continuous", "discrete"], ["", "class"], ["31", "f"]], "\t")[0]
    2
    """
    if len(rows) > 3 and separator == "\t" and all(cell.strip() in _TYPES for cell in rows[1]):
        roles = all(_ROLES.fullmatch(cell.strip()) for cell in rows[2]) and len(rows[2]) == len(rows[1])
        return 1 + roles, "skipped the lines below the names that declare types, as Orange writes them"
    codes = [[int(cell) if re.fullmatch("[0-9]{1,5}", cell) else -1 for cell in row] for row in rows[1:]]
    if separator == " " and len(codes) > _FEWEST_CODED and len(rows[0]) > 2 and len({len(row) for row in rows}) == 1:
        largest = [max(column) for column in zip(*codes[1:], strict=True)]
        if min(map(min, codes)) >= 0 and all(n > code for n, code in zip(codes[0], largest, strict=True)):
            return 1, "skipped the line below the names that holds the numbers of states"
    return 0, ""
