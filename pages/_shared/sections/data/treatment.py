"""The treatment of a table: missing cells, and the discretization of numbers."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.cuts import COLUMN_METHODS, numeric_columns
from bnengine.discretization.discretize import BY_SCORE
from bnengine.experiment.recipe import NO_DISCRETIZATION
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.variables import cut_figure, states_figure
from pages._shared.format import escaped, short
from pages._shared.jobs import running
from pages._shared.jobs.background import Progress
from pages._shared.session import Key

LIKE_THE_REST = "Default"
#: Methods of discretization, as they are called.
METHODS = {"none": "Not discretized", "quantile": "Equal frequency", "width": "Equal width", "score": "By the score"}
COLUMN_TITLES = {LIKE_THE_REST: LIKE_THE_REST} | METHODS
MISSING = {"drop_rows": "Leave out these rows", "own_state": "Treat “missing” as a state of its own"}
ABOUT_SCORE = (
    "The number of states and the cut points minimize the description length of the whole table, together with a graph "
    "learned by BIC (Friedman & Goldszmidt 1996). They are chosen once and kept in every replicate, so confidence in "
    "an edge does not include the uncertainty of this choice."
)


@dataclasses.dataclass(frozen=True)
class Decided:
    """Cut points by column, whether the choice was stopped, and the reason if there are none."""

    cuts: Mapping[str, Sequence[float]]
    status: str
    problem: str = ""


def cuts_decided() -> bool:
    """Whether the cut points are available; while the score chooses them, the page shows the progress."""
    now = session.data.recipe()
    if not now.slow_cuts or session.data.cuts_final():
        return True
    key, frame, heading = repr(session.data.cut_key()), session.data.frame(), st.empty()
    show.finding(f"Choosing the states of **{escaped(now.title)}** by the score", heading)
    decided = running.at_once("cuts", key, lambda tell: decide(now, frame, tell), "steps of the discretization")
    if decided is None:
        return False
    heading.empty()
    session.data.keep_cuts(decided.cuts, decided.problem, final=decided.status != "stopped")
    return True


def decide(recipe: bn.Recipe, frame: pd.DataFrame, tell: Progress) -> Decided:
    """The recipe's cut points; none for a table that cannot be learned from."""
    answers: list[bool | None] = []

    def recorded(done: int, total: int) -> bool | None:
        answers.append(tell(done, total))
        return answers[-1]

    try:
        cuts = recipe.cuts(frame, recorded)
    except bn.DataError as error:
        return Decided({}, "refused", str(error))
    return Decided(cuts, "stopped" if False in answers else "converged")


def missing_control(frame: pd.DataFrame, now: bn.Recipe) -> str:
    """The treatment of missing cells, if there are any."""
    n_missing = int(frame.isna().any(axis=1).sum())
    if not n_missing:
        return now.missing
    return st.radio(
        f"{n_missing:,} of {len(frame):,} rows have missing cells",
        list(MISSING),
        index=list(MISSING).index(now.missing),
        format_func=MISSING.__getitem__,
        key=Key.of(Key.MISSING, session.data.table_key()),
    )


def discretization_controls(frame: pd.DataFrame, now: bn.Recipe) -> tuple[str, int]:
    """The default discretization of numeric columns."""
    if not can_be_cut(frame):
        return now.discretization, now.bins
    method = st.selectbox(
        "Discretization of numeric columns",
        list(METHODS),
        index=list(METHODS).index(now.discretization),
        format_func=METHODS.__getitem__,
        key=Key.of(Key.CUT, session.data.table_key()),
    )
    bins = now.bins
    if method == BY_SCORE:
        show.note(ABOUT_SCORE, "by score")
    elif method != NO_DISCRETIZATION:
        bins = st.slider("Number of bins", 2, 10, min(now.bins, 10), key=Key.of(Key.BINS, session.data.table_key()))
    return method, bins


