"""Values that nobody meant to hand in."""

import datetime
import decimal
import fractions
import io
import itertools
import math
import threading
import types
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from hypothesis import strategies as st

import bnengine as bn
from tests.strategies import make_data

DATA = make_data([2, 3, 2], 30, seed=1)

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
    st.sampled_from(
        ["a" + " " * 20_000 + "b", "->" * 250, " a ", "x -> y", "a, b", "=1+1", "x;=1+1", "\x1b", ":" * 500]
    ),
    st.lists(st.one_of(st.none(), st.integers(-1, 3), st.sampled_from(["a", "v0", ""])), max_size=4),
    st.lists(st.lists(st.sampled_from(["a", "v0", "v1", ""]), max_size=3), max_size=4),
    st.builds(lambda: [[f"c{k}", f"d{k}"] for k in range(1_000)]),
    st.dictionaries(st.sampled_from(["kind", "score", "ess", "", "version"]), st.integers(-1, 3), max_size=3),
)


class Unfriendly:
    """An object that fails whatever one asks of it."""

    def __repr__(self):
        raise RuntimeError("no words")

    __len__ = __iter__ = __array__ = __eq__ = __bool__ = __float__ = __repr__
    __hash__ = None


def resampler(n):
    """A resampling method whose replicates are none."""
    own = {"n_replicates": lambda data: n, "check": lambda data: None, "replicate": lambda *_: None}
    return types.SimpleNamespace(name="none", **own)


#: What only a program can hand in, made anew for each call; none of them costs anything to make.
ODD = [
    lambda: -(10**400), lambda: 1j, lambda: np.bool_(False), lambda: np.float32(0.1), lambda: np.float64("nan"),
    lambda: np.int8(-3), lambda: np.uint64(2**64 - 1), lambda: decimal.Decimal("0.5"),
    lambda: fractions.Fraction(1, 3), lambda: datetime.date(2020, 1, 1), lambda: "\ud800", lambda: "a\udfffb",
    lambda: "x" * 100_000, lambda: "{0.__class__}", lambda: "a\nb", lambda: b"", lambda: b"abc", lambda: b"\xff" * 10,
    bytearray, lambda: memoryview(b"abc"), list, tuple, dict, set, lambda: frozenset({"v0"}), lambda: [None],
    lambda: [1, "a"], lambda: ["v0", "v0"], lambda: ["v0", "v1"], lambda: ["\ud800"], lambda: [("v0", "v1")],
    lambda: [("v0", "v0")], lambda: [("v0", "v1"), ("v1", "v0")], lambda: [("v0",)], lambda: [["v0", 1]],
    lambda: [10**400], lambda: [math.nan, 1.0], lambda: [-1, 0], lambda: [0, 0], lambda: [1, 2, 3], lambda: [[]],
    lambda: [[[1]]], lambda: [[1, 2], [3]], lambda: (1,), lambda: {"v0": 1}, lambda: {1: "v0"}, lambda: {"a": None},
    lambda: {"v0": "s9"}, lambda: {"a": [("v0", "v1")]}, lambda: {"a": DATA}, object, lambda: object,
    lambda: Unfriendly(), lambda: print, lambda: (lambda: None), lambda: bn.BIC, lambda: bn.BIC(),
    lambda: bn.K2(("v0", "zz")), lambda: bn.Bootstrap, lambda: bn.Dataset, lambda: np, lambda: Ellipsis,
    lambda: NotImplemented, lambda: range(3), lambda: range(10**12), lambda: iter(["v0"]),
    lambda: (n for n in range(3)), lambda: itertools.count(), lambda: np.zeros(0), lambda: np.zeros((0, 4)),
    lambda: np.zeros(()), lambda: np.zeros((2, 3, 1)), lambda: np.eye(3), lambda: np.ones((3, 3), dtype=bool),
    lambda: np.full((3, 3), np.nan), lambda: np.full(3, -1), lambda: np.array("v0"),
    lambda: np.array([None, 1], dtype=object), lambda: np.array(["a"]), lambda: np.zeros(2, dtype="M8[s]"),
    lambda: np.zeros(1, dtype=[("a", int)]), lambda: np.ma.masked_array([1, 2], [True, False]),
    lambda: np.random.default_rng(1), lambda: pd.Series([1, 2], index=["a", "b"]), lambda: pd.Index(["v0"]),
    pd.DataFrame, lambda: pd.DataFrame({"v0": []}), lambda: pd.DataFrame({0: [1, 2], 1: ["a", "b"]}),
    lambda: pd.DataFrame([[1, 2]], columns=["v0", "v0"]), lambda: pd.DataFrame({"v0": [None, 1.0]}),
    lambda: pd.DataFrame({"v0": [[1], {2}]}),
    lambda: pd.DataFrame({"v0": ["s0", "s1"], "v1": [1, 2], "v2": [True, False]}),
    lambda: pd.DataFrame([[1]], columns=pd.Index(["\ud800"], dtype=object)),
    lambda: pd.DataFrame({"a\nb": ["x\ny", "z"]}), lambda: pa.table({"v0": [0, 1]}),
    lambda: pd.DataFrame({"v0": [1j, 2]}), lambda: pd.DataFrame({("a", 1): [1, 2]}), lambda: DATA,
    lambda: DATA.select(["v1"]), lambda: bn.load_network("cancer"), lambda: bn.Constraints(required=[("zz", "v0")]),
    lambda: bn.Bootstrap(1), lambda: resampler(0), lambda: resampler(2), lambda: io.BytesIO(),
    lambda: io.StringIO("a,b"), lambda: Path("no/such/file.csv"), lambda: threading.Lock(),
]  # fmt: skip


ANYTHING = st.one_of(PLAIN, st.sampled_from(ODD).map(lambda make: make()))
