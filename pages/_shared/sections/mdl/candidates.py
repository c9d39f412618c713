"""Description lengths of candidate networks on the session's data."""

from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.bars import length_figure
from pages._shared.figures.network import EdgeStyle, network_figure, plain
from pages._shared.figures.palette import ink
from pages._shared.format import counted, escaped, listed, short, tex
from pages._shared.section import computed
from pages._shared.session import Key
from pages._shared.widgets.choice import choice

OWN = "your own"
#: Column titles of description lengths; the likelihoods are hidden.
LENGTHS = {
    "network": "Network",
    "edges": "Edges",
    "parameters": "Free parameters",
    "size_bits": "Size, bits",
    "misfit_bits": "Misfit, bits",
    "mdl_bits": "MDL, bits",
    "above_best_bits": "Above the best, bits",
    "log2_likelihood": None,
    "likelihood": None,
}
Networks = dict[str, list[tuple[str, str]]]


def searched(data: bn.Dataset) -> Networks:
    """Return the networks that the searches find, and the true one if it is known."""
    name = session.data.recipe().network
    return computed("candidates", lambda: bn.teaching.candidate_networks(data, bn.load_network(name) if name else None))


def lengths_of(data: bn.Dataset, networks: Networks) -> pd.DataFrame:
    """Return the description lengths, shortest first."""
    return computed("lengths", lambda: bn.teaching.description_lengths(data, networks), networks)


def all_candidates(data: bn.Dataset) -> Networks:
    """Return the candidates, with your own network once it has been edited."""
    own = {OWN: session.own_network.edges()} if session.own_network.changed() else {}
    return {**searched(data), **own}


def section(data: bn.Dataset) -> None:
    """Show the finding, bars, one network's formula and picture, and the table."""
    networks = all_candidates(data)
    table = lengths_of(data, networks)
    show.finding(sentence(table, data))
    left, right = st.columns([3, 2], gap="large")
    with left:
        alt = f"Description lengths of {len(table)} networks, in bits"
        show.chart(length_figure(table, session.dark(), 96 + 38 * len(table)), "candidate bars", alt)
        st.caption(
            "Grey: misfit, the bits for the rows given the network. Orange: size, the bits for its parameters. The "
            "score is always MDL, and the searches use no constraints."
        )
    with right:
        shown = choice("Network shown", list(table["network"]), Key.of(Key.CANDIDATE, session.data.key()))
        show.formula(mdl_formula(table[table["network"] == shown].iloc[0], data.n_rows))
        st.button("Edit this network", icon=":material/edit:", on_click=_edit, args=(networks[shown],))
    show.table(table, LENGTHS, decimals=1)
    csv_button("Description lengths", table, "candidates.csv")
    st.markdown(f"**{escaped(shown)}**")
    draw(data, networks[shown], "candidate network")


def sentence(table: pd.DataFrame, data: bn.Dataset) -> str:
    """Return the finding in numbers."""
    best, worse = table.iloc[0], table[table["above_best_bits"] >= 1e-6]
    text = (
        f"The shortest description of {session.data.title()} ({data.n_rows:,} rows) takes "
        f"**{short(best['mdl_bits'], 4)} bits**, with the **{escaped(str(best['network']))}** network"
    )
    if len(worse):
        text += f"; {escaped(str(worse.iloc[0]['network']))} takes {short(worse.iloc[0]['above_best_bits'])} more"
    true = worse[worse["network"] == "true network"]
    if len(true) and worse.iloc[0]["network"] != "true network":
        line = true.iloc[0]
        text += (
            f"; the true network, with {counted(int(line['parameters']), 'parameter')}, "
            f"{short(line['above_best_bits'])} more"
        )
    return text + "."


def mdl_formula(line: Any, n_rows: int) -> str:
    """Return one line of ``bn.teaching.description_lengths`` as |B| log2(N) / 2 - log2 L."""
    size, misfit, total = lengths(line)
    parameters, rows = tex(line["parameters"]), tex(n_rows)
    return (
        rf"\underbrace{{{parameters}\cdot\tfrac{{\log_2 {rows}}}{{2}}}}_{{\text{{size }} {size}}} + "
        rf"\underbrace{{{misfit}}}_{{-\log_2 L}} = {total}\text{{ bits}}"
    )


def lengths(line: Any) -> tuple[str, str, str]:
    """Return size, misfit and their sum in bits, with four digits so that a reader can add them up."""
    size, misfit, total = (tex(line[part], 4) for part in ("size_bits", "misfit_bits", "mdl_bits"))
    return size, misfit, total


def draw(data: bn.Dataset, edges: list[tuple[str, str]], key: str, width: int = 800) -> None:
    """Draw the variables that have edges, in layers; list the others by name."""
    joined = [v for v, name in enumerate(data.names) if any(name in edge for edge in edges)]
    place = {data.names[v]: k for k, v in enumerate(joined)}
    dark = session.dark()
    if edges:
        styles = {(place[i], place[j]): EdgeStyle(ink(dark), 1.4, f"<b>{plain(i)} → {plain(j)}</b>") for i, j in edges}
        figure = network_figure([data.names[v] for v in joined], styles, dark, width_hint=width)
        show.chart(figure, key, f"Network with {counted(len(edges), 'edge')}")
    alone = [escaped(name) for name in data.names if name not in place]
    if alone:
        st.caption(f"{'Without edges' if edges else 'No edges yet between'}: {listed(alone, 12)}")


def _edit(edges: list[tuple[str, str]]) -> None:
    session.own_network.change(edges)
    session.values.put(Key.MDL_SECTION, "Search by hand")
