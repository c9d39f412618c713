"""Training and test log-likelihood, and the bootstrap's estimate of the gap (Section 4 of the paper)."""

import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.likelihood import gap_figure, training_and_test_figure
from pages._shared.format import counted, gathered, short, tex
from pages._shared.jobs import running
from pages._shared.section import side_by_side
from pages._shared.sections.bias_lab.controls import ess_control
from pages._shared.sections.bias_lab.true_network import network_control, true_network

_SIZES = (50, 100, 200, 500, 1000, 2000, 5000)
_RESAMPLES = 10


def section() -> None:
    """Compare the training and test fit of a network fitted to rows drawn from it."""
    top = st.container()
    left, middle, _ = st.columns([2, 2, 3], gap="medium")
    name = network_control(left)
    ess = ess_control(
        middle,
        "Prior counts, spread evenly over each table: without any, a new row with a state that the training rows do "
        "not have would have probability 0. With more rows their effect vanishes.",
    )
    pictures = st.container()
    with pictures:
        truth = true_network(name)
        if truth is None:
            return
        repeats = 15 if truth.large else 100  # data sets of each size
        gap = running.at_once(
            "gap",
            f"{truth.key} {ess!r}",
            lambda tell: bn.teaching.likelihood_gap(
                truth.network, _SIZES, repeats, _RESAMPLES, ess, rng=0, progress=tell
            ),
            "data sets fitted",
        )
        if gap is None:
            return
        draw(gap)
    table = gap.table()
    last = table.iloc[-1]
    show.finding(
        f"Fitted to {int(last['n_rows']):,} rows of {truth.title} ({counted(gap.n_parameters, 'parameter')}), a "
        f"network gains **{short(last['training'] * last['n_rows'])} nats** on the training rows and loses "
        f"**{short(-last['test'] * last['n_rows'])}** on new rows; theory: {short(gap.n_varying / 2)} each.",
        top,
    )
    st.caption(
        "Left: log-likelihood per row of the fitted network minus that of the true one, on the training rows and on "
        "new rows (exact expectation); dashed: theory. Right: the gap between the two, times N, and its bootstrap "
        "estimate from one data set, the gap between a replicate and the data (Eq. 11): DIC's effective number of "
        "parameters, with replicates in place of the posterior. Both tend to the number of parameters, AIC's penalty; "
        "the correction of a score on replicates is half of it. With few rows the estimate is too small: a cell that "
        "is empty in the data is empty in every replicate."
    )
    with pictures:
        formulas(gap)
    take_away(
        ("Every size", table, "training_and_test.csv"),
        code=truth.code + f"table = bn.teaching.likelihood_gap(truth, {list(_SIZES)}, {repeats}, {_RESAMPLES}, "
        f"ess={ess}, rng=0).table()\nprint(table)\n",
    )


def draw(gap: bn.teaching.LikelihoodGap) -> None:
    """Draw both pictures."""
    side_by_side(
        (
            "Log-likelihood per row minus the true network's",
            training_and_test_figure(gap, session.dark()),
            "lab_training_and_test",
        ),
        ("Gap times the number of rows", gap_figure(gap, session.dark()), "lab_gap"),
    )


def formulas(gap: bn.teaching.LikelihoodGap) -> None:
    """Show the gap with this network's numbers."""
    last = gap.table().iloc[-1]
    st.latex(
        gathered(
            rf"\tfrac1N\ell_{{\text{{train}}}}-\ell_{{\text{{test}}}} = {tex(last['gap'])}\ \text{{nats per row}}",
            rf"\approx \frac{{|\theta|}}{{N}} = \frac{{{gap.n_parameters}}}{{{int(last['n_rows'])}}} "
            rf"= {tex(last['parameters_over_rows'])}",
            rf"\tfrac1N\langle\ell(D_b;\theta_b)-\ell(D;\theta_b)\rangle_b = {tex(last['bootstrap_gap'])}",
        )
    )
    varying = (
        f" Only {gap.n_varying} of the {gap.n_parameters} parameters can vary; the others belong to impossible cells."
        if gap.n_varying != gap.n_parameters
        else ""
    )
    st.caption(
        "AIC is about new rows, so its penalty is both halves of the gap, |θ|. The bootstrap's correction is about the "
        f"given data, which lie half-way: ½|θ|.{varying} The theory holds for many rows; where parent configurations "
        "occur once or never, the gap may be larger or smaller."
    )
