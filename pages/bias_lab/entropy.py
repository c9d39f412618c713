"""The bias of the entropy, its correction, sparse tables, and spurious dependence."""

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.plots import lessons as figures
from bnengine.typing import FloatArray
from pages.bias_lab.fit import network_control
from pages.bias_lab.statistic import ROWS, distribution_controls, rows_control, sample_control
from pages.shared import jobs, show, state
from pages.shared.format import counted, difference_in_tex, percent, plus_minus, short, tex
from pages.shared.keys import Key
from pages.shared.lessons import Subject, computed, side_by_side
from pages.shared.widgets.choice import choice, tabs
from pages.shared.words import BIAS_LAB as WORDS

BIAS, SCALED = "Bias", "Bias × N"


def entropy_section(_: Subject) -> None:
    """Draw a sample from a distribution; show how much lower the entropy of its replicates is."""
    top = st.container()
    n_states, n_rows, skew, sample = distribution_controls()
    scaled = tabs("Vertical axis", (BIAS, SCALED), Key.LAB_SCALE, first=BIAS) == SCALED
    probabilities = bn.teaching.skewed_distribution(n_states, skew)
    table = computed(bn.teaching.entropy_bias_by_size, probabilities, ROWS, rng=sample)
    line = table[table["n_rows"] == n_rows].iloc[0]
    show.finding(
        f"The entropy of {n_rows:,} rows is {short(line['plugin'])} nats. That of their bootstrap replicates is "
        f"**{short(-line['exact'])} nats lower** on average; (|X| − 1) / 2N gives "
        f"{short(-line['leading'])}. The fit of all rows gains N times as much, about "
        f"{short(-line['leading'] * n_rows)} nats: **this does not go away with N**.",
        top,
    )
    pictures = st.container()
    with pictures:
        left, right = st.columns([2, 5], gap="medium")
        alt = "Probability of each state, and its shares in the sample and in one replicate"
        bars = figures.distribution_figure(probabilities, line["counts"], line["replicate"], state.dark())
        show.chart(bars, "lab_distribution", alt, left)
        alt = "Bias of the entropy against the number of rows, four ways"
        show.chart(figures.bias_by_size_figure(table, n_rows, scaled, state.dark()), "lab_bias_by_size", alt, right)
    st.caption(WORDS["entropy"])
    with pictures:
        formulas(line, n_states)


def formulas(line: "pd.Series[float]", n_states: int) -> None:
    """Show Eq. 3 and Eq. 4 with this sample's numbers."""
    n = int(line["n_rows"])
    seen = sum(count > 0 for count in line["counts"])
    show.formula(
        r"\langle T\rangle_b - T(D) = \sum_x \mathbb{E}\!\left[-\tfrac{\nu_x}{N}\ln\tfrac{\nu_x}{N}\right] - T(D)",
        r"\nu_x\sim\mathrm{Binomial}(N,\, n_x/N)",
        rf"{difference_in_tex(line['plugin'], line['exact'])}\ \text{{nats}}",
        rf"\approx -\frac{{|\mathcal X|-1}}{{2N}} = -\frac{{{n_states}-1}}{{2\cdot {n}}} "
        rf"= {tex(line['leading'])}",
        rf"\text{{observed states: }} -\frac{{{seen}-1}}{{2\cdot {n}}} = {tex(line['observed'])}",
    )


# The corrected entropy compared with the truth.

_SAMPLES = 400


