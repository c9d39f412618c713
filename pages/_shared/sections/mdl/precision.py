"""Why a parameter costs log2(N) / 2 bits: digits that are written against bits that the rows save."""

import math

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.curves import Curve, Mark, curves_figure
from pages._shared.figures.palette import MISFIT, SIZE, series
from pages._shared.format import short, tex
from pages._shared.session import Key, kept

_ROWS = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


@st.cache_data(max_entries=24, show_spinner=False)
def by_values(n_rows: int) -> pd.DataFrame:
    """Bits for one parameter, by how many values it may take."""
    return bn.teaching.parameter_precision(n_rows)


def precision(_: bn.Dataset) -> None:
    """Sentence, the two costs and their sum, and where the sum is least for other numbers of rows."""
    head, picture = st.container(), st.container()
    n_rows = int(st.select_slider("rows N", _ROWS, 1000, **kept(Key.PRECISION_ROWS), format_func=lambda n: f"{n:,}"))
    table = by_values(n_rows)
    best = table.loc[table["total_bits"].idxmin()]
    half = 0.5 * math.log2(n_rows)
    with head:
        show.finding(
            f"{n_rows:,} rows tell a probability to about 1/√N = {short(1 / math.sqrt(n_rows))}: it is cheapest to "
            f"write it as one of **{int(best['values'])} values, {short(best['cost_bits'])} bits**; "
            f"½ log₂N = {short(half)}."
        )
    with picture:
        show.chart(precision_figure(table, n_rows), "precision", "Bits for a parameter by number of its values")
    rows = f"{n_rows:,}".replace(",", "{,}")
    show.formula(
        r"\underbrace{\log_2 M}_{\text{one of } M \text{ values}} + "
        r"\underbrace{\tfrac{N}{\ln 2}\,\mathrm{KL}(\hat p\,\|\,\tilde p)}_{\text{lost on the rows}}",
        rf"\text{{least near }} M\approx\sqrt N:\quad \tfrac12\log_2 {rows} = {tex(half)}\text{{ bits}}",
    )
    st.caption(
        "One binary variable: its probability is rounded to the middle of the nearest of M equal intervals, and the "
        "rows are encoded with what is left of it; mean over all possible counts. More values than √N say in digits "
        "what N rows cannot know (standard error ≈ √(p(1−p)/N)); fewer make the rows dearer. So each parameter is "
        "charged ½ log₂N bits (Rissanen 1978); the constant beside it does not grow with N."
    )
    many = pd.DataFrame([cheapest(n) for n in _ROWS])
    show.table(
        many,
        {
            "rows": "rows N",
            "values": "cheapest number of values",
            "root": ("√N", 1),
            "cost_bits": "its bits",
            "half_log2": "½ log₂N",
            "total_bits": "with what the rows lose",
        },
    )
    take_away(
        ("Bits by number of values", table, "parameter_precision.csv"),
        ("Cheapest by rows", many, "cheapest_precision.csv"),
    )


def cheapest(n_rows: int) -> dict[str, float]:
    """The cheapest precision for so many rows, beside the rule."""
    table = by_values(n_rows)
    best = table.loc[table["total_bits"].idxmin()]
    return {
        "rows": n_rows,
        "values": int(best["values"]),
        "root": math.sqrt(n_rows),
        "cost_bits": float(best["cost_bits"]),
        "half_log2": 0.5 * math.log2(n_rows),
        "total_bits": float(best["total_bits"]),
    }


def precision_figure(table: pd.DataFrame, n_rows: int):  # type: ignore[no-untyped-def]
    """The digits' cost, the rows' loss, and their sum; what leaves the frame is dear."""
    dark = session.dark()
    hover = "%{x:,} values: %{y:.3~g} bits"
    curves = [
        Curve("both", table["values"], table["total_bits"], series(dark)[0], hover=hover),
        Curve("to write the parameter", table["values"], table["cost_bits"], SIZE, hover=hover),
        Curve("what its rounding costs the rows", table["values"], table["loss_bits"], MISFIT, hover=hover),
    ]
    top = 2.0 * float(table["total_bits"].min()) + 2.0
    return curves_figure(
        curves,
        dark,
        "values M",
        "bits",
        height=330,
        log_x=True,
        y_range=(0.0, top),
        marks=[Mark(math.sqrt(n_rows), "√N")],
        ticks=_TICKS,
    )
