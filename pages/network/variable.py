"""The variable that was clicked: its neighbours, and its probabilities with the counts behind them."""

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.plots.network_drawing import blanket
from pages.shared import show
from pages.shared.format import escaped, listed
from pages.shared.keys import Key
from pages.shared.widgets.constraints_control import show_around

_MOST_ROWS, _MOST_FAMILIES = 500, 8


def node_panel(data: bn.Dataset, edges: list[tuple[str, str]], node: str, view: str) -> None:
    """Show a node's parents, children and other parents of the children; the table of probabilities."""
    st.markdown(node_sentence(data, edges, node))
    if len(data.names) > len(members(data, edges, node)):
        st.button("Show only these variables", key=Key.of(Key.ONLY, view), on_click=show_around, args=(view, node))
    table = probabilities(data.cut(), [parent for parent, child in edges if child == node], node)
    with st.expander(f"Probabilities of {escaped(node)}", icon=":material/grid_on:"):
        show.table(table.head(_MOST_ROWS), {"rows": "Rows"}, height=min(38 * len(table) + 42, 320))
        st.caption(
            "Shares of the states among the rows with each parent configuration, the most frequent first; "
            "configurations that do not occur are left out."
            + (" Numbers are cut into three states here." if data.numbers else "")
        )


def members(data: bn.Dataset, edges: list[tuple[str, str]], node: str) -> list[str]:
    """Return the variable and its Markov blanket."""
    pairs = [(data.index(parent), data.index(child)) for parent, child in edges]
    return [data.names[v] for v in blanket(pairs, data.index(node))]


def node_sentence(data: bn.Dataset, edges: list[tuple[str, str]], node: str) -> str:
    """Return the variable's place in the graph."""
    parents = [parent for parent, child in edges if child == node]
    children = [child for parent, child in edges if parent == node]
    others = [name for name in members(data, edges, node) if name not in (node, *parents, *children)]
    return (
        f"**{escaped(node)}**. Parents: {_named(parents)}. Children: {_named(children)}. "
        f"Co-parents, the other parents of its children: {_named(others)}."
    )


def _named(names: list[str]) -> str:
    return listed([escaped(name) for name in names], _MOST_FAMILIES) or "none"


def probabilities(data: bn.Dataset, parents: list[str], node: str) -> pd.DataFrame:
    """Tabulate one row per observed parent configuration: its states, number of rows, share of each state."""
    frame = data.to_frame()[[*parents, node]].astype(str)
    if parents:
        counts = frame.groupby([*parents, node], sort=False).size().unstack(node, fill_value=0)
    else:
        counts = frame[node].value_counts().to_frame().T
    counts = counts.reindex(columns=[str(state) for state in data.states[data.index(node)]], fill_value=0)
    rows = counts.sum(axis=1)
    shares = counts.div(rows, axis=0).add_prefix("P = ")
    table = pd.concat([rows.rename("rows"), shares], axis=1)
    return table.reset_index(drop=not parents).sort_values("rows", ascending=False, kind="stable", ignore_index=True)
