"""AIC and cross-validation, the training gap, and the jackknife's errors (Sections 4 and 5 of the paper)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.plots.fit import (
    CRITERIA,
    below_best_figure,
    criteria_figure,
    errors_figure,
    gap_figure,
    training_and_test_figure,
)
from bnengine.teaching.resampling_errors import BOOTSTRAP, DELETE_1, DELETE_D, FRESH
from pages.bias_lab.statistic import ess_control, rows_control, sample_control
from pages.shared import experiments, in_use, jobs, settings, show, state
from pages.shared.downloads import take_away
from pages.shared.format import counted, short, tex
from pages.shared.keys import Key, persistent
from pages.shared.lessons import Subject, side_by_side
from pages.shared.widgets.choice import choice


def criteria_section(subject: Subject) -> None:
    """Compare the criteria along one path of graphs."""
    data = subject.data
    if data.n_rows < 2 or data.n_variables < 2:
        st.info("Cross-validation of graphs needs at least two variables and two rows.")
        return
    top = st.container()
    left, middle, _ = st.columns([2, 2, 3], gap="medium")
    max_parents = int(
        left.number_input("Parents per variable, at most", 1, 12, **persistent(Key.LAB_PATH_PARENTS), step=1)
    )
    ess = ess_control(
        middle, "Prior counts for the rows left out: without any, a row that occurs only once would have probability 0."
    )
    pictures = st.container()
    with pictures:
        path = jobs.complete_result_of(
            "criteria",
            (data, ess, max_parents),
            lambda progress: bn.teaching.criteria_path(data, ess, max_parents, progress=progress),
            "edges added",
        )
        if path is None:
            return
        side_by_side(
            ("Each criterion", criteria_figure(path, state.dark()), "lab_criteria"),
            ("Each criterion minus its maximum", below_best_figure(path, state.dark()), "lab_below_best"),
        )
    edges = {name: path.best(name) for name in CRITERIA}
    already = "already " if edges["bic"] < min(edges["aic"], edges["leave_one_out"]) else ""
    show.finding(
        f"On {subject.title}, AIC is highest with **{counted(edges['aic'], 'edge')}**, leave-one-out "
        f"cross-validation with **{edges['leave_one_out']:,}**, BIC {already}with **{edges['bic']:,}**.",
        top,
    )
    show.note(
        "Edges are added one by one, always the one that raises AIC most. AIC and leave-one-out both estimate how well "
        "the fitted network predicts a new row, and agree if every cell has rows (Stone 1977). In sparse tables, AIC "
        "also penalizes cells without rows, and leave-one-out depends on the prior counts. BIC looks for the shorter "
        f"description: its penalty is {short(bn.BIC().form(data.n_rows).penalty)} nats per parameter, AIC's 1, so AIC "
        "selects larger graphs. DIC's penalty is the bootstrap's estimate of the gap between training and new rows "
        "(Eq. 11), and an empty cell adds nothing to it. The path was chosen with all rows, so no criterion "
        "accounts for that choice.",
        "criteria",
    )
    line = path.table.set_index("edges").loc[edges["aic"]]
    show.equations(
        rf"\tfrac1N\left(\ell - |\theta|\right) = {tex(line['log_likelihood'])} - "
        rf"\tfrac{{{int(line['parameters'])}}}{{{data.n_rows}}}",
        rf"= {tex(line['aic'])}\ \text{{nats per row}}",
        rf"\tfrac1N\textstyle\sum_i \ln P(x_i \mid \theta_{{\text{{without }} i}}) = {tex(line['leave_one_out'])}",
        place=pictures,
    )
    st.markdown("**The graph that maximizes each criterion, and all criteria for it, in nats per row**")
    titles = {"highest": "Maximum of", "edges": "Edges", "parameters": "Free parameters"}
    show.table(at_the_best(path), titles | CRITERIA, decimals=4)
    take_away(
        ("Every graph of the path", path.table, "criteria_path.csv"),
        code=subject.experiment.python_data()
        + f"path = bn.teaching.criteria_path(data, ess={ess}, max_parents={max_parents})\n"
        'print(path.table, path.best("aic"), path.best("leave_one_out"), path.best("bic"))\n',
    )


def at_the_best(path: bn.teaching.CriteriaPath) -> pd.DataFrame:
    """Return one line per criterion: the graph that maximizes it, and all criteria for that graph."""
    lines = path.table.set_index("edges", drop=False)
    chosen = lines.loc[[path.best(name) for name in CRITERIA], ["edges", "parameters", *CRITERIA]]
    chosen.insert(0, "highest", list(CRITERIA.values()))
    return chosen


# The network from which a section draws rows: a bundled one, or one fitted to the session's data.

OWN = "learned from your data"
_NETWORKS = ("asia", "survey", "cancer", "earthquake", "sachs", "child", "alarm")
_LARGE = 12  # variables; computations with more are repeated less often


@dataclass(frozen=True)
class TrueNetwork:
    """A network and how sentences and Python code refer to it."""

    network: bn.BayesianNetwork
    title: str
    code: str

    @property
    def large(self) -> bool:
        """Whether computations with it are repeated less often."""
        return len(self.network.names) > _LARGE


def network_control(place: Any) -> str:
    """Return the name of the chosen network."""
    data, _ = in_use.dataset()
    titles = {name: name.upper() for name in _NETWORKS} | ({OWN: OWN.capitalize()} if data else {})
    return str(choice("True network", titles, Key.LAB_TRUTH, place))


def true_network(name: str) -> TrueNetwork | None:
    """Return the network of that name; None while your own is being learned."""
    data, _ = in_use.dataset()
    if name != OWN or data is None:
        code = f"import bnengine as bn\n\ntruth = bn.load_network({name!r})\n"
        return TrueNetwork(bn.load_network(name), name.upper(), code)
    experiment = settings.experiment()
    graph = experiments.graph_of(experiment, data)
    if graph is None:
        return None
    code = experiment.python_learn() + "truth = bn.fit(data, graph.edges, ess=1.0)\n"
    fitted = bn.fit(data, graph.edges, ess=1.0)
    return TrueNetwork(fitted, "a network learned from your data", code)


# Training and test log-likelihood, and the bootstrap's estimate of the gap (Section 4 of the paper).

_SIZES = (50, 100, 200, 500, 1000, 2000, 5000)
_RESAMPLES = 10


def likelihood_section(_: Subject) -> None:
    """Compare the training and test fit of a network fitted to rows drawn from it."""
    top = st.container()
    left, middle = st.columns([2, 2, 3], gap="medium")[:2]
    name = network_control(left)
    ess = ess_control(
        middle,
        "Prior counts, spread evenly over each table: without any, a new row with a state that the training rows do "
        "not have would have probability 0. With more rows their effect vanishes.",
    )
    pictures = st.container()
    with pictures:
        truth = true_network(name)
        if truth is None:
            return
        repeats = 15 if truth.large else 100  # data sets of each size
        gap = jobs.complete_result_of(
            "gap",
            (truth.network, repeats, ess),
            lambda progress: bn.teaching.likelihood_gap(
                truth.network, _SIZES, repeats, _RESAMPLES, ess, rng=0, progress=progress
            ),
            "data sets fitted",
        )
        if gap is None:
            return
        draw(gap)
    table = gap.table()
    last = table.iloc[-1]
    show.finding(
        f"Fitted to {int(last['n_rows']):,} rows of {truth.title} ({counted(gap.n_parameters, 'parameter')}), a "
        f"network gains **{short(last['training'] * last['n_rows'])} nats** on the training rows and loses "
        f"**{short(-last['test'] * last['n_rows'])}** on new rows; theory: {short(gap.n_varying / 2)} each.",
        top,
    )
    st.caption(
        "Left: log-likelihood per row of the fitted network minus that of the true one, on the training rows and on "
        "new rows (exact expectation); dashed: theory. Right: the gap between the two, times N, and its bootstrap "
        "estimate from one data set, the gap between a replicate and the data (Eq. 11): DIC's effective number of "
        "parameters, with replicates in place of the posterior. Both tend to the number of parameters, AIC's penalty; "
        "the correction of a score on replicates is half of it. With few rows the estimate is too small: a cell that "
        "is empty in the data is empty in every replicate."
    )
    with pictures:
        formulas(gap)
    take_away(
        ("Every size", table, "training_and_test.csv"),
        code=truth.code + f"table = bn.teaching.likelihood_gap(truth, {list(_SIZES)}, {repeats}, {_RESAMPLES}, "
        f"ess={ess}, rng=0).table()\nprint(table)\n",
    )


def draw(gap: bn.teaching.LikelihoodGap) -> None:
    """Draw both pictures."""
    title, both = "Log-likelihood per row minus the true network's", training_and_test_figure(gap, state.dark())
    side_by_side(
        (title, both, "lab_training_and_test"),
        ("Gap times the number of rows", gap_figure(gap, state.dark()), "lab_gap"),
    )


def formulas(gap: bn.teaching.LikelihoodGap) -> None:
    """Show the gap with this network's numbers."""
    last = gap.table().iloc[-1]
    show.equations(
        rf"\tfrac1N\ell_{{\text{{train}}}}-\ell_{{\text{{test}}}} = {tex(last['gap'])}\ \text{{nats per row}}",
        rf"\approx \frac{{|\theta|}}{{N}} = \frac{{{gap.n_parameters}}}{{{int(last['n_rows'])}}} "
        rf"= {tex(last['parameters_over_rows'])}",
        rf"\tfrac1N\langle\ell(D_b;\theta_b)-\ell(D;\theta_b)\rangle_b = {tex(last['bootstrap_gap'])}",
    )
    varying = (
        f" Only {gap.n_varying} of the {gap.n_parameters} parameters can vary; the others belong to impossible cells."
        if gap.n_varying != gap.n_parameters
        else ""
    )
    st.caption(
        "AIC is about new rows, so its penalty is both halves of the gap, |θ|. The bootstrap's correction is about the "
        f"given data, which lie half-way: ½|θ|.{varying} The theory holds for many rows; where parent configurations "
        "occur once or never, the gap may be larger or smaller."
    )


