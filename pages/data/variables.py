"""The table of variables: which to use, their names, types and treatment, edited in place."""

from __future__ import annotations

import dataclasses
import re
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.columns import MOST_STATE_VALUES, measured_columns, numbers_of, numeric_columns
from bnengine.data.missing import OF_COLUMNS, TREATMENTS
from bnengine.data.repairs.cells import number_repair
from bnengine.data.rows_and_states import as_states
from bnengine.discretization.cut_points import COLUMN_METHODS, cut_points
from bnengine.discretization.discretize import BY_INFORMATION
from bnengine.experiment.column_lists import BY_HAND, KEPT, MOST_BINS, NO_DISCRETIZATION
from bnengine.plots.data import MOST_PATTERNS, MOST_VARIABLES, missing_figure
from bnengine.scores.missingness import Missingness
from bnengine.settings import setting_of
from pages.shared import in_use, show, state
from pages.shared.benchmark_results import on_missing_cells
from pages.shared.downloads import csv_button
from pages.shared.format import counted, escaped, listed, listed_apart, percent, sentence
from pages.shared.keys import Key
from pages.shared.typed_lists import plain_number
from pages.shared.widgets.choice import lazy_expander
from pages.shared.words import DATA as WORDS

# Where the missing cells are, what each way of learning would use, and whether holes depend on what is seen.

_MOST_NAMED = 6


def missing_cells() -> None:
    """Draw the section; nothing where no cell is missing."""
    found = in_use.missingness()
    if found is None or not found.missing.any():
        return
    holed = int((found.missing > 0).sum())
    cells, rows = counted(int(found.missing.sum()), "missing cell"), counted(found.n_rows - found.n_complete, "row")
    title = f"{cells} in {counted(holed, 'variable')} and {rows}"
    lazy_expander(title, "missing cells", ":material/grid_off:", partial(_missing, found, holed))


def _missing(found: Missingness, holed: int) -> None:
    left, right = st.columns([3, 2], gap="large")
    with left:
        alt = WORDS["missing_alt"].format(
            most=found.names[int(found.missing.argmax())], share=percent(float(found.shares.max()))
        )
        show.chart(missing_figure(found, state.dark()), "missing_cells", alt, caption=_caption(found, holed))
    with right:
        st.markdown("\n".join(f"- {escaped(text)}" for text in found.uses().values()))
        show.note(on_missing_cells(), "missing cells measured")
        if found.depends:
            st.warning(_warning(found), icon=":material/warning:")


def _caption(found: Missingness, holed: int) -> str:
    shown = min(len(found.patterns), MOST_PATTERNS)
    parts = [
        "Bars: the share of each variable's cells. Squares: which are missing together, one column per pattern with "
        f"its number of rows, the {shown} most frequent of {found.n_patterns:,}."
    ]
    if holed > MOST_VARIABLES:
        parts.append(f"The {MOST_VARIABLES} variables with most missing cells are drawn.")
    groups = [f"{listed([escaped(name) for name in names], 4)} ({n:,} rows)" for names, n in found.together]
    if groups:
        parts.append(f"Always missing together: {listed_apart(groups, 3)}.")
    return " ".join(parts)


def _warning(found: Missingness) -> str:
    """Name the dependences of holes on seen cells, and what follows."""
    first, *others = found.depends
    pairs = [f"{escaped(one.variable)} by {escaped(one.on)}" for one in others]
    also = (
        f" The same holds for {counted(len(pairs), 'more pair')}: {listed_apart(pairs, _MOST_NAMED)}." if pairs else ""
    )
    return (
        f"Whether a cell is missing depends on what is seen: {escaped(first.sentence)}.{also} Rows without holes are "
        f"then no random part of the table (G², {found.n_tests:,} pairs, family-wise level {percent(found.level)}). "
        "Whether it also depends on the missing state itself, no table shows; then every way may be biased."
    )


