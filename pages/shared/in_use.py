"""The data in use: their source, the uploaded files, their treatment before learning, the network they come from."""

import dataclasses
import hashlib
import os
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.cli import FILE_VARIABLE
from bnengine.data.columns import describe
from bnengine.data.repairs.kinds import Repair
from bnengine.data.rows_and_states import rows_where
from bnengine.discretization.cut_points import cut_at
from bnengine.discretization.discretize import Cuts
from bnengine.execution import BoundedCache
from bnengine.experiment.intake import Prepared, proposed_treatment, read_upload
from bnengine.experiment.many_states import ManyStates
from bnengine.experiment.many_states import many_states as find_many_states
from bnengine.experiment.row_question import RowQuestion
from bnengine.experiment.row_question import row_question as find_row_question
from bnengine.networks.network_files import KnownGraph
from bnengine.scores.missingness import Missingness
from bnengine.text import bounded_name
from pages.shared import state, visitors
from pages.shared.format import escaped

FIRST_SAMPLE = "alarm_300"
_RECIPE, _DATASET, _CUTS, _FILES = "recipe", "dataset", "cuts", "files"
_CHOSEN = "data_chosen"
_PAST, _UNDONE, _REPAIRED, _MISSINGNESS = "past_recipes", "n_undone", "repaired", "missingness"
_ROW_QUESTION, _MANY_STATES, _RECUT = "row_question", "many_states", "can_be_recut"
_MOST_PAST = 50


def recipe() -> bn.Recipe:
    """Return the source of the session's data and their treatment; a sample on the first visit."""
    return state.get_or_put(_RECIPE, bn.Recipe("sample", FIRST_SAMPLE))  # type: ignore[no-any-return]


def is_chosen() -> bool:
    """Return whether there are data that the visitor chose; before, and to choose others, Data is the front page."""
    return bool(state.get(_CHOSEN))


def has_data() -> bool:
    """Return whether the visitor ever chose data."""
    return state.get(_CHOSEN) is not None


def keep_data(wanted: bool = True) -> None:
    """Go on with the data in use, or choose others."""
    state.put(_CHOSEN, wanted)


def set_recipe(new: bn.Recipe) -> None:
    """Change the data or their treatment."""
    keep_data()
    now = recipe()
    if new != now:
        same_table = new.for_table == now.for_table
        state.put(_PAST, [*state.get(_PAST, []), now][-_MOST_PAST:] if same_table else [])
    _take(new)


def _take(new: bn.Recipe) -> None:
    if new.source == "file":
        state.get_or_put(_FILES, {})[new.fingerprint] = new
        _tables().get(new.for_table)  # from now on the one used last
        _contents().get(new.fingerprint)
    if new != recipe():
        state.put(_RECIPE, new)
        state.choose(None)


def can_undo() -> bool:
    """Return whether the treatment of this table was changed."""
    return bool(state.get(_PAST))


def undo() -> None:
    """Take the last change of the table's treatment back; there must be one."""
    _take(state.get(_PAST).pop())
    state.put(_UNDONE, n_undone() + 1)


def n_undone() -> int:
    """Return how often a change was undone, for keys of widgets that must then begin anew."""
    return int(state.get(_UNDONE, 0))


# Uploaded files: their bytes by fingerprint, their tables by how they are read; those used last are kept.

_UPLOADS, _CONTENTS, _AWAITED, _SHEETS, _TAKEN = "uploads", "contents", "awaited", "sheets", "given_table_taken"
_MOST_UPLOADS = 2
_UNBOUNDED = 2**60  # bytes: an upload has limits of its own


def _tables() -> BoundedCache[bn.Recipe, Prepared]:
    return visitors.store(_UPLOADS, lambda: BoundedCache(_UNBOUNDED, _MOST_UPLOADS))


def _contents() -> BoundedCache[str, bytes]:
    return visitors.store(_CONTENTS, lambda: BoundedCache(_UNBOUNDED, _MOST_UPLOADS))


def keep_upload(new: bn.Recipe, content: bytes, table: Prepared) -> None:
    """Keep an uploaded file, and its table, read as the recipe says."""
    keep_file(new, content)
    _tables().keep(new.for_table, table)


def keep_file(new: bn.Recipe, content: bytes) -> None:
    """Keep the bytes of a recipe's file."""
    _contents().keep(new.fingerprint, content)


