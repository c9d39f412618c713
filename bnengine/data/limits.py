"""Limits on the size of untrusted files, enforced while reading, since sizes declared in a file may be wrong."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Limits:
    """The largest size of files that are read; larger ones are refused with a message that names the limit.

    Attributes
    ----------
    megabytes : int
        Of a file, packed and unpacked, in units of 2**20 bytes; also of the strings in a table.
    cells, columns : int
        Of a table.
    sheet_cells : int
        Of an Excel sheet, empty cells included: its markup takes far longer to read than text.
    network_megabytes, table_cells : int
        Of a network file, packed and unpacked; of all its probability tables together.
    reader_megabytes, reader_seconds : int
        Memory and processor time that reading one file may take, in a process of its own.
    """

    megabytes: int = 200
    cells: int = 30_000_000
    columns: int = 10_000
    sheet_cells: int = 2_000_000
    network_megabytes: int = 50
    table_cells: int = 50_000_000
    reader_megabytes: int = 2048
    reader_seconds: int = 120

    @classmethod
    def from_environment(cls) -> Limits:
        """Return the limits with any changed by environment variables, such as ``BNENGINE_MAX_COLUMNS=20000``.

        Raises
        ------
        ValueError
            If such a variable is not a whole number above 0.
        """
        given = {}
        for field in fields(cls):
            name = f"BNENGINE_MAX_{field.name.upper()}"
            text = os.environ.get(name)
            if text is None:
                continue
            if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) == 0:
                raise ValueError(f"{name} must be a whole number above 0; got {text[:40]!r}")
            given[field.name] = int(text)
        return cls(**given)

    @property
    def bytes(self) -> int:
        """The limit ``megabytes`` in bytes."""
        return self.megabytes * 2**20

    @property
    def sentence(self) -> str:
        """A sentence that states the limits to the user."""
        return (
            f"At most {self.cells / 1e6:g} million cells in {self.columns:,} columns, "
            f"{self.sheet_cells / 1e6:g} million cells in an Excel sheet, {self.megabytes} MB when unpacked."
        )


LIMITS = Limits.from_environment()
