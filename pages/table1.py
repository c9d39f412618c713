"""Table 1: the paper's experiments with its values beside ours, and several scores side by side."""

import dataclasses
import hashlib
import math

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.bootstrap.study import TABLE1_KEYS
from bnengine.experiment.paper import published_beside
from bnengine.scores.correction import LEADING_STRENGTH
from bnengine.scores.scores import SCORES, TableScore
from pages._shared import app_guard, session, show
from pages._shared.downloads import take_away
from pages._shared.figures.methods import TITLES
from pages._shared.figures.table1 import edges_figure
from pages._shared.format import escaped
from pages._shared.jobs import running
from pages._shared.require_data import own_data
from pages._shared.sections.table1.remarks import on_annealing, why_ours_differ
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import tabs
from pages._shared.widgets.score_controls import SCORE_TEXTS, score_title

FIRST, SECOND, OWN = "the paper's ALARM", "the paper's annealing, on these data", "several scores, on these data"
EXPLAINED = {
    FIRST: "ALARM, 300 and 1,000 rows, BIC and posterior, K2 with the true ordering: rows drawn anew with the seed on "
    "the left.",
    SECOND: "These data, posterior, simulated annealing from no edges with at most five parents a variable, many runs "
    "of each method; the reference is as many runs on the given data.",
    OWN: "These data with the search on the left, under each of several scores.",
}


def main() -> None:
    """The page."""
    which = tabs("which experiment", [FIRST, SECOND, OWN], Key.PAPER_SECTION, first=FIRST)
    data = own_data() if which != FIRST else None
    if which != FIRST and data is None:
        return
    experiments, lines = settings(str(which), session.settings.experiment())
    if not experiments:
        st.info("Choose a score.")
        return
    tables = None if which == FIRST or data is None else dict.fromkeys(experiments, data)
    key = hashlib.sha256(repr([(title, e.key) for title, e in experiments.items()]).encode()).hexdigest()
    heading = st.empty()
    show.finding(f"Table 1: {which}", heading)
    studies = running.worked_out(
        "table1",
        key,
        lambda tell: bn.paper.run_experiments(experiments, tables, progress=tell),
        "Run the experiment",
        EXPLAINED[str(which)],
        "graphs learned",
        at_once=which == FIRST,
    )
    if studies is None:
        return
    if any(study.status == "stopped" for study in studies.values()):
        done = "; ".join(f"{escaped(title)}: {learned_by_then(study)}" for title, study in studies.items())
        st.warning(f"Stopped. What was learned by then is shown. {done}.")
        if running.again("table1", key):
            st.rerun()
    beside = {}
    if which == SECOND and data is not None:
        title = published_beside(data, session.data.recipe())
        beside = dict.fromkeys(experiments, title) if title else {}
    table = bn.paper.paper_table(studies, beside)
    show.finding(sentence(table), heading)
    st.caption(f"{EXPLAINED[str(which)]} Corrected at the paper's strength, ½ nat a parameter.")
    pictures(table)
    if which == FIRST:
        why_ours_differ(experiments)
    elif which == SECOND:
        on_annealing(bool(beside))
    downloads(table, list(experiments.values()), lines)


def learned_by_then(study: bn.Study) -> str:
    """How many replicates of each method a stopped study has."""
    parts = [f"{TITLES[key]} {e.n_graphs} of {e.n_planned}" for key, e in study.ensembles.items()]
    return ", ".join(parts) or "nothing"


def settings(which: str, experiment: bn.Experiment) -> tuple[dict[str, bn.Experiment], str]:
    """The experiments by title, and the Python lines that repeat them."""
    if which == FIRST:
        return (
            bn.paper.alarm_experiments(200, experiment.seed),
            "import bnengine as bn\n\n"
            f"studies = bn.paper.run_experiments(bn.paper.alarm_experiments(200, seed={experiment.seed}))\n"
            "print(bn.paper.paper_table(studies))\n",
        )
    if which == SECOND:
        left, right, _ = st.columns([1, 1, 3])
        n = int(left.number_input("runs of each method", 20, 1000, **kept(Key.PAPER_RUNS)))
        ess = float(right.number_input("equivalent sample size", 0.1, 1000.0, **kept(Key.PAPER_ESS)))
        second = bn.paper.annealing_experiment(experiment.data, n, ess, experiment.seed)
        return {f"{experiment.data.title}, {second.score.name}": second}, repeated([second.score], second, n)
    chosen = st.multiselect(
        "scores",
        [key for key in SCORE_TEXTS if key not in ("bde", "loglik")],
        format_func=score_title,
        **kept(Key.PAPER_SCORES),
    )
    scores = [score_of(key, experiment) for key in chosen]
    plain = dataclasses.replace(
        experiment, methods=TABLE1_KEYS, d=None, strength=LEADING_STRENGTH, edge_penalty=0.0, uniform_parent_sizes=False
    )
    columns = {score.name: dataclasses.replace(plain, score=score) for score in scores}
    return columns, repeated(scores, plain, plain.n)


