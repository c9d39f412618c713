"""Predictive accuracy: controls, comparison of learners, and the spanning-tree procedure."""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

import bnengine as bn
from bnengine.experiment.evaluations import AVERAGED, learners, likely_target, python_averaged, splits_of
from bnengine.experiment.experiment import PredictionSettings
from bnengine.plots.network_drawing import EdgeStyle, NetworkPicture, plain
from bnengine.plots.palette import FRESH, faint, ink
from bnengine.plots.prediction import accuracy_figure, edge_curve_figure
from bnengine.prediction.cross_validation import Learner, Split
from bnengine.settings import setting_of
from pages.shared import experiments, in_use, jobs, show, state
from pages.shared.downloads import take_away
from pages.shared.format import counted, escaped, percent, short, tex
from pages.shared.keys import Key
from pages.shared.run import run_state
from pages.shared.state import persistent
from pages.shared.widgets.choice import choice, declared, lazy_expander, tabs
from pages.shared.words import PREDICT as WORDS

# Target, testing and prior counts: the controls of the sections that test predictions.

HOLDOUT, FOLDS = "holdout", "folds"  # as the settings are declared
#: The name of each measure, and whether higher is better.
MEASURES = {
    "accuracy": ("Accuracy", True),
    "absolute_error": ("Mean absolute error", False),
    "brier": ("Brier score", False),
    "log_loss": ("Log loss, nats", False),
}


@dataclass(frozen=True)
class Testing:
    """The target, the splits into training and test rows, and the prior counts of the tables."""

    target: str
    splits: tuple[Split, ...]
    words: str
    code: str
    ess: float

    @property
    def of(self) -> tuple[str, str, float]:
        """What results depend on beside the data and the settings."""
        return self.target, self.code, self.ess


def testing_controls(data: bn.Dataset) -> Testing | None:
    """Return the choices made; None, with the reason, if these data cannot be split or have no target."""
    targets = [name for name, states in zip(data.names, data.states, strict=True) if len(states) > 1]
    if not targets or data.n_rows < 4:
        st.info("Prediction needs a variable with at least two states, and at least four rows.")
        return None
    row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
    target = choice("Target", targets, Key.TARGET, row, first=likely_target(data), width=200)
    row = row.popover("How it is tested", icon=":material/tune:")
    testing = setting_of(PredictionSettings, "testing")
    how = tabs(testing.label, testing.choices, Key.TESTING, row, label_visibility="visible")
    seed = run_state.experiment().seed
    if how == FOLDS:
        most = min(max(20, state.get(Key.FOLDS)), data.n_units)
        state.within(Key.FOLDS, 2, most)
        k = int(row.slider("Folds", 2, most, width=170, **persistent(Key.FOLDS)))
        chosen: dict[str, Any] = {"folds": k}
    else:
        kept_share = state.get(Key.TEST_SHARE)
        least, most_share = min(0.1, kept_share), max(0.9, kept_share)
        label = setting_of(PredictionSettings, "test_share").label
        share = float(row.slider(label, least, most_share, step=0.05, width=180, **persistent(Key.TEST_SHARE)))
        chosen = {"test_share": share}
    ess = float(declared(setting_of(PredictionSettings, "ess"), "prediction", row, width=190))
    tested = PredictionSettings(target, how, ess=ess, **chosen)
    splits = tuple(splits_of(tested, data, seed))
    words = f"{len(splits)}-fold cross-validation" if how == FOLDS else counted(len(splits[0][1]), "test row")
    return Testing(target, splits, words, f"{tested.python}, rng={seed})", ess)


#: Model averaging, as a formula.
AVERAGE = r"P(x \mid D) = \sum_G P(x \mid D, G)\,P(G \mid D)"
BASE, NAIVE = "base rate", "naive Bayes"


def named_learners(experiment: bn.Experiment, data: bn.Dataset, target: str) -> dict[str, Learner]:
    """Return the networks to compare, the learned one first, which is named with its score."""
    names = {"learned": learned_name(experiment), "true graph": f"true {str(experiment.data.network).upper()} graph"}
    return {names.get(name, name): learner for name, learner in learners(experiment, data, target).items()}


def learned_name(experiment: bn.Experiment) -> str:
    """Return the name of the network learned with the chosen score and search."""
    return f"learned ({experiment.score.name})"


def averaging_control(place: Any = None) -> bool:
    """Let the visitor choose between one network and the average over many; return whether it is the average."""
    one = setting_of(PredictionSettings, "network")
    return bool(tabs(one.label, one.choices, Key.AVERAGING, place, help=one.help) == AVERAGED)