LIKE_THE_REST = "Default"
#: Methods of discretization, as they are called.
METHODS = setting_of(bn.Recipe, "discretization").choices
COLUMN_TITLES = {LIKE_THE_REST: LIKE_THE_REST, **METHODS, BY_HAND: "By hand"}
#: Methods with a number of bins.
WITH_BINS = (*COLUMN_METHODS, BY_INFORMATION)
MISSING = {key: TREATMENTS[key].brief.capitalize() for key in OF_COLUMNS}
DISCRETE, ORDINAL, MEASUREMENT, NUMBER = "Discrete", "Ordinal", "Measurement", "Number"
_REFUSED = "refused edit"
EDITABLE = ("use", "variable", "type", "fill", "cut", "bins", "cut at")
#: Pixels of a cell's edges, or of its title, and of a letter; letters of a name that are shown, the others by a click.
_EDGES, _LETTER, _LONGEST_SHOWN = 30, 7, 30
_HEADING = 12  # letters: "Variable" beside its icon
ABOUT_NUMBERS = WORDS["numbers"].format(most=MOST_STATE_VALUES)


class EditError(ValueError):
    """An edited cell that cannot be taken over; the message says why."""


def variable_table(frame: pd.DataFrame, described: pd.DataFrame, now: bn.Recipe) -> bn.Recipe:
    """Draw the table and return the recipe with what was edited."""
    lines = table_lines(frame, described, now)
    number, select = st.column_config.NumberColumn, st.column_config.SelectboxColumn
    longest = min(max(_HEADING, *map(len, lines.index)), _LONGEST_SHOWN)
    titles = {
        "use": st.column_config.CheckboxColumn("Use", pinned=True, width=55),
        "variable": st.column_config.TextColumn(
            "Variable", pinned=True, help="Type another name to rename it.", width=_EDGES + _LETTER * longest
        ),
        "type": select(
            "Type", options=[DISCRETE, ORDINAL, MEASUREMENT, NUMBER], required=True, help=WORDS["types"], width=105
        ),
        "missing": ("Missing", {"width": 70}),
        "fill": select("Missing cells", options=[LIKE_THE_REST, *MISSING.values()], width=115),
        "cut": select("Discretization", options=list(COLUMN_TITLES.values()), width=135),
        "bins": number(
            "Bins", width=75, min_value=2, max_value=MOST_BINS, step=1, help="Not used if the score chooses."
        ),
        "cut at": st.column_config.TextColumn("Cut points", help="Type other numbers to cut there: 18, 65."),
        "before": ("Values", {"width": 65, "help": "Number of distinct values in the table."}),
        "states": ("States", {"width": 65, "help": "Number of states after the treatment."}),
        "note": ("Note", {"width": 110, "help": WORDS["notes"]}),
    }
    n_refused, of, problem = state.get(_REFUSED) or (0, None, "")
    edited = st.data_editor(
        lines,
        hide_index=True,
        disabled=[name for name in lines if name not in EDITABLE],
        column_config=show.columns(lines, titles),
        height=min(38 + 35 * len(lines), 420),
        key=Key.of(Key.COLUMNS, in_use.table_key(), now, in_use.known_cuts(), n_refused),
        placeholder="",
    )
    if problem and of == now:
        st.error(f"{problem} The table is as it was before.")
    csv_button("Variables", lines, "variables.csv")
    try:
        return edited_recipe(frame, lines, edited, now)
    except ValueError as error:  # the table is drawn anew, without the edit
        state.put(_REFUSED, (n_refused + 1, now, sentence(error)))
        st.rerun()


def table_lines(frame: pd.DataFrame, described: pd.DataFrame, now: bn.Recipe) -> pd.DataFrame:
    """Tabulate one line per column of the raw table, indexed by its name: its use, name, type, treatment and states."""
    used, names = set(now.used(frame)), {one[0]: one[1] for one in now.renamed}
    numeric, special = set(numeric_columns(frame)), {one[0]: one[1] for one in now.per_column}
    kept = frame[[name for name in frame.columns if name in used]]
    (methods, bins), numbers = now.treatment(kept), now.kept_numbers(kept)
    special |= {name: "quantile" for name in now.joined if methods.get(name) == "quantile"}
    cuts, after, fill = in_use.known_cuts(), states_after(), {one[0]: one[1] for one in now.missing_in}
    kinds = (
        {one[0]: ORDINAL for one in now.states} | dict.fromkeys(numbers, NUMBER) | dict.fromkeys(methods, MEASUREMENT)
    )
    lines = []
    for one in described.itertuples():
        name, method = str(one.variable), methods.get(str(one.variable))
        points = cuts.get(name)
        by_number = name in numeric
        lines.append(
            {
                "use": name in used,
                "variable": names.get(name, name),
                "type": kinds.get(name, DISCRETE),
                "missing": one.missing,
                "fill": MISSING.get(fill.get(name, ""), LIKE_THE_REST) if one.missing else None,
                "cut": COLUMN_TITLES[special.get(name, LIKE_THE_REST)] if by_number and one.distinct > 2 else None,
                "bins": bins[name] if isinstance(method, str) and method in WITH_BINS else None,
                "cut at": None if points is None else ", ".join(f"{point:.12g}" for point in points),
                "before": one.distinct,
                "states": None if name in numbers else after.get(names.get(name, name)),
                "note": "" if one.note == "measured" and kinds.get(name) in (MEASUREMENT, NUMBER) else one.note,
            }
        )
    table = pd.DataFrame(lines, index=described["variable"].astype(str)).astype({"bins": "Int64", "states": "Int64"})
    hidden = [] if table["missing"].any() else ["missing", "fill"]
    hidden += [] if table["cut"].notna().any() else ["cut", "bins", "cut at"]
    return table.drop(columns=[*hidden, *([] if table["note"].any() else ["note"])])


