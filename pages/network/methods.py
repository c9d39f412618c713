"""How the methods compare: numbers of edges, Table 1, overstated and spurious edges."""

from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.resampling_methods import ALL_KEYS, CORRECTED, LABELS, NAIVE, RESAMPLING_METHODS, TITLES
from bnengine.plots.confidence import FIRST, clearly, in_degree_figure, overstated_figure, spurious_figure
from bnengine.plots.methods import all_edge_counts_figure
from bnengine.settings import setting_of
from pages.network.run import Run
from pages.shared import show, state
from pages.shared.downloads import csv_button, take_away
from pages.shared.format import counted, plus_minus, short
from pages.shared.keys import Key
from pages.shared.state import persistent
from pages.shared.widgets.choice import choice, declared, lazy_expander, tabs
from pages.shared.words import NETWORK as WORDS

_OPTIONAL = tuple(key for key in ALL_KEYS if key not in ("data", NAIVE, CORRECTED))
_ABOUT_METHODS = "\n\n".join(f"**{LABELS[key]}**: {RESAMPLING_METHODS[key].help}" for key in _OPTIONAL)
_PICTURES = {"table1": "Table 1", "overstated": "Overstated edges", "spurious": "Spurious edges"}


def draw(run: Run) -> None:
    """Offer the comparison of the methods."""
    lazy_expander("How the methods compare", "methods", ":material/compare_arrows:", lambda: _chosen(run))


def _chosen(run: Run) -> None:
    chosen = tabs("Picture", _PICTURES, Key.METHODS_VIEW)
    controls()
    {"table1": table1, "overstated": overstated, "spurious": spurious}[chosen](run)


def controls() -> None:
    """Draw what counts as an edge, and which further methods are run."""
    left, right = st.container(key=Key.wide("methods")).columns([1, 2], gap="medium", vertical_alignment="bottom")
    declared(setting_of(bn.Experiment, "kind"), place=left, help=WORDS["kind"])
    label = "Further methods, beside the naive and the corrected bootstrap"
    about = f"The delete-1 jackknife learns a graph for each row.\n\n{_ABOUT_METHODS}"
    look: dict[str, Any] = {"format_func": LABELS.__getitem__, "help": about}
    right.multiselect(label, _OPTIONAL, **persistent(Key.METHODS), **look)


def table1(run: Run) -> None:
    """Show the number of edges by method, as the paper's Table 1 does, and its distribution."""
    study = run.study
    table = study.table1()
    edges = list(map(plus_minus, table["mean"], table["sd"]))
    strengths = [getattr(study.ensembles.get(key), "strength", None) for key in study.keys]
    shown = {"method": [LABELS[key] for key in study.keys], "edges": edges, "replicates": table["replicates"]}
    if any(getattr(study.ensembles.get(key), "correction", "") == "matched" for key in study.keys):
        shown["strength"] = ["" if one is None else short(one) for one in strengths]
    show.table(shown, {"edges": "Edges, mean ± sd"}, width=560)
    st.caption(WORDS["table1"])
    alt = "Distribution of the number of edges for each method"
    show.chart(all_edge_counts_figure(study, state.dark()), "all_counts", alt)
    columns = ("edges", "edge_counts"), ("replicates", "multiplicities")
    each = pd.concat(
        pd.DataFrame({"method": key, **{name: getattr(ensemble, values) for name, values in columns}})
        for key, ensemble in study.ensembles.items()
    )
    take_away(("Table 1", table.reset_index(), "table1.csv"), ("Numbers of edges", each, "numbers_of_edges.csv"))


def overstated(run: Run) -> None:
    """Show the difference in confidence between two methods for each edge."""
    study, kind, titles = run.study, run.experiment.kind, {key: LABELS[key] for key in run.methods}
    if len(titles) < 2:
        st.caption("Two methods are needed, to compare them.")
        return
    left, right = st.columns(2)
    naive = choice("This method", titles, Key.NAIVE_METHOD, left, first=NAIVE)
    corrected = choice("Compared with", titles, Key.FAIR_METHOD, right, first=CORRECTED)
    table = study.overstated(naive, corrected, kind)
    if not len(table):
        st.caption("Neither method found an edge.")
        return
    higher, lower = (int((clearly(table) == sign).sum()) for sign in (1, -1))
    alt = f"Confidence of each edge by {TITLES[naive]} and by {TITLES[corrected]}, by the difference"
    show.chart(overstated_figure(table, naive, corrected, kind, state.dark()), "overstated", alt)
    drawn = f" The {FIRST} most overstated edges are drawn." if len(table) > FIRST else ""
    show.note(
        f"By more than two standard errors of the replicates (bars), the {TITLES[naive]} is more confident than the "
        f"{TITLES[corrected]} of {higher} of {counted(len(table), 'edge')}, less confident of {lower}.{drawn}",
        "overstated",
    )
    csv_button("All differences", table, "overstated.csv")


def spurious(run: Run) -> None:
    """Show where spurious edges point."""
    table, keys = bn.teaching.spurious_edges(run.study), [key for key in (CORRECTED, NAIVE) if key in run.methods]
    left, right = st.container(key=Key.wide("spurious")).columns(2, gap="medium")
    alt = "Share of spurious edges by the number of other parents of the child"
    show.chart(spurious_figure(table, state.dark()), "spurious", alt, left)
    alt = "Mean number of parents of each variable against that in the graph learned from the data"
    show.chart(in_degree_figure(run.study, keys, state.dark()), "parents", alt, right)
    show.note(WORDS["spurious"], "spurious")
    csv_button("Spurious edges", table, "spurious.csv")
