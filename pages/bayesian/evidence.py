"""The Bayesian score: the marginal likelihood toss by toss, equivalent sample size, score equivalence, growing data."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from bnengine.plots.curves import Curve, Mark, behind_figure, curves_figure
from bnengine.plots.lessons import parts_figure
from bnengine.plots.palette import faint, ink, series
from bnengine.scores.scores import TableScore
from pages.shared import jobs, show, state
from pages.shared.format import counted, escaped, short, tex
from pages.shared.keys import Key
from pages.shared.lessons import Subject, computed, side_by_side
from pages.shared.state import persistent
from pages.shared.widgets.choice import choice, tabs
from pages.shared.words import BAYESIAN as WORDS

_COIN_NAMES = {"H": "heads", "T": "tails"}
_LETTERS, _FIRST = "HT", "HHTHTTHHHT"
_MOST_TOSSES = 400
_MOST_FACTORS = 7
_GRID = np.linspace(0.001, 0.999, 333)


def coins_section(_: Subject) -> None:
    """Show the finding, two pictures, the controls, and the formulas."""
    head, pictures = st.container(), st.container()
    with st.container(horizontal=True):
        for letter, name in _COIN_NAMES.items():
            st.button(f"{letter}: {name}", key=Key.of(Key.TOSS, letter), on_click=_toss, args=(letter,))
        st.button("Start over", key=Key.of(Key.TOSS, "none"), on_click=state.put, args=(Key.SEQUENCE, ""))
    sequence, prior = _coin_controls()
    if sequence is None:
        return
    found = bn.teaching.dirichlet_evidence([_LETTERS.index(letter) for letter in sequence], prior)
    show.finding(_coin_sentence(found), head)
    with pictures:
        title = "Density of each probability, before (dashed) and after"
        side_by_side(
            ("Probability of each toss given the earlier ones", factors_figure(found), "coin factors"),
            (title, density_figure(found), "coin densities"),
        )
    formulas(found)


def _toss(letter: str) -> None:
    state.put(Key.SEQUENCE, f"{state.get(Key.SEQUENCE, '')}{letter}"[:_MOST_TOSSES])


def _coin_controls() -> tuple[str | None, list[float]]:
    """Return the sequence (None if it is invalid), and the prior counts."""
    columns = st.columns([4, 3, 3], vertical_alignment="bottom")
    text = columns[0].text_input("Tosses (H, T)", value=_FIRST, max_chars=_MOST_TOSSES, **persistent(Key.SEQUENCE))
    prior = []
    for column, letter in zip(columns[1:], _LETTERS, strict=True):
        name = _COIN_NAMES[letter]
        about = f"α for {name}: the prior counts as much as this many such tosses."
        held = persistent(Key.COIN_PRIOR, letter)
        prior.append(float(column.slider(f"Prior count, {name}", 0.1, 20.0, 1.0, 0.1, **held, help=about)))
    sequence = "".join(str(text).upper().split())
    wrong = sorted(set(sequence) - set(_LETTERS))
    if wrong:
        st.warning(f"'{escaped(wrong[0])}' is not a valid toss: use H or T for each one.")
        return None, prior
    return sequence, prior


def _coin_sentence(found: bn.teaching.DirichletEvidence) -> str:
    """Return the finding in numbers."""
    n, following = len(found.sequence), f"{_COIN_NAMES[_LETTERS[0]]} with probability **{short(found.predictive[0])}**"
    if not n:
        return f"Before any toss, the prior predicts {following}."
    return (
        f"The marginal likelihood of {'this toss' if n == 1 else f'these {n} tosses'} is **{short(found.evidence)}** "
        f"({short(found.log_evidence, 4)} nats); the next toss is {following}."
    )


def factors_figure(found: bn.teaching.DirichletEvidence) -> go.Figure:
    """Draw the chain rule's factors in order."""
    dark, hover = state.dark(), "toss %{x}: %{y:.3f}"
    tosses = np.arange(1, len(found.sequence) + 1)
    factors, states = np.array(found.factors), np.array(found.sequence)
    curves = [Curve("each toss", tosses, factors, faint(dark), mode="lines", hover=hover, in_legend=False)]
    for k, (letter, color) in enumerate(zip(_LETTERS, series(dark)[1:], strict=False)):
        here = states == k
        curves.append(
            Curve(_COIN_NAMES[letter], tosses[here], factors[here], color, mode="markers", hover=hover, size=9)
        )
    return curves_figure(curves, dark, "toss", "probability", height=270, y_range=(0, 1.02))


