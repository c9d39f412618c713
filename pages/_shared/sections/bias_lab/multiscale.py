"""The multiscale bootstrap: naive, corrected once and approximately unbiased probability of an edge on one line."""

from typing import NamedTuple

import numpy as np
import streamlit as st

import bnengine as bn
from bnengine._core.parallel import Progress
from bnengine._core.shared_progress import shared_progress
from bnengine.teaching.multiscale import SCALES, MultiscaleBootstrap
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.multiscale import NAMES, multiscale_figure
from pages._shared.format import escaped, gathered, plus_minus, short, tex
from pages._shared.jobs import running
from pages._shared.sections.bias_lab.controls import rows_control, sample_control
from pages._shared.sections.bias_lab.true_network import TrueNetwork, network_control, true_network
from pages._shared.session import Key
from pages._shared.widgets.choice import choice

_ROWS = (50, 100, 200, 500, 1000, 2000)
_N, _FRESH = 200, 400


class Measured(NamedTuple):
    """The multiscale bootstrap of one sample, and the share of fresh samples from which each edge is learned."""

    made: MultiscaleBootstrap
    pi: np.ndarray
    n_fresh: int
    status: str


def section() -> None:
    """One line through the scales of one edge, and its values at three variances."""
    top = st.container()
    columns = st.columns([3, 3, 3, 4], gap="medium")
    name = network_control(columns[0])
    n_rows = rows_control(Key.LAB_MULTISCALE_ROWS, _ROWS, columns[1])
    sample = sample_control(columns[2])
    picture = st.container()
    with picture:
        truth = true_network(name)
        if truth is None:
            return
        found = running.at_once(
            "multiscale",
            f"{truth.key} {n_rows} {sample}",
            lambda tell: measured(truth, n_rows, sample, tell),
            "samples",
        )
    if found is None:
        return
    edges = fitted_edges(found.made)
    if not edges:
        show.finding("No edge has a share other than 0 and 1 at four scales or more: the line cannot be drawn.", top)
        return
    chosen = choice("Edge", list(edges), Key.LAB_MULTISCALE_EDGE, columns[3])
    i, j = edges[chosen]
    with picture:
        alt = "Normal quantile of an edge's share against the variance of the resamples, with a line"
        show.chart(multiscale_figure(found.made, i, j, session.dark()), "lab_multiscale", alt)
    show.finding(sentence(found, i, j, str(chosen)), top)
    explanation(found, truth, i, j)
    table = found.made.table()
    take_away(
        ("All edges", table, "multiscale.csv"),
        code=truth.code + f"\ndata = truth.sample({n_rows}, rng={sample})\n"
        f"made = bn.teaching.multiscale_bootstrap(data, bn.BIC(), bn.HillClimbing(), {_N}, kind='adjacency', "
        f"rng={sample})\nprint(made.table())\n",
    )


def measured(truth: TrueNetwork, n_rows: int, sample: int, tell: Progress) -> Measured:
    """The multiscale bootstrap of a sample, and π from fresh samples."""
    data = truth.network.sample(n_rows, rng=sample)
    scaled, fresh = shared_progress(tell, [_N * (len(SCALES) + 1), _FRESH])
    learning = (data, bn.BIC(), bn.HillClimbing())
    made = bn.teaching.multiscale_bootstrap(*learning, _N, rng=sample, progress=scaled, kind="adjacency")
    if made.status == "stopped":
        return Measured(made, np.full(made.naive.shape, np.nan), 0, "stopped")
    again = bn.resample(*learning, bn.ParametricBootstrap(_FRESH, truth.network), rng=sample, progress=fresh)
    return Measured(made, again.adjacency_confidence, again.n_graphs, again.status)


def fitted_edges(made: MultiscaleBootstrap) -> dict[str, tuple[int, int]]:
    """Adjacencies to which a line was fitted, by their names; those most affected by the correction first."""
    pairs = np.argwhere(np.triu(made.fitted, 1))
    change = np.abs(made.naive - made.corrected_once)
    pairs = pairs[np.argsort(-change[pairs[:, 0], pairs[:, 1]], kind="stable")]
    return {f"{made.names[i]} – {made.names[j]}": (int(i), int(j)) for i, j in pairs}


def sentence(found: Measured, i: int, j: int, edge: str) -> str:
    """The three numbers, and π."""
    naive, once, unbiased = (short(float(p)) for p in found.made.probabilities[:, i, j])
    text = f"{escaped(edge)}: naive **{naive}**, corrected once **{once}**, approximately unbiased **{unbiased}**"
    if found.n_fresh:
        text += f"; learned from **{short(100 * float(found.pi[i, j]))}%** of {found.n_fresh:,} fresh samples (π)"
    return f"{text}."


def explanation(found: Measured, truth: TrueNetwork, i: int, j: int) -> None:
    """What the line is, what its three values answer, and the formulas with numbers."""
    made = found.made
    v, c = float(made.distance[i, j]), float(made.curvature[i, j])
    errors = ", ".join(
        f"{name} {plus_minus(float(p), float(e), 2)}"
        for name, p, e in zip(NAMES, made.probabilities[:, i, j], made.errors[:, i, j], strict=True)
    )
    show.note(
        f"Resamples of half to one and a half times N rows, {_N} of each, are scored as if they had N rows: then the "
        "same shares give the same graph at each size, and only their variance about the data changes. The share of "
        "graphs with the adjacency, as a normal quantile, lies on a line. At variance 1 it is the naive bootstrap; "
        "at 0, without the variance that resampling adds, what the corrected bootstrap is after; at −1, the "
        "p-value of the hypothesis that the adjacency is found from the true distribution. The last answers another "
        f"question than π. Rows from {truth.title}; BIC, hill climbing. With standard errors: {errors}.",
        "multiscale",
    )
    st.latex(
        gathered(
            r"z(\sigma^2) = v + c\,\sigma^2,\qquad "
            rf"v = {tex(v)},\ c = {tex(c)}",
            r"\Phi(-(v+c)),\qquad \Phi(-v),\qquad \Phi(-(v-c))",
        )
    )
