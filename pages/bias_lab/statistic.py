"""The bootstrap bias of any statistic, its correction, and Jensen's inequality, which explains it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.plots.lessons import gains_figure, jensen_figure
from bnengine.plots.palette import JACKKNIFE, NAIVE, corrected_color, ink
from bnengine.typing import FloatArray, IntArray
from pages.shared import show, state
from pages.shared.format import difference_in_tex, escaped, short, tex
from pages.shared.keys import Key
from pages.shared.lessons import Subject, computed
from pages.shared.state import persistent
from pages.shared.widgets import pile
from pages.shared.widgets.choice import choice, tabs
from pages.shared.words import BIAS_LAB as WORDS

# Widgets that several sections of the Bias lab share.

ROWS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
#: Numbers of measurements.
MEASURED = (10, 20, 50, 100, 200)


def distribution_controls() -> tuple[int, int, float, int]:
    """Return the number of states, the number of rows, the skew, and the number of the sample."""
    columns = st.columns(4, gap="medium")
    n_states = columns[0].slider("Number of states, |X|", 2, 32, **persistent(Key.LAB_STATES, first=8))
    n_rows = rows_control(Key.LAB_ROWS, ROWS, columns[1], 50)
    about = "The probability of state k is proportional to k to the power of −skew: 0 is uniform, 1 is Zipf's law."
    skew = columns[2].slider("Skew", 0.0, 3.0, step=0.1, **persistent(Key.LAB_SKEW, first=0.5), help=about)
    return n_states, n_rows, float(skew), sample_control(columns[3])


def rows_control(key: str, options: Sequence[int], place: Any, first: int | None = None) -> int:
    """Return the number of rows, one of a few."""
    widget = persistent(key, first=first)
    return int(place.select_slider("Number of rows, N", options, **widget, format_func="{:,}".format))


#: The number of the sample that the Bias lab shows at first.
FIRST_SAMPLE = 5


def sample_control(place: Any) -> int:
    """Return the number of the random sample."""
    return int(place.number_input("Sample number", 0, 10_000, **persistent(Key.LAB_SAMPLE, first=FIRST_SAMPLE)))


# Jensen's inequality: why resampling biases every function that is not linear.

_FORMULAS = {"p²": "p^2", "eᵖ": "e^p", "p": "p", "√p": r"\sqrt p", "−p ln p": r"-p\ln p", "p (1 − p)": "p(1-p)"}


def jensen_section(_: Subject) -> None:
    """Show a function of a proportion: convex, linear or concave."""
    top = st.container()
    columns = st.columns(3, gap="medium")
    function = choice("Function of a proportion", list(_FORMULAS), Key.LAB_FUNCTION, columns[0])
    n_rows = rows_control(Key.LAB_DRAWS, MEASURED, columns[1])
    share = columns[2].slider("Proportion in the data", 0.0, 1.0, step=0.05, **persistent(Key.LAB_SHARE))
    made = bn.teaching.jensen(function, round(share * n_rows), n_rows)
    if abs(made.bias) < 1e-12:
        words = "exactly its value on the data: it is linear, or constant over the replicates"
    else:
        words = f"**{short(abs(made.bias))} {'above' if made.bias > 0 else 'below'}** its value on the data"
    show.finding(f"The mean of {function} over bootstrap replicates is {words}.", top)
    picture = st.container()
    alt = "A function of a proportion with its value on the data and its mean over replicates"
    show.chart(jensen_figure(made, state.dark()), "lab_jensen", alt, picture)
    show.formula(
        rf"f(p) = {_FORMULAS[function]}",
        rf"\langle f\rangle_b - f\!\left(\tfrac nN\right) = {difference_in_tex(made.value, made.bias)}",
        place=picture,
    )
    st.caption(WORDS["jensen"])


#: The picture of replicates piling up.
PILE = "lab_pile"
_RESAMPLES = 1000


def statistic_section(subject: Subject) -> None:
    """Show the statistic that was chosen."""
    STATISTICS[tabs("Statistic", list(STATISTICS), Key.LAB_STATISTIC)](subject)


def draw(made: bn.teaching.BootstrapBias, unit: str, samples: pd.DataFrame | None = None) -> None:
    """Draw replicates one after the other; beside them, where the truth is known, new samples and their corrections."""
    dark = state.dark()
    own, corrected = ink(dark), corrected_color(dark)
    piles = {"replicates of these data": (made.on_resamples, NAIVE)}
    marks = {"mean of all replicates": (made.mean, NAIVE), "these data": (made.value, own)}
    marks["corrected"] = (made.corrected, corrected)
    if samples is not None:
        piles["new samples"] = (samples["plugin"].to_numpy(), own)
        piles["new samples, corrected"] = (samples["corrected"].to_numpy(), corrected)
        marks["truth"] = (1.0, JACKKNIFE)
    pile.draw(PILE, f"Values of the statistic, piled up as they are drawn: {', '.join(piles)}", piles, marks, unit)


def measurements(n_rows: int, sample: int) -> FloatArray:
    """Draw normal measurements with variance 1."""
    return np.random.default_rng(sample).standard_normal(n_rows)


def variance(_: Subject) -> None:
    """Show measurements whose true variance is 1."""
    top = st.container()
    columns = st.columns(2, gap="medium")
    n_rows, sample = rows_control(Key.LAB_MEASURED, MEASURED, columns[0]), sample_control(columns[1])
    values = measurements(n_rows, sample)
    made = computed(bn.teaching.bootstrap_variance, values, _RESAMPLES, rng=sample + 1)
    samples = computed(bn.teaching.repeated_variance, n_rows, _RESAMPLES, rng=sample + 2)
    means = samples.mean()
    show.finding(
        f"The variance of {n_rows} measurements is {short(made.value)}; its replicates lie around "
        f"{short(made.mean)}, however many are drawn, not around the truth, 1. Corrected: **{short(made.corrected)}**; "
        f"over {_RESAMPLES:,} new samples {short(means['plugin'])} on average, corrected "
        f"**{short(means['corrected'])}**.",
        top,
    )
    picture = st.container()
    with picture:
        draw(made, "variance (÷ N)", samples)
    show.formula(
        rf"\langle T\rangle_b = \left(1-\tfrac1N\right)T = {tex(made.mean)}",
        rf"T_{{BC}} = \left(1+\tfrac1N\right)T = {tex(made.corrected)}",
        rf"\text{{unbiased }} \tfrac{{N}}{{N-1}}\,T = {tex(values.var(ddof=1))}",
        place=picture,
    )
    st.caption(WORDS["variance"])


def most_states(data: bn.Dataset) -> str:
    """Return the first variable with the most states, whose bias is the most visible."""
    return data.names[int(data.arities.argmax())]


def of_pair(subject: Subject, first: str, second: str) -> tuple[IntArray, bn.teaching.BootstrapBias]:
    """Return the counts of two variables, and their mutual information on the data and on replicates."""
    table = bn.teaching.contingency_table(subject.data, first, second)
    return table, computed(bn.teaching.bootstrap_information, table, _RESAMPLES, rng=subject.experiment.seed)


def information(subject: Subject) -> None:
    """Show the mutual information of two of the data's variables."""
    data = subject.data
    if data.n_variables < 2:
        st.info("Mutual information needs at least two variables; these data have one.")
        return
    top = st.container()
    columns = st.columns(2, gap="medium")
    first = choice("First variable", data.names, Key.LAB_FIRST, columns[0], first=most_states(data))
    others = [name for name in data.names if name != first]
    second = choice("Second variable", others, Key.LAB_SECOND, columns[1], first=others[-1])
    table, made = of_pair(subject, first, second)
    show.finding(
        f"The mutual information of {escaped(first)} and {escaped(second)} is {short(made.value)} nats in the data and "
        f"{short(made.mean)} in replicates on average, so the corrected value is **{short(made.corrected)}**.",
        top,
    )
    picture = st.container()
    with picture:
        draw(made, "mutual information, nats")
    r, c = table.shape
    show.formula(
        rf"\langle I\rangle_b - I(D) = {tex(made.bias)}\ \text{{nats}}",
        rf"\frac{{(r-1)(c-1)}}{{2N}} = \frac{{{r - 1}\cdot {c - 1}}}{{2\cdot {data.n_rows}}} = "
        rf"{tex(bn.teaching.leading_information_bias(r, c, data.n_rows))}\ \text{{nats}}",
        place=picture,
    )
    st.caption(WORDS["information"])


