"""Candidate networks on the session's data, in bits."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.bars import length_figure
from pages._shared.figures.network import EdgeStyle, network_figure, plain
from pages._shared.figures.palette import ink
from pages._shared.format import escaped, listed, short
from pages._shared.sections.mdl.formula import mdl_formula
from pages._shared.session import Key, kept

OWN = "your own"
#: Titles of the description lengths' columns; the likelihoods are not shown.
LENGTHS = {
    "size_bits": "size, bits",
    "misfit_bits": "misfit, bits",
    "mdl_bits": "MDL, bits",
    "above_best_bits": "above the best, bits",
    "log2_likelihood": None,
    "likelihood": None,
}
Networks = dict[str, list[tuple[str, str]]]


@st.cache_data(max_entries=24, show_spinner="Learning the candidates …")
def searched(key: str, _data: bn.Dataset, network: str | None) -> Networks:
    """What the searches find, and the truth where it is known."""
    return bn.teaching.candidate_networks(_data, bn.load_network(network) if network else None)


@st.cache_data(max_entries=24, show_spinner=False)
def lengths_of(key: str, _data: bn.Dataset, networks: Networks) -> pd.DataFrame:
    """The description lengths, shortest first."""
    return bn.teaching.description_lengths(_data, networks)


def all_candidates(data: bn.Dataset) -> Networks:
    """The candidates with the person's own network, if there is one by now."""
    found = searched(session.data.key(), data, session.data.recipe().network)
    return {**found, OWN: session.own_network.edges()} if session.own_network.changed() else dict(found)


def candidates(data: bn.Dataset) -> None:
    """Sentence, bars, the formula of one, its picture, and the table."""
    networks = all_candidates(data)
    table = lengths_of(session.data.key(), data, networks)
    show.finding(sentence(table, data))
    left, right = st.columns([3, 2], gap="large")
    with left:
        show.chart(
            length_figure(table, session.dark(), 96 + 38 * len(table)),
            "candidate bars",
            f"Description lengths of {len(table)} networks, in bits",
        )
        st.caption(
            "Grey: what is left unexplained. Orange: what the parameters cost. The score here is the description "
            "length, whatever score the sidebar has; searches climb it without constraints."
        )
    with right:
        names = list(table["network"])
        shown = str(st.selectbox("network shown", names, **kept(Key.CANDIDATE, session.data.key())))
        line = table[table["network"] == shown].iloc[0]
        show.formula(mdl_formula(line, data.n_rows))
        st.button("Edit this one by hand", icon=":material/edit:", on_click=_edit, args=(networks[shown],))
    show.table(table, LENGTHS, decimals=1)
    csv_button("Description lengths", table, "candidates.csv")
    st.markdown(f"**{escaped(shown)}**")
    drawing(data, networks[shown], "candidate network")


def sentence(table: pd.DataFrame, data: bn.Dataset) -> str:
    """The finding in numbers."""
    best, worse = table.iloc[0], table[table["above_best_bits"] >= 1e-6]
    text = (
        f"On {session.data.title()} ({data.n_rows:,} rows) **{escaped(str(best['network']))}** needs "
        f"**{short(best['mdl_bits'], 4)} bits**"
    )
    if len(worse):
        text += f", {short(worse.iloc[0]['above_best_bits'])} fewer than {escaped(str(worse.iloc[0]['network']))}"
    true = worse[worse["network"] == "true network"]
    if len(true) and worse.iloc[0]["network"] != "true network":
        text += (
            f"; the true network, with {true.iloc[0]['parameters']:,} parameters, "
            f"{short(true.iloc[0]['above_best_bits'])} more"
        )
    return text + "."


def drawing(data: bn.Dataset, edges: list[tuple[str, str]], key: str, width: int = 800) -> None:
    """The variables that have an edge, laid out in layers; the others by name."""
    joined = [v for v, name in enumerate(data.names) if any(name in edge for edge in edges)]
    place = {data.names[v]: k for k, v in enumerate(joined)}
    dark = session.dark()
    if edges:
        styles = {(place[i], place[j]): EdgeStyle(ink(dark), 1.4, f"<b>{plain(i)} → {plain(j)}</b>") for i, j in edges}
        figure = network_figure([data.names[v] for v in joined], styles, dark, width_hint=width)
        show.chart(figure, key, f"Network with {len(edges)} edges")
    alone = [name for name in data.names if name not in place]
    if alone:
        shown = listed([*map(escaped, alone)], 12)
        st.caption(f"Without edges: {shown}" if edges else f"No edges yet among {shown}")


def _edit(edges: list[tuple[str, str]]) -> None:
    session.own_network.change(edges)
    session.values.put(Key.MDL_SECTION, "Climb by hand")