def uploaded_table(wanted: bn.Recipe) -> Prepared | None:
    """Return a file's table, read as the recipe says; None if it is not kept."""
    return visitors.found(_UPLOADS, _tables(), wanted.for_table)  # type: ignore[no-any-return]


def uploaded_file(wanted: bn.Recipe) -> bytes | None:
    """Return the bytes of a recipe's file; None if they are not kept."""
    return visitors.found(_CONTENTS, _contents(), wanted.fingerprint)  # type: ignore[no-any-return]


def other_files() -> list[bn.Recipe]:
    """Return the uploaded files that are kept while other data are in use, with their last treatment."""
    recipes: dict[str, bn.Recipe] = state.get(_FILES, {})
    return [one for key, one in recipes.items() if key in _contents() and one != recipe()]


def sheets(file: bn.Recipe) -> tuple[tuple[str, int, int], ...]:
    """Return title, rows and columns of the sheets of a workbook that was read, or could not be."""
    known = state.get(_SHEETS, ("", ()))
    return known[1] if known[0] == file.fingerprint else ()


def keep_sheets(file: bn.Recipe, titles: tuple[tuple[str, int, int], ...]) -> None:
    """Remember the sheets of the file that was read last."""
    state.put(_SHEETS, (file.fingerprint, titles))


def fingerprint(content: bytes) -> str:
    """Return the SHA-256 of a file's bytes."""
    return hashlib.sha256(content).hexdigest()


def take_given_file() -> None:
    """Begin the session with the table that the app was started on, by ``bnengine app --file``.

    Raises
    ------
    DataError, OSError
        If the file cannot be read as a table, or at all.
    """
    path = Path(os.environ.get(FILE_VARIABLE, ""))
    if path.name and not state.get(_TAKEN):
        state.put(_TAKEN, True)
        content = path.read_bytes()
        new = recipe_of_file(content, path.name)
        with st.spinner("Reading the table …"):
            table = read_upload(content, new)
        keep_upload(new, content, table)
        set_recipe(table.recipe)


def recipe_of_file(content: bytes, name: str) -> bn.Recipe:
    """Return the recipe of a file just uploaded: read as opened settings or the data in use say, or as detected."""
    name = name.encode("utf-8", "backslashreplace").decode()  # of a file whose name is not UTF-8
    new = bn.Recipe("file", bounded_name(name), fingerprint=fingerprint(content))
    for known in (awaited(), recipe()):
        if known is not None and known.source == "file" and _is_for(known, new):
            return dataclasses.replace(new, **known.reading)
    return new


def turn_to(new: bn.Recipe) -> None:
    """Change to the data of opened settings; where their table is not here, they wait for the file, or its reading."""
    is_here = new.source != "file" or uploaded_table(new) is not None
    state.put(_AWAITED, None if is_here else new)
    if is_here:
        set_recipe(new)


def awaited() -> bn.Recipe | None:
    """Return the missing file that opened settings need, with its treatment."""
    return state.get(_AWAITED)  # type: ignore[no-any-return]


def wait_no_longer() -> None:
    """Go on with the data in use."""
    state.put(_AWAITED, None)


def claim(file: bn.Recipe) -> bn.Recipe | None:
    """Return the recipe of the opened settings for a file just uploaded; None if they do not wait for this file."""
    wanted = awaited()
    if wanted is None or not _is_for(wanted, file) or wanted.reading != file.reading:
        return None
    wait_no_longer()
    return dataclasses.replace(wanted, name=file.name, fingerprint=file.fingerprint)


def _is_for(known: bn.Recipe, new: bn.Recipe) -> bool:
    return (known.fingerprint or known.name) in (new.fingerprint, new.name)


# The table: as it was read, repaired, cut into states, as a data set.


#: Bundled tables and rows drawn from bundled networks, for all visitors.
_BUNDLED: BoundedCache[bn.Recipe, Prepared] = BoundedCache(256 * 2**20, 24)
_DRAWN_AT_ONCE = 1_000_000  # cells, which take less than a second


def bundled(wanted: bn.Recipe) -> Prepared:
    """Return a bundled table with the treatment that is proposed for it."""
    plain = wanted.for_table
    return _BUNDLED.get_or_make(plain, lambda: proposed_treatment(plain.load(), plain))


