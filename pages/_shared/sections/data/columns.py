"""The finding of the Data page, the variables to learn from, and their treatment."""

import dataclasses

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.format import escaped, listed
from pages._shared.sections.data import treatment
from pages._shared.session import Key

NOTES = (
    "**constant**: a single value, so that it can have no edges. **identifier?**: another value in every row; leave it "
    "out. **too many states**: more distinct values than can be learned from; leave it out. **measured**: many "
    "distinct numbers; discretize them."
)


def finding() -> None:
    """Whether the data can be learned from, and their size."""
    data, problem = session.data.dataset()
    title = session.data.title()
    if data is None:
        st.error(f"**{title}** cannot be learned from yet: {escaped(problem)}.", icon=":material/error:")
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


def treat(frame: pd.DataFrame) -> None:
    """The treatment of the table: columns, missing cells, discretization."""
    now = session.data.recipe()
    described = bn.describe(frame)
    used = list(now.columns) or described["variable"].tolist()
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
