"""Two further answers to how many edges above the threshold are false: simulated worlds, and halves of the rows."""

import math

import streamlit as st

from bnengine.bootstrap.recalibration import Recalibration
from bnengine.bootstrap.stability_selection import StabilitySelection
from pages._shared import show
from pages._shared.downloads import take_away
from pages._shared.figures.methods import TITLES
from pages._shared.format import counted, percent, plus_minus, short
from pages._shared.jobs import checks
from pages._shared.sections.confidence.threshold import Asked
from pages._shared.widgets.later import later

_COLUMNS = {"boot": "naive", "boot_bc": "leading"}


def guarantees(asked: Asked, threshold: float) -> None:
    """Both, once they are asked for; each is started by a click."""
    title = "How many false edges? Two more answers"
    later(title, "guarantees", ":material/rule:", lambda: both(asked, threshold))


def both(asked: Asked, threshold: float) -> None:
    """Both answers side by side."""
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**In simulated worlds**")
        worlds(asked, threshold)
    with right:
        st.markdown("**With a guarantee**")
        halves(asked, threshold)


def worlds(asked: Asked, threshold: float) -> None:
    """False edges and precision at the threshold in worlds that the data leave possible."""
    column = _COLUMNS.get(asked.key)
    if column is None:
        st.caption("Available for the naive and the corrected bootstrap; choose one under *Found again by*.")
        return
    found = checks.worlds_of(asked.experiment, asked.data, asked.study, asked.pair_kind)
    if found is None:
        return
    if not found.n_finished:
        st.caption("Stopped before the first world was finished.")
        return
    show.note(worlds_sentence(found, threshold, column, TITLES[asked.key]), "worlds", small=False)
    st.caption(
        "A world is a network that your data leave possible: a graph of the corrected bootstrap with probabilities "
        "drawn from their posterior. There is a circle in it: an edge that is in no world cannot be learned about."
    )
    table = found.thresholds(column)
    take_away(("All thresholds", table, "worlds.csv"), ("Recalibrated edges", found.table(), "recalibrated.csv"))


def worlds_sentence(found: Recalibration, threshold: float, column: str, title: str) -> str:
    """Expected false edges and precision at the threshold."""
    false = plus_minus(*found.expected_false_edges(threshold, column), 2)
    kept = plus_minus(*found.expected_edges(threshold, column), 2)
    precision, error = found.expected_precision(threshold, column)
    shown = plus_minus(precision, error, 2) or "unknown, as nothing is kept"
    return (
        f"In {counted(found.n_finished, 'world')}, the {title} keeps {kept} edges at this threshold: "
        f"**{false} are false**, precision **{shown}**."
    )


def halves(asked: Asked, threshold: float) -> None:
    """The bound of stability selection at the threshold."""
    found = checks.guarantee_of(asked.experiment, asked.data, asked.pair_kind)
    if found is None or not found.n_pairs:
        return
    show.note(halves_sentence(found, threshold), "guarantee", small=False)
    st.caption(
        "Complementary-pairs stability selection (Shah & Samworth 2013). A false edge is here one that is learned from "
        "half of the rows no more often than by chance. The bound is on their expected number, not a probability of "
        "each edge, and counts edges learned from halves, not those of the network above."
    )
    take_away(("Edges from halves", asked.pairs.beside(found.table()), "halves.csv"))


def halves_sentence(found: StabilitySelection, threshold: float) -> str:
    """The number of edges at the threshold in the halves, and the bound on the false ones among them."""
    kept = int(((found.confidence >= threshold) & found.possible & (found.confidence > 0)).sum())
    bound = found.bound(threshold)
    start = f"**{counted(kept, 'edge')}** learned in at least {percent(threshold)} of {2 * found.n_pairs} halves"
    if math.isinf(bound):
        least = found.threshold_for(1.0)
        higher = f" At {percent(least)} it is at most 1." if math.isfinite(least) else ""
        return f"{start}; there is no bound on the false ones at this threshold.{higher}"
    return f"{start}; **at most {short(bound)} false** among them on average."
