"""The jackknife's inflation factor, and what the spread of its replicates means (Section 5 of the paper)."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.teaching.jackknife_errors import BOOTSTRAP, DELETE_1, DELETE_D, FRESH
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.errors import errors_figure
from pages._shared.format import gathered, short, tex
from pages._shared.jobs import running
from pages._shared.sections.bias_lab.controls import sample_control
from pages._shared.sections.bias_lab.likelihood import (
    network_code,
    network_control,
    network_key,
    network_title,
    the_network,
)
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice

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


def section() -> None:
    """Raw and inflated spreads beside the truth."""
    top, picture = st.container(), st.container()
    columns = st.columns(4, gap="medium")
    data, _problem = session.data.dataset()
    statistic = choice(
        "statistic",
        list(STATISTICS),
        Key.LAB_VARYING,
        columns[0],
        first=EDGES,
        help="Edges that hill climbing finds with BIC: a number that jumps. Or the entropies of all variables, "
        "summed, in nats: smooth.",
    )
    with columns[1]:
        name = network_control(data)
    n_rows = int(columns[2].select_slider("rows N", _ROWS, **kept(Key.LAB_ERROR_ROWS), format_func=lambda n: f"{n:,}"))
    with columns[3]:
        sample = sample_control()
    with picture:
        truth = the_network(name, data)
        made = None if truth is None else measured(name, truth, n_rows, statistic, sample)
        if truth is None or made is None:
            return
        table = made.table()
        show.chart(
            errors_figure(table, "edges" if statistic == EDGES else "nats", session.dark()),
            "lab_errors",
            "Spread of the replicates of each method, and the standard error that it stands for",
        )
    lines = table.set_index("method")
    sd, error = lines["sd"], lines["standard_error"]
    unit = "" if statistic == EDGES else " nats"
    show.finding(
        f"From sample to sample the {statistic} in {n_rows:,} rows of {network_title(name)} varies by "
        f"**± {short(sd[FRESH])}{unit}**. The delete-1 jackknife's replicates vary by ± {short(sd[DELETE_1])}; times "
        f"√{n_rows - 1:,} that says **± {short(error[DELETE_1])}**; the bootstrap says ± {short(error[BOOTSTRAP])}.",
        top,
    )
    show.note(meaning(statistic, made), "meaning")
    formulas(table, made)
    show.table(
        table,
        {
            "mean": st.column_config.NumberColumn("mean", format="%.4g"),
            "sd": st.column_config.NumberColumn("sd", format="%.4g"),
            "inflation": st.column_config.NumberColumn("inflation", format="%.4g"),
            "standard_error": st.column_config.NumberColumn("standard error", format="%.4g"),
        },
    )
    values = pd.DataFrame({method: pd.Series(values) for method, values in made.values.items()})
    take_away(
        ("Methods", table, "standard_errors.csv"),
        ("Every replicate", values, "standard_errors_replicates.csv"),
        code=network_code(name) + f"\n\ndef statistic(rows):\n    return {_CODE[statistic]}\n\n\n"
        f"made = bn.teaching.resampling_errors(truth, {n_rows}, statistic, {effort(truth)}, rng={sample})\n"
        "print(made.table())\n",
    )


def effort(truth: bn.BayesianNetwork) -> int:
    """Replicates of each method: fewer where a network is large."""
    return 200 if len(truth.names) <= 12 else 60


def measured(
    name: str, truth: bn.BayesianNetwork, n_rows: int, statistic: str, sample: int
) -> bn.teaching.ResamplingErrors | None:
    """The engine's answer, by a job."""
    return running.at_once(
        "errors",
        f"{network_key(name)} {n_rows} {statistic} {sample}",
        lambda tell: bn.teaching.resampling_errors(
            truth, n_rows, STATISTICS[statistic], effort(truth), rng=sample, progress=tell
        ),
        "samples",
    )


def meaning(statistic: str, made: bn.teaching.ResamplingErrors) -> str:
    """What to make of the spreads."""
    common = (
        "Open: the sd of the replicates; filled: the standard error, which is that times the root of the inflation "
        "factor; dotted line: the truth, by fresh samples of the network. Two delete-1 replicates "
        f"differ in one row of {made.n_rows:,}, two bootstrap samples in most of theirs. Without inflation the "
        "jackknife's sd says how alike its replicates are and nothing on other samples: that is why the jackknife's "
        "sds in Table 1, which are not inflated, are so small. "
    )
    if statistic == EDGES:
        return common + (
            "A number of edges jumps: without most rows it does not change at all, without a few it changes by one, "
            "and those few decide. The inflated value may then be 0 or several times too large, and another sample "
            f"no. gives another. Leaving out d = {made.d} rows helps where d is well above √N (Shao & Wu 1989)."
        )
    return common + (
        "Entropy changes smoothly with every row: inflated, both jackknives and the bootstrap say what fresh samples "
        "show, within the chance of the one sample they start from."
    )


def formulas(table: pd.DataFrame, made: bn.teaching.ResamplingErrors) -> None:
    """The inflated errors with the numbers."""
    lines = table.set_index("method")
    n, d = made.n_rows, made.d
    one, several = lines.loc[DELETE_1], lines.loc[DELETE_D]
    st.latex(
        gathered(
            r"\mathrm{se}_1 = \sqrt{\tfrac{N-1}{N}\textstyle\sum_i\left(T_{(i)}-\bar T\right)^2}",
            rf"= \sqrt{{{n - 1}}}\cdot {tex(one['sd'])} = {tex(one['standard_error'])}",
            r"\mathrm{se}_d = \sqrt{\tfrac{N-d}{d}}\;\mathrm{sd}_d",
            rf"= \sqrt{{\tfrac{{{n - d}}}{{{d}}}}}\cdot {tex(several['sd'])} = "
            rf"{tex(several['standard_error'])}",
        )
    )
