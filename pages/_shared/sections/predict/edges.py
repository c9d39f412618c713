"""The spanning-tree procedure: add edges in order of dependence until the prediction is good enough."""

import streamlit as st

import bnengine as bn
from pages._shared import session, show
from pages._shared.downloads import take_away
from pages._shared.figures.edge_curve import edge_curve_figure
from pages._shared.figures.network import EdgeStyle, network_figure, plain
from pages._shared.figures.palette import FRESH, faint, ink
from pages._shared.format import counted, escaped, short, tex
from pages._shared.jobs import running
from pages._shared.sections.predict.controls import MEASURES, Testing, testing_controls
from pages._shared.session import Key, kept
from pages._shared.widgets.choice import choice, tabs

RULE, VALUE = "Near the best", "A value"
_MOST_EDGES = 150
_FEW_EDGES = 30
_TARGET_IS_ROOT = "The target"


def section(data: bn.Dataset) -> None:
    """Show the finding, the curve next to the network, the slider, and the controls."""
    if data.n_variables < 2:
        st.info("Edges need at least two variables; these data have one.")
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
    rule = stopping_rule()
    stop = curve.good_enough(measure, **rule)
    with pictures:
        step = draw(curve, data, testing, measure, stop)
    show.finding(sentence(curve, testing, measure, stop), top)
    explain(curve, step)
    how = ", ".join(f"{name}={value}" for name, value in rule.items())
    take_away(
        ("Curve", curve.table(), "edge_curve.csv"),
        ("Edges in order of dependence", curve.plan.table(), "edges.csv"),
        code=session.settings.experiment().python_data() + f"splits = {testing.code}\n"
        f"curve = bn.prediction.edge_curve(data, {testing.target!r}, splits, {root!r}, {max_parents}, {_MOST_EDGES}, "
        f"ess={testing.ess})\nprint(curve.good_enough({measure!r}, {how}))\nprint(curve.table())\n",
    )


def tree_controls(data: bn.Dataset) -> tuple[str | None, int]:
    """Choose what is good enough; return the root of the tree and the most parents."""
    row = st.container(horizontal=True, vertical_alignment="top", gap="medium")
    choice("Measure", {name: title for name, (title, _) in MEASURES.items()}, Key.MEASURE, row, width=180)
    enough = tabs("Good enough", (RULE, VALUE), Key.ENOUGH, row, first=RULE, label_visibility="visible")
    if enough == RULE:
        described = (
            "1: the fewest edges whose mean is within one standard error of the best mean (Breiman, Friedman, Olshen & "
            "Stone 1984)."
        )
        label = "Standard errors from the best"
        row.slider(label, 0.0, 3.0, step=0.25, help=described, width=220, **kept(Key.SLACK))
    else:
        row.number_input("Value to reach", 0.0, 100.0, step=0.01, width=220, **kept(Key.ENOUGH_VALUE))
    described = "Edges that would give their child more parents are skipped: a table grows with every parent."
    max_parents = row.number_input("Parents, at most", 1, 6, help=described, width=180, **kept(Key.EDGE_PARENTS))
    options = [_TARGET_IS_ROOT, *data.names]
    root = choice("Root of the tree", options, Key.TREE_ROOT, row, first=_TARGET_IS_ROOT, width=180)
    return None if root == _TARGET_IS_ROOT else root, int(max_parents)


def stopping_rule() -> dict[str, float]:
    """Return the argument of ``EdgeCurve.good_enough`` that says where to stop."""
    if session.values.get(Key.ENOUGH) == VALUE:
        return {"value": float(session.values.get(Key.ENOUGH_VALUE))}
    return {"slack": float(session.values.get(Key.SLACK))}


def draw(curve: bn.prediction.EdgeCurve, data: bn.Dataset, testing: Testing, measure: str, stop: int | None) -> int:
    """Draw the curve next to the network with the slider's number of edges; return that number."""
    left, right = st.columns([4, 7], gap="medium")
    most = len(curve.plan.edges)
    slider, shown = st.container(), stop if stop is not None else most
    step = slider.slider(
        "Edges added",
        0,
        most,
        value=shown,
        **kept(Key.EDGES, testing.key, measure, shown, most, curve.plan.ordering[0]),
    )
    show.chart(
        edge_curve_figure(curve, measure, MEASURES[measure][0], stop, step, session.dark()),
        "predict_edge_curve",
        f"{MEASURES[measure][0]} against the number of edges",
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
        f"Network with {counted(step, 'edge')}",
        right,
        movable=True,
    )
    return step


def arranging(plan: bn.prediction.EdgePlan) -> list[tuple[str, str]]:
    """Return the edges that fix the layout at every step: all if they are few, otherwise those of the tree."""
    return plan.edges if len(plan.edges) <= _FEW_EDGES else plan.tree


def edge_styles(curve: bn.prediction.EdgeCurve, data: bn.Dataset, step: int) -> dict[tuple[int, int], EdgeStyle]:
    """Return the styles of the first edges: the last one added stands out, those at the target are dark."""
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
    """Return the finding in numbers."""
    title, means = MEASURES[measure][0], curve.means[measure]
    of = f"{title[0].lower() + title[1:]} of predicting {escaped(testing.target)} ({testing.words})"
    if stop is None:
        return (
            f"No number of edges up to {len(means) - 1} reaches the value: the {of} is **{short(means[0])}** without "
            f"edges and **{short(means[-1])}** with all."
        )
    start = f"With **{stop} of {len(means) - 1} edges** the {of} is **{short(means[stop])}**"
    best = curve.good_enough(measure, slack=0.0) or 0
    if best == stop:
        return f"{start}, the best; without edges it is {short(means[0])}."
    return f"{start}, which is good enough; without edges it is {short(means[0])}, at best {short(means[best])}."


def explain(curve: bn.prediction.EdgeCurve, step: int) -> None:
    """Explain the procedure and the edge added last."""
    plan = curve.plan
    st.caption(
        "The maximum spanning tree of mutual information orders the variables from its root, "
        f"{escaped(plan.ordering[0])}. Then edges are added to the empty graph, the most dependent pair first, each "
        "from the earlier variable to the later one (Sucar's procedure). Left: mean on test rows ± one standard error. "
        "Right: the network of all rows, the edge added last in orange. Only edges at the target or into its children "
        "change the prediction; between them the curve is flat."
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
