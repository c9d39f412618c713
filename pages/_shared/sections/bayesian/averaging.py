"""Model averaging: a new row predicted by the best graph, by an ensemble's graphs, and by all graphs."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.curves import Curve, curves_figure
from pages._shared.figures.palette import NAIVE, series
from pages._shared.format import plus_minus
from pages._shared.jobs import running
from pages._shared.section import computed
from pages._shared.session import Key, kept
from pages._shared.widgets.variables import picked_variables

_SIZES = (10, 20, 50, 100, 200, 500)
_REPEATS = 10
_REPLICATES = 30
_VARIABLES = 4
_SHOWN = 0.0005  # bits; smaller gains count as none


def section(data: bn.Dataset) -> None:
    """Show the finding, the gains by number of training rows, and the predictions of single rows."""
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
            "Equivalent sample size, rows", (0.1, 0.3, 1.0, 3.0, 10.0), 1.0, **kept(Key.AVERAGED_ESS)
        )
    )
    if names is None:
        return
    seed, part = session.settings.experiment().seed, data.select(names)
    with picture:
        found = running.at_once(
            "averaging",
            f"{session.data.key()} {names!r} {sizes} {ess!r} {seed}",
            lambda tell: bn.teaching.averaging_gains(part, sizes, _REPEATS, ess, _REPLICATES, seed, progress=tell),
            "predictions",
        )
    if found is None:
        return
    table = found.table
    if table.empty:
        st.info("Gains need two splits of the rows: the work was stopped before.")
        return
    show.finding(sentence(table, names), head)
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
        size = int(st.select_slider("Training rows in the table", sizes, size, **kept(Key.AVERAGED_ROWS, sizes)))
    table = computed(
        "averaging rows",
        lambda: bn.teaching.predicted_against_observed(part, size, ess, _REPLICATES, seed),
        *(part.names, size, ess, seed),
    )
    show.table(
        table,
        {
            "row": ", ".join(part.names),
            "observed": "Share of test rows",
            **{name: f"P, {name}" for name in table.columns[2:]},
        },
        decimals=4,
        height=min(38 + 35 * len(table), 320),
    )
    st.caption(f"Each distinct test row: its share of the test rows, and its probability predicted from {size} rows.")
    csv_button("Rows", table, "averaging_rows.csv")


def sentence(table: pd.DataFrame, names: list[str]) -> str:
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


def _gain(line: pd.Series) -> str:  # type: ignore[type-arg]
    gain = float(line["gain_bits"])
    if abs(gain) < _SHOWN:
        return "as well as"
    shown = plus_minus(abs(gain), float(line["gain_error"]))
    return f"**{shown} bits** {'better' if gain > 0 else 'worse'} than"


def gain_figure(table: pd.DataFrame) -> go.Figure:
    """Draw the gain with its standard error against the number of training rows."""
    dark = session.dark()
    curves = []
    for method, color in (("bootstrap average", NAIVE), ("posterior average", series(dark)[0])):
        part = table[table["method"] == method]
        hover = "%{x} rows: %{y:.3f} bits per row"
        curves.append(
            Curve(method, part["rows"], part["gain_bits"], color, hover=hover, errors=part["gain_error"].tolist())
        )
    unit = "gain over the best graph, bits per row"
    return curves_figure(curves, dark, "training rows", unit, height=340, log_x=True, level=0.0, ticks=_SIZES)
