"""Downloads: the numbers behind a picture, a network, the code that repeats a result."""

import io
from collections.abc import Callable, Iterable
from functools import partial

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.csv_export import csv_text
from bnengine.networks.bif import renamed_for_bif
from pages._shared.format import escaped, listed
from pages._shared.session import Key


def _button(
    label: str, content: str | bytes | Callable[[], str], file: str, mime: str, about: str | None = None
) -> None:
    """A download button; pressing it does not run the page again."""
    st.download_button(label, content, file, mime, on_click="ignore", key=Key.download(file), help=about)


def csv_button(label: str, frame: pd.DataFrame, file: str) -> None:
    """A button that downloads a table, which is written when it is pressed."""
    _button(f"{label} (CSV)", partial(csv_text, frame), file, "text/csv")


def json_button(label: str, content: str, file: str) -> None:
    """A button that downloads settings or a result."""
    _button(f"{label} (JSON)", content, file, "application/json")


def bif_button(label: str, data: bn.Dataset, edges: Iterable[tuple[str, str]], file: str) -> None:
    """A button that downloads a graph with probabilities fitted to the data; names that BIF cannot hold are changed."""
    buffer = io.BytesIO()
    try:
        network, changed = renamed_for_bif(bn.fit(data, edges, ess=1.0))
        bn.write_bif(network, buffer)
    except ValueError as error:
        st.caption(f"The network cannot be saved as BIF: {escaped(str(error))}.")
        return
    names = listed([f"{escaped(old)} → {escaped(new)}" for old, new in changed.items()], 5)
    about = f"BIF allows no spaces or brackets in names. Changed in the file: {names}." if changed else None
    _button(f"{label} (BIF)", buffer.getvalue(), file, "text/plain", about)


def take_away(*tables: tuple[str, pd.DataFrame, str], code: str = "", commands: Iterable[str] = ()) -> None:
    """A row of downloads, each with label, table and file name, and the code that repeats the result, if given."""
    with st.container(horizontal=True):
        for table in tables:
            csv_button(*table)
        if code:
            repeat_popover(code, commands)


def repeat_popover(code: str, commands: Iterable[str] = ()) -> None:
    """The code that gives the same result without the pages: commands, if given, and Python."""
    commands = list(commands)
    with st.popover("Repeat this"):
        if commands:
            st.caption("On the command line:")
            for command in commands:
                st.code(command, language="bash", wrap_lines=True)
            st.caption("In Python:")
        st.code(code if code.startswith("import") else f"import bnengine as bn\n\n{code}", language="python")
