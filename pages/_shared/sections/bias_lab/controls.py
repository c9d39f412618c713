"""Widgets that several sections of the Bias lab share."""

import streamlit as st

from pages._shared import session
from pages._shared.session import Key, kept

ROWS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
#: Beyond so many rows the iterated bootstrap's matrix takes more than a moment.
NESTED_ROWS = tuple(n for n in ROWS if n <= 500)
#: Numbers of measurements.
MEASURED = (3, 5, 10, 20, 50, 100, 200)


def distribution_controls(rows: tuple[int, ...]) -> tuple[int, int, float, int]:
    """Number of states, of rows, skew and the sample's number."""
    columns = st.columns(4, gap="medium")
    n_states = columns[0].slider("states |X|", 2, 32, **kept(Key.LAB_STATES))
    session.values.among(Key.LAB_ROWS, rows, max(rows) if session.values.get(Key.LAB_ROWS) > max(rows) else rows[0])
    n_rows = columns[1].select_slider("rows N", rows, **kept(Key.LAB_ROWS), format_func=lambda n: f"{n:,}")
    skew = columns[2].slider(
        "skew",
        0.0,
        3.0,
        step=0.1,
        **kept(Key.LAB_SKEW),
        help="State k has probability proportional to k to the power of −skew: 0 is uniform, 1 Zipf's law.",
    )
    with columns[3]:
        sample = sample_control()
    return n_states, int(n_rows), float(skew), sample


def sample_control() -> int:
    """The number of the random sample: another number, other rows."""
    return int(
        st.number_input(
            "sample no.",
            0,
            10_000,
            **kept(Key.LAB_SAMPLE),
            help="Another number draws other rows; the same number the same rows.",
        )
    )
