"""Views of the confidences: both answers, the network, Figure 1, overstated edges, numbers of edges, spurious edges."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.spurious_edges import pooled_above
from bnengine.experiment.two_answers import TwoAnswers
from pages._shared import session, show
from pages._shared.downloads import csv_button, take_away
from pages._shared.figures.confidence import figure1_panel, figure1_panels
from pages._shared.figures.edge_counts import all_edge_counts_figure
from pages._shared.figures.methods import JOINS, LABELS, TITLES
from pages._shared.figures.overstated import FIRST, MOST, SURE, overstated_figure
from pages._shared.figures.spurious import in_degree_figure, spurious_figure
from pages._shared.format import counted, escaped, percent
from pages._shared.sections.confidence.answers import picture_and_table
from pages._shared.sections.confidence.words import real_sentence
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice, tabs
from pages._shared.widgets.later import by_itself

VIEWS = {
    "answers": "Two answers",
    "network": "Network",
    "figure1": "Figure 1",
    "overstated": "Overstated edges",
    "counts": "Numbers of edges",
    "spurious": "Spurious edges",
}


def views(study: bn.Study, answers: TwoAnswers, network: Callable[[], None]) -> Any:
    """The views of the confidences; returns the place for the posterior's progress.

    While there is no posterior, its progress may be inside a view, which then cannot be drawn by itself. ``network``
    draws the view of the network.
    """
    if not answers.known:
        return view(study, answers, network)
    _view(study, answers, network)
    return st.container()


@by_itself
def _view(study: bn.Study, answers: TwoAnswers, network: Callable[[], None]) -> None:
    view(study, answers, network)


def view(study: bn.Study, answers: TwoAnswers, network: Callable[[], None]) -> Any:
    """The chosen picture, and the two methods that it compares; returns the place for the posterior's progress."""
    left, right = st.columns([3, 1], gap="small", vertical_alignment="center")
    chosen = tabs("View", VIEWS, Key.CONFIDENCE_VIEW, left)
    if chosen == "answers":
        return picture_and_table(study, answers) or st.container()
    if chosen == "network":
        network()
    elif chosen == "counts":
        counts(study)
    elif chosen == "spurious":
        spurious(study)
    else:
        (overstated if chosen == "overstated" else figure1)(study, *pair(study, right), answers)
    return st.container()


def pair(study: bn.Study, place: "st.delta_generator.DeltaGenerator") -> tuple[str, str]:
    """The two methods to compare; at first the naive and the corrected bootstrap."""
    keys = [key for key in study.ensembles if key != "data"]
    if len(keys) < 2:
        return keys[0] if keys else "boot", "boot_bc"
    titles = {key: LABELS[key] for key in keys}
    with place.popover("Methods compared", width="stretch"):
        naive = choice("This method", titles, Key.NAIVE_METHOD, first="boot")
        corrected = choice("Compared with", titles, Key.FAIR_METHOD, first="boot_bc")
    return naive, corrected


def figure1(study: bn.Study, naive: str, corrected: str, answers: TwoAnswers) -> None:
    """Figure 1, and the confidences of the edge that was clicked."""
    kind = answers.kind
    panels, chosen = figure1_panels(study, corrected, naive), session.data.chosen_edge()
    for column, (x_key, y_key) in zip(st.columns(max(len(panels), 1), gap="small"), panels, strict=False):
        show.chart(
            figure1_panel(study, x_key, y_key, session.dark(), chosen, kind),
            f"figure1 {x_key} {y_key}",
            f"Confidence of each edge by {TITLES[y_key]} against {TITLES[x_key]}",
            column,
            clickable=True,
            square=True,
        )
    table = study.edge_table(kind)
    line = table[(table["parent"] == chosen[0]) & (table["child"] == chosen[1])] if chosen else table.head(0)
    if len(line):
        i, j = (answers.names.index(str(line.iloc[0][end])) for end in ("parent", "child"))
        real = f" {real_sentence(answers, i, j)}" if answers.known else ""
        show.note(f"{edge_sentence(line.iloc[0], study, kind)}{real}", "chosen edge", small=False)
        return
    own = (
        "Confidences on the given data are shares of repeated runs."
        if "data" in study.ensembles
        else "Confidences on the given data are 0 or 1; their marks are spread sideways."
    )
    of_directed = "" if kind == "directed" else " The numbers of edges above count directed edges."
    st.caption(
        "One mark per edge: point at it for its name, or click it to keep its confidences. Above the dotted diagonal, "
        "the vertical method is more confident. Dashed lines: thresholds that keep as many edges as the method's "
        f"graphs have on average. {own}{of_directed}"
    )


