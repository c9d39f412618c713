"""Naive vs. corrected confidence, as in the paper's Figure 1; the correction's strength; the edges."""

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from bnengine.bootstrap.resampling_methods import CORRECTED, JOINS, NAIVE, TITLES
from bnengine.experiment.paper import HOW_TO_READ, figure1_panel, figure1_panels
from bnengine.plots.confidence import clearly, figure1_figure
from bnengine.plots.network_drawing import EdgeStyle
from bnengine.plots.palette import method_color
from bnengine.report.report_sentences import numbers_of_edges
from pages.network.run import Run
from pages.shared import in_use, show, state
from pages.shared.format import escaped, percent
from pages.shared.keys import Key
from pages.shared.state import persistent
from pages.shared.widgets import edge_list
from pages.shared.widgets.edge_list import Line, group_of
from pages.shared.words import NETWORK as WORDS

_LAST = "naive against corrected"  # in the session: the run that was shown last
_HELPS = {
    NAIVE: "Share of the naive bootstrap's replicates that have the edge.",
    CORRECTED: "The same with the bias of the bootstrap subtracted from the score.",
}


def controls(run: Run) -> None:
    """Say the numbers of edges; draw the strength of the correction."""
    place, slider = st.container(key=Key.wide("naive")).columns([3, 2], gap="medium", vertical_alignment="bottom")
    label, most = "Strength of the correction, nats per free parameter", max(2.0, state.get(Key.STRENGTH))
    slider.slider(label, 0.0, most, step=0.05, **persistent(Key.STRENGTH), help=WORDS["correction"])
    before = shown(run)
    text = numbers_of_edges(before.experiment, before.data, before.study, in_use.title())
    show.note(text if before is run else f"{WORDS['before']} {text}", "numbers", place, small=False)


def is_known(run: Run) -> bool:
    """Return whether both bootstraps have replicates."""
    return {NAIVE, CORRECTED} <= set(run.study.ensembles)


def shown(run: Run) -> Run:
    """Return the run; while its replicates are learned with another strength, the one that was shown last.

    So the picture stays in place until its marks move.
    """
    of = (run.data.digest, run.experiment.graph_key)
    if is_known(run):
        state.put(_LAST, (of, run))
        return run
    held_of, held = state.get(_LAST, (None, run))
    if held_of != of:
        state.pop(_LAST)  # of other data or settings
    before: Run = held if held_of == of else run
    return before


def draw(run: Run) -> None:
    """Draw the naive against the corrected confidence, large; below, both against the graph of the data."""
    if not is_known(run):
        st.caption("The picture follows once both bootstraps have replicates.")
        return
    *others, first = figure1_panels(run.study)
    _panel(run, *first)
    for column, (across, up) in zip(st.columns(2, gap="small"), others, strict=False):
        with column:
            _panel(run, across, up)
    crosses = "" if run.reference is None else f"A cross: an edge that is not in {escaped(run.reference.name)}. "
    st.caption(WORDS["figure1"].format(crosses=crosses, how_to_read=HOW_TO_READ))


def _panel(run: Run, across: str, up: str) -> None:
    kind = run.experiment.kind
    panel = figure1_panel(run.study, across, up, kind)
    known = None if run.reference is None else run.reference.either_way
    figure = figure1_figure(panel, state.dark(), state.chosen_edge(), kind, known)
    show.chart(figure, f"figure1 {across} {up}", panel.description, clickable=True, square=True)


def draw_list(run: Run) -> None:
    """List the edges by how much more confident the naive bootstrap is; those that are alike by its confidence."""
    if not is_known(run):
        return
    kind, dark, known = run.experiment.kind, state.dark(), run.reference
    line = partial(_line, run, kind=kind, known=known)
    table = run.study.overstated(NAIVE, CORRECTED, kind)
    more = clearly(table)
    alike = table[more == 0].sort_values(f"confidence_{NAIVE}", ascending=False, kind="stable")
    parts = (
        ("Overstated by the naive bootstrap", table[more > 0], NAIVE),
        ("Alike, within two standard errors", alike, "data"),
        ("Understated by the naive bootstrap", table[more < 0], CORRECTED),
    )
    groups = [
        group_of(title, _in(known, edges), EdgeStyle(method_color(key, dark), 2.0, ""), edges, line)
        for title, edges, key in parts
        if len(edges)
    ]
    heads = [("Naive", _HELPS[NAIVE]), ("Corrected", _HELPS[CORRECTED])]
    edge_list.draw(heads, groups, Key.table("naive"), "Edges by overstatement")


def _in(known: in_use.Reference | None, edges: pd.DataFrame) -> str:
    """Say how many edges the known network has."""
    if known is None:
        return ""
    has = sum(pair in known.either_way for pair in zip(edges["parent"], edges["child"], strict=True))
    return f"In {escaped(known.name)}: {has:,}. Not in it: {len(edges) - has:,}."


def _line(run: Run, line: Any, kind: str, known: in_use.Reference | None) -> Line:
    ends = str(line.parent), str(line.child)
    ends = run.ends(*ends) if kind == "adjacency" else ends
    naive, corrected = (getattr(line, f"confidence_{key}") for key in (NAIVE, CORRECTED))
    text = f"{percent(naive)} by the {TITLES[NAIVE]}, {percent(corrected)} by the {TITLES[CORRECTED]}."
    mark = "" if known is None else "✓" if ends in known.either_way else "✗"
    return Line(ends, f"{ends[0]} {JOINS[kind]} {ends[1]}", (percent(naive), percent(corrected)), text, mark)
