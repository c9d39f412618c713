"""The structure of an Excel workbook: its sheets, its strings, and which number formats are dates."""

from __future__ import annotations

import posixpath
import zipfile
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from xml.etree import ElementTree

from bnengine.data.dataset import DataError

#: Largest size in bytes of parts other than sheets and strings, which are parsed as a whole.
_LARGEST_PART = 8 * 2**20


@dataclass(frozen=True)
class Workbook:
    """The parts of a workbook that a table needs.

    Attributes
    ----------
    sheets : list of (str, str)
        Titles of the worksheets, with their members of the archive.
    strings : str
        Member of the archive with the strings that cells refer to.
    styles : list of str
        "date", "duration" or "" for each style number.
    epoch : datetime
        Day 0 of the dates.
    """

    sheets: list[tuple[str, str]]
    strings: str
    styles: list[str]
    epoch: datetime

    @classmethod
    def of(cls, archive: zipfile.ZipFile, called: str) -> Workbook:
        """Parse the structure of an archive; KeyError or ValueError if it is not a workbook."""
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
            raise DataError(f"{called} has no worksheet; save the table as .xlsx or .csv")
        by_kind = {kind: target for kind, target in parts.values()}
        old = any(properties.get("date1904") in ("1", "true") for properties in _all(book, "workbookPr"))
        styles = (
            _styles(_part(archive, by_kind["styles"], called)) if by_kind.get("styles") in archive.namelist() else []
        )
        epoch = MAC_EPOCH if old else WINDOWS_EPOCH
        return cls(sheets, by_kind.get("sharedStrings", ""), styles, epoch)


def _local(name: str) -> str:
    return name.rpartition("}")[2]


def _all(element: Any, tag: str) -> list[Any]:
    return [one for one in element.iter() if _local(str(one.tag)) == tag]


def _part(archive: zipfile.ZipFile, member: str, called: str) -> Any:
    """Return a part of the archive as a tree."""
    if archive.getinfo(member).file_size > _LARGEST_PART:
        raise DataError(
            f"a part of {called} other than a sheet ({member}) is larger than {_LARGEST_PART // 2**20} MB; save the "
            "sheet as .csv"
        )
    return ElementTree.fromstring(archive.read(member))


def _related(archive: zipfile.ZipFile, member: str, called: str) -> dict[str, tuple[str, str]]:
    """Return the relationships of a part of the archive: identifier to kind and member."""
    folder, name = posixpath.split(member)
    tree = _part(archive, posixpath.join(folder, "_rels", f"{name}.rels"), called)
    found = {}
    for one in _all(tree, "Relationship"):
        target = one.get("Target", "")
        target = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
        found[one.get("Id", "")] = (one.get("Type", "").rpartition("/")[2], target)
    return found


def _styles(tree: Any) -> list[str]:
    """Return for each style whether it formats numbers as dates or durations."""
    from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format

    formats = dict(BUILTIN_FORMATS)
    formats.update({int(one.get("numFmtId", "-1")): one.get("formatCode", "") for one in _all(tree, "numFmt")})
    kinds = {
        number: "duration" if is_timedelta_format(form) else "date" if is_date_format(form) else ""
        for number, form in formats.items()
    }
    cells = next((one for one in _all(tree, "cellXfs")), None)
    return [] if cells is None else [kinds.get(int(one.get("numFmtId", "0")), "") for one in cells]
