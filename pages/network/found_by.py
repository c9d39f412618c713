"""How it was found: the search and its steps, description lengths of other graphs, other searches."""

import math

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.answers.views import VIEWS, NetworkView
from bnengine.networks.network_files import n_pairs
from bnengine.plots.curves import trace_figure
from pages.network.run import Run
from pages.shared import experiments, show, state
from pages.shared.downloads import csv_button
from pages.shared.format import at_most, counted, escaped, short
from pages.shared.keys import Key
from pages.shared.widgets.choice import lazy_expander, tabs
from pages.shared.words import NETWORK as WORDS

_PARTS = {"lengths": "Description lengths", "steps": "Steps of the search", "searches": "Other searches"}


def draw(run: Run, view: NetworkView) -> None:
    """Offer what there is to say about the search."""
    lazy_expander("How it was found", "found by", ":material/route:", lambda: _chosen(run, view))


def _chosen(run: Run, view: NetworkView) -> None:
    show.note(search_sentence(run), "search", small=False)
    chosen = tabs("Part", _PARTS, Key.FOUND_BY)
    if chosen == "lengths":
        lengths(run, view)
    elif chosen == "steps":
        steps(run)
    else:
        searches(run)


def search_sentence(run: Run) -> str:
    """Say which search found the best-scoring graph, and how much better it is than none."""
    graph, score = run.graph, run.experiment.full_score
    proved = f" (optimal{run.on_draw}{at_most(run.experiment)})" if graph.status == "optimal" else ""
    gain = graph.score - bn.score(run.rows, [], score)
    return (
        f"{run.experiment.search.name[0].upper()}{run.experiment.search.name[1:]} with {escaped(score.name)} looked at "
        f"{counted(graph.n_evaluations, 'local score')} (of a variable with its parents) and found "
        f"**{counted(len(graph.edges), 'edge')}**{proved}: {short(gain / math.log(2))} bits better than no edges."
    )


def lengths(run: Run, view: NetworkView) -> None:
    """Show in how many bits the rows are described by the best-scoring graph, and by others."""
    table = length_table(run, view)
    show.table(
        table, {"graph": "Graph", "parameters": "Free parameters", "bits": ("Bits", 0), "more": ("Bits more", 0)}
    )
    also = f" {WORDS['lengths_of_numbers']}" if run.data.numbers else ""
    st.caption(f"{WORDS['lengths']}{also}")
    csv_button("Description lengths", table, "description_lengths.csv")


def length_table(run: Run, view: NetworkView) -> pd.DataFrame:
    """Tabulate the description lengths of the best-scoring graph, the view's, the known one, a tree and no edges."""
    rows = run.rows
    graphs = {VIEWS["learned"]: run.graph.edges}
    if view.name != "learned":
        graphs[f"{VIEWS[view.name]}, as shown"] = view.edges
    known = run.reference
    if known is not None and n_pairs(known.edges) == len(known.edges):  # all of one direction
        graphs[f"Known network, {known.name}"] = list(known.edges)
    graphs |= {"Best tree": bn.learn(rows, bn.BIC(), bn.ChowLiu()).edges, "No edges": []}
    lines = []
    for title, edges in graphs.items():
        length = bn.mdl(rows, edges)
        lines.append((title, len(edges), length.parameters, length.mdl))
    table = pd.DataFrame(lines, columns=["graph", "edges", "parameters", "bits"])
    return table.assign(more=table["bits"] - table["bits"].iloc[0])


def steps(run: Run) -> None:
    """Show the score by step of the search."""
    show.chart(trace_figure(run.graph, state.dark()), "trace", "Score by step of the search")
    if run.graph.status == "optimal":
        st.caption("An exact search takes one variable after the other: the score is that of the variables so far.")


def searches(run: Run) -> None:
    """Show the comparison of searches, started by a click."""
    table = experiments.comparison_of(run.experiment, run.data)
    if table is None:
        return
    titles = {
        "score": "Score, nats",
        "below_best": "Below the best, nats",
        "class_distance": ("Edges that differ", {"help": "Structural Hamming distance (SHD) between the classes."}),
        "families": "Families scored",
        "seconds": ("Time, s", 4),
    }
    show.table(table, titles)
    csv_button("Comparison", table, "searches.csv")
