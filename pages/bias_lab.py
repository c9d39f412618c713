"""Bias lab: where the bootstrap's bias comes from, one idea at a time."""

from collections.abc import Callable

import streamlit as st

from pages._shared import app_guard, session
from pages._shared.sections.bias_lab import (
    criteria,
    entropy,
    errors,
    estimates,
    likelihood,
    selection,
    sparse,
    spurious,
    statistic,
)

SECTIONS: dict[str, Callable[[], None]] = {
    "Entropy": entropy.show,
    "Correcting it": estimates.show,
    "Any statistic": statistic.show,
    "Spurious dependence": spurious.show,
    "Sparse tables": sparse.show,
    "Selection": selection.show,
    "Training and test": likelihood.show,
    "Cross-validation": criteria.show,
    "Jackknife": errors.show,
}


def main() -> None:
    """The page: the chosen section alone is worked out."""
    session.among(session.LAB_SECTION, list(SECTIONS), next(iter(SECTIONS)))
    chosen = st.segmented_control(
        "Section",
        list(SECTIONS),
        required=True,
        key=session.LAB_SECTION,
        persist_state="session",
        label_visibility="collapsed",
    )
    SECTIONS[chosen]()


app_guard.through_app()
main()
