"""The session's table and its treatment before learning."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from zlib import crc32

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.columns import cut_at
from bnengine.data.repairs import Repair
from bnengine.data.rows_and_states import rows_where
from bnengine.discretization.discretize import Cuts
from bnengine.experiment.uploaded_table import UploadedTable
from bnengine.scores.dependence import Missingness
from pages.shared.format import escaped
from pages.shared.session import visits

FIRST_SAMPLE = "alarm_300"
UPLOADS, CONTENTS = "uploads", "contents"
_RECIPE, _DATASET, _CUTS, _CHOSEN, _FILES = "recipe", "dataset", "cuts", "chosen_edge", "files"
_NODE, _PAST, _UNDONE, _REPAIRED, _HOLES = "chosen_node", "past_recipes", "n_undone", "repaired", "missingness"
_MOST_UPLOADS, _MOST_PAST = 2, 50


def recipe() -> bn.Recipe:
    """Return the source of the session's data and their treatment; a sample on the first visit."""
    if _RECIPE not in st.session_state:
        st.session_state[_RECIPE] = bn.Recipe("sample", FIRST_SAMPLE)
    return st.session_state[_RECIPE]  # type: ignore[no-any-return]


def set_recipe(new: bn.Recipe) -> None:
    """Change the data or their treatment."""
    if new == recipe():
        _remember(new)
    else:
        past = st.session_state.setdefault(_PAST, [])
        if new.for_table != recipe().for_table:
            past.clear()
        else:
            st.session_state[_PAST] = [*past, recipe()][-_MOST_PAST:]
        _take(new)


def _take(new: bn.Recipe) -> None:
    _remember(new)
    st.session_state[_RECIPE] = new
    choose(None)


def _remember(new: bn.Recipe) -> None:
    if new.source == "file":
        st.session_state.setdefault(_FILES, {})[new.fingerprint] = new
        for store, key in ((UPLOADS, new.for_table), (CONTENTS, new.fingerprint)):
            if key in _stored(store):
                _stored(store).move_to_end(key)


def _stored(store: str) -> OrderedDict[Any, Any]:
    """Return uploaded tables by recipe (``for_table``), or files' bytes by fingerprint; those used last are kept."""
    if store not in st.session_state:
        first: OrderedDict[Any, Any] = OrderedDict()
        st.session_state[store] = first
        visits.share(store, first, first.clear)
    return st.session_state[store]  # type: ignore[no-any-return]


def keep_upload(new: bn.Recipe, content: bytes, arrival: UploadedTable) -> None:
    """Keep an uploaded file, and its table, read as the recipe says."""
    keep_last(CONTENTS, new.fingerprint, content)
    keep_last(UPLOADS, new.for_table, arrival)


def keep_last(store: str, key: Any, value: Any) -> None:
    """Keep a table or a file's bytes, and drop the oldest."""
    stored = _stored(store)
    stored[key] = value
    stored.move_to_end(key)
    while len(stored) > _MOST_UPLOADS:
        stored.popitem(last=False)


def uploaded_table(wanted: bn.Recipe) -> UploadedTable | None:
    """Return a file's table, read as the recipe says; None if it is not kept."""
    return _found(UPLOADS, wanted.for_table)  # type: ignore[no-any-return]


def uploaded_file(wanted: bn.Recipe) -> bytes | None:
    """Return the bytes of a recipe's file; None if they are not kept."""
    return _found(CONTENTS, wanted.fingerprint)  # type: ignore[no-any-return]


def _found(store: str, key: Any) -> Any:
    """Return what is kept here, or in the visitor's other tabs and on the page before it was loaded again.

    None if nothing.
    """
    return visits.found(store, _stored(store), key, partial(keep_last, store))


def can_undo() -> bool:
    """Return whether the treatment of this table was changed."""
    return bool(st.session_state.get(_PAST))


def undo() -> None:
    """Take the last change of the table's treatment back."""
    if can_undo():
        _take(st.session_state[_PAST].pop())
        st.session_state[_UNDONE] = n_undone() + 1


