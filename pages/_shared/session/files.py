"""Reading uploaded files, and the file that opened settings need."""

import dataclasses
import hashlib
import io
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared.session import data

_AWAITED = "awaited"


@st.cache_data(max_entries=8, max_size="200MB", show_spinner="Reading the table …", scope="session")
def _parsed(content: bytes, name: str, options: tuple[tuple[str, Any], ...]) -> pd.DataFrame:
    return bn.read_table(io.BytesIO(content), name=name, **dict(options))


def read(content: bytes, arrived: bn.Recipe) -> pd.DataFrame:
    """The uploaded table, read as its recipe says.

    Raises
    ------
    DataError
        If the file cannot be read as a table.
    """
    return _parsed(content, arrived.name, tuple(arrived.reading.items()))


def arrived(content: bytes, name: str) -> bn.Recipe:
    """The recipe of a file just uploaded: read as opened settings or the data in use say, or as detected."""
    new = bn.Recipe("file", name, fingerprint=hashlib.sha256(content).hexdigest())
    wanted, now = awaited(), data.recipe()
    for known in (wanted, now):
        if known is not None and known.source == "file" and _is_for(known, new):
            return dataclasses.replace(new, **known.reading)
    return new


def turn_to(new: bn.Recipe) -> None:
    """Change to the data of opened settings, or wait for a file that was not uploaded yet."""
    here = data.available(new)
    st.session_state[_AWAITED] = None if here else new
    if here:
        data.set_recipe(new)


def awaited() -> bn.Recipe | None:
    """The missing file that opened settings need, with its treatment."""
    return st.session_state.get(_AWAITED)


def wait_no_longer() -> None:
    """Go on with the data in use."""
    st.session_state[_AWAITED] = None


def claim(arrived: bn.Recipe) -> bn.Recipe | None:
    """The recipe of the opened settings for a file just uploaded; None if they do not wait for this file."""
    wanted = awaited()
    if wanted is None or not _is_for(wanted, arrived) or wanted.reading != arrived.reading:
        return None
    st.session_state[_AWAITED] = None
    return dataclasses.replace(wanted, name=arrived.name, fingerprint=arrived.fingerprint)


def _is_for(known: bn.Recipe, new: bn.Recipe) -> bool:
    return (known.fingerprint or known.name) in (new.fingerprint, new.name)