def to_be_drawn() -> bool:
    """Return whether the data are many rows of a network that are not drawn yet."""
    now = recipe()
    return now.n_cells > _DRAWN_AT_ONCE and now.for_table not in _BUNDLED


def proposed_recipe() -> bn.Recipe:
    """Return the treatment that was proposed for the session's table."""
    return proposed_for(recipe(), _prepared())


def proposed_for(base: bn.Recipe, upload: Prepared | None) -> bn.Recipe:
    """Return the treatment proposed for a bundled table, or for an uploaded one under this name."""
    found = (upload or bundled(base)).recipe
    return dataclasses.replace(found, name=base.name, fingerprint=base.fingerprint)


def _prepared() -> Prepared:
    """Return the session's table as it was read, with the treatment that was proposed for it."""
    now = recipe()
    return _tables()[now.for_table] if now.source == "file" else bundled(now)


def raw() -> pd.DataFrame:
    """Return the session's table as it was read."""
    return _prepared().frame


def frame() -> pd.DataFrame:
    """Return the session's table with its repairs made; as it was read, if they do not fit it."""
    return _repaired()[0]


def described() -> pd.DataFrame:
    """Return the description of the session's table, column by column."""
    return _repaired()[1]


def _repaired() -> tuple[pd.DataFrame, pd.DataFrame]:
    now, table = recipe(), _prepared()

    def repaired() -> tuple[pd.DataFrame, pd.DataFrame]:
        if now.repairs == table.recipe.repairs:
            return now.repaired(table.frame), table.described
        try:
            frame = now.repaired(table.frame)
        except bn.DataError:
            frame = table.frame
        return frame, describe(frame)

    return state.latest(_REPAIRED, (now.for_table, now.repairs), repaired)  # type: ignore[no-any-return]


def proposals() -> tuple[Repair, ...]:
    """Return the repairs that are proposed for a file; a bundled table needs none."""
    return _prepared().repairs


def dataset() -> tuple[bn.Dataset | None, str]:
    """Return the session's data set, or None and the reason."""
    now = recipe()

    def prepared() -> tuple[bn.Dataset | None, str]:
        try:
            return now.prepare(raw(), cuts()), ""
        except bn.DataError as error:
            return None, str(error)

    return state.latest(_DATASET, now, prepared)  # type: ignore[no-any-return]


def row_question() -> RowQuestion | None:
    """Return what the table shows of rows that depend on each other; None if nothing, or if it is answered."""
    now, (data, _) = recipe(), dataset()
    return state.latest(_ROW_QUESTION, now, lambda: find_row_question(now, raw(), data))  # type: ignore[no-any-return]


def rows_taken(data: bn.Dataset) -> str:
    """Say what the rows are taken as; empty for rows drawn from a network, which are independent."""
    return data.rows_taken if recipe().source == "file" or data.dependent is not None else ""


def many_states() -> ManyStates | None:
    """Return the variables whose states should be joined, and how; None if there are none."""
    now, (data, _) = recipe(), dataset()
    found = state.latest(_MANY_STATES, now, lambda: None if data is None else find_many_states(now, raw(), data))
    return found  # type: ignore[no-any-return]


def missingness() -> Missingness | None:
    """Return where the missing cells of the table in use are, before they are treated.

    None if none is missing, or its columns cannot be states yet.
    """
    now, points = recipe(), known_cuts()
    return state.latest(_MISSINGNESS, (now, points), lambda: _missingness(now, points))  # type: ignore[no-any-return]


def _missingness(now: bn.Recipe, points: Cuts) -> Missingness | None:
    table = frame()
    used = [name for name in now.used(table) if name not in now.about_rows]
    if not table[used].isna().to_numpy().any():
        return None
    try:
        rows = rows_where(table, [one for one in now.where if one[0] in table.columns])
        treated, numbers = cut_at(rows[used], points), now.kept_numbers(rows[used])
        if now.weights:
            treated = treated.assign(**{now.weights: rows[now.weights]})
        data = bn.Dataset.from_frame(treated, missing="keep", weights=now.weights or None, numbers=numbers)
        return bn.answers.missingness(data.cut())
    except ValueError:
        return None


@dataclasses.dataclass(frozen=True)
class Decided:
    """Cut points by column, whether their choice was stopped, and the reason if there are none."""

    cuts: Cuts
    status: str = "converged"
    problem: str = ""


