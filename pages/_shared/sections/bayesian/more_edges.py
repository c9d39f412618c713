"""Overfitting: the maximum likelihood never falls with more edges; the probability of test rows does."""

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.curves import Curve, Mark, curves_figure
from pages._shared.figures.palette import series
from pages._shared.format import counted, tex
from pages._shared.jobs import running
from pages._shared.session import Key, kept

_MOST_EDGES = 120


def fitted(data: bn.Dataset, share: float, ess: float, seed: int) -> bn.teaching.FitPath | None:
    """Return the fit to training and test rows by number of edges, from a job; None while the page waits."""
    train, test = bn.teaching.split_rows(data, share, seed)
    return running.at_once(
        "fit by edges",
        f"{session.data.key()} {share!r} {ess!r} {seed}",
        lambda tell: bn.teaching.fit_path(train, test, ess, most_edges=_MOST_EDGES, progress=tell),
        "edges added",
    )


def section(data: bn.Dataset) -> None:
    """Show the finding, the picture, the controls, and the formula."""
    if data.n_rows < 2:
        st.info("Overfitting needs at least two rows, one to learn from and one to test on.")
        return
    head, picture = st.container(), st.container()
    columns = st.columns(3)
    share = float(columns[0].slider("Share of training rows", 0.1, 0.9, 0.5, 0.05, **kept(Key.EDGES_SHARE)))
    ess = float(
        columns[1].select_slider(
            "Equivalent sample size, rows",
            (0.1, 0.3, 1.0, 3.0, 10.0),
            1.0,
            **kept(Key.EDGES_ESS),
            help="Prior counts for the test rows.",
        )
    )
    seed = int(columns[2].number_input("Seed of the split", 0, 10_000, 0, **kept(Key.EDGES_SEED)))
    with picture:
        path = fitted(data, share, ess, seed)
    if path is None:
        return
    table, last = path.table, path.table.iloc[-1]
    best, by_bic = int(table["held_out"].idxmax()), int(table["bic"].idxmax())
    show.finding(
        f"Test rows of {session.data.title()} are predicted best with **{counted(best, 'edge')}** and BIC selects "
        f"**{by_bic}**; the training likelihood never falls up to {last['edges']}.",
        head,
    )
    show.chart(fit_figure(table, best, by_bic), "edges fit", "Fit to training and test rows by edges", picture)
    show.formula(
        r"\ln L_{\max}(G + \text{edge}) - \ln L_{\max}(G) = N\,\hat I(X;\,Y\mid \mathrm{Pa}_X) \ge 0: \quad "
        rf"{tex(table['train'].iloc[0], 4)} \to {tex(last['train'], 4)}\ \text{{nats per row}}"
    )
    st.caption(
        f"Edges are added greedily by training likelihood, with at most five parents per variable. With "
        f"{counted(int(last['edges']), 'edge')}, the maximum-likelihood network gives "
        f"{counted(int(last['impossible']), 'test row')} probability 0; the curve of the test rows therefore uses "
        "probabilities smoothed by prior counts."
    )
    csv_button("Fit by edges", table, "fit_by_edges.csv")


def fit_figure(table: pd.DataFrame, best: int, by_bic: int) -> go.Figure:
    """Draw the training, test and BIC curves; BIC may leave the frame at the bottom."""
    dark, hover = session.dark(), "edges: %{x}<br>%{y:.4~g} nats per row"
    columns = (
        ("training rows, log-likelihood", "train", "solid"),
        ("test rows, log-probability", "held_out", "solid"),
        ("training rows, BIC", "bic", "dot"),
    )
    curves = [
        Curve(name, table["edges"], table[column], color, dash, hover=hover)
        for (name, column, dash), color in zip(columns, series(dark), strict=False)
    ]
    fit = table[["train", "held_out"]].to_numpy()
    room = 0.12 * float(fit.max() - fit.min()) or 1.0  # of a single graph, where the work was stopped
    first = by_bic < best  # the labels stand on the outside
    marks = [Mark(best, f"best for test rows: {best}", left=not first)]
    if by_bic != best:
        marks.append(Mark(by_bic, f"best BIC: {by_bic}", left=first))
    y_range = (float(fit.min()) - room, float(fit.max()) + room)
    return curves_figure(curves, dark, "edges", "nats per row", height=360, marks=marks, y_range=y_range)
