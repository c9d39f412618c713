"""The rows: which to keep, a preview, one step back, and the way on."""

import dataclasses

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.row_filter import TESTS, rows_where
from pages._shared import session
from pages._shared.format import counted, sentence
from pages._shared.session import Key

_MOST_SHOWN = 200


def kept(frame: pd.DataFrame, now: bn.Recipe) -> pd.DataFrame:
    """The rows that the filter keeps; all of them if it does not fit the table."""
    try:
        return rows_where(frame, [one for one in now.where if one[0] in frame.columns])
    except bn.DataError:
        return frame


def filter_control(frame: pd.DataFrame, now: bn.Recipe) -> bn.Recipe:
    """A table of conditions in a popover, and the button that takes the last change back; the recipe with them."""
    new = now
    with st.container(horizontal=True):
        named = f"Rows: {counted(len(now.where), 'condition')}"
        with st.popover(named if now.where else "Select rows", icon=":material/filter_alt:"):
            new = dataclasses.replace(now, where=_conditions(frame, now))
        if session.data.can_undo() and st.button("Undo", icon=":material/undo:", key=Key.UNDO):
            session.data.undo()
            st.rerun()
    return new


def _conditions(frame: pd.DataFrame, now: bn.Recipe) -> tuple[tuple[str, ...], ...]:
    st.caption("Rows that meet all conditions are kept. Several values are separated by semicolons.")
    lines = [(one[0], TESTS[one[1]], "; ".join(one[2:])) for one in now.where]
    select, text = st.column_config.SelectboxColumn, st.column_config.TextColumn
    edited = st.data_editor(
        pd.DataFrame(lines, columns=["variable", "test", "value"], dtype=object),
        num_rows="dynamic",
        hide_index=True,
        column_config={
            "variable": select("Variable", options=list(map(str, frame.columns))),
            "test": select("Test", options=list(TESTS.values())),
            "value": text("Value"),
        },
        key=Key.of(Key.WHERE, session.data.table_key(), now.where, session.data.n_undone()),
    )
    found = conditions_of(edited)
    try:
        rows_where(frame, found)
    except ValueError as error:
        st.error(f"{sentence(error)} This condition is not used yet.")
        return tuple(now.where)  # type: ignore[arg-type]
    return found


def conditions_of(edited: pd.DataFrame) -> tuple[tuple[str, ...], ...]:
    """The complete lines of the edited table of conditions."""
    tests = {title: test for test, title in TESTS.items()}
    found = []
    for name, title, text in edited[["variable", "test", "value"]].itertuples(index=False):
        values = [] if pd.isna(text) else [value.strip() for value in str(text).split(";") if value.strip()]
        if not pd.isna(name) and title in tests and values:
            found.append((str(name), tests[title], *values))
    return tuple(found)


def preview(frame: pd.DataFrame, now: bn.Recipe) -> None:
    """The raw rows in use, as they were read."""
    with st.expander("Rows as they were read", icon=":material/table_rows:"):
        shown = kept(frame, now)
        head = shown.head(_MOST_SHOWN).copy()
        head.attrs = {}  # how the file was read is no part of the rows
        head.index = pd.RangeIndex(1, len(head) + 1)
        st.dataframe(head, height=300)
        st.caption(
            f"{min(len(shown), _MOST_SHOWN):,} of {counted(len(shown), 'row')}, {counted(frame.shape[1], 'column')}."
        )


def next_step() -> None:
    """The way on, once the data can be learned from."""
    data, _ = session.data.dataset()
    if data is None or data.n_variables < 2:
        return
    if st.button("Next: learn a network", type="primary", icon=":material/arrow_forward:", key=Key.NEXT):
        session.history.open_page("pages/learn.py")
