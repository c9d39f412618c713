"""The bias of the plug-in entropy, four ways."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button, repeat_popover
from pages._shared.figures.entropy import bias_by_size_figure, distribution_figure
from pages._shared.format import gathered, short, tex
from pages._shared.sections.bias_lab.controls import ROWS, distribution_controls
from pages._shared.session import Key
from pages._shared.widgets.choice import tabs

BIAS, SCALED = "bias", "bias × N"


@st.cache_data(max_entries=64, show_spinner=False)
def _by_size(n_states: int, skew: float, sample: int) -> pd.DataFrame:
    return bn.teaching.entropy_bias_by_size(bn.teaching.skewed_distribution(n_states, skew), ROWS, rng=sample)


def section() -> None:
    """A distribution, a sample, and how much lower the entropy of its resamples is."""
    top, pictures = st.container(), st.container()
    n_states, n_rows, skew, sample = distribution_controls(ROWS)
    table = _by_size(n_states, skew, sample)
    line = table[table["n_rows"] == n_rows].iloc[0]
    show.finding(
        f"Resampled, {n_rows:,} rows lose **{short(-line['exact'])} nats** of their entropy of "
        f"{short(line['plugin'])} on average; the second-order formula says {short(-line['leading'])}.",
        top,
    )
    with pictures:
        left, right = st.columns([2, 5], gap="medium")
        probabilities = bn.teaching.skewed_distribution(n_states, skew)
        show.chart(
            distribution_figure(probabilities, line["counts"], session.dark()),
            "lab_distribution",
            "Probability of each state, and its share in the sample",
            left,
        )
        with right:
            scale = session.values.get(Key.LAB_SCALE) or BIAS
            show.chart(
                bias_by_size_figure(table, n_rows, scale == SCALED, session.dark()),
                "lab_bias_by_size",
                "Bias of the entropy against the number of rows, four ways",
            )
    with st.container(horizontal=True, vertical_alignment="center"):
        tabs("vertical axis", (BIAS, SCALED), Key.LAB_SCALE, first=BIAS)
        csv_button("Bias by number of rows", table, "entropy_bias.csv")
        repeat_popover(
            f"truth = bn.teaching.skewed_distribution({n_states}, {skew})\n"
            f"table = bn.teaching.entropy_bias_by_size(truth, {list(ROWS)}, rng={sample})\n"
            "print(table)\n"
        )
    st.caption(
        "Right: how much lower the entropy is on resamples of one growing sample than on the sample itself. Red: "
        "exactly (Eq. 3), and from 500 drawn resamples with their standard error. Dashed: the second-order formula "
        "(Eq. 4) with all states; dotted: with those that the sample shows, since a state without rows cannot be lost."
    )
    formulas(line, n_states)


def formulas(line: "pd.Series[float]", n_states: int) -> None:
    """Eq. 3 and Eq. 4 with this sample's numbers."""
    n = f"{int(line['n_rows'])}"
    seen = sum(count > 0 for count in line["counts"])
    st.latex(
        gathered(
            r"\langle T\rangle_b - T(D) = \sum_x \mathbb{E}\!\left[-\tfrac{\nu_x}{N}\ln\tfrac{\nu_x}{N}\right] - T(D)",
            r"\nu_x\sim\mathrm{Binomial}(N,\, n_x/N)",
            rf"{tex(line['plugin'] + line['exact'])} - {tex(line['plugin'])} = {tex(line['exact'])}"
            r"\ \text{nats}",
            rf"\approx -\frac{{|\mathcal X|-1}}{{2N}} = -\frac{{{n_states}-1}}{{2\cdot {n}}} "
            rf"= {tex(line['leading'])}",
            rf"\text{{observed states: }} -\frac{{{seen}-1}}{{2\cdot {n}}} = {tex(line['observed'])}",
        )
    )
