"""Jensen's inequality: why resampling biases every function that is not linear."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.jensen import jensen_figure
from pages._shared.format import gathered, short, tex
from pages._shared.sections.bias_lab.controls import MEASURED, rows_control
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice

_FORMULAS = {"p²": "p^2", "eᵖ": "e^p", "p": "p", "√p": r"\sqrt p", "−p ln p": r"-p\ln p", "p (1 − p)": "p(1-p)"}


def section() -> None:
    """Show a function of a proportion: convex, linear or concave."""
    top = st.container()
    columns = st.columns(3, gap="medium")
    function = choice("Function of a proportion", list(_FORMULAS), Key.LAB_FUNCTION, columns[0])
    n_rows = rows_control(Key.LAB_DRAWS, MEASURED, columns[1])
    share = columns[2].slider("Proportion in the data", 0.0, 1.0, step=0.05, **kept(Key.LAB_SHARE))
    made = bn.teaching.jensen(function, round(share * n_rows), n_rows)
    if abs(made.bias) < 1e-12:
        words = "exactly its value on the data: it is linear, or constant over the replicates"
    else:
        words = f"**{short(abs(made.bias))} {'above' if made.bias > 0 else 'below'}** its value on the data"
    show.finding(f"The mean of {function} over bootstrap replicates is {words}.", top)
    picture = st.container()
    show.chart(
        jensen_figure(made, session.dark()),
        "lab_jensen",
        "A function of a proportion with its value on the data and its mean over replicates",
        picture,
    )
    picture.latex(
        gathered(
            rf"f(p) = {_FORMULAS[function]}",
            rf"\langle f\rangle_b - f\!\left(\tfrac nN\right) = {tex(made.mean)} - {tex(made.value)} "
            rf"= {tex(made.bias)}",
        )
    )
    st.caption(
        "The mean proportion over replicates is that of the data (bars: Binomial(N, n/N), exact). A convex function "
        "gains more on one side than it loses on the other, a concave one loses more (Jensen's inequality). The "
        "maximum log-likelihood is convex in the counts: every network fits bootstrap replicates too well."
    )
    table = pd.DataFrame({"p": made.proportions, "chance": made.chances, "f": made.values})
    take_away(
        ("Function and probabilities", table, "jensen.csv"),
        code=f"made = bn.teaching.jensen({function!r}, {round(share * n_rows)}, {n_rows})\n"
        "print(made.value, made.mean, made.bias)\n",
    )
