"""The spanning-tree procedure: edges in order of dependence until the prediction is good enough."""

import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import repeat_popover, take_away
from pages._shared.figures.edge_curve import edge_curve_figure
from pages._shared.figures.network import EdgeStyle, network_figure, plain
from pages._shared.figures.palette import FRESH, faint, ink
from pages._shared.format import escaped, short, tex
from pages._shared.jobs import running
from pages._shared.sections.predict.controls import MEASURES, Testing, testing_controls
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice, tabs

RULE, VALUE = "near the best", "a value"
_MOST_EDGES = 150
_FEW_EDGES = 30
_TARGET_IS_ROOT = "the target"


def section(data: bn.Dataset) -> None:
    """Finding, curve beside network, slider, controls."""
    if data.n_variables < 2:
        st.info("Edges need two variables; these data have one.")
        return
    top, pictures = st.container(), st.container()
    testing = testing_controls(data)
    if testing is None:
        return
    root, max_parents = tree_controls(data)
    curve = running.at_once(
        "edges",
        f"{testing.key} {root} {max_parents}",
        lambda tell: bn.prediction.edge_curve(
            data, testing.target, testing.splits, root, max_parents, _MOST_EDGES, testing.ess, tell
        ),
        "splits learned from",
    )
    if curve is None:
        return
    measure = str(session.values.get(Key.MEASURE))
    stop = stopping_point(curve, measure)
    with pictures:
        step = draw(curve, data, testing, measure, stop)
    show.finding(sentence(curve, testing, measure, stop), top)
    explain(curve, step)
    repeat_popover(
        session.settings.experiment().python_data() + f"splits = {testing.code}\n"
        f"curve = bn.prediction.edge_curve(data, {testing.target!r}, splits, {root!r}, {max_parents}, {_MOST_EDGES}, "
        f"ess={testing.ess})\nprint(curve.good_enough({measure!r}, {rule()}))\n"
        "print(curve.table())\n"
    )


def tree_controls(data: bn.Dataset) -> tuple[str | None, int]:
    """Root and most parents, and what counts as good enough."""
    columns = st.columns([3, 3, 3, 2], gap="medium")
    columns[0].selectbox("measure", list(MEASURES), format_func=lambda m: MEASURES[m][0], **kept(Key.MEASURE))
    enough = tabs("good enough is", (RULE, VALUE), Key.ENOUGH, columns[1], first=RULE, label_visibility="visible")
    if enough == RULE:
        columns[2].slider(
            "standard errors from the best",
            0.0,
            3.0,
            step=0.25,
            **kept(Key.SLACK),
            help="1: the fewest edges whose mean lies within one standard error of the best number of edges "
            "(Breiman, Friedman, Olshen & Stone 1984).",
        )
    else:
        columns[2].number_input("reached with a measure of", 0.0, 100.0, step=0.01, **kept(Key.ENOUGH_VALUE))
    max_parents = columns[3].number_input(
        "most parents",
        1,
        6,
        **kept(Key.EDGE_PARENTS),
        help="An edge that would give its child more parents is passed over: its table grows with every parent.",
    )
    options = [_TARGET_IS_ROOT, *data.names]
    root = choice("root of the tree", options, Key.TREE_ROOT, columns[0], first=_TARGET_IS_ROOT)
    return None if root == _TARGET_IS_ROOT else root, int(max_parents)


def stopping_point(curve: bn.prediction.EdgeCurve, measure: str) -> int | None:
    """Where the person's rule stops."""
    if session.values.get(Key.ENOUGH) == VALUE:
        return curve.good_enough(measure, value=float(session.values.get(Key.ENOUGH_VALUE)))
    return curve.good_enough(measure, slack=float(session.values.get(Key.SLACK)))


def rule() -> str:
    """The same as a Python argument."""
    if session.values.get(Key.ENOUGH) == VALUE:
        return f"value={float(session.values.get(Key.ENOUGH_VALUE))}"
    return f"slack={float(session.values.get(Key.SLACK))}"