def density_figure(found: bn.teaching.DirichletEvidence) -> go.Figure:
    """Draw the prior and posterior marginal densities."""
    dark, hover, curves = state.dark(), "%{x:.2f}: %{y:.3g}", []
    for alphas, dash in ((found.prior, "dash"), (found.posterior, "solid")):
        densities = bn.teaching.dirichlet_density(alphas, _GRID)
        for letter, density, color in zip(_LETTERS, densities, series(dark)[1:], strict=False):
            name, solid = _COIN_NAMES[letter], dash == "solid"
            curves.append(Curve(name, _GRID, density, color, dash, "lines", hover, in_legend=solid))
    top = max(6.0, float(densities[:, 20:-20].max()) * 1.1)
    return curves_figure(curves, dark, "probability of the state", "density", height=270, y_range=(0, top))


def formulas(found: bn.teaching.DirichletEvidence) -> None:
    """Show the chain rule and the gamma formula with their numbers."""
    total, value = tex(found.total_prior, 4), tex(found.evidence)
    factors = [
        rf"\frac{{{tex(found.prior[k], 4)}+{seen}}}{{{total}+{t}}}"
        for t, (k, seen) in enumerate(zip(found.sequence[:_MOST_FACTORS], found.seen_before, strict=False))
    ]
    product = r"\cdot ".join(factors) or "1"
    more = r"\cdots" if len(found.sequence) > _MOST_FACTORS else ""
    gammas = r"\cdot ".join(
        rf"\frac{{\Gamma({tex(a, 4)}+{n})}}{{\Gamma({tex(a, 4)})}}"
        for a, n in zip(found.prior, found.counts, strict=True)
    )
    show.formula(
        rf"P(D) = \prod_t \frac{{\alpha_k + n_k}}{{\alpha + t}} = {product} {more} = {value}",
        r"P(D) = \frac{\Gamma(\alpha)}{\Gamma(\alpha+N)}\prod_k \frac{\Gamma(\alpha_k+n_k)}{\Gamma(\alpha_k)} = "
        rf"\frac{{\Gamma({total})}}{{\Gamma({total}+{len(found.sequence)})}}\cdot {gammas} = {value}",
    )
    st.caption(
        "The product does not depend on the order of the tosses. In nats: maximum log-likelihood "
        f"{short(found.log_maximum, 4)}, BIC {short(found.bic, 4)} (penalty "
        f"{short(found.log_maximum - found.bic)}), log marginal likelihood {short(found.log_evidence, 4)}."
    )


# How the learned graph changes with the equivalent sample size.

_SIZE_TICKS = (0.1, 0.3, 1, 3, 10, 30, 100)


