"""Where the data come from: a bundled table, an uploaded file, or rows drawn from a bundled network."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.limits import LIMITS
from bnengine.networks.sample_tables import SAMPLE_TABLES
from pages._shared import session, show
from pages._shared.format import counted, escaped
from pages._shared.session import Key
from pages._shared.widgets.choice import tabs

SAMPLE, UPLOAD, SIMULATE = "Sample", "Upload", "Simulate"


def choose_source() -> None:
    """The three ways to get data."""
    start = {"sample": SAMPLE, "network": SIMULATE, "file": UPLOAD}[session.data.recipe().source]
    kinds = [SAMPLE, UPLOAD, SIMULATE]
    kind = tabs("Where from", kinds, Key.SOURCE, first=start)
    chooser: dict[str, Callable[[], None]] = {SAMPLE: choose_sample, UPLOAD: choose_file, SIMULATE: choose_simulation}
    chooser[kind or start]()


def take(base: bn.Recipe, frame: pd.DataFrame | None = None) -> None:
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
    take(bn.Recipe("sample", name))


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
    show.note(escaped(how_read(frame)), "how read")
    take(bn.Recipe("file", file.name, fingerprint=fingerprint), frame)


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
        take(bn.Recipe("network", name, n_rows=int(n_rows), seed=int(seed)))
