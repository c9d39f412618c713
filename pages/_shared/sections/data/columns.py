"""What is done to the table before learning, and whether it can then be learned from."""

import dataclasses

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.csv_export import csv_text
from pages._shared import session, show
from pages._shared.format import escaped, listed
from pages._shared.sections.data import treatment
from pages._shared.session import Key

NOTES = (
    "**constant**: one value, so no edge can touch it. **identifier?**: another word in every row; leave it out. "
    "**too many states**: more different words than can be learned from; leave it out. "
    "**measured**: many different numbers; cut them into states."
)


def finding() -> None:
    """The sentence on top."""
    data, problem = session.data.dataset()
    title = escaped(session.data.recipe().title)
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
        st.warning("There is only one variable; a network needs two or more. Was the file cut at the right separator?")
    constant = [name for name, arity in zip(data.names, data.arities, strict=True) if arity == 1]
    if constant:
        st.warning(
            f"Constant, so no edge can touch them: {listed([*map(escaped, constant)], 8)}. You may leave them out."
        )


def treat(frame: pd.DataFrame) -> None:
    """What is done to the table: columns, missing cells, measurements."""
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
        cut, bins = treatment.cut_controls(table, now)
        treatment.variable_picture(table)
    if not kept:
        st.warning("Keep at least one variable.")
        return
    columns = () if len(kept) == len(described) else kept
    new = dataclasses.replace(
        now, columns=columns, missing=missing, discretization=cut, bins=bins, per_column=per_column
    )
    if new != now:
        session.data.set_recipe(new)
        st.rerun()


def choose_columns(described: pd.DataFrame, used: list[str]) -> tuple[str, ...]:
    """The table of variables, with a tick for each that is to be learned from."""
    shown = described.assign(use=described["variable"].isin(used), share=described["share"] * 100)
    order = ["use", "variable", "distinct", "most_common", "share"]
    order += ["missing"] if described["missing"].any() else []
    order += ["note"] if described["note"].any() else []
    edited = st.data_editor(
        shown[order],
        hide_index=True,
        disabled=order[1:],
        column_config={
            "use": st.column_config.CheckboxColumn("use", width=62),
            "distinct": st.column_config.NumberColumn("states", width=60, help="Distinct values that the table shows."),
            "most_common": st.column_config.TextColumn("most common"),
            "share": st.column_config.NumberColumn(
                "share", format="%.0f%%", width=60, help="Of the most common value."
            ),
            "missing": st.column_config.NumberColumn("missing", width=70),
            "note": st.column_config.TextColumn("note", help=NOTES),
        },
        height=min(38 + 35 * len(shown), 400),
        key=Key.of(Key.COLUMNS, session.data.table_key()),
    )
    st.download_button("Download this table", csv_text(described), "variables.csv", "text/csv", on_click="ignore")
    return tuple(edited.loc[edited["use"], "variable"])
