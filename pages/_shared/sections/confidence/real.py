"""The posterior that says which edges are real: worked out last, so that nothing else on the page waits for it."""

from typing import Any

import streamlit as st

import bnengine as bn
from bnengine.posterior import SampledPosterior
from pages._shared import show
from pages._shared.format import escaped
from pages._shared.jobs import posteriors


def when_known(real: SampledPosterior | None, experiment: bn.Experiment, data: bn.Dataset, place: Any) -> None:
    """Start the posterior or show its progress in its place; draw the page again once it is known."""
    with place:
        if real is not None:
            if real.warning:
                show.note(f":material/warning: In the posterior, {escaped(real.warning)}.", "chains disagree")
            if real.status == "stopped":
                posteriors.real_again(experiment)
            return
        if posteriors.real_of(experiment, data) is not None:
            st.rerun()
