"""Score equivalence: X → Y and Y → X, chains and forks; the v-structure is different."""

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.teaching.equivalent_scores import small_graphs
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.bars import behind_figure
from pages._shared.figures.small_graphs import small_graphs_figure
from pages._shared.format import escaped, short
from pages._shared.section import computed
from pages._shared.widgets.variables import picked_variables

_SCORES = (bn.BIC(), bn.BDeu(1.0), bn.K2Score())
_NAMES = [score.name for score in _SCORES]


def section(data: bn.Dataset) -> None:
    """Show the finding, bars, formula and table."""
    if data.n_variables < 2:
        st.info("Equivalence needs at least two variables; these data have one.")
        return
    head, picture = st.container(), st.container()
    names = picked_variables(data, "equivalent", 2, 3, 3)
    if names is None:
        return
    table = computed("equivalence", lambda: bn.teaching.equivalence_table(data, names, _SCORES), names)
    show.finding(sentence(table), head)
    show.chart(
        behind_figure(table, _NAMES, session.dark()),
        "equivalent bars",
        "How far each graph's score lies below the best",
        picture,
    )
    titles = [f"Graph {n}, class {number}" for n, number in enumerate(table["equivalence_class"], 1)]
    graphs = list(zip(titles, small_graphs(names).items(), strict=True))
    for half, column in enumerate(st.columns(2)):  # below one another on a phone
        shown = graphs[half::2]
        drawn = small_graphs_figure(names, {title: edges for title, (_, edges) in shown}, session.dark(), 1)
        show.chart(drawn, f"equivalent graphs {half}", f"Graphs {', '.join(graph for _, (graph, _) in shown)}", column)
    if len(names) == 3:
        show.formula(
            r"X\to Z\to Y \;\equiv\; X\gets Z\gets Y \;\equiv\; X\gets Z\to Y: \quad X\perp Y\mid Z",
            r"X\to Z\gets Y: \quad X\perp Y",
        )
    else:
        show.formula(r"P(X)\,P(Y\mid X) = P(X,Y) = P(Y)\,P(X\mid Y)")
    st.caption(
        "With three variables, the second one picked is Z, in the middle. Equivalent graphs have the same adjacencies "
        "and v-structures and represent the same distributions; BIC and BDeu give them equal scores, K2 does not."
    )
    show.table(
        table,
        {
            "graph": "Graph",
            "equivalence_class": "Equivalence class",
            "v_structure": "v-structure",
            **{name: f"{name}, nats" for name in _NAMES},
            **{f"{name} behind": None for name in _NAMES},
        },
    )
    csv_button("Scores of equivalent graphs", table, "equivalent_graphs.csv")


def sentence(table: pd.DataFrame) -> str:
    """Return which graphs score alike, and by how much the others differ."""
    graphs = [escaped(graph) for graph in table["graph"]]
    spread = bn.teaching.spread_within_classes(table, _NAMES)
    same = f"BIC and BDeu give equivalent graphs the same score; K2's differ by **{short(spread['K2'])} nats**"
    if len(graphs) == 2:
        return f"{graphs[0]} and {graphs[1]} are equivalent. {same}."
    lead = float(table["BDeu(1)"].iloc[3] - table["BDeu(1)"].iloc[0])
    word = "better" if lead > 0 else "worse"
    return f"{same}. The v-structure {graphs[3]} is **{short(abs(lead))} nats** {word} under BDeu(1)."
