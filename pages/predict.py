"""Predict: how well one variable is predicted from the others, edge by edge, and what evidence changes."""

from collections.abc import Callable

import streamlit as st

import bnengine as bn
from pages._shared import app_guard, session
from pages._shared.require_data import own_data
from pages._shared.sections.predict import accuracy, edges, what_if

SECTIONS: dict[str, Callable[[bn.Dataset], None]] = {
    "Accuracy": accuracy.section,
    "Edge by edge": edges.section,
    "What if": what_if.section,
}


def main() -> None:
    """The page: the chosen section alone is worked out."""
    data = own_data()
    if data is None:
        return
    session.among(session.PREDICT_SECTION, list(SECTIONS), next(iter(SECTIONS)))
    chosen = st.segmented_control(
        "Section",
        list(SECTIONS),
        required=True,
        key=session.PREDICT_SECTION,
        persist_state="session",
        label_visibility="collapsed",
    )
    SECTIONS[chosen](data)


app_guard.through_app()
main()
