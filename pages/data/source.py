"""Where the data come from: how a file was read, and the network that they are known to come from."""

import io
from collections.abc import Callable
from dataclasses import replace

import streamlit as st

import bnengine as bn
from bnengine.networks.bundled import SAMPLE_TABLES
from bnengine.networks.network_files import SUFFIXES, KnownGraph, n_pairs
from pages.shared import in_use, show, state
from pages.shared.format import counted, escaped, listed, sentence
from pages.shared.keys import Key
from pages.shared.state import persistent
from pages.shared.upload import read_as_chosen
from pages.shared.words import DATA as WORDS


def other_data() -> None:
    """Draw the way to other data."""
    st.button(
        "Open another table", icon=":material/upload_file:", key=Key.OTHER, on_click=in_use.keep_data, args=(False,)
    )


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


_TAKEN, _TYPED = "known_network_taken", "known_network_typed"  # the uploaded file, the text that it was read from


def known_network() -> None:
    """Load, describe or forget the known network."""
    with st.expander("Known network, or what you expect", icon=":material/verified:"):
        st.caption(WORDS["known_network"])
        file = st.file_uploader("Network or list of edges", type=SUFFIXES, key=Key.KNOWN)
        if file is not None:
            _take(_TAKEN, file.file_id, lambda: bn.read_graph(file))
        typed = st.text_area(
            "Or the edges that you expect, before you see the result",
            **persistent(Key.EXPECTED),
            placeholder="smoke -> lung",
            height=100,
            help=WORDS["expected"],
        )
        if typed:
            _take(_TYPED, typed, lambda: replace(bn.read_graph(io.BytesIO(typed.encode())), title=in_use.EXPECTED))
        if (loaded := in_use.loaded_truth()) is not None:
            describe(loaded)
            if file is None and st.button("Forget this network", icon=":material/close:", key=Key.FORGET_KNOWN):
                in_use.forget_truth()
                state.put_all({_TYPED: "", Key.EXPECTED: ""})
                st.rerun()


def _take(name: str, new: str, read: Callable[[], KnownGraph]) -> None:
    """Keep the network in what is new under this name; say what is wrong with it where it cannot be read."""
    if new != state.get(name):
        try:
            in_use.keep_truth(read())
            state.put(name, new)
        except ValueError as error:
            st.error(sentence(error))


def describe(loaded: KnownGraph) -> None:
    """Say how much of the loaded network is about the data's variables."""
    data, _ = in_use.dataset()
    if data is None:
        return
    known, called = in_use.reference(data.names), escaped(loaded.title)
    if known is None or known.name != loaded.title:
        shown = listed([escaped(name) for name in data.names], 4)
        st.warning(f"{called} has no two variables of these data ({shown}), so it is not used.")
        return
    remark = f" {sentence(loaded.remark)}" if loaded.remark else ""
    st.caption(f"In use: {called}, {counted(n_pairs(known.edges), 'edge')} among the variables of these data.{remark}")
