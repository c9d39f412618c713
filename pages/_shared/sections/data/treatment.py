"""The Data page's part on what is done to a table: missing cells, and how numbers are cut into states."""

import dataclasses
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.csv_export import csv_text
from bnengine.data.cuts import COLUMN_METHODS, numeric_columns
from bnengine.discretization.discretize import BY_SCORE
from bnengine.experiment.recipe import NO_DISCRETIZATION
from pages._shared import session, show
from pages._shared.figures.variables import cut_figure, states_figure
from pages._shared.format import escaped, short
from pages._shared.jobs import running
from pages._shared.jobs.background import Progress
from pages._shared.session import Key

CUTS = {
    "none": "leave as they are",
    "quantile": "cut: equally many rows a bin",
    "width": "cut: equally wide bins",
    "score": "cut: number of levels chosen by the score",
}
LIKE_THE_REST = "like the rest"
METHODS = {
    LIKE_THE_REST: LIKE_THE_REST,
    "none": "not cut",
    "quantile": "equally many rows",
    "width": "equally wide",
    "score": "by the score",
}
MISSING = {"drop_rows": "leave out the rows", "own_state": "make “missing” a state of its own"}
ABOUT_SCORE = (
    "Each number of levels and each cut is the one that describes the whole table most briefly, together with a graph "
    "learned by BIC (Friedman & Goldszmidt 1996). The cuts are chosen on these data and kept in every resample, so "
    "confidence in an edge does not include that choice."
)


@dataclasses.dataclass(frozen=True)
class Decided:
    """Cut points by column, whether the choice was stopped, and what was in its way."""

    cuts: Mapping[str, Sequence[float]]
    status: str
    problem: str = ""


def cuts_decided() -> bool:
    """Whether the cut points are at hand; while they are being chosen by the score, the page shows how far that is."""
    now = session.data.recipe()
    if not now.by_score or session.data.cuts_final():
        return True
    key, frame, heading = repr(session.data.cut_key()), session.data.frame(), st.empty()
    show.finding(f"Choosing the levels of **{escaped(now.title)}** by the score", heading)
    what = "steps of choosing the levels"
    decided = running.at_once("cuts", key, lambda tell: decide(now, frame, tell), what)
    if decided is None:
        return False
    heading.empty()
    session.data.keep_cuts(decided.cuts, decided.problem, final=decided.status != "stopped")
    return True


def decide(recipe: bn.Recipe, frame: pd.DataFrame, tell: Progress) -> Decided:
    """The recipe's cuts; a table that cannot be learned from has none."""
    answers: list[bool | None] = []

    def told(done: int, total: int) -> bool | None:
        answers.append(tell(done, total))
        return answers[-1]

    try:
        cuts = recipe.cuts(frame, told)
    except bn.DataError as error:
        return Decided({}, "refused", str(error))
    return Decided(cuts, "stopped" if False in answers else "converged")


def missing_control(frame: pd.DataFrame, now: bn.Recipe) -> str:
    """What is done with missing cells, where there are any."""
    n_missing = int(frame.isna().any(axis=1).sum())
    if not n_missing:
        return now.missing
    return st.radio(
        f"{n_missing:,} of {len(frame):,} rows have a missing cell",
        list(MISSING),
        index=list(MISSING).index(now.missing),
        format_func=MISSING.__getitem__,
        key=Key.of(Key.MISSING, session.data.table_key()),
    )


def cut_controls(frame: pd.DataFrame, now: bn.Recipe) -> tuple[str, int]:
    """How all numbers are cut that nothing else is said about."""
    if not can_be_cut(frame):
        return now.discretization, now.bins
    cut = st.selectbox(
        "numbers, unless chosen otherwise",
        list(CUTS),
        index=list(CUTS).index(now.discretization),
        format_func=CUTS.__getitem__,
        key=Key.of(Key.CUT, session.data.table_key()),
    )
    bins = now.bins
    if cut == BY_SCORE:
        show.note(ABOUT_SCORE, "by score")
    elif cut != NO_DISCRETIZATION:
        bins = st.slider("bins", 2, 10, min(now.bins, 10), key=Key.of(Key.BINS, session.data.table_key()))
    return cut, bins