def sample_size_section(subject: Subject) -> None:
    """Show the finding, two pictures, the slider, and the graph that it selects."""
    data = subject.data
    found = jobs.complete_result_of(
        "edges by ess",
        (data,),
        lambda progress: bn.teaching.graphs_by_ess(data, progress=progress),
        "equivalent sample sizes",
    )
    if found is None or not found.graphs:
        return
    table = found.table
    first, last = table.iloc[0], table.iloc[-1]
    best = table.loc[table["log_evidence"].idxmax()]
    show.finding(
        f"The graph learned from {subject.title} has **{counted(int(first['edges']), 'edge')}** with an "
        f"equivalent sample size of {short(first['ess'])} and **{counted(int(last['edges']), 'edge')}** with "
        f"{short(last['ess'])}, of {int(last['possible']):,} possible. The data are most probable with "
        f"{short(best['ess'])}."
    )
    ess = float(state.get(Key.SHOWN_ESS) or 1.0)
    by_ess = ess_figure(table, "edges", "edges", ess).update_yaxes(rangemode="tozero")
    side_by_side(
        ("Edges of the learned graph", by_ess, "ess edges"),
        ("Log marginal likelihood of that graph", ess_figure(table, "log_evidence", "nats", ess), "ess evidence"),
    )
    options = {"width": "stretch", **persistent(Key.SHOWN_ESS)}
    st.select_slider("Equivalent sample size, rows", bn.teaching.ESS_GRID, 1.0, **options)
    show.formula(r"\alpha_{jk} = \mathrm{ess}\,/\,(q\,r)")
    if ess not in found.graphs:
        st.info(f"No graph was learned with {short(ess)}: the work was stopped before.")
        return
    here = table[table["ess"] == ess].iloc[0]
    counts = {one: counted(int(here[f"{one}s"]), one) for one in ("edge", "parameter")}
    found_with = {"ess": short(ess), "score": short(here["log_evidence"]), "search": found.graphs[ess].search}
    show.note(WORDS["prior_weight"].format(**counts, **found_with), "prior weight")
    show.network(data, found.graphs[ess].edges, "ess network")


def ess_figure(table: pd.DataFrame, column: str, unit: str, ess: float) -> go.Figure:
    """Draw a column against the equivalent sample size."""
    dark = state.dark()
    curve = Curve(unit, table["ess"], table[column], ink(dark), hover=f"ess %{{x:g}}: %{{y:,.5~g}} {unit}")
    marks = [Mark(ess, short(ess), left=ess > 30)]
    return curves_figure(
        [curve], dark, "equivalent sample size, rows", unit, height=300, log_x=True, marks=marks, ticks=_SIZE_TICKS
    )


# The score as dependence, noise and penalty, family by family; what the likelihood alone would take.

_LEARNED: dict[str, TableScore] = {"BIC": bn.BIC(), "the log-likelihood": bn.LogLikelihood()}
_MOST_PARENTS = 3


def parts_section(subject: Subject) -> None:
    """Show dependence and penalty of each family, of the graph that BIC learns and of an overfitted one."""
    head, picture = st.container(), st.container()
    by_score = computed(parts_of, subject.data)
    fair, fitted = (parts.sum(numeric_only=True) for parts in by_score.values())
    show.finding(
        f"With the log-likelihood instead of BIC, the graph learned from {subject.title} explains "
        f"**{short(fitted['dependence'])} nats** instead of {short(fair['dependence'])}, at a penalty of "
        f"**{short(fitted['penalty'])}** instead of {short(fair['penalty'])}.",
        head,
    )
    chosen = tabs("Learned with", {name: f"Learned with {name}" for name in _LEARNED}, Key.PARTS_OF)
    parts, total = by_score[chosen], by_score[chosen].sum(numeric_only=True)
    alt = "Dependence and penalty of each variable with its parents"
    show.chart(parts_figure(parts, state.dark()), "score parts", alt, picture)
    show.formula(
        r"\mathrm{BIC} = M\sum_i I(X_i;\mathrm{Pa}_i) - M\sum_i H(X_i) - \tfrac12\ln M\,\mathrm{Dim}"
        rf" = {tex(total['dependence'], 5)} - {tex(total['noise'], 5)} - {tex(total['penalty'], 4)} = "
        rf"{tex(total['score'], 5)}\ \text{{nats}}"
    )
    st.caption(WORDS["parts"].format(most_parents=_MOST_PARENTS))
    show.table(parts, {name: name.capitalize() for name in parts} | {"score": "BIC, nats"})


def parts_of(data: bn.Dataset) -> dict[str, pd.DataFrame]:
    """Split BIC of the graphs that hill climbing learns with each score."""
    search = bn.HillClimbing(max_parents=_MOST_PARENTS)
    graphs = {name: bn.learn(data, score, search).edges for name, score in _LEARNED.items()}
    return {name: bn.teaching.decompose(data, edges, bn.BIC()) for name, edges in graphs.items()}