def accuracy_section(data: bn.Dataset) -> None:
    """Show the target and how it is tested, the finding, how one state is detected, four small pictures, the table."""
    testing = testing_controls(data)
    if testing is None:
        return
    by_all = averaging_control()
    top, detected, pictures, formulas = (st.container() for _ in range(4))
    experiment = run_state.experiment()
    with pictures:
        made = jobs.complete_result_of(
            "predict",
            (data, experiment.graph_key, experiment.prediction, *testing.of),
            lambda progress: bn.prediction.compare_predictions(
                data,
                testing.target,
                named_learners(experiment, data, testing.target),
                testing.splits,
                testing.ess,
                progress=progress,
            ),
            "splits learned from",
        )
        if made is None:
            return
        table = made.table()
        columns = st.container(key=Key.wide("measures")).columns(2, gap="medium")
        for place, (measure, (title, more_is_better)) in enumerate(MEASURES.items()):
            figure = accuracy_figure(table, measure, title, more_is_better, state.dark())
            show.chart(figure, f"predict_{measure}", f"{title} of each network", columns[place % 2])
    own = made.predictions[learned_name(experiment)]
    with top:
        show.finding(_accuracy_sentence(made, testing, experiment))
        if by_all:
            show.note(_averaged_sentence(made, learned_name(experiment)), "averaged", small=False)
        without_edges(data, testing.target, own, experiment)
    with detected:
        if len(own.states) == 2:
            detecting(made, testing, experiment)
        else:
            title = "One state: precision, recall, AUC"
            lazy_expander(title, "state", ":material/target:", lambda: detecting(made, testing, experiment))
    with formulas:
        show.formula(
            rf"\tfrac{{1}}{{{len(own.rows)}}}\textstyle\sum_i |P'_i - D_i| = "
            rf"{tex(own.summary()['mean']['absolute_error'])}",
            r"P'(t \mid \text{rest}) \propto P(t \mid \mathrm{Pa}_t) \prod_c P(x_c \mid \mathrm{Pa}_c)",
            *([AVERAGE] if by_all else []),
        )
    values = {"target": escaped(testing.target), "tested": testing.words, "seed": experiment.seed}
    values["over"] = "folds" if len(testing.splits) > 1 else "rows"
    st.caption(WORDS["accuracy"].format(**values))
    take_away(
        ("Measures", table, "predictive_accuracy.csv"),
        ("Every prediction of the learned network", own.table(), "predictions.csv"),
        code=code(testing, experiment, data),
    )


def code(testing: Testing, experiment: bn.Experiment, data: bn.Dataset) -> str:
    """Return the code that repeats the comparison."""
    target, by_all = repr(testing.target), experiment.prediction.network == AVERAGED
    of_numbers = bool(getattr(in_use.dataset()[0], "numbers", ()))
    also = ", 'averaged': averaged" if by_all else ""
    return (
        experiment.data.python()
        + ("data = data.cut()\n" if of_numbers else "")
        + (python_averaged(experiment, data) if by_all else "")
        + (
            "\n\ndef learned(rows):\n"
            f"    return bn.learn(rows, {experiment.python_score()}, bn.{experiment.search!r},\n"
            f"                    constraints=bn.{experiment.constraints!r},\n"
            f"                    rng={experiment.seed}{experiment.python_ties}).edges\n"
            "\n\n"
            f"splits = {testing.code}\n"
            f"naive = bn.prediction.naive_bayes({target})\n"
            f"learners = {{'learned': learned, 'naive Bayes': naive, 'base rate': bn.prediction.base_rate{also}}}\n"
            f"table = bn.prediction.compare_predictions(data, {target}, learners, splits, ess={testing.ess}).table()\n"
            "print(table)\n"
        )
    )


#: A state that fewer rows have is rare: how often a prediction is right then says little.
_RARE = 0.2


def _accuracy_sentence(made: bn.prediction.PredictionComparison, testing: Testing, experiment: bn.Experiment) -> str:
    """Return the finding in numbers: no better than the base rate, how a rare state is detected, or how often right."""
    own, target = learned_name(experiment), escaped(testing.target)
    lead, error = made.difference(own, BASE)
    means = made.table().set_index(["measure", "learner"])["mean"]
    if not lead < -2 * error:
        brier = [short(means["brier", name]) for name in (own, BASE)]
        return (
            f"The learned network predicts {target} **no better than its base rate**: the Brier score is {brier[0]}, "
            f"that of the base rate {brier[1]}."
        )
    found = bn.prediction.detection(made.predictions[own])
    if flags_in_sentence(found, made.predictions[own]):
        _, flagged = found.counts[:, 1].tolist()
        return (
            f"Of the {counted(int(found.counts[:, 1].sum()), 'row')} that the learned network finds likeliest to have "
            f"{target} = {escaped(found.state)}, **{flagged} do ({percent(found.precision)})**; of all rows, "
            f"{percent(found.base_rate)} do." + ("" if math.isnan(found.auc) else f" AUC **{short(found.auc)}**.")
        )
    names = (own, NAIVE, BASE)
    right, missed = (
        [write(means[measure, name]) for name in names]
        for measure, write in (("accuracy", percent), ("absolute_error", short))
    )
    return (
        f"The learned network predicts {target} right in **{right[0]}** of rows, against {right[1]} "
        f"with naive Bayes and {right[2]} with the base rate; the mean absolute error is **{missed[0]}**, against "
        f"{missed[1]} and {missed[2]}."
    )


