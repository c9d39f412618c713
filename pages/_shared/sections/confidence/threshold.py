"""The threshold of an edge's strength: the rules that suggest one, and the slider."""

import dataclasses
import math
from functools import cached_property
from typing import Any

import numpy as np
import streamlit as st

import bnengine as bn
from bnengine._core.settings import setting_of
from bnengine.bootstrap.permutation_threshold import PermutationThreshold
from bnengine.experiment.two_answers import TwoAnswers, pair_answers
from bnengine.posterior import SampledPosterior
from pages._shared import session, show
from pages._shared.figures.palette import method_color
from pages._shared.figures.threshold import above_threshold_figure
from pages._shared.format import plus_minus, short
from pages._shared.jobs import running
from pages._shared.session import Key, kept
from pages._shared.widgets.declared import declared

RULES_HELP = (
    "**As many edges as the graphs have on average**: Steck & Jaakkola (2003), Figure 1.\n\n"
    "**Nearest to a clear yes or no**: minimizes the L1 distance to a step function exactly; keeps edges with a "
    "confidence above one half.\n\n"
    "**Few edges if all variables were independent**: each column is shuffled separately, so that every edge found is "
    "false. Variables that depend on each other have further false edges, past a third variable or reversed, which "
    "this does not count: on samples of ALARM and INSURANCE there were 6 and 3 where 0.5 were expected."
)


@dataclasses.dataclass(frozen=True)
class Asked:
    """The study whose confidences are shown, its settings and data, and the method."""

    study: bn.Study
    experiment: bn.Experiment
    data: bn.Dataset
    key: str
    real: SampledPosterior | None = None

    @cached_property
    def pairs(self) -> TwoAnswers:
        """Both answers about each edge of an averaged network."""
        return pair_answers(self.study, self.key, self.kind, self.real)

    @property
    def kind(self) -> str:
        """What counts as an edge."""
        return self.experiment.kind

    @property
    def pair_kind(self) -> str:
        """What counts as an edge of an averaged network."""
        return "compelled" if self.kind == "compelled" else "adjacency"


@dataclasses.dataclass(frozen=True)
class Threshold:
    """A threshold of the strength, with the result for shuffled data if it was computed."""

    value: float
    permuted: PermutationThreshold | None = None

    @property
    def expected_false(self) -> str:
        """The number of edges expected of independent variables; empty without a result for shuffled data."""
        found = self.permuted
        if found is None:
            return ""
        place = int(np.searchsorted(found.thresholds, self.value - 1e-9))
        if place >= len(found.thresholds):
            return "; none would be expected if all variables were independent"
        expected = plus_minus(found.expected_false[place], found.standard_error[place])
        return f"; {expected} would be expected if all variables were independent"


def chosen_threshold(asked: Asked, rule_place: Any, place: Any) -> Threshold | None:
    """Suggest a threshold by a rule and let the user move it; None while shuffled data are learned from."""
    rule = declared(setting_of(bn.Experiment, "rule"), place=rule_place, help=RULES_HELP)
    suggested = suggestion(asked, rule, place)
    if suggested is None:
        return None
    shown = min(round(suggested.value, 2), 1.0)
    label = f"Threshold of the strength (suggested: {short(suggested.value)})"
    parts = (asked.key, asked.kind, rule, f"{suggested.value:.4f}")
    chosen = place.slider(label, 0.0, 1.0, value=shown, step=0.01, **kept(Key.THRESHOLD, *parts))
    value = suggested.value if chosen == shown else chosen  # the slider's steps may skip a level of confidence
    permuted, dark = suggested.permuted, session.dark()
    false = (permuted.thresholds, permuted.expected_false) if permuted else None
    strength = asked.study.strength(asked.key, asked.kind)
    figure = above_threshold_figure(strength, value, method_color(asked.key, dark), dark, false)
    show.chart(figure, "above_threshold", "Number of edges of at least each strength")
    return Threshold(value, permuted)


def suggestion(asked: Asked, rule: str, place: Any) -> Threshold | None:
    """The threshold given by the rule."""
    if rule == "l1":
        return Threshold(bn.l1_threshold(asked.study.strength(asked.key, asked.kind)))
    if rule == "mean":
        return Threshold(asked.study.strength_threshold(asked.key, asked.kind))
    most = float(declared(setting_of(bn.Experiment, "max_false"), place=place, step=0.5))
    found = permutation(asked, most)
    if found is None:
        return None
    if not math.isfinite(found.threshold):
        st.info("Even if all variables were independent, every threshold would keep more edges than allowed.")
        return Threshold(1.0, found)
    return Threshold(found.threshold, found)


def permutation(asked: Asked, most: float) -> PermutationThreshold | None:
    """The edges that the same method finds in shuffled data."""
    experiment = dataclasses.replace(asked.experiment, kind=asked.kind, max_false=most)
    ensemble = asked.study.ensembles[asked.key]
    return running.worked_out(
        "permutation",
        f"{experiment.method_key(asked.key)} {ensemble.strength} {experiment.shuffles} {most} {asked.kind}",
        lambda tell: experiment.permutation_threshold(asked.data, asked.key, ensemble, progress=tell),
        "Learn from shuffled data",
        f"Applies the method to {experiment.shuffles} data sets in which each column is shuffled separately.",
        "replicates of shuffled data",
    )