# Score equivalence: X → Y and Y → X, chains and forks; the v-structure is different.

_SCORES = (bn.BIC(), bn.BDeu(1.0), bn.K2Score())
_NAMES = [score.name for score in _SCORES]


def equivalence_section(subject: Subject) -> None:
    """Show the finding, bars, formula and table."""
    data = subject.data
    if data.n_variables < 3:
        st.info("Chains, forks and v-structures need three variables; these data have fewer.")
        return
    head, picture = st.container(), st.container()
    options = {"max_selections": 3, "select_all": False, **persistent(Key.EQUIVALENT, data.digest)}
    dependent = computed(bn.teaching.most_dependent, data, 3)
    names = list(st.multiselect("Three variables", data.names, dependent, **options))
    if len(names) < 3:
        st.info("Choose three variables.")
        return
    table = computed(bn.teaching.equivalence_table, data, names, _SCORES)
    letters = dict(zip(bn.teaching.small_graphs(names), bn.teaching.small_graphs(("X", "Z", "Y")), strict=True))
    table = table.assign(graph=table["graph"].map(letters))
    x, z, y = map(escaped, names)
    show.finding(f"X: {x}, Z: {z}, Y: {y}. {_equivalence_sentence(table)}", head)
    alt = "How far each graph's score lies below the best"
    show.chart(behind_figure(table, _NAMES, state.dark()), "equivalent bars", alt, picture)
    show.formula(
        r"X\to Z\to Y \;\equiv\; X\gets Z\gets Y \;\equiv\; X\gets Z\to Y: \quad X\perp Y\mid Z",
        r"X\to Z\gets Y: \quad X\perp Y",
    )
    st.caption(
        f"X: {x}; Z, the second one, in the middle: {z}; Y: {y}. Equivalent graphs join the same pairs, have "
        "the same v-structures and represent the same distributions; BIC and BDeu give them equal scores, K2 does not."
    )
    titles: dict[str, str | None] = {f"{name} behind": None for name in _NAMES}
    titles |= {"graph": "Graph", "equivalence_class": "Equivalence class", "v_structure": "v-structure"}
    show.table(table, titles | {name: f"{name}, nats" for name in _NAMES})


def _equivalence_sentence(table: pd.DataFrame) -> str:
    """Return which graphs score alike, and by how much the others differ."""
    graphs = [escaped(graph) for graph in table["graph"]]
    spread = bn.teaching.spread_within_classes(table, _NAMES)
    same = f"BIC and BDeu give equivalent graphs the same score; K2's differ by **{short(spread['K2'])} nats**"
    lead = float(table["BDeu(1)"].iloc[3] - table["BDeu(1)"].iloc[0])
    word = "better" if lead > 0 else "worse"
    return f"{same}. The v-structure {graphs[3]} is **{short(abs(lead))} nats** {word} under BDeu(1)."


# BDeu and BIC with a growing number of rows, and whether the true graph wins.

_NETWORKS = ("survey", "cancer", "earthquake", "asia", "sachs")
_SIZES = (20, 50, 100, 200, 300, 500, 1000, 2000, 3000, 5000, 10_000)
_ESS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_TICKS = (20, 100, 300, 1000, 3000, 10_000)
_REPEATS = 10
_WRONG = ("one spurious edge", "one missing edge")


