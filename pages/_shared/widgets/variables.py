"""A choice of some of the data's variables."""

import streamlit as st

import bnengine as bn
from pages._shared import session
from pages._shared.session import kept


def picked_variables(data: bn.Dataset, key: str, default: list[str], least: int, most: int) -> list[str] | None:
    """The chosen variables, in the order of choice; None, with a remark, while there are too few."""
    chosen = st.multiselect(
        f"Variables ({least} to {most})" if least < most else f"{most} variables",
        data.names,
        default=default,
        max_selections=most,
        **kept(key, session.data.key()),
        select_all=False,
    )
    if len(chosen) < least:
        st.info(f"Choose at least {least} variables.")
        return None
    return [str(name) for name in chosen]
