"""Whatever a file or a table in memory holds, it gives a table or a DataError: no other error, no warning."""

import datetime
import decimal
import gzip
import io
import math
import string
from contextlib import suppress

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.data.columns import describe
from bnengine.data.csv_export import csv_text
from bnengine.data.reading import read_named
from tests.data.test_reading import CONTENTS
from tests.fuzz.settings import fuzzed, fuzzed_in_processes, is_a_sentence
from tests.hostile import parquet

pytestmark = pytest.mark.slow

LETTERS = st.text(
    st.sampled_from([*"0123456789.,;|\t \n\r\"'#+-=@eExüß\0\ufeff\u2028", *string.ascii_letters]), max_size=12
)
CELLS = st.one_of(
    LETTERS,
    st.integers().map(str),
    st.floats().map(repr),
    st.sampled_from(
        ["", " ", "NA", "1,5", "1.10", "1.1", "1e5", "100000", "007", "9" * 30, "1" * 60, "=A1", "kg", "total"]
    ),
)


def check(raw):
    """Read it; what is read is a table, can be written, and can be described."""
    try:
        frame = read_named(io.BytesIO(raw), "t")
    except bn.DataError as error:
        is_a_sentence(error)
        return
    assert len(frame) > 0
    assert len(set(frame.columns)) == frame.shape[1] > 0
    assert all(isinstance(name, str) and name for name in frame.columns)
    reading = frame.attrs["reading"]
    assert len(reading.form) + sum(map(len, reading.remarks)) < 5000
    assert csv_text(frame)
    assert len(describe(frame)) == frame.shape[1]
    with suppress(ValueError):
        bn.Dataset.from_frame(bn.fill_missing(frame, "own_state"))


@fuzzed
@given(
    st.lists(st.lists(CELLS, min_size=1, max_size=5), min_size=1, max_size=12),
    st.sampled_from([",", ";", "\t", "|", " ", ", ", "\0"]),
    st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "latin-1"]),
    st.booleans(),
)
def test_texts(rows, separator, end, encoding, packed):
    raw = end.join(separator.join(row) for row in rows).encode(encoding, errors="replace")
    check(gzip.compress(raw) if packed else raw)


def columns_of(values, kind):
    """Parquet columns of two cells, either of which may be missing."""
    return st.lists(st.none() | values, min_size=2, max_size=2).map(lambda cells: pa.array(cells, kind))


COLUMNS = st.one_of(
    columns_of(st.text(max_size=5), pa.string()),
    columns_of(st.binary(max_size=5), pa.binary()),
    columns_of(st.integers(-(2**63), 2**63 - 1), pa.int64()),
    columns_of(st.floats(), pa.float64()),
    columns_of(st.booleans(), pa.bool_()),
    columns_of(st.dates(), pa.date32()),
    columns_of(st.datetimes(), pa.timestamp("us")),
    columns_of(st.decimals(-100, 100, places=2), pa.decimal128(10, 2)),
    columns_of(st.sampled_from(["a", "b"]), pa.string()).map(lambda column: column.dictionary_encode()),
    st.just(pa.array([[1], None])),
    st.just(pa.nulls(2)),
)


@fuzzed_in_processes
@given(st.lists(st.tuples(st.text(max_size=4), COLUMNS), max_size=4), st.sampled_from(["none", "snappy", "zstd"]))
def test_parquet(columns, compression):
    table = pa.Table.from_arrays([column for _, column in columns], names=[name for name, _ in columns])
    check(parquet(table, compression=compression))


@fuzzed
@given(st.sampled_from(sorted(CONTENTS)), st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 255)), max_size=5))
def test_damaged_files_of_each_format(kind, damage):
    raw = bytearray(CONTENTS[kind])
    for place, byte in damage:
        raw[place % len(raw)] = byte
    check(bytes(raw))


# Tables in memory become a data set or are refused.


VALUES = [
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
        st.tuples(NAMES, st.lists(st.sampled_from(VALUES), min_size=n, max_size=n), st.sampled_from(KINDS)), max_size=4
    )
)


@fuzzed
@given(FRAMES, st.sampled_from(["own_state", "drop_rows"]), st.sampled_from(["quantile", "width", "score"]))
def test_frames(columns, missing, method):
    frame = pd.concat([column(cells, kind) for _, cells, kind in columns], axis=1) if columns else pd.DataFrame()
    frame.columns = pd.Index([name for name, _, _ in columns], dtype=object)
    before = frame.copy()
    for step in (
        lambda: describe(frame),
        lambda: bn.fill_missing(frame, missing),
        lambda: bn.discretize(frame, method),
        lambda: bn.Dataset.from_frame(bn.fill_missing(bn.discretize(frame, "quantile"), missing)),
    ):
        try:
            step()
        except ValueError as error:
            is_a_sentence(error)
    assert list(frame.columns) == list(before.columns) or frame.columns.hasnans
