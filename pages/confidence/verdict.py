"""The first view of the Confidence page: one network and the list of its edges, by verdict."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.answers.edge_answers import EdgeAnswers, with_all_methods
from bnengine.answers.verdict import MEANINGS, NEITHER, NOT_FOUND, TOO_LITTLE, Verdict, verdict
from bnengine.bootstrap.resampling_methods import TITLES
from bnengine.experiment.learning import python_real
from bnengine.experiment.states_check import StatesCheck
from bnengine.plots.network_drawing import Edge
from bnengine.plots.verdict_drawing import learned_picture, verdict_look, verdict_picture
from bnengine.posterior import EdgePosterior
from bnengine.report.html_report import html_report
from bnengine.report.paper_kit import paper_kit
from bnengine.report.report_sentences import verdict_in_words
from pages.confidence.answer_tables import (
    FOUND_AGAIN_HELP,
    REAL_HELP,
    Known,
    both_answers,
    found_again_by,
    known_over,
    method_titles,
    rows_needed,
)
from pages.confidence.extra_tests import features
from pages.confidence.methods import compared_methods
from pages.confidence.network import network_and_edges
from pages.shared import edge_drawer, experiments, in_use, settings, show, state
from pages.shared.downloads import download_button, take_away
from pages.shared.format import counted, escaped, probability, share
from pages.shared.keys import Key, persistent
from pages.shared.widgets import edge_list
from pages.shared.widgets.choice import fragment, tabs
from pages.shared.widgets.constraints_control import chosen_part
from pages.shared.widgets.edge_list import Group, Line

# The paper kit: what a paper needs of a run, in one ZIP.


def paper_kit_button(
    study: bn.Study, experiment: bn.Experiment, data: bn.Dataset, threshold: dict[str, float | None]
) -> None:
    """Offer the kit, with the data if they are ticked; ``threshold["shown"]`` is that of the network."""
    real = experiments.stored_posterior(experiment, data)
    with st.popover("Paper kit", icon=":material/folder_zip:"):
        st.markdown(
            "One ZIP with the figures as SVG and PDF, Table 1 and the edges as CSV, a methods paragraph with "
            "its references, the report, and the scripts in Python and R. It opens here again as a session."
        )
        file = None
        if experiment.data.source == "file":
            ticked = st.checkbox(
                "Include my data", **persistent(Key.KIT_DATA), help="Your file as it is, all rows and sheets."
            )
            file = in_use.uploaded_file(experiment.data) if ticked else None
        if real is None:
            st.caption("The posterior is not known yet: the kit would say nothing about which edges are real.")

        def kit() -> bytes:
            return paper_kit(as_shown(experiment, threshold), data, study, real, threshold.get("shown"), file)

        download_button("Download (ZIP)", kit, "paper_kit.zip", "application/zip")


def as_shown(experiment: bn.Experiment, threshold: dict[str, float | None]) -> bn.Experiment:
    """Return the experiment with the threshold of the network if it was chosen by hand, which no rule repeats."""
    return replace(experiment, threshold=threshold.get("by hand", experiment.threshold))


_VIEW = "verdict"


def judged(study: bn.Study, experiment: bn.Experiment, real: EdgePosterior | None) -> Verdict | None:
    """Return the verdict on each adjacency, as far as it is known; None before the first replicates."""
    if not method_titles(study):
        return None
    return verdict(study, settings.shown_method(study), real, experiment.constraints)


def headline(
    found: Verdict | None, experiment: bn.Experiment, data: bn.Dataset, graph: bn.LearnedGraph, whole: bool
) -> str:
    """Say the finding as far as it is known."""
    about = f"{in_use.title()} ({counted(data.n_rows, 'row')}, {escaped(experiment.score.name)})"
    if found is None:
        edges = f"**{counted(len(graph.edges), 'edge')}**" if graph.edges else "**No edge**"
        return f"{edges} learned from {about}: how far can each be trusted?"
    text = f"{about}: {verdict_in_words(found, '**{}**'.format)}"
    return text if whole else f"{text.removesuffix('.')}, so far."


def learned_only(graph: bn.LearnedGraph) -> None:
    """Show the learned graph while nothing is known of its edges."""
    picture = chosen_part(learned_picture(graph, state.dark()), _VIEW, place=st.columns([2, 3])[0])
    show.chart(picture, _VIEW, f"Learned graph with {counted(len(graph.edges), 'edge')}")


def network_and_list(found: Verdict, study: bn.Study, checked: StatesCheck | None) -> None:
    """Show the network, the list beside it, and what acts on both above them."""
    experiments.suspects(checked)
    bar = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    with bar:
        known, hidden = controls(found, study)
    left, right = st.container(key=Key.wide(_VIEW)).columns([3, 2], gap="medium")
    with left:
        draw_network(found, known, hidden, bar)
    with right:
        draw_list(found, known, hidden, checked)
    show.note(" ".join(remarks(found, study, known, hidden)), "verdict")


def controls(found: Verdict, study: bn.Study) -> tuple[Known, bool]:
    """Draw the controls.

    Return the adjacencies of the known network, if they are to be laid over, and whether all learned edges are shown.
    """
    known = known_over(found.names)
    hidden = len(found.table(hidden=True)) > len(found.table()) and st.toggle(
        "Show the rest of the learned graph",
        **persistent(Key.SHOW_NEITHER),
        help=f"Its edges that are {NEITHER} found again nor real.",
    )
    if len(method_titles(study)) > 1:
        with st.popover("Found again by", icon=":material/tune:"):
            found_again_by(study)
    return known, hidden


def draw_network(found: Verdict, known: Known, hidden: bool, bar: Any) -> None:
    """Draw the network; the choice of a part of it goes to the bar."""
    picture = verdict_picture(
        found, state.dark(), hidden=hidden, chosen=state.chosen_edge(), known=known, arrange=arranging(found)
    )
    shown = counted(len(picture.edges), "adjacency")
    alt = f"Network with {shown}, coloured by verdict; arrows where the direction is settled"
    show.chart(chosen_part(picture, _VIEW, arranging(found), bar), _VIEW, alt, clickable=True)


def arranging(found: Verdict) -> list[Edge]:
    """Return the edges that fix the positions: those learned, so that nodes stay in place while results come.

    Once all is known, the others that are shown, too.
    """
    learned = found.learned
    others = (
        found.drawn & ~(learned | learned.T) if found.has_posterior or not learned.any() else np.zeros_like(learned)
    )
    return [(int(i), int(j)) for i, j in np.argwhere(learned | others)]


def draw_list(found: Verdict, known: Known, hidden: bool, checked: StatesCheck | None) -> None:
    """List the edges that are shown, by verdict."""
    table = found.table(hidden)
    columns = [("Found again", FOUND_AGAIN_HELP), *([("Real", REAL_HELP)] if found.has_posterior else [])]
    groups = [group(found, kind, rows, known, checked) for kind, rows in table.groupby("verdict", sort=False)]
    if not groups:
        st.caption("No adjacency to list.")
        return
    chosen = state.chosen_edge()
    ends = {frozenset((line.parent, line.child)): (line.parent, line.child) for line in table.itertuples()}
    picked = ends.get(frozenset(chosen)) if chosen else None
    edge_list.draw(columns, groups, Key.table(_VIEW), "Edges by verdict", picked)


def group(found: Verdict, kind: str, rows: pd.DataFrame, known: Known, checked: StatesCheck | None) -> Group:
    """Return the edges of one verdict as lines of the list."""
    lines = []
    for line in rows.itertuples():
        ends = str(line.parent), str(line.child)
        join = "→" if line.direction == "settled" else "–"
        numbers = [share(line.found_again), *([probability(line.real)] if found.has_posterior else [])]
        mark = "" if known is None else "✓" if frozenset(ends) in known else "✗"
        sentence = found.sentence(*ends)
        if checked is not None and checked.finer.suspected(*ends):
            sentence += f" But it is {checked.finer.about(*ends)}."
        lines.append(Line(ends, f" {join} ".join(ends), tuple(numbers), sentence, mark))
    title = f"{kind[0].upper()}{kind[1:]} ({len(rows):,})"
    if known is not None:
        title += f": {sum(line.mark == '✓' for line in lines):,} in the known network"
    return Group(title, MEANINGS[kind], verdict_look(kind, state.dark()), tuple(lines))


def remarks(found: Verdict, study: bn.Study, known: Known, hidden: bool) -> list[str]:
    """Say how to read the picture, what is hidden, and how much of a known network was found."""
    told = [
        "An arrow: direction settled. A line: direction open. Click an edge in the network or in the list: it stands "
        "out in both."
    ]
    n_hidden = len(found.table(hidden=True)) - len(found.table())
    if n_hidden and not hidden:
        what = "neither found again nor real" if found.has_posterior else NOT_FOUND
        told.append(f"{counted(n_hidden, 'learned edge')} {'is' if n_hidden == 1 else 'are'} {what}, and not shown.")
    if known is not None:
        true = found.truths([(min(pair), max(pair)) for pair in known])
        told.append(f"Of the {counted(len(known), 'adjacency')} of the known network, {missed(true, found)}.")
    ensemble = study.ensembles[found.answers.method]
    by = f"Found again by: {TITLES[found.answers.method]}"
    if ensemble.n_graphs < ensemble.n_planned:
        by += f", {ensemble.n_graphs:,} of {ensemble.n_planned:,} replicates"
    return [*told, f"{by}."]


def missed(true: dict[str, int], found: Verdict) -> str:
    """Say how many adjacencies of the known network have each verdict."""
    start = {kind: f"{true[kind]:,} {'is' if true[kind] == 1 else 'are'} {kind}" for kind in found.kinds}
    scarce = {TOO_LITTLE: f"for {true[TOO_LITTLE]:,} there is too little data"} if found.has_posterior else {}
    return ", ".join((start | scarce).values())


# The views of the Confidence page: the verdict first, then how the methods compare, and averaged networks.

_VIEWS = {"verdict": "Verdict", "methods": "How the methods compare", "network": "Averaged networks"}


@dataclass(frozen=True)
class Shown:
    """What the views are about, as far as it is known."""

    study: bn.Study
    experiment: bn.Experiment
    data: bn.Dataset
    real: EdgePosterior | None
    found: Verdict
    #: Of the averaged network, as it is shown when the report is asked for.
    threshold: dict[str, float | None] = field(default_factory=dict)

    @cached_property
    def answers(self) -> EdgeAnswers:
        """Both answers about every edge of the kind that the experiment counts."""
        return both_answers(self.study, self.experiment, self.real)


@fragment
def views(shown: Shown) -> None:
    """Draw the chosen view."""
    chosen = tabs("View", _VIEWS, Key.CONFIDENCE_VIEW)
    if chosen == "verdict":
        checked = experiments.states_checked(shown.experiment, shown.data, shown.study.reference)
        network_and_list(shown.found, shown.study, checked)
        features(shown.study, shown.experiment, shown.data, shown.real)
        rows_needed(shown.experiment, shown.data)
    elif chosen == "methods":
        compared_methods(shown.study, shown.experiment, shown.data, shown.answers)
    else:
        network_and_edges(shown.study, shown.experiment, shown.data, shown.real, shown.threshold)
    edge_drawer.offer(shown.experiment, shown.data, shown.study)


def downloads(shown: Shown) -> None:
    """Offer downloads, and the code that repeats the run."""
    experiment, table = shown.experiment, shown.study.table1().reset_index()
    take_away(
        ("Edges by verdict", shown.found.table(hidden=True), "verdict.csv"),
        ("All edges with both answers", with_all_methods(shown.study, shown.answers), "edge_confidence.csv"),
        ("Table 1", table, "table1.csv"),
        code=experiment.python() + python_real(experiment, shown.data) + _PYTHON,
        command="confidence",
        report=lambda: html_report(
            as_shown(experiment, shown.threshold), shown.data, shown.study, shown.real, shown.threshold.get("shown")
        ),
        r_code=bn.settings.r_script(experiment),
    )


_PYTHON = "print(bn.verdict(study, posterior=posterior).table())\n"
