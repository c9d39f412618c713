"""A network that the data are known to come from, loaded as BIF or as a list of edges."""

import io

import streamlit as st

import bnengine as bn
from bnengine._core.names import bounded_name
from bnengine.data.limits import LIMITS
from bnengine.graphs.dag import refuse_cycle
from bnengine.graphs.known_truth import read_edge_list
from pages._shared import session
from pages._shared.format import counted, escaped, listed, sentence
from pages._shared.session import Key


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
    """The variables and edges of a network in a file.

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
    """How much of the loaded network is about the data's variables."""
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
