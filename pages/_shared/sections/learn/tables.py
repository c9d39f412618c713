"""Edges, steps, the parts of the score and other searches, as tables to read and to download."""

import math
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button, repeat_popover
from pages._shared.figures.trace import trace_figure
from pages._shared.format import counted, tex, whole
from pages._shared.jobs import experiments
from pages._shared.sections.learn.known_truth import with_truth
from pages._shared.sections.learn.network import Gains
from pages._shared.session import Key
from pages._shared.take_along import take_network_along
from pages._shared.widgets.later import later


def tables(data: bn.Dataset, graph: bn.LearnedGraph, gains: Gains, experiment: bn.Experiment) -> None:
    """The edges, with downloads and the code that repeats the run."""
    edges = with_truth(edge_frame(gains), data.names)
    st.markdown("**Edges by gain in score**")
    pairs = list(zip(edges["parent"], edges["child"], strict=True))
    show.table(
        edges,
        {"gain_nats": "Gain, nats", "gain_bits": "Gain, bits"},
        decimals=1,
        height=min(38 + 35 * len(edges), 300),
        key=Key.EDGE_ROWS,
        on_select=partial(session.data.choose_row, Key.EDGE_ROWS, pairs),
        selection_mode="single-row",
    )
    st.caption("Choose a row to mark its edge in the picture, and to require or forbid it.")
    with st.container(horizontal=True):
        csv_button("Edges", edges, "edges.csv")
        take_network_along(data, graph.edges, "network", about={"experiment": experiment.to_dict()})
        repeat_popover(
            experiment.python_learn(),
            [bn.command_line(experiment, "learn")],
            bn.r_script(replace(experiment, methods=())),
        )


def steps(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """The steps of the search, once they are asked for."""
    later("Score by step of the search", "steps", ":material/show_chart:", lambda: trace(data, graph, experiment))


def trace(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """The score by step of the search."""
    show.chart(trace_figure(graph, session.dark()), "trace", "Score by step of the search")
    if isinstance(experiment.search, bn.TreeSearch):
        st.caption(tree_sentence(len(graph.trace), data.n_variables))


def tree_sentence(visited: int, n_variables: int) -> str:
    """The number of networks visited by the tree search, and the number of all networks."""
    return (
        f"{counted(visited, 'network')} visited, out of {whole(bn.teaching.n_dags(n_variables))} directed acyclic "
        f"graphs over {counted(n_variables, 'variable')}. There are 2^(n(n−1)/2) = "
        f"{whole(bn.teaching.n_undirected_graphs(n_variables))} undirected graphs."
    )


def edge_frame(gains: Gains) -> pd.DataFrame:
    """The edges with their gains, largest first."""
    lines = [(parent, child, gain, gain / math.log(2)) for (parent, child), gain in gains.items()]
    frame = pd.DataFrame(lines, columns=["parent", "child", "gain_nats", "gain_bits"])
    return frame.sort_values("gain_nats", ascending=False, kind="stable", ignore_index=True)


def decomposition(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """The parts of the score, once they are asked for."""
    later("Parts of the score", "parts", ":material/bar_chart:", lambda: parts_of_score(data, graph, experiment))


def parts_of_score(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """The parts of the score: dependence, noise, penalty."""
    parts = bn.decompose(data, graph.edges, experiment.full_score)
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


def comparison(data: bn.Dataset, experiment: bn.Experiment) -> None:
    """Several searches with the same data and score, once they are asked for."""
    later("Compare searches on these data", "searches", ":material/leaderboard:", lambda: searches(data, experiment))


def searches(data: bn.Dataset, experiment: bn.Experiment) -> None:
    """The comparison, started by a click."""
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