def n_undone() -> int:
    """Return how often a change was undone, for keys of widgets that must then start anew."""
    return int(st.session_state.get(_UNDONE, 0))


def other_files() -> list[bn.Recipe]:
    """Return the uploaded files that are kept while other data are in use, with their last treatment."""
    recipes: dict[str, bn.Recipe] = st.session_state.get(_FILES, {})
    return [recipes[key] for key in _stored(CONTENTS) if key in recipes and recipes[key] != recipe()]


def available(wanted: bn.Recipe) -> bool:
    """Return whether a recipe's table is here; only a file's may be missing, or have been read otherwise."""
    return wanted.source != "file" or uploaded_table(wanted) is not None


@st.cache_data(max_entries=24, show_spinner=False)
def _bundled(source: str, name: str, n_rows: int, seed: int) -> pd.DataFrame:
    return bn.Recipe(source, name, n_rows=n_rows, seed=seed).load()


@st.cache_data(max_entries=24, show_spinner=False)
def _bundled_described(source: str, name: str, n_rows: int, seed: int) -> pd.DataFrame:
    return bn.describe(_bundled(source, name, n_rows, seed))


def frame() -> pd.DataFrame:
    """Return the session's table with its repairs made; as it was read, if they do not fit it."""
    return _repaired()[0]


def _repaired() -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Return the repaired table, and its description where that is not the raw one's."""
    now = recipe()
    if not now.repairs:
        return raw(), None

    def repaired() -> tuple[pd.DataFrame, pd.DataFrame | None]:
        try:
            made = now.repaired(raw())
            return made, bn.describe(made)
        except bn.DataError:
            return raw(), None

    return _worked_out(_REPAIRED, (now.for_table, now.repairs), repaired)  # type: ignore[no-any-return]


def _worked_out(name: str, key: object, work: Callable[[], tuple[Any, ...]]) -> Any:
    """Return the results for a key, worked out anew where the last ones were for another."""
    kept = st.session_state.get(name)
    if kept is None or kept[0] != key:
        st.session_state[name] = kept = (key, *work())
    return kept[1:]


def proposals() -> tuple[Repair, ...]:
    """Return the repairs that are proposed for a file; a bundled table needs none."""
    now = recipe()
    return _stored(UPLOADS)[now.for_table].proposed if now.source == "file" else ()


def is_made(one: Repair, now: bn.Recipe) -> bool:
    """Return whether the recipe has a repair of that kind of that column."""
    if one.kind == "leave_out":
        return one.column in now.leave_out or bool(now.columns and one.column not in now.columns)
    return any(tuple(step[:2]) == (one.kind, one.column) for step in now.repairs)


def n_open_repairs() -> int:
    """Return how many proposed repairs are not made, of those that are sure."""
    now = recipe()
    return sum(one.is_sure and not is_made(one, now) for one in proposals())


def raw() -> pd.DataFrame:
    """Return the session's table as it was read."""
    now = recipe()
    if now.source != "file":
        return _bundled(now.source, now.name, now.n_rows, now.seed)
    return _stored(UPLOADS)[now.for_table].frame


def described() -> pd.DataFrame:
    """Return the description of the session's table, column by column."""
    now, known = recipe(), _repaired()[1]
    if known is not None:
        return known
    if now.source == "file":
        return _stored(UPLOADS)[now.for_table].described
    return _bundled_described(now.source, now.name, now.n_rows, now.seed)


def dataset() -> tuple[bn.Dataset | None, str]:
    """Return the session's data set, or None and the reason."""
    now = recipe()

    def prepared() -> tuple[bn.Dataset | None, str]:
        try:
            return now.prepare(frame(), cuts()), ""
        except bn.DataError as error:
            return None, str(error)

    return _worked_out(_DATASET, now, prepared)  # type: ignore[no-any-return]


