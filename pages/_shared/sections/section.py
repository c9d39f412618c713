"""Pages that show one section at a time, so that nothing is computed for the others, and what the sections share."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import plotly.graph_objects as go
import streamlit as st

from pages._shared import frame, session, show
from pages._shared import frame as app_guard
from pages._shared.jobs import compilation
from pages._shared.sections.require_data import own_data
from pages._shared.widgets.choice import tabs

T = TypeVar("T")
Picture = tuple[str, go.Figure, str]  # heading, figure, key


def section_page(
    sections: Mapping[str, Callable[..., Any]],
    key: str,
    with_data: bool = True,
    settings: Sequence[str] | None = None,
) -> None:
    """Show the chosen section.

    Parameters
    ----------
    sections : mapping
        What draws each section, by title.
    key : str
        The key of the choice.
    with_data : bool
        Whether the sections are passed the session's data set.
    settings : sequence of str, optional
        The sections that the settings in the sidebar change, by default all; beside the others the sidebar is hidden.
    """
    app_guard.through_app()
    data = own_data() if with_data else None
    if with_data and data is None:
        return
    chosen = tabs("Section", list(sections), key)
    if settings is not None and chosen not in settings:
        frame.without_settings()
    compilation.wait()
    sections[str(chosen)](*([data] if with_data else []))


def computed(name: str, work: Callable[[], T], *inputs: object) -> T:
    """Return the result of quick work, cached.

    Parameters
    ----------
    name : str
        Identifies the kind of work.
    work : callable
        Computes the result.
    *inputs
        All that the result depends on in addition to the session's data.
    """
    result: T = _cached(name, session.data.key(), inputs, work)
    return result


@st.cache_data(max_entries=300, max_size="256MB", show_spinner="Computing …")
def _cached(name: str, data: str, inputs: tuple[object, ...], _work: Callable[[], Any]) -> Any:
    return _work()


def side_by_side(*pictures: Picture) -> None:
    """Draw pictures in equal columns below their headings; headings and axes' titles make the alternative texts."""
    for column, (heading, figure, key) in zip(st.columns(len(pictures), gap="medium"), pictures, strict=True):
        column.markdown(f"**{heading}**")
        axes = f"{figure.layout.yaxis.title.text} against {figure.layout.xaxis.title.text}"
        show.chart(figure, key, f"{heading}: {axes}", column)
