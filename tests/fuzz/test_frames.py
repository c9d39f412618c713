"""Whatever a table in memory holds, it becomes a data set or is refused with a DataError."""

import datetime
import decimal
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from tests.fuzz.settings import fuzzed, is_a_sentence

pytestmark = pytest.mark.slow

CELLS = [
    None, math.nan, math.inf, -math.inf, 0, 1, -1, 2**53 + 1, 2**70, 1.5, 1e308, True, False, "", "a", "A", " a", "nan",
    "\0", b"a", (), ("a",), [1], {"a": 1}, {1}, object(), datetime.date(2020, 1, 1), pd.Timestamp("2020"), pd.NaT,
    pd.NA, decimal.Decimal("1.10"), 1j, np.float32(0.1), np.int8(1), np.str_("a"),
]  # fmt: skip
KINDS = ["object", "category", "string", "Int64", "float32", "bool", "boolean", "datetime64[ns]", "int8", "complex128"]
NAMES = st.one_of(st.sampled_from(["a", "b", "", " ", 0, 1, None, ("a", "b"), math.nan, "é\n", "x" * 300]), st.text())


def column(cells, kind):
    """The cells as a column of the kind; of objects where they do not fit."""
    try:
        return pd.Series(cells, dtype=object).astype(kind)
    except Exception:
        return pd.Series(cells, dtype=object)


FRAMES = st.integers(0, 6).flatmap(
    lambda n: st.lists(
        st.tuples(NAMES, st.lists(st.sampled_from(CELLS), min_size=n, max_size=n), st.sampled_from(KINDS)), max_size=4
    )
)


@fuzzed
@given(FRAMES, st.sampled_from(["own_state", "drop_rows"]), st.sampled_from(["quantile", "width", "score"]))
def test_frames(columns, missing, method):
    frame = pd.concat([column(cells, kind) for _, cells, kind in columns], axis=1) if columns else pd.DataFrame()
    frame.columns = pd.Index([name for name, _, _ in columns], dtype=object)
    before = frame.copy()
    for step in (
        lambda: bn.describe(frame),
        lambda: bn.fill_missing(frame, missing),
        lambda: bn.discretize(frame, method),
        lambda: bn.Dataset.from_frame(bn.fill_missing(bn.discretize(frame, "quantile"), missing)),
    ):
        try:
            step()
        except ValueError as error:
            is_a_sentence(error)
    assert list(frame.columns) == list(before.columns) or frame.columns.hasnans
