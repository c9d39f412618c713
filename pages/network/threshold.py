"""The threshold of the share of replicates: the slider, the rules that suggest where, what each threshold keeps."""

from typing import Any

import streamlit as st

import bnengine as bn
from bnengine.answers.thresholds import CONVENTION, REAL, THRESHOLDS_SHOWN, by_rule, ends_sentence, kept_at
from bnengine.bootstrap.resampling_methods import LABELS
from bnengine.settings import setting_of
from pages.network.run import Run
from pages.shared import show
from pages.shared.downloads import csv_button
from pages.shared.format import short
from pages.shared.keys import Key, persistent
from pages.shared.widgets.choice import declared

_KIND = "adjacency"  # what is counted: a pair, joined in either direction
_RULES_HELP = (
    "**As many edges as the graphs have on average**: Steck & Jaakkola (2003), Figure 1.\n\n"
    "**Nearest to a clear yes or no**: minimizes the L1 distance to a step function exactly; keeps edges with a "
    "confidence above one half.\n\n"
    f"**{CONVENTION:g}**: the convention of studies of questionnaires, with 1,000 replicates (Briganti, Scutari & "
    "McNally 2023)."
)


def chosen_threshold(run: Run) -> float:
    """Suggest a threshold by a rule and let the visitor move it."""
    place, rules = st.container(key=Key.wide("threshold")).columns(2, gap="medium", vertical_alignment="bottom")
    rule = declared(setting_of(bn.Experiment, "rule"), place=rules, help=_RULES_HELP)
    suggested = by_rule(rule, run.study, run.method, _KIND)
    shown = min(round(suggested, 2), 1.0)
    chosen = place.slider(
        f"Found again in at least this share of fresh tables (suggested: {short(suggested)})",
        0.0,
        1.0,
        value=shown,
        step=0.01,
        **persistent(Key.THRESHOLD, run.method, rule, f"{suggested:.4f}"),
    )
    return suggested if chosen == shown else float(chosen)  # the slider's steps may skip a level of confidence


def threshold_table(run: Run) -> None:
    """Show the numbers of edges and of false ones by threshold and method; nothing without a posterior."""
    if run.real is None:
        st.caption("This follows once it is known which edges are real.")
        return
    table = kept_at(run.study, run.real, THRESHOLDS_SHOWN)
    shown = table.assign(by=table["by"].map({**LABELS, REAL: "Real"})).drop(columns="error")
    titles: dict[str, Any] = {
        "by": ("By", {"width": 150}),
        "threshold": "Threshold",
        "kept": "Edges kept",
        "false": ("Of these false", 1),
        "least": ("At least", 0),
        "most": ("At most", 0),
        "precision": "Precision",
    }
    show.table(shown, titles, height=320)
    st.caption(
        "Edges in either direction. False: how many are expected not to be in the network that the data came from, and "
        f"the central 90% of that number. {ends_sentence()}"
    )
    csv_button("Thresholds", table, "thresholds.csv")
