"""The source of the data: a bundled table, an uploaded file, or rows drawn from a bundled network."""

import dataclasses
from collections.abc import Sequence

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine._core.settings import setting_of
from bnengine.data.limits import LIMITS
from bnengine.data.reading_options import CHOICES
from bnengine.data.sheet_table import sheet_titles
from bnengine.experiment.session_file import is_session
from bnengine.networks.sample_tables import SAMPLE_TABLES
from pages._shared import session, sharing, show
from pages._shared.format import counted, escaped
from pages._shared.session import Key
from pages._shared.widgets.choice import tabs

SAMPLE, UPLOAD, SIMULATE = "Sample", "Upload", "Simulate"


def choose_source() -> None:
    """Choose among the three sources."""
    choosers = {SAMPLE: choose_sample, UPLOAD: choose_file, SIMULATE: choose_simulation}
    start = {"sample": SAMPLE, "network": SIMULATE, "file": UPLOAD}[session.data.recipe().source]
    choosers[tabs("Source of the data", list(choosers), Key.SOURCE, first=start) or start]()


def take(base: bn.Recipe, frame: pd.DataFrame | None = None) -> None:
    """Change to other data, with the treatment suggested for them; the same data keep theirs."""
    now = session.data.recipe()
    identity = ("source", "name", "fingerprint", "n_rows", "seed", "reading")
    if all(getattr(base, part) == getattr(now, part) for part in identity):
        return
    awaited = session.files.claim(base) if base.source == "file" else None
    session.data.set_recipe(awaited or base.suggested(base.load() if frame is None else frame), frame)
    st.rerun()


def choose_sample() -> None:
    """Choose a bundled table."""
    names = list(SAMPLE_TABLES)
    now = session.data.recipe()
    name = st.selectbox(
        "Table",
        names,
        index=names.index(now.name) if now.source == "sample" else None,
        placeholder="Choose a table",
        format_func=lambda name: SAMPLE_TABLES[name].title,
        key=Key.SAMPLE,
    )
    if name is None:  # the data in use stay until another table is chosen
        return
    st.caption(SAMPLE_TABLES[name].about)
    take(bn.Recipe("sample", name))


def choose_file() -> None:
    """Upload a file."""
    file = st.file_uploader(
        "CSV, TSV, Excel (.xlsx) or Parquet, also gzipped, up to 50 MB; or a saved session (.zip).",
        key=Key.UPLOAD,
        max_upload_size=50,
        on_change=sharing.open_uploaded,
        help=LIMITS.sentence,
    )
    if file is None:
        for past in session.data.other_files():
            if st.button(f"Back to {escaped(past.name)}", icon=":material/undo:", key=Key.of("back", past.fingerprint)):
                session.data.set_recipe(past)
                st.rerun()
        if session.data.recipe().source == "file":
            st.caption(f"In use: {escaped(session.data.recipe().name)}")
        return
    content = file.getvalue()
    if is_session(content):
        show.note(f"In use: {escaped(session.data.recipe().title)}", "session opened")
        return
    first = session.files.arrived(content, file.name)
    place = st.container(horizontal=True, vertical_alignment="center")
    with place.popover("How to read it", icon=":material/tune:"):
        base = reading_controls(first, sheet_titles(content))
    try:
        frame = session.files.read(content, base)
    except bn.DataError as error:
        st.error(f"{escaped(str(error))}. Your previous data are still in use.", icon=":material/error:")
        return
    with place:
        show.note(escaped(how_read(frame)), "how read")
    take(base, frame)


def reading_controls(first: bn.Recipe, sheets: Sequence[str]) -> bn.Recipe:
    """How to read the file: what was detected, open to change."""
    place, given = first.fingerprint[:8], {}
    if len(sheets) > 1:
        key = Key.of(Key.READING, "sheet", place)
        options = ["", *sheets]
        given["sheet"] = st.selectbox(
            "Sheet",
            options,
            index=options.index(first.sheet) if first.sheet in options else 0,
            format_func=lambda title: title or "The first with a table",
            key=key,
        )
    for name in ("header", "transposed"):
        one = setting_of(bn.Recipe, name)
        key = Key.of(Key.READING, name, place)
        given[name] = st.checkbox(one.label, getattr(first, name), key=key, help=one.help)
    for name in ("decimal",) if sheets else CHOICES:
        one = setting_of(bn.Recipe, name)
        titles = dict(one.choices)
        given[name] = st.selectbox(
            one.label,
            list(titles),
            index=list(titles).index(getattr(first, name)),
            format_func=titles.__getitem__,
            key=Key.of(Key.READING, name, place),
            help=one.help,
        )
    return dataclasses.replace(first, **given)


def how_read(frame: pd.DataFrame) -> str:
    """The format of a file and the decisions made while reading it."""
    reading = frame.attrs["reading"]
    shown = list(reading.remarks[:4])
    if len(reading.remarks) > len(shown):
        shown.append(counted(len(reading.remarks) - len(shown), "more remark"))
    return "; ".join([f"Read as {reading.form}", *shown]) + "."


def choose_simulation() -> None:
    """Draw rows from a bundled network."""
    left, middle, right = st.columns(3)
    names = bn.network_names()
    now = session.data.recipe()
    known = now.source == "network"
    name = left.selectbox("Network", names, index=names.index(now.name if known else "alarm"), key=Key.NETWORK)
    n_rows = middle.number_input("Number of rows", 10, 100_000, now.n_rows if known else 500, key=Key.NETWORK_ROWS)
    seed = right.number_input("Seed of the rows", 0, 2**31 - 1, now.seed if known else 1, key=Key.NETWORK_SEED)
    if known or st.button("Draw the rows", type="primary"):  # the data in use stay until rows are drawn
        take(bn.Recipe("network", name, n_rows=int(n_rows), seed=int(seed)))