def can_be_cut(frame: pd.DataFrame) -> list[str]:
    """The numeric columns with at least three values."""
    return [name for name in numeric_columns(frame) if frame[name].nunique() > 2]


def edited_table(lines: pd.DataFrame, editable: Sequence[str], titles: Mapping[str, Any], key: str) -> pd.DataFrame:
    """A table of which the ``editable`` columns can be changed, as it is after the changes."""
    return st.data_editor(
        lines,
        hide_index=True,
        disabled=[name for name in lines if name not in editable],
        column_config=show.columns(lines, titles),
        height=min(38 + 35 * len(lines), 400),
        key=key,
    )


def column_table(frame: pd.DataFrame, now: bn.Recipe) -> tuple[tuple[str, ...], ...]:
    """The numeric columns, one per row, each with its own method and number of bins if wanted."""
    names = can_be_cut(frame)
    if not names:
        return now.per_column
    st.markdown("**Column by column**", help="The discretization of each column, and the resulting states.")
    lines = decided_lines(frame, names, now)
    method = st.column_config.SelectboxColumn("Method", options=list(COLUMN_TITLES.values()), required=True, width=130)
    number = st.column_config.NumberColumn
    bins = number("Bins", width=60, min_value=2, max_value=50, step=1, help="Not used if the score chooses.")
    titles = {"cut": method, "bins": bins, "states": ("States", {"width": 65}), "cut at": "Cut points"}
    key = Key.of(Key.PER_COLUMN, session.data.table_key(), now.per_column)
    edited = edited_table(lines, ("cut", "bins"), titles, key)
    csv_button("Discretization", lines, "cuts.csv")
    others = tuple(one for one in now.per_column if one[0] not in names)
    return others + treatments(edited, now)


def decided_lines(frame: pd.DataFrame, names: Sequence[str], now: bn.Recipe) -> pd.DataFrame:
    """One row per column: its method and bins, and the resulting states."""
    special = {one[0]: one[1] for one in now.per_column}
    methods, bins = now.treatment(frame)
    cuts = session.data.known_cuts()
    lines = []
    for name in names:
        points = cuts.get(name)
        states = int(frame[name].nunique()) if points is None else len(points) + 1
        at = "" if points is None else ", ".join(short(point) for point in points)
        wanted = bins[name] if methods.get(name) in COLUMN_METHODS else None
        lines.append((name, COLUMN_TITLES[special.get(name, LIKE_THE_REST)], wanted, states, at))
    table = pd.DataFrame(lines, columns=["variable", "cut", "bins", "states", "cut at"])
    return table.astype({"bins": "Int64"})


def treatments(edited: pd.DataFrame, now: bn.Recipe) -> tuple[tuple[str, ...], ...]:
    """The columns of an edited table whose treatment differs from the default."""
    methods = {title: method for method, title in COLUMN_TITLES.items()}
    found: list[tuple[str, ...]] = []
    for name, title, bins in zip(edited["variable"], edited["cut"], edited["bins"], strict=True):
        other_bins = not pd.isna(bins) and int(bins) != now.bins
        method = methods[title]
        if method == LIKE_THE_REST and other_bins:
            method = now.discretization  # the same method with another number of bins
        if method in COLUMN_METHODS and other_bins:
            found.append((str(name), method, str(int(bins))))
        elif methods[title] != LIKE_THE_REST:
            found.append((str(name), method))
    return tuple(found)


def variable_picture(frame: pd.DataFrame) -> None:
    """One variable: its values before and after discretization, or its states."""
    name = st.selectbox("Distribution of", list(frame.columns), key=Key.of(Key.LOOK, session.data.table_key()))
    points, dark = session.data.known_cuts().get(name), session.dark()
    if points is not None:
        figure = cut_figure(frame[name], points, dark)
    else:
        figure = states_figure(frame[name].value_counts().head(40), dark)
    show.chart(figure, "variable_picture", f"Distribution of {name}")
