"""The experiments of Table 1 and their settings."""

import dataclasses

import streamlit as st

import bnengine as bn
from bnengine.bootstrap.methods import TABLE1_KEYS
from bnengine.scores.correction import LEADING_STRENGTH
from bnengine.scores.scores import TableScore
from pages._shared.session import Key, kept
from pages._shared.widgets.score_controls import SCORE_TEXTS, score_of, score_title

FIRST, SECOND, OWN = "Paper: ALARM", "Paper: annealing, your data", "Several scores, your data"
EXPLAINED = {
    FIRST: "ALARM with 300 and 1,000 rows, BIC and posterior, K2 with the true ordering. The rows are drawn with the "
    "seed in the sidebar.",
    SECOND: "Your data, posterior, simulated annealing from no edges with at most five parents per variable, repeated "
    "runs of each method. The reference is the same number of runs on the given data.",
    OWN: "Your data with the search in the sidebar, under each of several scores.",
}


def settings(which: str, experiment: bn.Experiment) -> tuple[dict[str, bn.Experiment], str]:
    """The experiments by title, and the Python code that repeats them."""
    if which == FIRST:
        return (
            bn.paper.alarm_experiments(200, experiment.seed),
            "import bnengine as bn\n\n"
            f"studies = bn.paper.run_experiments(bn.paper.alarm_experiments(200, seed={experiment.seed}))\n"
            "print(bn.paper.paper_table(studies))\n",
        )
    if which == SECOND:
        left, right, _ = st.columns([1, 1, 3])
        n = int(left.number_input("Runs of each method", 20, 1000, **kept(Key.PAPER_RUNS)))
        ess = float(right.number_input("Equivalent sample size", 0.1, 1000.0, **kept(Key.PAPER_ESS)))
        second = bn.paper.annealing_experiment(experiment.data, n, ess, experiment.seed)
        return {f"{experiment.data.title}, {second.score.name}": second}, repeated([second.score], second, n)
    chosen = st.multiselect(
        "Scores",
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


def repeated(scores: list[TableScore], experiment: bn.Experiment, n: int) -> str:
    """Python code for the table of several scores on one data set."""
    listed = ", ".join(f"bn.{score!r}" for score in scores)
    return experiment.python_data() + (
        f"table = bn.table1(data, [{listed}], bn.{experiment.search!r}, {n}, rng={experiment.seed},\n"
        f"                  constraints=bn.{experiment.constraints!r}{experiment.python_ties})\n"
        "print(table)\n"
    )
