"""What a learned graph does not show: dependence of pairs without an edge, causes, and variables nobody measured."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from bnengine.plots.curves import ranked_figure
from bnengine.plots.palette import faint, series
from bnengine.plots.verdict_drawing import learned_picture
from pages.shared import show, state
from pages.shared.format import counted, escaped
from pages.shared.keys import Key
from pages.shared.lessons import Subject, computed, learned_graph
from pages.shared.state import persistent
from pages.shared.words import BAYESIAN as WORDS


def pairs_section(subject: Subject) -> None:
    """Show how dependent the pairs of variables are that have no edge between them."""
    graph = learned_graph(subject.data)
    if graph is None:
        return
    table = computed(bn.teaching.pair_dependence, subject.data, graph.edges)
    apart = table[~table["edge"]]
    dependent = apart[apart["dependent"]]
    strongest = "" if dependent.empty else f", most of all {escaped(dependent['pair'].iloc[0])}"
    show.finding(
        f"The graph learned from {subject.title} ({graph.search}) has no edge between {counted(len(apart), 'pair')} of "
        f"variables; **{len(dependent)}** of them {'is' if len(dependent) == 1 else 'are'} dependent all the "
        f"same{strongest}."
    )
    alt = "Mutual information of each pair of variables, with and without an edge"
    show.chart(_pairs_figure(table, state.dark()), "pairs", alt)
    st.caption(WORDS["pairs"])
    titles = {
        "information": ("Mutual information, nats", 4),
        "critical": ("Critical value, nats", 4),
        "dependent": "Dependent",
        "edge": "Edge",
    }
    show.table(table, {"pair": "Pair", **titles})


def _pairs_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Draw the most dependent pairs."""
    named = table.rename(columns={"pair": "name", "information": "value"})
    named["kind"] = named["edge"].map({True: "edge", False: "no edge"})
    kinds = {"edge": faint(dark), "no edge": series(dark)[1]}
    critical = table["critical"].unique()  # one line where all pairs have as many states
    level = float(critical[0]) if len(critical) == 1 else None
    return ranked_figure(named, dark, "mutual information, nats", kinds, level)


def arrows_section(subject: Subject) -> None:
    """Show which arrows of the learned graph are compelled, and what reversing each of the others costs."""
    graph = learned_graph(subject.data)
    if graph is None:
        return
    arrows = computed(bn.teaching.reversals, subject.data, graph.edges)
    free = arrows[~arrows["compelled"]]
    example = f", {escaped(free['edge'].iloc[0])} among them" if len(free) else ""
    show.finding(
        f"Of the {counted(len(arrows), 'arrow')} learned from {subject.title} ({graph.search}), **{len(free)}** point "
        f"the other way in an equivalent graph{example}: it represents the same distributions and has the same score."
    )
    alt = "The learned graph; arrows only where the direction is compelled"
    show.chart(learned_picture(graph, state.dark()), "compelled", alt)
    st.caption(WORDS["arrows"])
    titles = {"edge": "Arrow", "compelled": "Compelled", "bits": "ΔMDL if reversed alone, bits"}
    show.table(arrows, titles)


_ROWS = (50, 100, 200, 500, 1000, 2000, 5000)
_SEEN = ("A", "X", "Y", "B")


def hidden_section(_: Subject) -> None:
    """Learn from a table that lacks a common cause."""
    head, picture = st.container(), st.container()
    left, right = st.columns(2, gap="medium")
    rows = int(left.select_slider("Number of rows", _ROWS, 2000, **persistent(Key.HIDDEN_ROWS)))
    seed = int(right.number_input("Seed of the rows", 0, 1_000_000, 0, **persistent(Key.ROWS_SEED)))
    graph = computed(bn.learn, bn.teaching.hidden_cause().sample(rows, seed).select(_SEEN))
    between = next((edge for edge in graph.edges if {*edge} == {"X", "Y"}), None)
    if between is None:
        words = "finds **no edge** between X and Y: the rows are too few"
    else:
        i, j = (graph.names.index(name) for name in between)
        settled = graph.cpdag[i, j] and not graph.cpdag[j, i]
        words = f"draws the **compelled arrow {' → '.join(between)}**" if settled else "draws the **edge X – Y**"
    show.finding(
        f"H, the only cause that X and Y share, is not in the table. Of {rows:,} rows, the search {words}, "
        "and yet **neither is a cause of the other**.",
        head,
    )
    show.chart(learned_picture(graph, state.dark()), "hidden", "The graph learned from A, X, Y and B", picture)
    st.caption(WORDS["hidden"].format(search=graph.search))
