"""One variable: its values before and after the treatment, the order of its states, and rare ones."""

import dataclasses

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.states import as_states
from pages._shared import session, show
from pages._shared.figures.variables import cut_figure, states_figure
from pages._shared.format import escaped
from pages._shared.sections.data.rows import kept
from pages._shared.session import Key

_MOST_STATES = 40


def one_variable(table: pd.DataFrame, now: bn.Recipe) -> bn.Recipe:
    """Draw the picture of a variable of one's choice, and the order of its states; the recipe with the order."""
    names = list(map(str, table.columns))
    key = Key.of(Key.LOOK, session.data.table_key())
    session.values.among(key, names, _first(names))
    left, right = st.columns([3, 2], gap="large")
    with left:
        name = st.selectbox("Distribution of", names, key=key)
        column = kept(table, now)[name]
        points, dark = session.data.known_cuts().get(name), session.dark()
        if points is not None:
            show.chart(cut_figure(column, points, dark), "variable_picture", f"Distribution of {name}")
            return now
        try:
            states = in_order(column, now)
        except bn.DataError as error:
            st.error(f"{escaped(str(error))}.")
            return now
        counts = states.value_counts(sort=False)
        show.chart(states_figure(counts.head(_MOST_STATES), dark), "variable_picture", f"Distribution of {name}")
    with right:
        return states_control(name, counts, now) if 2 < len(counts) <= _MOST_STATES else now


def _first(names: list[str]) -> str:
    """A discretized variable if there is one: it has a before and an after."""
    cut = [name for name in names if name in session.data.known_cuts()]
    return (cut or names)[0]


def in_order(column: pd.Series, now: bn.Recipe) -> pd.Series:  # type: ignore[type-arg]
    """The states of a column in their order, before rare ones are merged."""
    states = as_states(column)
    wanted = next((one[1:] for one in now.states if one[0] == column.name), ())
    first = [state for state in wanted if state in states.cat.categories]
    return states.cat.reorder_categories([*first, *(state for state in states.cat.categories if state not in first)])


def states_control(name: str, counts: pd.Series, now: bn.Recipe) -> bn.Recipe:  # type: ignore[type-arg]
    """The table in which states are put in order, and the number of rows below which they are merged."""
    place = (session.data.table_key(), name, session.data.n_undone())
    rare = {one[0]: int(one[1]) for one in now.rare}
    lines = pd.DataFrame({"place": range(1, len(counts) + 1), "state": list(counts.index), "rows": counts.to_numpy()})
    edited = st.data_editor(
        lines,
        hide_index=True,
        disabled=["state", "rows"],
        column_config=show.columns(
            lines,
            {
                "place": st.column_config.NumberColumn(
                    "Place", min_value=1, max_value=len(lines), step=1, width=60, help="Change it to move the state."
                ),
                "state": "State",
                "rows": "Rows",
            },
        ),
        height=min(38 + 35 * len(lines), 230),
        key=Key.of(Key.STATES, *place, tuple(counts.index)),
    )
    fewest = st.number_input(
        "Merge states with fewer rows than",
        0,
        max(int(counts.sum()), rare.get(name, 0)),
        rare.get(name, 0),
        help="They become one state, (other); a single one stays as it is. 0 merges none.",
        key=Key.of(Key.RARE, *place),
    )
    rare.pop(name, None)
    rare |= {name: int(fewest)} if fewest >= 2 else {}
    orders = {one[0]: tuple(one[1:]) for one in now.states}
    order = moved(lines["place"].tolist(), edited["place"].tolist(), list(counts.index))
    if order != list(counts.index):
        orders[name] = tuple(order)
    return dataclasses.replace(
        now,
        rare=tuple((each, str(rows)) for each, rows in rare.items()),
        states=tuple((each, *states) for each, states in orders.items()),
    )


def moved(before: list[int], after: list[int], states: list[str]) -> list[str]:
    """The states in the order of their edited places.

    >>> moved([1, 2, 3], [3, 2, 3], ["a", "b", "c"])
    ['b', 'c', 'a']
    >>> moved([1, 2, 3], [1, 2, 1], ["a", "b", "c"])
    ['c', 'a', 'b']
    """
    ranks = [new + (0.5 if new > old else -0.5 if new < old else 0.0) for old, new in zip(before, after, strict=True)]
    return [state for _, _, state in sorted(zip(ranks, range(len(states)), states, strict=True))]
