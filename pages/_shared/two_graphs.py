"""Two graphs over the same variables in one picture: what both have, what only one of them has."""

from collections.abc import Sequence

import pandas as pd

from bnengine.graphs.known_truth import EdgeComparison, compare_with_truth
from pages._shared import session, show
from pages._shared.downloads import csv_button
from pages._shared.figures.edge_styles import compared
from pages._shared.figures.network import Edge, EdgeStyle, network_figure, plain
from pages._shared.format import counted
from pages._shared.widgets.network_part import chosen_part

Edges = Sequence[tuple[str, str]]


def two_graphs(
    names: Sequence[str],
    one: Edges,
    other: Edges,
    titles: tuple[str, str],
    colors: tuple[str, str],
    name: str,
    arrange: Sequence[Edge] | None = None,
    dash: str = "dot",
) -> None:
    """Draw both graphs on one layout, with a sentence above and a download below.

    Parameters
    ----------
    names : sequence of str
        The variables.
    one, other : sequence of (parent, child)
        Both acyclic.
    titles : (str, str)
        Of the graphs, as words of a sentence after *only*.
    colors : (str, str)
        Of the edges that only the one graph has, or only the other.
    name : str
        Unique on the page.
    arrange : sequence of (int, int), optional
        The edges that fix the positions; by default those of both graphs.
    dash : str
        Of the edges that only the other graph has; dotted where the one is the graph learned from the data.
    """
    found = compare_with_truth(names, one, other)
    show.note(comparison_sentence(found, titles), name, small=False)
    place = {variable: v for v, variable in enumerate(names)}
    pairs = [[(place[parent], place[child]) for parent, child in edges] for edges in (one, other)]
    styles, legend = compared(*pairs, titles, colors, session.dark(), dash)
    fixed = list(styles) if arrange is None else list(arrange)
    named = {edge: _named(style, names, edge) for edge, style in styles.items()}
    picture = network_figure(names, named, session.dark(), arrange=fixed, legend=legend)
    show.chart(chosen_part(picture, name, fixed), name, comparison_sentence(found, titles).replace("**", ""))
    csv_button("Both graphs", comparison_table(found, titles), f"{name}.csv")


def comparison_sentence(found: EdgeComparison, titles: tuple[str, str]) -> str:
    """The numbers of edges and both distances."""
    turned = f" and {counted(len(found.reversed), 'edge')} in opposite directions" if found.reversed else ""
    return (
        f"**{counted(len(found.true), 'edge')}** in both graphs{turned}; **{len(found.extra)}** only {titles[0]}, "
        f"**{len(found.missing)}** only {titles[1]}. SHD {found.shd}, between the equivalence classes "
        f"{found.class_shd}."
    )


def comparison_table(found: EdgeComparison, titles: tuple[str, str]) -> pd.DataFrame:
    """All edges of both graphs; a reversed one has the direction of the first graph."""
    words = {"true": "both", "reversed": "both, reversed", "extra": f"only {titles[0]}", "missing": f"only {titles[1]}"}
    lines = [(parent, child, word) for kind, word in words.items() for parent, child in getattr(found, kind)]
    return pd.DataFrame(lines, columns=["parent", "child", "in"])


def _named(style: EdgeStyle, names: Sequence[str], edge: Edge) -> EdgeStyle:
    hover = f"<b>{plain(names[edge[0]])} → {plain(names[edge[1]])}</b><br>{style.hover}"
    return EdgeStyle(style.color, style.width, hover, style.dash)
