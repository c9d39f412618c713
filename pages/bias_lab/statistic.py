"""The bootstrap bias of any statistic: corrected once, corrected twice, and explained by Jensen's inequality."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.plots.bias_lab import jensen_figure, resampled_figure
from bnengine.teaching.iterated_bootstrap import MOST_ROWS
from pages.shared import experiments, jobs, show, state
from pages.shared.downloads import take_away
from pages.shared.format import escaped, plus_minus, short, tex
from pages.shared.keys import Key, persistent
from pages.shared.lessons import DATA, NOTHING, SETTINGS, Subject, computed
from pages.shared.widgets.choice import choice, tabs

# Widgets that several sections of the Bias lab share.

ROWS = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
#: With more rows, the matrix of the iterated bootstrap takes too long to compute.
NESTED_ROWS = tuple(n for n in ROWS if n <= 500)
#: Numbers of measurements.
MEASURED = (3, 5, 10, 20, 50, 100, 200)


def distribution_controls(rows: tuple[int, ...]) -> tuple[int, int, float, int]:
    """Return the number of states, the number of rows, the skew, and the number of the sample."""
    columns = st.columns(4, gap="medium")
    n_states = columns[0].slider("Number of states, |X|", 2, 32, **persistent(Key.LAB_STATES))
    state.among(Key.LAB_ROWS, rows, max(rows) if state.get(Key.LAB_ROWS) > max(rows) else rows[0])
    n_rows = rows_control(Key.LAB_ROWS, rows, columns[1])
    about = "The probability of state k is proportional to k to the power of −skew: 0 is uniform, 1 is Zipf's law."
    skew = columns[2].slider("Skew", 0.0, 3.0, step=0.1, **persistent(Key.LAB_SKEW), help=about)
    return n_states, n_rows, float(skew), sample_control(columns[3])


def rows_control(key: str, options: Sequence[int], place: Any) -> int:
    """Return the number of rows, one of a few."""
    return int(place.select_slider("Number of rows, N", options, **persistent(key), format_func="{:,}".format))


def sample_control(place: Any) -> int:
    """Return the number of the random sample."""
    described = "Each number draws another random sample; the same number draws the same one again."
    return int(place.number_input("Sample number", 0, 10_000, **persistent(Key.LAB_SAMPLE), help=described))


def ess_control(place: Any, reason: str) -> float:
    """Return the equivalent sample size of the prior."""
    label = "Equivalent sample size, rows"
    return float(place.number_input(label, 0.01, 100.0, **persistent(Key.LAB_ESS), help=reason))


# The iterated bootstrap: any statistic corrected twice.

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
    show.equations(
        r"T_{BC}^{(2)} = 3\,T(D) - 3\,\langle T\rangle_b + \langle\langle T\rangle\rangle_{bb}",
        rf"= 3\cdot {tex(made.value)} - 3\cdot {tex(made.mean)} + "
        rf"{tex(twice - 3 * made.value + 3 * made.mean)}",
        rf"= {tex(twice)}",
    )


def edges_again(experiment: bn.Experiment, data: bn.Dataset) -> None:
    """Show the number of edges in replicates of replicates, on request."""
    chains = jobs.complete_result_of(
        "edges twice",
        (data, experiment.graph_key, experiment.n),
        lambda progress: bn.teaching.iterated_bootstrap(
            data,
            lambda rows: len(experiment.learn(rows).edges),
            2,
            experiment.n,
            rng=experiment.seed,
            progress=progress,
        ),
        "replicates of replicates",
        ("Bootstrap the bootstrap", f"Learns from {experiment.n:,} replicates, and from a replicate of each."),
    )
    if chains is None:
        return
    if not len(chains.on_resamples):
        st.warning("Stopped before the first replicate.")
        return
    bootstrapped_again(
        bn.teaching.BootstrapBias(chains.value, chains.on_resamples[:, 0].copy()), drawn_twice(chains), " edges"
    )


# Jensen's inequality: why resampling biases every function that is not linear.

_FORMULAS = {"p²": "p^2", "eᵖ": "e^p", "p": "p", "√p": r"\sqrt p", "−p ln p": r"-p\ln p", "p (1 − p)": "p(1-p)"}


def jensen_section(_: Subject) -> None:
    """Show a function of a proportion: convex, linear or concave."""
    top = st.container()
    columns = st.columns(3, gap="medium")
    function = choice("Function of a proportion", list(_FORMULAS), Key.LAB_FUNCTION, columns[0])
    n_rows = rows_control(Key.LAB_DRAWS, MEASURED, columns[1])
    share = columns[2].slider("Proportion in the data", 0.0, 1.0, step=0.05, **persistent(Key.LAB_SHARE))
    made = bn.teaching.jensen(function, round(share * n_rows), n_rows)
    if abs(made.bias) < 1e-12:
        words = "exactly its value on the data: it is linear, or constant over the replicates"
    else:
        words = f"**{short(abs(made.bias))} {'above' if made.bias > 0 else 'below'}** its value on the data"
    show.finding(f"The mean of {function} over bootstrap replicates is {words}.", top)
    picture = st.container()
    alt = "A function of a proportion with its value on the data and its mean over replicates"
    show.chart(jensen_figure(made, state.dark()), "lab_jensen", alt, picture)
    show.equations(
        rf"f(p) = {_FORMULAS[function]}",
        rf"\langle f\rangle_b - f\!\left(\tfrac nN\right) = {tex(made.mean)} - {tex(made.value)} "
        rf"= {tex(made.bias)}",
        place=picture,
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


_RESAMPLES = 1000


def statistic_section(subject: Subject) -> None:
    """Show the statistic that was chosen."""
    STATISTICS[tabs("Statistic", list(STATISTICS), Key.LAB_STATISTIC)](subject)


def used() -> str:
    """Return what the chosen statistic is computed from."""
    return _USED.get(str(state.get(Key.LAB_STATISTIC)), NOTHING)


def draw(made: bn.teaching.BootstrapBias, unit: str, **more: float) -> None:
    """Draw the values on replicates with the value on the data, mean, corrected value and ``more`` marks."""
    marks = {"data": made.value, "mean of replicates": made.mean, "corrected": made.corrected}
    marks |= {name.replace("_", " "): value for name, value in more.items()}
    alt = "Histogram of the statistic on replicates, with its value on the data, mean and corrected value"
    show.chart(
        resampled_figure(made.on_resamples, marks, unit, state.dark(), whole=unit == "edges"), "lab_resampled", alt
    )


def correction_formula(made: bn.teaching.BootstrapBias) -> None:
    """Show T_BC with the numbers."""
    show.equations(
        r"T_{BC} = 2\,T(D) - \langle T\rangle_b",
        rf"2\cdot {tex(made.value)} - {tex(made.mean)} = {tex(made.corrected)}",
    )


def numbers(made: bn.teaching.BootstrapBias, file: str, code: str) -> None:
    """Offer the values behind the picture, and the code that repeats them."""
    take_away(
        ("Values on replicates", pd.DataFrame({"on_resamples": made.on_resamples}), file),
        code=code + "print(made.value, made.mean, made.corrected)\n",
    )


def variance(_: Subject) -> None:
    """Show measurements whose true variance is 1."""
    top = st.container()
    columns = st.columns(2, gap="medium")
    n_rows, sample = rows_control(Key.LAB_MEASURED, MEASURED, columns[0]), sample_control(columns[1])
    values = np.random.default_rng(sample).standard_normal(n_rows)
    made = computed(
        "variance", lambda: bn.teaching.bootstrap_variance(values, _RESAMPLES, rng=sample + 1), values, sample
    )
    exact = computed("variance bias", lambda: bn.teaching.variance_bias(values), values)
    twice = bn.teaching.corrected_variance(values, 2)
    show.finding(
        f"The variance of {n_rows} measurements is {short(exact.plugin)} and its mean over replicates "
        f"{short(made.mean)}, so the corrected value is **{short(made.corrected)}** (unbiased: "
        f"{short(exact.unbiased)}).",
        top,
    )
    picture = st.container()
    with picture:
        draw(made, "variance (÷ N)", corrected_twice=twice, truth=1.0)
    show.equations(
        rf"\langle T\rangle_b = \left(1-\tfrac1N\right)T = {tex(exact.expected)}",
        rf"T_{{BC}} = \left(1+\tfrac1N\right)T = {tex(exact.corrected)}",
        rf"\text{{unbiased }} \tfrac{{N}}{{N-1}}\,T = {tex(exact.unbiased)}",
        place=picture,
    )
    st.caption(
        f"Normal measurements with variance 1. Means and corrections are exact; the histogram shows {_RESAMPLES:,} "
        "random replicates. The correction omits terms of order 1/N² and higher; the iterated bootstrap adds them one "
        "by one: 1 + 1/N + 1/N² + … = N/(N−1)."
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
    """Return the first variable with the most states, whose bias is the most visible."""
    return data.names[int(data.arities.argmax())]


def entropy(subject: Subject) -> None:
    """Show the entropy of one of the data's variables."""
    data, top = subject.data, st.container()
    name = choice("Variable", data.names, Key.LAB_FIRST, first=most_states(data))
    experiment = subject.experiment
    seed, codes = experiment.seed, data.codes[:, data.index(name)]
    counts = np.bincount(codes, minlength=len(data.states[data.index(name)]))
    made = computed("entropy of", lambda: bn.teaching.bootstrap_entropy(counts, _RESAMPLES, rng=seed), counts, seed)
    exact = computed("entropy bias of", lambda: bn.teaching.entropy_bias(counts, _RESAMPLES, rng=seed), counts, seed)

    def of_codes(codes: np.ndarray) -> float:
        return bn.teaching.plugin_entropy(np.bincount(codes))

    def corrected_twice() -> Twice:
        if data.n_rows <= MOST_ROWS:
            return bn.teaching.corrected_entropy(counts, 2), None
        return drawn_twice(bn.teaching.iterated_bootstrap(codes, of_codes, 2, _RESAMPLES, rng=seed))

    twice = computed("entropy twice", corrected_twice, data, counts, codes, seed)
    show.finding(
        f"The plug-in entropy of {escaped(name)} is {short(made.value)} nats in {data.n_rows:,} rows and "
        f"{short(-made.bias)} lower in replicates on average, so the corrected value is **{short(made.corrected)}**.",
        top,
    )
    picture = st.container()
    with picture:
        draw(made, "entropy, nats", corrected_twice=twice[0])
        correction_formula(made)
    st.caption(
        f"Mean and correction are exact (binomial sums); {_RESAMPLES:,} random replicates estimate the bias as "
        f"{plus_minus(exact.monte_carlo, exact.monte_carlo_error)} nats, the second-order formula as "
        f"{short(exact.leading)}. Entropy is concave in the counts, so resampling lowers it for any data."
    )
    bootstrapped_again(made, twice, " nats")
    numbers(
        made,
        "entropy_resamples.csv",
        experiment.python_data() + f"counts = bn.teaching.contingency_table(data, {name!r}, {name!r}).diagonal()\n"
        f"made = bn.teaching.bootstrap_entropy(counts, {_RESAMPLES}, rng={seed})\n",
    )