def gains(_: Subject) -> None:
    """Show what two parents gain in replicates where variables are numbers, for numbers of several shapes."""
    top = st.container()
    columns = st.columns(2, gap="medium")
    n_rows, sample = rows_control(Key.LAB_GAINS, ROWS[4:9], columns[0]), sample_control(columns[1])
    table = computed(bn.teaching.gains_of_numbers, n_rows, rng=sample)
    first, last = table.iloc[0], table.iloc[-1]
    show.finding(
        f"Two parents of a normally distributed variable gain **{short(first['excess'])} nats more** in replicates "
        f"than in the data; half a nat for each of their {first['coefficients']} coefficients would be "
        f"{short(first['expected'])}. With squares the gain is {short(last['excess'])}, where half a nat for each "
        f"coefficient would be {short(last['expected'])}.",
        top,
    )
    alt = "Mean gain of two parents in replicates less the gain in the data, beside half the coefficients, by shape"
    show.chart(gains_figure(table, state.dark()), "lab_gains", alt)
    show.formula(
        r"\ell(C\cup P)-\ell(P)-\ell(C),\quad \ell(S)=-\tfrac N2\left(\ln\det\Sigma_S+d_S(1+\ln 2\pi)\right)",
        r"\langle\Delta\ell\rangle_b-\Delta\ell(D)\approx\tfrac12\,|\theta|",
    )
    st.caption(WORDS["gains"])


STATISTICS = {
    "Variance": variance,
    "Mutual information": information,
    "Jensen's inequality": jensen_section,
    "Gain of numbers": gains,
}
