"""The bootstrap bias of any statistic, and its correction."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.plots.bias_lab import resampled_figure
from pages.shared import show, state
from pages.shared.downloads import csv_button
from pages.shared.format import escaped, short, tex
from pages.shared.keys import Key, persistent
from pages.shared.lessons import Subject, computed
from pages.shared.widgets.choice import choice

# Widgets that several sections of the Bias lab share.

ROWS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def distribution_controls(rows: tuple[int, ...]) -> tuple[int, int, float, int]:
    """Return the number of states, the number of rows, the skew, and the number of the sample."""
    columns = st.columns(4, gap="medium")
    n_states = columns[0].slider("Number of states, |X|", 2, 32, **persistent(Key.LAB_STATES))
    state.among(Key.LAB_ROWS, rows, max(rows) if state.get(Key.LAB_ROWS) > max(rows) else rows[0])
    n_rows = rows_control(Key.LAB_ROWS, rows, columns[1])
    about = "The probability of state k is proportional to k to the power of −skew: 0 is uniform, 1 is Zipf's law."
    skew = columns[2].slider("Skew", 0.0, 3.0, step=0.1, **persistent(Key.LAB_SKEW), help=about)
    return n_states, n_rows, float(skew), sample_control(columns[3])


def rows_control(key: str, options: Sequence[int], place: Any) -> int:
    """Return the number of rows, one of a few."""
    return int(place.select_slider("Number of rows, N", options, **persistent(key), format_func="{:,}".format))


def sample_control(place: Any) -> int:
    """Return the number of the random sample."""
    described = "Each number draws another random sample; the same number draws the same one again."
    return int(place.number_input("Sample number", 0, 10_000, **persistent(Key.LAB_SAMPLE), help=described))


_RESAMPLES = 1000


def draw(made: bn.teaching.BootstrapBias, unit: str, **more: float) -> None:
    """Draw the values on replicates with the value on the data, mean, corrected value and ``more`` marks."""
    marks = {"data": made.value, "mean of replicates": made.mean, "corrected": made.corrected}
    marks |= {name.replace("_", " "): value for name, value in more.items()}
    alt = "Histogram of the statistic on replicates, with its value on the data, mean and corrected value"
    show.chart(resampled_figure(made.on_resamples, marks, unit, state.dark()), "lab_resampled", alt)


def most_states(data: bn.Dataset) -> str:
    """Return the first variable with the most states, whose bias is the most visible."""
    return data.names[int(data.arities.argmax())]


def information_section(subject: Subject) -> None:
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
    experiment = subject.experiment
    table, seed = bn.teaching.contingency_table(data, first, second), experiment.seed
    made = computed("information", lambda: bn.teaching.bootstrap_information(table, _RESAMPLES, rng=seed), table, seed)

    show.finding(
        f"The mutual information of {escaped(first)} and {escaped(second)} is {short(made.value)} nats in the data and "
        f"{short(made.mean)} in replicates on average, so the corrected value is **{short(made.corrected)}**.",
        top,
    )
    picture = st.container()
    with picture:
        draw(made, "mutual information, nats")
    r, c = table.shape
    show.equations(
        rf"\langle I\rangle_b - I(D) = {tex(made.bias)}\ \text{{nats}}",
        rf"\frac{{(r-1)(c-1)}}{{2N}} = \frac{{{r - 1}\cdot {c - 1}}}{{2\cdot {data.n_rows}}} = "
        rf"{tex(bn.teaching.leading_information_bias(r, c, data.n_rows))}\ \text{{nats}}",
        place=picture,
    )
    st.caption(
        "Resampling adds dependence: about half a nat, divided by N, per free parameter of an edge, and less if states "
        f"are rare. Mean and correction are exact; the histogram shows {_RESAMPLES:,} random replicates. A negative "
        "corrected value means that the dependence in the data is within the bias."
    )
    values = pd.DataFrame({"on_resamples": made.on_resamples})
    csv_button("Values on replicates", values, "information_resamples.csv")
