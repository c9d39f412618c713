"""AIC and cross-validation, the training gap, and the jackknife's errors (Sections 4 and 5 of the paper)."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.plots.lessons import errors_figure
from bnengine.teaching.resampling_errors import BOOTSTRAP, DELETE_1, DELETE_D, FRESH
from pages.bias_lab.statistic import rows_control, sample_control
from pages.shared import jobs, show, state
from pages.shared.format import short, tex
from pages.shared.keys import Key
from pages.shared.lessons import Subject
from pages.shared.widgets.choice import choice

# The network from which a section draws rows.

_NETWORKS = ("asia", "survey", "cancer", "earthquake", "sachs", "child", "alarm")
_LARGE = 12  # variables; computations with more are repeated less often


def network_control(place: Any) -> tuple[str, bn.BayesianNetwork]:
    """Return the chosen network and its name in sentences."""
    titles = {name: name.upper() for name in _NETWORKS}
    name = str(choice("True network", titles, Key.LAB_TRUTH, place))
    return titles[name], bn.load_network(name)


# The jackknife's inflation factor, and what the spread of its replicates means (Section 5 of the paper).

_ROWS = (50, 100, 200, 300, 500, 1000)
EDGES, ENTROPY = "number of edges", "entropy"
STATISTICS: dict[str, Callable[[bn.Dataset], float]] = {
    EDGES: lambda rows: len(bn.learn(rows, bn.BIC(), bn.HillClimbing()).edges),
    ENTROPY: lambda rows: -bn.score(rows, [], bn.LogLikelihood()) / rows.n_rows,
}


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
    title, network = network_control(columns[1])
    n_rows = rows_control(Key.LAB_ERROR_ROWS, _ROWS, columns[2])
    sample = sample_control(columns[3])
    picture = st.container()
    with picture:
        n = 60 if len(network.names) > _LARGE else 200  # replicates of each method
        made = jobs.complete_result_of(
            "errors",
            (network, n_rows, statistic, n, sample),
            lambda progress: bn.teaching.resampling_errors(
                network, n_rows, STATISTICS[statistic], n, rng=sample, progress=progress
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
        f"The true standard error of the {statistic} in {n_rows:,} rows of {title} is "
        f"**{short(sd[FRESH])}{unit}**. The delete-1 jackknife gives **{short(error[DELETE_1])}** "
        f"({short(sd[DELETE_1])} × √{n_rows - 1:,}), the bootstrap {short(error[BOOTSTRAP])}.",
        top,
    )
    show.note(meaning(statistic, made), "meaning")
    with picture:
        _error_formulas(lines, made)
    titles = {"mean": "Mean", "sd": "SD", "inflation": "Variance inflation", "standard_error": "Standard error"}
    numbers = {column: st.column_config.NumberColumn(title, format="%.4g") for column, title in titles.items()}
    show.table(table, {"method": "Method", "replicates": "Replicates", **numbers})


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
