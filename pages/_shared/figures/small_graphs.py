"""Graphs of two or three variables, one beside the other, as a lecture draws them."""

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from bnengine.graphs.labels import short_label
from pages._shared.figures.network import plain
from pages._shared.figures.palette import framed, ink, paper

_LONGEST = 10  # characters of a name
_HEIGHT = 70  # pixels of a graph with its title


def small_graphs_figure(
    names: Sequence[str], graphs: Mapping[str, Sequence[tuple[str, str]]], dark: bool, in_a_row: int = 2
) -> go.Figure:
    """Each graph below its title: the variables in a line, in the order given, and arrows between neighbours."""
    figure, color = go.Figure(), ink(dark)
    n_rows = -(-len(graphs) // in_a_row)
    for number, (title, edges) in enumerate(graphs.items()):
        left, height = number % in_a_row * (len(names) + 0.4), n_rows - 1 - number // in_a_row
        place = {name: left + position for position, name in enumerate(names)}
        figure.add_annotation(
            x=left - 0.35, y=height + 0.42, text=plain(title), showarrow=False, xanchor="left", font={"color": color}
        )
        for parent, child in edges:
            figure.add_annotation(
                x=place[child], y=height, ax=place[parent], ay=height, text="", showarrow=True,
                xref="x", yref="y", axref="x", ayref="y", arrowhead=2, arrowwidth=1.6, arrowcolor=color,
                standoff=_half(child), startstandoff=_half(parent),
            )  # fmt: skip
        for name, x in place.items():
            figure.add_annotation(
                x=x, y=height, text=plain(short_label(name, _LONGEST)), showarrow=False, bgcolor=paper(dark),
                bordercolor=color, borderpad=5, font={"color": color},
            )  # fmt: skip
    framed(figure, dark, 20 + _HEIGHT * n_rows)
    width = min(in_a_row, len(graphs)) * (len(names) + 0.4)
    figure.update_xaxes(visible=False, range=[-0.5, width - 0.8])
    return figure.update_yaxes(visible=False, range=[-0.4, n_rows - 0.3])


def _half(name: str) -> int:
    """Half the width of a name's box, in pixels, with a gap."""
    return 11 + 4 * len(short_label(name, _LONGEST))
