"""The session's data set, or a link to the Data page."""

import streamlit as st

import bnengine as bn
from pages._shared import session
from pages._shared.format import escaped


def own_data() -> bn.Dataset | None:
    """The session's data; None, with the reason and a link to the Data page, if they cannot be learned from."""
    data, problem = session.data.dataset()
    if data is None:
        st.error(f"{escaped(problem)}.", icon=":material/error:")
        st.page_link("pages/data.py", label="Go to Data", icon=":material/table:")
    return data
