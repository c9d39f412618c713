"""The learned graph against another one; edges, steps, parts of the score and other searches as tables."""

import dataclasses
import math
from dataclasses import replace

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.resampling_methods import TITLES, first_shown
from bnengine.experiment.states_check import StatesCheck
from bnengine.plots.curves import trace_figure
from bnengine.plots.palette import aside, ink, method_color
from bnengine.search import SEARCHES
from bnengine.settings import label_of
from pages.learn.network import Gains, with_bins, with_truth
from pages.shared import experiments, in_use, jobs, results, show, state
from pages.shared.downloads import csv_button, repeat_popover, take_network_along
from pages.shared.format import counted, escaped, integer, tex
from pages.shared.keys import Key
from pages.shared.show import Edges, two_graphs
from pages.shared.widgets.choice import choice, lazy_expander_for
from pages.shared.widgets.score_controls import PLAIN_SCORES, reason_against, score_of, score_title

OTHER, AVERAGED, KNOWN = "Another score or search", "The averaged network", "The known network"
_NO_SEARCH = ("k2", "fixed_ordering", "tree")  # those that need an ordering, or are meant for few variables


@lazy_expander_for("Compare with another graph", "other graph", ":material/difference:")
def other_graph(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """Draw the choice of the other graph, and both in one picture."""
    known, ensembles = in_use.true_edges(data.names), results.ensembles(experiment, data)
    methods = [key for key in ensembles if key != "data"]
    titles = {"other": OTHER} | ({"averaged": AVERAGED} if methods else {})
    titles |= {"known": f"{KNOWN}, {known[0]}"} if known else {}
    columns = st.columns(3, gap="medium")
    which = choice("Compare with", titles, Key.OTHER_GRAPH, columns[0])
    dark, color, words = state.dark(), ink(state.dark()), "in the known network"
    if which == "known" and known is not None:
        edges: Edges | None = known[1]
    elif which == "averaged":
        key = first_shown(methods)
        study = bn.Study(graph, ensembles)
        edges = study.averaged(key, study.strength_threshold(key, experiment.kind), experiment.kind).edges
        color, words = method_color(key, dark), f"in the averaged network of the {TITLES[key]}"
    else:
        edges = learned_otherwise(data, experiment, columns[1], columns[2])
        words = "in the other graph"
    if edges is not None:
        two_graphs(data.names, graph.edges, edges, ("in this graph", words), (aside(dark), color), "other_graph")
        if not methods:
            st.caption("After a run on the Confidence page, the averaged network can be compared, too.")


def learned_otherwise(
    data: bn.Dataset,
    experiment: bn.Experiment,
    left: "st.delta_generator.DeltaGenerator",
    right: "st.delta_generator.DeltaGenerator",
) -> Edges | None:
    """Return the edges learned with the chosen score and search."""
    scores = {key: score_title(key) for key in PLAIN_SCORES}
    searches = {
        tag: label_of(SEARCHES[tag]) for tag in SEARCHES if tag not in _NO_SEARCH and not reason_against(tag, data)
    }
    other = "bdeu" if state.get(Key.SCORE) == "bic" else "bic"
    score = choice("Its score", scores, Key.OTHER_SCORE, left, first=other)
    search = choice("Its search", searches, Key.OTHER_SEARCH, right, first=state.get(Key.SEARCH))
    wanted = dataclasses.replace(experiment, score=score_of(score, experiment), search=SEARCHES[search]())
    found = jobs.another_graph(
        "other graph", wanted, data, "Learning the other graph", "Stopped early. The best graph until then is shown."
    )
    if found is None:
        return None
    st.caption(f"The other graph: {escaped(wanted.full_score.name)}, {escaped(wanted.search.name)}.")
    return found.edges


# Edges, steps, the parts of the score and other searches, as tables to read and to download.


def tables(
    data: bn.Dataset, graph: bn.LearnedGraph, gains: Gains, experiment: bn.Experiment, checked: StatesCheck | None
) -> None:
    """Show the edges, with downloads and the code that repeats the run."""
    edges = with_bins(with_truth(edge_frame(gains), data.names), checked)
    st.markdown("**Edges by gain in score**")
    titles = {"gain_nats": "Gain, nats", "gain_bits": "Gain, bits"}
    show.edge_rows(edges, Key.EDGE_ROWS, 300, titles, decimals=1)
    st.caption("Choose a row to mark its edge in the picture, and to require or forbid it.")
    with st.container(horizontal=True):
        csv_button("Edges", edges, "edges.csv")
        take_network_along(data, graph.edges, "network", about={"experiment": experiment.to_dict()})
        repeat_popover(experiment.python_learn(), "learn", bn.settings.r_script(replace(experiment, methods=())))


@lazy_expander_for("Score by step of the search", "steps", ":material/show_chart:")
def steps(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """Show the score by step of the search."""
    show.chart(trace_figure(graph, state.dark()), "trace", "Score by step of the search")
    if isinstance(experiment.search, bn.TreeSearch):
        st.caption(tree_sentence(len(graph.trace), data.n_variables))


def tree_sentence(visited: int, n_variables: int) -> str:
    """Return the number of networks visited by the tree search, and the number of all networks."""
    return (
        f"{counted(visited, 'network')} visited, out of {integer(bn.teaching.n_dags(n_variables))} directed acyclic "
        f"graphs over {counted(n_variables, 'variable')}. There are 2^(n(n−1)/2) = "
        f"{integer(bn.teaching.n_undirected_graphs(n_variables))} undirected graphs."
    )


def edge_frame(gains: Gains) -> pd.DataFrame:
    """Return the edges with their gains, largest first."""
    lines = [(parent, child, gain, gain / math.log(2)) for (parent, child), gain in gains.items()]
    frame = pd.DataFrame(lines, columns=["parent", "child", "gain_nats", "gain_bits"])
    return frame.sort_values("gain_nats", ascending=False, kind="stable", ignore_index=True)


@lazy_expander_for("Parts of the score", "parts", ":material/bar_chart:")
def decomposition(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """Show the parts of the score: dependence, noise, penalty."""
    parts = bn.teaching.decompose(data, graph.edges, experiment.full_score)
    terms = (
        (r"N\sum I(X;\mathrm{Pa}_X)", parts.dependence),
        (r"N\sum H(X)", parts.noise),
        (r"\text{penalty}", parts.penalty),
    )
    braced = " - ".join(rf"\underbrace{{{term}}}_{{{tex(value, 5)}}}" for term, value in terms)
    st.latex(rf"\text{{score}} = {braced} = {tex(parts.score, 5)}\ \text{{nats}}")
    st.caption(
        "More edges increase the first part and the penalty; the second part is the same for every graph. The "
        "penalty is the log-likelihood minus the score (Koller & Friedman 2009, Sec. 18.3)."
    )
    titles = {"log_likelihood": "Log-likelihood, nats", "penalty": "Penalty, nats", "score": "Score, nats"}
    per_row = {"information": "I(X; parents), nats per row", "entropy": "H(X), nats per row"}
    names = {"parents": ("Parents", {"width": "medium"})}
    shown = names | {key: (title, 1) for key, title in titles.items()} | per_row
    show.table(parts.families, shown, decimals=3, height=320)
    csv_button("Families", parts.families, "families.csv")


@lazy_expander_for("Compare searches on these data", "searches", ":material/leaderboard:")
def comparison(data: bn.Dataset, experiment: bn.Experiment) -> None:
    """Show the comparison of searches, started by a click."""
    table = experiments.comparison_of(experiment, data)
    if table is None:
        return
    about = "Structural Hamming distance between the equivalence class and the best search's."
    titles = {
        "score": "Score, nats",
        "below_best": "Below the best, nats",
        "class_distance": ("SHD to the best", {"help": about}),
        "families": "Families scored",
        "seconds": ("Time, s", 4),
    }
    show.table(table, titles)
    csv_button("Comparison", table, "searches.csv")