def estimates_section(_: Subject) -> None:
    """Show the bias and the spread of each estimate over repeated samples."""
    top = st.container()
    n_states, n_rows, skew, sample = distribution_controls()
    probabilities = bn.teaching.skewed_distribution(n_states, skew)
    made = computed(bn.teaching.repeated_entropy, probabilities, n_rows, _SAMPLES, rng=sample)
    table = made.table().set_index("estimator")
    show.finding(
        f"With {n_rows:,} rows, the bias of the plug-in entropy is **{short(table['bias']['plug-in'])} nats**; "
        f"corrected once, it is **{short(table['bias']['corrected'])}**, corrected twice "
        f"**{short(table['bias']['corrected twice'])}**. That of a bootstrap replicate is "
        f"{short(table['bias']['bootstrap'])}.",
        top,
    )
    picture = st.container()
    alt = "Estimates of the entropy from repeated samples, minus the truth"
    show.chart(figures.estimates_figure(made, state.dark()), "lab_estimates", alt, picture)
    st.caption(WORDS["estimates"].format(samples=_SAMPLES, truth=short(made.truth)))
    show.table(table.reset_index(), WORDS["estimates_titles"], decimals=4)
    bias = {name: tex(value) for name, value in table["bias"].items()}
    show.formula(
        r"T_{BC} = 2\,T(D) - \langle T\rangle_b",
        rf"\mathbb{{E}}\,T_{{BC}} - H(p) = 2\cdot({bias['plug-in']}) - ({bias['bootstrap']})",
        rf"= {bias['corrected']}",
        r"T_{BC}^{(2)} = 3\,T(D) - 3\,\langle T\rangle_b + \langle\langle T\rangle\rangle_{bb}",
        rf"\mathbb{{E}}\,T_{{BC}}^{{(2)}} - H(p) = {bias['corrected twice']}",
        place=picture,
    )
    once, twice = computed(iterated, probabilities, n_rows, sample)
    show.note(
        "Exact: a count n becomes Binomial(N, n/N) in a replicate. For other statistics, replicates of replicates are "
        f"drawn: {_CHAINS:,} from one sample correct its entropy once to {plus_minus(*once)} nats and twice to "
        f"{plus_minus(*twice)}.",
        "iterated",
    )


_CHAINS = 1000


def iterated(probabilities: FloatArray, n_rows: int, sample: int) -> list[tuple[float, float]]:
    """Correct the entropy of one sample once and twice, each with its Monte Carlo error."""
    rows = np.random.default_rng(sample).choice(len(probabilities), n_rows, p=probabilities)
    made = bn.teaching.iterated_bootstrap(rows, lambda drawn: bn.teaching.plugin_entropy(np.bincount(drawn)), n=_CHAINS)
    return [*made.table()[["value", "standard_error"]].itertuples(index=False, name=None)][1:]


# Why half of |θ| corrects too much if tables are sparse.

_COUNTS = 20  # largest count of the left picture


def sparse_section(_: Subject) -> None:
    """Show what bootstrapping adds to the fit, by count, by number of rows and by family, and the formula."""
    top = st.container()
    columns = st.columns(3, gap="medium")
    title, network = network_control(columns[0])
    n_rows = rows_control(Key.LAB_SPARSE_ROWS, ROWS, columns[1], 200)
    sample = sample_control(columns[2])
    pictures = st.container()
    with pictures:
        tables = jobs.complete_result_of(
            "sparse", (network, n_rows, sample), lambda progress: compute_tables(network, n_rows, sample), "tables done"
        )
        if tables is None:
            return
        by_count, by_rows, by_family = tables
        dark = state.dark()
        of_rows = figures.added_by_rows_figure(by_rows, n_rows, dark)
        side_by_side(
            ("Added to one count", figures.added_by_count_figure(by_count, dark), "lab_added_by_count"),
            ("Added to the network's fit", of_rows, "lab_added_by_rows"),
        )
    line = by_rows.set_index("n_rows").loc[n_rows]
    empty, cells = int(line["empty_cells"]), int(line["cells"])
    show.finding(
        f"Bootstrapping {n_rows:,} rows of {title} adds **{short(line['exact'])} nats** to the fit; the formula "
        f"½|θ| gives **{short(line['leading'])}**. Of {counted(cells, 'cell')}, {empty:,} have no rows.",
        top,
    )
    st.caption(WORDS["sparse"])
    show.formula(
        r"b(n) = \mathbb{E}\,\nu\ln\nu - n\ln n,",
        r"\nu\sim\mathrm{Binomial}(N,\,n/N)",
        r"\langle\ell\rangle_b - \ell = \textstyle\sum_{ijk} b(n_{ijk}) - \sum_{ij} b(n_{ij})",
        rf"= {tex(line['exact'])}\ \text{{nats}},\qquad \tfrac12|\theta| = {tex(line['leading'])}",
        rf"\tfrac12\,\text{{(observed cells}} - \text{{configurations)}} = {tex(line['observed'])}",
        place=pictures,
    )
    show.table(by_family, WORDS["sparse_titles"])


