"""From a file or a frame to a data set: what is repaired, left out and cut, the same on a page and in a script."""

from __future__ import annotations

import dataclasses
import functools
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
from pydantic import TypeAdapter

from bnengine._core.display import Displayed, counted, percent, quoted
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine._core.setting_kinds import some_of
from bnengine._core.settings import setting_of
from bnengine._core.validation import validated
from bnengine.data.columns import describe, infinite_cells, most_varied
from bnengine.data.dataset import Dataset
from bnengine.data.missing import MISSING_STATE
from bnengine.data.program_files import WORKBOOKS, sheet_sizes
from bnengine.data.reading import Reading, frame_bytes, frame_from, read_isolated, read_named, read_table
from bnengine.data.reading_options import ReadingOptions
from bnengine.data.repairs import by_kind, kind_sentence
from bnengine.data.repairs.finding import accepted, proposals
from bnengine.data.repairs.kinds import Repair
from bnengine.data.repairs.making import taken_away
from bnengine.data.rows_and_states import OTHER_STATE, rows_where
from bnengine.discretization.discretize import BY_INFORMATION, BY_SCORE
from bnengine.experiment.column_lists import BY_HAND, KEPT, NO_DISCRETIZATION
from bnengine.experiment.recipe import Recipe
from bnengine.experiment.row_question import BLANKS, RowQuestion, Written, row_question, weights_asked
from bnengine.search.many_columns import size_remark

_NAMED = 4  # columns left out of which each has its reason


class AboutRows(TypedDict, total=False):
    """What rows are, as in ``bn.Dataset.from_frame``."""

    clusters: str | None
    blocks: int | None
    weights: str | None
    sampling_weights: str | None


@validated
def prepare(
    table: pd.DataFrame | str | Path,
    *,
    repairs: str | Sequence[Any] = "all",
    discretization: str | None = None,
    bins: int | None = None,
    missing: str | None = None,
    columns: int | Sequence[str] = (),
    numbers: str | Sequence[str] = (),
    **rows: Unpack[AboutRows],
) -> Prepared:
    """Make a data set of a table as it is, as the app and the command line do.

    Repairs that cannot change what is meant are made; columns that nothing can be learned from, or that repeat another,
    are left out; measurements are kept as numbers; missing cells are kept. It stands for
    ``bn.read_table``, ``bn.proposals``, ``bn.discretize``, ``bn.fill_missing`` and ``bn.Dataset.from_frame``.

    Parameters
    ----------
    table : DataFrame, or path of a file
        A file of any kind that ``bn.read_table`` reads.
    repairs : {"all", "none"}, or a kind or several ("spellings", …), or a sequence of Repair or of their steps
        "all", or all of a kind, are those that are sure (see ``bn.proposals``); a ``Repair`` and a step, such as
        ``("missing", "age", "99")``, are made as they are.
    discretization, bins, missing : optional
        As in ``bn.Recipe``, in place of what the table suggests; with ``bins`` alone measurements are cut into so many
        bins of equally many rows, the same happens if ``missing`` alone needs states: ``"own_state"`` and
        ``"most_common"`` cut those with missing cells, ``"complete_families"`` all.
    columns : int or sequence of str, optional
        The columns to keep, or how many of those that vary most, see ``bnengine.data.columns.most_varied``.
    numbers : "all" or sequence of str
        Columns to keep as numbers where others are cut; "all" are all measurements, that is numbers
        with more than 12 distinct values, which are kept anyway.
    clusters, blocks, weights, sampling_weights : optional
        As in ``bn.Dataset.from_frame``: the answers where remarks ask whether rows depend on each other, and whether a
        column counts rows or holds the weights of a survey.

    Returns
    -------
    Prepared
        Its ``data`` is the Dataset, its ``remarks`` say what was done, its ``recipe`` does it again.

    Raises
    ------
    DataError
        If the file cannot be read, or the table cannot be used.
    ValueError
        If an argument names no kind of repair, or no treatment, or if two ask for opposite ones.

    Examples
    --------
    >>> import pandas as pd
    >>> import bnengine as bn
    >>> frame = pd.DataFrame({"smoker": ["ja", "JA", "ja", "nein", "k.A."] * 8, "ward": [*"ABBAB"] * 8, "n": range(40)})
    >>> found = bn.prepare(frame)
    >>> found.data.states
    (('ja', 'nein'), ('A', 'B'))
    >>> found.remarks[0]
    "'k.A.' counts as missing in 'smoker'"
    """
    frame = table if isinstance(table, pd.DataFrame) else read_table(table)
    name = "table" if isinstance(table, pd.DataFrame) else str(table)
    if unknown := [key for key in rows if key not in AboutRows.__annotations__]:
        raise TypeError(f"prepare() got an unexpected keyword argument '{unknown[0]}'")
    about: dict[str, Any] = {key: value for key, value in rows.items() if value is not None}
    if missing is not None and discretization is None and numbers != "all":
        about["missing"] = missing
    source = Recipe("file", name, **about)
    found = proposed_treatment(frame, source, repairs, columns)
    found = dataclasses.replace(found, recipe=with_numbers(found.recipe, numbers))
    if discretization is None and bins is not None and found.recipe.discretization == KEPT:
        discretization = "quantile"
    if numbers == "all" and discretization not in (None, KEPT):
        asked = f"bins={bins}" if bins is not None else f"discretization='{discretization}'"
        raise ValueError(f"numbers='all' keeps every measurement, but {asked} cuts them; leave one of the two out")
    given = {"discretization": discretization, "bins": bins, "missing": missing}
    changed: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return dataclasses.replace(found, recipe=dataclasses.replace(found.recipe, **changed)) if changed else found


