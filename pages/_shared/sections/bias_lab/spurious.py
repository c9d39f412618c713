"""Dependence that resampling makes where there is none, and ties where there were none."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.independence import distinct_figure, g_squared_figure, ties_figure
from pages._shared.format import gathered, percent, short, tex
from pages._shared.sections.bias_lab.controls import ROWS, sample_control
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import tabs

PAIR, TIES = "two independent variables", "measurements without ties"
_ARITIES = ((2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (5, 5))
_TIED_ROWS = (10, 20, 50, 100, 200, 500)


@st.cache_data(max_entries=64, show_spinner=False)
def _dependence(n_states: tuple[int, int], n_rows: int, sample: int) -> bn.teaching.SpuriousDependence:
    return bn.teaching.spurious_dependence(n_states, n_rows, rng=sample)


@st.cache_data(max_entries=64, show_spinner=False)
def _ties(n_rows: int, sample: int) -> bn.teaching.Ties:
    return bn.teaching.ties_in_resamples(n_rows, rng=sample)


def section() -> None:
    """One of the two demonstrations."""
    chosen = tabs("What is shown", (PAIR, TIES), Key.LAB_SPURIOUS, first=PAIR)
    (pair if chosen == PAIR else ties)()


def pair() -> None:
    """G² of independent variables."""
    top, picture = st.container(), st.container()
    columns = st.columns(3, gap="medium")
    n_states = columns[0].selectbox(
        "states of the two variables",
        _ARITIES,
        format_func=lambda pair: f"{pair[0]} and {pair[1]}",
        **kept(Key.LAB_ARITIES),
    )
    n_rows = columns[1].select_slider("rows N", ROWS, **kept(Key.LAB_PAIR_ROWS))
    with columns[2]:
        sample = sample_control()
    made = _dependence(n_states, int(n_rows), sample)
    table = made.table().set_index("rows")
    share = table["found_dependent"]
    show.finding(
        f"Two independent variables: G² averages **{short(table['mean_g_squared']['data'])}** in data, "
        f"**{short(table['mean_g_squared']['bootstrap'])}** in resamples; a 5% test finds "
        f"{percent(share['data'])} of the data sets dependent, {percent(share['bootstrap'])} of the resamples.",
        top,
    )
    show.chart(
        g_squared_figure(made, session.dark()),
        "lab_g_squared",
        "Histograms of G² in data and in bootstrap samples, with chi-square densities",
        picture,
    )
    st.caption(
        f"{made.in_data.size:,} data sets of {n_rows:,} rows drawn from two independent uniform variables, and one "
        "resample of each. A resample repeats the data's chance deviation from independence and adds one of its own."
    )
    freedom = made.freedom
    means = {name: tex(value) for name, value in table["mean_g_squared"].items()}
    st.latex(
        gathered(
            r"G^2 = 2N\,I(X;Y)",
            rf"\mathbb{{E}}_D\,G^2 \approx (r-1)(c-1) = {freedom}\quad(\text{{seen }} {means['data']})",
            rf"\mathbb{{E}}_b\,G^2 \approx 2\,(r-1)(c-1) = {2 * freedom}\quad(\text{{seen }} {means['bootstrap']})",
        )
    )
    values = pd.DataFrame({"g_squared_data": made.in_data, "g_squared_resample": made.in_resamples})
    take_away(
        ("Means", table.reset_index(), "g_squared_means.csv"),
        ("Every G²", values, "g_squared.csv"),
        code=f"table = bn.teaching.spurious_dependence({n_states}, {n_rows}, rng={sample}).table()\nprint(table)\n",
    )


def ties() -> None:
    """Distinct values in resamples of measurements that are all different."""
    top, pictures = st.container(), st.container()
    columns = st.columns(2, gap="medium")
    n_rows = columns[0].select_slider("rows N", _TIED_ROWS, **kept(Key.LAB_TIED_ROWS))
    with columns[1]:
        sample = sample_control()
    made = _ties(int(n_rows), sample)
    mean = float(made.distinct.mean())
    show.finding(
        f"{n_rows:,} measurements, no two alike: a resample has only **{short(mean)}** different values on "
        f"average, N (1 − 1/e) = {short(made.limit)}; the rest are ties.",
        top,
    )
    with pictures:
        left, right = st.columns(2, gap="medium")
        show.chart(ties_figure(made, session.dark()), "lab_ties", "How often each value occurs in one resample", left)
        show.chart(
            distinct_figure(made, session.dark()), "lab_distinct", "Number of different values in the resamples", right
        )
    st.caption(
        "Left: one resample of normal measurements; crosses are the values it lost. The bootstrap draws from points, "
        "so continuous data become discrete, and what depends on ties or on neighbouring values changes with them. "
        f"Right: the same for {made.distinct.size:,} resamples."
    )
    st.latex(
        gathered(
            rf"N\left(1-\left(1-\tfrac1N\right)^N\right) = {tex(made.expected)}",
            rf"\to\; N\left(1-\tfrac1e\right) = {tex(made.limit)}",
        )
    )
    take_away(
        ("One resample", made.table(), "resample_ties.csv"),
        ("Different values", pd.DataFrame({"different_values": made.distinct}), "different_values.csv"),
        code=f"ties = bn.teaching.ties_in_resamples({n_rows}, rng={sample})\n"
        "print(ties.distinct.mean(), ties.expected, ties.limit)\n",
    )
