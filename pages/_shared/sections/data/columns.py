"""The finding of the Data page, the variables to learn from, and their treatment."""

import dataclasses

import pandas as pd
import streamlit as st

from bnengine.data.describe import UNUSABLE
from pages._shared import session, show
from pages._shared.format import counted, escaped, listed
from pages._shared.sections.data import rows, treatment
from pages._shared.sections.data.known_network import known_network
from pages._shared.sections.data.one_variable import one_variable
from pages._shared.sections.data.variable_table import variable_table
from pages._shared.session import Key


def finding() -> None:
    """Whether the data can be learned from, and their size."""
    data, problem = session.data.dataset()
    title = session.data.title()
    if data is None:
        st.error(f"**{title}** cannot be learned from yet: {escaped(problem)}.", icon=":material/error:")
        offer_without()
        offer_anew()
        return
    low, high = int(data.arities.min()), int(data.arities.max())
    states = f"{low} to {high} states" if low < high else counted(low, "state")
    given = session.data.frame()
    chosen = len(rows.kept(given, session.data.recipe()))
    dropped = chosen - data.n_rows
    show.finding(
        f"**{title}** is ready: {counted(data.n_rows, 'row')}, {counted(data.n_variables, 'variable')} with {states} "
        "each"
        + (f"; {counted(len(given) - chosen, 'row')} not selected" if chosen < len(given) else "")
        + (f"; {counted(dropped, 'row')} with missing cells left out." if dropped else ".")
    )
    if data.n_variables == 1:
        st.warning(
            "There is only one variable, but a network needs at least two. If the file has more, choose its separator "
            "or its sheet under “How to read it”."
        )
    constant = [escaped(name) for name, arity in zip(data.names, data.arities, strict=True) if arity == 1]
    if constant:
        st.warning(f"Constant variables can have no edges: {listed(constant, 8)}. You may leave them out.")


def offer_without() -> None:
    """A button that leaves out the columns that nothing can be learned from, if any are in use."""
    now, described = session.data.recipe(), session.data.described()
    used = described[described["variable"].isin(now.columns)] if now.columns else described
    usable = used.loc[~used["note"].isin(list(UNUSABLE)), "variable"].tolist()
    without = [escaped(name) for name in used["variable"] if name not in usable]
    if usable and without and st.button(f"Leave out {listed(without, 4)}", type="primary", key=Key.LEAVE_OUT):
        session.data.set_recipe(dataclasses.replace(now, columns=tuple(usable)))
        st.rerun()


def offer_anew() -> None:
    """A button that treats the table as is suggested for it, where the treatment in use does not fit it."""
    now, frame = session.data.recipe(), session.data.frame()
    anew = dataclasses.replace(now.for_table, name=now.name).suggested(frame)
    if anew != now and st.button("Treat the table anew", icon=":material/restart_alt:", key=Key.ANEW):
        session.data.set_recipe(anew)
        st.rerun()


def treat(frame: pd.DataFrame) -> None:
    """The treatment of the table: rows, variables, missing cells, discretization; then each variable, and the rows."""
    now = session.data.recipe()
    if now.absent(frame):  # the finding says so, and offers to begin anew
        return
    described = session.data.described()
    used = list(now.columns) or described["variable"].tolist()
    left_out(described, used)
    table = frame[used]
    left, right = st.columns(2, gap="large")
    with left:
        missing = treatment.missing_control(rows.kept(table, now), now)
        new = dataclasses.replace(rows.filter_control(frame, now), missing=missing)
    with right:
        method, bins = treatment.discretization_controls(table, now)
        new = dataclasses.replace(new, discretization=method, bins=bins)
    if new == now:
        new = variable_table(frame, described, now)
    if new == now:
        new = one_variable(table, now)
    if new != now:
        session.data.set_recipe(new)
        st.rerun()
    rows.preview(frame, now)
    known_network()
    rows.next_step()


def left_out(described: pd.DataFrame, used: list[str]) -> None:
    """A sentence on each column that was left out because nothing can be learned from it."""
    unusable = described[described["note"].isin(list(UNUSABLE)) & ~described["variable"].isin(used)]
    lines = [
        f"**{escaped(name)}** {UNUSABLE[note]}"
        for name, note in zip(unusable["variable"], unusable["note"], strict=True)
    ]
    if lines:
        more = f"; and {len(lines) - 6} more" if len(lines) > 6 else ""
        show.note(f"Left out: {'; '.join(lines[:6])}{more}. Tick Use to take a column back.", "left out", small=False)