def growth_section(subject: Subject) -> None:
    """Show the finding, two pictures, the controls, and the theory."""
    head, pictures = st.container(), st.container()
    left, right = st.columns(2)
    name = choice("Network", {name: name.upper() for name in _NETWORKS}, Key.GROWTH_NETWORK, left)
    ess = float(right.select_slider("Equivalent sample size, rows", _ESS, 1.0, **persistent(Key.GROWTH_ESS)))
    network, seed = bn.load_network(name), subject.experiment.seed
    graphs = bn.teaching.graphs_around(network)
    table = computed(bn.teaching.score_growth, network, graphs, _SIZES, ess, _REPEATS, seed)
    show.finding(_growth_sentence(table, name), head)
    with pictures:
        side_by_side(
            ("Score minus the true graph's (dotted: BIC)", consistency_figure(table), "growth ahead"),
            (f"BDeu({ess:g}) − BIC of the same graph", difference_figure(table), "growth difference"),
        )
    show.formula(
        r"\ln P(D\mid G) = \ln L_{\max} - \tfrac{|\theta|}{2}\ln N + O(1) = \mathrm{BIC} + O(1)",
        r"\text{spurious edge: } \approx -\tfrac{\Delta|\theta|}{2}\ln N",
        r"\text{missing edge: } \approx -N\cdot I + \tfrac{\Delta|\theta|}{2}\ln N",
    )
    zeros, added_or_lost = bn.teaching.n_impossible(network), (_difference(graphs, wrong) for wrong in _WRONG)
    are = {"n": counted(zeros, "probability"), "are": "is" if zeros == 1 else "are"}
    why = WORDS["zeros"].format(**are) if zeros else WORDS["no_zeros"]
    means = f"Means over {_REPEATS} samples from {name.upper()}; seed {seed}."
    show.note(f"{means} {' '.join(added_or_lost)} {why}", "zeros")


def _difference(graphs: dict[str, list[tuple[str, str]]], wrong: str) -> str:
    """Name the edge in which a wrong graph differs from the true one."""
    ((parent, child),) = set(graphs[wrong]) ^ set(graphs["true graph"])
    return f"{wrong.capitalize()}: {escaped(parent)} → {escaped(child)}."


def _growth_sentence(table: pd.DataFrame, name: str) -> str:
    """Return from how many rows on the true graph wins against both others."""
    winning = bn.teaching.rows_until_first_wins(table)
    true = table[table["graph"] == "true graph"]["bdeu_minus_bic"]
    start = (
        f"From **{winning:,} rows** on, the true graph of {escaped(name.upper())} scores higher than both wrong ones"
        if winning
        else f"**{_SIZES[-1]:,} rows** are too few for the true graph of {escaped(name.upper())} to win"
    )
    return (
        f"{start}; its BDeu − BIC is {short(true.iloc[-2])} nats with {_SIZES[-2]:,} rows and "
        f"{short(true.iloc[-1])} with {_SIZES[-1]:,}."
    )


def consistency_figure(table: pd.DataFrame) -> go.Figure:
    """Draw each wrong graph's lead over the true one; what falls out of the frame has lost."""
    dark, hover = state.dark(), "%{x:,} rows: %{y:.3~g} nats"
    curves = []
    for graph, color in zip(_WRONG, series(dark)[1:], strict=False):
        part = table[table["graph"] == graph]
        for key, dash in (("bdeu_ahead", "solid"), ("bic_ahead", "dot")):
            solid = dash == "solid"
            curves.append(Curve(graph, part["rows"], part[key], color, dash, hover=hover, in_legend=solid))
    figure = curves_figure(
        curves, dark, "number of rows", "nats", height=310, log_x=True, y_range=(-30, 15), level=0.0, ticks=_TICKS
    )
    for y, text in ((0.99, "wrong graph ahead"), (0.03, "true graph ahead")):
        figure.add_annotation(x=0.02, y=y, xref="paper", yref="paper", text=text, showarrow=False)
    return figure


def difference_figure(table: pd.DataFrame) -> go.Figure:
    """Draw BDeu - BIC of each graph."""
    dark = state.dark()
    curves = [
        Curve(str(graph), part["rows"], part["bdeu_minus_bic"], color, hover="%{x:,} rows: %{y:.3~g} nats")
        for (graph, part), color in zip(table.groupby("graph", sort=False), series(dark), strict=False)
    ]
    return curves_figure(curves, dark, "number of rows", "nats", height=310, log_x=True, level=0.0, ticks=_TICKS)
