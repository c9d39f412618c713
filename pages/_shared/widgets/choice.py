"""Choosing one of several things: in a list, or side by side."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages._shared import session
from pages._shared.session import kept

Titles = Sequence[Any] | Mapping[Any, str]


def choice(label: str, titles: Titles, key: str, place: Any = None, first: Any = None, **options: Any) -> Any:
    """One of several things, from a list.

    Parameters
    ----------
    label : str
        What is chosen.
    titles : sequence or mapping
        The things; as a mapping, with what each is called.
    key : str
        The widget's key; a value that is not offered, such as a variable of other data, gives way to the ``first``.
    place : container, optional
        Where it goes; the page by default.
    first : object, optional
        What is chosen at first, by default the first one.
    **options
        As for ``st.selectbox``.
    """
    return _offered((place or st).selectbox, label, titles, key, first, **options)


def tabs(label: str, titles: Titles, key: str, place: Any = None, first: Any = None, **options: Any) -> Any:
    """One of a few things side by side; the label is read aloud, not shown."""
    options = {"label_visibility": "collapsed", "required": True} | options
    return _offered((place or st).segmented_control, label, titles, key, first, **options)


def _offered(widget: Any, label: str, titles: Titles, key: str, first: Any, **options: Any) -> Any:
    things = list(titles)
    session.values.among(key, things, things[0] if first not in things else first)
    if isinstance(titles, Mapping):
        options["format_func"] = titles.__getitem__
    return widget(label, things, **kept(key), **options)
