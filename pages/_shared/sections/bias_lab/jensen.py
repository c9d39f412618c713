"""Jensen's inequality: why resampling biases whatever is not a straight line."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.jensen import jensen_figure
from pages._shared.format import gathered, short, tex
from pages._shared.sections.bias_lab.controls import MEASURED
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice

_FORMULAS = {"p²": "p^2", "eᵖ": "e^p", "p": "p", "√p": r"\sqrt p", "−p ln p": r"-p\ln p", "p (1 − p)": "p(1-p)"}


def section() -> None:
    """A function of a proportion: convex, straight or concave."""
    top, picture = st.container(), st.container()
    columns = st.columns(3, gap="medium")
    names = list(bn.teaching.PROPORTION_FUNCTIONS)
    function = choice("function of a proportion", names, Key.LAB_FUNCTION, columns[0])
    n_rows = int(columns[1].select_slider("rows N", MEASURED, **kept(Key.LAB_DRAWS)))
    share = columns[2].slider("proportion in the data", 0.0, 1.0, step=0.05, **kept(Key.LAB_SHARE))
    made = bn.teaching.jensen(function, round(share * n_rows), n_rows)
    if abs(made.bias) < 1e-12:
        words = "exactly what it is on the data: nothing bends"
    else:
        words = f"**{short(abs(made.bias))} {'above' if made.bias > 0 else 'below'}** its value on the data"
    show.finding(f"On average over resamples {function} is {words}.", top)
    show.chart(
        jensen_figure(made, session.dark()),
        "lab_jensen",
        "A function of a proportion with its value on the data and its mean over resamples",
        picture,
    )
    st.latex(
        gathered(
            rf"f(p) = {_FORMULAS[function]}",
            rf"\langle f\rangle_b - f\!\left(\tfrac nN\right) = {tex(made.mean)} - {tex(made.value)} "
            rf"= {tex(made.bias)}",
        )
    )
    st.caption(
        "The resample's proportion scatters evenly around the data's (bars: Binomial(N, n/N), exactly). A convex "
        "function gains more on one side than it loses on the other, a concave one loses more (Jensen's inequality). "
        "The likelihood at its maximum is convex in the counts: on resamples every network fits too well."
    )
    table = pd.DataFrame({"p": made.proportions, "chance": made.chances, "f": made.values})
    take_away(
        ("Function and chances", table, "jensen.csv"),
        code=f"made = bn.teaching.jensen({function!r}, {round(share * n_rows)}, {n_rows})\n"
        "print(made.value, made.mean, made.bias)\n",
    )
