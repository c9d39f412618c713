"""Learn: one graph, drawn, with what each edge adds to the score."""

import io
import math

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import running, state
from pages._shared.controls import escaped
from pages._shared.figures.network import EdgeStyle, network_figure, plain
from pages._shared.figures.palette import ink
from pages._shared.figures.trace import trace_figure


def main() -> None:
    """The page."""
    data, problem = state.dataset()
    if data is None:
        st.error(f"{escaped(problem)}.", icon=":material/error:")
        st.page_link("pages/data.py", label="Go to Data", icon=":material/table:")
        return
    experiment = state.experiment()
    graph = running.graph_of(experiment, data)
    if graph is None:
        return
    gains = bn.edge_gains(data, graph.edges, experiment.score)
    empty = bn.score(data, [], experiment.score)
    st.markdown(
        f"#### On {escaped(experiment.data.title)} ({data.n_rows:,} rows), {experiment.search.name} with "
        f"{experiment.score.name} finds **{len(graph.edges)} edges**: {graph.score - empty:,.0f} nats "
        f"({(graph.score - empty) / math.log(2):,.0f} bits) better than no edges."
    )
    if not graph.edges:
        st.info(escaped(bn.explain_empty(data, experiment.score)))
    else:
        draw(data, graph, gains)
    numbers(data, graph, experiment, empty)
    tables(data, graph, gains, experiment)


def draw(data: bn.Dataset, graph: bn.LearnedGraph, gains: dict[tuple[str, str], float]) -> None:
    """The picture, and the line of the edge that was clicked."""
    most = max(gains.values())
    dark = state.dark()
    styles = {
        (data.index(parent), data.index(child)): EdgeStyle(
            ink(dark),
            0.8 + 2.4 * math.sqrt(max(gain, 0.0) / most) if most > 0 else 1.0,
            f"<b>{plain(parent)} → {plain(child)}</b><br>gains {in_both_units(gain)}",
        )
        for (parent, child), gain in gains.items()
    }
    st.plotly_chart(
        network_figure(data.names, styles, dark),
        key="learned_network",
        theme=None,
        on_select=lambda: state.choose_clicked("learned_network"),
        selection_mode="points",
        config={"displaylogo": False, "scrollZoom": True, "modeBarButtonsToRemove": ["select2d", "lasso2d"]},
        alt=f"Network with {len(gains)} edges",
    )
    chosen = state.chosen_edge()
    if chosen in gains:
        parent, child = chosen
        st.markdown(
            f"**{escaped(parent)} → {escaped(child)}** adds {in_both_units(gains[chosen])} to the score; "
            f"{escaped(child)} has {int(graph.adjacency[:, data.index(child)].sum())} parents."
        )
    else:
        st.caption(
            "Thicker edges add more to the score. Point at an edge for its gain, click it to keep the line here."
        )


def in_both_units(nats: float) -> str:
    """A score difference in nats and bits."""
    return f"{nats:.3g} nats = {nats / math.log(2):.3g} bits"


def numbers(data: bn.Dataset, graph: bn.LearnedGraph, experiment: bn.Experiment, empty: float) -> None:
    """Score, parameters and work, beside the empty graph's."""
    columns = st.columns(4)
    columns[0].metric("score, nats (higher is better)", f"{graph.score:,.1f}", help="Natural logarithm.")
    columns[1].metric("score of no edges, nats", f"{empty:,.1f}")
    columns[2].metric("free parameters", f"{bn.n_parameters(data, graph.edges):,}")
    columns[3].metric("families scored", f"{graph.n_evaluations:,}", help=f"Search status: {graph.status}.")


def tables(
    data: bn.Dataset, graph: bn.LearnedGraph, gains: dict[tuple[str, str], float], experiment: bn.Experiment
) -> None:
    """The edges, the trace, and everything to take away."""
    left, right = st.columns([3, 2], gap="large")
    edges = pd.DataFrame(
        [(parent, child, gain, gain / math.log(2)) for (parent, child), gain in gains.items()],
        columns=["parent", "child", "gain_nats", "gain_bits"],
    ).sort_values("gain_nats", ascending=False, ignore_index=True)
    with left:
        st.markdown("**Edges, by what each adds to the score**")
        st.dataframe(
            edges,
            hide_index=True,
            height=300,
            column_config={
                "gain_nats": st.column_config.NumberColumn("gain, nats", format="%.1f"),
                "gain_bits": st.column_config.NumberColumn("gain, bits", format="%.1f"),
            },
        )
    with right:
        st.markdown("**Score after each step of the search**")
        st.plotly_chart(
            trace_figure(graph, state.dark()),
            key="trace",
            theme=None,
            config={"displayModeBar": False},
            alt="Score by step",
        )
    with st.container(horizontal=True):
        st.download_button("Edges (CSV)", edges.to_csv(index=False), "edges.csv", "text/csv", on_click="ignore")
        bif = bif_text(data, graph)
        if bif is not None:
            st.download_button("Network with probabilities (BIF)", bif, "network.bif", "text/plain", on_click="ignore")
        lines = f"graph = bn.learn(data, bn.{experiment.score!r}, bn.{experiment.search!r}, rng={experiment.seed})"
        with st.popover("Repeat this in Python"):
            st.code(f"{experiment.python_data()}{lines}\nprint(graph.edges, graph.score)\n", language="python")


def bif_text(data: bn.Dataset, graph: bn.LearnedGraph) -> bytes | None:
    """The fitted network as BIF; None, with the reason on the page, where a table would be too large."""
    try:
        buffer = io.BytesIO()
        bn.write_bif(bn.fit(data, graph.edges, ess=1.0), buffer)
    except ValueError as error:
        st.caption(f"No BIF: {escaped(str(error))}.")
        return None
    return buffer.getvalue()


main()
