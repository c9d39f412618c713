"""Where a data set comes from and what is done to it before learning."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnengine._core.parallel import Progress
from bnengine.data.cuts import cut_at, measured_columns, numeric_columns
from bnengine.data.dataset import DataError, Dataset
from bnengine.data.missing import fill_missing
from bnengine.data.reading import read_table
from bnengine.discretization.discretize import BY_SCORE, DEFAULT_BINS, DISCRETIZATIONS, Cuts, choose_cuts
from bnengine.networks.bundled import load_network
from bnengine.networks.sample_tables import SAMPLE_TABLES, load_sample

if TYPE_CHECKING:
    import pandas as pd

SOURCES = ("sample", "network", "file")
NO_DISCRETIZATION = "none"


@dataclass(frozen=True)
class DataRecipe:
    """Where a data set comes from and what is done to it, in this order: columns, discretisation, missing cells.

    Attributes
    ----------
    source : {"sample", "network", "file"}
    name : str
        Name of the bundled table or network, or of the file.
    fingerprint : str
        SHA-256 of a file's bytes; empty for the others.
    n_rows, seed : int
        Of a simulation from a network.
    columns : tuple of str
        The columns to keep; empty keeps all.
    discretization : {"none", "quantile", "width", "score"}
        Of every numeric column with more than ``bins`` distinct values (under "score": more than 12).
    bins : int
    per_column : tuple of (column, method) or (column, method, bins)
        Columns that are treated otherwise, with method "none" for one that is left as it is; all are words.
    missing : {"drop_rows", "own_state"}
    """

    source: str = "sample"
    name: str = "alarm_300"
    fingerprint: str = ""
    n_rows: int = 0
    seed: int = 0
    columns: tuple[str, ...] = ()
    discretization: str = NO_DISCRETIZATION
    bins: int = DEFAULT_BINS
    per_column: tuple[tuple[str, ...], ...] = ()
    missing: str = "drop_rows"

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "per_column", tuple(tuple(map(str, one)) for one in self.per_column))
        if self.source not in SOURCES:
            raise ValueError(f"source must be one of {', '.join(SOURCES)}; got '{self.source}'")
        _check_per_column(self.per_column)

    def load(self, path: str | None = None) -> pd.DataFrame:
        """The raw table; a file is read from ``path``, or from its name if none is given."""
        if self.source == "sample":
            return load_sample(self.name)
        if self.source == "network":
            return load_network(self.name).sample(self.n_rows, rng=self.seed).to_frame()
        return read_table(path or self.name)

    def prepare(self, frame: pd.DataFrame, cuts: Cuts | None = None) -> Dataset:
        """The data set from the raw table, cut at ``cuts`` if they are at hand; a DataError says what is in the way."""
        chosen = cut_at(self._kept(frame), self.cuts(frame) if cuts is None else cuts)
        if chosen.isna().to_numpy().any():
            chosen = fill_missing(chosen, self.missing)
        return Dataset.from_frame(chosen)

    def cuts(self, frame: pd.DataFrame, progress: Progress | None = None) -> Cuts:
        """The cut points of each column of the raw table that is discretised."""
        chosen = self._kept(frame)
        method, bins = self.treatment(chosen)
        return choose_cuts(chosen, method, bins, progress=progress) if method else {}

    def treatment(self, frame: pd.DataFrame) -> tuple[dict[str, str], dict[str, int]]:
        """The method of each column of the frame that is discretised, and the numbers of bins."""
        special = {one[0]: one[1:] for one in self.per_column if one[0] in frame.columns}
        if self.discretization == BY_SCORE:
            default = measured_columns(frame)
        elif self.discretization == NO_DISCRETIZATION:
            default = []
        else:
            default = [name for name in numeric_columns(frame) if frame[name].nunique() > self.bins]
        methods = {name: self.discretization for name in default} | {name: one[0] for name, one in special.items()}
        methods = {name: how for name, how in methods.items() if how != NO_DISCRETIZATION}
        bins = {name: int(special[name][1]) if len(special.get(name, ())) > 1 else self.bins for name in methods}
        return methods, bins

    def _kept(self, frame: pd.DataFrame) -> pd.DataFrame:
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
        named = [*self.columns, *(one[0] for one in self.per_column)]
        absent = [name for name in named if name not in frame.columns]
        if absent:
            raise DataError(f"the table has no column '{absent[0]}'; it has {', '.join(map(str, frame.columns))}")
        return frame[list(self.columns)] if self.columns else frame

    def suggested(self, frame: pd.DataFrame) -> DataRecipe:
        """The recipe with the treatment that most tables like this one need, for a person to change.

        Measurements are cut into three quantile bins, and numbers with at most 12 distinct values are left as states;
        rows with missing cells are dropped unless that costs more than a tenth of the rows, in which case missing
        becomes a state.
        """
        measured = measured_columns(frame)
        few = [name for name in numeric_columns(frame) if self.bins < frame[name].nunique() and name not in measured]
        complete = float((~frame.isna().any(axis=1)).mean()) if len(frame) else 1.0
        return dataclasses.replace(
            self,
            discretization="quantile" if measured else NO_DISCRETIZATION,
            per_column=tuple((name, NO_DISCRETIZATION) for name in few) if measured else (),
            missing="drop_rows" if complete >= 0.9 else "own_state",
        )

    @property
    def by_score(self) -> bool:
        """Whether the levels of a column are chosen by the score, which may take seconds."""
        return BY_SCORE in (self.discretization, *(one[1] for one in self.per_column))

    @property
    def network(self) -> str | None:
        """The bundled network that the data were drawn from, where that is known."""
        if self.source == "network":
            return self.name
        sample = SAMPLE_TABLES.get(self.name) if self.source == "sample" else None
        return sample.network if sample else None

    @property
    def title(self) -> str:
        """How the data are called in sentences."""
        if self.source == "sample":
            return SAMPLE_TABLES[self.name].title.split(",")[0]
        return self.name.upper() if self.source == "network" else self.name


def _check_per_column(per_column: Sequence[Sequence[str]]) -> None:
    """A ValueError names a column whose treatment cannot be."""
    known = (NO_DISCRETIZATION, *DISCRETIZATIONS)
    for number, (name, *how) in enumerate(per_column):
        if not 1 <= len(how) <= 2 or how[0] not in known or (len(how) > 1 and not how[1].isdecimal()):
            raise ValueError(
                f"per_column takes (column, method) or (column, method, bins), the method one of {', '.join(known)}; "
                f"got {', '.join((name, *how))}"
            )
        if len(how) > 1 and int(how[1]) < 2:
            raise ValueError(f"per_column: the bins of '{name}' must be 2 or more; got {how[1]}")
        if any(other[0] == name for other in per_column[:number]):
            raise ValueError(f"per_column names '{name}' twice; name each column once")