def missingness() -> Missingness | None:
    """Return where the missing cells of the table in use are, before they are treated.

    None if none is missing, or its columns cannot be states yet.
    """
    now, points = recipe(), known_cuts()
    return _worked_out(_HOLES, (now, points), lambda: (_missingness(now, points),))[0]  # type: ignore[no-any-return]


def _missingness(now: bn.Recipe, points: Cuts) -> Missingness | None:
    table = frame()
    used = [name for name in now.used(table) if name not in (now.interventions, now.weights)]
    if not table[used].isna().to_numpy().any():
        return None
    try:
        rows = rows_where(table, [one for one in now.where if one[0] in table.columns])
        treated = cut_at(rows[used], points)
        if now.weights:
            treated = treated.assign(**{now.weights: rows[now.weights]})
        return bn.missingness(bn.Dataset.from_frame(treated, missing="keep", weights=now.weights or None))
    except ValueError:
        return None


def cuts() -> Cuts:
    """Return the cut points of the discretized columns.

    Raises
    ------
    DataError
        If the columns cannot be discretized.
    """
    if not cuts_known():
        keep_cuts(recipe().cuts(frame()))
    _, points, problem, _ = st.session_state[_CUTS]
    if problem:
        raise bn.DataError(problem)
    return points  # type: ignore[no-any-return]


def cuts_known() -> bool:
    """Return whether the cut points, or the reason for their absence, are known."""
    kept = st.session_state.get(_CUTS)
    return kept is not None and bool(kept[0] == cut_key())


def cuts_final() -> bool:
    """Return whether the cut points are known and their choice was not stopped."""
    return cuts_known() and bool(st.session_state[_CUTS][3])


def known_cuts() -> Cuts:
    """Return the cut points; empty if they are not known yet."""
    return st.session_state[_CUTS][1] if cuts_known() else {}


def keep_cuts(points: Cuts, problem: str = "", final: bool = True) -> None:
    """Remember the recipe's cut points, or the reason for their absence."""
    new = (cut_key(), points, problem, final)
    if st.session_state.get(_CUTS) != new:
        st.session_state[_CUTS] = new
        st.session_state.pop(_DATASET, None)


def cut_key() -> bn.Recipe:
    """Return the part of the recipe that the cut points depend on."""
    return recipe().for_cuts


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


def chosen_edge() -> tuple[str, str] | None:
    """Return the edge that was last clicked."""
    return st.session_state.get(_CHOSEN)


def clicked(chart: str) -> tuple[str, str] | None:
    """Return the two texts of the mark that was clicked in a chart, by the chart's key; None if none was."""
    points = st.session_state[chart].selection.points
    picked = [point["customdata"] for point in points if point.get("customdata")]
    return (str(picked[0][0]), str(picked[0][1])) if picked else None


def choose_clicked(chart: str) -> None:
    """Remember the edge that was clicked in a chart, by the chart's key; its marks carry (parent, child)."""
    picked = clicked(chart)
    if picked is not None:
        choose(picked)


def chosen_node() -> str | None:
    """Return the variable that was last clicked in a network, unless an edge was clicked after it."""
    return st.session_state.get(_NODE)


def choose(edge: tuple[str, str] | None = None, node: str | None = None) -> None:
    """Remember an edge, a variable, or neither."""
    for key, value in ((_CHOSEN, edge), (_NODE, node)):
        if value is None:
            st.session_state.pop(key, None)
        else:
            st.session_state[key] = value


def choose_in_network(view: str) -> None:
    """Remember what was clicked in a network's view, by the view's key: an edge's two names, a variable's, or none."""
    picked = [str(name) for name in st.session_state[view].picked or ()]
    choose((picked[0], picked[1]) if len(picked) == 2 else None, picked[0] if len(picked) == 1 else None)


def choose_row(table: str, edges: Sequence[tuple[str, str]]) -> None:
    """Remember the edge of the row that was chosen in a table, by the table's key; its rows are the edges."""
    rows = st.session_state[table].selection.rows
    choose(edges[rows[0]] if rows and rows[0] < len(edges) else None)
