"""The iterated bootstrap: any statistic corrected twice."""

import streamlit as st

import bnengine as bn
from pages._shared import show
from pages._shared.format import gathered, plus_minus, short, tex
from pages._shared.jobs import running

Twice = tuple[float, float | None]  # a value corrected twice, and its Monte Carlo error if it was drawn


def drawn_twice(chains: bn.teaching.IteratedBootstrap) -> Twice:
    """Return the value corrected twice by random chains, with its standard error."""
    return chains.corrected(2), chains.standard_error(2)


def bootstrapped_again(made: bn.teaching.BootstrapBias, corrected: Twice, unit: str) -> None:
    """Show the value corrected twice, by replicates of replicates."""
    twice, error = corrected
    shown = short(twice) if error is None else plus_minus(twice, error)
    show.note(
        f"**Iterated bootstrap**: replicates of replicates estimate the bias of the correction itself. Corrected "
        f"twice: **{shown}**{unit}, once: {short(made.corrected)}.",
        "twice",
        small=False,
    )
    st.latex(
        gathered(
            r"T_{BC}^{(2)} = 3\,T(D) - 3\,\langle T\rangle_b + \langle\langle T\rangle\rangle_{bb}",
            rf"= 3\cdot {tex(made.value)} - 3\cdot {tex(made.mean)} + "
            rf"{tex(twice - 3 * made.value + 3 * made.mean)}",
            rf"= {tex(twice)}",
        )
    )


def edges_again(experiment: bn.Experiment, data: bn.Dataset) -> None:
    """Show the number of edges in replicates of replicates, on request."""
    chains = running.worked_out(
        "edges twice",
        experiment.key,
        lambda tell: bn.teaching.iterated_bootstrap(
            data, lambda rows: len(experiment.learn(rows).edges), 2, experiment.n, experiment.seed, tell
        ),
        "Bootstrap the bootstrap",
        f"Learns from {experiment.n:,} replicates, and from a replicate of each.",
        "replicates of replicates",
    )
    if chains is None:
        return
    if not len(chains.on_resamples):
        st.warning("Stopped before the first replicate.")
        return
    bootstrapped_again(
        bn.teaching.BootstrapBias(chains.value, chains.on_resamples[:, 0].copy()), drawn_twice(chains), " edges"
    )