def edge_sentence(line: "pd.Series[object]", study: bn.Study, kind: str) -> str:
    """One edge's confidences with their Monte Carlo errors."""
    found = "in" if line["in_data_graph"] else "not in"
    i, j = (study.reference.names.index(str(line[end])) for end in ("parent", "child"))
    shares = ", ".join(
        f"{TITLES[key]} {study.confidence(key, kind)[i, j]:.2f} ± {study.standard_error(key, kind)[i, j]:.2f}"
        for key in study.ensembles
    )
    edge = f"**{escaped(str(line['parent']))} {JOINS[kind]} {escaped(str(line['child']))}**"
    return f"{edge}, {found} the graph learned from the data. Confidence: {shares}."


def overstated(study: bn.Study, naive: str, corrected: str, answers: TwoAnswers) -> None:
    """The difference in confidence between two methods for each edge."""
    kind = answers.kind
    table = study.overstated(naive, corrected, kind) if {naive, corrected} <= set(study.ensembles) else None
    if table is None or not len(table):
        st.info("Run two methods to compare them." if table is None else "Neither method found an edge.")
        return
    higher, lower = (int((sign * table["difference"] > SURE * table["standard_error"]).sum()) for sign in (1, -1))
    alt = f"Confidence of each edge by {TITLES[naive]} and by {TITLES[corrected]}, by the difference"
    place = st.container()
    more = len(table) > FIRST and st.toggle(f"Show {min(MOST, len(table))} edges", **kept(Key.OVERSTATED_MORE))
    most = MOST if more else FIRST
    show.chart(overstated_figure(table, naive, corrected, kind, session.dark(), most), "overstated", alt, place)
    drawn = f" The {most} most overstated edges are drawn." if most < len(table) else ""
    show.note(
        f"By more than two standard errors of the replicates (bars), the {TITLES[naive]} is more confident than the "
        f"{TITLES[corrected]} of {higher} of {counted(len(table), 'edge')}, less confident of {lower}.{drawn}",
        "overstated",
    )
    csv_button("All differences", answers.beside(table), "overstated.csv")


def counts(study: bn.Study) -> None:
    """The distribution of the number of edges, one row per method."""
    show.chart(
        all_edge_counts_figure(study, session.dark()),
        "all_counts",
        "Distribution of the number of edges for each method",
        caption="Distribution of the number of edges; each row is scaled to its highest bar.",
    )
    columns = ("edges", "edge_counts"), ("replicates", "multiplicities")
    table = pd.concat(
        pd.DataFrame({"method": key, **{name: getattr(ensemble, values) for name, values in columns}})
        for key, ensemble in study.ensembles.items()
    )
    csv_button("Numbers of edges", table, "numbers_of_edges.csv")


def spurious(study: bn.Study) -> None:
    """Where spurious edges point."""
    table, degrees = bn.teaching.spurious_edges(study), bn.teaching.in_degrees(study)
    keys = [key for key in ("boot_bc", "boot") if key in study.ensembles]
    left, right = st.columns(2, gap="medium")
    alt = "Share of spurious edges by the number of other parents of the child"
    show.chart(spurious_figure(table, session.dark()), "spurious", alt, left)
    show.note(
        f"An edge is spurious if its variables are not adjacent in the graph learned from the data.{shares(table)} "
        "Larger marks represent more edges. A family with more parameters gains more from spurious dependence (Section "
        "3.2), but is also penalized more.",
        "spurious",
        left,
    )
    show.chart(
        in_degree_figure(degrees, keys, session.dark()),
        "in_degree",
        "Mean number of parents of each variable against that in the graph learned from the data",
        right,
        caption="One mark per variable and method. Above the dotted line: more parents than with the given data.",
    )
    take_away(("Spurious edges", table, "spurious.csv"), ("Numbers of parents", degrees, "parents.csv"))


def shares(table: pd.DataFrame) -> str:
    """The share of spurious edges among the naive bootstrap's, by the number of other parents of the child."""
    words = {0: "if the child has no other parent", 1: "with one", 2: "with two or more"}
    parts = [
        f"{percent(line.share)} {words[int(line.other_parents)]}" for line in pooled_above(table, "boot").itertuples()
    ]
    return f" Naive bootstrap: {', '.join(parts)}." if parts else ""
