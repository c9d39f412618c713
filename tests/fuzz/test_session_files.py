"""Whatever happened to a session's file, it gives a session or one sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from bnengine.experiment.archives import is_session
from tests.experiment.test_saved import packed, parts_with_parquet
from tests.fuzz.settings import fuzzed, is_a_sentence

PARTS = parts_with_parquet()
CONTENT = packed(PARTS)


def check(raw):
    is_session(raw)
    try:
        opened = bn.settings.SessionFile.from_bytes(raw)
        opened.frame()
    except ValueError as error:
        is_a_sentence(error)
        return
    assert bn.Experiment.from_json(opened.experiment.to_json()) == opened.experiment


@pytest.mark.slow
@fuzzed
@given(
    st.lists(st.tuples(st.integers(0, len(CONTENT) - 1), st.integers(0, 255)), min_size=1, max_size=6),
    st.integers(0, len(CONTENT)) | st.just(len(CONTENT)),
    st.binary(max_size=20),
)
def test_damaged_sessions(changes, end, more):
    """Bytes changed anywhere in the archive, its end cut off, something after it."""
    raw = bytearray(CONTENT)
    for place, value in changes:
        raw[place] = value
    check(bytes(raw[:end]) + more)


@fuzzed
@given(st.binary(max_size=100))
def test_any_bytes(raw):
    check(raw)
    check(b"PK\x03\x04" + raw)
