"""A choice among several options, and widgets generated from declarations of settings."""

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ParamSpec

import streamlit as st

from bnengine.settings import Setting, settings_of, tag_of
from pages.shared import state
from pages.shared.keys import Key
from pages.shared.run import run_state
from pages.shared.state import persistent

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
    at = list(titles).index(_held(titles, key, first))
    return (place or st).selectbox(label, list(titles), at, **_titled(titles), **persistent(key), **options)


def tabs(label: str, titles: Titles, key: str, place: Any = None, first: Any = None, **options: Any) -> Any:
    """Choose one of a few options side by side; the label is for screen readers only."""
    options = {"label_visibility": "collapsed", "required": True, "wrap": True} | _titled(titles) | options
    held = _held(titles, key, first)
    return (place or st).segmented_control(label, list(titles), default=held, **persistent(key), **options)


def _held(titles: Titles, key: str, first: Any) -> Any:
    """Return the option that a widget holds, with which the browser shall begin.

    Set in the session instead, it would be sent as a change with every draw until the browser answers, and take back
    what the visitor chose in the meantime.
    """
    offered = list(titles)
    first = first if first in offered else offered[0]
    held = state.get(key, first)
    if held not in offered:
        state.put(key, first)
    return held if held in offered else first


def _titled(titles: Titles) -> dict[str, Any]:
    return {"format_func": titles.__getitem__} if isinstance(titles, Mapping) else {}


# Widgets generated from the engine's declarations of settings.

_RARE = ("perturbation", "max_iterations", "max_networks", "max_memory")
_FINEST = 1e-9  # distance from a bound that is not allowed itself


def declared(one: Setting, owner: Any = None, place: Any = None, **options: Any) -> Any:
    """Draw the widget of a setting and return its value.

    Parameters
    ----------
    one : Setting
        Its declaration.
    owner : class or str, optional
        The score, search or part of the experiment to which the setting belongs.
    place : container, optional
        Where it goes; the page by default.
    **options
        For the widget; they replace those of the declaration.
    """
    where, key = place or st, Key.setting(one.name, owner if isinstance(owner, str) else tag_of(owner))
    named = not one.unit or one.unit.split()[0] in one.label.lower()
    label = one.label if named else f"{one.label}, {one.unit}"
    options = {"help": one.help} | options
    if one.kind == "choice":
        titles = {value: title[:1].upper() + title[1:] for value, title in one.choices.items()}
        return choice(label, titles, key, where, **options)
    if one.kind == "bool":
        return where.checkbox(label, **persistent(key), **options)
    number = int if one.kind == "int" else float
    least = one.ge if one.ge is not None else one.gt + _FINEST if one.gt is not None else None
    most = one.le if one.le is not None else one.lt - _FINEST if one.lt is not None else None
    if one.optional:
        options = {"placeholder": one.none} | options
    options = {"min_value": least, "max_value": most} | options
    for bound in ("min_value", "max_value"):
        options[bound] = None if options[bound] is None else number(options[bound])
    return where.number_input(label, **persistent(key), **options)


def build_from_widgets(owner: Any, **given: Any) -> Any:
    """Create an object of a class of settings, from ``given`` values and widgets; rarely used ones are in a popover."""
    offered = [one for one in settings_of(owner) if one.name not in given]
    values = {one.name: declared(one, owner) for one in offered if one.name not in _RARE}
    rare = [one for one in offered if one.name in _RARE]
    if rare:
        with st.popover("More settings", icon=":material/tune:"):
            values |= {one.name: declared(one, owner) for one in rare}
    return owner(**given, **values)


# Parts of a page that are drawn by themselves, and parts that are worked out only once they are opened.

P = ParamSpec("P")


def fragment(draw: Callable[P, None]) -> Callable[P, None]:
    """Make a part of a page that is drawn again by itself when a widget in it changes.

    Settings that the rest of the page depends on draw the whole page; it must call ``run_state.remember_drawn`` first.
    """

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> None:
        if run_state.is_outdated():
            st.rerun()
        draw(*args, **kwargs)

    return st.fragment(drawn)


@st.fragment
def lazy_expander(title: str, name: str, icon: str, draw: Callable[[], object]) -> None:
    """Draw a closed expander with a name unique on the page; opening it draws its content and nothing else."""
    place = st.expander(title, icon=icon, key=Key.opened(name), on_change="rerun")
    if place.open:
        with place:
            draw()
