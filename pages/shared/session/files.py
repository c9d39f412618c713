"""Uploaded files, and the file that opened settings need."""

import dataclasses
import hashlib
import os
from pathlib import Path

import streamlit as st

import bnengine as bn
from bnengine.cli.app import FILE_VARIABLE
from bnengine.experiment.uploaded_table import read_upload
from bnengine.text import bounded_name
from pages.shared.session import data

_AWAITED, _SHEETS, _TAKEN = "awaited", "sheets", "given_table_taken"


def sheets(arrived: bn.Recipe) -> tuple[tuple[str, int, int], ...]:
    """Return title, rows and columns of the sheets of a workbook that was read, or could not be."""
    kept = st.session_state.get(_SHEETS, ("", ()))
    return kept[1] if kept[0] == arrived.fingerprint else ()


def keep_sheets(arrived: bn.Recipe, titles: tuple[tuple[str, int, int], ...]) -> None:
    """Remember the sheets of the file that was read last."""
    st.session_state[_SHEETS] = arrived.fingerprint, titles


def fingerprint(content: bytes) -> str:
    """Return the SHA-256 of a file's bytes."""
    return hashlib.sha256(content).hexdigest()


def given() -> Path | None:
    """Return the table that the app was started on, by ``bnengine app --file``."""
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
        with st.spinner("Reading the table …"):
            arrival = read_upload(content, new)
        data.keep_upload(new, content, arrival)
        data.set_recipe(arrival.suggested)


def arrived(content: bytes, name: str) -> bn.Recipe:
    """Return the recipe of a file just uploaded: read as opened settings or the data in use say, or as detected."""
    name = name.encode("utf-8", "backslashreplace").decode()  # of a file whose name is not UTF-8
    new = bn.Recipe("file", bounded_name(name), fingerprint=fingerprint(content))
    wanted, now = awaited(), data.recipe()
    for known in (wanted, now):
        if known is not None and known.source == "file" and _is_for(known, new):
            return dataclasses.replace(new, **known.reading)
    return new


def turn_to(new: bn.Recipe) -> None:
    """Change to the data of opened settings; where their table is not here, they wait for the file, or its reading."""
    here = data.available(new)
    st.session_state[_AWAITED] = None if here else new
    if here:
        data.set_recipe(new)


def awaited() -> bn.Recipe | None:
    """Return the missing file that opened settings need, with its treatment."""
    return st.session_state.get(_AWAITED)


def wait_no_longer() -> None:
    """Go on with the data in use."""
    st.session_state[_AWAITED] = None


def claim(arrived: bn.Recipe) -> bn.Recipe | None:
    """Return the recipe of the opened settings for a file just uploaded; None if they do not wait for this file."""
    wanted = awaited()
    if wanted is None or not _is_for(wanted, arrived) or wanted.reading != arrived.reading:
        return None
    st.session_state[_AWAITED] = None
    return dataclasses.replace(wanted, name=arrived.name, fingerprint=arrived.fingerprint)


def _is_for(known: bn.Recipe, new: bn.Recipe) -> bool:
    return (known.fingerprint or known.name) in (new.fingerprint, new.name)
