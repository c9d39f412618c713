"""The corrected entropy against the truth, and the bootstrap bootstrapped."""

import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.estimates import estimates_figure
from pages._shared.format import gathered, short, tex
from pages._shared.sections.bias_lab.controls import NESTED_ROWS, distribution_controls
from pages._shared.session import Key, kept

_SAMPLES = 400


@st.cache_data(max_entries=64, show_spinner=False)
def _repeated(n_states: int, skew: float, n_rows: int, order: int, sample: int) -> bn.teaching.EntropyEstimates:
    probabilities = bn.teaching.skewed_distribution(n_states, skew)
    return bn.teaching.repeated_entropy(probabilities, n_rows, _SAMPLES, range(1, order + 1), rng=sample)


def section() -> None:
    """Repeated samples: bias and spread of each estimate."""
    top, picture = st.container(), st.container()
    n_states, n_rows, skew, sample = distribution_controls(NESTED_ROWS)
    order = st.slider(
        "how often it is corrected",
        1,
        5,
        **kept(Key.LAB_ORDER),
        help="1 bootstraps the data; 2 bootstraps the bootstrap, to correct the correction; and so on.",
    )
    made = _repeated(n_states, skew, n_rows, order, sample)
    table = made.table().set_index("estimator")
    show.finding(
        f"Over samples of {n_rows:,} rows the plug-in entropy is off by **{short(table['bias']['plug-in'])} "
        f"nats** on average, corrected once by **{short(table['bias']['corrected'])}**; a resample's is off by "
        f"{short(table['bias']['bootstrap'])}.",
        top,
    )
    show.chart(
        estimates_figure(made, session.dark()),
        "lab_estimates",
        "Estimates of the entropy from repeated samples, less the truth",
        picture,
    )
    st.caption(
        f"Each shape: the estimate from {_SAMPLES} samples less the true entropy, {short(made.truth)} nats. Bars: the "
        "exact mean over all samples. A resample repeats the bias that the sample has already; the first correction "
        "takes most of it away. Further ones help only where N is large enough for each order to be smaller than the "
        "one before; whether the spread they add is worth it, the root mean square error tells."
    )
    show.table(
        table.reset_index(),
        {
            "bias": "bias (exact), nats",
            "observed_bias": "observed bias",
            "standard_error": "± s.e.",
            "sd": "sd over samples",
            "rmse": "root mean square error",
        },
        decimals=4,
    )
    bias = {name: tex(value) for name, value in table["bias"].items()}
    st.latex(
        gathered(
            r"T_{BC} = 2\,T(D) - \langle T\rangle_b",
            rf"\mathbb{{E}}\,T_{{BC}} - H(p) = 2\cdot({bias['plug-in']}) - ({bias['bootstrap']})",
            rf"= {bias['corrected']}",
            r"T_{BC}^{(2)} = 3\,T(D) - 3\,\langle T\rangle_b + \langle\langle T\rangle\rangle_{bb}",
        )
    )
    st.caption("Exact: a count n becomes Binomial(N, n/N) in a resample, and that again in a resample of the resample.")
    take_away(
        ("Estimators", table.reset_index(), "entropy_estimators.csv"),
        code=f"truth = bn.teaching.skewed_distribution({n_states}, {skew})\n"
        f"made = bn.teaching.repeated_entropy(truth, {n_rows}, {_SAMPLES}, range(1, {order + 1}), rng={sample})\n"
        "table = made.table()\nprint(table)\n",
    )
