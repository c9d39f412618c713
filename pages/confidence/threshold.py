"""The threshold: rules that suggest one, the slider, and what to expect above it."""

import dataclasses
import math
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.answers.edge_answers import EdgeAnswers, disagreements, expected_false, n_reversed, pair_answers
from bnengine.answers.thresholds import (
    CONVENTION,
    CONVENTION_REPLICATES,
    REAL,
    THRESHOLDS_SHOWN,
    by_rule,
    ends_sentence,
    false_remark,
    kept_at,
    kept_sentence,
    threshold_remark,
)
from bnengine.bootstrap.ensemble import AveragedNetwork
from bnengine.bootstrap.permutation_threshold import PermutationThreshold
from bnengine.bootstrap.resampling_methods import JOINS, LABELS, TITLES
from bnengine.plots.confidence import above_threshold_figure
from bnengine.plots.palette import method_color
from bnengine.posterior import EdgePosterior
from bnengine.settings import setting_of
from pages.confidence.answer_tables import answer_titles, edges_in_one
from pages.shared import jobs, show, state
from pages.shared.downloads import csv_button
from pages.shared.format import counted, plus_minus, probability, short
from pages.shared.keys import Key, persistent
from pages.shared.widgets.choice import declared, lazy_expander

RULES_HELP = (
    "**As many edges as the graphs have on average**: Steck & Jaakkola (2003), Figure 1.\n\n"
    "**Nearest to a clear yes or no**: minimizes the L1 distance to a step function exactly; keeps edges with a "
    "confidence above one half.\n\n"
    "**0.85**: the convention of studies of questionnaires, with 1,000 replicates, each edge in the direction of more "
    "than half of them (Briganti, Scutari & McNally 2023). *What each threshold keeps* says what it does here.\n\n"
    "**Few edges if all variables were independent**: each column is shuffled separately, so that every edge found is "
    "false. Variables that depend on each other have further false edges, past a third variable or reversed, which "
    "this does not count, and which may be several times as many."
)


@dataclasses.dataclass(frozen=True)
class ShownMethod:
    """The study whose confidences are shown, its settings and data, and the method."""

    study: bn.Study
    experiment: bn.Experiment
    data: bn.Dataset
    key: str
    real: EdgePosterior | None = None

    @cached_property
    def pairs(self) -> EdgeAnswers:
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
    by_hand: bool = False

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


def chosen_threshold(method_shown: ShownMethod, rule_place: Any, place: Any) -> Threshold | None:
    """Suggest a threshold by a rule and let the user move it; None while shuffled data are learned from."""
    rule = declared(setting_of(bn.Experiment, "rule"), place=rule_place, help=RULES_HELP)
    suggested = suggestion(method_shown, rule, place)
    if suggested is None:
        return None
    shown = min(round(suggested.value, 2), 1.0)
    label = f"Threshold of the strength (suggested: {short(suggested.value)})"
    parts = (method_shown.key, method_shown.kind, rule, f"{suggested.value:.4f}")
    chosen = place.slider(label, 0.0, 1.0, value=shown, step=0.01, **persistent(Key.THRESHOLD, *parts))
    value = suggested.value if chosen == shown else chosen  # the slider's steps may skip a level of confidence
    permuted, dark = suggested.permuted, state.dark()
    false = (permuted.thresholds, permuted.expected_false) if permuted else None
    strength = method_shown.study.strength(method_shown.key, method_shown.kind)
    figure = above_threshold_figure(strength, value, method_color(method_shown.key, dark), dark, false)
    show.chart(figure, "above_threshold", "Number of edges of at least each strength")
    return Threshold(value, permuted, by_hand=chosen != shown)


def suggestion(method_shown: ShownMethod, rule: str, place: Any) -> Threshold | None:
    """Return the threshold given by the rule."""
    if rule != "permutation":
        return Threshold(by_rule(rule, method_shown.study, method_shown.key, method_shown.kind))
    most = float(declared(setting_of(bn.Experiment, "max_false"), place=place, step=0.5))
    found = permutation(method_shown, most)
    if found is None:
        return None
    if not math.isfinite(found.threshold):
        st.info("Even if all variables were independent, every threshold would keep more edges than allowed.")
        return Threshold(1.0, found)
    return Threshold(found.threshold, found)


