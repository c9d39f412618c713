"""Whatever a network's file holds, reading it gives a network or a DataError: no other error, no warning."""

import gzip
import io
import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import bnengine as bn
from tests.fuzz.settings import fuzzed, is_a_sentence
from tests.networks.test_bif import SMALL

WORDS = sorted(set(re.findall(r"\s+|[\w.+-]+|.", SMALL)))
ODD = [
    "[ 2 ]",
    *["default", "table", "nan", "inf", "-1", "1e999", "0", '"', "/*", "*/", "//", "\x00", "ü", "|", "{", "}", ";"],
]


def check(raw):
    """Read it; each row of what is read is a distribution."""
    try:
        network = bn.read_bif(io.BytesIO(raw))
    except bn.DataError as error:
        is_a_sentence(error)
        return
    for table in network.tables:
        assert np.allclose(table.sum(axis=1), 1)


@fuzzed
@given(st.binary(max_size=200), st.booleans())
def test_any_bytes(raw, packed):
    check(gzip.compress(raw) if packed else raw)


@fuzzed
@given(st.data())
def test_a_network_with_some_words_changed(draws):
    words = re.findall(r"\s+|[\w.+-]+|.", SMALL)
    for _ in range(draws.draw(st.integers(1, 4))):
        place = draws.draw(st.integers(0, len(words) - 1))
        words[place : place + draws.draw(st.integers(0, 3))] = draws.draw(
            st.lists(st.sampled_from([*WORDS, *ODD]), max_size=3)
        )
    check("".join(words).encode())
