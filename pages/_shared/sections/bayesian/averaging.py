"""Model averaging: a new row predicted by the best graph, by an ensemble's graphs, and by all graphs."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.curves import Curve, curves_figure
from pages._shared.figures.palette import NAIVE, series
from pages._shared.format import plus_minus
from pages._shared.session import Key, kept
from pages._shared.widgets.variables import picked_variables

_SIZES = (10, 20, 50, 100, 200, 500)
_REPEATS = 10
_REPLICATES = 30
_VARIABLES = 4
_SHOWN = 0.0005  # bits; smaller gains count as none


@st.cache_data(max_entries=48, show_spinner="Predicting new rows …")
def averaged(key: str, _data: bn.Dataset, names: list[str], sizes: list[int], ess: float, seed: int) -> pd.DataFrame:
    """How much averaging helps, by training rows."""
    return bn.teaching.averaging_by_rows(_data.select(names), sizes, _REPEATS, ess, _REPLICATES, seed)


@st.cache_data(max_entries=48, show_spinner=False)
def rows_predicted(key: str, _data: bn.Dataset, names: list[str], size: int, ess: float, seed: int) -> pd.DataFrame:
    """Each kind of held-out row with its probability."""
    return bn.teaching.predicted_against_observed(_data.select(names), size, ess, _REPLICATES, seed)


@st.cache_data(max_entries=24, show_spinner=False)
def dependent(key: str, _data: bn.Dataset) -> list[str]:
    """The variables that are picked at first."""
    return bn.teaching.most_dependent(_data, _VARIABLES)


def averaging(data: bn.Dataset) -> None:
    """Sentence, picture, controls."""
    sizes = [size for size in _SIZES if 2 * size <= data.n_rows]
    if not sizes:
        st.info(f"Twenty rows at least are needed, half of them to predict; these data have {data.n_rows}.")
        return
    head, picture = st.container(), st.container()
    columns = st.columns([3, 2], gap="large")
    with columns[0]:
        names = picked_variables(data, "averaged", dependent(session.data.key(), data), 2, 5)
    ess = columns[1].select_slider(
        "equivalent sample size, rows", (0.1, 0.3, 1.0, 3.0, 10.0), 1.0, **kept(Key.AVERAGED_ESS)
    )
    if names is None:
        return
    table = averaged(session.data.key(), data, names, sizes, float(ess), session.settings.experiment().seed)
    with head:
        show.finding(sentence(table, names))
    with picture:
        show.chart(gain_figure(table), "averaged gains", "Gain over the best graph by number of training rows")
    show.formula(r"P(x\mid D) = \sum_G P(x\mid G, D)\,P(G\mid D) \quad\text{against}\quad P(x\mid \hat G, D)")
    st.caption(
        "Mean log₂ probability of held-out rows less that of the most probable graph, bits a row: mean ± standard "
        f"error over {_REPEATS} splits. Posterior average: every graph weighted by exp(BDeu). Bootstrap average: the "
        f"graphs of {_REPLICATES} resamples, alike in weight. All predict with the mean of the Dirichlet posterior."
    )
    csv_button("Gains", table, "averaging.csv")
    single_rows(data, names, sizes, float(ess))


def single_rows(data: bn.Dataset, names: list[str], sizes: list[int], ess: float) -> None:
    """What each way says of single new rows."""
    size = (
        st.select_slider("training rows for the table", sizes, sizes[0], **kept(Key.AVERAGED_ROWS, sizes))
        if len(sizes) > 1
        else sizes[0]
    )
    table = rows_predicted(session.data.key(), data, names, int(size), ess, session.settings.experiment().seed)
    show.table(
        table,
        {
            "row": ", ".join(names),
            "observed": "share of held-out rows",
            **{name: f"P, {name}" for name in table.columns[2:]},
        },
        decimals=4,
        height=min(38 + 35 * len(table), 320),
    )
    st.caption(f"Each kind of held-out row: how often it came, and its probability predicted from {size} rows.")
    csv_button("Rows", table, "averaging_rows.csv")


def sentence(table: pd.DataFrame, names: list[str]) -> str:
    """What averaging gains with few and with many rows."""
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
    """How much better or worse, where there is a difference to show."""
    gain = float(line["gain_bits"])
    if abs(gain) < _SHOWN:
        return "as well as"
    shown = plus_minus(abs(gain), float(line["gain_error"]))
    return f"**{shown} bits** {'better' if gain > 0 else 'worse'} than"


def gain_figure(table: pd.DataFrame):  # type: ignore[no-untyped-def]
    """Gain in bits a row with its standard error, by training rows."""
    dark = session.dark()
    colors = {"bootstrap average": NAIVE, "posterior average": series(dark)[0]}
    curves = []
    for method, color in colors.items():
        part = table[table["method"] == method]
        hover = "%{x} rows: %{y:.3f} bits a row"
        curves.append(
            Curve(method, part["rows"], part["gain_bits"], color, hover=hover, errors=part["gain_error"].tolist())
        )
    return curves_figure(
        curves,
        dark,
        "training rows",
        "better than the best graph, bits a row",
        height=340,
        log_x=True,
        level=0.0,
        ticks=_SIZES,
    )
