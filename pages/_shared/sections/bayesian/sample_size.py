"""How the learned graph changes with the equivalent sample size."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.curves import Curve, Mark, curves_figure
from pages._shared.figures.palette import ink
from pages._shared.format import counted, short
from pages._shared.jobs import running
from pages._shared.section import side_by_side
from pages._shared.sections.mdl.candidates import draw
from pages._shared.session import Key, kept

_TICKS = (0.1, 0.3, 1, 3, 10, 30, 100)


def section(data: bn.Dataset) -> None:
    """Show the finding, two pictures, the slider, and the graph that it selects."""
    found = running.at_once(
        "edges by ess",
        session.data.key(),
        lambda tell: bn.teaching.graphs_by_ess(data, progress=tell),
        "equivalent sample sizes",
    )
    if found is None or not found.graphs:
        return
    table = found.table
    first, last = table.iloc[0], table.iloc[-1]
    best = table.loc[table["log_evidence"].idxmax()]
    show.finding(
        f"The graph learned from {session.data.title()} has **{counted(int(first['edges']), 'edge')}** with an "
        f"equivalent sample size of {short(first['ess'])} and **{counted(int(last['edges']), 'edge')}** with "
        f"{short(last['ess'])}, of {int(last['possible']):,} possible. The data are most probable with "
        f"{short(best['ess'])}."
    )
    ess = float(session.values.get(Key.SHOWN_ESS) or 1.0)
    side_by_side(
        (
            "Edges of the learned graph",
            ess_figure(table, "edges", "edges", ess).update_yaxes(rangemode="tozero"),
            "ess edges",
        ),
        ("Log marginal likelihood of that graph", ess_figure(table, "log_evidence", "nats", ess), "ess evidence"),
    )
    options = {"width": "stretch", **kept(Key.SHOWN_ESS)}
    st.select_slider("Equivalent sample size, rows", bn.teaching.ESS_GRID, 1.0, **options)
    show.formula(r"\alpha_{jk} = \mathrm{ess}\,/\,(q\,r)")
    if ess not in found.graphs:
        st.info(f"No graph was learned with {short(ess)}: the work was stopped before.")
        return
    here = table[table["ess"] == ess].iloc[0]
    show.note(
        "Each family of q parent configurations and r states gets ess prior counts, spread evenly over its cells. "
        f"With {short(ess)}: {counted(int(here['edges']), 'edge')}, {counted(int(here['parameters']), 'parameter')}, "
        f"log marginal likelihood {short(here['log_evidence'])} nats (hill climbing, no constraints). Large prior "
        "counts pull every table towards the uniform distribution, so that further parents cost next to nothing.",
        "prior weight",
    )
    draw(data, found.graphs[ess].edges, "ess network")
    csv_button("Edges by equivalent sample size", table, "edges_by_ess.csv")


def ess_figure(table: pd.DataFrame, column: str, unit: str, ess: float) -> go.Figure:
    """Draw a column against the equivalent sample size."""
    dark = session.dark()
    curve = Curve(unit, table["ess"], table[column], ink(dark), hover=f"ess %{{x:g}}: %{{y:,.5~g}} {unit}")
    marks = [Mark(ess, short(ess), left=ess > 30)]
    return curves_figure(
        [curve], dark, "equivalent sample size, rows", unit, height=300, log_x=True, marks=marks, ticks=_TICKS
    )
