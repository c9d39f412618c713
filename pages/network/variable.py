"""The variable that was clicked: its neighbours, and its probabilities with the counts behind them."""

from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.answers.views import NetworkView
from pages.network.run import Run
from pages.shared import show, state
from pages.shared.format import escaped, listed
from pages.shared.keys import Key
from pages.shared.widgets.constraints_control import show_around
from pages.shared.words import NETWORK as WORDS

_MOST_ROWS, _MOST_FAMILIES = 500, 8
_CO_PARENTS = "Co-parents, the other parents of its children"

_SHARE = "P = "


def offer(run: Run, view: NetworkView, name: str) -> None:
    """Open the drawer about the variable that was clicked, as for an edge; ``name`` is that of the picture."""
    node = state.chosen_node()
    if node not in run.data.names or state.get(Key.OPEN_EDGE) != node:
        return
    look: Any = {"width": "medium", "position": "right", "icon": ":material/grid_on:"}
    st.dialog(escaped(str(node)), on_dismiss=state.close_edge, **look)(_drawn)(run, view, str(node), name)


def _drawn(run: Run, view: NetworkView, node: str, name: str) -> None:
    near = neighbours(view, node)
    st.markdown(node_sentence(near))
    if len(view.names) > 1 + sum(map(len, near.values())):
        st.button("Show only these variables", key=Key.of(Key.ONLY, name), on_click=_show_only, args=(name, node))
    table = probabilities(run.rows.cut(), near["Parents"], node)
    titles = {str(name): str(name) for name in table if str(name).startswith(_SHARE)}
    show.table(table.head(_MOST_ROWS), {"rows": "Rows", **titles}, height=min(38 * len(table) + 42, 400))
    st.caption(
        f"Shares of the states among {WORDS['configurations'] if near['Parents'] else 'all rows'}."
        + (" Numbers are cut into three states here." if run.data.numbers else "")
    )


def _show_only(name: str, node: str) -> None:
    show_around(name, node)
    state.close_edge()


def neighbours(view: NetworkView, node: str) -> dict[str, list[str]]:
    """Return a variable's neighbours in the graph that is drawn; only where the direction is settled it is one."""
    rows = view.rows()
    settled = rows["direction"] == "settled"
    arrows, lines = (list(zip(one["parent"], one["child"], strict=True)) for one in (rows[settled], rows[~settled]))
    parents = [parent for parent, child in arrows if child == node]
    children = [child for parent, child in arrows if parent == node]
    others = dict.fromkeys(parent for parent, child in arrows if child in children and parent not in (node, *parents))
    either = [end for ends in lines if node in ends for end in ends if end != node]
    return {"Parents": parents, "Children": children, "Direction open": either, _CO_PARENTS: list(others)}


def node_sentence(near: dict[str, list[str]]) -> str:
    """Return the variable's place in the graph that is drawn."""
    found = [f"{kind}: {_named(names)}." for kind, names in near.items() if names]
    return " ".join(found) or "No edge in this picture."


def _named(names: list[str]) -> str:
    return listed([escaped(name) for name in names], _MOST_FAMILIES)


def probabilities(data: bn.Dataset, parents: list[str], node: str) -> pd.DataFrame:
    """Tabulate one row per observed parent configuration: its states, number of rows, share of each state."""
    frame = data.to_frame()[[*parents, node]].astype(str)
    if parents:
        counts = frame.groupby([*parents, node], sort=False).size().unstack(node, fill_value=0)
    else:
        counts = frame[node].value_counts().to_frame().T
    counts = counts.reindex(columns=[str(state) for state in data.states[data.index(node)]], fill_value=0)
    rows = counts.sum(axis=1)
    shares = counts.div(rows, axis=0).add_prefix(_SHARE)
    table = pd.concat([rows.rename("rows"), shares], axis=1)
    return table.reset_index(drop=not parents).sort_values("rows", ascending=False, kind="stable", ignore_index=True)
