"""Dependence that resampling creates where there is none, and ties in data without ties."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.independence import distinct_figure, g_squared_figure, ties_figure
from pages._shared.format import counted, gathered, percent, short, tex
from pages._shared.section import computed, side_by_side
from pages._shared.sections.bias_lab.controls import ROWS, rows_control, sample_control
from pages._shared.session import Key
from pages._shared.widgets.choice import choice, tabs

PAIR, TIES = "Two independent variables", "Measurements without ties"
_ARITIES = ((2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (5, 5))
_TIED_ROWS = (10, 20, 50, 100, 200, 500)


def section() -> None:
    """Show one of the two demonstrations."""
    chosen = tabs("Demonstration", (PAIR, TIES), Key.LAB_SPURIOUS, first=PAIR)
    (pair if chosen == PAIR else ties)()


def pair() -> None:
    """Show G² of independent variables."""
    top = st.container()
    columns = st.columns(3, gap="medium")
    titles = {arities: f"{arities[0]} and {arities[1]}" for arities in _ARITIES}
    n_states = choice("States of the two variables", titles, Key.LAB_ARITIES, columns[0])
    n_rows = rows_control(Key.LAB_PAIR_ROWS, ROWS, columns[1])
    sample = sample_control(columns[2])
    asked = (n_states, n_rows)
    made = computed("pair", lambda: bn.teaching.spurious_dependence(*asked, rng=sample), *asked, sample)
    table = made.table().set_index("rows")
    means, share = table["mean_g_squared"], table["found_dependent"]
    show.finding(
        f"The mean G² of two independent variables is **{short(means['data'])}** in data sets and "
        f"**{short(means['bootstrap'])}** in their replicates; a test at the 5% level rejects independence in "
        f"{percent(share['data'])} of the data sets and {percent(share['bootstrap'])} of the replicates.",
        top,
    )
    picture = st.container()
    show.chart(
        g_squared_figure(made, session.dark()),
        "lab_g_squared",
        "Histograms of G² in data sets and in bootstrap replicates, with chi-square densities",
        picture,
    )
    st.caption(
        f"{counted(made.in_data.size, 'data set')} of {n_rows:,} rows drawn from two independent uniform variables, "
        "and one replicate of each. A replicate keeps the chance dependence of its data set and adds some of its own."
    )
    freedom = made.freedom
    seen = {name: tex(value) for name, value in means.items()}
    picture.latex(
        gathered(
            r"G^2 = 2N\,I(X;Y)",
            rf"\mathbb{{E}}_D\,G^2 \approx (r-1)(c-1) = {freedom}\quad(\text{{observed }} {seen['data']})",
            rf"\mathbb{{E}}_b\,G^2 \approx 2\,(r-1)(c-1) = {2 * freedom}\quad(\text{{observed }} {seen['bootstrap']})",
        )
    )
    values = pd.DataFrame({"g_squared_data": made.in_data, "g_squared_resample": made.in_resamples})
    take_away(
        ("Means", table.reset_index(), "g_squared_means.csv"),
        ("Every G²", values, "g_squared.csv"),
        code=f"table = bn.teaching.spurious_dependence({n_states}, {n_rows}, rng={sample}).table()\nprint(table)\n",
    )


def ties() -> None:
    """Show the distinct values in replicates of measurements that are all different."""
    top = st.container()
    columns = st.columns(2, gap="medium")
    n_rows = rows_control(Key.LAB_TIED_ROWS, _TIED_ROWS, columns[0])
    sample = sample_control(columns[1])
    made = computed("ties", lambda: bn.teaching.ties_in_resamples(n_rows, rng=sample), n_rows, sample)
    show.finding(
        f"A bootstrap replicate of {n_rows:,} different measurements has only "
        f"**{short(float(made.distinct.mean()))}** distinct values on average, N (1 − 1/e) = {short(made.limit)}; the "
        "rest are ties.",
        top,
    )
    pictures = st.container()
    with pictures:
        side_by_side(
            ("One replicate", ties_figure(made, session.dark()), "lab_ties"),
            (counted(made.distinct.size, "replicate"), distinct_figure(made, session.dark()), "lab_distinct"),
        )
    st.caption(
        "Left: one replicate of normal measurements; crosses mark the values that it lacks. The bootstrap draws from "
        "the data points, so continuous data become discrete, and any statistic that depends on ties or on "
        "neighbouring values changes."
    )
    pictures.latex(
        gathered(
            rf"N\left(1-\left(1-\tfrac1N\right)^N\right) = {tex(made.expected)}",
            rf"\to\; N\left(1-\tfrac1e\right) = {tex(made.limit)}",
        )
    )
    take_away(
        ("One replicate", made.table(), "resample_ties.csv"),
        ("Distinct values", pd.DataFrame({"different_values": made.distinct}), "different_values.csv"),
        code=f"ties = bn.teaching.ties_in_resamples({n_rows}, rng={sample})\n"
        "print(ties.distinct.mean(), ties.expected, ties.limit)\n",
    )
