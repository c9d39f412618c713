"""The bootstrap's bias of any statistic, corrected."""

import dataclasses

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.teaching.iterated_correction import MOST_ROWS
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.resampled import resampled_figure
from pages._shared.format import escaped, gathered, plus_minus, short, tex
from pages._shared.jobs import experiments
from pages._shared.require_data import own_data
from pages._shared.sections.bias_lab import jensen
from pages._shared.sections.bias_lab.controls import MEASURED, sample_control
from pages._shared.sections.bias_lab.twice import Twice, bootstrapped_again, drawn_twice, edges_again
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice, tabs

_RESAMPLES = 1000


@st.cache_data(max_entries=64, show_spinner=False)
def _variance(n_rows: int, sample: int) -> tuple[bn.teaching.BootstrapBias, bn.teaching.VarianceBias]:
    values = np.random.default_rng(sample).standard_normal(n_rows)
    return bn.teaching.bootstrap_variance(values, _RESAMPLES, rng=sample + 1), bn.teaching.variance_bias(values)


@st.cache_data(max_entries=32, show_spinner=False)
def _entropy(
    key: str, _data: bn.Dataset, name: str, seed: int
) -> tuple[bn.teaching.BootstrapBias, bn.teaching.EntropyBias, Twice]:
    counts = np.bincount(_data.codes[:, _data.index(name)], minlength=len(_data.states[_data.index(name)]))
    made, bias = (
        bn.teaching.bootstrap_entropy(counts, _RESAMPLES, rng=seed),
        bn.teaching.entropy_bias(counts, _RESAMPLES, rng=seed),
    )
    if _data.n_rows <= MOST_ROWS:
        return made, bias, (bn.teaching.corrected_entropy(counts, 2), None)
    rows = _data.codes[:, _data.index(name)]
    return made, bias, drawn_twice(bn.teaching.iterated_bootstrap(rows, entropy_of, 2, _RESAMPLES, seed))


@st.cache_data(max_entries=32, show_spinner=False)
def _information(
    key: str, _data: bn.Dataset, first: str, second: str, seed: int
) -> tuple[bn.teaching.BootstrapBias, Twice]:
    table = bn.teaching.contingency_table(_data, first, second)
    made = bn.teaching.bootstrap_information(table, _RESAMPLES, rng=seed)
    if _data.n_rows <= MOST_ROWS:
        return made, (bn.teaching.corrected_information(table, 2), None)
    pair = _data.select([first, second])

    def shared(rows: bn.Dataset) -> float:
        return bn.teaching.mutual_information(bn.teaching.contingency_table(rows, first, second))

    return made, drawn_twice(bn.teaching.iterated_bootstrap(pair, shared, 2, _RESAMPLES, seed))


def entropy_of(codes: np.ndarray) -> float:
    """The plug-in entropy of coded rows."""
    return bn.teaching.plugin_entropy(np.bincount(codes))


def section() -> None:
    """The statistic that was chosen."""
    chosen = tabs("Statistic", list(STATISTICS), Key.LAB_STATISTIC)
    STATISTICS[chosen]()


def draw(
    made: bn.teaching.BootstrapBias,
    unit: str,
    truth: float | None = None,
    whole: bool = False,
    twice: float | None = None,
) -> None:
    """The values on resamples with the marks."""
    marks = {"data": made.value, "mean of resamples": made.mean, "corrected": made.corrected}
    if twice is not None:
        marks["corrected twice"] = twice
    if truth is not None:
        marks["truth"] = truth
    show.chart(
        resampled_figure(made.on_resamples, marks, unit, session.dark(), whole),
        "lab_resampled",
        "Histogram of the statistic on resamples, with its value on the data, mean and corrected value",
    )


def correction_formula(made: bn.teaching.BootstrapBias) -> None:
    """T_BC with the numbers."""
    st.latex(
        gathered(
            r"T_{BC} = 2\,T(D) - \langle T\rangle_b",
            rf"2\cdot {tex(made.value)} - {tex(made.mean)} = {tex(made.corrected)}",
        )
    )


def numbers(made: bn.teaching.BootstrapBias, file: str, code: str) -> None:
    """The values behind the picture, and the lines that repeat them."""
    take_away(
        ("Values on resamples", pd.DataFrame({"on_resamples": made.on_resamples}), file),
        code=code + "print(made.value, made.mean, made.corrected)\n",
    )


def variance() -> None:
    """Measurements whose true variance is 1."""
    top, picture = st.container(), st.container()
    columns = st.columns(2, gap="medium")
    n_rows = int(columns[0].select_slider("rows N", MEASURED, **kept(Key.LAB_MEASURED)))
    with columns[1]:
        sample = sample_control()
    made, exact = _variance(n_rows, sample)
    twice = bn.teaching.corrected_variance(np.random.default_rng(sample).standard_normal(n_rows), 2)
    show.finding(
        f"The variance of {n_rows} measurements is {short(exact.plugin)}; on resamples it averages "
        f"{short(made.mean)}, so it is corrected to **{short(made.corrected)}** (unbiased: {short(exact.unbiased)}).",
        top,
    )
    with picture:
        draw(made, "variance (÷ N)", truth=1.0, twice=twice)
    st.latex(
        gathered(
            rf"\langle T\rangle_b = \left(1-\tfrac1N\right)T = {tex(exact.expected)}",
            rf"T_{{BC}} = \left(1+\tfrac1N\right)T = {tex(exact.corrected)}",
            rf"\text{{unbiased }} \tfrac{{N}}{{N-1}}\,T = {tex(exact.unbiased)}",
        )
    )
    st.caption(
        f"Normal measurements with variance 1. Means and corrections are exact; the histogram has {_RESAMPLES:,} drawn "
        "resamples. The correction leaves out terms of order 1/N² and beyond, which bootstrapping the bootstrap brings "
        "in one after the other: 1 + 1/N + 1/N² + … = N/(N−1)."
    )
    bootstrapped_again(made, (twice, None), "")
    numbers(
        made,
        "variance_resamples.csv",
        "import bnengine as bn\nimport numpy as np\n\n"
        f"values = np.random.default_rng({sample}).standard_normal({n_rows})\n"
        f"made = bn.teaching.bootstrap_variance(values, {_RESAMPLES}, rng={sample + 1})\n",
    )


