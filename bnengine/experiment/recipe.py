"""From a table, read from where its settings say, to the data set that a network is learned from."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine._core.setting_kinds import repeated, some_of
from bnengine._core.settings import setting
from bnengine._core.validation import validated
from bnengine.data.checked_frame import DataError, column_names
from bnengine.data.columns import (
    MOST_STATE_VALUES,
    UNUSABLE,
    describe,
    measured_columns,
    numeric_columns,
    without_infinite,
)
from bnengine.data.dataset import Dataset
from bnengine.data.interventions import column_of_counts, column_of_targets, counts_of_rows, with_other_names
from bnengine.data.missing import DEFAULT_WAY, fill_missing
from bnengine.data.reading import read_table
from bnengine.data.repairs.making import check_steps, lacking, names_after, repaired
from bnengine.data.rows_and_states import (
    JOINED_ORDERED,
    fewer_points,
    join_states,
    merge_rare_states,
    order_states,
    rows_where,
)
from bnengine.discretization.cut_points import COLUMN_METHODS, cut_at
from bnengine.discretization.discretize import BY_INFORMATION, BY_SCORE, CutRule, Cuts, choose_cuts
from bnengine.experiment.column_lists import BY_HAND, KEPT, NO_DISCRETIZATION
from bnengine.experiment.recipe_settings import ABOUT_ROWS, DETECTED, RecipeSettings
from bnengine.networks.bundled import load_network, load_sample

#: What a person may have chosen about a table.
_CHOSEN = (
    *("discretization", "bins", "missing", "per_column", "where", "rare", "states", "missing_in", "renamed"),
    *("interventions", "weights", "sampling_weights", "clusters", "blocks", "rows_are"),
)
#: Treatments that depend on how many rows have a value.
_COUNTING = ("quantile", "kmeans", BY_INFORMATION, BY_SCORE)


@setting
class Recipe(RecipeSettings):
    """The source of a data set and its treatment.

    In this order: repairs, rows and columns, discretization, joined states, rare ones, order of states, missing cells,
    new names.
    """

    @validated
    def load(self, path: str | None = None) -> pd.DataFrame:
        """Return the raw table; a file is read from ``path``, or from its name if none is given."""
        if self.source == "sample":
            return load_sample(self.name)
        if self.source == "network":
            return load_network(self.name).sample(self.n_rows, rng=self.seed).to_frame()
        return read_table(path or self.name, **self.reading)

    @validated
    def prepare(self, frame: pd.DataFrame, cuts: Cuts | None = None) -> Dataset:
        """Return the data set from the raw table, discretized at ``cuts`` if they are given.

        Raises
        ------
        DataError
            If the table lacks a column, or cannot be used as it is.
        """
        chosen, policies, numbers = self._treated(frame, cuts)
        if chosen.isna().to_numpy().any():
            chosen = fill_missing(chosen, policies)
            if numbers and self.missing == "complete_families" and chosen.isna().to_numpy().any():
                raise DataError(
                    f"'{numbers[0]}' is kept as numbers, whose covariances need the same rows, but missing="
                    "'complete_families' counts each family on rows of its own; choose missing='drawn' or "
                    "missing='drop_rows', or cut the column into states"
                )
        new = {old: name for old, name in _of(self.renamed, chosen) if old not in self.about_rows}
        return Dataset.from_frame(
            chosen.rename(columns=new),
            numbers=[new.get(name, name) for name in numbers],
            missing=self.missing if self.keeps_missing else None,
            interventions=self.interventions or None,
            weights=self.weights or None,
            sampling_weights=self.sampling_weights or None,
            clusters=self.clusters or None,
            blocks=self.blocks,
        )

    @validated
    def before_cutting(self, frame: pd.DataFrame, cuts: Cuts | None = None) -> tuple[pd.DataFrame, dict[str, str]]:
        """Return the data set's rows and columns before they are cut, and the method of each column cut by one.

        A column is not among these if it is cut by hand, if its bins are joined or put in order afterwards, or if it is
        cut by mutual information, which takes seconds. None is where rows are counted by a column.
        """
        treated, policies, _ = self._treated(frame, cuts)
        dropping = [name for name, how in policies.items() if how == "drop_rows"]
        kept = self._kept(frame)[treated[dropping].notna().all(axis=1).to_numpy()]
        after = {*self.joined, *_first(self.rare, self.states)}
        methods = self.treatment(kept)[0].items()
        how = {name: one for name, one in methods if one in (*COLUMN_METHODS, BY_SCORE) and name not in after}
        new = dict(_of(self.renamed, kept))
        return kept.rename(columns=new), {} if self.weights else {
            new.get(name, name): str(one) for name, one in how.items()
        }

    def _treated(self, frame: pd.DataFrame, cuts: Cuts | None) -> tuple[pd.DataFrame, dict[str, str], list[str]]:
        """Return the rows in use with what speaks of rows, what becomes of missing cells, and the kept numbers.

        The columns have their first names; those that are not kept as numbers hold states.
        """
        rows = self._rows(frame)
        kept, about_rows = rows[self.used(rows)], self._columns_about(rows)
        self._check_counting(kept)
        points, numbers = self._cuts(kept) if cuts is None else cuts, self.kept_numbers(kept)
        kept = without_infinite(kept, numbers)
        orders = {one[0]: one[1:] for one in self.states if one[0] in kept.columns and one[0] not in numbers}
        joined = {name: orders.pop(name, ()) for name in self.joined if name in kept.columns and name not in points}
        chosen = join_states(cut_at(kept, points), joined)
        rare = {name: int(rows) for name, rows in _of(self.rare, chosen) if name not in (*self.joined, *numbers)}
        chosen = merge_rare_states(chosen, rare)
        chosen = order_states(chosen, orders)
        chosen = chosen.assign(**about_rows)
        own = dict(_of(self.missing_in, chosen))
        default = "keep" if self.keeps_missing else self.missing
        policies = {name: own.get(name, default) for name in chosen.columns}
        for name in numbers:
            if policies[name] in ("own_state", "most_common") and chosen[name].isna().any():
                raise DataError(
                    f"'{name}' is kept as numbers, so its missing cells can be neither a state nor the most common "
                    "one; leave out these rows, or cut the column into states"
                )
        return chosen, policies, numbers

    @validated
    def cuts(self, frame: pd.DataFrame, progress: Progress | None = None) -> Cuts:
        """Return the cut points of each column of the raw table that is discretized."""
        return self._cuts(self._kept(frame), progress)

    def _cuts(self, kept: pd.DataFrame, progress: Progress | None = None) -> Cuts:
        method, bins = self.treatment(kept)
        points = choose_cuts(kept, method, bins, progress=progress) if method else {}
        return points | {name: fewer_points(kept[name], points[name]) for name in self.joined if name in points}

    @validated
    def treatment(self, frame: pd.DataFrame) -> tuple[dict[str, CutRule], dict[str, int]]:
        """Return the method or cut points of each column that is discretized, and the numbers of bins."""
        methods, bins = self._methods(frame)
        cut = [name for name, how in methods.items() if how not in (NO_DISCRETIZATION, KEPT)]
        return {name: methods[name] for name in cut}, {name: bins[name] for name in cut}

    @validated
    def kept_numbers(self, frame: pd.DataFrame) -> list[str]:
        """Return the columns that are kept as numbers: measurements, and those of which it is chosen."""
        return [name for name, how in self._methods(frame)[0].items() if how == KEPT]

    def _methods(self, frame: pd.DataFrame) -> tuple[dict[str, CutRule], dict[str, int]]:
        special = {one[0]: one[1:] for one in self.per_column if one[0] in frame.columns}
        if self.discretization in (BY_SCORE, KEPT):
            default = measured_columns(frame)
        elif self.discretization == NO_DISCRETIZATION:
            default = []
        else:
            default = [name for name in numeric_columns(frame) if frame[name].nunique() > self.bins]
        methods: dict[str, CutRule] = dict.fromkeys(default, self.discretization)
        bins = dict.fromkeys(default, self.bins)
        for name, (how, *more) in special.items():
            methods[name] = tuple(map(float, more)) if how == BY_HAND else how
            bins[name] = int(more[0]) if more and how != BY_HAND else self.bins
        for name in numeric_columns(frame[[name for name in self.joined if name in frame.columns]]):
            if methods.get(name, NO_DISCRETIZATION) in (NO_DISCRETIZATION, KEPT):
                methods[name], bins[name] = "quantile", JOINED_ORDERED
        return methods, bins

    def _columns_about(self, rows: pd.DataFrame) -> dict[str, pd.Series[Any]]:
        """Return the columns that speak of rows; in them no cell is missing, and variables have their new names."""
        found: dict[str, pd.Series[Any]] = {}
        if self.interventions:
            used = self.used(rows)
            new = dict.fromkeys(rows.columns, "") | dict(zip(used, used, strict=True)) | dict(_of(self.renamed, rows))
            found[self.interventions] = with_other_names(rows[self.interventions], new)
        if self.weights:
            counts = counts_of_rows(f"weights='{self.weights}'", rows[self.weights])
            found[self.weights] = pd.Series(counts, index=rows.index)
        found |= {name: rows[name] for name in (self.sampling_weights, self.clusters) if name}
        return found

    def _check_counting(self, kept: pd.DataFrame) -> None:
        """Refuse treatments that count rows where a column says how often each occurs."""
        if not self.weights:
            return
        cut = [name for name, how in self.treatment(kept)[0].items() if how in _COUNTING]
        filled = self.missing == "most_common" or any(one[1] == "most_common" for one in self.missing_in)
        wrong = [
            *([f"the cut points of '{cut[0]}'"] if cut else []),
            *(["joined states"] if self.joined else ["rare states"] if self.rare else []),
            *(["the most common state"] if filled and kept.isna().to_numpy().any() else []),
        ]
        if wrong:
            raise DataError(
                f"{wrong[0]} would be found from the listed rows, but weights='{self.weights}' says that they occur "
                "several times; treat the table before its rows are counted, or cut columns by width or by hand"
            )

    def _kept(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the rows and columns in use, repaired."""
        rows = self._rows(frame)
        used = self.used(rows)
        return rows[used] if len(used) < rows.shape[1] or self.columns else rows

    def _rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the rows in use with all columns, repaired."""
        absent = self.absent(frame)
        if absent:
            raise DataError(f"the table has no column '{absent[0]}'; it has {some_of(column_names(frame))}")
        twice = repeated(self.columns)
        if twice is not None:
            raise DataError(f"the columns to keep name '{twice}' twice; name each column once")
        frame = self.repaired(frame)
        used = self.used(frame)
        if not used:
            raise DataError("every column is left out; keep at least one")
        rows = rows_where(frame, self.where)
        return rows.drop_duplicates(self.used(rows)) if self.rows_are == "copies" else rows

    @validated
    def selected(self, frame: pd.DataFrame) -> int:
        """Return how many rows of the raw table are in use, before any is left out for its missing cells."""
        return len(self._rows(frame))

    @validated
    def repaired(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the raw table with the repairs made; one that has them already is as it was."""
        return repaired(frame.set_axis(column_names(frame), axis=1), self.repairs)

    @validated
    def used(self, frame: pd.DataFrame) -> list[str]:
        """Return the columns of the repaired table that are kept."""
        out = {*self.leave_out, *self.about_rows}
        return [name for name in self.columns or column_names(frame) if name not in out]

    @validated
    def accepting(self, frame: pd.DataFrame, steps: Sequence[Sequence[str]]) -> Recipe:
        """Return the recipe with these repairs of the raw table in place of its own, and the treatment then suggested.

        A treatment that differs from what was suggested stays as it was chosen, for columns that are still there.
        """
        check_steps(steps)
        before = self.suggested(frame)
        repairs = tuple(tuple(step) for step in steps if step[0] != "leave_out")
        with_states = _with_none(self.repairs)
        other = tuple(one for one in self.missing_in if one[0] not in with_states)
        after = dataclasses.replace(self, repairs=repairs, missing_in=other).suggested(frame)
        there = set(column_names(after.repaired(frame)))
        out = (*after.leave_out, *(step[1] for step in steps if step[0] == "leave_out"))
        by_hand = (name for name in self.leave_out if name not in before.leave_out)
        chosen: dict[str, Any] = {}
        for name in _CHOSEN:
            value = getattr(self, name)
            if value != getattr(before, name):
                chosen[name] = (
                    value if isinstance(value, str | int | None) else tuple(one for one in value if one[0] in there)
                )
        chosen |= {name: "" for name in ABOUT_ROWS if chosen.get(name, "") not in {"", *there}}
        chosen["columns"] = tuple(name for name in self.columns if name in there)
        chosen["leave_out"] = tuple(name for name in dict.fromkeys((*out, *by_hand)) if name in there)
        return dataclasses.replace(after, **chosen)

    @validated
    def absent(self, frame: pd.DataFrame) -> list[str]:
        """Return the columns that the treatment names but the raw table does not have."""
        lists = (self.per_column, self.rare, self.states, self.missing_in, self.renamed)
        given = set(column_names(frame))
        there = names_after(self.repairs, given)
        named = (*self.columns, *self.leave_out, *self.about_rows, *_first(*lists), *self.joined)
        return [*lacking(self.repairs, given), *(name for name in named if name not in there)]

    @validated
    def suggested(self, frame: pd.DataFrame, described: pd.DataFrame | None = None) -> Recipe:
        """Return the recipe with the treatment that most tables like this one need, as a suggestion.

        Columns of a file that nothing can be learned from, such as identifiers, are left out, unless none would remain
        (``describe`` notes them). Measurements, numbers with more than 12 distinct values, are kept as numbers, unless
        the recipe's way with missing cells needs states or a bundled table is cut; the values of other numbers are
        states. Missing cells are kept and drawn anew in every replicate, the way that lost least in the benchmark
        (``benchmarks/missing.py``). A column whose cells name other columns, or nothing, says what was set, and one
        that counts each combination of the others counts rows. Where dashes may say that there is none, the column's
        holes are a state of their own. ``described`` is the repaired table's description, if known.
        """
        frame = self.repaired(frame)
        described = describe(frame) if described is None else described
        was_set = self.interventions or column_of_targets(frame)
        counts = self.weights or column_of_counts(frame)
        described = described[~described["variable"].isin([was_set, counts, *self.about_rows])]
        distinct = described.loc[described["kind"] == "number"].set_index("variable")["distinct"]
        usable = tuple(described.loc[~described["note"].isin(list(UNUSABLE)), "variable"])
        left_out = 0 < len(usable) < len(described) and self.source == "file"
        frame = frame[list(usable if left_out else described["variable"])]
        numbers = distinct.loc[[name for name in distinct.index if name in frame.columns]]
        few = numbers.index[(numbers > self.bins) & (numbers <= MOST_STATE_VALUES)]
        measured = numbers.index[numbers > MOST_STATE_VALUES]
        holes_are = {one[0]: one[1] for one in self.missing_in} | _with_none(self.repairs)
        holes = without_infinite(frame, measured_columns(frame)).isna().any()
        by_family = self.missing == "complete_families" and holes.any()
        of_states = [name for name in measured if holes_are.get(name, self.missing) in ("own_state", "most_common")]
        cut = measured if by_family else [name for name in of_states if holes[name]]
        how = "quantile" if self.discretization in (NO_DISCRETIZATION, KEPT) else self.discretization
        default = (self._sample.cut if self._sample else "") or KEPT
        return dataclasses.replace(
            self,
            columns=(),
            leave_out=tuple(name for name in described["variable"] if name not in usable) if left_out else (),
            discretization=default if len(measured) else NO_DISCRETIZATION,
            per_column=(*((name, NO_DISCRETIZATION) for name in few if len(measured)), *((one, how) for one in cut)),
            missing=DEFAULT_WAY if holes.any() else Recipe.missing,
            missing_in=tuple(holes_are.items()),
            interventions=was_set,
            weights=counts,
        )

    @property
    def for_cuts(self) -> Recipe:
        """The part of the recipe that the cut points depend on."""
        return dataclasses.replace(self, missing=Recipe.missing, missing_in=(), rare=(), states=(), renamed=())

    @property
    def for_table(self) -> Recipe:
        """The part of the recipe that the raw table depends on: its identity.

        That of a file is its fingerprint, or its name if it has none, and how it is read.
        """
        if self.source == "sample":
            return Recipe("sample", self.name)
        if self.source == "network":
            return Recipe("network", self.name, n_rows=self.n_rows, seed=self.seed)
        named = "" if self.fingerprint else self.name
        return Recipe("file", named, fingerprint=self.fingerprint, **self.reading)

    def python(self) -> str:
        """Return Python lines that make ``data``."""
        frame = {
            "sample": f"bn.load_sample({self.name!r})",
            "network": f"bn.load_network({self.name!r}).sample({self.n_rows}, rng={self.seed}).to_frame()",
            "file": f"bn.read_table({', '.join([repr(self.name), *(f'{k}={v!r}' for k, v in self.reading.items())])})",
        }[self.source]
        detected = dataclasses.asdict(DETECTED)
        treated = dataclasses.replace(
            self, source="sample", name=Recipe.name, fingerprint="", n_rows=0, seed=0, **detected
        )
        lines = ["import bnengine as bn", "", f"frame = {frame}", f"recipe = bn.{treated!r}"]
        return "\n".join([*lines, "data = recipe.prepare(frame)", ""])


def _of(lists: Sequence[Sequence[str]], frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the (column, text) pairs of columns that the frame has."""
    return [(one[0], one[1]) for one in lists if one[0] in frame.columns]


def _with_none(steps: Sequence[Sequence[str]]) -> dict[str, str]:
    """Return the treatment of missing cells in columns whose dashes may say that there is none."""
    return {step[1]: "own_state" for step in steps if step[0] == "none"}


def _first(*groups: Sequence[Sequence[str]]) -> list[str]:
    """Return the columns that lists begin with."""
    return [one[0] for group in groups for one in group]
