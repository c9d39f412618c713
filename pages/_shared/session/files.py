"""Reading uploaded files, and the file that opened settings need."""

import dataclasses
import hashlib
import io
import os
from pathlib import Path

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine._core.names import bounded_name
from bnengine.cli.app import FILE_VARIABLE
from pages._shared.session import data

_AWAITED, _REFUSED, _TAKEN = "awaited", "awaited_refused", "given_table_taken"


def read(content: bytes, arrived: bn.Recipe) -> pd.DataFrame:
    """The uploaded table, read as its recipe says; the file is kept, to be read otherwise later.

    Raises
    ------
    DataError
        If the file cannot be read as a table.
    """
    known = data.uploaded_table(arrived)
    if known is None:
        with st.spinner("Reading the table …"):
            known = bn.read_table(io.BytesIO(content), name=arrived.name, **arrived.reading)
    data.keep_last(data.CONTENTS, arrived.fingerprint, content)
    return known


def fingerprint(content: bytes) -> str:
    """SHA-256 of a file's bytes."""
    return hashlib.sha256(content).hexdigest()


def given() -> Path | None:
    """The table that the app was started on, by ``bnengine app --file``."""
    path = os.environ.get(FILE_VARIABLE, "")
    return Path(path) if path else None


def take_given() -> None:
    """Begin the session with the table that the app was started on.

    Raises
    ------
    DataError, OSError
        If the file cannot be read as a table, or at all.
    """
    path = given()
    if path is not None and not st.session_state.get(_TAKEN):
        st.session_state[_TAKEN] = True
        content = path.read_bytes()
        new = arrived(content, path.name)
        frame = read(content, new)
        data.set_recipe(new.suggested(frame), frame)


def arrived(content: bytes, name: str) -> bn.Recipe:
    """The recipe of a file just uploaded: read as opened settings or the data in use say, or as detected."""
    new = bn.Recipe("file", bounded_name(name), fingerprint=fingerprint(content))
    wanted, now = awaited(), data.recipe()
    for known in (wanted, now):
        if known is not None and known.source == "file" and _is_for(known, new):
            return dataclasses.replace(new, **known.reading)
    return new


def turn_to(new: bn.Recipe) -> None:
    """Change to the data of opened settings, read as they say, or wait for a file that was not uploaded yet."""
    content, frame, refused = data.uploaded_file(new), None, ""
    if not data.available(new) and content is not None:
        try:
            frame = read(content, new)
        except bn.DataError as error:
            refused = str(error)
    here = frame is not None or data.available(new)
    st.session_state[_AWAITED], st.session_state[_REFUSED] = None if here else new, refused
    if here:
        data.set_recipe(new, frame)


def awaited() -> bn.Recipe | None:
    """The missing file that opened settings need, with its treatment."""
    return st.session_state.get(_AWAITED)


def refused() -> str:
    """Why the file that opened settings need cannot be read as they say, although it is here; empty otherwise."""
    return str(st.session_state.get(_REFUSED, ""))


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
