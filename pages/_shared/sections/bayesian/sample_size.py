"""How the learned graph changes with the equivalent sample size."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.curves import Curve, Mark, curves_figure
from pages._shared.figures.palette import series
from pages._shared.format import counted, short
from pages._shared.sections.mdl.candidates import drawing
from pages._shared.session import Key, kept

_AXIS = "equivalent sample size, rows"
_TICKS = (0.1, 0.3, 1, 3, 10, 30, 100)


@st.cache_data(max_entries=24, show_spinner="Learning with each equivalent sample size …")
def by_ess(key: str, _data: bn.Dataset) -> pd.DataFrame:
    """Edges and evidence by equivalent sample size."""
    return bn.teaching.edges_by_ess(_data)


@st.cache_data(max_entries=48, show_spinner=False)
def graph_at(key: str, _data: bn.Dataset, ess: float) -> list[tuple[str, str]]:
    """The graph of one equivalent sample size."""
    return bn.learn(_data, bn.BDeu(ess)).edges


def sample_size(data: bn.Dataset) -> None:
    """Sentence, the two pictures, the slider that shows a graph."""
    table = by_ess(session.data.key(), data)
    first, last = table.iloc[0], table.iloc[-1]
    best = table.loc[table["log_evidence"].idxmax()]
    edges = {name: counted(int(line["edges"]), "edge") for name, line in (("first", first), ("last", last))}
    show.finding(
        f"On {session.data.title()} the graph has **{edges['first']}** with {first['ess']:g} imaginary rows and "
        f"**{edges['last']}** with {last['ess']:g}, of {int(last['possible']):,} possible; the data are most probable "
        f"near {best['ess']:g}."
    )
    ess = float(session.values.get(Key.SHOWN_ESS) or 1.0)
    left, right = st.columns(2, gap="large")
    with left:
        dark = session.dark()
        curve = Curve("edges", table["ess"], table["edges"], series(dark)[0], hover="ess %{x:g}: %{y} edges")
        st.markdown("**Edges of the learned graph**")
        figure = curves_figure(
            [curve], dark, _AXIS, "edges", height=300, log_x=True, marks=[Mark(ess, f"{ess:g}")], ticks=_TICKS
        )
        figure.update_yaxes(rangemode="tozero")
        show.chart(figure, "ess edges", "Number of edges by equivalent sample size")
    with right:
        st.markdown("**Log marginal likelihood of that graph, nats**")
        hover = "ess %{x:g}: %{y:,.5~g} nats"
        curve = Curve("evidence", table["ess"], table["log_evidence"], series(dark)[0], hover=hover)
        figure = curves_figure(
            [curve], dark, _AXIS, "nats", height=300, log_x=True, marks=[Mark(ess, f"{ess:g}")], ticks=_TICKS
        )
        show.chart(figure, "ess evidence", "Log marginal likelihood by equivalent sample size")
    st.select_slider(_AXIS, bn.teaching.ESS_GRID, 1.0, **kept(Key.SHOWN_ESS), width="stretch")
    show.formula(r"\alpha_{jk} = \mathrm{ess}\,/\,(q\,r)")
    here = table[table["ess"] == ess].iloc[0]
    show.note(
        "Each family of q parent configurations and r states gets ess imaginary rows, spread evenly over its cells. "
        f"With {ess:g}: {counted(int(here['edges']), 'edge')}, {counted(int(here['parameters']), 'parameter')}, log "
        f"evidence of the best graph found {short(here['log_evidence'])} nats (hill climbing, no constraints). Many "
        "imaginary rows make a uniform table look likely from the start, so that further parents cost next to nothing.",
        "prior weight",
    )
    drawing(data, graph_at(session.data.key(), data, ess), "ess network")
    csv_button("Edges by ess", table, "edges_by_ess.csv")
