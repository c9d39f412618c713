"""The source of a data set and its treatment before learning."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator

from bnengine._core.parallel import Progress
from bnengine._core.random_generators import MAX_SEED
from bnengine._core.setting_kinds import UnfitError, shown, text
from bnengine._core.settings import Kind, Names, Text, Whole, field, setting
from bnengine.data.cuts import cut_at, measured_columns, numeric_columns
from bnengine.data.dataset import DataError, Dataset
from bnengine.data.describe import UNUSABLE, describe
from bnengine.data.missing import fill_missing
from bnengine.data.reading import read_table
from bnengine.discretization.discretize import BY_SCORE, DEFAULT_BINS, DISCRETIZATIONS, Cuts, choose_cuts
from bnengine.networks.bundled import load_network, network_names
from bnengine.networks.sample_tables import SAMPLE_TABLES, load_sample

if TYPE_CHECKING:
    import pandas as pd

NO_DISCRETIZATION = "none"
#: The largest number of rows to draw from a network.
MOST_ROWS = 1_000_000
MOST_BINS = 1_000


def _treatments(value: Any) -> tuple[tuple[str, ...], ...]:
    """Treatments of columns with every part as a string; what is no list of lists is refused."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise UnfitError
    lists = list(value)
    if any(isinstance(one, str | bytes | Mapping) or not isinstance(one, Iterable) for one in lists):
        raise UnfitError
    treatments = tuple(
        tuple(str(part) if type(part) is int and abs(part) < 10**9 else text(part) for part in one) for one in lists
    )
    _check_treatments(treatments)
    return treatments


Treatments = Annotated[
    Sequence[Sequence[Any]],
    BeforeValidator(_treatments),
    Kind("treatments", 'a list of treatments, such as [["age", "width", "4"]]'),
]


