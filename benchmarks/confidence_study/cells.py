"""One cell of the study, a method's probabilities for one table, and the folder that keeps the cells.

Each cell is a small file of its own, written whole or not at all: an interrupted run continues where it was, and a
method that is added later computes its own cells only.
"""

from __future__ import annotations

import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
#: The "score" of methods that do not use the person's own.
ANY_SCORE = "any"
#: The search of a study that compares methods, not searches.
CLIMB = "hill climbing"
#: The number of the "table" whose cell is π itself.
FRESH = -1


class Setting(NamedTuple):
    """What a table is drawn from, and the score and the search that graphs are learned with."""

    source: str
    rows: int
    score: str
    search: str = CLIMB


@dataclass(frozen=True)
class Cell:
    """A method's probabilities of all possible edges, from one table.

    Attributes
    ----------
    adjacency : ndarray, shape (V (V − 1) / 2,)
        Of each pair of variables, in column order.
    directed : ndarray, shape (V (V − 1),), or empty
        Of each ordered pair; empty where the method has none.
    n : int
        Replicates, or 0 of a method without any.
    seconds : float
        Processor time.
    """

    adjacency: FloatArray
    directed: FloatArray
    n: int
    seconds: float


class Store:
    """The folder of cells."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str, setting: Setting, method: str, table: int) -> Path:
        """Return where a cell is kept; ``name`` is the network's."""
        words = [setting.score] if setting.search == CLIMB else [setting.score, setting.search]
        how = "-".join("".join(c for c in word if c.isalnum()) for word in words)
        return self.folder / f"{name}-{setting.rows}" / how / f"{method}_{table}.npz"

    def has(self, name: str, setting: Setting, method: str, table: int) -> bool:
        """Return whether a cell is there, or it is known why there is none."""
        path = self.path(name, setting, method, table)
        return path.exists() or path.with_suffix(".txt").exists()

    def refuse(self, name: str, setting: Setting, method: str, table: int, reason: str) -> None:
        """Keep why a method cannot be applied to a table."""
        path = self.path(name, setting, method, table)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".txt").write_text(reason + "\n", encoding="utf-8")

    def save(self, name: str, setting: Setting, method: str, table: int, cell: Cell) -> None:
        """Write a cell beside its place, then move it there."""
        path = self.path(name, setting, method, table)
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}.part")
        with part.open("wb") as file:
            np.savez_compressed(
                file,
                adjacency=cell.adjacency.astype(np.float32),
                directed=cell.directed.astype(np.float32),
                n=cell.n,
                seconds=cell.seconds,
            )
        part.replace(path)

    def load(self, name: str, setting: Setting, method: str, table: int) -> Cell | None:
        """Read a cell; None if it is not there."""
        path = self.path(name, setting, method, table)
        if not path.exists():
            return None
        with np.load(path) as kept:
            wide = {key: kept[key].astype(np.float64) for key in ("adjacency", "directed")}
            return Cell(**wide, n=int(kept["n"]), seconds=float(kept["seconds"]))

    def refusal(self, name: str, setting: Setting, method: str, table: int) -> str | None:
        """Return why a method could not be applied to a table; None if it could, or was not tried."""
        note = self.path(name, setting, method, table).with_suffix(".txt")
        return note.read_text(encoding="utf-8").strip() if note.exists() else None


def seed_of(seed: int, name: str, rows: int, table: int) -> int:
    """Return the seed of a table: the same for every score and method, so that their differences are paired."""
    words = [seed, zlib.crc32(name.encode()), rows, table - FRESH]
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0] >> 12)
