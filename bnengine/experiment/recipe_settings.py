"""The settings of a data set: where its table comes from and how that is treated, each declared once."""

from __future__ import annotations

import dataclasses
from typing import Any

from bnengine._core.random_generators import MAX_SEED
from bnengine._core.setting_kinds import shown
from bnengine._core.settings import Names, Switch, Text, Whole, field, setting
from bnengine._core.validation import MOST_BINS
from bnengine.data.columns import MOST_STATE_VALUES
from bnengine.data.missing import TREATMENTS
from bnengine.data.reading_options import AUTO, CHOICES, LIMITS, ReadingOptions
from bnengine.discretization.discretize import BY_INFORMATION, BY_SCORE, DEFAULT_BINS
from bnengine.experiment.column_lists import (
    KEPT,
    NO_DISCRETIZATION,
    Conditions,
    NewNames,
    Orders,
    Policies,
    Rare,
    Repairs,
    Treatments,
)
from bnengine.graphs.dag import Edge
from bnengine.networks.bundled import SAMPLE_TABLES, SampleTable, load_network, network_names

#: The largest number of rows to draw from a network.
MOST_ROWS = 1_000_000
#: How a file is read unless its recipe says otherwise.
DETECTED = ReadingOptions()
#: Settings that name a column that speaks of rows, and is no variable.
ABOUT_ROWS = ("interventions", "weights", "sampling_weights", "clusters")


