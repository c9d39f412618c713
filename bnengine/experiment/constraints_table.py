"""Constraints as a CSV table: one line per required or forbidden edge, and per variable with a tier."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from bnengine.data.cell_text import with_formula, without_formula
from bnengine.graphs.constraints import Constraints

_HEADER = ("kind", "parent", "child", "variable", "tier")
_LARGEST = 20_000_000  # bytes


def write_constraints(constraints: Constraints) -> str:
    """Return the constraints as CSV, which ``read_constraints`` reads; ``max_parents`` is no part of it.

    Names with blanks around them stand in quotes, and names that a spreadsheet would run have apostrophes; both are
    taken off again when the table is read.

    Examples
    --------
    >>> print(write_constraints(Constraints(required=[("a", "b")], tiers=[["a"], ["b"]])), end="")
    kind,parent,child,variable,tier
    required,a,b,,
    tier,,,a,1
    tier,,,b,2
    """
    rows: list[tuple[str, ...]] = [_HEADER]
    for kind, edges in (("required", constraints.required), ("forbidden", constraints.forbidden)):
        rows += [(kind, parent, child, "", "") for parent, child in edges]
    for number, tier in enumerate(constraints.tiers, start=1):
        rows += [("tier", "", "", name, str(number)) for name in tier]
    text = io.StringIO(newline="")
    plain, quoted = (csv.writer(text, lineterminator="\n", quoting=how) for how in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    for row in rows:
        cells = [without_formula(cell) for cell in row]
        odd = any(cell != cell.strip() or "\r" in cell for cell in cells)
        (quoted if odd else plain).writerow(cells)
    return text.getvalue()


def read_constraints(content: bytes) -> Constraints:
    """Return the constraints in a CSV table as ``write_constraints`` makes it; columns may be in any order.

    Raises
    ------
    ValueError
        If the content is not such a table; the message names the line.
    """
    if len(content) > _LARGEST:
        raise ValueError(f"the table of constraints has {len(content):,} bytes; at most {_LARGEST:,} are read")
    try:
        rows = list(_rows(content.decode("utf-8-sig")))
    except (UnicodeDecodeError, csv.Error):
        raise ValueError("the table of constraints is not CSV in UTF-8; save it as that") from None
    header = [cell.strip().lower() for cell in rows[0]] if rows else []
    edges: dict[str, list[tuple[str, str]]] = {"required": [], "forbidden": []}
    tiers: dict[int, list[str]] = {}
    for number, row in enumerate(rows[1:], start=2):
        cells = dict(zip(header, map(with_formula, row), strict=False))
        kind, tier = cells.get("kind", "").strip().lower(), cells.get("tier", "").strip()
        if kind in edges and cells.get("parent") and cells.get("child"):
            edges[kind].append((cells["parent"], cells["child"]))
        elif kind == "tier" and cells.get("variable") and tier.isascii() and tier.isdecimal() and len(tier) < 10:
            tiers.setdefault(int(tier), []).append(cells["variable"])
        else:
            raise ValueError(
                f"line {number} of the constraints must be required or forbidden with a parent and a child, or tier "
                f"with a variable and a whole number; the columns are {', '.join(_HEADER)}"
            )
    return Constraints(edges["required"], edges["forbidden"], tiers=[tiers[number] for number in sorted(tiers)])


def _rows(text: str) -> Iterator[list[str]]:
    """Yield the rows that are not empty, their cells without the blanks around them unless these are in quotes."""
    read: list[str] = []

    def lines() -> Iterator[str]:
        for line in io.StringIO(text, newline=""):
            read.append(line)
            yield line

    for row in csv.reader(lines(), strict=True, skipinitialspace=True):
        written = "".join(read)
        read.clear()
        if row:
            yield [cell if '"' + cell.replace('"', '""') + '"' in written else cell.strip() for cell in row]
