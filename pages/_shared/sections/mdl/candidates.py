"""Candidate networks on the session's data, in bits."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import section, session
from pages._shared.figures.bars import length_figure
from pages._shared.figures.network import EdgeStyle, network_figure, plain
from pages._shared.figures.palette import ink
from pages._shared.format.numbers import short
from pages._shared.format.text import escaped
from pages._shared.sections.mdl.formula import mdl_formula

OWN = "your own"
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
    found = searched(session.data_key(), data, session.recipe().network)
    return {**found, OWN: session.own_network()} if session.can_undo() else dict(found)


def candidates(data: bn.Dataset) -> None:
    """Sentence, bars, the formula of one, its picture, and the table."""
    networks = all_candidates(data)
    table = lengths_of(session.data_key(), data, networks)
    section.finding(sentence(table, data))
    left, right = st.columns([3, 2], gap="large")
    with left:
        section.chart(
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
        shown = str(
            st.selectbox("network shown", names, key=f"candidate shown {session.data_key()}", persist_state="session")
        )
        line = table[table["network"] == shown].iloc[0]
        section.formula(mdl_formula(line, data.n_rows))
        st.button("Edit this one by hand", icon=":material/edit:", on_click=_edit, args=(networks[shown],))
    st.dataframe(table, hide_index=True, column_config=columns())
    section.download(table, "Description lengths", "candidates.csv")
    st.markdown(f"**{escaped(shown)}**")
    drawing(data, networks[shown], "candidate network")


def sentence(table: pd.DataFrame, data: bn.Dataset) -> str:
    """The finding in numbers."""
    best, worse = table.iloc[0], table[table["above_best_bits"] >= 1e-6]
    text = (
        f"On {section.data_title()} ({data.n_rows:,} rows) **{escaped(str(best['network']))}** needs "
        f"**{short(best['mdl_bits'])} bits**"
    )
    if len(worse):
        text += f", {short(worse.iloc[0]['above_best_bits'], 3)} fewer than {escaped(str(worse.iloc[0]['network']))}"
    true = worse[worse["network"] == "true network"]
    if len(true) and worse.iloc[0]["network"] != "true network":
        text += (
            f"; the true network, with {true.iloc[0]['parameters']:,} parameters, "
            f"{short(true.iloc[0]['above_best_bits'], 3)} more"
        )
    return text + "."


def columns() -> dict[str, object]:
    """How the table of description lengths is shown."""
    number = st.column_config.NumberColumn
    return {
        "size_bits": number("size, bits", format="%.1f"),
        "misfit_bits": number("misfit, bits", format="%.1f"),
        "mdl_bits": number("MDL, bits", format="%.1f"),
        "above_best_bits": number("above the best, bits", format="%.1f"),
        "log2_likelihood": None,
        "likelihood": None,
    }


def drawing(data: bn.Dataset, edges: list[tuple[str, str]], key: str, width: int = 800) -> None:
    """The variables that have an edge, laid out in layers; the others by name."""
    joined = [v for v, name in enumerate(data.names) if any(name in edge for edge in edges)]
    place = {data.names[v]: k for k, v in enumerate(joined)}
    dark = session.dark()
    if edges:
        styles = {(place[i], place[j]): EdgeStyle(ink(dark), 1.4, f"<b>{plain(i)} → {plain(j)}</b>") for i, j in edges}
        figure = network_figure([data.names[v] for v in joined], styles, dark, width_hint=width)
        section.chart(figure, key, f"Network with {len(edges)} edges")
    alone = [name for name in data.names if name not in place]
    if alone:
        listed = escaped(", ".join(alone[:12])) + (" …" if len(alone) > 12 else "")
        st.caption(f"Without edges: {listed}" if edges else f"No edges yet among {listed}")


def _edit(edges: list[tuple[str, str]]) -> None:
    session.set_own_network(edges)
    session.set_value(session.MDL_SECTION, "Climb by hand")
