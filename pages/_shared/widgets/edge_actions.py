"""What can be done with the edge that was clicked in a network: require it, forbid it, or take that back."""

import streamlit as st

import bnengine as bn
from pages._shared import session
from pages._shared.format import escaped
from pages._shared.session import Key


def edge_actions(edge: tuple[str, str], sentence: str, constraints: bn.Constraints) -> None:
    """Show an edge's sentence, and buttons that make the edge a constraint of the experiment.

    Parameters
    ----------
    edge : (parent, child)
    sentence : str
        What the page says about it, in Markdown.
    constraints : Constraints
        Those of the experiment.
    """
    st.markdown(sentence)
    state = "required" if edge in constraints.required else "forbidden" if edge in constraints.forbidden else ""
    named = f"{escaped(edge[0])} → {escaped(edge[1])}"
    with st.container(horizontal=True, vertical_alignment="center"):
        if state:
            st.caption(f"{named} is {state}.")
            _button("Lift the constraint", ":material/lock_open:", Key.FREE, edge, None)
            return
        _button("Require this edge", ":material/lock:", Key.REQUIRE, edge, Key.REQUIRED)
        _button("Forbid this edge", ":material/block:", Key.FORBID, edge, Key.FORBIDDEN)
        st.caption("Constraints hold in this graph and in every replicate. They are listed in the sidebar.")


def _button(label: str, icon: str, key: str, edge: tuple[str, str], how: str | None) -> None:
    st.button(label, icon=icon, key=key, on_click=session.settings.constrain, args=(edge, how))