def states_after() -> dict[str, int]:
    """Return the number of states of each variable of the data set; none if it cannot be learned from."""
    data, _ = in_use.dataset()
    return {} if data is None else dict(zip(data.names, data.arities.tolist(), strict=True))


def edited_recipe(frame: pd.DataFrame, lines: pd.DataFrame, edited: pd.DataFrame, now: bn.Recipe) -> bn.Recipe:
    """Return the recipe with the cells that differ between the table and the edited one; the same if none does.

    Raises
    ------
    EditError
        If an edited cell cannot be taken over.
    """
    changes = {
        name: [cell for cell in lines if not _same(lines.loc[name, cell], edited.loc[name, cell])]
        for name in edited.index
    }
    if not any(changes.values()):
        return now
    used = [name for name, use in zip(edited.index, edited["use"], strict=True) if use]
    if not used:
        raise EditError("keep at least one variable")
    numeric = numeric_columns(frame)
    special = {one[0]: tuple(one[1:]) for one in now.per_column}
    as_joined = {name for name, cells in changes.items() if not set(cells) & {"type", "cut", "bins", "cut at"}}
    parts: dict[str, dict[str, Any]] = {
        "fill": {one[0]: one[1] for one in now.missing_in},
        "names": {one[0]: one[1] for one in now.renamed},
        "states": {one[0]: tuple(one[1:]) for one in now.states},
    }
    for name, changed in changes.items():
        new = edited.loc[name]
        for cell in changed:
            to_cut = cell in ("cut", "bins", "cut at") or (cell == "type" and new[cell] in (MEASUREMENT, NUMBER))
            if to_cut and name not in numeric:
                return _read_as_numbers(frame[name], now, KEPT if new["type"] == NUMBER else "quantile")
            if cell in ("cut", "bins", "cut at"):
                _change(special, name, _treated(frame[name], new, cell, now))
            elif cell == "type":
                _change_type(special, parts["states"], frame[name], str(new["type"]), now)
            elif cell == "fill":
                policy = next((policy for policy, title in MISSING.items() if title == new["fill"]), None)
                if lines.loc[name, "type"] == NUMBER and policy not in (None, "drop_rows"):
                    raise EditError(
                        f"'{name}' is kept as numbers, which have no such state: cut it first, or leave out rows"
                    )
                _change(parts["fill"], name, policy)
            elif cell == "variable":
                title = str(new["variable"] or "").strip()
                _change(parts["names"], name, title if title and title != name else None)
    titles = [parts["names"].get(name, name) for name in used]
    if twice := [title for k, title in enumerate(titles) if title in titles[:k]]:
        raise EditError(f"two variables would be called '{twice[0]}'; give each its own name")
    as_before = not any("use" in changed for changed in changes.values())
    return dataclasses.replace(
        now,
        columns=now.columns if as_before else (),
        leave_out=now.leave_out if as_before else tuple(name for name in edited.index if name not in used),
        repairs=tuple(one for one in now.repairs if one[0] != "joined" or one[1] in as_joined),
        per_column=tuple((name, *how) for name, how in special.items()),
        missing_in=tuple(parts["fill"].items()),
        renamed=tuple(parts["names"].items()),
        states=tuple((name, *order) for name, order in parts["states"].items()),
    )


def _same(old: Any, new: Any) -> bool:
    return bool(pd.isna(old) and pd.isna(new)) or (not pd.isna(old) and not pd.isna(new) and bool(old == new))


def _change(held: dict[str, Any], name: str, value: Any) -> None:
    if value is None:
        held.pop(name, None)
    else:
        held[name] = value