# The jackknife's inflation factor, and what the spread of its replicates means (Section 5 of the paper).

_ROWS = (50, 100, 200, 300, 500, 1000)
EDGES, ENTROPY = "number of edges", "entropy"
_CODE = {
    EDGES: "len(bn.learn(rows, bn.BIC(), bn.HillClimbing()).edges)",
    ENTROPY: "-bn.score(rows, [], bn.LogLikelihood()) / rows.n_rows",
}
STATISTICS: dict[str, Callable[[bn.Dataset], float]] = {
    EDGES: lambda rows: len(bn.learn(rows, bn.BIC(), bn.HillClimbing()).edges),
    ENTROPY: lambda rows: -bn.score(rows, [], bn.LogLikelihood()) / rows.n_rows,
}
_NUMBER = st.column_config.NumberColumn


def errors_section(_: Subject) -> None:
    """Compare the replicates' standard deviations, raw and inflated, with the true standard error."""
    top = st.container()
    columns = st.columns([4, 3, 3, 3], gap="medium")
    statistic = choice(
        "Statistic",
        {name: name.capitalize() for name in STATISTICS},
        Key.LAB_VARYING,
        columns[0],
        first=EDGES,
        help="The number of edges that hill climbing finds with BIC, which jumps; or the sum of the variables' "
        "entropies in nats, which changes smoothly.",
    )
    name = network_control(columns[1])
    n_rows = rows_control(Key.LAB_ERROR_ROWS, _ROWS, columns[2])
    sample = sample_control(columns[3])
    picture = st.container()
    with picture:
        truth = true_network(name)
        if truth is None:
            return
        n = 60 if truth.large else 200  # replicates of each method
        made = jobs.complete_result_of(
            "errors",
            (truth.network, n_rows, statistic, n, sample),
            lambda progress: bn.teaching.resampling_errors(
                truth.network, n_rows, STATISTICS[statistic], n, rng=sample, progress=progress
            ),
            "samples",
        )
        if made is None:
            return
        table = made.table()
        alt = "Standard deviation of each method's replicates, and the standard error that it implies"
        show.chart(errors_figure(table, "edges" if statistic == EDGES else "nats", state.dark()), "lab_errors", alt)
    lines = table.set_index("method")
    sd, error = lines["sd"], lines["standard_error"]
    unit = "" if statistic == EDGES else " nats"
    show.finding(
        f"The true standard error of the {statistic} in {n_rows:,} rows of {truth.title} is "
        f"**{short(sd[FRESH])}{unit}**. The delete-1 jackknife gives **{short(error[DELETE_1])}** "
        f"({short(sd[DELETE_1])} × √{n_rows - 1:,}), the bootstrap {short(error[BOOTSTRAP])}.",
        top,
    )
    show.note(meaning(statistic, made), "meaning")
    with picture:
        _error_formulas(lines, made)
    titles = {"mean": "Mean", "sd": "SD", "inflation": "Variance inflation", "standard_error": "Standard error"}
    numbers = {column: _NUMBER(title, format="%.4g") for column, title in titles.items()}
    show.table(table, {"method": "Method", "replicates": "Replicates", **numbers})
    values = pd.DataFrame({method: pd.Series(values) for method, values in made.values.items()})
    take_away(
        ("Methods", table, "standard_errors.csv"),
        ("Every replicate", values, "standard_errors_replicates.csv"),
        code=truth.code + f"\n\ndef statistic(rows):\n    return {_CODE[statistic]}\n\n\n"
        f"made = bn.teaching.resampling_errors(truth, {n_rows}, statistic, {n}, rng={sample})\n"
        "print(made.table())\n",
    )


