"""Figures of prediction: what evidence changes, how well each network predicts, and with how many edges."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bnengine._core.display import plus_minus, probability, short
from bnengine._core.labels import short_label
from bnengine.networks.inference import Posteriors
from bnengine.plots import palette as paint
from bnengine.plots.network_drawing import NetworkPicture, Share, arrows, plain
from bnengine.plots.palette import Look
from bnengine.prediction import EdgeCurve

# The distributions of several variables before and after evidence, two bars per variable.

_LIGHT = ((58, 90, 120), (222, 229, 236))  # from the first state's shade to the last's
_DARK = ((122, 160, 196), (52, 62, 74))
_LETTERS = 40  # that fit into a whole bar on a narrow screen


def posteriors_figure(table: pd.DataFrame, dark: bool) -> go.Figure:
    """Draw the table of ``bn.prediction.what_if``: a stacked bar per variable, states from left to right.

    The thin bar below each is the distribution before the evidence. Each segment carries its variable and state.
    """
    names = table["variable"].drop_duplicates().tolist()
    bars = [bar for place, name in enumerate(names) for bar in _bars(table[table["variable"] == name], place, dark)]
    x, base, y, width, color, text, text_color, hover, states = (list(column) for column in zip(*bars, strict=True))
    written: Look = {"text": text, "textposition": "inside", "insidetextanchor": "middle", "constraintext": "none"}
    written |= {"textfont": {"color": text_color, "size": 11}, "hovertext": hover, "customdata": states}
    places, look = Look(base=base, width=width, orientation="h"), {"color": color, "line": {"width": 0}}
    figure = go.Figure()
    paint.add_bars(figure, x, y, look, "%{hovertext}", **places, **written, **paint.unfaded(1))
    labels = {"tickvals": list(range(len(names))), "ticktext": [plain(short_label(name)) for name in names]}
    looks = {"showgrid": False, "zeroline": False, "tickfont": {"color": paint.ink(dark), "size": 12}}
    up, margin = {**labels, **looks, "range": [len(names) - 0.4, -0.5]}, {"t": 2, "b": 2}
    across = {"visible": False, "range": [0, 1]}
    return paint.framed(figure, dark, 20 + 29 * len(names), across, up, barmode="overlay", margin=margin)


def network_of_posteriors(
    edges: Sequence[tuple[str, str]], before: Posteriors, after: Posteriors, dark: bool
) -> NetworkPicture:
    """Draw a network with the distribution of each variable in its node; an observed variable stands out."""
    styles = arrows(after.names, edges, paint.ink(dark), 1.4, 0.6)
    bars = {name: _shares(name, before, after, dark) for name in after.names}
    return NetworkPicture(after.names, styles, width_hint=1240, bars=bars)


def _shares(name: str, before: Posteriors, after: Posteriors, dark: bool) -> list[Share]:
    states, observed = after.states[after.names.index(name)], after.evidence.get(name)
    parts = []
    for number, (state, p, q) in enumerate(zip(states, before[name].tolist(), after[name].tolist(), strict=True)):
        text = [f"{name} = {state}", f"before {short(p)}, {'observed' if state == observed else f'after {short(q)}'}"]
        parts.append(Share(state, q, _shade(number, len(states), dark)[0], text, state == observed))
    return parts


def _bars(lines: pd.DataFrame, place: int, dark: bool) -> Iterator[tuple[object, ...]]:
    """Yield the segments of a variable's two bars.

    Length, start, place, width, color, text, its color, hover text, the variable with its state.
    """
    for column, offset, width in (("after", 0.0, 0.56), ("before", 0.38, 0.14)):
        start = 0.0
        for number, line in enumerate(lines.itertuples()):
            share, state = float(getattr(line, column)), str(line.state)
            color, light = _shade(number, len(lines), dark)
            label = f"{short_label(state)}: {probability(share)}"
            text = plain(label) if column == "after" and len(label) <= share * _LETTERS else ""
            name = f"<b>{plain(str(line.variable))}</b> = {plain(state)}"
            hover = f"{name}<br>before {short(line.before)}, after {short(line.after)}"
            ink_on = "#1B1F24" if light else "#FFFFFF"
            yield share, start, place + offset, width, color, text, ink_on, hover, (str(line.variable), state)
            start += share


def _shade(number: int, n: int, dark: bool) -> tuple[str, bool]:
    """Return the color of a state, and whether it is light."""
    first, last = _DARK if dark else _LIGHT
    share = number / max(n - 1, 1)
    mixed = [round(a + (b - a) * share) for a, b in zip(first, last, strict=True)]
    return f"rgb({mixed[0]},{mixed[1]},{mixed[2]})", sum(mixed) > 3 * 128


# How well each network predicts, by one measure.


def accuracy_figure(table: pd.DataFrame, measure: str, title: str, more_is_better: bool, dark: bool) -> go.Figure:
    """Draw one line per network: its mean and standard error; the best is filled."""
    lines = table[table["measure"] == measure]
    means, spread = lines["mean"], lines["standard_error"]
    best = means.max() if more_is_better else means.min()
    figure, color = go.Figure(), [paint.ink(dark) if mean == best else paint.faint(dark) for mean in means]
    bars = {"array": spread.fillna(0.0), "color": paint.ink(dark), "thickness": 1.4, "width": 4}
    look = {"size": 9, "color": color, "line": {"color": paint.ink(dark), "width": 1.2}}
    written = paint.above([short(mean) for mean in means], {"size": 11})
    ranges = [plus_minus(*values) for values in zip(means, spread, strict=True)]
    names, hover = [plain(name) for name in lines["learner"]], "%{y}<br>" + plain(title) + " %{customdata}"
    paint.add_marks(figure, means, names, look, hover, error_x=bars, customdata=ranges, cliponaxis=False, **written)
    better = f"<b>{plain(title)}</b><br>{'higher' if more_is_better else 'lower'} is better"
    axes: Look = {"legend": False, "x_axis": {"showgrid": True, "nticks": 5}, "y_axis": paint.FROM_TOP}
    return paint.with_axes(figure, dark, 90 + 30 * len(lines), better, margin={"t": 14, "b": 4}, **axes)


# How well a network predicts, against its number of edges.


def edge_curve_figure(curve: EdgeCurve, measure: str, title: str, stop: int, step: int, dark: bool) -> go.Figure:
    """Draw the measure on test rows ± standard error; mark where it is good enough, and the number of edges shown."""
    means, errors = curve.means[measure], np.nan_to_num(curve.errors[measure])
    edges = np.arange(len(means))
    figure = go.Figure()
    around = np.concatenate([means - errors, (means + errors)[::-1]])
    area = {"mode": "lines", "fill": "toself", "fillcolor": paint.faint(dark), "opacity": 0.45, "line": {"width": 0}}
    figure.add_scatter(x=np.concatenate([edges, edges[::-1]]), y=around, hoverinfo="skip", **area)
    added = ["no edges", *(f"{plain(parent)} → {plain(child)}" for parent, child in curve.plan.edges)]
    hover = "edges: %{x}<br>%{y:.4f} ± %{customdata[1]:.4f}<br>last edge: %{customdata[0]}"
    looks: Look = {"mode": "lines+markers" if len(means) < 60 else "lines", "marker": {"size": 5}}
    known = np.column_stack([np.array(added, dtype=object), errors])
    paint.add_line(figure, edges, means, paint.ink(dark), hover, customdata=known, **looks)
    paint.add_reference(figure, stop, dark, 1.5, "dash")
    side = "left" if stop < 0.6 * len(means) else "right"
    place = {"x": stop, "y": 1.0, "yref": "paper", "xanchor": side, "yanchor": "bottom"}
    figure.add_annotation(**place, text=f"good enough: {stop}", showarrow=False, font={"color": paint.ink(dark)})
    paint.add_marks(
        figure,
        [step],
        [means[step]],
        {"size": 12, "color": paint.FRESH, "line": {"color": paint.ink(dark), "width": 1.2}},
    )
    return paint.with_axes(figure, dark, 360, "edges added", plain(title), legend=False, margin={"t": 26})
