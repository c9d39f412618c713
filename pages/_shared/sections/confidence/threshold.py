"""The threshold of an edge's strength: the rules that suggest one, and the slider."""

import dataclasses
import math
from typing import Any

import numpy as np
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.permutation_threshold import PermutationThreshold
from pages._shared import session, show
from pages._shared.figures.palette import method_color
from pages._shared.figures.threshold import above_threshold_figure
from pages._shared.format import plus_minus, short
from pages._shared.jobs import running
from pages._shared.session import Key, kept

MEAN, L1, PERMUTED = "mean", "l1", "permutation"
RULES = {
    MEAN: "as many edges as the graphs have on average",
    L1: "nearest to a clear yes or no (L1)",
    PERMUTED: "few false edges in shuffled data",
}
RULES_HELP = (
    f"**{RULES[MEAN]}**: Steck & Jaakkola (2003), Figure 1.\n\n"
    f"**{RULES[L1]}**: Scutari & Nagarajan (2013); minimised exactly, it keeps edges of confidence above one half.\n\n"
    f"**{RULES[PERMUTED]}**: each column is shuffled by itself, so that every edge found is false (Broom, Do & "
    "Subramanian 2012)."
)


@dataclasses.dataclass(frozen=True)
class Asked:
    """Whose confidence is shown: the study, what it was made with, the method, and what counts as an edge."""

    study: bn.Study
    experiment: bn.Experiment
    data: bn.Dataset
    key: str
    kind: str


@dataclasses.dataclass(frozen=True)
class Threshold:
    """A threshold of the strength, and what shuffled data say about it, if they were asked."""

    value: float
    permuted: PermutationThreshold | None = None

    @property
    def expected_false(self) -> str:
        """How many false edges are expected; empty if shuffled data were not asked."""
        found = self.permuted
        if found is None:
            return ""
        place = int(np.searchsorted(found.thresholds, self.value - 1e-9))
        if place >= len(found.thresholds):
            return "; no false edge expected"
        return f"; {plus_minus(found.expected_false[place], found.standard_error[place])} false edges expected"


def chosen_threshold(asked: Asked, rule: str, place: Any) -> Threshold | None:
    """Suggest a threshold and let it be moved; None while shuffled data are being learned from."""
    suggested = suggestion(asked, rule, place)
    if suggested is None:
        return None
    shown = min(round(suggested.value, 2), 1.0)
    label = f"threshold of the strength (suggested: {short(suggested.value)})"
    parts = (asked.key, asked.kind, rule, f"{suggested.value:.4f}")
    chosen = st.slider(label, 0.0, 1.0, value=shown, step=0.01, **kept(Key.THRESHOLD, *parts))
    value = suggested.value if chosen == shown else chosen  # the slider's steps may pass over a level of confidence
    permuted, dark = suggested.permuted, session.dark()
    false = (permuted.thresholds, permuted.expected_false) if permuted else None
    strength = asked.study.strength(asked.key, asked.kind)
    figure = above_threshold_figure(strength, value, method_color(asked.key, dark), dark, false)
    show.chart(figure, "above_threshold", "Number of edges of at least each strength")
    return Threshold(value, permuted)


def suggestion(asked: Asked, rule: str, place: Any) -> Threshold | None:
    """The threshold that the rule gives."""
    if rule == L1:
        return Threshold(bn.l1_threshold(asked.study.strength(asked.key, asked.kind)))
    if rule == MEAN:
        return Threshold(asked.study.strength_threshold(asked.key, asked.kind))
    most = float(place.number_input("false edges allowed", 0.0, 1000.0, step=0.5, **kept(Key.MAX_FALSE)))
    found = permutation(asked, most)
    if found is None:
        return None
    if not math.isfinite(found.threshold):
        st.info("No threshold has so few expected false edges.")
        return Threshold(1.0, found)
    return Threshold(found.threshold, found)


def permutation(asked: Asked, most: float) -> PermutationThreshold | None:
    """What the same ensemble finds in shuffled data."""
    experiment = dataclasses.replace(asked.experiment, kind=asked.kind, max_false=most)
    ensemble = asked.study.ensembles[asked.key]
    return running.worked_out(
        "permutation",
        f"{experiment.method_key(asked.key)} {ensemble.strength} {experiment.shuffles} {most} {asked.kind}",
        lambda tell: experiment.permutation_threshold(asked.data, asked.key, ensemble, progress=tell),
        "Learn from shuffled data",
        f"Learns the same ensemble on {experiment.shuffles} data sets whose columns are shuffled, each by itself.",
        "resamples of shuffled data",
    )
