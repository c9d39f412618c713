"""Predictive accuracy of the learned network, beside naive Bayes, a tree and the base rate."""

from collections.abc import Callable

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.prediction.cross_validation import Learner
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.accuracy import accuracy_figure
from pages._shared.format import escaped, gathered, percent, plus_minus, short, tex
from pages._shared.jobs import running
from pages._shared.sections.predict.controls import MEASURES, Testing, testing_controls

BASE, NAIVE, TREE = "base rate", "naive Bayes", "Chow–Liu tree"


def learners(experiment: bn.Experiment, data: bn.Dataset, target: str) -> dict[str, Learner]:
    """The networks to compare, the session's own first."""
    own: Callable[[bn.Dataset], list[tuple[str, str]]] = lambda rows: experiment.learn(rows).edges  # noqa: E731
    found: dict[str, Learner] = {learned_name(experiment): own}
    network = bn.load_network(experiment.data.network) if experiment.data.network else None
    if network is not None and set(network.names) == set(data.names):
        edges = network.edges
        found[f"true {network.title.upper()} graph"] = lambda rows: edges
    found[TREE] = lambda rows: bn.learn(rows, bn.LogLikelihood(), bn.ChowLiu()).edges
    found[NAIVE] = bn.prediction.naive_bayes(target)
    found[BASE] = bn.prediction.base_rate
    return found


def learned_name(experiment: bn.Experiment) -> str:
    """How the network of the session's score and search is called."""
    return f"learned ({experiment.score.name})"


def section(data: bn.Dataset) -> None:
    """Finding, four small pictures, controls, table."""
    top, pictures = st.container(), st.container()
    testing = testing_controls(data)
    if testing is None:
        return
    experiment = session.settings.experiment()
    with pictures:
        made = compared(testing, experiment, data)
        if made is None:
            return
        table = made.table()
        for columns, pair in zip(
            (st.columns(2), st.columns(2)), (("absolute_error", "accuracy"), ("brier", "log_loss")), strict=True
        ):
            for column, measure in zip(columns, pair, strict=True):
                show.chart(
                    accuracy_figure(table, measure, *MEASURES[measure], session.dark()),
                    f"predict_{measure}",
                    f"{MEASURES[measure][0]} of each network",
                    column,
                )
    show.finding(sentence(table, testing, experiment), top)
    spread = "the folds" if len(testing.splits) > 1 else "the rows"
    st.caption(
        f"P′(target | all other variables) on rows that were not learned from ({testing.words}); D is 1 for the state "
        f"that came. Dots: means; bars: ± one standard error over {spread}. Pa: parents; c: the target's children. "
        "Graph and probabilities come from the training rows alone. "
        f"Score, search and seed ({experiment.seed}): in the sidebar."
    )
    own = made.predictions[learned_name(experiment)]
    gap = own.summary()["mean"]["absolute_error"]
    st.latex(
        gathered(
            rf"\tfrac{{1}}{{{len(own.rows)}}}\textstyle\sum_i |P'_i - D_i| = {tex(gap)}",
            r"P'(t \mid \text{rest}) \propto P(t \mid \mathrm{Pa}_t) \prod_c P(x_c \mid \mathrm{Pa}_c)",
        )
    )
    show.table(readable(table))
    take_away(
        ("Measures", table, "predictive_accuracy.csv"),
        ("Every prediction of the learned network", own.table(), "predictions.csv"),
        code=code(testing, experiment),
    )


def code(testing: Testing, experiment: bn.Experiment) -> str:
    """The lines that repeat the comparison."""
    target = repr(testing.target)
    return experiment.python_data() + (
        "\n\ndef learned(rows):\n"
        f"    return bn.learn(rows, {experiment.python_score()}, bn.{experiment.search!r},\n"
        f"                    bn.{experiment.constraints!r}, rng={experiment.seed}{experiment.python_ties}).edges\n\n\n"
        f"splits = {testing.code}\n"
        f"naive = bn.prediction.naive_bayes({target})\n"
        "learners = {'learned': learned, 'naive Bayes': naive, 'base rate': bn.prediction.base_rate}\n"
        f"table = bn.prediction.compare_predictions(data, {target}, learners, splits, ess={testing.ess}).table()\n"
        "print(table)\n"
    )


def compared(
    testing: Testing, experiment: bn.Experiment, data: bn.Dataset
) -> bn.prediction.PredictionComparison | None:
    """The engine's answer, by a job."""
    return running.at_once(
        "predict",
        f"{testing.key}",
        lambda tell: bn.prediction.compare_predictions(
            data, testing.target, learners(experiment, data, testing.target), testing.splits, testing.ess, tell
        ),
        "splits learned from",
    )


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """One line a network, one column a measure: mean ± standard error."""
    cells = {
        (line.learner, MEASURES[line.measure][0]): plus_minus(line.mean, line.standard_error)
        for line in table.itertuples()
    }
    wide = pd.Series(cells).unstack(sort=False)
    return wide.rename_axis("network").reset_index()


def sentence(table: pd.DataFrame, testing: Testing, experiment: bn.Experiment) -> str:
    """The finding in numbers."""
    gaps = table[table["measure"] == "absolute_error"].set_index("learner")["mean"]
    rates = table[table["measure"] == "accuracy"].set_index("learner")["mean"]
    own = learned_name(experiment)
    right = ", ".join(percent(rates[learner]) for learner in (own, NAIVE, BASE))
    return (
        f"Predicting {escaped(testing.target)} from all others, mean |P′ − D| is **{short(gaps[own])}** for the "
        f"learned network, {short(gaps[NAIVE])} for naive Bayes, {short(gaps[BASE])} without edges ({right} right)."
    )
