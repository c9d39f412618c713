"""Tosses of a coin, or of something with three states: the marginal likelihood, toss after toss and at once."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.curves import Curve, curves_figure
from pages._shared.figures.palette import faint, series
from pages._shared.format import escaped, short, tex
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice

_KINDS = {"coin": "HT", "three states": "ABC"}
_NAMES = {"H": "heads", "T": "tails", "A": "A", "B": "B", "C": "C"}
_FIRST = {"coin": "HHTHTTHHHT", "three states": "ABACCABA"}
_MOST_TOSSES = 400
_MOST_FACTORS = 7
_GRID = np.linspace(0.001, 0.999, 333)


def coins(_: bn.Dataset) -> None:
    """Sentence, the two pictures, the controls that act on them, and the formulas."""
    head, pictures = st.container(), st.container()
    letters, sequence, prior = controls()
    if sequence is None:
        return
    found = bn.teaching.dirichlet_evidence([letters.index(letter) for letter in sequence], prior)
    with head:
        show.finding(sentence(found, letters))
    with pictures:
        left, right = st.columns(2, gap="large")
        with left:
            st.markdown("**Probability of each toss, given those before it**")
            show.chart(factors_figure(found, letters), "coin factors", "Probability of each toss given those before")
        with right:
            st.markdown("**Density of each probability, before (dashed) and after**")
            show.chart(density_figure(found, letters), "coin densities", "Prior and posterior densities")
    formulas(found, letters)
    take_away(
        ("Tosses", table(found, letters), "tosses.csv"), ("Densities", densities(found, letters), "densities.csv")
    )


def controls() -> tuple[str, str | None, list[float]]:
    """The states' letters, the sequence, and the prior."""
    columns = st.columns([3, 4, 3, 3, 3], vertical_alignment="bottom")
    kind = choice("what is tossed", list(_KINDS), Key.COIN, columns[0])
    letters = _KINDS[kind]
    text = columns[1].text_input(
        f"tosses, letters {', '.join(letters)}", value=_FIRST[kind], max_chars=_MOST_TOSSES, **kept(Key.SEQUENCE, kind)
    )
    prior = [
        float(
            columns[2 + k].slider(
                f"imaginary {_NAMES[letter]}",
                0.1,
                20.0,
                1.0,
                0.1,
                **kept(Key.COIN_PRIOR, kind, letter),
                help=f"α of {_NAMES[letter]}: how many such tosses the prior is worth.",
            )
        )
        for k, letter in enumerate(letters)
    ]
    sequence = "".join(str(text).upper().split())
    wrong = sorted(set(sequence) - set(letters))
    if wrong:
        st.warning(f"'{escaped(wrong[0])}' is not a toss; write {' or '.join(letters)} for each one.")
        return letters, None, prior
    return letters, sequence, prior


def sentence(found: bn.teaching.DirichletEvidence, letters: str) -> str:
    """The finding in numbers."""
    n = len(found.sequence)
    next_one = _NAMES[letters[0]]
    if not n:
        return f"Before any toss the prior expects {next_one} with probability **{short(found.predictive[0])}**."
    return (
        f"These {n} tosses have probability **{short(found.evidence)}** ({short(found.log_evidence, 4)} nats) under "
        f"the prior; the next is {next_one} with probability **{short(found.predictive[0])}**."
    )


def factors_figure(found: bn.teaching.DirichletEvidence, letters: str) -> go.Figure:
    """The chain rule's factors in order."""
    dark = session.dark()
    tosses = list(range(1, len(found.sequence) + 1))
    curves = [Curve("each toss", tosses, found.factors, faint(dark), mode="lines", hover="toss %{x}: %{y:.3f}")]
    for k, (letter, color) in enumerate(zip(letters, series(dark)[1:], strict=False)):
        here = [t for t, state_number in zip(tosses, found.sequence, strict=True) if state_number == k]
        curves.append(
            Curve(
                _NAMES[letter],
                here,
                [found.factors[t - 1] for t in here],
                color,
                mode="markers",
                hover="toss %{x}: %{y:.3f}",
            )
        )
    figure = curves_figure(curves, dark, "toss", "probability", height=270, y_range=(0, 1.02))
    figure.update_traces(marker={"size": 9}, selector={"mode": "markers"})
    figure.update_traces(showlegend=False, selector={"name": "each toss"})
    return figure


