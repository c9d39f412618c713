"""Local optima and plateaus: greedy search stops, tabu search and restarts go on, on the same rows."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from bnengine.plots.curves import Curve, curves_figure
from bnengine.plots.palette import series
from pages.shared import show, state
from pages.shared.format import counted, short
from pages.shared.keys import Key
from pages.shared.lessons import Subject
from pages.shared.state import persistent
from pages.shared.widgets.choice import choice
from pages.shared.words import BAYESIAN as WORDS

_PARITY = "parity of two coins"
_NETWORKS = ("asia", "sachs", "survey")
_ROOM_BELOW = 2  # times the gap between the searches: the steep first steps would hide it
_ROWS = (50, 100, 200, 300, 500, 1000, 2000)


@st.cache_resource(max_entries=48, show_spinner=False)  # results are frozen, and their mappings cannot be pickled
def escapes(source: str, n_rows: int, seed: int, noise: float) -> bn.teaching.GreedyComparison:
    """Compare greedy search with the other searches on a sample."""
    if source == _PARITY:
        return bn.teaching.compare_with_greedy(bn.teaching.parity_sample(n_rows, noise, rng=seed))
    return bn.teaching.compare_with_greedy(bn.load_network(source).sample(n_rows, seed))


def local_optima_section(_: Subject) -> None:
    """Show the finding, the searches step by step, the controls, and the table."""
    head, picture = st.container(), st.container()
    found = escapes(*controls())
    show.finding(_optima_sentence(found), head)
    show.chart(trace_figure(found), "stuck traces", "Score of each search, step by step", picture)
    plateau = f"; {found.level} of them leave it unchanged, a plateau" if found.level else ""
    st.caption(WORDS["local_optima"].format(changes=counted(found.neighbours, "single change"), plateau=plateau))
    table = pd.DataFrame(
        {
            "search": list(found.graphs),
            "score": [graph.score for graph in found.graphs.values()],
            "behind": list(found.behind.values()),
            "edges": [len(graph.edges) for graph in found.graphs.values()],
            "graph": [", ".join(f"{i} → {j}" for i, j in graph.edges) or "no edges" for graph in found.graphs.values()],
        }
    )
    titles = {"search": "Search", "score": "BIC, nats", "behind": "Below the best, nats", "edges": "Edges"}
    show.table(table, titles | {"graph": "Graph"})


def controls() -> tuple[str, int, int, float]:
    """Return where the rows come from: source, number of rows, seed and noise."""
    columns = st.columns(4)
    sources = {_PARITY: "Parity of two coins"} | {name: name.upper() for name in _NETWORKS}
    source = choice("Source of the rows", sources, Key.STUCK_SOURCE, columns[0])
    n_rows = int(columns[1].selectbox("Number of rows", _ROWS, index=4, **persistent(Key.STUCK_ROWS)))
    seed = int(columns[2].number_input("Seed of the rows", 0, 1_000_000, 0, **persistent(Key.ROWS_SEED)))
    if source != _PARITY:
        return source, n_rows, seed, 0.0
    return source, n_rows, seed, float(columns[3].slider("Noise", 0.0, 0.5, 0.1, 0.05, **persistent(Key.STUCK_NOISE)))


def _optima_sentence(found: bn.teaching.GreedyComparison) -> str:
    """Return whether greedy search is stuck, and by how much."""
    greedy, *others = found.graphs
    edges = {name: counted(len(graph.edges), "edge") for name, graph in found.graphs.items()}
    if not found.stuck:
        return f"Greedy search is **not stuck** on these rows: no search improves on its {edges[greedy]}."
    better = [f"{name} ({edges[name]})" for name in others if found.behind[name] < 1e-6]
    return (
        f"Greedy search stops at {edges[greedy]}, **{short(found.behind[greedy])} nats** below "
        f"{' and '.join(better)} on the same rows."
    )


def trace_figure(found: bn.teaching.GreedyComparison) -> go.Figure:
    """Draw the best score so far against the step, one curve per search; thin and dotted, the score of each step."""
    dark, greedy = state.dark(), next(iter(found.graphs))
    curves = []
    for (name, graph), color in zip(found.graphs.items(), series(dark), strict=False):
        steps, title = list(range(len(graph.trace))), "greedy hill climbing" if name == greedy else name
        hover, size = "step %{x}: %{y:,.5~g} nats", 9 if name == greedy else 5
        each = Curve(title, steps, graph.trace, color, "dot", "lines", hover, in_legend=False, width=1)
        best = Curve(title, steps, np.maximum.accumulate(graph.trace), color, hover=f"best so far, {hover}", size=size)
        curves += [best, each] if name != greedy else [best]
    stop, gap = found.graphs[greedy].score, found.behind[greedy]
    lowest = min(float(graph.trace.min()) for graph in found.graphs.values())
    low = max(stop - _ROOM_BELOW * gap, lowest) - 0.1 * gap
    y_range = (low, stop + 1.2 * gap) if found.stuck else None
    figure = curves_figure(curves[::-1], dark, "step", "BIC, nats", height=330, level=stop, y_range=y_range)
    return figure.update_layout(legend_traceorder="reversed")
