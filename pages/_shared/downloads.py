"""What a person takes away: the numbers behind a picture, a network, the lines that repeat a result."""

import io
from collections.abc import Iterable
from functools import partial

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.csv_export import csv_text
from bnengine.networks.bif import renamed_for_bif
from pages._shared.format import escaped, listed
from pages._shared.session import Key


def csv_button(label: str, frame: pd.DataFrame, file: str) -> None:
    """A button that downloads a table, which is written when it is pressed; pressing it runs nothing again."""
    st.download_button(
        f"{label} (CSV)", partial(csv_text, frame), file, "text/csv", on_click="ignore", key=Key.download(file)
    )


def json_button(label: str, content: str, file: str) -> None:
    """A button that downloads settings or a result."""
    st.download_button(f"{label} (JSON)", content, file, "application/json", on_click="ignore", key=Key.download(file))


def bif_button(label: str, data: bn.Dataset, edges: Iterable[tuple[str, str]], file: str) -> None:
    """A button that downloads a graph with probabilities fitted to the data; names that BIF cannot hold are changed."""
    buffer = io.BytesIO()
    try:
        network, changed = renamed_for_bif(bn.fit(data, edges, ess=1.0))
        bn.write_bif(network, buffer)
    except ValueError as error:
        st.caption(f"No BIF: {escaped(str(error))}.")
        return
    st.download_button(
        f"{label} (BIF)",
        buffer.getvalue(),
        file,
        "text/plain",
        on_click="ignore",
        key=Key.download(file),
        help=_told(changed),
    )


def _told(changed: dict[str, str]) -> str | None:
    """Which names are others in the file."""
    if not changed:
        return None
    shown = listed([f"{escaped(old)} is {escaped(new)}" for old, new in changed.items()], 5)
    return f"BIF holds no spaces or brackets. In the file {shown}."


def take_away(*tables: tuple[str, pd.DataFrame, str], code: str = "", commands: Iterable[str] = ()) -> None:
    """A row of downloads, each with label, table and file name, and the lines that repeat the result, if there are."""
    with st.container(horizontal=True):
        for table in tables:
            csv_button(*table)
        if code:
            repeat_popover(code, commands)


def repeat_popover(code: str, commands: Iterable[str] = ()) -> None:
    """The lines that give the same result without the pages: commands, where there are any, and Python."""
    commands = list(commands)
    with st.popover("Repeat this"):
        if commands:
            st.caption("On the command line:")
            for command in commands:
                st.code(command, language="bash", wrap_lines=True)
            st.caption("In Python:")
        st.code(code if code.startswith("import") else f"import bnengine as bn\n\n{code}", language="python")
