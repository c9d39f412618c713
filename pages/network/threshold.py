"""The threshold of the share of replicates: the slider, and the rules that suggest where."""

import dataclasses
import math
from typing import Any

import streamlit as st

import bnengine as bn
from bnengine.answers.thresholds import CONVENTION, by_rule
from bnengine.bootstrap.permutation_threshold import PermutationThreshold
from bnengine.settings import setting_of
from pages.network.run import Run
from pages.shared import jobs, state
from pages.shared.format import percent
from pages.shared.keys import Key
from pages.shared.state import persistent
from pages.shared.widgets.choice import declared
from pages.shared.words import NETWORK as WORDS

_KIND = "adjacency"  # what is counted: a pair, joined in either direction


def chosen_threshold(run: Run) -> float | None:
    """Suggest a threshold by a rule and let the visitor move it; None while shuffled data are learned from."""
    place, rules = st.container(key=Key.wide("threshold")).columns(2, gap="medium", vertical_alignment="bottom")
    by_rule_again = {"on_change": state.put, "args": (Key.THRESHOLD, None)}
    rule = declared(
        setting_of(bn.Experiment, "rule"),
        place=rules,
        help=WORDS["rules"].format(convention=CONVENTION),
        **by_rule_again,
    )
    with rules:
        suggested = suggestion(run, rule)
    held = state.get(Key.THRESHOLD)
    if suggested is None:
        return None if held is None else float(held)
    shown = min(math.floor(100 * suggested + 0.5) / 100, 1.0)  # as shares are written
    first = shown if held is None else float(held)
    if state.get(Key.SHARE_KEPT, first) != first:
        state.put(Key.SHARE_KEPT, first)
    label = f"Found again in at least this share of fresh tables (suggested: {percent(shown)})"
    kept: dict[str, Any] = {"on_change": _keep, "args": (shown,), **persistent(Key.SHARE_KEPT)}
    place.slider(label, 0.0, 1.0, value=first, step=0.01, format="percent", **kept)
    return suggested if held is None else first  # the slider's steps may skip a level of confidence


def _keep(suggested: float) -> None:
    """Keep where the visitor moved the slider; back at the suggestion, it follows that again."""
    chosen = state.get(Key.SHARE_KEPT)
    state.put(Key.THRESHOLD, None if chosen == suggested else chosen)


def suggestion(run: Run, rule: str) -> float | None:
    """Return the threshold given by the rule."""
    if rule != "permutation":
        return by_rule(rule, run.study, run.method, _KIND)
    most = float(declared(setting_of(bn.Experiment, "max_false"), step=0.5))
    declared(setting_of(bn.Experiment, "shuffles"))
    found = permutation(run, most)
    if found is None:
        return None
    if not math.isfinite(found.threshold):
        st.info("Even if all variables were independent, every threshold would keep more edges than allowed.")
        return 1.0
    return found.threshold


def permutation(run: Run, most: float) -> PermutationThreshold | None:
    """Return the edges that the same method finds in shuffled data."""
    experiment = dataclasses.replace(run.experiment, kind=_KIND, max_false=most)
    data, key, ensemble = run.data, run.method, run.study.ensembles[run.method]
    return jobs.complete_result_of(
        "permutation",
        (data, experiment.method_key(key), ensemble, experiment.shuffles, most, _KIND),
        lambda progress: experiment.permutation_threshold(data, key, ensemble, progress=progress),
        "replicates of shuffled data",
        (
            "Learn from shuffled data",
            f"Applies the method to {experiment.shuffles} data sets in which each column is shuffled separately.",
        ),
    )
