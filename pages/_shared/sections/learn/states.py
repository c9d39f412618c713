"""What the states do to the learned edges: those that binning alone may have made, and those that many states hide."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.experiment.binning import StatesCheck
from pages._shared import session, show
from pages._shared.format import counted, escaped
from pages._shared.jobs import experiments
from pages._shared.sections.data.repairs import n_open
from pages._shared.session import Key


def missing_edges(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """Where few edges or none were found, say what may be the matter with the table, and lead to its repair."""
    open_repairs = n_open()
    if open_repairs and len(graph.edges) < data.n_variables / 2:
        _offer(
            f"{counted(open_repairs, 'proposed repair')} of this table {'is' if open_repairs == 1 else 'are'} still "
            "open. Spellings, codes and dates that are read as states of their own hide edges.",
            "See the repairs",
            "repairs",
            _to_data,
        )
    checked = experiments.states_checked(experiment)
    joined = checked.joined if checked is not None else None
    if joined is not None:
        _offer(
            f"{joined.sentence} The Data page can undo it.",
            "Join the states",
            "join",
            lambda: session.data.set_recipe(joined.recipe),
        )


def _offer(sentence: str, label: str, name: str, do: Callable[[], None]) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=Key.of("offer", name)):
        st.markdown(f":material/build: {escaped(sentence)}", width="stretch")
        if st.button(label, key=Key.of(Key.REPAIR, name)):
            do()
            st.rerun()


def _to_data() -> None:
    session.history.open_page("pages/data.py")


def suspects(experiment: bn.Experiment) -> None:
    """Say which edges binning alone may have made, or that none did."""
    checked = experiments.states_checked(experiment)
    if checked is None or not checked.finer.bins:
        return
    if checked.finer.suspects:
        st.warning(escaped(checked.finer.sentence), icon=":material/view_column:")
    elif checked.finer.found:
        show.note(escaped(checked.finer.sentence), "bins")


def with_bins(table: pd.DataFrame, checked: StatesCheck | None) -> pd.DataFrame:
    """Return a table of edges with a further column: what became of each edge with finer bins."""
    if checked is None or not checked.finer.bins:
        return table
    pairs = zip(table["parent"], table["child"], strict=True)
    return table.assign(finer_bins=[checked.finer.about(parent, child) for parent, child in pairs])
