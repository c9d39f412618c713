"""Training and test error, and the jackknife's errors (Sections 4 and 5 of the paper)."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.plots.lessons import ERRORS, ESTIMATES, error_figure, errors_figure
from bnengine.teaching.resampling_errors import BOOTSTRAP, DELETE_1, DELETE_D, FRESH
from pages.bias_lab.statistic import rows_control, sample_control
from pages.shared import jobs, show, state
from pages.shared.format import short, tex
from pages.shared.keys import Key
from pages.shared.lessons import Subject, side_by_side
from pages.shared.widgets.choice import choice
from pages.shared.words import BIAS_LAB as WORDS

# The network from which a section draws rows.

_NETWORKS = ("asia", "survey", "cancer", "earthquake", "sachs", "child", "alarm")
_LARGE = 12  # variables; computations with more are repeated less often


def network_control(place: Any) -> tuple[str, bn.BayesianNetwork]:
    """Return the chosen network and its name in sentences."""
    titles = {name: name.upper() for name in _NETWORKS}
    name = str(choice("True network", titles, Key.LAB_TRUTH, place))
    return titles[name], bn.load_network(name)


# Training and test error, their difference, and what estimates it (Section 4 of the paper).

_SIZES = (50, 100, 200, 500, 1000, 2000, 5000)


def gap_section(_: Subject) -> None:
    """Compare the error of a fitted network on its training rows with that on new rows, and with |θ| / 2N."""
    top = st.container()
    columns = st.columns(3, gap="medium")
    title, network = network_control(columns[0])
    n_rows = rows_control(Key.LAB_GAP_ROWS, _SIZES, columns[1], 1000)
    sample = sample_control(columns[2])
    pictures = st.container()
    with pictures:
        n = 8 if len(network.names) > _LARGE else 20  # data sets of each size
        made = jobs.complete_result_of(
            "training and test",
            (network, n, sample),
            lambda progress: bn.teaching.likelihood_gap(network, _SIZES, n, rng=sample, progress=progress),
            "data sets fitted",
        )
        if made is None:
            return
        table = made.table()
        lines = table.set_index("n_rows")
        if n_rows not in lines.index:  # stopped before
            return
        side_by_side(
            ("Error minus the true network's", error_figure(table, ERRORS, state.dark()), "lab_training_and_test"),
            ("Estimates of the test error", error_figure(table, ESTIMATES, state.dark()), "lab_estimated_errors"),
        )
    line = lines.loc[n_rows]
    show.finding(
        f"Fitted to {n_rows:,} rows of {title}, the network has a training error **{short(-line['training'])} nats per "
        f"row below** the true network's and a test error **{short(line['test'])} above** it; |θ| / 2N is "
        f"{short(line['half'])}.",
        top,
    )
    show.formula(
        r"\text{optimism} = \text{training error} - \text{test error}"
        rf" = {tex(line['optimism'])} \approx -\frac{{|\theta|}}{{N}}",
        r"\text{corrected error} = \text{training error} - \langle\text{optimism}\rangle_b"
        rf" = {tex(line['corrected'])}",
        rf"\text{{AIC: }} \text{{training error}} + \frac{{|\theta|}}{{N}} = {tex(line['aic'])}",
        rf"\text{{leave-one-out: }} {tex(line['leave_one_out'])}",
        place=pictures,
    )
    zeros = made.n_varying < made.n_parameters
    varying = f", here the {made.n_varying} of {made.n_parameters} that can vary; AIC counts all" if zeros else ""
    st.caption(WORDS["gap"].format(n=n, varying=varying))
    titles = {"n_rows": "Rows"} | {name: title.capitalize() for name, title in (ERRORS | ESTIMATES).items()}
    titles |= {"aic": "AIC", "optimism": "Optimism", "half": "|θ| / 2N"}
    show.table(table[list(titles)], titles, decimals=4)


# The jackknife's inflation factor, and what the spread of its replicates means (Section 5 of the paper).

_ROWS = (50, 100, 200, 300, 500, 1000)
_SEARCH = bn.HillClimbing()
EDGES, ENTROPY = "number of edges", "entropy"
STATISTICS: dict[str, Callable[[bn.Dataset], float]] = {
    EDGES: lambda rows: len(bn.learn(rows, bn.BIC(), _SEARCH).edges),
    ENTROPY: lambda rows: -bn.score(rows, [], bn.LogLikelihood()) / rows.n_rows,
}


def errors_section(_: Subject) -> None:
    """Compare the replicates' standard deviations, raw and inflated, with the true standard error."""
    top = st.container()
    columns = st.columns([4, 3, 3, 3], gap="medium")
    titles, about = {name: name.capitalize() for name in STATISTICS}, WORDS["statistic"].format(search=_SEARCH.name)
    statistic = choice("Statistic", titles, Key.LAB_VARYING, columns[0], first=EDGES, help=about)
    title, network = network_control(columns[1])
    n_rows = rows_control(Key.LAB_ERROR_ROWS, _ROWS, columns[2], 300)
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
    also = WORDS["errors_of_edges"].format(d=made.d) if statistic == EDGES else WORDS["errors_of_entropy"]
    return f"{WORDS['errors'].format(n_rows=made.n_rows)} {also}"


def _error_formulas(lines: pd.DataFrame, made: bn.teaching.ResamplingErrors) -> None:
    """Show the inflated standard errors with their numbers."""
    n, d = made.n_rows, made.d
    one, several = lines.loc[DELETE_1], lines.loc[DELETE_D]
    show.formula(
        r"\mathrm{se}_1 = \sqrt{\tfrac{N-1}{N}\textstyle\sum_i\left(T_{(i)}-\bar T\right)^2}",
        rf"= \sqrt{{{n - 1}}}\cdot {tex(one['sd'])} = {tex(one['standard_error'])}",
        r"\mathrm{se}_d = \sqrt{\tfrac{N-d}{d}}\;\mathrm{sd}_d",
        rf"= \sqrt{{\tfrac{{{n - d}}}{{{d}}}}}\cdot {tex(several['sd'])} = "
        rf"{tex(several['standard_error'])}",
    )