def can_be_cut(frame: pd.DataFrame) -> list[str]:
    """The numeric columns with three values or more."""
    return [name for name in numeric_columns(frame) if frame[name].nunique() > 2]


def column_table(frame: pd.DataFrame, now: bn.Recipe) -> tuple[tuple[str, ...], ...]:
    """The columns that may be cut, one a line, each with a method and a number of bins of its own if wanted."""
    names = can_be_cut(frame)
    if not names:
        return now.per_column
    st.markdown("**Column by column**", help="How one column is cut, and into how many bins; then what came of it.")
    lines = decided_lines(frame, names, now)
    edited = st.data_editor(
        lines,
        hide_index=True,
        disabled=["variable", "states", "cut at"],
        column_config={
            "cut": st.column_config.SelectboxColumn("cut", options=list(METHODS.values()), required=True, width=130),
            "bins": st.column_config.NumberColumn(
                "bins", width=55, min_value=2, max_value=50, step=1, help="Not used where the score chooses."
            ),
            "states": st.column_config.NumberColumn("states", width=60),
        },
        height=min(38 + 35 * len(lines), 400),
        key=Key.of(Key.PER_COLUMN, session.data.table_key(), now.per_column),
    )
    st.download_button("Download the cuts", csv_text(lines), "cuts.csv", "text/csv", on_click="ignore")
    others = tuple(one for one in now.per_column if one[0] not in names)
    return others + treatments(edited, now)


def decided_lines(frame: pd.DataFrame, names: Sequence[str], now: bn.Recipe) -> pd.DataFrame:
    """One line a column: its method and bins, and what was decided."""
    special = {one[0]: one[1] for one in now.per_column}
    methods, bins = now.treatment(frame)
    cuts = session.data.known_cuts()
    lines = []
    for name in names:
        points = cuts.get(name)
        states = int(frame[name].nunique()) if points is None else len(points) + 1
        at = "" if points is None else ", ".join(short(point) for point in points)
        wanted = bins[name] if methods.get(name) in COLUMN_METHODS else None
        lines.append((name, METHODS[special.get(name, LIKE_THE_REST)], wanted, states, at))
    table = pd.DataFrame(lines, columns=["variable", "cut", "bins", "states", "cut at"])
    return table.astype({"bins": "Int64"})


def treatments(edited: pd.DataFrame, now: bn.Recipe) -> tuple[tuple[str, ...], ...]:
    """What an edited table says of each column that is treated otherwise than the rest."""
    words = {title: method for method, title in METHODS.items()}
    found: list[tuple[str, ...]] = []
    for name, title, bins in zip(edited["variable"], edited["cut"], edited["bins"], strict=True):
        otherwise = not pd.isna(bins) and int(bins) != now.bins
        method = words[title]
        if method == LIKE_THE_REST and otherwise:
            method = now.discretization  # the same cut, into another number of bins
        if method in COLUMN_METHODS and otherwise:
            found.append((str(name), method, str(int(bins))))
        elif words[title] != LIKE_THE_REST:
            found.append((str(name), method))
    return tuple(found)


def variable_picture(frame: pd.DataFrame) -> None:
    """One variable: its values before and after they are cut, or its states."""
    name = st.selectbox("look at", list(frame.columns), key=Key.of(Key.LOOK, session.data.table_key()))
    points = session.data.known_cuts().get(name)
    if points is not None:
        figure = cut_figure(frame[name], points, session.dark())
    else:
        figure = states_figure(frame[name].value_counts().head(40), session.dark())
    show.chart(figure, "variable_picture", f"Distribution of {name}")