def meaning(statistic: str, made: bn.teaching.ResamplingErrors) -> str:
    """Return what the standard deviations mean."""
    common = (
        "Open: standard deviation (SD) of the replicates. Filled: standard error, the SD times the square root of the "
        "inflation factor. Dotted line: the truth, from new samples of the network. Two delete-1 replicates differ in "
        f"one of {made.n_rows:,} rows, two bootstrap replicates in most. Without inflation, the jackknife's SD says "
        "how similar its replicates are, not how much other samples would differ; this is why the jackknife's SDs in "
        "Table 1, which are not inflated, are so small. "
    )
    if statistic == EDGES:
        return common + (
            "The number of edges jumps: leaving out most rows changes nothing, leaving out one of a few changes it by "
            "one. The inflated value can therefore be 0 or several times too large; try other samples. Leaving out "
            f"d = {made.d} rows helps if d is well above √N (Shao & Wu 1989)."
        )
    return common + (
        "The entropy changes smoothly with every row: the inflated jackknives and the bootstrap agree with new "
        "samples, up to the randomness of the one sample they start from."
    )


def _error_formulas(lines: pd.DataFrame, made: bn.teaching.ResamplingErrors) -> None:
    """Show the inflated standard errors with their numbers."""
    n, d = made.n_rows, made.d
    one, several = lines.loc[DELETE_1], lines.loc[DELETE_D]
    show.equations(
        r"\mathrm{se}_1 = \sqrt{\tfrac{N-1}{N}\textstyle\sum_i\left(T_{(i)}-\bar T\right)^2}",
        rf"= \sqrt{{{n - 1}}}\cdot {tex(one['sd'])} = {tex(one['standard_error'])}",
        r"\mathrm{se}_d = \sqrt{\tfrac{N-d}{d}}\;\mathrm{sd}_d",
        rf"= \sqrt{{\tfrac{{{n - d}}}{{{d}}}}}\cdot {tex(several['sd'])} = "
        rf"{tex(several['standard_error'])}",
    )