def permutation(method_shown: ShownMethod, most: float) -> PermutationThreshold | None:
    """Return the edges that the same method finds in shuffled data."""
    experiment = dataclasses.replace(method_shown.experiment, kind=method_shown.kind, max_false=most)
    data, key = method_shown.data, method_shown.key
    ensemble = method_shown.study.ensembles[key]
    return jobs.complete_result_of(
        "permutation",
        (data, experiment.method_key(key), ensemble, experiment.shuffles, most, method_shown.kind),
        lambda progress: experiment.permutation_threshold(data, key, ensemble, progress=progress),
        "replicates of shuffled data",
        (
            "Learn from shuffled data",
            f"Applies the method to {experiment.shuffles} data sets in which each column is shuffled separately.",
        ),
    )


# What to expect of the edges above the threshold: how many are real, and how many would be found again.


def expectations(method_shown: ShownMethod, network: AveragedNetwork) -> None:
    """Show false edges and precision as the posterior expects them, and how many edges would be found again."""
    n, pairs = len(network.edges), method_shown.pairs
    if not n:
        return
    again = float(pairs.found_again[network.adjacency].sum())
    text = f"Found again? **{short(again)}** of {n} expected in a fresh table ({TITLES[method_shown.key]})."
    if method_shown.real is not None:
        false, error = expected_false(method_shown.real, network.adjacency, method_shown.pair_kind)
        precision = probability(1 - false / n, error / n)
        false_edges = f"{plus_minus(false, error, 2)} false edges" if error else counted(false, "false edge")
        text += f" Real? **{false_edges}** expected, precision **{precision}**. {false_remark()}"
    show.note(text, "expected", small=False)


# What other thresholds, and other methods, would keep.


def other_thresholds(method_shown: ShownMethod, threshold: float) -> None:
    """Say what this threshold and the convention's keep, and offer the table of all; nothing without a posterior."""
    if method_shown.real is None or method_shown.kind == "compelled":
        return
    table = kept_at(method_shown.study, method_shown.real, sorted({*THRESHOLDS_SHOWN, threshold}))
    show.note(kept_sentence(table, threshold), "kept", small=False)
    score = method_shown.study.ensembles[method_shown.key].score
    measured = [threshold_remark(by, score, threshold) for by in (method_shown.key, REAL)]
    show.note(" ".join(filter(None, measured)), "how right")
    title = "What each threshold keeps"
    lazy_expander(title, "kept", ":material/table:", lambda: threshold_table(method_shown, table, threshold))


def convention(method_shown: ShownMethod) -> None:
    """Offer as many replicates as studies of questionnaires take."""
    n, wanted = method_shown.experiment.n, CONVENTION_REPLICATES
    if n >= wanted:
        return
    st.caption(f"Such studies take {wanted:,} replicates; here there are {n:,}.")
    st.button(
        f"Take {wanted:,} replicates", key=Key.MANY, icon=":material/repeat:", on_click=state.put,
        args=(Key.REPLICATES, wanted),
    )  # fmt: skip


def threshold_table(method_shown: ShownMethod, table: pd.DataFrame, threshold: float) -> None:
    """Show the numbers of edges and of false ones by threshold and method."""
    if threshold != CONVENTION:
        st.markdown(f"**In studies of questionnaires.** {kept_sentence(table, CONVENTION)}")
    convention(method_shown)
    shown = table.assign(by=table["by"].map({**LABELS, REAL: "Real"})).drop(columns="error")
    titles = {
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
        "Adjacencies, in either direction. False: how many are expected not to be in the network that the data came "
        f"from, and the central 90% of that number. {ends_sentence()}"
    )
    csv_button("Thresholds", table, "thresholds.csv")


# Where the graph learned from the data and the averaged network disagree, with both answers about each edge.


def disagreement_list(method_shown: ShownMethod, network: AveragedNetwork) -> None:
    """List the pairs that only one of the two graphs joins."""
    where = {"data": "the graph learned from the data", "averaged": "the averaged network"}
    learned = method_shown.study.reference.adjacency
    table = disagreements(learned, network, method_shown.pairs)
    other_way = n_reversed(learned, network)
    only = {key: int((table["only_in"] == key).sum()) for key in where}
    text = (
        f"**{counted(only['data'], 'edge')}** only in {where['data']}, **{counted(only['averaged'], 'edge')}** only "
        f"in {where['averaged']}, whatever their direction."
    )
    if other_way:
        text += f" {counted(other_way, 'edge')} in both, but in opposite directions."
    show.note(text, "disagreements", small=False)
    if not len(table):
        return
    shown = edges_in_one(table, JOINS["directed" if method_shown.kind != "adjacency" else "adjacency"])
    shown["only_in"] = shown["only_in"].map(where)
    titles = answer_titles(method_shown.pairs, shown) | {"only_in": ("Only in", {"width": "medium"})}
    show.edge_rows(table, Key.table("disagreements"), 320, titles, shown=shown)
    csv_button("Disagreements", table, "disagreements.csv")
