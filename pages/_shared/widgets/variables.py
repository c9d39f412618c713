"""A choice of some of the data's variables."""

import streamlit as st

import bnengine as bn
from pages._shared import session
from pages._shared.session import kept


def picked_variables(data: bn.Dataset, key: str, least: int, most: int, first: int) -> list[str] | None:
    """Return the chosen variables in the order picked; None, with a remark, while there are too few.

    The ``first`` variables that depend most on each other are picked initially.
    """
    chosen = st.multiselect(
        f"Variables ({least} to {most})" if least < most else f"{most} variables",
        data.names,
        default=_most_dependent(session.data.key(), data, first),
        max_selections=most,
        **kept(key, session.data.key()),
        select_all=False,
    )
    if len(chosen) < least:
        st.info(f"Choose at least {least} variables.")
        return None
    return [str(name) for name in chosen]


def most_dependent(data: bn.Dataset, n: int) -> list[str]:
    """The n variables, or all, that depend most on each other."""
    return _most_dependent(session.data.key(), data, min(n, data.n_variables))


@st.cache_data(max_entries=24, show_spinner=False)
def _most_dependent(key: str, _data: bn.Dataset, n: int) -> list[str]:
    return bn.teaching.most_dependent(_data, n)
