"""The bootstrap bias of the plug-in entropy, four ways."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.entropy import bias_by_size_figure, distribution_figure
from pages._shared.format import gathered, short, tex
from pages._shared.section import computed
from pages._shared.sections.bias_lab.controls import ROWS, distribution_controls
from pages._shared.session import Key
from pages._shared.widgets.choice import tabs

BIAS, SCALED = "Bias", "Bias × N"


def section() -> None:
    """Draw a sample from a distribution; show how much lower the entropy of its replicates is."""
    top = st.container()
    n_states, n_rows, skew, sample = distribution_controls(ROWS)
    scaled = tabs("Vertical axis", (BIAS, SCALED), Key.LAB_SCALE, first=BIAS) == SCALED
    probabilities = bn.teaching.skewed_distribution(n_states, skew)
    table = computed(
        "entropy", lambda: bn.teaching.entropy_bias_by_size(probabilities, ROWS, rng=sample), *(n_states, skew, sample)
    )
    line = table[table["n_rows"] == n_rows].iloc[0]
    show.finding(
        f"Bootstrap replicates of {n_rows:,} rows lose **{short(-line['exact'])} nats** of entropy on average, of "
        f"{short(line['plugin'])} in the sample; the second-order formula gives {short(-line['leading'])}.",
        top,
    )
    pictures = st.container()
    with pictures:
        left, right = st.columns([2, 5], gap="medium")
        show.chart(
            distribution_figure(probabilities, line["counts"], session.dark()),
            "lab_distribution",
            "Probability of each state, and its share in the sample",
            left,
        )
        show.chart(
            bias_by_size_figure(table, n_rows, scaled, session.dark()),
            "lab_bias_by_size",
            "Bias of the entropy against the number of rows, four ways",
            right,
        )
    st.caption(
        "Right: the mean entropy of replicates of one growing sample, minus the entropy of the sample. Orange: exact "
        "(Eq. 3), and estimated from 500 random replicates, ± standard error. Dashed: the second-order formula (Eq. 4) "
        "with all states; dotted: with the observed states only, since a state without rows cannot be lost."
    )
    with pictures:
        formulas(line, n_states)
    take_away(
        ("Bias by number of rows", table, "entropy_bias.csv"),
        code=f"truth = bn.teaching.skewed_distribution({n_states}, {skew})\n"
        f"table = bn.teaching.entropy_bias_by_size(truth, {list(ROWS)}, rng={sample})\n"
        "print(table)\n",
    )


def formulas(line: "pd.Series[float]", n_states: int) -> None:
    """Show Eq. 3 and Eq. 4 with this sample's numbers."""
    n = int(line["n_rows"])
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
