"""Predictive accuracy of the learned network, compared with a tree, naive Bayes and the base rate."""

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
from pages._shared.session import Key
from pages._shared.widgets.later import later

BASE, NAIVE, TREE = "base rate", "naive Bayes", "Chow–Liu tree"


def learners(experiment: bn.Experiment, data: bn.Dataset, target: str) -> dict[str, Learner]:
    """Return the networks to compare, the learned one first."""
    found: dict[str, Learner] = {learned_name(experiment): lambda rows: experiment.learn(rows).edges}
    network = bn.load_network(experiment.data.network) if experiment.data.network else None
    if network is not None and set(network.names) == set(data.names):
        edges = network.edges
        found[f"true {network.title.upper()} graph"] = lambda rows: edges
    found[TREE] = lambda rows: bn.learn(rows, bn.LogLikelihood(), bn.ChowLiu()).edges
    found[NAIVE] = bn.prediction.naive_bayes(target)
    found[BASE] = bn.prediction.base_rate
    return found


def learned_name(experiment: bn.Experiment) -> str:
    """Return the name of the network learned with the sidebar's score and search."""
    return f"learned ({experiment.score.name})"


def section(data: bn.Dataset) -> None:
    """Show the finding, four small pictures, the controls, and the table."""
    top, pictures, formulas = st.container(), st.container(), st.container()
    testing = testing_controls(data)
    if testing is None:
        return
    experiment = session.settings.experiment()
    with pictures:
        made = running.at_once(
            "predict",
            testing.key,
            lambda tell: bn.prediction.compare_predictions(
                data, testing.target, learners(experiment, data, testing.target), testing.splits, testing.ess, tell
            ),
            "splits learned from",
        )
        if made is None:
            return
        table = made.table()
        columns = st.container(key=Key.wide("measures")).columns(2, gap="medium")
        for place, (measure, (title, more_is_better)) in enumerate(MEASURES.items()):
            figure = accuracy_figure(table, measure, title, more_is_better, session.dark())
            show.chart(figure, f"predict_{measure}", f"{title} of each network", columns[place % 2])
    show.finding(sentence(table, testing, experiment), top)
    own = made.predictions[learned_name(experiment)]
    with formulas:
        st.latex(
            gathered(
                rf"\tfrac{{1}}{{{len(own.rows)}}}\textstyle\sum_i |P'_i - D_i| = "
                rf"{tex(own.summary()['mean']['absolute_error'])}",
                r"P'(t \mid \text{rest}) \propto P(t \mid \mathrm{Pa}_t) \prod_c P(x_c \mid \mathrm{Pa}_c)",
            )
        )
    st.caption(
        f"Absolute error: |P′ − D|, where P′ is the predicted probability of a state of {escaped(testing.target)} "
        f"given all other variables, and D is 1 for the observed state, otherwise 0 ({testing.words}). Dots: means; "
        "bars: ± one standard error over "
        f"{'folds' if len(testing.splits) > 1 else 'rows'}. Pa: parents; c: children of the target. Graph and "
        "probabilities are learned from the training rows only. "
        f"The sidebar sets score, search and seed ({experiment.seed})."
    )
    title = "All measures, mean ± standard error"
    later(title, "measures", ":material/table_rows:", lambda: show.table(readable(table), {"network": "Network"}))
    take_away(
        ("Measures", table, "predictive_accuracy.csv"),
        ("Every prediction of the learned network", own.table(), "predictions.csv"),
        code=code(testing, experiment),
    )


def code(testing: Testing, experiment: bn.Experiment) -> str:
    """Return the code that repeats the comparison."""
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


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """Return one line per network and one column per measure: mean ± standard error."""
    cells = {
        (line.learner, MEASURES[line.measure][0]): plus_minus(line.mean, line.standard_error)
        for line in table.itertuples()
    }
    wide = pd.Series(cells).unstack(sort=False)
    return wide.rename_axis("network").reset_index()


def sentence(table: pd.DataFrame, testing: Testing, experiment: bn.Experiment) -> str:
    """Return the finding in numbers: first how often a prediction is right, then the error."""
    means = table.set_index(["measure", "learner"])["mean"]
    names = (learned_name(experiment), NAIVE, BASE)
    right, error = (
        [write(means[measure, name]) for name in names]
        for measure, write in (("accuracy", percent), ("absolute_error", short))
    )
    return (
        f"The learned network predicts {escaped(testing.target)} right in **{right[0]}** of rows, against {right[1]} "
        f"with naive Bayes and {right[2]} with the base rate; the mean absolute error is **{error[0]}**, against "
        f"{error[1]} and {error[2]}."
    )
