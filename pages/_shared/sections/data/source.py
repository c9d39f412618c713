"""The source of the data (bundled, uploaded or drawn), and the network that they are known to come from."""

import dataclasses
import io
from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.data.reading_options import CHOICES, LIMITS, ReadingOptions
from bnengine.experiment.archives import is_session
from bnengine.experiment.uploaded_table import UploadedTable
from bnengine.graphs.dag import refuse_cycle
from bnengine.graphs.known_truth import read_edge_list
from bnengine.networks.bundled import SAMPLE_TABLES
from bnengine.settings import setting_of
from bnengine.text import LONGEST_NAME, bounded_name
from pages._shared import session, sharing, show
from pages._shared.format import counted, escaped, listed, sentence
from pages._shared.jobs import reading
from pages._shared.session import Key
from pages._shared.widgets.choice import tabs

SAMPLE, SIMULATE, UPLOAD = (sharing.SOURCES[source] for source in ("sample", "network", "file"))


_SHOWN, _PASSED = "source shown", "upload passed"


def choose_source() -> None:
    """Choose among the three sources."""
    _follow()
    choosers = {SAMPLE: choose_sample, UPLOAD: choose_file, SIMULATE: choose_simulation}
    start = sharing.SOURCES[session.data.recipe().source]
    choosers[tabs("Source of the data", list(choosers), Key.SOURCE, first=start) or start]()


def _follow() -> None:
    """Turn the controls to the data in use where these were changed elsewhere, such as by the browser's back button.

    What the controls still hold, a file among them, would otherwise be taken again.
    """
    now, shown = session.data.recipe(), session.values.get(_SHOWN)
    session.values.put(_SHOWN, now.for_table)
    if shown in (None, now.for_table):
        return
    file = session.values.get(Key.UPLOAD)
    if file is not None and session.files.fingerprint(file.getvalue()) != now.fingerprint:
        session.values.put(_PASSED, file.file_id)
    values: dict[str, object] = {}
    if now.source == "sample":
        values = {Key.SAMPLE: now.name}
    elif now.source == "network":
        values = {Key.NETWORK: now.name, Key.NETWORK_ROWS: now.n_rows, Key.NETWORK_SEED: now.seed}
    else:
        values = {_reading_key(name, now): getattr(now, name) for name in dataclasses.asdict(ReadingOptions())}
    for key, value in values.items():
        session.values.put(key, value)


def take(base: bn.Recipe, arrival: UploadedTable | None = None) -> None:
    """Change to other data, with the treatment suggested for them; the same data keep theirs."""
    now = session.data.recipe()
    own_after_demonstration = False
    if base.for_table == now.for_table:
        if base.name == now.name:
            return
        new = dataclasses.replace(now, name=base.name)
    else:
        awaited = session.files.claim(base) if base.source == "file" else None
        new = awaited or (base.suggested(base.load()) if arrival is None else arrival.suggested_for(base))
        own_after_demonstration = awaited is None and base.source == "file" != now.source
    session.data.set_recipe(new)
    if own_after_demonstration:
        session.settings.put_aside()
    session.values.put(_SHOWN, new.for_table)
    st.rerun()


def choose_sample() -> None:
    """Choose a bundled table."""
    names = list(SAMPLE_TABLES)
    now = session.data.recipe()
    if now.source == "sample":
        session.values.among(Key.SAMPLE, names, now.name)
    name = st.selectbox(
        "Table",
        names,
        index=None,
        placeholder="Choose a table",
        format_func=lambda name: SAMPLE_TABLES[name].title,
        key=Key.SAMPLE,
    )
    if name is None:  # the data in use stay until another table is chosen
        return
    st.caption(SAMPLE_TABLES[name].about)
    take(bn.Recipe("sample", name))


def choose_file() -> None:
    """Upload a file, or change how the one in use is read."""
    file = st.file_uploader(
        "CSV, TSV, a workbook (.xlsx, .xls, .ods), SPSS (.sav, .por), Stata (.dta), SAS (.sas7bdat, .xpt) or Parquet, "
        "also gzipped, up to 50 MB; or a saved session (.zip).",
        key=Key.UPLOAD,
        max_upload_size=50,
        on_change=sharing.open_uploaded,
        help=LIMITS.sentence,
    )
    now = session.data.recipe()
    if file is None or file.file_id == session.values.get(_PASSED):
        for past in session.data.other_files():
            if st.button(f"Back to {escaped(past.name)}", icon=":material/undo:", key=Key.of("back", past.fingerprint)):
                session.files.turn_to(past)
                st.rerun()
        content = session.data.uploaded_file(now) if now.source == "file" else None
        if content is not None:
            read_as_chosen(content, now.name, f"In use: {escaped(now.name)}. ")
        return
    content = file.getvalue()
    if is_session(content):
        show.note(f"In use: {escaped(now.title)}", "session opened")
    else:
        read_as_chosen(content, file.name)