def cuts() -> Cuts:
    """Return the cut points of the discretized columns.

    Raises
    ------
    DataError
        If the columns cannot be discretized.
    """
    found = decided() or keep_cuts(Decided(recipe().cuts(raw())))
    if found.problem:
        raise bn.DataError(found.problem)
    return found.cuts


def cut_by_method() -> bool:
    """Return whether a column of the data in use was cut by a method, which a replicate can repeat on its own rows."""
    now, (data, _) = recipe(), dataset()

    def found() -> bool:
        return data is not None and bool(now.before_cutting(frame(), cuts())[1])

    return bool(state.latest(_RECUT, (now, known_cuts()), found))


def decided() -> Decided | None:
    """Return the cut points, or the reason for their absence; None if neither is known yet."""
    kept = state.get(_CUTS)
    return kept[1] if kept is not None and kept[0] == recipe().for_cuts else None


def cuts_final() -> bool:
    """Return whether the cut points are known and their choice was not stopped."""
    found = decided()
    return found is not None and found.status != "stopped"


def known_cuts() -> Cuts:
    """Return the cut points; empty if they are not known yet."""
    found = decided()
    return {} if found is None else found.cuts


def keep_cuts(new: Decided) -> Decided:
    """Remember what was decided about the recipe's columns."""
    if decided() != new:
        state.put(_CUTS, (recipe().for_cuts, new))
        state.pop(_DATASET)
    return new


def table_key() -> str:
    """Identify the raw table, for keys of widgets that depend on its columns."""
    now = recipe()
    repairs = [f"{crc32(repr(now.repairs).encode()):x}"] if now.repairs else []
    return " ".join([now.source, now.name, now.fingerprint[:8], *map(str, now.reading.values()), *repairs])


def key() -> str:
    """Identify the data set, for keys of widgets that depend on its columns; results have ``results.key_of``."""
    unfinished = "" if cuts_final() or not recipe().slow_cuts else repr(known_cuts())
    return repr(recipe()) + unfinished


def title() -> str:
    """Return the name of the data, safe for Markdown."""
    return escaped(recipe().title)


# The network that the data are known to come from, if there is one.

Edges = tuple[tuple[str, str], ...]
_TRUTH = "known_truth"
EXPECTED = "your expectation"  # the title of edges that were typed


class Reference(NamedTuple):
    """The network that the data are known to come from, or the edges that were expected."""

    name: str
    edges: Edges

    @property
    def either_way(self) -> frozenset[tuple[str, str]]:
        """The edges in both directions."""
        return frozenset(pair for one in self.edges for pair in (one, one[::-1]))


def keep_truth(graph: KnownGraph) -> None:
    """Remember a known network."""
    state.put(_TRUTH, graph)


def forget_truth() -> None:
    """Forget the network that was loaded."""
    state.pop(_TRUTH)


def loaded_truth() -> KnownGraph | None:
    """Return the network that was loaded; None if there is none."""
    held = state.get(_TRUTH)
    return held if isinstance(held, KnownGraph) else None


def reference(names: Sequence[str], of: bn.Recipe | None = None) -> Reference | None:
    """Return the known network with its edges among these variables; None if no network is known.

    It is that of the data in use, or of a lesson's data.

    A network that was loaded comes before the bundled network of the data. Edges of variables that the data do not have
    are left out; a network that shares fewer than two variables with the data is not theirs. An edge whose direction
    is open is there in both.
    """
    held, bundled, simulated = loaded_truth() if of is None else None, (of or recipe()).network, (of or recipe()).edges
    shared = set(names)
    if held is not None and len(set(held.names) & shared) >= 2:
        title, pairs = held.title, held.edges
    elif bundled is not None and len(set(_network(bundled)[0]) & shared) >= 2:
        title, pairs = bundled.upper(), _network(bundled)[1]
    elif simulated:
        title, pairs = (of or recipe()).title, simulated
    else:
        return None
    return Reference(title, tuple((a, b) for a, b in pairs if a in shared and b in shared))


@lru_cache(maxsize=4)
def _network(name: str) -> tuple[tuple[str, ...], Edges]:
    """Return the variables and edges of a bundled network, whose file takes longer to read than a page to draw."""
    found = bn.load_network(name)
    return tuple(found.names), tuple(found.edges)
