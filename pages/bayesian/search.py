"""Model averaging, overfitting, local optima and plateaus."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from bnengine.plots.curves import Curve, Mark, curves_figure
from bnengine.plots.palette import NAIVE, series
from bnengine.typing import FloatArray
from pages.shared import jobs, show, state
from pages.shared.downloads import csv_button, take_away
from pages.shared.format import counted, plus_minus, short, tex
from pages.shared.keys import Key, persistent
from pages.shared.lessons import Subject, computed
from pages.shared.widgets.choice import choice
from pages.shared.widgets.constraints_control import picked_variables

_SIZES = (10, 20, 50, 100, 200, 500)
_REPEATS = 10
_REPLICATES = 30
_VARIABLES = 4
_SHOWN = 0.0005  # bits; smaller gains count as none


def averaging_section(subject: Subject) -> None:
    """Show the finding, the gains by number of training rows, and the predictions of single rows."""
    data = subject.data
    sizes = [size for size in _SIZES if 2 * size <= data.n_rows]
    if not sizes:
        st.info(f"Model averaging needs at least 20 rows, half of them for testing; these data have {data.n_rows}.")
        return
    head, picture = st.container(), st.container()
    columns = st.columns([3, 2], gap="large")
    with columns[0]:
        names = picked_variables(data, "averaged", 2, 5, _VARIABLES)
    ess = float(
        columns[1].select_slider(
            "Equivalent sample size, rows", (0.1, 0.3, 1.0, 3.0, 10.0), 1.0, **persistent(Key.AVERAGED_ESS)
        )
    )
    if names is None:
        return
    seed, part = subject.experiment.seed, data.select(names)
    with picture:
        found = jobs.complete_result_of(
            "averaging",
            (part, sizes, ess, seed),
            lambda progress: bn.teaching.averaging_gains(
                part, sizes, _REPEATS, ess, _REPLICATES, rng=seed, progress=progress
            ),
            "predictions",
        )
    if found is None:
        return
    table = found.table
    if table.empty:
        st.info("Gains need two splits of the rows: the work was stopped before.")
        return
    show.finding(_averaging_sentence(table, names), head)
    show.chart(gain_figure(table), "averaged gains", "Gain over the best graph by number of training rows", picture)
    show.formula(r"P(x\mid D) = \sum_G P(x\mid G, D)\,P(G\mid D) \quad\text{versus}\quad P(x\mid \hat G, D)")
    st.caption(
        "Gain: mean log₂ probability of test rows minus that of the best graph, the most probable one, in bits per "
        f"row; mean ± standard error over {found.repeats} splits (seed {seed}). "
        "Posterior average: all graphs, weighted by exp(BDeu). "
        f"Bootstrap average: the graphs of {_REPLICATES} replicates, weighted equally. All predict with the mean of "
        "the Dirichlet posterior."
    )
    csv_button("Gains", table, "averaging.csv")
    single_rows(part, sizes, ess, seed)


def single_rows(part: bn.Dataset, sizes: list[int], ess: float, seed: int) -> None:
    """Show the probability that each method gives to each kind of test row."""
    size = sizes[0]
    if len(sizes) > 1:
        size = int(st.select_slider("Training rows in the table", sizes, size, **persistent(Key.AVERAGED_ROWS, sizes)))
    table = computed(
        "averaging rows",
        lambda: bn.teaching.predicted_against_observed(part, size, ess, _REPLICATES, seed),
        *(part, size, ess, seed),
    )
    titles = {
        "row": ", ".join(part.names),
        "observed": "Share of test rows",
        **{name: f"P, {name}" for name in table.columns[2:]},
    }
    show.table(table, titles, decimals=4, height=min(38 + 35 * len(table), 320))
    st.caption(f"Each distinct test row: its share of the test rows, and its probability predicted from {size} rows.")
    csv_button("Rows", table, "averaging_rows.csv")


def _averaging_sentence(table: pd.DataFrame, names: list[str]) -> str:
    """Return the gain from averaging with few and with many rows."""
    exact = table[table["method"] == "posterior average"]
    first, last = exact.iloc[0], exact.iloc[-1]
    text = (
        f"With {first['rows']} training rows, averaging over all {bn.teaching.n_dags(len(names)):,} graphs predicts "
        f"a new row {_gain(first)} the best graph"
    )
    if len(exact) > 1:
        text += f"; with {last['rows']}, {_gain(last)} it"
    return text + "."


def _gain(line: pd.Series) -> str:
    gain = float(line["gain_bits"])
    if abs(gain) < _SHOWN:
        return "as well as"
    shown = plus_minus(abs(gain), float(line["gain_error"]))
    return f"**{shown} bits** {'better' if gain > 0 else 'worse'} than"


def gain_figure(table: pd.DataFrame) -> go.Figure:
    """Draw the gain with its standard error against the number of training rows."""
    dark = state.dark()
    curves = []
    for method, color in (("bootstrap average", NAIVE), ("posterior average", series(dark)[0])):
        part = table[table["method"] == method]
        hover = "%{x} rows: %{y:.3f} bits per row"
        curves.append(
            Curve(method, part["rows"], part["gain_bits"], color, hover=hover, errors=part["gain_error"].tolist())
        )
    unit = "gain over the best graph, bits per row"
    return curves_figure(curves, dark, "training rows", unit, height=340, log_x=True, level=0.0, ticks=_SIZES)


# Overfitting: the maximum likelihood never falls with more edges; the probability of test rows does.

_MOST_EDGES = 120


def fitted(subject: Subject, share: float, ess: float, seed: int) -> bn.teaching.FitPath | None:
    """Return the fit to training and test rows by number of edges, from a job; None while the page waits."""
    train, test = bn.teaching.split_rows(subject.data, share, seed)
    return jobs.complete_result_of(
        "fit by edges",
        (train, test, ess),
        lambda progress: bn.teaching.fit_path(train, test, ess, most_edges=_MOST_EDGES, progress=progress),
        "edges added",
    )


def more_edges_section(subject: Subject) -> None:
    """Show the finding, the picture, the controls, and the formula."""
    if subject.data.n_rows < 2:
        st.info("Overfitting needs at least two rows, one to learn from and one to test on.")
        return
    head, picture = st.container(), st.container()
    columns = st.columns(3)
    share = float(columns[0].slider("Share of training rows", 0.1, 0.9, 0.5, 0.05, **persistent(Key.EDGES_SHARE)))
    ess = float(
        columns[1].select_slider(
            "Equivalent sample size, rows",
            (0.1, 0.3, 1.0, 3.0, 10.0),
            1.0,
            **persistent(Key.EDGES_ESS),
            help="Prior counts for the test rows.",
        )
    )
    seed = int(columns[2].number_input("Seed of the split", 0, 10_000, 0, **persistent(Key.EDGES_SEED)))
    with picture:
        path = fitted(subject, share, ess, seed)
    if path is None:
        return
    table, last = path.table, path.table.iloc[-1]
    best, by_bic = int(table["held_out"].idxmax()), int(table["bic"].idxmax())
    show.finding(
        f"Test rows of {subject.title} are predicted best with **{counted(best, 'edge')}** and BIC selects "
        f"**{by_bic}**; the training likelihood never falls up to {last['edges']}.",
        head,
    )
    show.chart(fit_figure(table, best, by_bic), "edges fit", "Fit to training and test rows by edges", picture)
    show.formula(
        r"\ln L_{\max}(G + \text{edge}) - \ln L_{\max}(G) = N\,\hat I(X;\,Y\mid \mathrm{Pa}_X) \ge 0: \quad "
        rf"{tex(table['train'].iloc[0], 4)} \to {tex(last['train'], 4)}\ \text{{nats per row}}"
    )
    st.caption(
        f"Edges are added greedily by training likelihood, with at most five parents per variable. With "
        f"{counted(int(last['edges']), 'edge')}, the maximum-likelihood network gives "
        f"{counted(int(last['impossible']), 'test row')} probability 0; the curve of the test rows therefore uses "
        "probabilities smoothed by prior counts."
    )
    csv_button("Fit by edges", table, "fit_by_edges.csv")


def fit_figure(table: pd.DataFrame, best: int, by_bic: int) -> go.Figure:
    """Draw the training, test and BIC curves; BIC may leave the frame at the bottom."""
    dark, hover = state.dark(), "edges: %{x}<br>%{y:.4~g} nats per row"
    columns = (
        ("training rows, log-likelihood", "train", "solid"),
        ("test rows, log-probability", "held_out", "solid"),
        ("training rows, BIC", "bic", "dot"),
    )
    curves = [
        Curve(name, table["edges"], table[column], color, dash, hover=hover)
        for (name, column, dash), color in zip(columns, series(dark), strict=False)
    ]
    fit = table[["train", "held_out"]].to_numpy()
    room = 0.12 * float(fit.max() - fit.min()) or 1.0  # of a single graph, where the work was stopped
    first = by_bic < best  # the labels stand on the outside
    marks = [Mark(best, f"best for test rows: {best}", left=not first)]
    if by_bic != best:
        marks.append(Mark(by_bic, f"best BIC: {by_bic}", left=first))
    y_range = (float(fit.min()) - room, float(fit.max()) + room)
    return curves_figure(curves, dark, "edges", "nats per row", height=360, marks=marks, y_range=y_range)


# Local optima and plateaus: greedy search stops, tabu search and restarts go on, on the same rows.

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
    st.caption(
        f"Where greedy search stops, none of the {counted(found.neighbours, 'single change')} improves the score"
        f"{plateau}. Tabu search takes the best change even if the score falls, but never returns to a recent graph; "
        "restarts make five random changes to the best graph and climb again. Lines: the best score so far; thin: the "
        "score of each step; much lower scores are cut off. Score: BIC."
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
    titles = {"search": "Search", "score": "BIC, nats", "behind": "Below the best, nats", "edges": "Edges"}
    show.table(table, titles | {"graph": "Graph"})
    steps = [
        pd.DataFrame(
            {"search": name, "step": range(len(graph.trace)), "score": graph.trace, "best_so_far": best_so_far(graph)}
        )
        for name, graph in found.graphs.items()
    ]
    take_away(("Searches", table, "stuck.csv"), ("Steps", pd.concat(steps, ignore_index=True), "stuck_steps.csv"))


def controls() -> tuple[str, int, int, float]:
    """Return where the rows come from: source, number of rows, seed and noise."""
    columns = st.columns([3, 2, 2, 2, 3], vertical_alignment="bottom")
    sources = {_PARITY: "Parity of two coins"} | {name: name.upper() for name in _NETWORKS}
    source = choice("Source of the rows", sources, Key.STUCK_SOURCE, columns[0])
    n_rows = int(columns[1].selectbox("Number of rows", _ROWS, index=4, **persistent(Key.STUCK_ROWS)))
    seed = int(columns[2].number_input("Seed of the rows", 0, 1_000_000, 0, **persistent(Key.ROWS_SEED)))
    if source == _PARITY:
        noise = columns[3].slider("Noise", 0.0, 0.5, 0.1, 0.05, **persistent(Key.STUCK_NOISE))
        return source, n_rows, seed, float(noise)
    columns[4].button("Find a trap", icon=":material/search:", on_click=_next_trap, args=(source, n_rows))
    if state.get(Key.NO_TRAP):
        st.info("Greedy search is not trapped with any of the next 200 seeds. Change the number of rows or the source.")
    return source, n_rows, seed, 0.0


def _next_trap(source: str, n_rows: int) -> None:
    """Move the seed to the next rows on which greedy search is stuck and the others are not."""
    first = int(state.get(Key.ROWS_SEED, 0)) + 1
    seed = bn.teaching.find_trap(bn.load_network(source), n_rows, first=first, tries=200)
    state.put(Key.NO_TRAP, seed is None)
    if seed is not None:
        state.put(Key.ROWS_SEED, seed)


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


def best_so_far(graph: bn.LearnedGraph) -> FloatArray:
    """Return the best score up to each step."""
    return np.maximum.accumulate(np.asarray(graph.trace, dtype=np.float64))


def trace_figure(found: bn.teaching.GreedyComparison) -> go.Figure:
    """Draw the best score so far against the step, one curve per search; thin and dotted, the score of each step."""
    dark, greedy = state.dark(), next(iter(found.graphs))
    curves = []
    for (name, graph), color in zip(found.graphs.items(), series(dark), strict=False):
        steps, title = list(range(len(graph.trace))), "greedy hill climbing" if name == greedy else name
        hover, size = "step %{x}: %{y:,.5~g} nats", 9 if name == greedy else 5
        each = Curve(title, steps, graph.trace, color, "dot", "lines", hover, in_legend=False, width=1)
        best = Curve(title, steps, best_so_far(graph), color, hover=f"best so far, {hover}", size=size)
        curves += [best, each] if name != greedy else [best]
    stop, gap = found.graphs[greedy].score, found.behind[greedy]
    lowest = min(float(graph.trace.min()) for graph in found.graphs.values())
    low = max(stop - _ROOM_BELOW * gap, lowest) - 0.1 * gap
    y_range = (low, stop + 1.2 * gap) if found.stuck else None
    figure = curves_figure(curves[::-1], dark, "step", "BIC, nats", height=330, level=stop, y_range=y_range)
    return figure.update_layout(legend_traceorder="reversed")
