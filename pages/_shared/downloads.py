"""Downloads: the numbers behind a picture, the code that repeats a result; networks are in ``take_along``."""

from collections.abc import Callable, Iterable
from functools import partial

import pandas as pd
import streamlit as st

from bnengine.data.csv_export import csv_text
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


def report_button(write: Callable[[], str]) -> None:
    """A button that downloads the report, which is written when it is pressed."""
    about = "Findings, figures, the network, every edge, settings and script in one file to read, print and send."
    _button("Report (HTML)", write, "report.html", "text/html", about)


def take_away(
    *tables: tuple[str, pd.DataFrame, str],
    code: str = "",
    commands: Iterable[str] = (),
    report: Callable[[], str] | None = None,
    r_code: str = "",
) -> None:
    """A row of downloads, each with label, table and file name; the report, and the code that repeats it, if given."""
    with st.container(horizontal=True):
        for table in tables:
            csv_button(*table)
        if report is not None:
            report_button(report)
        if code:
            repeat_popover(code, commands, r_code)


def repeat_popover(code: str, commands: Iterable[str] = (), r_code: str = "") -> None:
    """The code that gives the same result without the pages: commands, if given, and Python; the nearest in R."""
    commands = list(commands)
    with st.popover("Repeat this"):
        if commands:
            st.caption("On the command line:")
            for command in commands:
                st.code(command, language="bash", wrap_lines=True)
            st.caption("In Python:")
        st.code(code if code.startswith("import") else f"import bnengine as bn\n\n{code}", language="python")
        if r_code:
            st.caption("The nearest in R (bnlearn), with what differs in its comments:")
            st.code(r_code, language="r")
