"""What a session holds, by the keys of its widgets and by names; the only file that uses ``st.session_state``."""

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from pages.shared import streamlit_inside
from pages.shared.keys import Key

SET = "times that widgets were set"


def persistent(key: str, *parts: object, first: Any = None) -> dict[str, Any]:
    """Return the arguments of a widget that keeps its value when another page is shown; it may have a first one.

    Whenever ``put`` changes its value it is another widget for the browser, which goes on sending what a widget held
    when the drawer around it was closed, and would take back what was set since.
    """
    whole = Key.of(key, *parts)
    st.session_state.setdefault(SET, {}).setdefault(whole, 0)
    if first is not None:
        get_or_put(whole, first)
    return {"key": _name(whole), "persist_state": "session"}


def _name(key: str) -> str:
    times = st.session_state.get(SET, {}).get(key, 0)
    return f"{times} {key}" if times else key


def get(key: str, default: Any = None) -> Any:
    """Return what is held under a key; ``default`` if nothing is, as before a widget is drawn."""
    return st.session_state.get(_name(key), default)


def put(key: str, value: Any) -> None:
    """Hold a value; that of a widget is set before it is drawn, or in a callback."""
    drawn = st.session_state.get(SET, {})
    if key in drawn and get(key) != value:
        drawn[key] += 1
    st.session_state[_name(key)] = value


def put_all(values: dict[str, Any]) -> None:
    """Hold several values."""
    for key, value in values.items():
        put(key, value)


def get_or_put(key: str, default: Any) -> Any:
    """Return what is held under a key; from now on ``default`` if nothing was."""
    return st.session_state.setdefault(_name(key), default)


def pop(key: str, default: Any = None) -> Any:
    """Return what was held under a key, which holds nothing from now on."""
    return st.session_state.pop(_name(key), default)


def among(key: str, options: Sequence[Any], first: Any) -> None:
    """Set a widget to its first value if it holds none of the options: on the first visit, and with other data."""
    if get(key) not in options:
        put(key, first)


def within(key: str, least: float, most: float) -> None:
    """Limit a number box or slider to bounds that depend on the data."""
    put(key, min(max(get(key), least), most))


def latest(name: str, key: object, work: Callable[[], Any]) -> Any:
    """Return the result of work for a key; it is done again where the last result was for another key."""
    held = get(name)
    if held is None or held[0] != key:
        held = (key, work())
        put(name, held)
    return held[1]


def dark() -> bool:
    """Return whether the page is shown in the dark theme."""
    return st.context.theme.type == "dark"


def open_page(name: str, parameters: dict[str, str] | None = None) -> None:
    """Open another page, by its folder's name; its address holds the settings from the first moment, as a link does.

    With the ``parameters`` of the page that is left, one step back leads to it: Streamlit changes the address first and
    then the page, and each that differs is a step. ``st.switch_page`` by itself refuses to leave a page whose address a
    widget is bound to.
    """
    text = get(Key.ADDRESS, "")
    streamlit_inside.unbind(Key.ADDRESS)
    st.switch_page(f"pages/{name}/page.py", query_params=parameters or ({Key.ADDRESS: text} if text else {}))


_NEXT = "next page"


def open_next(name: str) -> None:
    """Open another page with the next draw; call it from a callback, which cannot open it itself."""
    put(_NEXT, name)


def go_on() -> None:
    """Open the page that a callback asked for."""
    name = pop(_NEXT)
    if name is not None:
        open_page(name)


# The edge or the variable that was clicked last, in whatever picture or table.

_EDGE, _NODE = "chosen_edge", "chosen_node"
CLOSED = "times that a drawer was closed"


def chosen_edge() -> tuple[str, str] | None:
    """Return the edge that was clicked last."""
    return get(_EDGE)  # type: ignore[no-any-return]


def chosen_node() -> str | None:
    """Return the variable that was clicked last in a network, unless an edge was clicked after it."""
    return get(_NODE)  # type: ignore[no-any-return]


def choose(edge: tuple[str, str] | None = None, node: str | None = None) -> None:
    """Remember an edge or a variable, whose drawer then opens, or neither."""
    put(_EDGE, edge)
    put(_NODE, node)
    put(Key.OPEN_EDGE, edge or node)


def close_edge() -> None:
    """Close the drawer of the edge or the variable, which stays chosen.

    Then the whole page is drawn: one that was on its way when the visitor closed the drawer has opened it again.
    """
    put(Key.OPEN_EDGE, None)
    put(CLOSED, get(CLOSED, 0) + 1)


def clicked(chart: str) -> tuple[str, str] | None:
    """Return the two texts of the mark that was clicked in a chart, by the chart's key; None if none was."""
    picked = [point["customdata"] for point in get(chart).selection.points if point.get("customdata")]
    return (str(picked[0][0]), str(picked[0][1])) if picked else None


def choose_in_network(view: str) -> None:
    """Remember what was clicked in a network's view, by the view's key: an edge's two names, a variable's, or none.

    A click on the edge that is chosen gives none: if it comes again, a view that was away has been drawn again.
    """
    picked = [str(name) for name in get(view).picked or ()]
    if picked and {*picked} == {*(chosen_edge() or ())}:
        return
    choose((picked[0], picked[1]) if len(picked) == 2 else None, picked[0] if len(picked) == 1 else None)


def choose_row(table: str, edges: Sequence[tuple[str, str]]) -> None:
    """Remember the edge of the row that was chosen in a table, by the table's key; its rows are the edges."""
    rows = get(table).selection.rows
    choose(edges[rows[0]] if rows and rows[0] < len(edges) else None)


# A page may be drawn again where Streamlit lost a widget of it.

_AGAIN, _MOST_TIMES = "drawn again", 3


def may_draw_again(error: KeyError) -> bool:
    """Return whether Streamlit lost a widget while it was being drawn, and the page was not drawn again often already.

    The page would stay white.
    """
    times = int(get(_AGAIN, 0)) + 1
    put(_AGAIN, times)
    return streamlit_inside.lost_a_widget(error) and times <= _MOST_TIMES


def drawn_to_the_end() -> None:
    """Forget how often the page was drawn again."""
    pop(_AGAIN)
