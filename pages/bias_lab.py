"""Bias lab: where the bootstrap's bias comes from, one idea at a time."""

from collections.abc import Callable

import streamlit as st

from pages._shared import entry, state
from pages._shared.lab import criteria, entropy, errors, estimates, likelihood, selection, sparse, spurious, statistic

SECTIONS: dict[str, Callable[[], None]] = {
    "Entropy": entropy.section,
    "Correcting it": estimates.section,
    "Any statistic": statistic.section,
    "Spurious dependence": spurious.section,
    "Sparse tables": sparse.section,
    "Selection": selection.section,
    "Training and test": likelihood.section,
    "Cross-validation": criteria.section,
    "Jackknife": errors.section,
}


def main() -> None:
    """The page: the chosen section alone is worked out."""
    state.among(state.LAB_SECTION, list(SECTIONS), next(iter(SECTIONS)))
    chosen = st.segmented_control(
        "Section",
        list(SECTIONS),
        required=True,
        key=state.LAB_SECTION,
        persist_state="session",
        label_visibility="collapsed",
    )
    SECTIONS[chosen]()


entry.through_app()
main()