def information(subject: Subject) -> None:
    """Show the mutual information of two of the data's variables."""
    data = subject.data
    if data.n_variables < 2:
        st.info("Mutual information needs at least two variables; these data have one.")
        return
    top = st.container()
    columns = st.columns(2, gap="medium")
    first = choice("First variable", data.names, Key.LAB_FIRST, columns[0], first=most_states(data))
    others = [name for name in data.names if name != first]
    second = choice("Second variable", others, Key.LAB_SECOND, columns[1], first=others[-1])
    experiment = subject.experiment
    table, seed = bn.teaching.contingency_table(data, first, second), experiment.seed
    made = computed("information", lambda: bn.teaching.bootstrap_information(table, _RESAMPLES, rng=seed), table, seed)

    def shared(rows: bn.Dataset) -> float:
        return bn.teaching.mutual_information(bn.teaching.contingency_table(rows, first, second))

    def corrected_twice() -> Twice:
        if data.n_rows <= MOST_ROWS:
            return bn.teaching.corrected_information(table, 2), None
        pair = data.select([first, second])
        return drawn_twice(bn.teaching.iterated_bootstrap(pair, shared, 2, _RESAMPLES, rng=seed))

    twice = computed("information twice", corrected_twice, data, first, second, table, seed)
    show.finding(
        f"The mutual information of {escaped(first)} and {escaped(second)} is {short(made.value)} nats in the data and "
        f"{short(made.mean)} in replicates on average, so the corrected value is **{short(made.corrected)}**.",
        top,
    )
    picture = st.container()
    with picture:
        draw(made, "mutual information, nats", corrected_twice=twice[0])
    r, c = table.shape
    show.equations(
        rf"\langle I\rangle_b - I(D) = {tex(made.bias)}\ \text{{nats}}",
        rf"\frac{{(r-1)(c-1)}}{{2N}} = \frac{{{r - 1}\cdot {c - 1}}}{{2\cdot {data.n_rows}}} = "
        rf"{tex(bn.teaching.leading_information_bias(r, c, data.n_rows))}\ \text{{nats}}",
        place=picture,
    )
    st.caption(
        "Resampling adds dependence: about half a nat, divided by N, per free parameter of an edge, and less if states "
        f"are rare. Mean and correction are exact; the histogram shows {_RESAMPLES:,} random replicates. A negative "
        "corrected value means that the dependence in the data is within the bias."
    )
    bootstrapped_again(made, twice, " nats")
    numbers(
        made,
        "information_resamples.csv",
        experiment.python_data() + f"table = bn.teaching.contingency_table(data, {first!r}, {second!r})\n"
        f"made = bn.teaching.bootstrap_information(table, {_RESAMPLES}, rng={seed})\n",
    )


