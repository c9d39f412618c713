"""The two answers about every edge: a picture, the table, and one sentence about the chosen edge."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from bnengine.answers.edge_answers import EdgeAnswers, two_answers
from bnengine.answers.rows_needed import RowsNeeded
from bnengine.answers.thresholds import again_remark, ends_sentence, real_remark
from bnengine.bootstrap.resampling_methods import JOINS, LABELS, TITLES, first_shown
from bnengine.experiment.learning import python_real
from bnengine.plots.confidence import two_answers_figure
from bnengine.plots.curves import Curve, Mark, curves_figure
from bnengine.plots.palette import ink, series
from bnengine.posterior import EdgePosterior
from bnengine.settings import setting_of
from bnengine.text import short_labels
from pages.shared import experiments, in_use, settings, show, state
from pages.shared.downloads import take_away
from pages.shared.format import escaped, probability, share
from pages.shared.keys import Key, persistent
from pages.shared.widgets.choice import choice, declared, lazy_expander_for

# How many rows each edge would need to be found again: a curve for the network and for one edge, and the table.

#: Shares of fresh tables to choose from.
_WANTED = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


@lazy_expander_for("How many rows would I need?", "rows_needed", ":material/table_rows:")
def rows_needed(experiment: bn.Experiment, data: bn.Dataset) -> None:
    """Show the answer, worked out after a click."""
    posterior = experiments.stored_posterior(experiment, data)
    if posterior is None or not posterior.n_graphs:
        st.caption("This follows once it is known which edges are real: fresh tables are drawn from such networks.")
        return
    found = experiments.rows_needed_of(experiment, data, posterior)
    if found is None:
        return
    if not len(found.sizes):
        st.warning("Stopped before the first size of table was done.")
        return
    head, picture, controls = st.container(), st.container(), st.columns(2)
    wanted = controls[0].select_slider(
        "Found again in", _WANTED, 0.8, share, **persistent(Key.ROWS_WANTED), help="This share of fresh tables."
    )
    found = dataclasses.replace(found, wanted=wanted)
    table = found.table()
    pairs = [(parent, child) for parent, child in zip(table["parent"], table["child"], strict=True)]
    titles: dict[tuple[str, str] | None, str] = {
        None: "All edges together",
        **{pair: " – ".join(pair) for pair in pairs},
    }
    edge = choice("Edge", titles, Key.ROWS_EDGE, controls[1])
    show.note(escaped(found.sentence), "rows needed", head, small=False)
    show.chart(
        rows_figure(found, edge),
        "rows needed",
        "Share of fresh tables in which edges are found again, by the number of rows",
        picture,
        caption=f"Dashed: your {data.n_rows:,} rows; to the right of it all is extrapolated from them. Dotted: the "
        f"share that you ask for. {found.tables.min()} to {found.tables.max()} fresh tables of each size, drawn from "
        "networks that your data leave possible; the bars are their Monte Carlo error. "
        "The curve of an edge that your rows hardly show is too low."
        + (" The networks are those of one draw of your missing cells." if found.missing else ""),
    )
    columns = ["parent", "child", "found_again", "rows", "fewest", "most"]
    titles_of_columns = {
        "found_again": "Now",
        "rows": ("Rows needed", 0),
        "fewest": ("At least", 0),
        "most": ("At most", 0),
    }
    shown = table[columns].rename(columns={"parent": "first", "child": "second"})
    show.edge_rows(table, Key.table("rows_needed"), 280, titles_of_columns, shown=shown)
    take_away(
        ("Rows needed", table, "rows_needed.csv"),
        ("Curves", found.curves(), "found_again_by_rows.csv"),
        code=experiment.python_data()
        + python_real(experiment, data)
        + f"needed = bn.rows_needed(data, {experiment.python_score()}, bn.{experiment.search!r}, {wanted},\n"
        + f"                        bn.{experiment.constraints!r}, graphs=posterior,\n"
        + f"                        rng={experiment.seed}{experiment.python_ties})\n"
        + "print(needed.sentence)\nprint(needed.table())\n",
    )


def rows_figure(found: RowsNeeded, edge: tuple[str, str] | None) -> go.Figure:
    """Draw the share found again against the rows: the mean over the network's edges, and one edge's own."""
    dark, whole, curves = state.dark(), found.network_curve(), found.curves()
    hover = "%{x:,} rows: %{y:.0%}"
    lines = [Curve("mean of the network's edges", whole["rows"], whole["found_again"], ink(dark), hover=hover)]
    if edge is not None:
        own: pd.DataFrame = curves[(curves["parent"] == edge[0]) & (curves["child"] == edge[1])]
        lines.append(
            Curve(" – ".join(edge), own["rows"], own["found_again"], series(dark)[1], hover=hover, errors=own["error"])
        )
    marks = [Mark(found.n_rows, "your rows")]
    ticks = found.sizes.tolist()
    return curves_figure(
        lines, dark, "rows", "found again", log_x=True, y_range=(0, 1.03), marks=marks, level=found.wanted, ticks=ticks
    )


# The two answers about an edge in words: which question each number answers, and by which method.

FOUND_AGAIN_HELP = (
    "Would it be found again? Estimate of the inclusion probability π: the share of fresh tables of this size from "
    "which this search with this score would learn the edge."
)
REAL_HELP = (
    "Is it real? How probably the edge is in the network that the data came from, whatever your score and search: the "
    "mean of the posterior and of bias-corrected posteriors of resamples, under BDeu(1) and BDeu(10). It takes for "
    "granted that no common cause was left unmeasured. " + ends_sentence()
)
ERROR_HELP = (
    "Standard error of that probability: what another run with another seed would change. It "
    "is 0 where the posterior was summed exactly, up to about 24 variables, or constraints decide. It comes from "
    "chains with different starts and candidate parents; it does not cover what all of them miss, nor whether score, "
    "prior and data suit the question."
)
SHARE_ERROR_HELP = "Monte Carlo standard error of the share, from the number of replicates."


_ONE_DIRECTION = "This is one direction; the verdict on the pair stands in the first view."


def edge_sentence(answers: EdgeAnswers, i: int, j: int) -> str:
    """Say both answers about an edge of this kind."""
    text = f"**{name_of(answers, i, j)}**: would be found again in {share(float(answers.found_again[i, j]))} of fresh "
    text = f"{text}tables ({TITLES[answers.method]})"
    if answers.real is None or answers.real_error is None:
        return f"{text}."
    probable = float(answers.real[i, j])
    real = probability(probable, float(answers.real_error[i, j]))
    remark = "" if answers.kind == "adjacency" else f" {_ONE_DIRECTION}"
    return f"{text}; real with probability {real} (posterior).{remark}"


def how_right(answers: EdgeAnswers, i: int, j: int) -> str:
    """Say how right such numbers were where the truth is known; empty for what was not measured."""
    if answers.kind != "adjacency":
        return ""
    told = [again_remark(answers.method, answers.score, float(answers.found_again[i, j]))]
    if answers.real is not None:
        told.append(real_remark(float(answers.real[i, j])))
    return " ".join(filter(None, told))


def real_sentence(answers: EdgeAnswers, i: int, j: int) -> str:
    """Say how probably an edge is real; empty without a posterior."""
    if answers.real is None or answers.real_error is None:
        return ""
    real = float(answers.real[i, j])
    text = f"Real with probability {probability(real, float(answers.real_error[i, j]))} (posterior)."
    return f"{text} {real_remark(real)}" if answers.kind == "adjacency" else text


def name_of(answers: EdgeAnswers, i: int, j: int) -> str:
    """Name an edge by its variables, safe for Markdown."""
    return f"{escaped(answers.names[i])} {JOINS[answers.kind]} {escaped(answers.names[j])}"


#: The adjacencies of a known network, if it is laid over a picture.
Known = frozenset[frozenset[str]] | None
_LONGEST = 16  # characters of a name in the table beside the picture


def both_answers(study: bn.Study, experiment: bn.Experiment, real: EdgePosterior | None) -> EdgeAnswers:
    """Return both answers about every edge of the kind that the experiment counts."""
    return two_answers(study, settings.shown_method(study), experiment.kind, real)


def picture_and_table(answers: EdgeAnswers) -> None:
    """Show found again against real, and the table beside it."""
    known = known_over(answers.names)
    left, right = st.container(key=Key.wide("answers")).columns([4, 5], gap="medium")
    with right:
        answer_table(answers)
    with left:
        if answers.has_posterior:
            show.chart(
                two_answers_figure(answers, state.dark(), state.chosen_edge(), known),
                "two_answers",
                "Share of fresh tables in which each edge is found again, against the probability that it is real",
                clickable=True,
            )
        else:
            st.caption("The picture follows once it is known which edges are real.")
    edge = chosen_or_most_different(answers)
    show.note("No edge was found." if edge is None else edge_sentence(answers, *edge), "chosen edge", small=False)
    if edge is not None and how_right(answers, *edge):
        show.note(how_right(answers, *edge), "how right")
    crosses = about_crosses(known)
    show.note(
        f"Filled: in the graph learned from the data.{crosses} Click a mark, or a row of the table, for its sentence.",
        "quadrants",
    )


def known_over(names: Sequence[str], place: Any = None) -> Known:
    """Let the visitor lay the known network, if there is one, over the pictures; return its adjacencies if so."""
    truth = in_use.true_edges(names)
    if truth is None or not (place or st).toggle(
        f"Lay the known network over it ({escaped(truth[0])})",
        **persistent(Key.TRUTH_OVER),
        help="Colours then say which adjacencies the network has that the data are known to come from.",
    ):
        return None
    return frozenset(frozenset(edge) for edge in truth[1])


def about_crosses(known: Known) -> str:
    """Say what crosses mean, where a known network is laid over the picture."""
    return "" if known is None else " Crosses: not adjacent in the known network."


def chosen_or_most_different(answers: EdgeAnswers) -> tuple[int, int] | None:
    """Return the chosen edge, or else the one on which the two answers differ most; None if there is none."""
    place = {name: v for v, name in enumerate(answers.names)}
    chosen = state.chosen_edge()
    if chosen is None or not set(chosen) <= set(place):
        chosen = most_different(answers)
    return None if chosen is None else (place[chosen[0]], place[chosen[1]])


def most_different(answers: EdgeAnswers) -> tuple[str, str] | None:
    """Return the edge on which the two answers differ most; None if there is no edge."""
    table = answers.table()
    if not len(table):
        return None
    difference = (table["found_again"] - table.get("real", 0.0)).abs()
    line = table.loc[difference.idxmax()]
    return str(line["parent"]), str(line["child"])


def answer_table(answers: EdgeAnswers) -> None:
    """Show all edges with both answers; a chosen row is the chosen edge."""
    table = answers.table(0.01)
    shown = edges_in_one(table, JOINS[answers.kind], _LONGEST)
    titles = answer_titles(answers, shown) | {"in_data_graph": None}
    show.edge_rows(table, Key.table("answers"), 400, titles, shown=shown)


def edges_in_one(table: pd.DataFrame, join: str, longest: int | None = None) -> pd.DataFrame:
    """Return the table with each edge in one column.

    In a narrow place, names have no more than ``longest`` characters.
    """
    ends = table[["parent", "child"]].astype(str)
    if longest is not None:
        short = short_labels(ends.to_numpy().ravel().tolist(), longest)
        ends = ends.apply(lambda column: column.map(short))
    edges = ends["parent"] + f" {join} " + ends["child"]
    shown = table.drop(columns=["parent", "child"])
    shown.insert(0, "edge", edges)
    return shown


def answer_titles(answers: EdgeAnswers, shown: pd.DataFrame) -> dict[str, Any]:
    """Return the titles of the columns with the answers, each named with its method.

    The edges shown set the first one's width.
    """
    exact = answers.real_error is None or not answers.real_error.any()
    return {
        "edge": ("Edge", {"width": int(np.clip(20 + 7 * max(map(len, shown["edge"]), default=0), 122, 400))}),
        **found_again_titles(answers.method),
        "real": ("Real", {"help": REAL_HELP, "width": 52, "format": "%.2f"}),
        "real_error": None if exact else error_title(ERROR_HELP),
        "in_data_graph": ("Learned", {"help": "In the graph learned from the data.", "width": 70}),
    }


def found_again_titles(method: str) -> dict[str, Any]:
    """Return the titles of the columns with the share of replicates and its Monte Carlo standard error."""
    about = f"{FOUND_AGAIN_HELP} By: {TITLES[method]}."
    return {
        "found_again": ("Found again", {"help": about, "width": 88, "format": "%.2f"}),
        "found_again_error": error_title(SHARE_ERROR_HELP),
    }


def error_title(about: str) -> Any:
    """Return the title of a column with the errors of the column to its left."""
    return "±", {"help": about, "width": 52, "format": "%.3f"}


def found_again_by(study: bn.Study, place: Any = None) -> None:
    """Let the visitor choose the method whose confidence is shown as *found again*, once all methods are known."""
    titles = method_titles(study)
    if not set(settings.experiment().methods_run) <= {*titles, "data"}:
        return
    choice("Found again by", titles, Key.AVERAGED, place, first=first_shown(list(titles)), help=FOUND_AGAIN_HELP)


def what_counts(place: Any = None) -> None:
    """Let the visitor choose what counts as an edge."""
    declared(
        setting_of(bn.Experiment, "kind"),
        place=place,
        help="If equivalent graphs have equal scores, the data cannot determine the direction of a reversible edge: "
        "each replicate draws it, unless ties are broken in column order, and both directions get a confidence of "
        "about one half. An adjacency counts an edge in either direction. A compelled edge counts only if all "
        "equivalent graphs agree on its direction.",
    )


def method_titles(study: bn.Study) -> dict[str, str]:
    """Return the methods that can be shown as *found again*."""
    return {key: LABELS[key] for key in study.ensembles if key != "data"}
