"""A choice among several options: in a list, or side by side."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from pages._shared import session
from pages._shared.session import kept

Titles = Sequence[Any] | Mapping[Any, str]


def choice(label: str, titles: Titles, key: str, place: Any = None, first: Any = None, **options: Any) -> Any:
    """Choose one of several options from a list.

    Parameters
    ----------
    label : str
        The label.
    titles : sequence or mapping
        The options; as a mapping, with their titles.
    key : str
        The widget's key; a value that is not an option, such as a variable of other data, is replaced by ``first``.
    place : container, optional
        Where it goes; the page by default.
    first : object, optional
        The option chosen at first, by default the first one.
    **options
        As for ``st.selectbox``.
    """
    return _offered((place or st).selectbox, label, titles, key, first, **options)


def tabs(label: str, titles: Titles, key: str, place: Any = None, first: Any = None, **options: Any) -> Any:
    """Choose one of a few options side by side; the label is for screen readers only."""
    options = {"label_visibility": "collapsed", "required": True} | options
    return _offered((place or st).segmented_control, label, titles, key, first, **options)


def _offered(widget: Any, label: str, titles: Titles, key: str, first: Any, **options: Any) -> Any:
    offered = list(titles)
    session.values.among(key, offered, first if first in offered else offered[0])
    if isinstance(titles, Mapping):
        options["format_func"] = titles.__getitem__
    return widget(label, offered, **kept(key), **options)
