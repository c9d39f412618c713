"""The two answers about every edge: a picture, the table, and one sentence about the chosen edge."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.methods import first_shown
from bnengine.experiment.two_answers import TwoAnswers, two_answers
from bnengine.graphs.labels import short_labels
from bnengine.posterior import SampledPosterior
from pages._shared import session, show
from pages._shared.figures.methods import JOINS, LABELS, TITLES
from pages._shared.figures.two_answers import two_answers_figure
from pages._shared.jobs import posteriors
from pages._shared.sections.confidence.words import (
    ERROR_HELP,
    FOUND_AGAIN_HELP,
    REAL_HELP,
    SHARE_ERROR_HELP,
    counts_text,
    edge_sentence,
)
from pages._shared.session import Key

_ROWS = "answers"
_LONGEST = 16  # characters of a name in the table beside the picture


def shown_method(study: bn.Study) -> str:
    """The resampling method whose confidence is shown as *found again*: at first the best of those computed."""
    keys = [key for key in study.ensembles if key != "data"]
    chosen = session.values.get(Key.AVERAGED)
    return str(chosen) if chosen in keys else first_shown(keys or ["boot_bc"])


def both_answers(study: bn.Study, experiment: bn.Experiment, real: SampledPosterior | None) -> TwoAnswers:
    """Both answers about every edge of the kind that the experiment counts."""
    return two_answers(study, shown_method(study), experiment.kind, real)


def picture_and_table(study: bn.Study, answers: TwoAnswers) -> Any:
    """Picture and table side by side; returns the place of the picture if there is no posterior yet."""
    left, right = st.container(key=Key.wide("answers")).columns([4, 5], gap="medium")
    with right:
        answer_table(answers)
    with left:
        if not answers.known:
            return st.container()
        show.chart(
            two_answers_figure(answers, session.dark(), session.data.chosen_edge()),
            "two_answers",
            "Share of fresh tables in which each edge would be found again, against the probability that it is real",
            clickable=True,
        )
    show.note(chosen_sentence(study, answers), "chosen edge", small=False)
    show.note(
        f"{counts_text(answers)} Filled: in the graph learned from the data. Click a mark, or a row of the table, for "
        "its sentence.",
        "quadrants",
    )
    return None


def chosen_sentence(study: bn.Study, answers: TwoAnswers) -> str:
    """The chosen edge, or else the one on which the two answers differ most, in one sentence."""
    place = {name: v for v, name in enumerate(answers.names)}
    chosen = session.data.chosen_edge()
    if chosen is None or not set(chosen) <= set(place):
        chosen = most_different(answers)
        if chosen is None:
            return "No edge was found."
    i, j = place[chosen[0]], place[chosen[1]]
    either = None
    if answers.kind == "directed":
        either = two_answers(study, answers.method, "adjacency", posteriors.known_real(session.settings.experiment()))
    return edge_sentence(answers, i, j, either)


def most_different(answers: TwoAnswers) -> tuple[str, str] | None:
    """The edge on which the two answers differ most; None if there is no edge."""
    table = answers.table()
    if not len(table):
        return None
    difference = (table["found_again"] - table.get("real", 0.0)).abs()
    line = table.loc[difference.idxmax()]
    return str(line["parent"]), str(line["child"])


def answer_table(answers: TwoAnswers) -> None:
    """All edges with both answers; a chosen row is the chosen edge."""
    table = answers.table(0.01)
    pairs = list(zip(table["parent"], table["child"], strict=True))
    key = Key.table(_ROWS)
    shown = edges_in_one(table, JOINS[answers.kind], _LONGEST)
    show.table(
        shown,
        answer_titles(answers, shown) | {"in_data_graph": None},
        height=min(400, 38 + 35 * max(len(table), 1)),
        key=key,
        on_select=lambda: session.data.choose_row(key, pairs),
        selection_mode="single-row",
    )


def edges_in_one(table: pd.DataFrame, join: str, longest: int | None = None) -> pd.DataFrame:
    """The table with each edge in one column; in a narrow place, names have no more than ``longest`` characters."""
    ends = table[["parent", "child"]].astype(str)
    if longest is not None:
        short = short_labels(ends.to_numpy().ravel().tolist(), longest)
        ends = ends.apply(lambda column: column.map(short))
    edges = ends["parent"] + f" {join} " + ends["child"]
    shown = table.drop(columns=["parent", "child"])
    shown.insert(0, "edge", edges)
    return shown


def answer_titles(answers: TwoAnswers, shown: pd.DataFrame) -> dict[str, Any]:
    """Titles of the columns with the answers, each named with its method; the edges shown set the first one's width."""
    exact = answers.real_error is None or not answers.real_error.any()
    return {
        "edge": ("Edge", {"width": int(np.clip(20 + 7 * max(map(len, shown["edge"]), default=0), 122, 400))}),
        **found_again_titles(answers.method),
        "real": ("Real", {"help": REAL_HELP, "width": 52, "format": "%.2f"}),
        "real_error": None if exact else error_title(ERROR_HELP),
        "in_data_graph": ("Learned", {"help": "In the graph learned from the data.", "width": 70}),
    }


def found_again_titles(method: str) -> dict[str, Any]:
    """Titles of the columns with the share of replicates and its Monte Carlo standard error."""
    about = f"{FOUND_AGAIN_HELP} By: {TITLES[method]}."
    return {
        "found_again": ("Found again", {"help": about, "width": 88, "format": "%.2f"}),
        "found_again_error": error_title(SHARE_ERROR_HELP),
    }


def error_title(about: str) -> Any:
    """Title of a column with the errors of the column to its left."""
    return "±", {"help": about, "width": 52, "format": "%.3f"}


def method_titles(study: bn.Study) -> dict[str, str]:
    """The methods that can be shown as *found again*."""
    return {key: LABELS[key] for key in study.ensembles if key != "data"}
