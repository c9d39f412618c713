"""Findings, formulas, pictures and tables on a page."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from pages._shared import session
from pages._shared.figures.network import NetworkPicture
from pages._shared.session import Key
from pages._shared.widgets import network_view

_PLAIN = {"displayModeBar": False}
_MOVABLE = {"displaylogo": False, "scrollZoom": True, "modeBarButtonsToRemove": ["select2d", "lasso2d"]}


def finding(text: str, place: Any = None) -> None:
    """The heading of a page: its finding, in numbers."""
    (place or st).markdown(f"## {text}")


def note(text: str, name: str, place: Any = None, small: bool = True) -> None:
    """A remark under a picture or a control; the name is unique on the page."""
    with (place or st).container(key=Key.note(name)):
        (st.caption if small else st.markdown)(text)


def formula(*lines: str) -> None:
    """Formulas, one below the other; as running text, so that a narrow screen breaks them instead of cutting them."""
    for line in lines:
        st.markdown(rf"$\displaystyle {line}$", text_alignment="center")


def chart(
    figure: go.Figure | NetworkPicture,
    name: str,
    alt: str,
    place: Any = None,
    clickable: bool = False,
    movable: bool = False,
    caption: str = "",
    square: bool = False,
) -> None:
    """Draw a figure.

    Parameters
    ----------
    figure : Figure or NetworkPicture
        The picture; a network has a view of its own, which can always be moved and zoomed.
    name : str
        Unique on the page.
    alt : str
        A description for readers who cannot see the picture.
    place : container, optional
        Where it goes; the page by default.
    clickable : bool
        Whether a click on a mark chooses its edge.
    movable : bool
        Whether it has a tool bar and can be zoomed.
    caption : str
        Shown under the picture.
    square : bool
        Whether the picture is as high as it is wide, whatever the width of its place.
    """
    key = Key.chart(name)
    if isinstance(figure, NetworkPicture):
        network_view.draw(figure, key, alt, place, clickable)
        if caption:
            (place or st).caption(caption)
        return
    on_click: dict[str, Any] = {}
    if clickable:
        on_click = {"on_select": lambda: session.data.choose_clicked(key), "selection_mode": "points"}
    config = _MOVABLE if movable else _PLAIN
    at = place or st
    if square:
        figure.update_layout(height=None)
        at, on_click = at.container(key=Key.square(name)), {"height": "stretch", **on_click}
    at.plotly_chart(figure, key=key, theme=None, config=config, alt=alt, **on_click)
    if caption:
        (place or st).caption(caption)


def table(frame: Any, titles: Mapping[str, Any] | None = None, decimals: int = 2, **options: Any) -> Any:
    """Show a table without its index.

    Parameters
    ----------
    frame : DataFrame or list of dict
        The rows.
    titles : mapping, optional
        As for ``columns``; other columns are titled by their names.
    decimals : int
        Decimals of the numbers in columns with a title.
    **options
        As for ``st.dataframe``.
    """
    frame = pd.DataFrame(frame)
    config = columns(frame, titles or {}, decimals)
    return st.dataframe(frame, hide_index=True, column_config=config, **options)


def columns(frame: pd.DataFrame, titles: Mapping[str, Any], decimals: int = 2) -> dict[str, Any]:
    """The configuration of a table's columns.

    Parameters
    ----------
    frame : DataFrame
        The rows.
    titles : mapping
        A column's title; with a pair (title, decimals) also its decimals; with a pair (title, options) also its help,
        width or format; None hides the column; a column configuration is used as it is.
    decimals : int
        Decimals of the numbers in columns with a title; integers have thousands separators.
    """
    untitled = {name: name[:1].upper() + name[1:].replace("_", " ") for name in map(str, frame) if name not in titles}
    named = {name: st.column_config.Column(title) for name, title in untitled.items()}
    return {**named, **{name: _column(frame, name, title, decimals) for name, title in titles.items()}}


def _column(frame: pd.DataFrame, name: str, title: Any, decimals: int) -> Any:
    options: dict[str, Any] = {}
    if isinstance(title, tuple):
        title, more = title
        decimals, options = (decimals, more) if isinstance(more, dict) else (more, options)
    if not isinstance(title, str) or name not in frame:
        return title
    if pd.api.types.is_bool_dtype(frame[name]):
        return st.column_config.CheckboxColumn(title, **options)
    if not pd.api.types.is_numeric_dtype(frame[name]):
        return st.column_config.Column(title, **options)
    whole = pd.api.types.is_integer_dtype(frame[name])
    return st.column_config.NumberColumn(title, **{"format": "localized" if whole else f"%.{decimals}f", **options})