def draw(curve: bn.prediction.EdgeCurve, data: bn.Dataset, testing: Testing, measure: str, stop: int | None) -> int:
    """The curve beside the network at the slider's number of edges, which is returned."""
    left, right = st.columns([4, 7], gap="medium")
    most = len(curve.plan.edges)
    slider, shown = st.container(), stop if stop is not None else most
    step = slider.slider(
        "edges added",
        0,
        most,
        value=shown,
        **kept(Key.EDGES, testing.key, measure, shown, most, curve.plan.ordering[0]),
    )
    show.chart(
        edge_curve_figure(curve, measure, MEASURES[measure][0], stop, step, session.dark()),
        "predict_edge_curve",
        "Predictive ability against the number of edges",
        left,
    )
    show.chart(
        network_figure(
            data.names,
            edge_styles(curve, data, step),
            session.dark(),
            arrange=[(data.index(a), data.index(b)) for a, b in arranging(curve.plan)],
            width_hint=500,
        ),
        "predict_network",
        f"The network with {step} edges",
        right,
        movable=True,
    )
    return step


def arranging(plan: bn.prediction.EdgePlan) -> list[tuple[str, str]]:
    """The edges that fix the nodes' places whatever the step: all of them where they are few, else the tree's."""
    return plan.edges if len(plan.edges) <= _FEW_EDGES else plan.tree


def edge_styles(curve: bn.prediction.EdgeCurve, data: bn.Dataset, step: int) -> dict[tuple[int, int], EdgeStyle]:
    """The first edges of the plan; the last one added stands out, those at the target are dark."""
    dark, plan = session.dark(), curve.plan
    styles = {}
    for number, ((parent, child), nats) in enumerate(zip(plan.edges[:step], plan.information, strict=False), start=1):
        color = FRESH if number == step else ink(dark) if curve.target in (parent, child) else faint(dark)
        styles[data.index(parent), data.index(child)] = EdgeStyle(
            color,
            2.4 if number == step else 1.4,
            f"<b>{plain(parent)} → {plain(child)}</b><br>edge {number}, {short(nats)} nats",
        )
    return styles


def sentence(curve: bn.prediction.EdgeCurve, testing: Testing, measure: str, stop: int | None) -> str:
    """The finding in numbers."""
    title, means = MEASURES[measure][0], curve.means[measure]
    start = f"Predicting {escaped(testing.target)} ({testing.words}): without edges {title} is {short(means[0])}"
    if stop is None:
        return f"{start}; the value asked for is never reached in {len(means) - 1} edges."
    best = curve.good_enough(measure, slack=0.0) or 0
    if best == stop:
        return f"{start}, with **{stop} of {len(means) - 1} edges** it is **{short(means[stop])}**, the best."
    return (
        f"{start}, with **{stop} of {len(means) - 1} edges** it is **{short(means[stop])}**: good enough "
        f"(best: {short(means[best])} with {best})."
    )


def explain(curve: bn.prediction.EdgeCurve, step: int) -> None:
    """What is shown, the edge's formula, and the numbers."""
    plan = curve.plan
    st.caption(
        "The maximum spanning tree of mutual information gives an ordering from its root, "
        f"{escaped(plan.ordering[0])}; then all edges are removed and added again, most dependent pair first, each "
        "from the earlier variable to the later (Sucar's procedure). Curve: tested on rows that were not learned "
        "from, ± one standard error; the network drawn is that of all rows, the edge added last in orange. The "
        "prediction changes only with edges at the target or into its children: between them the curve is flat."
    )
    if step:
        parent, child = plan.edges[step - 1]
        show.note(
            f"Edge {step}: **{escaped(parent)} → {escaped(child)}**, chosen for its mutual information:",
            "edge",
            small=False,
        )
        st.latex(
            r"I(X;Y) = \sum_{x,y} \frac{n_{xy}}{N}\,\ln\frac{N\,n_{xy}}{n_x\,n_y} = "
            rf"{tex(plan.information[step - 1])}\ \text{{nats}}"
        )
    take_away(("Curve", curve.table(), "edge_curve.csv"), ("Edges in order of dependence", plan.table(), "edges.csv"))
