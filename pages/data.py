"""Data: where they come from, what is in them, and what is done to them before learning."""

import dataclasses
from collections.abc import Callable

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.csv_export import csv_text
from bnengine.data.limits import LIMITS
from bnengine.networks.sample_tables import SAMPLE_TABLES
from pages._shared import app_guard, session, show
from pages._shared.format import counted, escaped
from pages._shared.session import Key
from pages._shared.widgets import treatment
from pages._shared.widgets.choice import tabs

SAMPLE, UPLOAD, SIMULATE = "Sample", "Upload", "Simulate"
NOTES = (
    "**constant**: one value, so no edge can touch it. **identifier?**: another word in every row; leave it out. "
    "**too many states**: more different words than can be learned from; leave it out. "
    "**measured**: many different numbers; cut them into states."
)


def choose_source() -> None:
    """The three ways to get data."""
    start = {"sample": SAMPLE, "network": SIMULATE, "file": UPLOAD}[session.data.recipe().source]
    kinds = [SAMPLE, UPLOAD, SIMULATE]
    kind = tabs("Where from", kinds, Key.SOURCE, first=start)
    chooser: dict[str, Callable[[], None]] = {SAMPLE: choose_sample, UPLOAD: choose_file, SIMULATE: choose_simulation}
    chooser[kind or start]()


def take(base: bn.DataRecipe, frame: pd.DataFrame | None = None) -> None:
    """Turn to other data with the treatment suggested for it; the same data keep theirs."""
    now = session.data.recipe()
    identity = ("source", "name", "fingerprint", "n_rows", "seed")
    if all(getattr(base, part) == getattr(now, part) for part in identity):
        return
    awaited = session.files.claim(base) if base.source == "file" else None
    session.data.set_recipe(awaited or base.suggested(base.load() if frame is None else frame), frame)
    st.rerun()


def choose_sample() -> None:
    """A bundled table."""
    names = list(SAMPLE_TABLES)
    now = session.data.recipe()
    name = st.selectbox(
        "table",
        names,
        index=names.index(now.name) if now.source == "sample" else None,
        placeholder="choose a table",
        format_func=lambda name: SAMPLE_TABLES[name].title,
        key=Key.SAMPLE,
    )
    if name is None:  # what is in use stays in use until another table is chosen
        return
    st.caption(SAMPLE_TABLES[name].about)
    take(bn.DataRecipe("sample", name))


def choose_file() -> None:
    """A file of the person's own."""
    file = st.file_uploader(
        "CSV, TSV, Excel (.xlsx) or Parquet, gzipped or not, up to 50 MB; the first line names the columns",
        key=Key.UPLOAD,
        max_upload_size=50,
        help=LIMITS.sentence,
    )
    if file is None:
        for past in session.data.other_files():
            if st.button(f"Back to {escaped(past.name)}", icon=":material/undo:", key=Key.of("back", past.fingerprint)):
                session.data.set_recipe(past)
                st.rerun()
        if session.data.recipe().source == "file":
            st.caption(f"Now in use: {escaped(session.data.recipe().name)}")
        return
    try:
        frame, fingerprint = session.files.read(file.getvalue(), file.name)
    except bn.DataError as error:
        st.error(f"{escaped(str(error))}. The data you had before are still in use.", icon=":material/error:")
        return
    st.caption(escaped(how_read(frame)))
    take(bn.DataRecipe("file", file.name, fingerprint=fingerprint), frame)


def how_read(frame: pd.DataFrame) -> str:
    """What was decided while a file was read."""
    reading = frame.attrs["reading"]
    shown = list(reading.remarks[:4])
    if len(reading.remarks) > len(shown):
        shown.append(f"{counted(len(reading.remarks) - len(shown), 'more remark')}")
    return f"Read as {reading.form}" + "".join(f"; {remark}" for remark in shown) + "."


def choose_simulation() -> None:
    """Rows drawn from a bundled network."""
    left, middle, right = st.columns(3)
    names = bn.network_names()
    now = session.data.recipe()
    known = now.source == "network"
    name = left.selectbox("network", names, index=names.index(now.name if known else "alarm"), key=Key.NETWORK)
    n_rows = middle.number_input("rows", 10, 100_000, now.n_rows if known else 500, key=Key.NETWORK_ROWS)
    seed = right.number_input("seed of the rows", 0, 2**31 - 1, now.seed if known else 1, key=Key.NETWORK_SEED)
    if known or st.button("Draw the rows", type="primary"):  # what is in use stays in use until rows are drawn
        take(bn.DataRecipe("network", name, n_rows=int(n_rows), seed=int(seed)))


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
        st.warning(f"Constant, so no edge can touch them: {escaped(', '.join(constant[:8]))}. You may leave them out.")


app_guard.through_app()
finding()
choose_source()
treat(session.data.frame())