def most_states(data: bn.Dataset) -> str:
    """The first variable with the most states: there the bias shows best."""
    return data.names[int(data.arities.argmax())]


def entropy() -> None:
    """The entropy of one of the data's variables."""
    data = own_data()
    if data is None:
        return
    top, picture = st.container(), st.container()
    name = choice("variable", data.names, Key.LAB_FIRST, first=most_states(data))
    experiment = session.settings.experiment()
    made, exact, twice = _entropy(experiment.graph_key, data, name, experiment.seed)
    show.finding(
        f"{escaped(name)} has a plug-in entropy of {short(made.value)} nats in {data.n_rows:,} rows; resamples "
        f"have {short(-made.bias)} less on average, so it is corrected to **{short(made.corrected)}**.",
        top,
    )
    with picture:
        draw(made, "entropy, nats", twice=twice[0])
    correction_formula(made)
    st.caption(
        f"Mean and correction are exact (binomial sums); the {_RESAMPLES:,} drawn resamples give a bias of "
        f"{plus_minus(exact.monte_carlo, exact.monte_carlo_error)} nats, the second-order formula "
        f"{short(exact.leading)}. Entropy is concave in the counts: resampling lowers it, whatever the data."
    )
    bootstrapped_again(made, twice, " nats")
    numbers(
        made,
        "entropy_resamples.csv",
        experiment.python_data() + f"counts = bn.teaching.contingency_table(data, {name!r}, {name!r}).diagonal()\n"
        f"made = bn.teaching.bootstrap_entropy(counts, {_RESAMPLES}, rng={experiment.seed})\n",
    )


def information() -> None:
    """The mutual information of two of the data's variables."""
    data = own_data()
    if data is None:
        return
    if data.n_variables < 2:
        st.info("Mutual information needs two variables; these data have one.")
        return
    top, picture = st.container(), st.container()
    columns = st.columns(2, gap="medium")
    first = choice("variable", data.names, Key.LAB_FIRST, columns[0], first=most_states(data))
    others = [name for name in data.names if name != first]
    second = choice("and", others, Key.LAB_SECOND, columns[1], first=others[-1])
    experiment = session.settings.experiment()
    made, twice = _information(experiment.graph_key, data, first, second, experiment.seed)
    show.finding(
        f"{escaped(first)} and {escaped(second)} share {short(made.value)} nats in the data, and "
        f"{short(made.mean)} in resamples; corrected, **{short(made.corrected)}** are left.",
        top,
    )
    with picture:
        draw(made, "mutual information, nats", twice=twice[0])
    r, c = (len(data.states[data.index(name)]) for name in (first, second))
    st.latex(
        gathered(
            rf"\langle I\rangle_b - I(D) = {tex(made.bias)}\ \text{{nats}}",
            rf"\frac{{(r-1)(c-1)}}{{2N}} = \frac{{{r - 1}\cdot {c - 1}}}{{2\cdot {data.n_rows}}} = "
            rf"{tex(bn.teaching.leading_information_bias(r, c, data.n_rows))}\ \text{{nats}}",
        )
    )
    st.caption(
        "Resampling adds dependence: about half a nat, divided by N, for each free parameter of an edge; less where "
        f"states are rare. Mean and correction are exact, the histogram has {_RESAMPLES:,} drawn resamples. A "
        "corrected value below 0 says that the data's dependence is within the bias."
    )
    bootstrapped_again(made, twice, " nats")
    numbers(
        made,
        "information_resamples.csv",
        experiment.python_data() + f"table = bn.teaching.contingency_table(data, {first!r}, {second!r})\n"
        f"made = bn.teaching.bootstrap_information(table, {_RESAMPLES}, rng={experiment.seed})\n",
    )


def edges() -> None:
    """The number of edges that the session's score and search find."""
    data = own_data()
    if data is None:
        return
    experiment = dataclasses.replace(session.settings.experiment(), methods=("boot",))
    study = experiments.study_of(experiment, data)
    if study is None or "boot" not in study.ensembles:
        return
    made = bn.teaching.BootstrapBias(study.mean_edges("data"), study.ensembles["boot"].edge_counts.astype(float))
    show.finding(
        f"{experiment.search.name.capitalize()} with {escaped(experiment.score.name)} finds {short(made.value)} "
        f"edges in the data and {short(made.mean)} in resamples: the bias is **{short(made.bias)} edges**, the "
        f"corrected number {short(made.corrected)}."
    )
    draw(made, "edges", whole=True)
    correction_formula(made)
    st.caption(
        "The data, score and search of the sidebar. Correcting the number alone says nothing on which edges are too "
        "many: the Confidence page corrects the score instead, and every edge's confidence with it."
    )
    edges_again(experiment, data)
    numbers(
        made,
        "edges_resamples.csv",
        experiment.python()
        + 'counts = study.ensembles["boot"].edge_counts.astype(float)\n'
        + 'made = bn.teaching.BootstrapBias(study.mean_edges("data"), counts)\n',
    )


STATISTICS = {
    "variance": variance,
    "entropy": entropy,
    "mutual information": information,
    "number of edges": edges,
    "Jensen's inequality": jensen.section,
}
