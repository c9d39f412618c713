"""Where the data come from: how a file was read, and the network that they are known to come from."""

import io

import streamlit as st

import bnengine as bn
from bnengine.data.reading_options import LIMITS
from bnengine.graphs.constraints import read_edge_list
from bnengine.graphs.dag import refuse_cycle
from bnengine.networks.bif import is_bif
from bnengine.networks.bundled import SAMPLE_TABLES
from bnengine.text import bounded_name
from pages.shared import in_use, show
from pages.shared.format import counted, escaped, listed, sentence
from pages.shared.keys import Key
from pages.shared.upload import read_as_chosen


def other_data() -> None:
    """Draw the way to other data."""
    st.button("Other data", icon=":material/upload_file:", key=Key.OTHER, on_click=in_use.keep_data, args=(False,))


def what_was_read() -> None:
    """Say where the table comes from; how a file is read can be changed."""
    now = in_use.recipe()
    content = in_use.uploaded_file(now) if now.source == "file" else None
    if content is not None:
        read_as_chosen(content, now.name)
    elif now.source == "sample":
        show.note(SAMPLE_TABLES[now.name].about, "how read")
    elif now.source == "network":
        drawn = f"{counted(now.n_rows, 'row')} drawn from {escaped(now.name.upper())}, seed {now.seed}."
        show.note(drawn, "how read")


# A network that the data are known to come from, loaded as BIF or as a list of edges.


def known_network() -> None:
    """Load, describe or forget the known network."""
    with st.expander("Known network", icon=":material/verified:"):
        st.caption(
            "If you know the network that the data come from, the Network page shows which edges are true, missing, "
            "extra or reversed. A BIF file, or a CSV file with the columns parent and child."
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
    if is_bif(name):
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
    if data is None:
        return
    known = in_use.true_edges(data.names)
    if known is None or known[0] != in_use.loaded_truth():
        shown = listed([escaped(name) for name in data.names], 4)
        st.warning(f"{escaped(in_use.loaded_truth())} has no two variables of these data ({shown}), so it is not used.")
        return
    st.caption(f"In use: {escaped(known[0])}, {counted(len(known[1]), 'edge')} among the variables of these data.")
