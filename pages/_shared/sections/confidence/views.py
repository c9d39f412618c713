"""The Confidence page's picture, seen four ways: Figure 1, over-stated edges, numbers of edges, spurious edges."""

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.spurious_edges import pooled_above
from pages._shared import session, show
from pages._shared.downloads import csv_button, take_away
from pages._shared.figures.confidence import JOINS, figure1_panel, figure1_panels
from pages._shared.figures.edge_counts import all_edge_counts_figure
from pages._shared.figures.methods import TITLES
from pages._shared.figures.overstated import MOST, overstated_figure
from pages._shared.figures.spurious import in_degree_figure, spurious_figure
from pages._shared.format import counted, escaped, percent
from pages._shared.session import Key
from pages._shared.widgets.choice import choice, tabs

VIEWS = {
    "figure1": "Figure 1",
    "overstated": "over-stated edges",
    "counts": "numbers of edges",
    "spurious": "spurious edges",
}


def view(study: bn.Study, kind: str) -> None:
    """The picture that was chosen, and the two methods that it compares."""
    left, right = st.columns([5, 2], gap="small", vertical_alignment="center")
    chosen = tabs("picture", VIEWS, Key.CONFIDENCE_VIEW, left, first="figure1")
    naive, corrected = pair(study, right) if chosen in ("figure1", "overstated") else ("boot", "boot_bc")
    if chosen == "overstated":
        overstated(study, naive, corrected, kind)
    elif chosen == "counts":
        counts(study)
    elif chosen == "spurious":
        spurious(study)
    else:
        figure1(study, naive, corrected, kind)


def pair(study: bn.Study, place: "st.delta_generator.DeltaGenerator") -> tuple[str, str]:
    """Which method is held against which; the naive bootstrap against the corrected one at first."""
    keys = [key for key in study.ensembles if key != "data"]
    if len(keys) < 2:
        return keys[0] if keys else "boot", "boot_bc"
    titles = {key: TITLES[key] for key in keys}
    with place.popover("Methods compared", width="stretch"):
        naive = choice("this method", titles, Key.NAIVE_METHOD, first="boot")
        corrected = choice("against this one", titles, Key.FAIR_METHOD, first="boot_bc")
    return naive, corrected


def shares(table: pd.DataFrame) -> str:
    """What share of the naive bootstrap's edges is spurious, by the other parents of the child."""
    lines = pooled_above(table, "boot")
    if not len(lines):
        return ""
    words = {0: "where the child has no other parent", 1: "with one", 2: "with two or more"}
    said = ", ".join(f"{percent(line.share)} {words[int(line.other_parents)]}" for line in lines.itertuples())
    return f" The naive bootstrap's share is {said}."


def figure1(study: bn.Study, naive: str, corrected: str, kind: str) -> None:
    """Figure 1, and the line of the edge that was clicked."""
    panels = figure1_panels(study, corrected, naive)
    for column, (x_key, y_key) in zip(st.columns(max(len(panels), 1), gap="small"), panels, strict=False):
        key = f"figure1 {x_key} {y_key}"
        show.chart(
            figure1_panel(study, x_key, y_key, session.dark(), session.data.chosen_edge(), kind),
            key,
            f"Confidence of each edge by {TITLES[y_key]} against {TITLES[x_key]}, one mark an edge",
            column,
            clickable=True,
        )
    chosen = session.data.chosen_edge()
    table = study.edge_table(kind)
    line = table[(table["parent"] == chosen[0]) & (table["child"] == chosen[1])] if chosen else table.head(0)
    if len(line):
        show.note(edge_sentence(line.iloc[0], study, kind), "chosen edge", small=False)
        return
    own = (
        "The data's own confidences are shares of many runs on them."
        if "data" in study.ensembles
        else "The data's own edges are in or out: their marks are spread sideways."
    )
    of_directed = "" if kind == "directed" else " The numbers of edges above are those of directed edges."
    st.caption(
        "One mark an edge; point at it for its name, click to keep its line here. Above the dotted diagonal the "
        "vertical method is more confident. Dashed: the threshold of each method, above which lie as many edges "
        f"as its graphs have on average. {own}{of_directed}"
    )


def edge_sentence(line: "pd.Series[object]", study: bn.Study, kind: str) -> str:
    """One edge's confidences."""
    found = "in" if line["in_data_graph"] else "not in"
    shares = ", ".join(f"{TITLES[key]} {line[f'confidence_{key}']:.2f}" for key in study.ensembles)
    edge = f"**{escaped(str(line['parent']))} {JOINS[kind]} {escaped(str(line['child']))}**"
    return f"{edge} is {found} the data's own graph; {shares}."


def overstated(study: bn.Study, naive: str, corrected: str, kind: str) -> None:
    """How much more confident one method is of each edge than the other."""
    if not {naive, corrected} <= set(study.ensembles):
        st.info("Two methods are needed to compare.")
        return
    table = study.overstated(naive, corrected, kind)
    if not len(table):
        st.info("No edge appears by either method.")
        return
    show.chart(
        overstated_figure(table, naive, kind, session.dark()),
        "overstated",
        "Confidence of each edge by one method less that by the other, sorted",
    )
    show.note(
        f"Confidence by the {TITLES[naive]} less that by the {TITLES[corrected]}: it is higher for "
        f"{int((table['difference'] > 0).sum())} of {counted(len(table), 'edge')}, lower for "
        f"{int((table['difference'] < 0).sum())}. The {min(MOST, len(table))} largest differences are drawn; "
        "marks in the text's colour are edges of the given data's graph.",
        "overstated",
    )
    csv_button("All differences", table, "overstated.csv")


def counts(study: bn.Study) -> None:
    """The distribution of the number of edges, a row for each method."""
    show.chart(
        all_edge_counts_figure(study, session.dark()),
        "all_counts",
        "Distribution of the number of edges for each method",
    )
    st.caption("How many of a method's graphs have how many edges; each row is scaled to its own highest bar.")
    table = pd.concat(
        [
            pd.DataFrame({"method": key, "edges": e.edge_counts, "replicates": e.multiplicities})
            for key, e in study.ensembles.items()
        ]
    )
    csv_button("Numbers of edges", table, "numbers_of_edges.csv")


def spurious(study: bn.Study) -> None:
    """Where the edges point that the data's own graph lacks."""
    table, degrees = bn.teaching.spurious_edges(study), bn.teaching.in_degrees(study)
    keys = [key for key in ("boot_bc", "boot") if key in study.ensembles]
    left, right = st.columns(2, gap="medium")
    show.chart(
        spurious_figure(table, session.dark()),
        "spurious",
        "Share of spurious edges by the number of other parents of the child",
        left,
    )
    show.note(
        f"An edge is spurious if the given data's graph does not join its two variables.{shares(table)} A family's "
        "spurious gain grows with its number of parameters (Section 3.2), and so does what a score charges for them: "
        "where spurious edges point depends on which of the two wins. Larger marks stand for more edges.",
        "spurious",
        left,
    )
    show.chart(
        in_degree_figure(degrees, keys, session.dark()),
        "in_degree",
        "Mean number of parents of each variable against that in the given data's graph",
        right,
    )
    right.caption("One mark a variable and method; above the dotted line it has more parents than in the data's graph.")
    take_away(("Spurious edges", table, "spurious.csv"), ("Numbers of parents", degrees, "parents.csv"))
