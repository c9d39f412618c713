"""Tosses of a coin, or of a die with three states: the marginal likelihood, toss by toss and all at once."""

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
from pages._shared.section import side_by_side
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice

_KINDS = {"Coin": "HT", "Three states": "ABC"}
_NAMES = {"H": "heads", "T": "tails", "A": "A", "B": "B", "C": "C"}
_FIRST = {"Coin": "HHTHTTHHHT", "Three states": "ABACCABA"}
_MOST_TOSSES = 400
_MOST_FACTORS = 7
_GRID = np.linspace(0.001, 0.999, 333)


def section(_: bn.Dataset) -> None:
    """Show the finding, two pictures, the controls, and the formulas."""
    head, pictures = st.container(), st.container()
    letters, sequence, prior = controls()
    if sequence is None:
        return
    found = bn.teaching.dirichlet_evidence([letters.index(letter) for letter in sequence], prior)
    show.finding(sentence(found, letters), head)
    with pictures:
        side_by_side(
            ("Probability of each toss given the earlier ones", factors_figure(found, letters), "coin factors"),
            (
                "Density of each probability, before (dashed) and after",
                density_figure(found, letters),
                "coin densities",
            ),
        )
    formulas(found)
    take_away(
        ("Tosses", table(found, letters), "tosses.csv"), ("Densities", densities(found, letters), "densities.csv")
    )


def controls() -> tuple[str, str | None, list[float]]:
    """Return the states' letters, the sequence (None if it is invalid), and the prior counts."""
    columns = st.columns([3, 4, 3, 3, 3], vertical_alignment="bottom")
    kind = choice("Tossed", list(_KINDS), Key.COIN, columns[0])
    letters = _KINDS[kind]
    text = columns[1].text_input(
        f"Tosses ({', '.join(letters)})", value=_FIRST[kind], max_chars=_MOST_TOSSES, **kept(Key.SEQUENCE, kind)
    )
    prior = [
        float(
            column.slider(
                f"Prior count, {_NAMES[letter]}",
                0.1,
                20.0,
                1.0,
                0.1,
                **kept(Key.COIN_PRIOR, kind, letter),
                help=f"α for {_NAMES[letter]}: the prior counts as much as this many such tosses.",
            )
        )
        for column, letter in zip(columns[2:], letters, strict=False)
    ]
    sequence = "".join(str(text).upper().split())
    wrong = sorted(set(sequence) - set(letters))
    if wrong:
        st.warning(f"'{escaped(wrong[0])}' is not a valid toss: use {' or '.join(letters)} for each one.")
        return letters, None, prior
    return letters, sequence, prior


def sentence(found: bn.teaching.DirichletEvidence, letters: str) -> str:
    """Return the finding in numbers."""
    n, following = len(found.sequence), f"{_NAMES[letters[0]]} with probability **{short(found.predictive[0])}**"
    if not n:
        return f"Before any toss, the prior predicts {following}."
    return (
        f"The marginal likelihood of {'this toss' if n == 1 else f'these {n} tosses'} is **{short(found.evidence)}** "
        f"({short(found.log_evidence, 4)} nats); the next toss is {following}."
    )


def factors_figure(found: bn.teaching.DirichletEvidence, letters: str) -> go.Figure:
    """Draw the chain rule's factors in order."""
    dark, hover = session.dark(), "toss %{x}: %{y:.3f}"
    tosses = np.arange(1, len(found.sequence) + 1)
    factors, states = np.array(found.factors), np.array(found.sequence)
    curves = [Curve("each toss", tosses, factors, faint(dark), mode="lines", hover=hover, in_legend=False)]
    for k, (letter, color) in enumerate(zip(letters, series(dark)[1:], strict=False)):
        here = states == k
        curves.append(Curve(_NAMES[letter], tosses[here], factors[here], color, mode="markers", hover=hover, size=9))
    return curves_figure(curves, dark, "toss", "probability", height=270, y_range=(0, 1.02))


def density_figure(found: bn.teaching.DirichletEvidence, letters: str) -> go.Figure:
    """Draw the prior and posterior marginal densities."""
    dark, table = session.dark(), densities(found, letters)
    colors, hover = dict(zip(letters, series(dark)[1:], strict=False)), "%{x:.2f}: %{y:.3g}"
    curves = [
        Curve(
            _NAMES[k], _GRID, table[f"{_NAMES[k]} {when}"], colors[k], dash, "lines", hover, in_legend=dash == "solid"
        )
        for when, dash in (("before", "dash"), ("after", "solid"))
        for k in letters
    ]
    top = max(6.0, float(table.filter(like=" after").iloc[20:-20].to_numpy().max()) * 1.1)
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


def table(found: bn.teaching.DirichletEvidence, letters: str) -> pd.DataFrame:
    """Return the tosses with their factors."""
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
    """Return the densities that are drawn."""
    columns = {"probability": _GRID}
    for when, alphas in (("before", found.prior), ("after", found.posterior)):
        for letter, density in zip(letters, bn.teaching.dirichlet_density(alphas, _GRID), strict=True):
            columns[f"{_NAMES[letter]} {when}"] = density
    return pd.DataFrame(columns)
