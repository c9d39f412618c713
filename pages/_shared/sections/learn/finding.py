"""The result of a search, in a sentence and in four numbers."""

import math

import streamlit as st

import bnengine as bn
from pages._shared import session
from pages._shared.format import at_most, counted, escaped, short


def sentence(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment, empty: float) -> str:
    """The finding; ``empty`` is the score of the graph without edges."""
    gain = graph.score - empty
    proved = f" (optimal{at_most(experiment)})" if graph.status == "optimal" else ""
    start = (
        f"On {session.data.title()} ({counted(data.n_rows, 'row')}), {experiment.search.name} with "
        f"{escaped(experiment.full_score.name)} finds"
    )
    if not graph.edges:
        return f"{start} **no edge**{proved}."
    return (
        f"{start} **{counted(len(graph.edges), 'edge')}**{proved}: {short(gain)} nats "
        f"({short(gain / math.log(2))} bits) better than no edges."
    )


def numbers(data: bn.Dataset, graph: bn.LearnedGraph, empty: float) -> None:
    """Score, parameters and work, next to the score of the empty graph."""
    columns = st.columns(4)
    columns[0].metric("Score, nats", short(graph.score), help="Natural logarithm; higher is better.")
    columns[1].metric("Score without edges, nats", short(empty))
    columns[2].metric("Free parameters", f"{bn.n_parameters(data, graph.edges):,}")
    columns[3].metric("Families scored", f"{graph.n_evaluations:,}", help=f"Search status: {graph.status}.")
