"""The corrected entropy compared with the truth, and the iterated bootstrap."""

import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.estimates import estimates_figure
from pages._shared.format import gathered, short, tex
from pages._shared.section import computed
from pages._shared.sections.bias_lab.controls import NESTED_ROWS, distribution_controls
from pages._shared.session import Key, kept

_SAMPLES = 400


def section() -> None:
    """Show the bias and the spread of each estimate over repeated samples."""
    top = st.container()
    n_states, n_rows, skew, sample = distribution_controls(NESTED_ROWS)
    order = st.slider(
        "Number of corrections",
        1,
        5,
        **kept(Key.LAB_ORDER),
        help="1 bootstraps the data; 2 also bootstraps the replicates, which corrects the correction; and so on.",
    )
    probabilities = bn.teaching.skewed_distribution(n_states, skew)
    made = computed(
        "estimates",
        lambda: bn.teaching.repeated_entropy(probabilities, n_rows, _SAMPLES, range(1, order + 1), rng=sample),
        *(n_states, skew, n_rows, order, sample),
    )
    table = made.table().set_index("estimator")
    show.finding(
        f"With {n_rows:,} rows, the bias of the plug-in entropy is **{short(table['bias']['plug-in'])} nats**; "
        f"corrected once, it is **{short(table['bias']['corrected'])}**. That of a bootstrap replicate is "
        f"{short(table['bias']['bootstrap'])}.",
        top,
    )
    picture = st.container()
    show.chart(
        estimates_figure(made, session.dark()),
        "lab_estimates",
        "Estimates of the entropy from repeated samples, minus the truth",
        picture,
    )
    st.caption(
        f"Each shape shows the estimates from {_SAMPLES} samples minus the true entropy, {short(made.truth)} nats; the "
        "bars are the exact means. Resampling repeats the bias of the sample, and the first correction removes most of "
        "it. Further corrections help only if N is large enough for each to be smaller than the one before, and they "
        "add variance: compare the root mean square errors."
    )
    show.table(
        table.reset_index(),
        {
            "estimator": "Estimator",
            "bias": "Exact bias, nats",
            "observed_bias": "Observed bias, nats",
            "standard_error": "± SE",
            "sd": "SD over samples",
            "rmse": "Root mean square error",
        },
        decimals=4,
    )
    bias = {name: tex(value) for name, value in table["bias"].items()}
    picture.latex(
        gathered(
            r"T_{BC} = 2\,T(D) - \langle T\rangle_b",
            rf"\mathbb{{E}}\,T_{{BC}} - H(p) = 2\cdot({bias['plug-in']}) - ({bias['bootstrap']})",
            rf"= {bias['corrected']}",
            r"T_{BC}^{(2)} = 3\,T(D) - 3\,\langle T\rangle_b + \langle\langle T\rangle\rangle_{bb}",
        )
    )
    st.caption("Exact: a count n becomes Binomial(N, n/N) in a replicate, and again in a replicate of the replicate.")
    take_away(
        ("Estimators", table.reset_index(), "entropy_estimators.csv"),
        code=f"truth = bn.teaching.skewed_distribution({n_states}, {skew})\n"
        f"made = bn.teaching.repeated_entropy(truth, {n_rows}, {_SAMPLES}, range(1, {order + 1}), rng={sample})\n"
        "table = made.table()\nprint(table)\n",
    )