def _treated(column: pd.Series[Any], new: Any, cell: str, now: bn.Recipe) -> tuple[str, ...] | None:
    """Return the treatment that an edited line asks for; None for that of the other columns."""
    method = next((method for method, title in COLUMN_TITLES.items() if title == new["cut"]), LIKE_THE_REST)
    bins = now.bins if pd.isna(new["bins"]) else int(new["bins"])
    if cell == "cut at":
        points = typed_points(str(column.name), "" if pd.isna(new["cut at"]) else str(new["cut at"]))
        return (BY_HAND, *points) if points else None
    if method == BY_HAND:
        first = typed_points(str(column.name), "" if pd.isna(new["cut at"]) else str(new["cut at"]))
        if cell == "bins" or not first:
            first = tuple(f"{point:.12g}" for point in cut_points(numbers_of(column), "quantile", bins))
        return (BY_HAND, *first)
    if cell == "bins" and (
        method == KEPT or (method == LIKE_THE_REST and (bins != now.bins or now.discretization == KEPT))
    ):
        method = now.discretization if now.discretization in WITH_BINS else "quantile"
    if method == LIKE_THE_REST:
        return None
    return (method, str(bins)) if method in WITH_BINS and bins != now.bins else (method,)


def _change_type(
    special: dict[str, Any], orders: dict[str, Any], column: pd.Series[Any], kind: str, now: bn.Recipe
) -> None:
    """Change the type of a column: whether it is kept or discretized, and whether its states have an order."""
    name = str(column.name)
    orders.pop(name, None)
    if kind == NUMBER:
        by_default = now.discretization == KEPT and bool(measured_columns(column.to_frame()))
        _change(special, name, None if by_default else (KEPT,))
        return
    if kind == MEASUREMENT:
        cut_by_default = now.discretization not in (NO_DISCRETIZATION, KEPT, "score") and column.nunique() > now.bins
        _change(special, name, None if cut_by_default else ("quantile",))
        return
    if name in numeric_columns(column.to_frame()):
        _change(special, name, (NO_DISCRETIZATION,))
    if kind == ORDINAL:
        orders[name] = tuple(as_states(column).cat.categories)


def _read_as_numbers(column: pd.Series[Any], now: bn.Recipe, how: str) -> bn.Recipe:
    """Return the recipe in which a column of text is read as numbers, and kept or discretized.

    Raises
    ------
    EditError
        If most of its cells are no numbers.
    """
    name = str(column.name)
    repair = number_repair(column)
    if repair is None:
        texts = [text[:30] for text in dict.fromkeys(column.dropna().astype(str))]
        raise EditError(
            f"'{name}' cannot be {'kept as numbers' if how == KEPT else 'discretized'}: most of its cells are no "
            f"numbers ({listed(texts, 3)})"
        )
    raw = in_use.raw()
    new = now.accepting(raw, [*now.repairs, repair.step])
    column_alone = new.repaired(raw)[[name]]
    if name in (new.kept_numbers(column_alone) if how == KEPT else new.treatment(column_alone)[0]):
        return new
    others = (one for one in new.per_column if one[0] != name)
    return dataclasses.replace(new, per_column=(*others, (name, how)))


def typed_points(name: str, text: str) -> tuple[str, ...]:
    """Return the cut points in a typed text, with commas, semicolons or blanks between them; none if it is empty.

    A comma between two digits is a decimal comma, unless a word has several; a text that is one such word may be one
    number or two, and is refused.

    >>> typed_points("age", "18, 65.5"), typed_points("age", "1,5; 2,5"), typed_points("age", "18,40,65")
    (('18', '65.5'), ('1.5', '2.5'), ('18', '40', '65'))
    """
    words = [word for word in re.split(r"[;\s]|,(?=[;\s,]|$)", text.strip()) if word]
    if len(words) == 1 and plain_number(words[0]) != words[0] and text.strip() == words[0]:
        one, other = plain_number(words[0]), words[0].replace(",", "; ")
        raise EditError(f"the cut points of '{name}' may be one or two: write {one} for one or {other} for two")
    words = [part for word in words for part in plain_number(word).split(",")]
    try:
        numbers = sorted({float(word) for word in words})
    except ValueError:
        raise EditError(f"the cut points of '{name}' must be numbers, such as 18, 65; got {text[:60]}") from None
    return tuple(f"{number:.15g}" for number in numbers)
