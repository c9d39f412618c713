"""Values that nobody meant to hand in."""

import math

import numpy as np
import pandas as pd
from hypothesis import strategies as st

#: Numbers, words and containers at the edges of what a program expects.
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.sampled_from([-1, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**30, 10**400]),
    st.floats(),
    st.sampled_from([0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, 1e308, 0.5]),
    st.text(max_size=8),
    st.sampled_from(["", " ", "bic", "none", "a", "v0", "\0", "ü", "../../etc/passwd", "9" * 50, "x" * 5000]),
    st.lists(st.one_of(st.none(), st.integers(-1, 3), st.sampled_from(["a", "v0", ""])), max_size=4),
    st.lists(st.lists(st.sampled_from(["a", "v0", "v1", ""]), max_size=3), max_size=4),
    st.dictionaries(st.sampled_from(["kind", "score", "ess", "", "version"]), st.integers(-1, 3), max_size=3),
)

#: Also what only a program can hand in.
ANYTHING = st.one_of(
    PLAIN,
    st.sampled_from([b"", b"abc", (), {}, set(), frozenset({"v0"}), object, len, print, 1j, range(3), Ellipsis]),
    st.sampled_from([np.float64(1.5), np.int64(3), np.bool_(True), np.nan, np.str_("v0")]),
    st.builds(np.zeros, st.sampled_from([0, 1, (1,), (2, 2), (3, 3), (0, 4), (2, 3, 1)])),
    st.builds(lambda: np.array([["v0", "v1"]])),
    st.builds(lambda: np.array([None, 1], dtype=object)),
    st.builds(lambda: pd.Series([1, 2], index=["a", "b"])),
    st.builds(lambda: pd.DataFrame({"a": [1, 2]})),
    st.builds(lambda: pd.DataFrame()),
)
