"""Widgets that several sections of the Bias lab share."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages._shared import session
from pages._shared.session import Key, kept

ROWS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
#: With more rows, the matrix of the iterated bootstrap takes too long to compute.
NESTED_ROWS = tuple(n for n in ROWS if n <= 500)
#: Numbers of measurements.
MEASURED = (3, 5, 10, 20, 50, 100, 200)


def distribution_controls(rows: tuple[int, ...]) -> tuple[int, int, float, int]:
    """Return the number of states, the number of rows, the skew, and the number of the sample."""
    columns = st.columns(4, gap="medium")
    n_states = columns[0].slider("Number of states, |X|", 2, 32, **kept(Key.LAB_STATES))
    session.values.among(Key.LAB_ROWS, rows, max(rows) if session.values.get(Key.LAB_ROWS) > max(rows) else rows[0])
    n_rows = rows_control(Key.LAB_ROWS, rows, columns[1])
    skew = columns[2].slider(
        "Skew",
        0.0,
        3.0,
        step=0.1,
        **kept(Key.LAB_SKEW),
        help="The probability of state k is proportional to k to the power of −skew: 0 is uniform, 1 is Zipf's law.",
    )
    return n_states, n_rows, float(skew), sample_control(columns[3])


def rows_control(key: str, options: Sequence[int], place: Any) -> int:
    """Return the number of rows, one of a few."""
    return int(place.select_slider("Number of rows, N", options, **kept(key), format_func="{:,}".format))


def sample_control(place: Any) -> int:
    """Return the number of the random sample."""
    described = "Each number draws another random sample; the same number draws the same one again."
    return int(place.number_input("Sample number", 0, 10_000, **kept(Key.LAB_SAMPLE), help=described))


def ess_control(place: Any, reason: str) -> float:
    """Return the equivalent sample size of the prior."""
    label = "Equivalent sample size, rows"
    return float(place.number_input(label, 0.01, 100.0, **kept(Key.LAB_ESS), help=reason))
