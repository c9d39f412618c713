"""What a workbook of Excel says about itself: where its first sheet is, and which numbers are dates."""

from __future__ import annotations

import posixpath
import zipfile
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from xml.etree import ElementTree

from bnengine.data.dataset import DataError

#: Bytes of a part other than sheets and texts; they are read whole.
_LARGEST_PART = 8 * 2**20


@dataclass(frozen=True)
class Workbook:
    """The parts of a workbook that a table needs.

    Attributes
    ----------
    sheet, strings : str
        Members of the archive: the first sheet of cells, and the texts that cells point to.
    title : str
        Of that sheet.
    n_sheets : int
    styles : list of str
        "date", "duration" or "" for each number of a style.
    epoch : datetime
        Day 0 of the dates.
    """

    sheet: str
    strings: str
    title: str
    n_sheets: int
    styles: list[str]
    epoch: datetime

    @classmethod
    def of(cls, archive: zipfile.ZipFile, called: str) -> Workbook:
        """Read what an archive says; a KeyError or ValueError where it is no workbook."""
        from openpyxl.utils.datetime import MAC_EPOCH, WINDOWS_EPOCH

        root = _related(archive, "", called)
        main = next(target for kind, target in root.values() if kind == "officeDocument")
        parts = _related(archive, main, called)
        book = _part(archive, main, called)
        sheets = []
        for sheet in _all(book, "sheet"):
            kind, target = parts[next(value for key, value in sheet.items() if _local(key) == "id")]
            if kind == "worksheet":
                sheets.append((sheet.get("name", ""), target))
        if not sheets:
            raise DataError(f"{called} has no sheet of cells; save the table as .xlsx or .csv")
        by_kind = {kind: target for kind, target in parts.values()}
        old = any(properties.get("date1904") in ("1", "true") for properties in _all(book, "workbookPr"))
        styles = (
            _styles(_part(archive, by_kind["styles"], called)) if by_kind.get("styles") in archive.namelist() else []
        )
        title, first = sheets[0]
        return cls(
            first,
            by_kind.get("sharedStrings", ""),
            title,
            len(sheets),
            styles,
            MAC_EPOCH if old else WINDOWS_EPOCH,
        )


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _all(element: Any, tag: str) -> list[Any]:
    return [one for one in element.iter() if _local(str(one.tag)) == tag]


def _part(archive: zipfile.ZipFile, member: str, called: str) -> Any:
    """A part of the archive as a tree."""
    if archive.getinfo(member).file_size > _LARGEST_PART:
        raise DataError(
            f"a part of {called} that holds no cells ({member}) is larger than {_LARGEST_PART // 2**20} MB; save the "
            "sheet as .csv"
        )
    return ElementTree.fromstring(archive.read(member))


def _related(archive: zipfile.ZipFile, member: str, called: str) -> dict[str, tuple[str, str]]:
    """What a part of the archive refers to: identifier to kind and member."""
    folder, name = posixpath.split(member)
    tree = _part(archive, posixpath.join(folder, "_rels", f"{name}.rels"), called)
    found = {}
    for one in _all(tree, "Relationship"):
        target = one.get("Target", "")
        target = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
        found[one.get("Id", "")] = (one.get("Type", "").rpartition("/")[2], target)
    return found


def _styles(tree: Any) -> list[str]:
    """Which styles make dates of numbers."""
    from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format

    formats = dict(BUILTIN_FORMATS)
    formats.update({int(one.get("numFmtId", "-1")): one.get("formatCode", "") for one in _all(tree, "numFmt")})
    kinds = {
        number: "duration" if is_timedelta_format(form) else "date" if is_date_format(form) else ""
        for number, form in formats.items()
    }
    cells = next((one for one in _all(tree, "cellXfs")), None)
    return [] if cells is None else [kinds.get(int(one.get("numFmtId", "0")), "") for one in cells]