def flags_in_sentence(found: bn.prediction.Detection, own: bn.prediction.Predictions) -> bool:
    """Return whether the finding is about the rows that are flagged as having a rare state, not all predictions."""
    return found.base_rate < _RARE and len(own.states) == 2


def _averaged_sentence(made: bn.prediction.PredictionComparison, own: str) -> str:
    """Return the accuracy of both: one network, and the average over networks."""
    means = made.table().set_index(["measure", "learner"])["mean"]
    brier = [short(means["brier", name]) for name in (AVERAGED, own)]
    gain, error = (short(one) for one in made.difference(own, AVERAGED, "log_loss"))
    right = [percent(means["accuracy", name]) for name in (AVERAGED, own)]
    n = counted(made.predictions[AVERAGED].n_networks, "network")
    return (
        f"Averaged over up to {n} drawn from the posterior, the Brier score is **{brier[0]}**, with the learned "
        f"network alone {brier[1]}; they predict **{right[0]}** and {right[1]} of rows correctly. Averaging saves "
        f"{gain} ± {error} nats per row of the log loss."
    )


def without_edges(data: bn.Dataset, target: str, own: bn.prediction.Predictions, experiment: bn.Experiment) -> None:
    """Say that a target without edges is predicted by its base rate."""
    graph = experiments.graph_of(experiment, data)
    if graph is None or any(target in edge for edge in graph.edges):
        return
    rates = ", ".join(
        f"{escaped(state)}: {percent(float((own.observed == k).mean()))}" for k, state in enumerate(own.states[:4])
    )
    st.info(WORDS["no_edge"].format(target=escaped(target), rates=rates), icon=":material/info:")


def detecting(made: bn.prediction.PredictionComparison, testing: Testing, experiment: bn.Experiment) -> None:
    """Show precision, recall and AUC of each network for one state, and the learned network's confusion matrix."""
    own = made.predictions[learned_name(experiment)]
    there = [state for k, state in enumerate(own.states) if (own.observed == k).any()]
    rarest = bn.prediction.detection(own).state
    left, right = st.container(key=Key.wide("detection")).columns([3, 2], gap="large")
    state = choice("State to detect", there, Key.of(Key.DETECTED, testing.target), left, first=rarest, width=220)
    lines = []
    for name, one in made.predictions.items():
        found = bn.prediction.detection(one, state)
        lines.append({"network": name, "auc": found.auc, "precision": found.precision, "recall": found.recall})
    found = bn.prediction.detection(own, state)
    titles = {"network": "Network", "auc": "AUC", "precision": "Precision", "recall": "Recall"}
    with left:
        show.table(lines, titles, decimals=3)
    with right:
        if flags_in_sentence(found, own):
            st.markdown(f"**{escaped(testing.target)}: flagged by the learned network vs. observed**")
            cells = [[f"not {state}", *found.counts[0].tolist()], [state, *found.counts[1].tolist()]]
            show.table(pd.DataFrame(cells, columns=["observed", "not flagged", "flagged"]))
        else:
            st.markdown(f"**Rows by {escaped(testing.target)}: observed (down) and predicted (across)**")
            show.table(own.confusion().reset_index())
    show.note(WORDS["detection"].format(state=escaped(state), rate=percent(found.base_rate)), "detection")


# The spanning-tree procedure: add edges in order of dependence until the prediction is good enough.

_MOST_EDGES, _MOST_PARENTS = 150, 3
_FEW_EDGES = 30