@dataclasses.dataclass(frozen=True)
class Prepared(Displayed):
    """A table, what it needs before a network can be learned from it, and the data set made of it.

    Attributes
    ----------
    frame : DataFrame
        As it was read, or given.
    recipe : Recipe
        All that is done to it: ``recipe.prepare(frame)`` is ``data``.
    repairs : tuple of Repair
        As ``bn.proposals`` proposes them; those that ``recipe`` names are made.
    described : DataFrame
        The repaired table, as ``bnengine.data.columns.describe`` describes it.
    """

    frame: pd.DataFrame
    recipe: Recipe
    repairs: tuple[Repair, ...]
    described: pd.DataFrame

    @functools.cached_property
    def data(self) -> Dataset:
        """The data set; a DataError if nothing can be learned from the table yet."""
        return self.recipe.prepare(self.frame)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was done to the table, in sentences without a stop, and what may be done or is asked besides."""
        return remarks_of(self, _in_python)

    @functools.cached_property
    def question(self) -> RowQuestion | None:
        """What the table shows of rows that depend on each other; None if nothing, or if it is answered."""
        return row_question(self.recipe, self.frame, self.data)

    def _remarks(self) -> Iterator[str]:
        recipe = self.recipe
        unmade = {step[:2] for step in taken_away(recipe.repairs)}
        proposed = [one for one in self.repairs if (one.kind, one.column) not in unmade]
        made = [one for one in (*proposed, *joinings(recipe, None)) if is_made(one, recipe)]
        yield from (kind_sentence(group) for group in by_kind(made) if group[0].kind != "leave_out")
        reasons = {one.column: kind_sentence([one]) for one in self.repairs if one.kind == "leave_out"}
        if 0 < len(recipe.leave_out) <= _NAMED and reasons.keys() >= set(recipe.leave_out):
            yield from (reasons[name] for name in recipe.leave_out)
        elif recipe.leave_out:
            yield f"left out {counted(len(recipe.leave_out), 'column')}: {some_of(list(recipe.leave_out), 6)}"
        yield from unmade_remarks(recipe)
        for bins, names in cut_columns(recipe, self.data).items():
            yield f"cut into {bins}: {some_of(names, 6)}"
        yield from infinite_remarks(self.frame, recipe)
        if self.data.numbers:
            yield f"kept as numbers: {some_of(self.data.numbers, 6)}"
        if self.data.missing_way is not None:
            treated = setting_of(Recipe, "missing").choices[recipe.missing]
            yield f"missing cells are kept: {treated.partition(': ')[2]}"
            yield from unseen_remarks(self.data)
        if recipe.interventions:
            yield f"'{recipe.interventions}' names the variables that were set in each row"
        if recipe.weights:
            yield f"'{recipe.weights}' counts how often each row occurs"
        if self.data.dependent is not None:
            yield self.data.rows_taken.rstrip(".")
        yield from rows_left_out(self.frame, recipe, self.data)
        yield from determined_remarks(self.data)
        yield from filter(None, [size_remark(self.data)])
        doubtful = [one for one in proposed if one not in made]
        for group in by_kind(doubtful):
            asked = some_of([one.name for one in group], 3)
            yield f"not done, since it may change what is meant: {kind_sentence(group)} (repair {asked})"

    def _shown(self) -> tuple[str, pd.DataFrame]:
        size = f"{counted(self.data.n_rows, 'row')}, {counted(self.data.n_variables, 'variable')}"
        return "; ".join([size, *self.remarks]), self.described


def remarks_of(found: Prepared, written: Written) -> tuple[str, ...]:
    """Return the remarks on a table, with the answers to a question written as where they stand."""
    asked = [] if found.question is None else [found.question.remark(written)]
    return (*found._remarks(), *asked, *weights_asked(found.recipe, found.frame, written))


def _in_python(setting: str, value: str) -> str:
    if setting == "rows_are":
        return "for copies frame.drop_duplicates()" if value == "copies" else ""
    return f"{setting}={value if value.isdigit() or value in BLANKS else repr(value)}"


_JOINED = "joined"
_BINS = {
    "quantile": "bins of equally many rows",
    "width": "bins of equal width",
    "kmeans": "bins around means",
    BY_INFORMATION: "bins that keep mutual information",
    BY_SCORE: "bins chosen by description length",
    BY_HAND: "bins between given cut points",
    _JOINED: "bins of joined neighbours",
}


def cut_columns(recipe: Recipe, data: Dataset) -> dict[str, list[str]]:
    """Return the variables of a data set that a recipe cut, by how many bins of which kind they have, in words."""
    special = {one[0]: one[1] for one in recipe.per_column}
    former = {one[1]: one[0] for one in recipe.renamed}
    found: dict[tuple[str, int], list[str]] = {}
    for name, states in zip(data.names, data.states, strict=True):
        column = former.get(name, name)
        how = special.get(column, recipe.discretization)
        if column in recipe.joined:
            how = "quantile" if how in (NO_DISCRETIZATION, KEPT) else _JOINED
        bins = [state for state in states if state not in (MISSING_STATE, OTHER_STATE)]
        meet = len(bins) > 1 and bins[0][:1] == "≤" and bins[1].removeprefix(">").startswith(bins[0][1:])
        if how not in (NO_DISCRETIZATION, KEPT) and meet and bins[-1].startswith(">"):
            found.setdefault((how, len(bins)), []).append(name)
    return {f"{n} {_BINS[how]}": names for (how, n), names in sorted(found.items())}


def is_made(one: Repair, recipe: Recipe) -> bool:
    """Return whether a recipe has a repair of that kind of that column."""
    if one.kind == "leave_out":
        return one.column in recipe.leave_out or bool(recipe.columns and one.column not in recipe.columns)
    return any(tuple(step[:2]) == (one.kind, one.column) for step in recipe.repairs)


def joinings(recipe: Recipe, data: Dataset | None) -> list[Repair]:
    """Return what a recipe joins as repairs, which can be taken back as all others; none of them is proposed."""
    new = {one[0]: one[1] for one in recipe.renamed}
    states = {} if data is None else dict(zip(data.names, map("; ".join, data.states), strict=True))
    after = {name: states.get(new.get(name, name), "") for name in recipe.joined}
    return [Repair("joined", name, (), 0, "", to, f"States of '{name}' are joined.") for name, to in after.items()]


def unmade_remarks(recipe: Recipe) -> Iterator[str]:
    """Name the repairs that are not made, with the columns that they lack; nothing where there is none."""
    for (kind, column, *_), gone in taken_away(recipe.repairs).items():
        yield f"{kind}:{column} was not made, since other repairs take away {quoted(gone)}"


def infinite_remarks(frame: pd.DataFrame, recipe: Recipe) -> Iterator[str]:
    """Count the infinite cells that are neither a number nor in a bin; nothing where there is none."""
    rows = recipe.repaired(frame)
    rows = rows[recipe.used(rows)]
    if counts := infinite_cells(rows, [*recipe.kept_numbers(rows), *recipe.treatment(rows)[0]]):
        found = [f"{n:,} in '{name}'" for name, n in counts.items()]
        yield f"infinite cells count as missing: {some_of(found, 6)}"


def determined_remarks(data: Dataset) -> Iterator[str]:
    """Name the variables that are a function of others; nothing where none is."""
    for name, given in data.functions.items():
        yield f"'{name}' is determined by {quoted(given)}: edges between them may be a definition, not a finding"


def unseen_remarks(data: Dataset) -> Iterator[str]:
    """Name the variables most of whose cells are missing and kept; nothing where none is."""
    share = np.zeros(data.n_variables) if data.missing is None else data.missing.mean(axis=0)
    if names := [name for name, own in zip(data.names, share, strict=True) if own > 0.5]:
        least = percent(float(share[share > 0.5].min()))
        one = f"{least} of the cells of {quoted(names)} are missing"
        several = f"at least {least} of the cells of each of {quoted(names)} are missing"
        yield f"{one if len(names) == 1 else several}: leave out what nearly nobody answered, or all rests on few rows"


def rows_left_out(frame: pd.DataFrame, recipe: Recipe, data: Dataset) -> Iterator[str]:
    """Say how many rows of a table a recipe leaves out, as copies or for their missing cells; nothing if none."""
    repaired, selected = len(rows_where(recipe.repaired(frame), recipe.where)), recipe.selected(frame)
    if selected < repaired:
        yield f"left out {repaired - selected:,} of {counted(repaired, 'row')}, which are copies"
    if selected > data.n_rows and not recipe.weights:
        yield f"left out {selected - data.n_rows:,} of {counted(selected, 'row')}, with missing cells"


def proposed_treatment(
    frame: pd.DataFrame, source: Recipe, repairs: str | Sequence[Any] = "all", columns: int | Sequence[str] = ()
) -> Prepared:
    """Return a table with the treatment proposed for it; only tables of files are repaired.

    This is the one place where a table gets its treatment: pages, commands and ``bn.prepare`` call it.
    """
    proposed = tuple(proposals(frame, source.about_rows)) if source.source == "file" else ()
    steps = accepted(frame, repairs, proposed)
    recipe = dataclasses.replace(source, repairs=tuple(one for one in steps if one[0] != "leave_out"))
    described = describe(recipe.repaired(frame))
    recipe = recipe.suggested(frame, described)
    out = (*recipe.leave_out, *(one[1] for one in steps if one[0] == "leave_out"))
    recipe = dataclasses.replace(recipe, leave_out=tuple(name for name in described["variable"] if name in out))
    recipe = with_columns(frame, recipe, columns)
    return Prepared(frame, recipe, proposed, described)


def with_numbers(recipe: Recipe, numbers: str | Sequence[str], cut: str | Sequence[str] = ()) -> Recipe:
    """Return the recipe with some columns of numbers kept as such and others cut; "all" stands for all measurements."""
    if numbers == cut == "all":
        raise ValueError("numbers and cut are both 'all'; measurements are kept as numbers or cut into states")
    if both := [name for name in _each(numbers) if name in _each(cut)]:
        raise ValueError(f"numbers and cut both name '{both[0]}'; keep it as a number or cut it into states")
    own = {one[0]: one for one in recipe.per_column}
    for names, how in ((numbers, KEPT), (cut, "quantile")):
        if names == "all":
            recipe = dataclasses.replace(recipe, discretization=how)
        own |= {name: (name, how) for name in _each(names)}
    return dataclasses.replace(recipe, per_column=tuple(own.values()))


def _each(names: str | Sequence[str]) -> Sequence[str]:
    """Return the columns that are named one by one."""
    if isinstance(names, str):
        return () if names == "all" else (names,)
    return names


def with_numbers_kept(recipe: Recipe, frame: pd.DataFrame) -> Recipe | None:
    """Return the recipe with every column that it cuts kept as numbers; None where it cuts none.

    Cells that are missing there can be no state: rows without them are left out, unless missing cells are kept.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"dose": [k / 3 for k in range(30)], "ward": ["a", "b"] * 15})
    >>> cut = Recipe("file", "t.csv", discretization="quantile")
    >>> with_numbers_kept(cut, frame).prepare(frame).numbers
    ('dose',)
    """
    rows = recipe.repaired(frame)
    cut = recipe.treatment(rows[recipe.used(rows)])[0]
    if not cut:
        return None
    own = {one[0]: one for one in recipe.per_column} | {name: (name, KEPT) for name in cut}
    return dataclasses.replace(
        recipe,
        per_column=tuple(own.values()),
        repairs=tuple(step for step in recipe.repairs if step[0] != "joined" or step[1] not in cut),
        missing=recipe.missing if recipe.keeps_missing else "drop_rows",
        missing_in=tuple(one for one in recipe.missing_in if one[0] not in cut),
    )


def with_columns(frame: pd.DataFrame, recipe: Recipe, columns: int | Sequence[str]) -> Recipe:
    """Return the recipe with only some columns kept: these, or so many of those that vary most."""
    if isinstance(columns, int):
        if columns < 2:
            raise ValueError(f"columns must be names, or how many to keep, at least 2; got {columns}")
        table = recipe.repaired(frame)
        columns = most_varied(table[recipe.used(table)], columns)
    return dataclasses.replace(recipe, columns=tuple(columns)) if columns else recipe


# Files of strangers: read and described in a process of its own, with limits on memory and time.


def sheets_of(content: bytes, called: str) -> tuple[tuple[str, int, int], ...]:
    """Return title, rows and columns of a workbook's sheets; none for another file."""
    if content[:4] not in WORKBOOKS:
        return ()
    return tuple((title, rows, columns) for title, rows, columns in read_isolated("sheets", content, called, {})[0])


