"""What the sections of the teaching pages share: sentence, picture, download, picking of variables."""

from collections.abc import Callable, Mapping

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from pages._shared import app_guard, session
from pages._shared.downloads import csv_button
from pages._shared.format.text import escaped
from pages._shared.jobs import warming
from pages._shared.require_data import own_data

Section = Callable[[bn.Dataset], None]


def section_page(sections: Mapping[str, Section], key: str) -> None:
    """A page of which one section is shown at a time, so that nothing is computed for the others."""
    app_guard.through_app()
    data = own_data()
    if data is None:
        return
    chosen = st.segmented_control(
        "section",
        list(sections),
        default=next(iter(sections)),
        required=True,
        key=key,
        persist_state="session",
        label_visibility="collapsed",
    )
    warm = warming.warm_up()
    if warm.is_alive():  # compiling the same code twice at once would take twice as long
        with st.spinner("Compiling the engine: half a minute or more, on the first start on a machine only …"):
            warm.join()
    sections[str(chosen)](data)


def finding(text: str) -> None:
    """The sentence on top: what the picture shows, in numbers."""
    st.markdown(f"#### {text}")


def formula(*lines: str) -> None:
    """Formulas, one below the other; as running text, so that a narrow screen breaks them instead of cutting them."""
    for line in lines:
        st.markdown(rf"$\displaystyle {line}$", text_alignment="center")


def chart(figure: go.Figure, key: str, alt: str) -> None:
    """A picture without a tool bar."""
    st.plotly_chart(figure, key=key, theme=None, config={"displayModeBar": False}, alt=alt)


def download(table: pd.DataFrame, label: str, file: str) -> None:
    """The numbers behind a picture as CSV."""
    csv_button(label, table, file)


def data_title() -> str:
    """How the session's data are called, safe for Markdown."""
    return escaped(session.recipe().title)


def picked_variables(data: bn.Dataset, key: str, default: list[str], least: int, most: int) -> list[str] | None:
    """Some of the data's variables, in the order picked; None, with a word, while there are too few."""
    chosen = st.multiselect(
        f"variables ({least} to {most})" if least < most else f"{most} variables",
        data.names,
        default=default,
        max_selections=most,
        key=f"{key} {session.data_key()}",
        persist_state="session",
        select_all=False,
    )
    if len(chosen) < least:
        st.info(f"Pick at least {least} variables.")
        return None
    return [str(name) for name in chosen]
