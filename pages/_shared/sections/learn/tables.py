"""Edges, steps, the parts of the score and other searches, as tables to read and to download."""

import math

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import bif_button, csv_button, repeat_popover
from pages._shared.figures.trace import trace_figure
from pages._shared.format import tex, whole
from pages._shared.jobs import experiments


def tables(
    data: bn.Dataset, graph: bn.LearnedGraph, gains: dict[tuple[str, str], float], experiment: bn.Experiment
) -> None:
    """The edges and the trace."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown("**Edges, by what each adds to the score**")
        show.table(edge_frame(gains), {"gain_nats": "gain, nats", "gain_bits": "gain, bits"}, decimals=1, height=300)
    with right:
        st.markdown("**The search, step by step**")
        show.chart(trace_figure(graph, session.dark()), "trace", "Score by step")
        if isinstance(experiment.search, bn.TreeSearch):
            st.caption(tree_sentence(len(graph.trace), data.n_variables))


def tree_sentence(visited: int, n_variables: int) -> str:
    """How many networks the tree search visited, and of how many."""
    return (
        f"{visited:,} networks visited, of {whole(bn.teaching.n_dags(n_variables))} directed acyclic graphs over "
        f"{n_variables} variables; there are 2^(n(n−1)/2) = "
        f"{whole(bn.teaching.n_undirected_graphs(n_variables))} undirected ones."
    )


def edge_frame(gains: dict[tuple[str, str], float]) -> pd.DataFrame:
    """The edges with their gains, largest first."""
    lines = [(parent, child, gain, gain / math.log(2)) for (parent, child), gain in gains.items()]
    frame = pd.DataFrame(lines, columns=["parent", "child", "gain_nats", "gain_bits"])
    return frame.sort_values("gain_nats", ascending=False, kind="stable", ignore_index=True)


def take_away(
    data: bn.Dataset, graph: bn.LearnedGraph, gains: dict[tuple[str, str], float], experiment: bn.Experiment
) -> None:
    """Downloads, and the lines that repeat the run."""
    with st.container(horizontal=True):
        csv_button("Edges", edge_frame(gains), "edges.csv")
        bif_button("Network with probabilities", data, graph.edges, "network.bif")
        repeat_popover(experiment.python_learn(), [bn.command_line(experiment, "learn")])


def decomposition(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """Where the score comes from."""
    with st.expander("Where the score comes from", icon=":material/bar_chart:"):
        parts = bn.decompose(data, graph.edges, experiment.full_score)
        dependence, noise, penalty, total = (
            tex(value, 5) for value in (parts.dependence, parts.noise, parts.penalty, parts.score)
        )
        st.latex(
            r"\text{score} = \underbrace{N\sum I(X;\mathrm{Pa}_X)}_{" + dependence + "} - "
            r"\underbrace{N\sum H(X)}_{"
            + noise
            + r"} - \underbrace{\text{penalty}}_{"
            + penalty
            + "} = "
            + total
            + r"\ \text{nats}"
        )
        st.caption(
            "More edges raise the first part and the penalty; the second part is the same for every graph. The penalty "
            "is what the score lies below the log-likelihood, whatever the score calls it (Koller & Friedman 2009, "
            "Sec. 18.3)."
        )
        shown = {"log_likelihood": "log-likelihood, nats", "penalty": "penalty, nats", "score": "score, nats"}
        show.table(
            parts.families,
            {
                **{key: (title, 1) for key, title in shown.items()},
                "information": "I(X; parents), nats a row",
                "entropy": "H(X), nats a row",
            },
            decimals=3,
            height=320,
        )
        csv_button("Families", parts.families, "families.csv")


def comparison(data: bn.Dataset, experiment: bn.Experiment) -> None:
    """Several searches on the same data and score."""
    with st.expander("Compare searches on these data", icon=":material/leaderboard:"):
        table = experiments.comparison_of(experiment, data)
        if table is None:
            return
        show.table(
            table,
            {
                "score": "score, nats",
                "below_best": "below the best",
                "class_distance": st.column_config.NumberColumn(
                    "distance", help="Structural Hamming distance between equivalence classes, to the best one's."
                ),
                "families": "families scored",
                "seconds": ("seconds", 4),
            },
        )
        csv_button("Comparison", table, "searches.csv")