def density_figure(found: bn.teaching.DirichletEvidence, letters: str) -> go.Figure:
    """Prior and posterior marginals."""
    dark = session.dark()
    curves = []
    for alphas, dash, when in ((found.prior, "dash", "before"), (found.posterior, "solid", "after")):
        for letter, density, color in zip(
            letters, bn.teaching.dirichlet_density(alphas, _GRID), series(dark)[1:], strict=False
        ):
            name = f"{_NAMES[letter]}, {when}"
            curves.append(Curve(name, _GRID, density, color, dash, "lines", "%{x:.2f}: %{y:.3g}"))
    top = max(6.0, float(bn.teaching.dirichlet_density(found.posterior, _GRID)[:, 20:-20].max()) * 1.1)
    return curves_figure(curves, dark, "probability of the state", "density", height=270, y_range=(0, top))


def formulas(found: bn.teaching.DirichletEvidence, letters: str) -> None:
    """Chain rule and gamma formula with their numbers."""
    total = tex(found.total_prior, 4)
    factors = [
        rf"\frac{{{tex(found.prior[k], 4)}+{seen}}}{{{total}+{t}}}"
        for t, (k, seen) in enumerate(zip(found.sequence[:_MOST_FACTORS], found.seen_before, strict=False))
    ]
    product = r"\cdot ".join(factors) or "1"
    more = r"\cdots" if len(found.sequence) > _MOST_FACTORS else ""
    value = tex(found.evidence)
    show.formula(rf"P(D) = \prod_t \frac{{\alpha_k + n_k}}{{\alpha + t}} = {product} {more} = {value}")
    gammas = r"\cdot ".join(
        rf"\frac{{\Gamma({tex(a, 4)}+{n})}}{{\Gamma({tex(a, 4)})}}"
        for a, n in zip(found.prior, found.counts, strict=True)
    )
    show.formula(
        r"P(D) = \frac{\Gamma(\alpha)}{\Gamma(\alpha+N)}\prod_k \frac{\Gamma(\alpha_k+n_k)}{\Gamma(\alpha_k)} = "
        rf"\frac{{\Gamma({total})}}{{\Gamma({total}+{len(found.sequence)})}}\cdot {gammas} = {value}"
    )
    st.caption(
        f"The order of the tosses does not matter to the product. Best possible likelihood: "
        f"{short(found.log_maximum, 4)} nats; BIC charges {short(found.log_maximum - found.bic)} nats of it and gets "
        f"{short(found.bic, 4)}, the marginal likelihood is {short(found.log_evidence, 4)} nats."
    )


def table(found: bn.teaching.DirichletEvidence, letters: str) -> pd.DataFrame:
    """The tosses with their factors."""
    return pd.DataFrame(
        {
            "toss": np.arange(1, len(found.sequence) + 1),
            "state": [letters[k] for k in found.sequence],
            "seen_before": found.seen_before,
            "probability": found.factors,
            "log_evidence_so_far": found.running_log_evidence[1:],
        }
    )


def densities(found: bn.teaching.DirichletEvidence, letters: str) -> pd.DataFrame:
    """The densities as they are drawn."""
    columns = {"probability": _GRID}
    for when, alphas in (("before", found.prior), ("after", found.posterior)):
        for letter, density in zip(letters, bn.teaching.dirichlet_density(alphas, _GRID), strict=True):
            columns[f"{_NAMES[letter]} {when}"] = density
    return pd.DataFrame(columns)
