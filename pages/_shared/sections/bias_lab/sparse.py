"""Why half of |θ| charges too much where tables are sparse."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.sparse import added_by_count_figure, added_by_rows_figure
from pages._shared.format import counted, gathered, short, tex
from pages._shared.jobs import running
from pages._shared.sections.bias_lab.controls import ROWS, sample_control
from pages._shared.sections.bias_lab.likelihood import (
    network_code,
    network_control,
    network_key,
    network_title,
    the_network,
)
from pages._shared.session import Key, kept

_COUNTS = 20  # largest count of the left picture


def section() -> None:
    """What bootstrapping adds to the fit, by count, by rows and by family, beside the formula."""
    top, pictures = st.container(), st.container()
    columns = st.columns(3, gap="medium")
    data, _problem = session.data.dataset()
    with columns[0]:
        name = network_control(data)
    n_rows = int(columns[1].select_slider("rows N", ROWS, **kept(Key.LAB_SPARSE_ROWS), format_func=lambda n: f"{n:,}"))
    with columns[2]:
        sample = sample_control()
    with pictures:
        truth = the_network(name, data)
        tables = None if truth is None else worked_out(name, truth, n_rows, sample)
        if tables is None:
            return
        by_count, by_rows, by_family = tables
        draw(by_count, by_rows, n_rows)
    line = by_rows.set_index("n_rows").loc[n_rows]
    show.finding(
        f"{n_rows:,} rows of {network_title(name)}: ½|θ| charges **{short(line['leading'])} nats**, bootstrapping "
        f"adds **{short(line['exact'])}**. {int(line['empty_cells']):,} of {counted(int(line['cells']), 'cell')} have "
        "no rows, and no resample has any there.",
        top,
    )
    st.caption(
        "Left: what bootstrapping adds on average to one count n, exactly: nothing if there are no rows, a little over "
        "half a nat for a few, then (1 − n/N)/2. Right: summed over the cells of the network's own graph, less the "
        "parent configurations, for one growing sample. Half of |θ| takes all cells for filled. "
        "Half of those that are observed is near; what remains are counts of a few rows. Impossible "
        "cells stay empty however many rows come."
    )
    formulas(line)
    show.table(
        by_family,
        {"empty_cells": "empty cells", "leading": "½|θ|, nats", "observed": "½ observed, nats", "exact": "exact, nats"},
    )
    take_away(
        ("By rows", by_rows, "bootstrap_bias_by_rows.csv"),
        ("By family", by_family, "bootstrap_bias_by_family.csv"),
        ("By count", by_count, "bootstrap_bias_by_count.csv"),
        code=network_code(name) + f"table = bn.teaching.bias_by_rows(truth, {list(ROWS)}, rng={sample})\n"
        f"rows = truth.sample({max(ROWS)}, {sample}).take(range({n_rows}))\n"
        "families = bn.teaching.bias_by_family(rows, truth.edges)\n"
        "print(table, families)\n",
    )


def worked_out(
    name: str, truth: bn.BayesianNetwork, n_rows: int, sample: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame] | None:
    """The three tables, by a job: the first one compiles."""

    def work(tell: object) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
        rows = truth.sample(max(ROWS), sample).take(range(n_rows))
        return (
            bn.teaching.bias_by_count(n_rows, _COUNTS),
            bn.teaching.bias_by_rows(truth, ROWS, sample),
            bn.teaching.bias_by_family(rows, truth.edges),
        )

    return running.at_once("sparse", f"{network_key(name)} {n_rows} {sample}", work, "tables done")


def draw(by_count: pd.DataFrame, by_rows: pd.DataFrame, n_rows: int) -> None:
    """Both pictures."""
    left, right = st.columns(2, gap="medium")
    show.chart(
        added_by_count_figure(by_count, session.dark()),
        "lab_added_by_count",
        "What bootstrapping adds to a count, against the count",
        left,
    )
    show.chart(
        added_by_rows_figure(by_rows, n_rows, session.dark()),
        "lab_added_by_rows",
        "Half of the parameters and what bootstrapping adds exactly, against the number of rows",
        right,
    )


def formulas(line: "pd.Series[float]") -> None:
    """The exact sum and the formula with this sample's numbers."""
    st.latex(
        gathered(
            r"b(n) = \mathbb{E}\,\nu\ln\nu - n\ln n,",
            r"\nu\sim\mathrm{Binomial}(N,\,n/N)",
            r"\langle\ell\rangle_b - \ell = \textstyle\sum_{ijk} b(n_{ijk}) - \sum_{ij} b(n_{ij})",
            rf"= {tex(line['exact'])}\ \text{{nats}},\qquad \tfrac12|\theta| = {tex(line['leading'])}",
            rf"\tfrac12\,\text{{(observed cells}} - \text{{configurations)}} = {tex(line['observed'])}",
        )
    )
