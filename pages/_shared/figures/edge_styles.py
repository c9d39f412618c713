"""How edges are drawn by their confidence, and by which of two graphs has them."""

from collections.abc import Iterable

from pages._shared.figures.network import Edge, EdgeStyle
from pages._shared.figures.palette import ink

_SHOWN = (0.25, 0.5, 1.0)  # in the legend


def confidence_width(share: float) -> float:
    """The width of an edge with this confidence, in pixels."""
    return 0.7 + 2.3 * share


def confidence_opacity(share: float) -> float:
    """The opacity of an edge with this confidence: weak edges stay visible."""
    return 0.4 + 0.6 * share


def confidence_legend(color: str, title: str = "strength") -> list[tuple[str, EdgeStyle]]:
    """Sample lines of some confidences; the first has the title before its number."""
    return [
        (
            f"{title} {share:g}" if share == _SHOWN[0] else f"{share:g}",
            EdgeStyle(color, confidence_width(share), "", opacity=confidence_opacity(share)),
        )
        for share in _SHOWN
    ]


def compared(
    one: Iterable[Edge],
    other: Iterable[Edge],
    titles: tuple[str, str],
    colors: tuple[str, str],
    dark: bool,
    dash: str = "solid",
) -> tuple[dict[Edge, EdgeStyle], list[tuple[str, EdgeStyle]]]:
    """Two graphs in one picture.

    Parameters
    ----------
    one, other : iterable of (parent, child)
    titles : (str, str)
        Of the graphs, as words of a sentence.
    colors : (str, str)
        Of the edges that only the one graph has, or only the other; those of both are in ink, dashed and in the
        direction of the one where the other has them the other way round.
    dark : bool
    dash : str
        Of the edges that only the other graph has: "dot" where the one is the graph learned from the data.

    Returns
    -------
    dict from (parent, child) to EdgeStyle
    list of (str, EdgeStyle)
        The legend, with numbers of edges.
    """
    first, second = set(one), set(other)
    turned = {(i, j) for i, j in first - second if (j, i) in second}
    groups = [
        (first & second, "in both", ink(dark), "solid"),
        (turned, "in both, reversed", ink(dark), "dash"),
        (first - second - turned, f"only {titles[0]}", colors[0], "solid"),
        (second - first - {(j, i) for i, j in turned}, f"only {titles[1]}", colors[1], dash),
    ]
    groups = [group for group in groups if group[0] or "reversed" not in group[1]]
    styles = {edge: EdgeStyle(color, 1.8, text, line) for edges, text, color, line in groups for edge in edges}
    legend = [(f"{len(edges)} {text}", EdgeStyle(color, 1.8, "", line)) for edges, text, color, line in groups]
    return dict(sorted(styles.items())), legend
