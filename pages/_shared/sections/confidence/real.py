"""The posterior that says which edges are real: worked out last, so that nothing else on the page waits for it."""

from typing import Any

import streamlit as st

import bnengine as bn
from pages._shared.jobs import experiments


def when_known(real: object, experiment: bn.Experiment, data: bn.Dataset, place: Any) -> None:
    """Start the posterior or show its progress in its place; draw the page again once it is known."""
    if real is not None:
        return
    with place:
        if experiments.real_of(experiment, data) is not None:
            st.rerun()