def read_upload(content: bytes, recipe: Recipe, progress: Progress | None = None) -> Prepared:
    r"""Read a file as a recipe says, in an isolated process, and propose its treatment.

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
    >>> read_upload(b"x,y\na,1\nb,2\n", Recipe("file", "t.csv")).recipe.discretization
    'none'
    """
    given = {"recipe": dataclasses.asdict(recipe)}
    (form, remarks, described, suggested, proposed), found = read_isolated(
        "intake", content, recipe.name, given, progress
    )
    frame = frame_from(found)
    frame.attrs["reading"] = Reading(form, tuple(remarks))
    repairs = TypeAdapter(tuple[Repair, ...]).validate_python(proposed)
    return Prepared(frame, Recipe(**suggested), repairs, pd.DataFrame(described))


def sheets(content: bytes) -> tuple[tuple[tuple[str, int, int], ...], bytes]:
    """Return the sheets of a workbook, in the isolated process."""
    return sheet_sizes(content), b""


def read_upload_in_isolation(content: bytes, recipe: dict[str, Any]) -> tuple[Any, bytes]:
    """Read, describe and propose, in the isolated process."""
    wanted = Recipe(**recipe)
    frame = read_named(io.BytesIO(content), wanted.name, ReadingOptions(**wanted.reading))
    reading = frame.attrs.pop("reading")
    found = proposed_treatment(frame, wanted)
    described, suggested = found.described.to_dict("list"), dataclasses.asdict(found.recipe)
    proposed = [dataclasses.asdict(one) for one in found.repairs]
    return (reading.form, reading.remarks, described, suggested, proposed), frame_bytes(frame)
