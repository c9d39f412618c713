"""Lessons on MDL: the lecture's worked example, replicated data, and what a parameter costs."""

import math

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from bnengine.plots.curves import Curve, Mark, curves_figure, length_figure, ranked_figure
from bnengine.plots.palette import MISFIT, SIZE, ink, series
from pages.mdl.networks import LENGTHS, Networks, all_candidates, lengths, phrase
from pages.shared import jobs, show, state
from pages.shared.format import counted, escaped, noun, percent, short, tex
from pages.shared.keys import Key
from pages.shared.lessons import Subject, computed, learned_graph, side_by_side
from pages.shared.state import persistent
from pages.shared.widgets.choice import tabs
from pages.shared.words import MDL as WORDS

NETWORKS: Networks = {"connected": [("X", "Y")], "independent": []}
SIZES = {4: "Four rows", 8: "Eight rows"}


def _numbers(n_rows: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    data = bn.Dataset.from_frame(bn.load_sample(f"lecture_{n_rows}"))
    rows = bn.prediction.row_probabilities(data, {name: bn.fit(data, edges) for name, edges in NETWORKS.items()})
    return rows, bn.teaching.description_lengths(data, NETWORKS)


def worked_section(_: Subject) -> None:
    """Show the rows with their probabilities, the stacked bars, and the formulas with their numbers."""
    n_rows = int(state.get(Key.WORKED_ROWS) or 4)
    rows, table = computed(_numbers, n_rows)
    first, second = table.iloc[0], table.iloc[1]
    show.finding(
        f"The **{first['network']}** network needs {short(first['mdl_bits'], 4)} bits for {SIZES[n_rows].lower()}, "
        f"the {second['network']} one {short(second['mdl_bits'], 4)}: {short(second['above_best_bits'])} bits more."
    )
    left, right = st.columns(2, gap="medium")
    with left:
        tabs("Rows", SIZES, Key.WORKED_ROWS, first=4)
        show.table(rows, {name: f"P, {name}" for name in NETWORKS}, decimals=4, height=38 + 35 * len(rows))
        st.caption("P: joint probability of the row under the network fitted to these rows by maximum likelihood.")
    with right:
        alt = "Description lengths of two networks, in bits"
        show.chart(length_figure(table, state.dark()), "worked bars", alt)
        st.caption("Grey: misfit, the bits for the rows. Orange: size, the bits for the network's parameters.")
    show.formula(*(formula(rows[str(line["network"])], line, n_rows) for _, line in table.iterrows()))
    st.caption(WORDS["worked"])


def formula(probabilities: "pd.Series[float]", line: "pd.Series", n_rows: int) -> str:
    """Return one network's likelihood and description length with their numbers."""
    size, misfit, total = lengths(line)
    every = rf"\textstyle\prod_{{i=1}}^{{{n_rows}}} P_i"
    product = r"\cdot ".join(map(tex, probabilities)) if n_rows <= 4 else every
    return (
        rf"\text{{{line['network']}: }} L = {product} = {tex(line['likelihood'])},\; "
        rf"\mathrm{{MDL}} = {line['parameters']}\cdot\tfrac{{\log_2 {n_rows}}}{{2}} - \log_2 L = "
        rf"{size} + {misfit} = \mathbf{{{total}}}\text{{ bits}}"
    )


# What a difference of description lengths means: only differences count.


def differences_section(subject: Subject) -> None:
    """Show by how many bits the shortest description becomes longer without each edge."""
    data = subject.data
    graph = learned_graph(data)
    if graph is None:
        return
    costs, bits = computed(bn.teaching.edge_costs, data, graph.edges), bn.mdl(data, graph.edges).mdl
    if costs.empty:
        show.finding(f"The best network of {subject.title} has no edges ({short(bits, 4)} bits).")
        return
    weakest = costs.iloc[-1]
    show.finding(
        f"The shortest description of {subject.title} takes {short(bits, 4)} bits. Without {escaped(weakest['edge'])} "
        f"it takes **{short(weakest['bits'])} bits more**, {percent(weakest['bits'] / bits)} of them, but "
        f"**{odds(weakest['odds'])}** for the edge: only differences count."
    )
    texts = [f"{short(line.bits)} bits: {odds(line.odds)}" for line in costs.itertuples()]
    named = costs.rename(columns={"edge": "name", "bits": "value"}).assign(kind="edge")
    figure = ranked_figure(named, state.dark(), "bits saved by the edge", {"edge": MISFIT}, texts=texts)
    show.chart(figure, "edge costs", "Bits by which the description is longer without each edge")
    show.formula(
        r"\mathrm{MDL}(G) \approx -\log_2 P(D\mid G)",
        r"\frac{P(D\mid G)}{P(D\mid G')} \approx 2^{\,\mathrm{MDL}(G') - \mathrm{MDL}(G)}",
    )
    st.caption(WORDS["differences"].format(search=graph.search))


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def odds(ratio: float) -> str:
    """Return odds in words, to a power of ten where they are large."""
    if ratio < 10_000:
        return f"{ratio:,.0f} to 1"
    power = math.floor(math.log10(ratio)) if math.isfinite(ratio) else 300
    return f"over 10{str(power).translate(_RAISED)} to 1"


# The data replicated k times: no new information, yet another network is preferred.

_COPIES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 100, 150, 200, 300, 500, 700, 1000)
_LEARNED = (1, 2, 4, 8, 16, 32, 64)
_COPY_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_MOST_ROWS = 200_000
_MOST_DRAWN = 4


