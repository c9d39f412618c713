"""The same rows k times over: nothing is learned, and another network is preferred."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.curves import Curve, Mark, curves_figure
from pages._shared.figures.palette import series
from pages._shared.format import escaped, short, wordy
from pages._shared.sections.mdl.candidates import Networks, all_candidates
from pages._shared.session import Key, kept

_COPIES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 100, 150, 200, 300, 500, 700, 1000)
_LEARNED = (1, 2, 4, 8, 16, 32, 64)
_MOST_ROWS = 200_000
_MOST_DRAWN = 4


@st.cache_data(max_entries=24, show_spinner=False)
def compared(key: str, _data: bn.Dataset, networks: Networks) -> bn.teaching.CopiesComparison:
    """Description lengths up to a thousand copies."""
    return bn.teaching.compare_copies(_data, networks, most=_COPIES[-1])


@st.cache_data(max_entries=24, show_spinner="Learning from the copies …")
def learned(key: str, _data: bn.Dataset) -> pd.DataFrame:
    """What hill climbing learns from more and more copies."""
    return bn.teaching.learn_from_copies(_data, [k for k in _LEARNED if k == 1 or k * _data.n_rows <= _MOST_ROWS])


def copies(data: bn.Dataset) -> None:
    """Sentence, curves, slider, and the lengths at the slider's number of copies."""
    comparison = compared(session.data.key(), data, all_candidates(data))
    edges = learned(session.data.key(), data)
    show.finding(sentence(comparison, edges))
    k = int(session.values.get(Key.COPIES) or 1)
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Longer than the shortest, bits a row**")
        show.chart(preference_figure(comparison, k), "copies curves", "Description lengths by number of copies")
    with right:
        st.markdown("**Edges that hill climbing finds in k copies**")
        show.chart(edges_figure(edges, k), "copies edges", "Number of learned edges by number of copies")
    st.select_slider("copies k of the data", _COPIES, **kept(Key.COPIES), width="stretch")
    show.formula(r"\mathrm{MDL}_k = |B|\,\tfrac{\log_2 (kN)}{2} - k\,\log_2 L")
    at = comparison.at(k)
    show.note(
        f"With **{k}** {wordy(k, 'copy')} ({k * data.n_rows:,} rows) the shortest is "
        f"**{escaped(comparison.preferred_at(k))}**, {short(float(at['mdl_bits'].min()), 4)} bits. "
        "The misfit grows with k, the size only with log k.",
        "copies",
        small=False,
    )
    show.note(doubled(comparison, k), "doubled", small=False)
    show.table(
        at,
        {
            "size_bits": "size, bits",
            "misfit_bits": "misfit, bits",
            "mdl_bits": "MDL of the copies, bits",
            "above_best_bits": "above the best, bits",
        },
        decimals=1,
    )
    take_away(("Description lengths", comparison.table(), "copies.csv"), ("Learned edges", edges, "copies_learned.csv"))


def doubled(comparison: bn.teaching.CopiesComparison, k: int) -> str:
    """What twice the rows add to the size of the network that is preferred."""
    place = comparison.networks.index(comparison.preferred_at(k))
    parameters = comparison.parameters[place]
    more = comparison.size_bits(2 * k)[place] - comparison.size_bits(k)[place]
    return (
        f"Twice as many rows add **{short(float(more), 4)} bits** to its size, |B|/2 with |B| = {parameters:,}: "
        "log₂(2N) = log₂N + 1, and each parameter is charged half of that. (The lecture notes' |B| forgets the half.)"
    )


def sentence(comparison: bn.teaching.CopiesComparison, edges: pd.DataFrame) -> str:
    """Where the preference changes."""
    first = comparison.preferred[0][1]
    steps = [f"from {k} copies on {escaped(name)}" for k, name in comparison.preferred[1:]]
    if steps:
        text = f"MDL prefers **{escaped(first)}**; given the same rows again, **{', '.join(steps)}**"
    else:
        text = f"MDL prefers **{escaped(first)}**, however often the same rows are given"
    return (
        f"{text}. A search finds {edges['edges'].iloc[0]} edges in the rows and {edges['edges'].iloc[-1]} in "
        f"{edges['copies'].iloc[-1]} copies of them."
    )


def preference_figure(comparison: bn.teaching.CopiesComparison, k: int):  # type: ignore[no-untyped-def]
    """The networks that win somewhere, and the closest of the others."""
    dark = session.dark()
    chosen = comparison.contenders(_MOST_DRAWN)
    table = comparison.table()
    above = pd.DataFrame(comparison.above_best.T, columns=list(comparison.networks))
    shown = [position for position, copies in enumerate(table["copies"]) if copies in _COPIES or copies <= 40]
    curves = [
        Curve(
            name,
            table["copies"].iloc[shown],
            above[name].iloc[shown],
            color,
            mode="lines",
            hover="%{x:,} copies: %{y:.4~g} bits a row more than the shortest",
        )
        for name, color in zip(chosen, series(dark), strict=False)
    ]
    return curves_figure(
        curves, dark, "copies k", "bits a row", log_x=True, marks=[Mark(k, f"k = {k}")], height=310, ticks=_TICKS
    )


def edges_figure(edges: pd.DataFrame, k: int):  # type: ignore[no-untyped-def]
    """Edges against copies."""
    dark = session.dark()
    curve = Curve("edges", edges["copies"], edges["edges"], series(dark)[0], hover="%{x:,} copies: %{y} edges")
    return curves_figure(
        [curve], dark, "copies k", "edges", log_x=True, marks=[Mark(k, f"k = {k}")], height=310, ticks=_TICKS
    )


_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
