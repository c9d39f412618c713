"""A table from a file of the user's: read, described, and with a treatment proposed for it."""

from __future__ import annotations

import dataclasses
import io
from typing import Any

from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine.data.columns import describe
from bnengine.data.excel_parquet import WORKBOOKS, sheet_sizes
from bnengine.data.reading import Reading, frame_bytes, frame_from, read_isolated, read_table, within_limits
from bnengine.data.repairs import Repair, proposals
from bnengine.experiment.recipe import Recipe


@dataclasses.dataclass(frozen=True)
class UploadedTable:
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


def read_upload(content: bytes, recipe: Recipe, progress: Progress | None = None) -> UploadedTable:
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
    >>> read_upload(b"x,y\na,1\nb,2\n", Recipe("file", "t.csv")).suggested.discretization
    'none'
    """
    given = {"recipe": dataclasses.asdict(recipe)}
    (form, remarks, described, suggested, proposed), found = read_isolated(
        "uploaded_table", content, recipe.name, given, progress
    )
    frame = frame_from(found)
    frame.attrs["reading"] = Reading(form, tuple(remarks))
    repairs = tuple(
        Repair(**one | {"details": tuple(one["details"]), "choices": tuple(map(tuple, one["choices"]))})
        for one in proposed
    )
    return UploadedTable(frame, pd.DataFrame(described), Recipe(**suggested), repairs)


@within_limits
def sheets(content: bytes) -> tuple[tuple[tuple[str, int, int], ...], bytes]:
    """Return the sheets of a workbook, in the isolated process."""
    return sheet_sizes(content), b""


@within_limits
def read_upload_in_isolation(content: bytes, recipe: dict[str, Any]) -> tuple[Any, bytes]:
    """Read, describe and propose, in the isolated process."""
    wanted = Recipe(**recipe)
    frame = read_table(io.BytesIO(content), name=wanted.name, **wanted.reading)
    reading = frame.attrs.pop("reading")
    described = describe(frame)
    suggested = dataclasses.asdict(wanted.suggested(frame, described))
    proposed = [dataclasses.asdict(one) for one in proposals(frame)]
    return (reading.form, reading.remarks, described.to_dict("list"), suggested, proposed), frame_bytes(frame)
