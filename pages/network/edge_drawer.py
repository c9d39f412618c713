"""Everything that is known of the chosen edge, in a dialog that opens from the network or its list."""

from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.answers.edge_explanation import EdgeExplanation
from bnengine.data.rows_and_states import state_order
from bnengine.plots.methods import edge_figure, rows_figure
from bnengine.scores.pair_rows import PairRows
from pages.network.run import Run
from pages.shared import show, state
from pages.shared.benchmark_results import on_directions
from pages.shared.downloads import csv_button
from pages.shared.format import counted, escaped, listed, sentence, short
from pages.shared.keys import Key
from pages.shared.run import run_state
from pages.shared.widgets.constraints_control import edge_actions
from pages.shared.words import NETWORK as WORDS

_MOST_STATES = 30  # of one variable, in the table of counts


def offer(run: Run) -> None:
    """Open the drawer about the edge that was clicked, and keep it open while the page is drawn again."""
    chosen = state.chosen_edge()
    if chosen is None or state.get(Key.OPEN_EDGE) != chosen or not set(chosen) <= set(run.data.names):
        return
    title, icon = f"{escaped(chosen[0])} – {escaped(chosen[1])}", ":material/manage_search:"
    drawer = st.dialog(title, width="medium", position="right", icon=icon, on_dismiss=state.close_edge)
    drawer(_drawn)(run, chosen)


def _drawn(run: Run, chosen: tuple[str, str]) -> None:
    """Draw the dialog; a constraint that was set in it has closed it, and draws the page again."""
    if run_state.is_outdated():
        st.rerun()
    score, constraints = run.experiment.full_score, run.experiment.constraints
    try:
        facts = bn.answers.explain_edge(
            run.data, *chosen, score, run.study, run.real, constraints=constraints, method=run.method
        )
    except bn.DataError as error:
        st.info(sentence(error))
        return
    everything(facts)
    st.markdown("**As a constraint**")
    edge_actions((facts.parent, facts.child), constraints)


def everything(facts: EdgeExplanation) -> None:
    """Show the answers, then each point with its heading."""
    sentences = facts.sentences
    for topic in ("answer", "decided"):
        if topic in sentences:
            show.note(escaped(sentences[topic]), f"edge {topic}", small=False)
    show.chart(
        edge_figure(facts, state.dark()),
        "edge answers",
        "Confidence in this edge by every method, and the probability that it is real",
        caption="Share of each method's graphs that join the two, in either direction. Bars: 95% intervals.",
    )
    if "measured" in sentences:
        st.caption(escaped(sentences["measured"]))
    for topic, title in WORDS["about_an_edge"].items():
        if topic in sentences:
            st.markdown(f"**{title}**")
            show.note(escaped(sentences[topic]), f"edge {topic}", small=False)
            if topic == "direction":
                st.caption(escaped(on_directions()))
    if facts.rows is None:
        _counts(facts)
    else:
        _rows(facts, facts.rows)
    csv_button("All methods' answers", facts.to_frame(), "edge.csv")


def _counts(facts: EdgeExplanation) -> None:
    """Tabulate the rows by the states of the two."""
    counts = count_table(facts)
    shown = counts.iloc[:_MOST_STATES, : _MOST_STATES + 1]
    show.table(shown, {name: name for name in shown}, height=min(38 + 35 * len(counts), 260))
    rows = "Rows in which both are seen, by" if facts.missing_way else "Rows of the table by"
    st.caption(f"{rows} {escaped(facts.parent)} (down) and {escaped(facts.child)} (across); in brackets, "
               "as many as would be expected if the two were independent.")  # fmt: skip


def _rows(facts: EdgeExplanation, rows: PairRows) -> None:
    """Draw the rows of a pair with a number in it."""
    ends = f"{escaped(facts.parent)} and {escaped(facts.child)}"
    part = f"{len(rows.x):,} of " if len(rows.x) < rows.n_rows else ""
    drawn = f"{part}{counted(rows.n_rows, 'row')}"
    if rows.states_of:
        how = "Boxes hold the middle half of the rows of a state; the line in them is the median."
    else:
        others = [name for name in facts.gains[0].others if name != rows.by]
        fixed = f", with {escaped(listed(others, len(others)))} at the mean" if others else ""
        by = f", drawn for each state of {escaped(rows.by)}" if rows.by else ""
        how = f"The line is a regression on normal scores and their squares{by}{fixed}."
    show.chart(rows_figure(facts, rows, state.dark()), "edge rows", f"Rows by {ends}", caption=f"{drawn}. {how}")


def count_table(facts: EdgeExplanation) -> pd.DataFrame:
    """Return the counts with those expected in brackets, a row for each state of the parent."""
    down, across = ([*(state_order(own) or range(len(own)))] for own in facts.states)
    cells: dict[str, Any] = {facts.parent: [facts.states[0][k] for k in down]}
    for k in across:
        name = facts.states[1][k]
        pairs = zip(facts.observed[down, k].tolist(), facts.expected[down, k].tolist(), strict=True)
        cells[name if name != facts.parent else f"{facts.child} = {name}"] = [
            f"{count:,} ({short(expected)})" for count, expected in pairs
        ]
    return pd.DataFrame(cells)
