"""Reading uploaded files, and the file that opened settings need."""

import dataclasses
import hashlib
import io

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared.session import data

_AWAITED = "awaited"


@st.cache_data(max_entries=8, max_size="200MB", show_spinner="Reading the table …", scope="session")
def _parsed(content: bytes, name: str) -> pd.DataFrame:
    return bn.read_table(io.BytesIO(content), name=name)


def read(content: bytes, name: str) -> tuple[pd.DataFrame, str]:
    """The uploaded table and the digest of its bytes.

    Raises
    ------
    DataError
        If the file cannot be read as a table.
    """
    return _parsed(content, name), hashlib.sha256(content).hexdigest()


def turn_to(new: bn.Recipe) -> None:
    """Change to the data of opened settings, or wait for a file that was not uploaded yet."""
    here = data.available(new)
    st.session_state[_AWAITED] = None if here else new
    if here:
        data.set_recipe(new)


def awaited() -> bn.Recipe | None:
    """The missing file that opened settings need, with its treatment."""
    return st.session_state.get(_AWAITED)


def claim(arrived: bn.Recipe) -> bn.Recipe | None:
    """The recipe of the opened settings for a file just uploaded; None if they do not wait for this file."""
    wanted = awaited()
    if wanted is None or (wanted.fingerprint or wanted.name) not in (arrived.fingerprint, arrived.name):
        return None
    st.session_state[_AWAITED] = None
    return dataclasses.replace(wanted, name=arrived.name, fingerprint=arrived.fingerprint)