def compute_tables(
    truth: bn.BayesianNetwork, n_rows: int, sample: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the tables by count, by number of rows and by family."""
    rows = truth.sample(max(ROWS), sample).take(range(n_rows))
    return (
        bn.teaching.bias_by_count(n_rows, _COUNTS),
        bn.teaching.bias_by_rows(truth, ROWS, sample),
        bn.teaching.bias_by_family(rows, truth.edges),
    )


# Dependence that resampling creates where there is none.

#: All data sets, or those in which the test finds dependence.
ALL_TABLES, FOUND = "All data sets", "Those found dependent"
_ARITIES = ((2, 2), (2, 3), (3, 3), (3, 4), (4, 4), (5, 5))


def spurious_section(_: Subject) -> None:
    """Show G² of independent variables."""
    top = st.container()
    columns = st.columns(3, gap="medium", vertical_alignment="bottom")
    titles = {arities: f"{arities[0]} and {arities[1]}" for arities in _ARITIES}
    n_states = choice("States of the two variables", titles, Key.LAB_ARITIES, columns[0], first=(3, 3))
    n_rows = rows_control(Key.LAB_PAIR_ROWS, ROWS, columns[1], 200)
    sample = sample_control(columns[2])
    made = computed(bn.teaching.spurious_dependence, n_states, n_rows, rng=sample)
    table = made.table().set_index("rows")
    means, share = table["mean_g_squared"], table["found_dependent"]
    offered = (ALL_TABLES, FOUND) if share["data"] else (ALL_TABLES,)
    of_all = tabs("Data sets", offered, Key.LAB_FOUND, first=ALL_TABLES) == ALL_TABLES
    shown = made if of_all else made.where_found()
    show.finding((_twice if of_all else _again)(shown, share["data"], n_states, sample), top)
    picture = st.container()
    alt = "Histograms of G² in data sets and in bootstrap replicates, with chi-square densities"
    show.chart(figures.g_squared_figure(shown, state.dark(), of_all), "lab_g_squared", alt, picture)
    st.caption(WORDS["spurious"].format(sets=counted(made.in_data.size, "data set"), n_rows=n_rows))
    freedom = made.freedom
    seen = {name: tex(value) for name, value in means.items()}
    show.formula(
        r"G^2 = 2N\,I(X;Y)",
        rf"\mathbb{{E}}_D\,G^2 \approx (r-1)(c-1) = {freedom}\quad(\text{{observed }} {seen['data']})",
        rf"\mathbb{{E}}_b\,G^2 \approx 2\,(r-1)(c-1) = {2 * freedom}\quad(\text{{observed }} {seen['bootstrap']})",
        place=picture,
    )


def _twice(made: bn.teaching.SpuriousDependence, _: float, n_states: tuple[int, int], sample: int) -> str:
    """Return how much larger G² is in replicates, and that it is as much larger with many rows."""
    many = computed(bn.teaching.spurious_dependence, n_states, ROWS[-1], rng=sample)
    means, far = (one.table()["mean_g_squared"] for one in (made, many))
    share = made.found_dependent()
    return (
        f"The mean G² of two independent variables is **{short(means[0])}** in data sets and **{short(means[1])}** in "
        f"their replicates; a test at the 5% level rejects independence in {percent(share[0])} of the data sets and "
        f"{percent(share[1])} of the replicates. With {ROWS[-1]:,} rows the means are {short(far[0])} and "
        f"{short(far[1])}: this bias **does not go away with N**."
    )


def _again(found: bn.teaching.SpuriousDependence, share: float, *_: object) -> str:
    """Return how often the replicates repeat what was found by chance."""
    return (
        f"A test at the 5% level rejects independence by chance in {percent(share)} of the data sets, and again in "
        f"**{percent(found.found_dependent()[1])}** of their replicates: **found again, and yet not real**."
    )
