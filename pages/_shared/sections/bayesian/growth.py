"""BDeu and BIC with a growing number of rows, and whether the true graph wins."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.curves import Curve, curves_figure
from pages._shared.figures.palette import series
from pages._shared.format import counted, escaped, short
from pages._shared.section import computed, side_by_side
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice

_NETWORKS = ("survey", "cancer", "earthquake", "asia", "sachs")
_SIZES = (30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10_000)
_ESS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_TICKS = (30, 100, 300, 1000, 3000, 10_000)
_REPEATS = 10
Edge = tuple[str, str]


def grown(network: str, spurious: Edge, missing: Edge, ess: float, seed: int) -> pd.DataFrame:
    """Return the scores of the three graphs by number of rows."""
    true = bn.load_network(network)
    graphs = bn.teaching.graphs_around(true, spurious, missing)
    return bn.teaching.score_growth(true, graphs, _SIZES, ess, _REPEATS, seed)


def section(_: bn.Dataset) -> None:
    """Show the finding, two pictures, the controls, and the theory."""
    head, pictures = st.container(), st.container()
    name, spurious, missing, ess = controls()
    seed = session.settings.experiment().seed
    asked = (name, spurious, missing, ess, seed)
    table = computed("growth", lambda: grown(*asked), *asked)
    show.finding(sentence(table, name), head)
    with pictures:
        side_by_side(
            ("Score minus the true graph's (dotted: BIC)", consistency_figure(table), "growth ahead"),
            (f"BDeu({ess:g}) − BIC of the same graph", difference_figure(table), "growth difference"),
        )
    show.formula(
        r"\ln P(D\mid G) = \ln L_{\max} - \tfrac{|\theta|}{2}\ln N + O(1) = \mathrm{BIC} + O(1)",
        r"\text{spurious edge: } \approx -\tfrac{\Delta|\theta|}{2}\ln N,"
        r"\quad \text{missing edge: } \approx -N\cdot I + \tfrac{\Delta|\theta|}{2}\ln N",
    )
    zeros = bn.teaching.n_impossible(bn.load_network(name))
    show.note(
        f"Means over {_REPEATS} samples from {name.upper()}; seed {seed}. "
        + (
            f"In this network {counted(zeros, 'probability')} {'is' if zeros == 1 else 'are'} 0. BIC penalizes these "
            "parameters and BDeu does not, so the difference keeps growing with ln N."
            if zeros
            else "The difference stays bounded while both scores tend to minus infinity."
        ),
        "zeros",
    )
    csv_button("Scores by number of rows", table, "scores_by_rows.csv")


def controls() -> tuple[str, Edge, Edge, float]:
    """Return the network, the spurious edge, the missing edge, and the equivalent sample size."""
    columns = st.columns(4)
    name = choice("Network", {name: name.upper() for name in _NETWORKS}, Key.GROWTH_NETWORK, columns[0])
    network = bn.load_network(name)
    free, present = _by_label(bn.teaching.addable_edges(network)), _by_label(network.edges)
    spurious = columns[1].selectbox("Spurious edge", free, **kept(Key.GROWTH_SPURIOUS, name))
    missing = columns[2].selectbox("Missing edge", present, **kept(Key.GROWTH_MISSING, name))
    ess = columns[3].select_slider("Equivalent sample size, rows", _ESS, 1.0, **kept(Key.GROWTH_ESS))
    return name, free[str(spurious)], present[str(missing)], float(ess)


def _by_label(edges: list[Edge]) -> dict[str, Edge]:
    return {f"{parent} → {child}": (parent, child) for parent, child in edges}


def sentence(table: pd.DataFrame, name: str) -> str:
    """Return from how many rows on the true graph wins against both others."""
    winning = bn.teaching.rows_until_first_wins(table)
    true = table[table["graph"] == "true graph"]["bdeu_minus_bic"]
    start = (
        f"From **{winning:,} rows** on, the true graph of {escaped(name.upper())} scores higher than both wrong ones"
        if winning
        else f"**{_SIZES[-1]:,} rows** are too few for the true graph of {escaped(name.upper())} to win"
    )
    return (
        f"{start}; its BDeu − BIC is {short(true.iloc[-2])} nats with {_SIZES[-2]:,} rows and "
        f"{short(true.iloc[-1])} with {_SIZES[-1]:,}."
    )


def consistency_figure(table: pd.DataFrame) -> go.Figure:
    """Draw each wrong graph's lead over the true one; what falls out of the frame has lost."""
    dark, hover = session.dark(), "%{x:,} rows: %{y:.3~g} nats"
    curves = []
    for graph, color in zip(("one spurious edge", "one missing edge"), series(dark)[1:], strict=False):
        part = table[table["graph"] == graph]
        for key, dash in (("bdeu_ahead", "solid"), ("bic_ahead", "dot")):
            solid = dash == "solid"
            curves.append(Curve(graph, part["rows"], part[key], color, dash, hover=hover, in_legend=solid))
    figure = curves_figure(
        curves, dark, "number of rows", "nats", height=310, log_x=True, y_range=(-30, 15), level=0.0, ticks=_TICKS
    )
    for y, text in ((0.99, "wrong graph ahead"), (0.03, "true graph ahead")):
        figure.add_annotation(x=0.02, y=y, xref="paper", yref="paper", text=text, showarrow=False)
    return figure


def difference_figure(table: pd.DataFrame) -> go.Figure:
    """Draw BDeu - BIC of each graph."""
    dark = session.dark()
    curves = [
        Curve(str(graph), part["rows"], part["bdeu_minus_bic"], color, hover="%{x:,} rows: %{y:.3~g} nats")
        for (graph, part), color in zip(table.groupby("graph", sort=False), series(dark), strict=False)
    ]
    return curves_figure(curves, dark, "number of rows", "nats", height=310, log_x=True, level=0.0, ticks=_TICKS)
