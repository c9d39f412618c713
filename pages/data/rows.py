"""What the rows are: independent, sorted, measurements of one unit, a series or copies: asked where it shows."""

import dataclasses
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.dependent_rows import longest_block
from bnengine.experiment.row_question import RowQuestion, possible_weights
from bnengine.settings import setting_of
from pages.shared import in_use
from pages.shared.format import escaped
from pages.shared.keys import Key
from pages.shared.words import DATA as WORDS

_UNITS, _SERIES = "clusters", "blocks"
_RADIO = WORDS["rows"]
_MEANS = {
    "": "",
    "sorted": "Nothing changes.",
    _UNITS: setting_of(bn.Recipe, "clusters").help,
    _SERIES: setting_of(bn.Recipe, "blocks").help,
    "copies": "Of equal rows one is kept.",
}


def rows_question(frame: pd.DataFrame, now: bn.Recipe) -> bn.Recipe:
    """Ask what the rows are where the table shows that they may depend on each other; return the recipe answered."""
    found = in_use.row_question()
    if found is None:
        return now
    with st.container(border=True):
        st.markdown(f":material/help: {escaped(found.sentence)}")
        return _answered(frame, now, found)


_WEIGHTS = WORDS["weights"]


def weights_question(now: bn.Recipe) -> bn.Recipe:
    """Ask of each column that may hold weights what it says; return the recipe answered."""
    for name, _ in possible_weights(now, in_use.frame()):
        with st.container(border=True):
            st.markdown(f":material/help: **{escaped(name)}** may hold weights, which say what a row stands for.")
            before = "" if name in now.leave_out else "variable"
            answer = st.radio(
                f"What does {name} say?",
                list(_WEIGHTS),
                list(_WEIGHTS).index(before),
                format_func=_WEIGHTS.__getitem__,
                label_visibility="collapsed",
                horizontal=True,
                key=Key.of(Key.WEIGHTED_BY, "asked", in_use.table_key(), in_use.n_undone(), name, before),
            )
        if answer != before:
            kept = tuple(other for other in now.leave_out if other != name)
            answers = {"": {"leave_out": (*kept, name)}, "variable": {"leave_out": kept}}
            new: dict[str, Any] = answers.get(answer, {answer: name, "leave_out": kept})
            return dataclasses.replace(now, **new)
    return now


def rows_control(frame: pd.DataFrame, now: bn.Recipe) -> bn.Recipe:
    """Draw the same choice in a popover, where nothing is asked; return the recipe with it."""
    if in_use.row_question() is not None:
        return now
    answer = _answer_in(now)
    labels = {"": "independent", _UNITS: f"of {escaped(now.clusters)}", _SERIES: f"blocks of {now.blocks}"}
    with st.popover(f"Rows: {labels.get(answer, answer)}", icon=":material/density_small:"):
        return _answered(frame, now, None)


def _answer_in(now: bn.Recipe) -> str:
    return _UNITS if now.clusters else _SERIES if now.blocks else now.rows_are


def _answered(frame: pd.DataFrame, now: bn.Recipe, found: RowQuestion | None) -> bn.Recipe:
    """Draw the answers, and what each needs."""
    before, place = _answer_in(now), (in_use.table_key(), in_use.n_undone())
    options = list(_RADIO)
    answer = st.radio(
        "What are the rows?",
        options,
        options.index(before),
        format_func=_RADIO.__getitem__,
        label_visibility="collapsed" if found else "visible",
        horizontal=found is not None,
        key=Key.of(Key.ROWS_ARE, *place, before),
    )
    if _MEANS[answer]:
        st.caption(_MEANS[answer])
    plain = dataclasses.replace(now, clusters="", blocks=None, rows_are="")
    if answer == _UNITS:
        names, first = [str(name) for name in frame.columns], [now.clusters, *(found.units if found else ())]
        at = next((names.index(name) for name in first if name in names), None)
        unit = st.selectbox("Column of units", names, at, key=Key.of(Key.UNITS, *place, before))
        return dataclasses.replace(plain, clusters=unit) if unit and _confirmed(unit == now.clusters) else now
    if answer == _SERIES:
        most = longest_block(len(frame))
        suggested = min(max(now.blocks or (found.block if found else 2), 2), most)
        length = st.number_input("Rows of a block", 2, most, suggested, key=Key.of(Key.BLOCKS, *place, before))
        return dataclasses.replace(plain, blocks=length) if _confirmed(length == now.blocks) else now
    return dataclasses.replace(plain, rows_are=answer) if answer != before else now


def _confirmed(is_known: bool) -> bool:
    """Draw the button that takes the answer over, unless it is the present one."""
    return not is_known and st.button("Apply", key=Key.TAKE_ROWS)
