"""Why a parameter costs log2(N) / 2 bits: the bits to write it down against the bits that rounding it costs."""

import math

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.curves import Curve, Mark, curves_figure
from pages._shared.figures.palette import MISFIT, SIZE, ink
from pages._shared.format import short, tex
from pages._shared.section import computed
from pages._shared.session import Key, kept

_ROWS = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


def section(_: bn.Dataset) -> None:
    """Show the finding, both costs and their sum, and the cheapest precision for other numbers of rows."""
    head, picture = st.container(), st.container()
    options = {"format_func": "{:,}".format, **kept(Key.PRECISION_ROWS)}
    n_rows = int(st.select_slider("Number of rows", _ROWS, 1000, **options))
    table = by_values(n_rows)
    best, half = cheapest(n_rows), 0.5 * math.log2(n_rows)
    show.finding(
        f"**{best['values']} values ({short(best['cost_bits'])} bits)** are the cheapest precision for a probability "
        f"learned from {n_rows:,} rows; the rule ½ log₂N gives {short(half)} bits.",
        head,
    )
    show.chart(
        precision_figure(table, n_rows), "precision", "Bits for a parameter against the number of its values", picture
    )
    show.formula(
        r"\underbrace{\log_2 M}_{\text{one of } M \text{ values}} + "
        r"\underbrace{\tfrac{N}{\ln 2}\,\mathrm{KL}(\hat p\,\|\,\tilde p)}_{\text{cost of rounding}}",
        rf"\text{{minimal near }} M\approx\sqrt N:\quad \tfrac12\log_2 {tex(n_rows)} = {tex(half)}\text{{ bits}}",
    )
    st.caption(
        "One binary variable. Its probability is rounded to the middle of the nearest of M equal intervals, and the "
        "rows are encoded with the rounded value; means over all possible counts. N rows determine the probability to "
        "about 1/√N (standard error √(p(1−p)/N)): more than √N values store digits that the data cannot determine, "
        "fewer make the rows longer. Hence ½ log₂N bits per parameter (Rissanen 1978), up to a constant."
    )
    many = pd.DataFrame([cheapest(n) for n in _ROWS])
    show.table(
        many,
        {
            "rows": "Number of rows",
            "values": "Best M",
            "root": ("√N", 1),
            "cost_bits": "Bits for the value",
            "half_log2": "½ log₂N",
            "total_bits": "Bits including rounding",
        },
    )
    take_away(
        ("Bits by number of values", table, "parameter_precision.csv"),
        ("Best precision by number of rows", many, "cheapest_precision.csv"),
    )


def by_values(n_rows: int) -> pd.DataFrame:
    """Return the bits for one parameter by the number of values that it may take."""
    return computed("precision", lambda: bn.teaching.parameter_precision(n_rows), n_rows)


def cheapest(n_rows: int) -> dict[str, float]:
    """Return the cheapest precision for a number of rows, with the rule."""
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


def precision_figure(table: pd.DataFrame, n_rows: int) -> go.Figure:
    """Draw both costs and their sum; the frame ends at twice the minimum."""
    dark = session.dark()
    curves = [
        Curve(name, table["values"], table[column], color, hover="values: %{x:,}<br>%{y:.3~g} bits")
        for name, column, color in (
            ("total", "total_bits", ink(dark)),
            ("the value", "cost_bits", SIZE),
            ("its rounding", "loss_bits", MISFIT),
        )
    ]
    y_range, marks = (0.0, 2.0 * float(table["total_bits"].min()) + 2.0), [Mark(math.sqrt(n_rows), "√N")]
    return curves_figure(
        curves, dark, "number of values M", "bits", log_x=True, y_range=y_range, marks=marks, ticks=_TICKS
    )
