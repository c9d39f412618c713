"""Score equivalence: X → Y and Y → X, chains and forks; the v-structure is different."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.bars import behind_figure
from pages._shared.format import escaped, short
from pages._shared.widgets.variables import picked_variables

_SCORES = (bn.BIC(), bn.BDeu(1.0), bn.K2Score())


@st.cache_data(max_entries=48, show_spinner=False)
def scored(key: str, _data: bn.Dataset, names: list[str]) -> pd.DataFrame:
    """The small graphs with their scores."""
    return bn.teaching.equivalence_table(_data, names, _SCORES)


@st.cache_data(max_entries=24, show_spinner=False)
def dependent(key: str, _data: bn.Dataset) -> list[str]:
    """The variables that are picked at first."""
    return bn.teaching.most_dependent(_data, 3)


def equivalence(data: bn.Dataset) -> None:
    """Sentence, bars, table."""
    if data.n_variables < 2:
        st.info("Two variables at least are needed.")
        return
    head, picture = st.container(), st.container()
    names = picked_variables(data, "equivalent", dependent(session.data.key(), data), 2, 3)
    if names is None:
        return
    table = scored(session.data.key(), data, names)
    with head:
        show.finding(sentence(table))
    with picture:
        show.chart(
            behind_figure(table, [score.name for score in _SCORES], session.dark()),
            "equivalent bars",
            "How far each graph's score lies below the best",
        )
    if len(names) == 3:
        show.formula(
            r"X\to Z\to Y \;\equiv\; X\gets Z\gets Y \;\equiv\; X\gets Z\to Y: \quad X\perp Y\mid Z",
            r"X\to Z\gets Y: \quad X\perp Y",
        )
    else:
        show.formula(r"P(X)\,P(Y\mid X) = P(X,Y) = P(Y)\,P(X\mid Y)")
    st.caption(
        "Of three variables the second one picked stands in the middle. Equivalent graphs (same edges, same "
        "v-structures) can represent the same distributions; BIC and BDeu score them alike, K2's prior does not."
    )
    show.table(
        table,
        {
            "equivalence_class": "equivalence class",
            "v_structure": st.column_config.CheckboxColumn("v-structure"),
            **{score.name: f"{score.name}, nats" for score in _SCORES},
            **{f"{score.name} behind": None for score in _SCORES},
        },
    )
    csv_button("Scores of equivalent graphs", table, "equivalent_graphs.csv")


def sentence(table: pd.DataFrame) -> str:
    """Who is equal to whom."""
    graphs = [escaped(graph) for graph in table["graph"]]
    spread = bn.teaching.spread_within_classes(table, [score.name for score in _SCORES])
    same = f"BIC and BDeu score equivalent graphs alike, K2 differs by {short(spread['K2'])} nats"
    if len(graphs) == 2:
        return f"**{graphs[0]}** and **{graphs[1]}**: {same}."
    lead = float(table["BDeu(1)"].iloc[3] - table["BDeu(1)"].iloc[0])
    word = "better" if lead > 0 else "worse"
    return f"{same}; the v-structure **{graphs[3]}** is {short(abs(lead))} nats {word} under BDeu(1)."
