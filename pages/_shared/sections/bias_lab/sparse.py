"""Why half of |θ| corrects too much if tables are sparse."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.sparse import added_by_count_figure, added_by_rows_figure
from pages._shared.format import counted, gathered, short, tex
from pages._shared.jobs import running
from pages._shared.section import side_by_side
from pages._shared.sections.bias_lab.controls import ROWS, rows_control, sample_control
from pages._shared.sections.bias_lab.true_network import network_control, true_network
from pages._shared.session import Key

_COUNTS = 20  # largest count of the left picture


def section() -> None:
    """Show what bootstrapping adds to the fit, by count, by number of rows and by family, and the formula."""
    top = st.container()
    columns = st.columns(3, gap="medium")
    name = network_control(columns[0])
    n_rows = rows_control(Key.LAB_SPARSE_ROWS, ROWS, columns[1])
    sample = sample_control(columns[2])
    pictures = st.container()
    with pictures:
        truth = true_network(name)
        if truth is None:
            return
        tables = running.at_once(
            "sparse",
            f"{truth.key} {n_rows} {sample}",
            lambda tell: worked_out(truth.network, n_rows, sample),
            "tables done",
        )
        if tables is None:
            return
        by_count, by_rows, by_family = tables
        side_by_side(
            ("Added to one count", added_by_count_figure(by_count, session.dark()), "lab_added_by_count"),
            ("Added to the network's fit", added_by_rows_figure(by_rows, n_rows, session.dark()), "lab_added_by_rows"),
        )
    line = by_rows.set_index("n_rows").loc[n_rows]
    empty, cells = int(line["empty_cells"]), int(line["cells"])
    show.finding(
        f"Bootstrapping {n_rows:,} rows of {truth.title} adds **{short(line['exact'])} nats** to the fit; the formula "
        f"½|θ| gives **{short(line['leading'])}**. Of {counted(cells, 'cell')}, {empty:,} have no rows.",
        top,
    )
    st.caption(
        "Left: the mean that bootstrapping adds to the term of one count n, exact: nothing for an empty cell, slightly "
        "more than half a nat for a few rows, then (1 − n/N)/2. Right: the sum over the cells of the true graph, minus "
        "that over its parent configurations, for one growing sample. ½|θ| assumes that no cell is empty. Half of the "
        "observed cells comes close; the rest is due to counts of a few rows. Impossible cells stay empty for any "
        "number of rows."
    )
    pictures.latex(
        gathered(
            r"b(n) = \mathbb{E}\,\nu\ln\nu - n\ln n,",
            r"\nu\sim\mathrm{Binomial}(N,\,n/N)",
            r"\langle\ell\rangle_b - \ell = \textstyle\sum_{ijk} b(n_{ijk}) - \sum_{ij} b(n_{ij})",
            rf"= {tex(line['exact'])}\ \text{{nats}},\qquad \tfrac12|\theta| = {tex(line['leading'])}",
            rf"\tfrac12\,\text{{(observed cells}} - \text{{configurations)}} = {tex(line['observed'])}",
        )
    )
    show.table(
        by_family,
        {
            "variable": "Variable",
            "parents": "Parents",
            "parameters": "Free parameters",
            "cells": "Cells",
            "empty_cells": "Empty cells",
            "leading": "½|θ|, nats",
            "observed": "½ observed, nats",
            "exact": "Exact, nats",
        },
    )
    take_away(
        ("By number of rows", by_rows, "bootstrap_bias_by_rows.csv"),
        ("By family", by_family, "bootstrap_bias_by_family.csv"),
        ("By count", by_count, "bootstrap_bias_by_count.csv"),
        code=truth.code + f"table = bn.teaching.bias_by_rows(truth, {list(ROWS)}, rng={sample})\n"
        f"rows = truth.sample({max(ROWS)}, {sample}).take(range({n_rows}))\n"
        "families = bn.teaching.bias_by_family(rows, truth.edges)\n"
        "print(table, families)\n",
    )


def worked_out(truth: bn.BayesianNetwork, n_rows: int, sample: int) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return the tables by count, by number of rows and by family."""
    rows = truth.sample(max(ROWS), sample).take(range(n_rows))
    return (
        bn.teaching.bias_by_count(n_rows, _COUNTS),
        bn.teaching.bias_by_rows(truth, ROWS, sample),
        bn.teaching.bias_by_family(rows, truth.edges),
    )
