"""Picking some of the data's variables."""

import streamlit as st

import bnengine as bn
from pages._shared import session
from pages._shared.session import kept


def picked_variables(data: bn.Dataset, key: str, default: list[str], least: int, most: int) -> list[str] | None:
    """Some of the data's variables, in the order picked; None, with a word, while there are too few."""
    chosen = st.multiselect(
        f"variables ({least} to {most})" if least < most else f"{most} variables",
        data.names,
        default=default,
        max_selections=most,
        **kept(key, session.data.key()),
        select_all=False,
    )
    if len(chosen) < least:
        st.info(f"Pick at least {least} variables.")
        return None
    return [str(name) for name in chosen]