def edges(subject: Subject) -> None:
    """Show the number of edges that the session's score and search find."""
    data = subject.data
    experiment = dataclasses.replace(subject.experiment, methods=("bootstrap",))
    study = experiments.study_of(experiment, data)
    if study is None or "bootstrap" not in study.ensembles:
        return
    made = bn.teaching.BootstrapBias(study.mean_edges("data"), study.ensembles["bootstrap"].edge_counts.astype(float))
    show.finding(
        f"{experiment.search.name.capitalize()} with {escaped(experiment.score.name)} finds "
        f"{short(made.value)} edges in the data and {short(made.mean)} in replicates on average: the bias is "
        f"**{short(made.bias)}**, the corrected number {short(made.corrected)}."
    )
    draw(made, "edges")
    correction_formula(made)
    st.caption(
        "Data, score and search are those of the settings. Correcting the number does not tell which edges are "
        "spurious; the Network page corrects the score instead, and with it the confidence of every edge."
    )
    edges_again(experiment, data)
    numbers(
        made,
        "edges_resamples.csv",
        experiment.python()
        + 'counts = study.ensembles["bootstrap"].edge_counts.astype(float)\n'
        + 'made = bn.teaching.BootstrapBias(study.mean_edges("data"), counts)\n',
    )


STATISTICS = {
    "Variance": variance,
    "Entropy": entropy,
    "Mutual information": information,
    "Number of edges": edges,
    "Jensen's inequality": jensen_section,
}
_USED = {"Entropy": DATA, "Mutual information": DATA, "Number of edges": SETTINGS}
