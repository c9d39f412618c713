"""Local maxima and plateaus: greedy search stuck, tabu and restarts getting out, on the same rows."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.curves import Curve, curves_figure
from pages._shared.figures.palette import series
from pages._shared.format import counted, short
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice

_PARITY = "parity of two coins"
_NETWORKS = ("asia", "sachs", "survey")
_ROOM_BELOW = 2  # times what separates the searches: the steep first steps would hide it
_ROWS = (50, 100, 200, 300, 500, 1000, 2000)


@st.cache_resource(max_entries=48, show_spinner=False)  # results are frozen, and their mappings cannot be pickled
def escapes(source: str, n_rows: int, seed: int, noise: float) -> bn.teaching.GreedyComparison:
    """Greedy search and its rivals on the rows."""
    return bn.teaching.compare_with_greedy(_rows(source, n_rows, seed, noise))


def _rows(source: str, n_rows: int, seed: int, noise: float) -> bn.Dataset:
    if source == _PARITY:
        return bn.teaching.parity_sample(n_rows, noise, rng=seed)
    return bn.load_network(source).sample(n_rows, seed)


def stuck(_: bn.Dataset) -> None:
    """Sentence, the searches step by step, controls, table."""
    head, picture = st.container(), st.container()
    source, n_rows, seed, noise = controls()
    found = escapes(source, n_rows, seed, noise)
    with head:
        show.finding(sentence(found))
    with picture:
        show.chart(trace_figure(found), "stuck traces", "Score of each search, step by step")
    st.caption(
        f"At the graph where greedy search stops none of its {found.neighbours} single changes gains"
        + (f"; {found.level} of them leave the score as it is: a plateau. " if found.level else ". ")
        + "Tabu search takes the best change even where it loses, but never back to a recent graph; restarts shake the "
        "best graph with five random changes and climb again. Dotted: where greedy search stops; what lies far below "
        "is cut off. Score: BIC."
    )
    table = pd.DataFrame(
        {
            "search": list(found.graphs),
            "score": [graph.score for graph in found.graphs.values()],
            "behind": list(found.behind.values()),
            "edges": [len(graph.edges) for graph in found.graphs.values()],
            "graph": [", ".join(f"{i} → {j}" for i, j in graph.edges) or "no edges" for graph in found.graphs.values()],
        }
    )
    show.table(table, {"score": "BIC, nats", "behind": "below the best, nats"})
    take_away(("Searches", table, "stuck.csv"), ("Steps", steps(found), "stuck_steps.csv"))


def steps(found: bn.teaching.GreedyComparison) -> pd.DataFrame:
    """The score after each step of each search."""
    parts = [
        pd.DataFrame({"search": name, "step": range(len(graph.trace)), "score": graph.trace})
        for name, graph in found.graphs.items()
    ]
    return pd.concat(parts, ignore_index=True)


def controls() -> tuple[str, int, int, float]:
    """Where the rows come from."""
    columns = st.columns([3, 2, 2, 2, 3], vertical_alignment="bottom")
    source = choice("rows from", (_PARITY, *_NETWORKS), Key.STUCK_SOURCE, columns[0])
    n_rows = int(columns[1].selectbox("rows", _ROWS, index=4, **kept(Key.STUCK_ROWS)))
    seed = int(columns[2].number_input("seed of the rows", 0, 1_000_000, 0, **kept(Key.ROWS_SEED)))
    if source == _PARITY:
        noise = columns[3].slider("noise", 0.0, 0.5, 0.1, 0.05, **kept(Key.STUCK_NOISE))
        return source, n_rows, seed, float(noise)
    columns[4].button("Next rows that trap it", icon=":material/search:", on_click=_next_trap, args=(source, n_rows))
    if session.values.get(Key.NO_TRAP):
        st.info("None of the next 200 seeds traps greedy search; take other rows or another network.")
    return source, n_rows, seed, 0.0


def _next_trap(source: str, n_rows: int) -> None:
    """Move the seed to the next rows on which greedy search gets stuck and the others do not."""
    first = int(session.values.get(Key.ROWS_SEED, 0)) + 1
    seed = bn.teaching.find_trap(bn.load_network(source), n_rows, first=first, tries=200)
    session.values.put(Key.NO_TRAP, seed is None)
    if seed is not None:
        session.values.put(Key.ROWS_SEED, seed)


def sentence(found: bn.teaching.GreedyComparison) -> str:
    """Who is stuck, and by how much."""
    names, graphs = list(found.graphs), list(found.graphs.values())
    edges = [counted(len(graph.edges), "edge") for graph in graphs]
    if not found.stuck:
        return f"On these rows greedy search is **not stuck**: no search finds more than its {edges[0]}."
    ways = [f"{name} ({edge})" for name, edge in zip(names[1:], edges[1:], strict=True) if found.behind[name] < 1e-6]
    return (
        f"Greedy search stops at {edges[0]}, **{short(found.behind[names[0]])} nats** below what "
        f"{' and '.join(ways)} {'find' if len(ways) > 1 else 'finds'} on the same rows."
    )


def trace_figure(found: bn.teaching.GreedyComparison):  # type: ignore[no-untyped-def]
    """Score against step, one curve a search."""
    dark = session.dark()
    curves = [
        Curve(
            "greedy hill climbing" if k == 0 else name,
            list(range(len(graph.trace))),
            graph.trace,
            color,
            mode="lines+markers" if len(graph.trace) < 40 else "lines",
            hover="step %{x}: %{y:,.5~g} nats",
        )
        for k, ((name, graph), color) in enumerate(zip(found.graphs.items(), series(dark), strict=False))
    ]
    stop, gap = next(iter(found.graphs.values())).score, next(iter(found.behind.values()))
    lowest = min(float(graph.trace.min()) for graph in found.graphs.values())
    figure = curves_figure(
        curves[::-1],
        dark,
        "step",
        "BIC, nats",
        height=330,
        level=stop,
        y_range=(max(stop - _ROOM_BELOW * gap, lowest) - 0.1 * gap, stop + 1.2 * gap) if found.stuck else None,
    )
    figure.update_traces(marker={"size": 9}, selector={"name": curves[0].name})
    figure.update_layout(legend_traceorder="reversed")
    return figure
