"""The source of the data (bundled, uploaded or drawn), and the network that they are known to come from."""

import dataclasses
import io

import streamlit as st

import bnengine as bn
from bnengine.data.reading_options import LIMITS, ReadingOptions
from bnengine.graphs.dag import refuse_cycle
from bnengine.graphs.known_truth import read_edge_list
from bnengine.networks.bundled import SAMPLE_TABLES
from bnengine.settings import setting_of
from bnengine.text import bounded_name
from pages.shared import in_use, settings, state
from pages.shared.format import counted, escaped, listed, sentence
from pages.shared.keys import Key
from pages.shared.upload import PASSED, SAMPLE, SHOWN, SIMULATE, UPLOAD, choose_file, reading_key, take
from pages.shared.widgets.choice import tabs


def choose_source() -> None:
    """Choose among the three sources."""
    _follow()
    choosers = {SAMPLE: choose_sample, UPLOAD: choose_file, SIMULATE: choose_simulation}
    start = settings.SOURCES[in_use.recipe().source]
    choosers[tabs("Source of the data", list(choosers), Key.SOURCE, first=start) or start]()


def _follow() -> None:
    """Turn the controls to the data in use where these were changed elsewhere, such as by the browser's back button.

    What the controls still hold, a file among them, would otherwise be taken again.
    """
    now, shown = in_use.recipe(), state.get(SHOWN)
    state.put(SHOWN, now.for_table)
    if shown in (None, now.for_table):
        return
    file = state.get(Key.UPLOAD)
    if file is not None and in_use.fingerprint(file.getvalue()) != now.fingerprint:
        state.put(PASSED, file.file_id)
    values: dict[str, object] = {}
    if now.source == "sample":
        values = {Key.SAMPLE: now.name}
    elif now.source == "network":
        values = {Key.NETWORK: now.name, Key.NETWORK_ROWS: now.n_rows, Key.NETWORK_SEED: now.seed}
    else:
        values = {reading_key(name, now): getattr(now, name) for name in dataclasses.asdict(ReadingOptions())}
    for key, value in values.items():
        state.put(key, value)


def choose_sample() -> None:
    """Choose a bundled table."""
    names = list(SAMPLE_TABLES)
    now = in_use.recipe()
    if now.source == "sample":
        state.among(Key.SAMPLE, names, now.name)
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


def choose_simulation() -> None:
    """Draw rows from a bundled network."""
    left, middle, right = st.columns(3)
    names = bn.network_names()
    now = in_use.recipe()
    known = now.source == "network"
    state.among(Key.NETWORK, names, now.name if known else "alarm")
    rows, seeds = (setting_of(bn.Recipe, part) for part in ("n_rows", "seed"))
    first = {Key.NETWORK_ROWS: now.n_rows if known else 500, Key.NETWORK_SEED: now.seed if known else 1}
    name = left.selectbox("Network", names, key=Key.NETWORK)
    for key, value in first.items():
        state.put(key, state.get(key, value))
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
                in_use.keep_truth(bounded_name(file.name), *network_in(file.getvalue(), file.name))
            except ValueError as error:
                st.error(sentence(error))
        if in_use.loaded_truth():
            describe()
            if file is None and st.button("Forget this network", icon=":material/close:", key=Key.FORGET_KNOWN):
                in_use.forget_truth()
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
    data, _ = in_use.dataset()
    known = None if data is None else in_use.true_edges(data.names)
    if data is None:
        return
    if known is None or known[0] != in_use.loaded_truth():
        shown = listed([escaped(name) for name in data.names], 4)
        st.warning(f"{escaped(in_use.loaded_truth())} has no two variables of these data ({shown}), so it is not used.")
        return
    st.caption(f"In use: {escaped(known[0])}, {counted(len(known[1]), 'edge')} among the variables of these data.")
