"""Learn: one graph, drawn, with what each edge adds to the score."""

import math

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.tie_effect import TieEffect
from bnengine.scores.evaluation import explain_empty
from pages._shared import app_guard, session, show
from pages._shared.downloads import bif_button, csv_button, repeat_popover
from pages._shared.figures.network import EdgeStyle, network_figure, plain
from pages._shared.figures.palette import ink
from pages._shared.figures.trace import trace_figure
from pages._shared.format import at_most, counted, escaped, whole
from pages._shared.jobs import experiments
from pages._shared.require_data import own_data
from pages._shared.session import Key
from pages._shared.widgets.choice import tabs

DRAWN, CLASS = "graph", "equivalence class"


def main() -> None:
    """The page."""
    data = own_data()
    if data is None:
        return
    experiment = session.settings.experiment()
    graph = experiments.graph_of(experiment, data)
    if graph is None:
        return
    score = experiment.full_score
    gains = bn.teaching.edge_gains(data, graph.edges, score)
    empty = bn.score(data, [], score)
    proved = f", proved best of all graphs{at_most(experiment)}," if graph.status == "optimal" else ""
    show.finding(
        f"On {escaped(experiment.data.title)} ({data.n_rows:,} rows), {experiment.search.name} with "
        f"{escaped(score.name)} finds **{counted(len(graph.edges), 'edge')}**{proved} "
        f"{(graph.score - empty):,.0f} nats ({(graph.score - empty) / math.log(2):,.0f} bits) better than no edges."
    )
    if graph.status == "max_iterations":
        st.warning("The search reached its limit of steps before it was done; this is the best graph by then.")
    if not graph.edges:
        st.info(escaped(explain_empty(data, score, experiment.constraints)))
    else:
        draw(data, graph, gains)
        ties(data, graph, experiment)
    numbers(data, graph, empty)
    tables(data, graph, gains, experiment)
    take_away(data, graph, gains, experiment)
    decomposition(data, graph, experiment)
    comparison(data, experiment)


def draw(data: bn.Dataset, graph: bn.LearnedGraph, gains: dict[tuple[str, str], float]) -> None:
    """The picture, and the line of the edge that was clicked."""
    view = tabs(
        "What is drawn",
        [DRAWN, CLASS],
        Key.VIEW,
        first=DRAWN,
        help="Edges whose direction the data cannot tell are drawn without arrowheads in the equivalence class.",
    )
    most = max(gains.values())
    dark = session.dark()
    both_ways = graph.cpdag & graph.cpdag.T if view == CLASS else np.zeros_like(graph.adjacency)
    styles = {}
    for (parent, child), gain in gains.items():
        i, j = data.index(parent), data.index(child)
        join = "-" if both_ways[i, j] else "→"
        styles[i, j] = EdgeStyle(
            ink(dark),
            0.8 + 2.4 * math.sqrt(max(gain, 0.0) / most) if most > 0 else 1.0,
            f"<b>{plain(parent)} {join} {plain(child)}</b><br>gains {in_both_units(gain)}",
            arrow=not both_ways[i, j],
        )
    show.chart(
        network_figure(data.names, styles, dark),
        "learned_network",
        f"Network with {len(gains)} edges",
        clickable=True,
        movable=True,
    )
    chosen = session.data.chosen_edge()
    if chosen in gains:
        parent, child = chosen
        st.markdown(
            f"**{escaped(parent)} → {escaped(child)}** adds {in_both_units(gains[chosen])} to the score; "
            f"{escaped(child)} has {int(graph.adjacency[:, data.index(child)].sum())} parents."
        )
    elif view == CLASS:
        reversible = int(np.triu(both_ways).sum())
        st.caption(
            f"{reversible} of {len(gains)} edges have no arrowhead: graphs that turn them fit the data equally well, "
            "so that the data cannot tell their direction."
        )
    else:
        st.caption(
            "Thicker edges add more to the score. Point at an edge for its gain, click it to keep the line here."
        )


def ties(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment) -> None:
    """How many edges have a direction that the data do not tell, or hang on a tie; and another order of ties."""
    reversible = int(np.triu(graph.cpdag & graph.cpdag.T).sum())
    left, right = st.columns([4, 1], gap="medium", vertical_alignment="center")
    is_or_are = "is" if reversible == 1 else "are"
    turned = (
        f"**{reversible} of {counted(len(graph.edges), 'edge')}** {is_or_are} reversible: other graphs of the same "
        "equivalence class turn them"
    )
    if experiment.ties == "columns":
        left.caption(f"{turned}; ties are broken in the order of the columns.")
        return
    right.button(
        "New order",
        icon=":material/shuffle:",
        help="Takes the next seed: ties are broken in another order.",
        on_click=session.settings.next_seed,
        key=Key.NEW_ORDER,
    )
    with left:
        effect = experiments.tie_effect_of(experiment, data, graph)
        if effect is None:
            st.caption(f"{turned}.")
            return
        st.caption(f"{turned}. {tie_sentence(effect)}")


def tie_sentence(effect: TieEffect) -> str:
    """What breaking ties in other orders changes."""
    orders = f"Run {effect.n_orders} times with ties broken in other orders, the search ended in "
    if effect.n_graphs == 1:
        return f"{orders}the same graph each time."
    classes = f"{counted(effect.n_graphs, 'different graph')} of {counted(effect.n_classes, 'equivalence class')}"
    if not effect.unsettled:
        return f"{orders}{classes}, all of which join the same pairs."
    shown = ", ".join(f"{escaped(one)} – {escaped(other)}" for one, other in effect.unsettled[:5])
    more = f" and {len(effect.unsettled) - 5} more" if len(effect.unsettled) > 5 else ""
    return (
        f"{orders}{classes}; {counted(len(effect.unsettled), 'pair')} "
        f"{'is' if len(effect.unsettled) == 1 else 'are'} joined in some of them only: {shown}{more}."
    )


def in_both_units(nats: float) -> str:
    """A score difference in nats and bits."""
    return f"{nats:.3g} nats = {nats / math.log(2):.3g} bits"


def numbers(data: bn.Dataset, graph: bn.LearnedGraph, empty: float) -> None:
    """Score, parameters and work, beside the empty graph's."""
    columns = st.columns(4)
    columns[0].metric("score, nats (higher is better)", f"{graph.score:,.1f}", help="Natural logarithm.")
    columns[1].metric("score of no edges, nats", f"{empty:,.1f}")
    columns[2].metric("free parameters", f"{bn.n_parameters(data, graph.edges):,}")
    columns[3].metric("families scored", f"{graph.n_evaluations:,}", help=f"Search status: {graph.status}.")


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
            f"{value:,.1f}".replace(",", "{,}") for value in (parts.dependence, parts.noise, parts.penalty, parts.score)
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


app_guard.through_app()
main()
