"""What arrives in files: a table, read, described and with a treatment proposed for it; constraints as a CSV table."""

from __future__ import annotations

import csv
import dataclasses
import io
from collections.abc import Iterator
from typing import Any

from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine.data.cell_text import with_formula, without_formula
from bnengine.data.columns import describe
from bnengine.data.reading import Reading, frame_bytes, frame_from, read_isolated, read_table, within_limits
from bnengine.data.repairs import Repair, proposals
from bnengine.data.excel_parquet import WORKBOOKS, sheet_sizes
from bnengine.experiment.recipe import Recipe
from bnengine.graphs.constraints import Constraints


@dataclasses.dataclass(frozen=True)
class Arrival:
    """A table as it was read.

    Attributes
    ----------
    described : DataFrame
        As ``bn.describe`` describes it.
    suggested : Recipe
        With the treatment proposed for it.
    proposed : tuple of Repair
        As ``bn.proposals`` proposes them.
    """

    frame: pd.DataFrame
    described: pd.DataFrame
    suggested: Recipe
    proposed: tuple[Repair, ...] = ()

    def suggested_for(self, recipe: Recipe) -> Recipe:
        """Return the proposed treatment of a table under another name."""
        return dataclasses.replace(self.suggested, name=recipe.name, fingerprint=recipe.fingerprint)


def sheets_of(content: bytes, called: str) -> tuple[tuple[str, int, int], ...]:
    """Return title, rows and columns of a workbook's sheets; none for another file."""
    if content[:4] not in WORKBOOKS:
        return ()
    return tuple((title, rows, columns) for title, rows, columns in read_isolated("sheets", content, called, {})[0])


def arrival_of(content: bytes, recipe: Recipe, progress: Progress | None = None) -> Arrival:
    r"""Read a file as a recipe says, in a process of its own with limits on memory and time.

    Parameters
    ----------
    content : bytes
    recipe : Recipe
    progress : callable, optional
        Called with (parts done, parts), first of the file and then of its columns; returning False stops the reading.

    Raises
    ------
    DataError
        If the file cannot be read as a table, or not within the limits; a ``StoppedError`` if it was stopped.

    Examples
    --------
    >>> arrival_of(b"x,y\na,1\nb,2\n", Recipe("file", "t.csv")).suggested.discretization
    'none'
    """
    given = {"recipe": dataclasses.asdict(recipe)}
    (form, remarks, described, suggested, proposed), found = read_isolated(
        "arrival", content, recipe.name, given, progress
    )
    frame = frame_from(found)
    frame.attrs["reading"] = Reading(form, tuple(remarks))
    repairs = tuple(
        Repair(**one | {"details": tuple(one["details"]), "choices": tuple(map(tuple, one["choices"]))})
        for one in proposed
    )
    return Arrival(frame, pd.DataFrame(described), Recipe(**suggested), repairs)


@within_limits
def sheets(content: bytes) -> tuple[tuple[tuple[str, int, int], ...], bytes]:
    """Return the sheets of a workbook, in the isolated process."""
    return sheet_sizes(content), b""


@within_limits
def arrived(content: bytes, recipe: dict[str, Any]) -> tuple[Any, bytes]:
    """Read, describe and propose, in the isolated process."""
    wanted = Recipe(**recipe)
    frame = read_table(io.BytesIO(content), name=wanted.name, **wanted.reading)
    reading = frame.attrs.pop("reading")
    described = describe(frame)
    suggested = dataclasses.asdict(wanted.suggested(frame, described))
    proposed = [dataclasses.asdict(one) for one in proposals(frame)]
    return (reading.form, reading.remarks, described.to_dict("list"), suggested, proposed), frame_bytes(frame)


# Constraints as a CSV table: one line per required or forbidden edge, and per variable with a tier.

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
