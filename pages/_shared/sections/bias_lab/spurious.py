"""Dependence that resampling makes where there is none, and ties where there were none."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session
from pages._shared.downloads import csv_button, repeat_popover
from pages._shared.figures.independence import distinct_figure, g_squared_figure, ties_figure
from pages._shared.format.text import gathered, in_latex, short
from pages._shared.sections.bias_lab.controls import ROWS, sample_control

PAIR, TIES = "two independent variables", "measurements without ties"
_ARITIES = ((2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (5, 5))
_TIED_ROWS = (10, 20, 50, 100, 200, 500)


@st.cache_data(max_entries=64, show_spinner=False)
def _dependence(n_states: tuple[int, int], n_rows: int, sample: int) -> bn.teaching.SpuriousDependence:
    return bn.teaching.spurious_dependence(n_states, n_rows, rng=sample)


@st.cache_data(max_entries=64, show_spinner=False)
def _ties(n_rows: int, sample: int) -> bn.teaching.Ties:
    return bn.teaching.ties_in_resamples(n_rows, rng=sample)


def show() -> None:
    """One of the two demonstrations."""
    session.among(session.LAB_SPURIOUS, (PAIR, TIES), PAIR)
    chosen = st.segmented_control(
        "What is shown",
        (PAIR, TIES),
        required=True,
        key=session.LAB_SPURIOUS,
        persist_state="session",
        label_visibility="collapsed",
    )
    (pair if chosen == PAIR else ties)()


def pair() -> None:
    """G² of independent variables."""
    finding, picture = st.container(), st.container()
    columns = st.columns(3, gap="medium")
    n_states = columns[0].selectbox(
        "states of the two variables",
        _ARITIES,
        format_func=lambda pair: f"{pair[0]} and {pair[1]}",
        key=session.LAB_ARITIES,
        persist_state="session",
    )
    n_rows = columns[1].select_slider("rows N", ROWS, key=session.LAB_PAIR_ROWS, persist_state="session")
    with columns[2]:
        sample = sample_control()
    made = _dependence(n_states, int(n_rows), sample)
    table = made.table().set_index("rows")
    share = table["found_dependent"]
    finding.markdown(
        f"#### Two independent variables: G² averages **{short(table['mean_g_squared']['data'])}** in data, "
        f"**{short(table['mean_g_squared']['bootstrap'])}** in resamples; a 5% test finds "
        f"{share['data']:.0%} of the data sets dependent, {share['bootstrap']:.0%} of the resamples."
    )
    picture.plotly_chart(
        g_squared_figure(made, session.dark()),
        key="lab_g_squared",
        theme=None,
        config={"displayModeBar": False},
        alt="Histograms of G² in data and in bootstrap samples, with chi-square densities",
    )
    st.caption(
        f"{made.in_data.size:,} data sets of {n_rows:,} rows drawn from two independent uniform variables, and one "
        "resample of each. A resample repeats the data's chance deviation from independence and adds one of its own."
    )
    freedom = made.freedom
    means = {name: in_latex(value) for name, value in table["mean_g_squared"].items()}
    st.latex(
        gathered(
            r"G^2 = 2N\,I(X;Y)",
            rf"\mathbb{{E}}_D\,G^2 \approx (r-1)(c-1) = {freedom}\quad(\text{{seen }} {means['data']})",
            rf"\mathbb{{E}}_b\,G^2 \approx 2\,(r-1)(c-1) = {2 * freedom}\quad(\text{{seen }} {means['bootstrap']})",
        )
    )
    values = pd.DataFrame({"g_squared_data": made.in_data, "g_squared_resample": made.in_resamples})
    with st.container(horizontal=True):
        csv_button("Means", table.reset_index(), "g_squared_means.csv")
        csv_button("Every G²", values, "g_squared.csv")
        repeat_popover(
            "import bnengine as bn\n\n"
            f"table = bn.teaching.spurious_dependence({n_states}, {n_rows}, rng={sample}).table()\n"
            "print(table)\n"
        )


def ties() -> None:
    """Distinct values in resamples of measurements that are all different."""
    finding, pictures = st.container(), st.container()
    columns = st.columns(2, gap="medium")
    n_rows = columns[0].select_slider("rows N", _TIED_ROWS, key=session.LAB_TIED_ROWS, persist_state="session")
    with columns[1]:
        sample = sample_control()
    made = _ties(int(n_rows), sample)
    mean = float(made.distinct.mean())
    finding.markdown(
        f"#### {n_rows:,} measurements, no two alike: a resample has only **{short(mean)}** different values on "
        f"average, N (1 − 1/e) = {short(made.limit)}; the rest are ties."
    )
    with pictures:
        left, right = st.columns(2, gap="medium")
        left.plotly_chart(
            ties_figure(made, session.dark()),
            key="lab_ties",
            theme=None,
            config={"displayModeBar": False},
            alt="How often each value occurs in one resample",
        )
        right.plotly_chart(
            distinct_figure(made, session.dark()),
            key="lab_distinct",
            theme=None,
            config={"displayModeBar": False},
            alt="Number of different values in the resamples",
        )
    st.caption(
        "Left: one resample of normal measurements; crosses are the values it lost. The bootstrap draws from points, "
        "so continuous data become discrete, and what depends on ties or on neighbouring values changes with them. "
        f"Right: the same for {made.distinct.size:,} resamples."
    )
    st.latex(
        gathered(
            rf"N\left(1-\left(1-\tfrac1N\right)^N\right) = {in_latex(made.expected)}",
            rf"\to\; N\left(1-\tfrac1e\right) = {in_latex(made.limit)}",
        )
    )
    with st.container(horizontal=True):
        csv_button("One resample", made.table(), "resample_ties.csv")
        csv_button("Different values", pd.DataFrame({"different_values": made.distinct}), "different_values.csv")
        repeat_popover(
            "import bnengine as bn\n\n"
            f"ties = bn.teaching.ties_in_resamples({n_rows}, rng={sample})\n"
            "print(ties.distinct.mean(), ties.expected, ties.limit)\n"
        )
