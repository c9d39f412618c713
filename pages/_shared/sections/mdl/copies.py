"""The data replicated k times: no new information, yet another network is preferred."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.curves import Curve, Mark, curves_figure
from pages._shared.figures.palette import series
from pages._shared.format import counted, escaped, noun, short
from pages._shared.jobs import running
from pages._shared.section import computed, side_by_side
from pages._shared.sections.mdl.candidates import LENGTHS, all_candidates
from pages._shared.session import Key, kept

_COPIES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 100, 150, 200, 300, 500, 700, 1000)
_LEARNED = (1, 2, 4, 8, 16, 32, 64)
_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_MOST_ROWS = 200_000
_MOST_DRAWN = 4


def section(data: bn.Dataset) -> None:
    """Show the finding, two pictures, the number of copies, and the description lengths for it."""
    networks = all_candidates(data)
    sizes = [k for k in _LEARNED if k == 1 or k * data.n_rows <= _MOST_ROWS]
    comparison = computed("copies", lambda: bn.teaching.compare_copies(data, networks, most=_COPIES[-1]), networks)
    learned = running.at_once(
        "copies learned",
        session.data.key(),
        lambda tell: bn.teaching.graphs_from_copies(data, sizes, progress=tell),
        "graphs learned from copies",
    )
    if learned is None or 1 not in learned.graphs:
        return
    edges = learned.table
    show.finding(sentence(comparison, edges))
    k = int(session.values.get(Key.COPIES) or 1)
    side_by_side(
        ("Above the shortest description, bits per row", preference_figure(comparison, k), "copies curves"),
        ("Edges that hill climbing finds in k copies", edges_figure(edges, k), "copies edges"),
    )
    st.select_slider("Copies of the data, k", _COPIES, **kept(Key.COPIES), width="stretch")
    show.formula(r"\mathrm{MDL}_k = |B|\,\tfrac{\log_2 (kN)}{2} - k\,\log_2 L")
    at = comparison.at(k)
    best = comparison.networks.index(comparison.preferred_at(k))
    doubling = float(comparison.size_bits(2 * k)[best] - comparison.size_bits(k)[best])
    show.note(
        f"With **{k}** {noun(k, 'copy')} ({k * data.n_rows:,} rows) the shortest description is "
        f"**{escaped(comparison.preferred_at(k))}**, {short(float(at['mdl_bits'].min()), 4)} bits. "
        "The misfit grows with k, the size only with log k.",
        "copies",
        small=False,
    )
    show.note(
        f"Doubling the rows adds **{short(doubling, 4)} bits** to its size: |B|/2, with "
        f"|B| = {comparison.parameters[best]:,} parameters, because log₂(2N) = log₂N + 1 and each parameter costs "
        "½ log₂N bits. (The lecture notes give |B|, without the ½.)",
        "doubled",
        small=False,
    )
    show.table(at, LENGTHS, decimals=1)
    take_away(("Description lengths", comparison.table(), "copies.csv"), ("Learned edges", edges, "copies_learned.csv"))


def sentence(comparison: bn.teaching.CopiesComparison, edges: pd.DataFrame) -> str:
    """Return where the preferred network changes, and how the number of learned edges grows."""
    first = f"MDL prefers **{escaped(comparison.preferred[0][1])}** on the data"
    later = [f"**{escaped(name)}** from {k} copies on" for k, name in comparison.preferred[1:]]
    few, many = (counted(int(edges["edges"].iloc[place]), "edge") for place in (0, -1))
    return (
        f"{', '.join([first, *later]) if later else first + ' and on any number of copies'}. Hill climbing "
        f"finds {few} in the data and {many} in {edges['copies'].iloc[-1]} copies."
    )


def preference_figure(comparison: bn.teaching.CopiesComparison, k: int) -> go.Figure:
    """Draw the networks that win for some k, and the closest of the others."""
    table = comparison.table()
    above = pd.DataFrame(comparison.above_best.T, columns=list(comparison.networks))
    shown = [position for position, copies in enumerate(table["copies"]) if copies in _COPIES or copies <= 40]
    hover = "copies: %{x:,}<br>%{y:.4~g} bits per row above the shortest"
    return _by_copies(
        [
            Curve(name, table["copies"].iloc[shown], above[name].iloc[shown], color, hover=hover)
            for name, color in zip(comparison.contenders(_MOST_DRAWN), series(session.dark()), strict=False)
        ],
        "bits per row",
        k,
    )


def edges_figure(edges: pd.DataFrame, k: int) -> go.Figure:
    """Draw the number of edges against the number of copies."""
    color = series(session.dark())[0]
    return _by_copies(
        [Curve("edges", edges["copies"], edges["edges"], color, hover="copies: %{x:,}<br>edges: %{y}")], "edges", k
    )


def _by_copies(curves: list[Curve], unit: str, k: int) -> go.Figure:
    mark = Mark(k, f"k = {k}", left=k > 100)
    return curves_figure(curves, session.dark(), "copies k", unit, log_x=True, marks=[mark], height=310, ticks=_TICKS)
