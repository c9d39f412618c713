"""The finding of the Data page, the variables to learn from, and their treatment."""

import dataclasses

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.describe import UNUSABLE
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.format import escaped, listed
from pages._shared.sections.data import treatment
from pages._shared.session import Key

NOTES = (
    "**constant**: a single value, so that it can have no edges. **identifier?** and **nearly unique**: another value "
    "in every or almost every row; leave it out. **too many states**: more distinct values than can be learned from; "
    "leave it out. **measured**: many distinct numbers; discretize them."
)


def finding() -> None:
    """Whether the data can be learned from, and their size."""
    data, problem = session.data.dataset()
    title = session.data.title()
    if data is None:
        st.error(f"**{title}** cannot be learned from yet: {escaped(problem)}.", icon=":material/error:")
        offer_without()
        return
    low, high = int(data.arities.min()), int(data.arities.max())
    states = f"{low} to {high} states" if low < high else f"{low} states"
    dropped = len(session.data.frame()) - data.n_rows
    show.finding(
        f"**{title}** is ready: {data.n_rows:,} rows, {data.n_variables} variables with {states} each"
        + (f"; {dropped:,} rows with missing cells are left out." if dropped else ".")
    )
    if data.n_variables == 1:
        st.warning("There is only one variable, but a network needs at least two. Check the separator of the file.")
    constant = [escaped(name) for name, arity in zip(data.names, data.arities, strict=True) if arity == 1]
    if constant:
        st.warning(f"Constant variables can have no edges: {listed(constant, 8)}. You may leave them out.")


def offer_without() -> None:
    """A button that leaves out the columns that nothing can be learned from, if any are in use."""
    now, described = session.data.recipe(), bn.describe(session.data.frame())
    used = described[described["variable"].isin(now.columns)] if now.columns else described
    usable = used.loc[~used["note"].isin(list(UNUSABLE)), "variable"].tolist()
    without = [escaped(name) for name in used["variable"] if name not in usable]
    if usable and without and st.button(f"Leave out {listed(without, 4)}", type="primary", key=Key.LEAVE_OUT):
        session.data.set_recipe(dataclasses.replace(now, columns=tuple(usable)))
        st.rerun()


def treat(frame: pd.DataFrame) -> None:
    """The treatment of the table: columns, missing cells, discretization."""
    now = session.data.recipe()
    described = bn.describe(frame)
    used = list(now.columns) or described["variable"].tolist()
    left_out(described, used)
    left, right = st.columns([3, 2], gap="large")
    with left:
        kept = choose_columns(described, used)
        table = frame[list(kept)] if kept else frame
        per_column = treatment.column_table(table, now)
    with right:
        missing = treatment.missing_control(table, now)
        method, bins = treatment.discretization_controls(table, now)
        treatment.variable_picture(table)
    if not kept:
        st.warning("Keep at least one variable.")
        return
    columns = () if len(kept) == len(described) else kept
    new = dataclasses.replace(
        now, columns=columns, missing=missing, discretization=method, bins=bins, per_column=per_column
    )
    if new != now:
        session.data.set_recipe(new)
        st.rerun()


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


def choose_columns(described: pd.DataFrame, used: list[str]) -> tuple[str, ...]:
    """The table of variables, with a check box for each variable to learn from."""
    shown = described.assign(use=described["variable"].isin(used), share=described["share"] * 100)
    order = ["use", "variable", "distinct", "most_common", "share"]
    order += [name for name in ("missing", "note") if described[name].any()]
    titles = {
        "use": ("Use", {"width": 62}),
        "distinct": ("States", {"width": 70, "help": "Number of distinct values in the table."}),
        "share": ("Share", {"format": "%.0f%%", "width": 65, "help": "Share of rows with the most common value."}),
        "missing": ("Missing", {"width": 75}),
        "note": ("Note", {"help": NOTES}),
    }
    edited = treatment.edited_table(shown[order], order[:1], titles, Key.of(Key.COLUMNS, session.data.table_key()))
    csv_button("Variables", described, "variables.csv")
    return tuple(edited.loc[edited["use"], "variable"])