def edges_section(data: bn.Dataset) -> None:
    """Show the finding, the curve next to the network, the slider, and the controls."""
    if data.n_variables < 2:
        st.info("Edges need at least two variables; these data have one.")
        return
    top, pictures = st.container(), st.container()
    testing = testing_controls(data)
    if testing is None:
        return
    titles = {name: title for name, (title, _) in MEASURES.items()}
    row = st.container(horizontal=True, gap="medium")
    measure = choice("Measure", titles, Key.MEASURE, row, first="brier", width=180)
    key = Key.of(Key.TREE_ROOT, testing.target)
    about = "The maximum spanning tree is directed away from it, which orders the variables."
    root = choice("Root of the tree", data.names, key, row, first=testing.target, width=200, help=about)
    curve = jobs.complete_result_of(
        "edges",
        (data, root, *testing.of),
        lambda progress: bn.prediction.edge_curve(
            data, testing.target, testing.splits, root, _MOST_PARENTS, _MOST_EDGES, testing.ess, progress=progress
        ),
        "splits learned from",
    )
    if curve is None:
        return
    stop = curve.good_enough(measure)
    with pictures:
        step = draw(curve, data, testing, measure, stop)
    show.finding(_edges_sentence(curve, testing, measure, stop), top)
    explain(curve, step)
    take_away(
        ("Curve", curve.table(), "edge_curve.csv"),
        ("Edges in order of dependence", curve.plan.table(), "edges.csv"),
        code=run_state.experiment().data.python() + f"splits = {testing.code}\n"
        f"curve = bn.prediction.edge_curve(data, {testing.target!r}, splits, {root!r}, {_MOST_PARENTS}, {_MOST_EDGES}, "
        f"ess={testing.ess})\nprint(curve.good_enough({measure!r}))\nprint(curve.table())\n",
    )


def draw(curve: bn.prediction.EdgeCurve, data: bn.Dataset, testing: Testing, measure: str, stop: int) -> int:
    """Draw the curve next to the network with the slider's number of edges; return that number."""
    left, right = st.columns([4, 7], gap="medium")
    most = len(curve.plan.edges)
    key = persistent(Key.EDGES, *testing.of, measure, stop, most, curve.plan.ordering[0])
    step = st.slider("Edges added", 0, most, value=stop, **key)
    title, fixed = MEASURES[measure][0], [(data.index(a), data.index(b)) for a, b in arranging(curve.plan)]
    figure = edge_curve_figure(curve, measure, title, stop, step, state.dark())
    show.chart(figure, "predict_edge_curve", f"{title} against the number of edges", left)
    picture = NetworkPicture(data.names, edge_styles(curve, data, step), arrange=fixed, width_hint=500)
    show.chart(picture, "predict_network", f"Network with {counted(step, 'edge')}", right)
    return int(step)


def arranging(plan: bn.prediction.EdgePlan) -> list[tuple[str, str]]:
    """Return the edges that fix the layout at every step: all if they are few, otherwise those of the tree."""
    return plan.edges if len(plan.edges) <= _FEW_EDGES else plan.tree


def edge_styles(curve: bn.prediction.EdgeCurve, data: bn.Dataset, step: int) -> dict[tuple[int, int], EdgeStyle]:
    """Return the styles of the first edges: the last one added stands out, those at the target are dark."""
    dark, plan = state.dark(), curve.plan
    styles = {}
    for number, ((parent, child), nats) in enumerate(zip(plan.edges[:step], plan.information, strict=False), start=1):
        color = FRESH if number == step else ink(dark) if curve.target in (parent, child) else faint(dark)
        styles[data.index(parent), data.index(child)] = EdgeStyle(
            color,
            2.4 if number == step else 1.4,
            f"<b>{plain(parent)} → {plain(child)}</b><br>edge {number}, {short(nats)} nats",
        )
    return styles


def _edges_sentence(curve: bn.prediction.EdgeCurve, testing: Testing, measure: str, stop: int) -> str:
    """Return the finding in numbers."""
    title, _, unit = MEASURES[measure][0].partition(", ")
    title = title if title.startswith("Brier") else title.lower()
    without, *means = (f"{short(mean)} {unit}".strip() for mean in curve.means[measure])
    of, best = f"{title} of predicting {escaped(testing.target)} ({testing.words})", curve.good_enough(measure, 0.0)
    if best == 0:
        return f"**No edge improves** the {of}: without any it is **{without}**."
    close = f"{means[best - 1]}, with {counted(best, 'edge')}"
    if stop == 0:
        return (
            f"**No edge is needed**: without any, the {of} is **{without}**. The best, {close}, is within one standard "
            "error of that."
        )
    start = f"With **{stop} of {len(means)} edges** the {of} is **{means[stop - 1]}**, without edges {without}."
    return f"{start} That is the best." if best == stop else f"{start} The best, {close}, is within one standard error."


def explain(curve: bn.prediction.EdgeCurve, step: int) -> None:
    """Explain the procedure and the edge added last."""
    plan = curve.plan
    st.caption(WORDS["edges"].format(root=escaped(plan.ordering[0])))
    if step:
        parent, child = plan.edges[step - 1]
        show.note(
            f"Edge {step}: **{escaped(parent)} → {escaped(child)}**, chosen for its mutual information:",
            "edge",
            small=False,
        )
        show.formula(
            r"I(X;Y) = \sum_{x,y} \frac{n_{xy}}{N}\,\ln\frac{N\,n_{xy}}{n_x\,n_y} = "
            rf"{tex(plan.information[step - 1])}\ \text{{nats}}"
        )