def copies_section(subject: Subject) -> None:
    """Show the finding, two pictures, the number of copies, and the description lengths for it."""
    data, networks = subject.data, all_candidates(subject)
    sizes = [k for k in _LEARNED if k == 1 or k * data.n_rows <= _MOST_ROWS]
    comparison = computed(bn.teaching.compare_copies, data, networks, most=_COPIES[-1])
    learned = jobs.complete_result_of(
        "copies learned",
        (data, sizes),
        lambda progress: bn.teaching.graphs_from_copies(data, sizes, progress=progress),
        "graphs learned from copies",
    )
    if learned is None or 1 not in learned.graphs:
        return
    edges = learned.table
    show.finding(sentence(comparison, learned))
    k = int(state.get(Key.COPIES) or 1)
    side_by_side(
        ("Above the shortest description, bits per row", preference_figure(comparison, k), "copies curves"),
        ("Edges that the search finds in k copies", edges_figure(edges, k), "copies edges"),
    )
    st.select_slider("Copies of the data, k", _COPIES, **persistent(Key.COPIES), width="stretch")
    show.formula(r"\mathrm{MDL}_k = |B|\,\tfrac{\log_2 (kN)}{2} - k\,\log_2 L")
    at = comparison.at(k)
    best = comparison.networks.index(comparison.preferred_at(k))
    values = {"k": k, "copies": noun(k, "copy"), "rows": k * data.n_rows, "best": escaped(comparison.preferred_at(k))}
    values |= {"bits": short(float(at["mdl_bits"].min()), 4), "added": short(comparison.parameters[best] / 2, 4)}
    show.note(WORDS["copies"].format(**values), "copies", small=False)
    show.table(at, LENGTHS, decimals=1)


def sentence(comparison: bn.teaching.CopiesComparison, learned: bn.teaching.GraphSeries) -> str:
    """Return where the preferred network changes, and how the number of learned edges grows."""
    edges = learned.table
    first = f"MDL prefers **{phrase(comparison.preferred[0][1])}** on the data"
    later = [f"**{phrase(name)}** from {k} copies on" for k, name in comparison.preferred[1:]]
    few, many = (counted(int(edges["edges"].iloc[place]), "edge") for place in (0, -1))
    return (
        f"{', '.join([first, *later]) if later else first + ' and on any number of copies'}. The search "
        f"({learned.search}) finds {few} in the data and {many} in {edges['copies'].iloc[-1]} copies."
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
            for name, color in zip(comparison.contenders(_MOST_DRAWN), series(state.dark()), strict=False)
        ],
        "bits per row",
        k,
    )


def edges_figure(edges: pd.DataFrame, k: int) -> go.Figure:
    """Draw the number of edges against the number of copies."""
    color = series(state.dark())[0]
    return _by_copies(
        [Curve("edges", edges["copies"], edges["edges"], color, hover="copies: %{x:,}<br>edges: %{y}")], "edges", k
    )


def _by_copies(curves: list[Curve], unit: str, k: int) -> go.Figure:
    mark = Mark(k, f"k = {k}", left=k > 100)
    return curves_figure(
        curves, state.dark(), "copies k", unit, log_x=True, marks=[mark], height=310, ticks=_COPY_TICKS
    )


# Why a parameter costs log2(N) / 2 bits: the bits to write it down against the bits that rounding it costs.

_ROWS = (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)
_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500)


def precision_section(_: Subject) -> None:
    """Show the finding, both costs and their sum."""
    head, picture = st.container(), st.container()
    options = {"format_func": "{:,}".format, **persistent(Key.PRECISION_ROWS)}
    n_rows = int(st.select_slider("Number of rows", _ROWS, 1000, **options))
    table = computed(bn.teaching.parameter_precision, n_rows)
    best, half = table.loc[table["total_bits"].idxmin()], 0.5 * math.log2(n_rows)
    show.finding(
        f"**{best['values']:.0f} values ({short(best['cost_bits'])} bits)** are the cheapest precision for a "
        f"probability learned from {n_rows:,} rows; the rule ½ log₂N gives {short(half)} bits.",
        head,
    )
    show.chart(
        precision_figure(table, n_rows), "precision", "Bits for a parameter against the number of its values", picture
    )
    show.formula(
        r"\underbrace{\log_2 M}_{\text{one of } M \text{ values}} + "
        r"\underbrace{\tfrac{N}{\ln 2}\,\mathrm{KL}(\hat p\,\|\,\tilde p)}_{\text{cost of rounding}}",
        rf"\text{{minimal near }} M\approx\sqrt N:\quad \tfrac12\log_2 {tex(n_rows)} = {tex(half)}\text{{ bits}}",
    )
    st.caption(WORDS["precision"])


def precision_figure(table: pd.DataFrame, n_rows: int) -> go.Figure:
    """Draw both costs and their sum; the frame ends at twice the minimum."""
    dark = state.dark()
    curves = [
        Curve(name, table["values"], table[column], color, hover="values: %{x:,}<br>%{y:.3~g} bits")
        for name, column, color in (
            ("total", "total_bits", ink(dark)),
            ("the value", "cost_bits", SIZE),
            ("its rounding", "loss_bits", MISFIT),
        )
    ]
    y_range, marks = (0.0, 2.0 * float(table["total_bits"].min()) + 2.0), [Mark(math.sqrt(n_rows), "√N")]
    return curves_figure(
        curves, dark, "number of values M", "bits", log_x=True, y_range=y_range, marks=marks, ticks=_TICKS
    )
