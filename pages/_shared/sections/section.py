"""Pages that show one section at a time, so that nothing is computed for the others, and what the sections share."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from pages._shared import frame, session, show
from pages._shared.jobs import compilation
from pages._shared.sections.require_data import observed_data
from pages._shared.session import Key
from pages._shared.widgets.choice import tabs

T = TypeVar("T")
Picture = tuple[str, go.Figure, str]  # heading, figure, key


def section_page(
    sections: Mapping[str, Callable[[bn.Dataset], None]],
    key: str,
) -> None:
    """Show the chosen section of the session's data.

    Parameters
    ----------
    sections : mapping
        What draws each section, by title.
    key : str
        The key of the choice.
    """
    frame.through_app()
    data = observed_data()
    if data is None:
        return
    chosen = tabs("Section", list(sections), key)
    compilation.wait()
    sections[str(chosen)](data)


def computed(name: str, work: Callable[[], T], *inputs: object) -> T:
    """Return the result of quick work, cached.

    Parameters
    ----------
    name : str
        Identifies the kind of work.
    work : callable
        Computes the result.
    *inputs
        All that the result depends on.
    """
    result: T = _cached(name, inputs, work)
    return result


@st.cache_data(max_entries=300, max_size="256MB", show_spinner="Computing …")
def _cached(name: str, inputs: tuple[object, ...], _work: Callable[[], Any]) -> Any:
    return _work()


def side_by_side(*pictures: Picture) -> None:
    """Draw pictures in equal columns below their headings; headings and axes' titles make the alternative texts."""
    pictures = tuple(one for one in pictures if session.values.get(Key.PICTURE) in ("", None, one[2]))
    if not pictures:
        return
    for column, (heading, figure, key) in zip(st.columns(len(pictures), gap="medium"), pictures, strict=True):
        column.markdown(f"**{heading}**")
        axes = f"{figure.layout.yaxis.title.text} against {figure.layout.xaxis.title.text}"
        show.chart(figure, key, f"{heading}: {axes}", column)