@setting
class Recipe:
    """The source of a data set and its treatment, in this order: columns, discretization, missing cells."""

    source: Text = field(
        default="sample",
        choices={"sample": "A bundled table", "network": "Rows drawn from a bundled network", "file": "A file"},
        label="Source",
        help="Where the data come from.",
    )
    name: Text = field(default="alarm_300", label="Name", help="Name of the bundled table or network, or of the file.")
    fingerprint: Text = field(
        default="", label="Fingerprint", help="SHA-256 of a file's bytes; empty for the other sources."
    )
    n_rows: Whole = field(default=0, ge=0, le=MOST_ROWS, label="Rows", unit="rows", help="Rows to draw from a network.")
    seed: Whole = field(default=0, ge=0, le=MAX_SEED, label="Seed of the rows", help="Seed of the rows drawn.")
    columns: Names = field(default=(), label="Columns", help="The columns to keep; an empty list keeps all.")
    discretization: Text = field(
        default=NO_DISCRETIZATION,
        choices={
            NO_DISCRETIZATION: "None",
            "quantile": "Bins of equally many rows",
            "width": "Bins of equal width",
            BY_SCORE: "Chosen by description length",
        },
        label="Discretization",
        help="How columns of numbers are discretized: those with more distinct values than bins, by description "
        "length those with more than 12.",
    )
    bins: Whole = field(
        default=DEFAULT_BINS,
        ge=2,
        le=MOST_BINS,
        label="Bins",
        unit="bins",
        help="States of each discretized column; description length chooses their number itself.",
    )
    per_column: Treatments = field(
        default=(),
        label="Treatment of single columns",
        help="Columns treated otherwise: (column, method) or (column, method, bins); method none leaves a column as "
        "it is.",
    )
    missing: Text = field(
        default="drop_rows",
        choices={"drop_rows": "Leave out the rows", "own_state": "Make missing a state"},
        label="Missing cells",
        help="What to do with rows that have missing cells.",
    )

    def __post_init__(self) -> None:
        known = {"sample": list(SAMPLE_TABLES), "network": network_names()}.get(self.source)
        if known is not None and self.name not in known:
            raise ValueError(f"no bundled {self.source} is named {shown(self.name)}; there are {', '.join(known)}")
        if self.source == "network" and self.n_rows < 1:
            raise ValueError(f"n_rows must be from 1 to {MOST_ROWS:,} rows to draw from a network; got {self.n_rows}")

    def load(self, path: str | None = None) -> pd.DataFrame:
        """The raw table; a file is read from ``path``, or from its name if none is given."""
        if self.source == "sample":
            return load_sample(self.name)
        if self.source == "network":
            return load_network(self.name).sample(self.n_rows, rng=self.seed).to_frame()
        return read_table(path or self.name)

    def prepare(self, frame: pd.DataFrame, cuts: Cuts | None = None) -> Dataset:
        """The data set from the raw table, discretized at ``cuts`` if they are given.

        Raises
        ------
        DataError
            If the table lacks a column, or cannot be used as it is.
        """
        chosen = cut_at(self._kept(frame), self.cuts(frame) if cuts is None else cuts)
        if chosen.isna().to_numpy().any():
            chosen = fill_missing(chosen, self.missing)
        return Dataset.from_frame(chosen)

    def cuts(self, frame: pd.DataFrame, progress: Progress | None = None) -> Cuts:
        """The cut points of each column of the raw table that is discretized."""
        chosen = self._kept(frame)
        method, bins = self.treatment(chosen)
        return choose_cuts(chosen, method, bins, progress=progress) if method else {}

    def treatment(self, frame: pd.DataFrame) -> tuple[dict[str, str], dict[str, int]]:
        """The method of each column of the frame that is discretized, and the numbers of bins."""
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

    def suggested(self, frame: pd.DataFrame) -> Recipe:
        """The recipe with the treatment that most tables like this one need, as a suggestion.

        Columns of a file that nothing can be learned from, such as identifiers, are left out, unless none would remain
        (``bn.describe`` notes them). Measurements are cut into three quantile bins, and numbers with at most 12
        distinct values are left as states. Rows with missing cells are dropped unless that costs more than a tenth of
        the rows, in which case missing becomes a state.
        """
        described = describe(frame)
        usable = tuple(described.loc[~described["note"].isin(list(UNUSABLE)), "variable"])
        columns = usable if self.source == "file" and 0 < len(usable) < len(described) else ()
        frame = frame.set_axis(described["variable"].tolist(), axis=1)
        frame = frame[list(columns)] if columns else frame
        measured = measured_columns(frame)
        few = [name for name in numeric_columns(frame) if self.bins < frame[name].nunique() and name not in measured]
        complete = float((~frame.isna().any(axis=1)).mean()) if len(frame) else 1.0
        return dataclasses.replace(
            self,
            columns=columns,
            discretization="quantile" if measured else NO_DISCRETIZATION,
            per_column=tuple((name, NO_DISCRETIZATION) for name in few) if measured else (),
            missing="drop_rows" if complete >= 0.9 else "own_state",
        )

    @property
    def by_score(self) -> bool:
        """Whether the states of a column are chosen by description length, which may take seconds."""
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
        """The name of the data in sentences."""
        if self.source == "sample":
            return SAMPLE_TABLES[self.name].title.split(",")[0]
        return self.name.upper() if self.source == "network" else self.name

    def python(self) -> str:
        """Python lines that make ``data``."""
        frame = {
            "sample": f"bn.load_sample({self.name!r})",
            "network": f"bn.load_network({self.name!r}).sample({self.n_rows}, rng={self.seed}).to_frame()",
            "file": f"bn.read_table({self.name!r})",
        }[self.source]
        lines = ["import bnengine as bn", "", f"frame = {frame}"]
        if self.columns:
            lines.append(f"frame = frame[{list(self.columns)!r}]")
        if self.per_column:
            kept = Recipe(discretization=self.discretization, bins=self.bins, per_column=self.per_column)
            lines += [f"recipe = bn.{kept!r}", "frame = bn.discretize(frame, *recipe.treatment(frame))"]
        elif self.discretization != NO_DISCRETIZATION:
            bins = "" if self.discretization == BY_SCORE else f", bins={self.bins}"
            lines.append(f"frame = bn.discretize(frame, method={self.discretization!r}{bins})")
        lines += [f"frame = bn.fill_missing(frame, {self.missing!r})", "data = bn.Dataset.from_frame(frame)"]
        return "\n".join(lines) + "\n"


def _check_treatments(treatments: Sequence[Sequence[str]]) -> None:
    known = (NO_DISCRETIZATION, *DISCRETIZATIONS)
    for number, one in enumerate(treatments):
        name, how = (one[0] if one else ""), one[1:]
        if not 1 <= len(how) <= 2 or how[0] not in known or (len(how) > 1 and not _is_whole(how[1])):
            raise ValueError(
                f"per_column takes (column, method) or (column, method, bins), the method one of {', '.join(known)}; "
                f"got {', '.join(one)}"
            )
        if len(how) > 1 and not 2 <= int(how[1]) <= MOST_BINS:
            raise ValueError(f"per_column: the bins of '{name}' must be from 2 to {MOST_BINS:,}; got {how[1]}")
        if any(other[0] == name for other in treatments[:number]):
            raise ValueError(f"per_column names '{name}' twice; name each column once")


def _is_whole(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10
