"""BDeu against BIC as rows come in, and whether the true graph wins."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.curves import Curve, curves_figure
from pages._shared.figures.palette import series
from pages._shared.format import escaped, short
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice

_NETWORKS = ("survey", "cancer", "earthquake", "asia", "sachs")
_SIZES = (30, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10_000)
_ESS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_TICKS = (30, 100, 300, 1000, 3000, 10_000)
_REPEATS = 10
Edge = tuple[str, str]


@st.cache_data(max_entries=48, show_spinner="Drawing rows and scoring …")
def grown(network: str, spurious: Edge, missing: Edge, ess: float, seed: int) -> pd.DataFrame:
    """The scores of the three graphs by number of rows."""
    true = bn.load_network(network)
    return bn.teaching.score_growth(
        true, bn.teaching.graphs_around(true, spurious, missing), _SIZES, ess, _REPEATS, seed
    )


def growth(_: bn.Dataset) -> None:
    """Sentence, the two pictures, controls."""
    head, pictures = st.container(), st.container()
    name, spurious, missing, ess = controls()
    table = grown(name, spurious, missing, ess, session.settings.experiment().seed)
    with head:
        show.finding(sentence(table, name))
    with pictures:
        left, right = st.columns(2, gap="large")
        with left:
            st.markdown("**Score less the true graph's** (dotted: BIC)")
            show.chart(consistency_figure(table), "growth ahead", "Score less that of the true graph, by rows")
        with right:
            st.markdown(f"**BDeu({ess:g}) − BIC of the same graph**")
            show.chart(difference_figure(table), "growth difference", "BDeu minus BIC by number of rows")
    show.formula(
        r"\ln P(D\mid G) = \ln L_{\max} - \tfrac{|\theta|}{2}\ln N + O(1) = \mathrm{BIC} + O(1)",
        r"\text{spurious edge: } \approx -\tfrac{\Delta|\theta|}{2}\ln N,"
        r"\quad \text{missing edge: } \approx -N\cdot I + \tfrac{\Delta|\theta|}{2}\ln N",
    )
    zeros = bn.teaching.n_impossible(bn.load_network(name))
    show.note(
        f"Means over {_REPEATS} samples drawn from {name.upper()}; the seed is the sidebar's. "
        + (
            f"In this network {zeros} probabilities are 0: parameters that BIC charges and BDeu learns for nothing, so "
            "here the difference keeps growing with ln N."
            if zeros
            else "The difference stays bounded while both scores go to minus infinity."
        ),
        "zeros",
    )
    csv_button("Scores by rows", table, "scores_by_rows.csv")


def controls() -> tuple[str, Edge, Edge, float]:
    """Network, the edge too many, the edge too few, and the prior's weight."""
    columns = st.columns(4)
    name = choice("rows from", _NETWORKS, Key.GROWTH_NETWORK, columns[0])
    network = bn.load_network(name)
    free, present = _by_label(bn.teaching.addable_edges(network)), _by_label(network.edges)
    spurious = columns[1].selectbox("spurious edge", free, **kept(Key.GROWTH_SPURIOUS, name))
    missing = columns[2].selectbox("missing edge", present, **kept(Key.GROWTH_MISSING, name))
    ess = columns[3].select_slider(
        "equivalent sample size", _ESS, 1.0, **kept(Key.GROWTH_ESS), help="Of BDeu, in rows."
    )
    return name, free[str(spurious)], present[str(missing)], float(ess)


def _by_label(edges: list[Edge]) -> dict[str, Edge]:
    return {f"{parent} → {child}": (parent, child) for parent, child in edges}


def sentence(table: pd.DataFrame, name: str) -> str:
    """From how many rows on the true graph wins against both others."""
    winning = bn.teaching.rows_until_first_wins(table)
    start = (
        f"From **{winning:,} rows** on the true graph of {escaped(name.upper())} beats both wrong ones on average"
        if winning
        else f"Even {_SIZES[-1]:,} rows are too few for the true graph of {escaped(name.upper())} to win"
    )
    true = table[table["graph"] == "true graph"]["bdeu_minus_bic"]
    return (
        f"{start}; its BDeu − BIC is {short(true.iloc[-2])} nats at {_SIZES[-2]:,} rows and "
        f"{short(true.iloc[-1])} at {_SIZES[-1]:,}."
    )


def consistency_figure(table: pd.DataFrame):  # type: ignore[no-untyped-def]
    """How far each wrong graph is ahead of the true one; what falls out of the frame has lost."""
    dark = session.dark()
    curves = []
    for graph, color in zip(("one spurious edge", "one missing edge"), series(dark)[1:], strict=False):
        part = table[table["graph"] == graph]
        for key, dash, word in (("bdeu_ahead", "solid", "BDeu"), ("bic_ahead", "dot", "BIC")):
            hover = "%{x:,} rows: %{y:.3~g} nats"
            curves.append(Curve(f"{graph}, {word}", part["rows"], part[key], color, dash, hover=hover))
    figure = curves_figure(
        curves, dark, "rows N", "nats", height=310, log_x=True, y_range=(-30, 15), level=0.0, ticks=_TICKS
    )
    for trace in figure.data:
        trace.showlegend = "BDeu" in str(trace.name)
        trace.name = str(trace.name).removesuffix(", BDeu")
    figure.add_annotation(x=0.02, y=0.99, xref="paper", yref="paper", text="wrong graph ahead", showarrow=False)
    figure.add_annotation(x=0.02, y=0.03, xref="paper", yref="paper", text="true graph ahead", showarrow=False)
    return figure


def difference_figure(table: pd.DataFrame):  # type: ignore[no-untyped-def]
    """BDeu - BIC of each graph."""
    dark = session.dark()
    curves = [
        Curve(str(graph), part["rows"], part["bdeu_minus_bic"], color, hover="%{x:,} rows: %{y:.3~g} nats")
        for (graph, part), color in zip(table.groupby("graph", sort=False), series(dark), strict=False)
    ]
    return curves_figure(curves, dark, "rows N", "nats", height=310, log_x=True, level=0.0, ticks=_TICKS)
