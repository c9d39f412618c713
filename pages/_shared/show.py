"""How findings, formulas, pictures and tables come onto a page."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages._shared import session
from pages._shared.session import Key

_PLAIN = {"displayModeBar": False}
_MOVABLE = {"displaylogo": False, "scrollZoom": True, "modeBarButtonsToRemove": ["select2d", "lasso2d"]}


def finding(text: str, place: Any = None) -> None:
    """The sentence on top: what the page has found, in numbers."""
    (place or st).markdown(f"#### {text}")


def note(text: str, name: str, place: Any = None, small: bool = True) -> None:
    """A remark under a picture or a control; its name tells it from the page's others."""
    with (place or st).container(key=Key.note(name)):
        (st.caption if small else st.markdown)(text)


def formula(*lines: str) -> None:
    """Formulas, one below the other; as running text, so that a narrow screen breaks them instead of cutting them."""
    for line in lines:
        st.markdown(rf"$\displaystyle {line}$", text_alignment="center")


def chart(
    figure: go.Figure, name: str, alt: str, place: Any = None, clickable: bool = False, movable: bool = False
) -> None:
    """Draw a figure.

    Parameters
    ----------
    figure : Figure
        The picture.
    name : str
        Tells it from the page's other pictures.
    alt : str
        What it shows, for readers who cannot see it.
    place : container, optional
        Where it goes; the page by default.
    clickable : bool
        Whether a click on a mark chooses its edge.
    movable : bool
        Whether it has a tool bar and can be zoomed, as networks can.
    """
    key = Key.chart(name)
    on_click: dict[str, Any] = {}
    if clickable:
        on_click = {"on_select": lambda: session.data.choose_clicked(key), "selection_mode": "points"}
    config = _MOVABLE if movable else _PLAIN
    (place or st).plotly_chart(figure, key=key, theme=None, config=config, alt=alt, **on_click)


def table(frame: Any, titles: Mapping[str, Any] | None = None, decimals: int = 2, **options: Any) -> Any:
    """Show a table without its index.

    Parameters
    ----------
    frame : DataFrame or list of dict
        The lines.
    titles : mapping, optional
        A column's title; with a pair (title, decimals) also how it is rounded; None hides the column; a column's
        configuration is taken as it is.
    decimals : int
        Of numbers in the columns that have a title; whole numbers are shown with thousands separated.
    **options
        As for ``st.dataframe``.
    """
    frame = pd.DataFrame(frame)
    config = {name: _column(frame, name, title, decimals) for name, title in (titles or {}).items()}
    return st.dataframe(frame, hide_index=True, column_config=config, **options)


def _column(frame: pd.DataFrame, name: str, title: Any, decimals: int) -> Any:
    if isinstance(title, tuple):
        title, decimals = title
    if not isinstance(title, str) or name not in frame or not pd.api.types.is_numeric_dtype(frame[name]):
        return title
    if pd.api.types.is_bool_dtype(frame[name]):
        return st.column_config.CheckboxColumn(title)
    whole = pd.api.types.is_integer_dtype(frame[name])
    return st.column_config.NumberColumn(title, format="localized" if whole else f"%.{decimals}f")
