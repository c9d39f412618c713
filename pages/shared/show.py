"""Findings, formulas, pictures and tables on a page."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from bnengine.plots.network_drawing import NetworkPicture, arrows
from bnengine.plots.palette import enlarged, ink
from pages.shared import state
from pages.shared.format import counted, escaped, listed
from pages.shared.keys import Key
from pages.shared.widgets import network_view

#: While the mouse is over a picture, a button saves it as SVG.
_PLAIN = {"displaylogo": False, "modeBarButtons": [["toImage"]]}
_LARGE = 20  # pixels, of letters in a lecture


def finding(text: str, place: Any = None) -> None:
    """Show the heading of a page: its finding, in numbers."""
    (place or st).markdown(f"## {text}")


def note(text: str, name: str, place: Any = None, small: bool = True) -> None:
    """Show a remark under a picture or a control; the name is unique on the page."""
    with (place or st).container(key=Key.note(name)):
        (st.caption if small else st.markdown)(text)


def formula(*lines: str, place: Any = None) -> None:
    """Show formulas, one below the other.

    As running text, so that a narrow screen breaks them instead of cutting them.
    """
    text = "\n\n".join(rf"$\displaystyle {line}$" for line in lines)
    (place or st).markdown(text, text_alignment="center")


def chart(
    figure: go.Figure | NetworkPicture,
    name: str,
    alt: str,
    place: Any = None,
    clickable: bool = False,
    caption: str = "",
    square: bool = False,
    on_pick: Callable[[str, str], None] | None = None,
) -> None:
    """Draw a figure; in a lecture, only the one that its step shows, larger.

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
    caption : str
        Shown under the picture.
    square : bool
        Whether the picture is as high as it is wide, whatever the width of its place.
    on_pick : callable, optional
        Called with the two texts that a clicked mark carries, instead of choosing an edge.
    """
    key, presented = Key.chart(name), state.get(Key.PICTURE)
    if presented and name != presented:
        return
    if isinstance(figure, NetworkPicture):
        network_view.draw(figure, key, alt, place, clickable, on_pick)
    else:
        at, looks = place or st, dict[str, Any]()
        if clickable or on_pick:
            act = on_pick or (lambda *ends: state.choose(ends))
            looks = {"on_select": lambda: _picked(key, act), "selection_mode": "points"}
        if presented:
            figure = enlarged(figure, _LARGE)
            at, looks["height"] = at.container(key=Key.PRESENTED), "stretch"
        elif square:
            figure.update_layout(height=None)
            at, looks["height"] = at.container(key=Key.square(name)), "stretch"
        config = {**_PLAIN, "toImageButtonOptions": {"format": "svg", "filename": name.replace(" ", "_")}}
        at.plotly_chart(figure, key=key, theme=None, config=config, alt=alt, **looks)
    if caption:
        (place or st).caption(caption)


def _picked(key: str, act: Callable[[str, str], None]) -> None:
    if (picked := state.clicked(key)) is not None:
        act(*picked)


def table(
    frame: Any,
    titles: Mapping[str, Any] | None = None,
    decimals: int = 2,
    written: Mapping[str, Callable[[Any], str]] | None = None,
    **options: Any,
) -> Any:
    """Show a table without its index; missing values are blank.

    Parameters
    ----------
    frame : DataFrame or list of dict
        The rows.
    titles : mapping, optional
        As for ``columns``; other columns are titled by their names.
    decimals : int
        Decimals of the numbers in columns with a title.
    written : mapping, optional
        How the values of a column are written; it is still sorted by the values.
    **options
        As for ``st.dataframe``.
    """
    frame, titles, written = pd.DataFrame(frame), titles or {}, written or {}
    shown = frame.style.format(dict(written), na_rep="") if written else frame
    config = columns(frame.astype(dict.fromkeys(written, object)), titles, decimals)
    return st.dataframe(shown, hide_index=True, column_config=config, placeholder="", **options)


def network(data: bn.Dataset, edges: list[tuple[str, str]], key: str) -> None:
    """Draw the variables that have edges, in layers; list the others by name."""
    joined = [name for name in data.names if any(name in edge for edge in edges)]
    if edges:
        picture = NetworkPicture(joined, arrows(joined, edges, ink(state.dark()), 1.4), width_hint=800)
        chart(picture, key, f"Network with {counted(len(edges), 'edge')}")
    alone = [escaped(name) for name in data.names if name not in joined]
    if alone:
        st.caption(f"{'Without edges' if edges else 'No edges yet between'}: {listed(alone, 12)}")


def columns(frame: pd.DataFrame, titles: Mapping[str, Any], decimals: int = 2) -> dict[str, Any]:
    """Return the configuration of a table's columns.

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
