"""The treatment that all columns have unless their line says otherwise: missing cells, discretization of numbers."""

import dataclasses
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.cuts import numeric_columns
from bnengine.discretization.discretize import BY_INFORMATION, BY_SCORE
from bnengine.experiment.recipe_lists import NO_DISCRETIZATION
from pages._shared import session, show
from pages._shared.format import counted, escaped, percent
from pages._shared.jobs import running
from pages._shared.jobs.background import Progress
from pages._shared.sections.data.variable_table import METHODS
from pages._shared.session import Key

ABOUT_SCORE = (
    "The number of states and the cut points minimize the description length of the whole table, together with a graph "
    "learned by BIC (Friedman & Goldszmidt 1996). They are chosen once and kept in every replicate, so confidence in "
    "an edge does not include the uncertainty of this choice."
)
ABOUT_INFORMATION = (
    "Each column starts with 60 bins; the two neighbours whose merging loses least mutual information with the other "
    "columns are merged until the number of bins is reached (Hartemink 2001)."
)
MISSING = {
    "drop_rows": "Leave out these rows",
    "own_state": "Treat “missing” as a state of its own",
    "most_common": "Fill in the most common state",
}


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
    if session.data.cuts_known() and session.data.known_cuts() != decided.cuts:  # of a choice that was stopped
        session.jobs.end_all()
        session.results.forget_all()
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
    """The treatment of missing cells, if there are any; how many rows would be lost is said first."""
    lost = int(frame.isna().any(axis=1).sum())
    if not lost:
        return now.missing
    return st.radio(
        f"Missing cells in {lost:,} of {counted(len(frame), 'row')} ({percent(lost / len(frame))})",
        list(MISSING),
        index=list(MISSING).index(now.missing),
        format_func=MISSING.__getitem__,
        key=Key.of(Key.MISSING, session.data.table_key(), session.data.n_undone()),
    )


def discretization_controls(frame: pd.DataFrame, now: bn.Recipe) -> tuple[str, int]:
    """The default discretization of numeric columns."""
    if not can_be_cut(frame):
        return now.discretization, now.bins
    place = (session.data.table_key(), session.data.n_undone())
    method = st.selectbox(
        "Discretization of numeric columns",
        list(METHODS),
        index=list(METHODS).index(now.discretization),
        format_func=METHODS.__getitem__,
        key=Key.of(Key.CUT, *place),
    )
    bins = now.bins
    if method == BY_SCORE:
        show.note(ABOUT_SCORE, "by score")
    elif method != NO_DISCRETIZATION:
        bins = st.slider("Number of bins", 2, max(10, now.bins), now.bins, key=Key.of(Key.BINS, *place))
    if method == BY_INFORMATION:
        show.note(ABOUT_INFORMATION, "by information")
    return method, bins


def can_be_cut(frame: pd.DataFrame) -> list[str]:
    """The numeric columns with at least three values."""
    return [name for name in numeric_columns(frame) if frame[name].nunique() > 2]