def score_of(key: str, experiment: bn.Experiment) -> TableScore:
    """A score by key; its equivalent sample size is that of the settings where they have one."""
    ess = getattr(experiment.score, "ess", None)
    return SCORES[key](ess=ess) if ess is not None and key in ("bdeu", "bds") else SCORES[key]()


def repeated(scores: list[TableScore], experiment: bn.Experiment, n: int) -> str:
    """Python lines for the table of several scores on one data set."""
    listed = ", ".join(f"bn.{score!r}" for score in scores)
    return experiment.python_data() + (
        f"table = bn.table1(data, [{listed}], bn.{experiment.search!r}, {n}, rng={experiment.seed},\n"
        f"                  constraints=bn.{experiment.constraints!r}{experiment.python_ties})\n"
        "print(table)\n"
    )


def sentence(table: pd.DataFrame) -> str:
    """What the columns show together."""
    by_method = table.pivot(index="experiment", columns="method", values="mean")
    parts = []
    for key in ("boot", "boot_bc"):
        if key in by_method:
            excess = (by_method[key] - by_method["data"]).dropna()
            if len(excess):
                low, high = float(excess.min()), float(excess.max())
                span = f"{low:+.1f}" if len(excess) == 1 else f"{low:+.1f} to {high:+.1f}"
                parts.append(f"the {TITLES[key]} {span}".replace("-", "−"))
    if not parts:
        return "Nothing was learned from resamples yet."
    return f"Edges more or fewer than the given data's graph: {'; '.join(parts)}."


def pictures(table: pd.DataFrame) -> None:
    """A panel for each experiment, and the table."""
    means, spreads = table[["mean", "paper_mean"]], table[["sd", "paper_sd"]].fillna(0.0).to_numpy()
    least, most = float((means - spreads).min().min()), float((means + spreads).max().max())
    margin = 0.05 * (most - least) + 0.5
    titles = list(dict.fromkeys(table["experiment"]))
    for first in range(0, len(titles), 2):
        for column, title in zip(st.columns(2, gap="medium"), titles[first : first + 2], strict=False):
            with column:
                st.markdown(f"**{escaped(title)}**")
                show.chart(
                    edges_figure(table[table["experiment"] == title], session.dark(), most + margin, least - margin),
                    f"edges {title}",
                    f"Number of edges by method, {title}",
                )
    st.caption(
        "Mean and standard deviation of the number of edges over the resamples. Dotted: the given data."
        + (" Open marks: the values that the paper reports." if table["paper_mean"].notna().any() else "")
    )
    st.dataframe(side_by_side(table), width="stretch")


def side_by_side(table: pd.DataFrame) -> pd.DataFrame:
    """Methods down, experiments across, the paper's column beside ours where it has one."""
    columns: dict[str, pd.Series[str]] = {}
    for title, lines in table.groupby("experiment", sort=False):
        rows = lines.set_index(lines["method"].map(TITLES))
        short = str(title).removeprefix("ALARM, ")
        columns[short] = plus_minus(rows["mean"], rows["sd"])
        if rows["paper_mean"].notna().any():
            columns[f"paper, {short}"] = plus_minus(rows["paper_mean"], rows["paper_sd"])
    return pd.DataFrame(columns)


def plus_minus(means: "pd.Series[float]", spreads: "pd.Series[float]") -> "pd.Series[str]":
    """Mean ± standard deviation, as text."""
    shown = [
        "" if math.isnan(m) else f"{m:.0f}" if m.is_integer() and not s else f"{m:.1f} ± {s:.1f}"
        for m, s in zip(means, spreads, strict=True)
    ]
    return pd.Series(shown, index=means.index)


def downloads(table: pd.DataFrame, experiments: list[bn.Experiment], lines: str) -> None:
    """Downloads, and the lines that repeat it."""
    take_away(
        ("Table", table, "table1.csv"),
        code=lines,
        commands=[bn.command_line(experiment, "table1") for experiment in experiments],
    )


app_guard.through_app()
main()
