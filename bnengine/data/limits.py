"""How much a file of somebody else's may ask for. Counted while it is read: what a file says of itself may be wrong."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Limits:
    """What a file may hold at most; more is refused with a sentence that names the limit.

    Attributes
    ----------
    megabytes : int
        Of a file, packed and unpacked, in units of 2**20 bytes; of the words in a table.
    cells, columns : int
        Of a table.
    sheet_cells : int
        Of a sheet of Excel, empty ones included: its markup takes far longer to read than text does.
    network_megabytes, table_cells : int
        Of a network's file, packed and unpacked; of all its probability tables together.
    """

    megabytes: int = 200
    cells: int = 30_000_000
    columns: int = 10_000
    sheet_cells: int = 2_000_000
    network_megabytes: int = 50
    table_cells: int = 50_000_000

    @classmethod
    def from_environment(cls) -> Limits:
        """The limits with those replaced that the environment names, as in ``BNENGINE_MAX_COLUMNS=20000``.

        Raises
        ------
        ValueError
            Such a variable is set to something other than a whole number above 0.
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
        """The megabytes in bytes."""
        return self.megabytes * 2**20

    @property
    def sentence(self) -> str:
        """What a person should know before choosing a file."""
        return (
            f"At most {self.cells / 1e6:g} million cells in {self.columns:,} columns, "
            f"{self.sheet_cells / 1e6:g} million cells in a sheet of Excel, {self.megabytes} MB when unpacked."
        )


LIMITS = Limits.from_environment()
