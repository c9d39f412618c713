"""Jensen's inequality: why resampling biases whatever is not a straight line."""

import pandas as pd
import streamlit as st

import bnengine as bn
from pages._shared import session
from pages._shared.downloads import csv_button, repeat_popover
from pages._shared.figures.jensen import jensen_figure
from pages._shared.format.text import gathered, in_latex, short
from pages._shared.sections.bias_lab.controls import MEASURED

_FORMULAS = {
    "p²": "p^2",
    "eᵖ": "e^p",
    "p": "p",
    "√p": r"\sqrt p",
    "−p ln p": r"-p\ln p",
    "p (1 − p)": "p(1-p)",
}


def show() -> None:
    """A function of a proportion: convex, straight or concave."""
    finding, picture = st.container(), st.container()
    columns = st.columns(3, gap="medium")
    names = list(bn.teaching.PROPORTION_FUNCTIONS)
    session.among(session.LAB_FUNCTION, names, names[0])
    function = columns[0].selectbox(
        "function of a proportion", names, key=session.LAB_FUNCTION, persist_state="session"
    )
    n_rows = int(columns[1].select_slider("rows N", MEASURED, key=session.LAB_DRAWS, persist_state="session"))
    share = columns[2].slider(
        "proportion in the data", 0.0, 1.0, step=0.05, key=session.LAB_SHARE, persist_state="session"
    )
    made = bn.teaching.jensen(function, round(share * n_rows), n_rows)
    if abs(made.bias) < 1e-12:
        words = "exactly what it is on the data: nothing bends"
    else:
        words = f"**{short(abs(made.bias))} {'above' if made.bias > 0 else 'below'}** its value on the data"
    finding.markdown(f"#### On average over resamples {function} is {words}.")
    picture.plotly_chart(
        jensen_figure(made, session.dark()),
        key="lab_jensen",
        theme=None,
        config={"displayModeBar": False},
        alt="A function of a proportion with its value on the data and its mean over resamples",
    )
    st.latex(
        gathered(
            rf"f(p) = {_FORMULAS[function]}",
            rf"\langle f\rangle_b - f\!\left(\tfrac nN\right) = {in_latex(made.mean)} - {in_latex(made.value)} "
            rf"= {in_latex(made.bias)}",
        )
    )
    st.caption(
        "The resample's proportion scatters evenly around the data's (bars: Binomial(N, n/N), exactly). A convex "
        "function gains more on one side than it loses on the other, a concave one loses more (Jensen's inequality). "
        "The likelihood at its maximum is convex in the counts: on resamples every network fits too well."
    )
    table = pd.DataFrame({"p": made.proportions, "chance": made.chances, "f": made.values})
    with st.container(horizontal=True):
        csv_button("Function and chances", table, "jensen.csv")
        repeat_popover(
            "import bnengine as bn\n\n"
            f"made = bn.teaching.jensen({function!r}, {round(share * n_rows)}, {n_rows})\n"
            "print(made.value, made.mean, made.bias)\n"
        )