@setting
class RecipeSettings:
    """The settings of a ``Recipe``, and what they say without a table."""

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
            NO_DISCRETIZATION: "Not discretized",
            KEPT: "Kept as numbers",
            "quantile": "Equal frequency",
            "width": "Equal width",
            "kmeans": "k-means",
            BY_INFORMATION: "Mutual information",
            BY_SCORE: "By the score",
        },
        label="Discretization",
        help=f"What becomes of columns of numbers: those with more distinct values than bins are discretized; by "
        f"description length, or to be kept as numbers, those with more than {MOST_STATE_VALUES}.",
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
        help="Columns treated otherwise: (column, method), (column, method, bins), or with the cut points (column, "
        "hand, cut point, …); method number keeps numbers, and none takes each value for a state.",
    )
    missing: Text = field(
        default="drop_rows",
        choices={key: one.label for key, one in TREATMENTS.items()},
        label="Missing cells",
        help="What to do with rows that have missing cells.",
    )
    where: Conditions = field(
        default=(),
        label="Rows",
        help="The rows to keep: (column, is, value, …), (column, is_not, value, …), (column, at_least, number) or "
        "(column, at_most, number); all must hold.",
    )
    rare: Rare = field(
        default=(),
        label="Rare states",
        help="Columns whose states with fewer rows become one state, (other): (column, rows).",
    )
    states: Orders = field(
        default=(), label="Order of states", help="Columns with their states in order: (column, first state, …)."
    )
    missing_in: Policies = field(
        default=(),
        label="Missing cells of single columns",
        help="Columns whose missing cells are treated otherwise: (column, drop_rows, own_state or most_common).",
    )
    renamed: NewNames = field(default=(), label="New names", help="Columns to rename, at the end: (column, new name).")

    sheet: Text = field(default="", label="Sheet", help="Title of an Excel sheet; by default the largest table's.")
    header: Switch = field(
        default=True, label="Column names in the first line", help="Whether a file's first line holds the column names."
    )
    separator: Text = field(
        default=AUTO, choices=CHOICES["separator"], label="Separator", help="What separates the cells of a text file."
    )
    decimal: Text = field(
        default=AUTO, choices=CHOICES["decimal"], label="Decimal mark", help="The decimal mark of numbers in a file."
    )
    encoding: Text = field(
        default=AUTO, choices=CHOICES["encoding"], label="Encoding", help="The encoding of a text file."
    )
    comment: Text = field(
        default=AUTO, choices=CHOICES["comment"], label="Comment lines", help="Lines of a text file that are skipped."
    )
    cases: Text = field(
        default=AUTO, choices=CHOICES["cases"], label="Cases", help="Whether rows or columns of a file are the cases."
    )

    repairs: Repairs = field(
        default=(),
        label="Repairs",
        help="What is repaired first, as bn.proposals proposes it: (kind, column, details …).",
    )
    leave_out: Names = field(default=(), label="Columns left out", help="The columns to leave out, after the repairs.")
    interventions: Text = field(
        default="",
        label="Column of what was set",
        help="The column that names what an experiment set in each row, or nothing; several names are separated by a "
        "semicolon. Such a row does not count for the parents of the variable that was set.",
    )
    weights: Text = field(
        default="", label="Column that counts rows", help="The column that says how often each row occurs."
    )
    sampling_weights: Text = field(
        default="",
        label="Column of sampling weights",
        help="The column that says how many others each person of a survey stands for. Shares are those of the "
        "weights, rows count as those of equal weights that they are worth, and resamples draw persons.",
    )
    clusters: Text = field(
        default="",
        label="Column of units",
        help="The column that names the person, ward or day that each row is a measurement of. Resamples draw whole "
        "units, and rows count as the independent rows that they are worth.",
    )
    blocks: Whole | None = field(
        default=None,
        ge=2,
        le=MOST_ROWS,
        none="the rows are no series",
        label="Rows of a block",
        unit="rows",
        help="For a series in the order of time: the rows beyond which they no longer depend on each other. Resamples "
        "draw blocks of so many rows, and rows count as the independent rows that they are worth.",
    )
    rows_are: Text = field(
        default="",
        choices={
            "": "Taken as independent",
            "sorted": "Sorted: neighbours are alike for that alone",
            "copies": "Copies: of equal rows one is kept",
        },
        label="Rows next to each other",
        help="Why neighbouring rows are alike, where they are neither measurements of one unit nor a series; of copies "
        "one is kept.",
    )

    def __post_init__(self) -> None:
        known = {"sample": list(SAMPLE_TABLES), "network": network_names()}.get(self.source)
        if known is not None and self.name not in known:
            raise ValueError(f"no bundled {self.source} is named {shown(self.name)}; there are {', '.join(known)}")
        if self.source == "network" and self.n_rows < 1:
            raise ValueError(f"n_rows must be from 1 to {MOST_ROWS:,} rows to draw from a network; got {self.n_rows}")
        if self.n_cells > LIMITS.cells:
            most = LIMITS.cells // (self.n_cells // self.n_rows)
            raise ValueError(
                f"n_rows must be at most {most:,} to draw from {self.name}, {LIMITS.cells:,} cells in all; "
                f"got {self.n_rows:,}"
            )
        if len(self.columns) > LIMITS.columns:
            raise ValueError(f"columns must be at most {LIMITS.columns:,} names; got {len(self.columns):,}")

    @property
    def n_cells(self) -> int:
        """Cells to draw from a network; 0 for the other sources."""
        return self.n_rows * len(load_network(self.name).names) if self.source == "network" else 0

    @property
    def reading(self) -> dict[str, Any]:
        """The options of ``bn.read_table`` that are not detected."""
        detected = dataclasses.asdict(DETECTED)
        return {name: getattr(self, name) for name in detected if getattr(self, name) != detected[name]}

    @property
    def about_rows(self) -> tuple[str, ...]:
        """The columns that speak of rows, and are no variables."""
        return tuple(name for name in (getattr(self, setting) for setting in ABOUT_ROWS) if name)

    @property
    def joined(self) -> list[str]:
        """The columns whose states are joined."""
        return list(dict.fromkeys(step[1] for step in self.repairs if step[0] == "joined"))

    @property
    def keeps_missing(self) -> bool:
        """Whether missing cells stay in the data set, to be dealt with in every replicate."""
        return TREATMENTS[self.missing].keeps

    @property
    def slow_cuts(self) -> bool:
        """Whether the states of a column are chosen by description length or information, which may take seconds."""
        return bool({BY_SCORE, BY_INFORMATION} & {self.discretization, *(one[1] for one in self.per_column)})

    @property
    def network(self) -> str | None:
        """The bundled network that the data were drawn from, where that is known."""
        if self.source == "network":
            return self.name
        return self._sample.network if self._sample else None

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The edges of the equations that a bundled table was simulated from; empty where there are none."""
        return self._sample.edges if self._sample else ()

    @property
    def _sample(self) -> SampleTable | None:
        return SAMPLE_TABLES.get(self.name) if self.source == "sample" else None

    @property
    def title(self) -> str:
        """The name of the data in sentences."""
        if self.source == "sample":
            return SAMPLE_TABLES[self.name].title.split(",")[0]
        return self.name.upper() if self.source == "network" else self.name