def read_as_chosen(content: bytes, name: str, start: str = "") -> None:
    """Read a file as it was detected or as is chosen, say how, and take its table."""
    first = session.files.arrived(content, name)
    place = st.container(horizontal=True, vertical_alignment="center")
    with place.popover("How to read it", icon=":material/tune:"):
        sheets = session.files.sheets(first)
        base = reading_controls(first, [one for one in sheets if len(one[0]) <= LONGEST_NAME])
    arrival = reading.read(content, base)
    if len(session.files.sheets(first)) != len(sheets):  # known since it was read: there is a choice among them
        st.rerun()
    if arrival is None:
        return
    with place:
        show.note(f"{start}{escaped(how_read(arrival.frame))}", "how read")
    take(base, arrival)


def reading_controls(first: bn.Recipe, sheets: Sequence[tuple[str, int, int]]) -> bn.Recipe:
    """Draw the controls for how the file is read; they show what was detected. Return the changed recipe."""
    given: dict[str, Any] = {}
    if len(sheets) > 1:
        key, options = _reading_key("sheet", first), ["", *(title for title, _, _ in sheets)]
        session.values.among(key, options, first.sheet if first.sheet in options else "")
        named = {title: f"{title} ({rows:,} × {columns:,})" for title, rows, columns in sheets if rows}
        named[""] = "The largest table"
        given["sheet"] = st.selectbox("Sheet", options, format_func=lambda sheet: named.get(sheet, sheet), key=key)
    for name in ("header", "transposed", *(("decimal",) if sheets else CHOICES)):
        one, key = setting_of(bn.Recipe, name), _reading_key(name, first)
        session.values.among(key, list(one.choices) or (True, False), getattr(first, name))
        widget = partial(st.selectbox, options=list(one.choices), format_func=dict(one.choices).__getitem__)
        given[name] = (widget if one.choices else st.checkbox)(one.label, key=key, help=one.help)
    return dataclasses.replace(first, **given)


def _reading_key(option: str, file: bn.Recipe) -> str:
    return Key.of(Key.READING, option, file.fingerprint[:8])


def how_read(frame: pd.DataFrame) -> str:
    """Return the format of a file and the decisions made while reading it."""
    how = frame.attrs["reading"]
    shown = list(how.remarks[:4])
    if len(how.remarks) > len(shown):
        shown.append(counted(len(how.remarks) - len(shown), "more remark"))
    return "; ".join([f"Read as {how.form}", *shown]) + "."


def choose_simulation() -> None:
    """Draw rows from a bundled network."""
    left, middle, right = st.columns(3)
    names = bn.network_names()
    now = session.data.recipe()
    known = now.source == "network"
    session.values.among(Key.NETWORK, names, now.name if known else "alarm")
    rows, seeds = (setting_of(bn.Recipe, part) for part in ("n_rows", "seed"))
    first = {Key.NETWORK_ROWS: now.n_rows if known else 500, Key.NETWORK_SEED: now.seed if known else 1}
    name = left.selectbox("Network", names, key=Key.NETWORK)
    for key, value in first.items():
        session.values.put(key, session.values.get(key, value))
    n_rows = middle.number_input("Number of rows", 1, rows.le, key=Key.NETWORK_ROWS)
    seed = right.number_input("Seed of the rows", seeds.ge, seeds.le, key=Key.NETWORK_SEED)
    if known or st.button("Draw the rows", type="primary"):  # the data in use stay until rows are drawn
        take(bn.Recipe("network", name, n_rows=int(n_rows), seed=int(seed)))


# A network that the data are known to come from, loaded as BIF or as a list of edges.


def known_network() -> None:
    """Load, describe or forget the known network."""
    with st.expander("Known network", icon=":material/verified:"):
        st.caption(
            "If you know the network that the data come from, Learn shows which edges are true, missing, extra or "
            "reversed. A BIF file, or a CSV file with the columns parent and child."
        )
        file = st.file_uploader("Network or list of edges", type=["bif", "gz", "csv", "txt", "tsv"], key=Key.KNOWN)
        if file is not None:
            try:
                session.truth.keep(bounded_name(file.name), *network_in(file.getvalue(), file.name))
            except ValueError as error:
                st.error(sentence(error))
        if session.truth.loaded():
            describe()
            if file is None and st.button("Forget this network", icon=":material/close:", key=Key.FORGET_KNOWN):
                session.truth.forget()
                st.rerun()


def network_in(content: bytes, name: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the variables and edges of a network in a file.

    Raises
    ------
    ValueError
        If the file holds neither a network nor a list of edges, or these form a cycle.
    """
    if name.removesuffix(".gz").endswith(".bif"):
        network = bn.read_bif(io.BytesIO(content), title=name)
        return list(network.names), list(network.edges)
    edges = list(read_edge_list(content))
    names = list(dict.fromkeys(end for edge in edges for end in edge))
    if len(names) > LIMITS.columns:
        raise ValueError(f"the edges name {len(names):,} variables; a table has at most {LIMITS.columns:,} columns")
    refuse_cycle(edges)
    return names, edges


def describe() -> None:
    """Say how much of the loaded network is about the data's variables."""
    data, _ = session.data.dataset()
    known = None if data is None else session.truth.edges(data.names)
    if data is None:
        return
    if known is None or known[0] != session.truth.loaded():
        shown = listed([escaped(name) for name in data.names], 4)
        st.warning(
            f"{escaped(session.truth.loaded())} has no two variables of these data ({shown}), so it is not used."
        )
        return
    st.caption(f"In use: {escaped(known[0])}, {counted(len(known[1]), 'edge')} among the variables of these data.")
