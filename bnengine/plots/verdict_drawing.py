"""The network coloured by verdict: an arrow where the direction is settled, a line where it is open."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from bnengine._core.display import probability, share
from bnengine.answers.verdict import DOUBTFUL, FOUND, REAL, TOO_LITTLE, Verdict
from bnengine.bootstrap.resampling_methods import TITLES
from bnengine.plots.network_drawing import Edge, EdgeStyle, NetworkPicture, network_figure, plain
from bnengine.plots.palette import aside, ink, truth_color
from bnengine.search import LearnedGraph

#: Colour on a light and on a dark ground, and dash, of each verdict.
_LOOKS = {
    REAL: ("#00745A", "#45C9A0", "solid"),
    DOUBTFUL: ("#B34E00", "#FF8A3D", "dash"),
    TOO_LITTLE: ("#4756B3", "#A3B1FF", "dot"),
}
_WIDTH, _WEAK = 2.2, 1.2
_HINT = 620  # pixels of the place beside the list
Pairs = Collection[frozenset[str]]


def verdict_look(kind: str, dark: bool) -> EdgeStyle:
    """Return how an adjacency with this verdict is drawn."""
    if kind == FOUND:
        return EdgeStyle(ink(dark), _WIDTH, "")
    if kind not in _LOOKS:
        return EdgeStyle(aside(dark), _WEAK, "", "dot")
    light, on_dark, dash = _LOOKS[kind]
    return EdgeStyle(on_dark if dark else light, _WIDTH, "", dash)


def verdict_picture(
    found: Verdict,
    dark: bool,
    *,
    hidden: bool = False,
    chosen: tuple[str, str] | None = None,
    known: Pairs | None = None,
    arrange: list[Edge] | None = None,
) -> NetworkPicture:
    """Draw the adjacencies that are shown.

    Parameters
    ----------
    found : Verdict
    dark : bool
    hidden : bool
        Also those of the learned graph that are neither found again nor real.
    chosen : (parent, child), optional
        The edge that stands out, in either direction.
    known : collection of pairs, optional
        The adjacencies of a known network, laid over the verdict: colours then say what it has, and what is missed is
        drawn, too.
    arrange : list of (parent, child), optional
        The edges that fix the positions.
    """
    place, styles = {name: v for v, name in enumerate(found.names)}, {}
    for line in found.table(hidden).itertuples():
        look = verdict_look(line.verdict, dark)
        if known is not None:
            look = replace(look, color=truth_color({line.parent, line.child} in known, dark))
        hover = _hover(found, line.parent, line.child, line.direction == "settled")
        styles[place[line.parent], place[line.child]] = replace(look, hover=hover, arrow=line.direction == "settled")
    n_shown = len(styles)
    if known is not None:
        drawn = {frozenset(pair) for pair in styles}
        pairs = [sorted(place[name] for name in pair) for pair in known]
        for i, j in sorted(pairs):
            if frozenset((i, j)) not in drawn:
                hover = f"<b>{plain(found.names[i])} – {plain(found.names[j])}</b><br>in the known network, not found"
                styles[i, j] = EdgeStyle(aside(dark), _WEAK, hover, "dot", arrow=False)
    legend = _legend(found, dark) if known is None else _truth_legend(dark, len(styles) > n_shown)
    picked = None
    if chosen is not None and set(chosen) <= set(place):
        ends = place[chosen[0]], place[chosen[1]]
        picked = next((pair for pair in (ends, ends[::-1]) if pair in styles), None)
    return network_figure(found.names, styles, dark, arrange=arrange, chosen=picked, width_hint=_HINT, legend=legend)


def _hover(found: Verdict, parent: str, child: str, settled: bool) -> str:
    i, j = found.names.index(parent), found.names.index(child)
    both = found.answers
    text = f"<b>{plain(parent)} {'→' if settled else '–'} {plain(child)}</b><br>found again "
    text += f"{share(float(both.found_again[i, j]))} ({TITLES[both.method]})"
    if both.real is not None:
        text += f"<br>real {probability(float(both.real[i, j]))} (posterior)"
    return f"{text}<br>direction {'settled' if settled else 'open'}"


def _legend(found: Verdict, dark: bool) -> list[tuple[str, EdgeStyle]]:
    counts = found.counts()
    return [(f"{counts[kind]:,} {kind}", replace(verdict_look(kind, dark), arrow=False)) for kind in found.kinds[:-1]]


def _truth_legend(dark: bool, missed: bool) -> list[tuple[str, EdgeStyle]]:
    lines = [("in the known network", True), ("not in it", False)]
    legend = [(text, EdgeStyle(truth_color(inside, dark), _WIDTH, "")) for text, inside in lines]
    return [*legend, *([("missed", EdgeStyle(aside(dark), _WEAK, "", "dot"))] if missed else [])]


def learned_picture(graph: LearnedGraph, dark: bool) -> NetworkPicture:
    """Draw the learned graph while nothing is known of its edges; an arrow where the direction is compelled."""
    classes = graph.cpdag
    styles = {
        (i, j): EdgeStyle(
            ink(dark), 1.4, f"<b>{plain(graph.names[i])} → {plain(graph.names[j])}</b><br>learned from the data",
            arrow=bool(classes[i, j] and not classes[j, i]), opacity=0.6,
        )
        for i, j in np.argwhere(graph.adjacency).tolist()
    }  # fmt: skip
    return network_figure(graph.names, styles, dark, width_hint=_HINT)
