"""A network's views, coloured by verdict: an arrow where the direction is settled, a line where it is open."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bnengine._core.display import percent, probability
from bnengine.answers.verdict import DOUBTFUL, NEITHER, NOT_FOUND, REAL, REQUIRED, TOO_LITTLE, UNSURE, Verdict
from bnengine.answers.views import NetworkView
from bnengine.bootstrap.resampling_methods import COLORS, TITLES
from bnengine.data.interventions import numbered
from bnengine.graphs.dag import Adjacency, cpdag
from bnengine.plots.network_drawing import Edge, EdgeStyle, NetworkPicture, first_ends, hubs, plain
from bnengine.plots.palette import aside, ink, method_color
from bnengine.search import LearnedGraph

#: Colour on a light and on a dark ground, and dash, of each verdict.
_LOOKS = {
    REAL: ("#00745A", "#45C9A0", "solid"),
    DOUBTFUL: ("#B34E00", "#FF8A3D", "dash"),
    TOO_LITTLE: ("#4756B3", "#A3B1FF", "dot"),
}
#: Colour on a light and on a dark ground of a positive and of a negative association.
_SIGNS = {1: ("#00707F", "#4FC3D4"), -1: ("#9A4A1F", "#E39A6B")}
#: How an edge stands to the reference, a known network or what was expected: a mark, its colour on a light and on a
#: dark ground, and the words for it.
_KNOWN = {
    "✓": ("#00745A", "#45C9A0", "in the reference"),
    "⇄": ("#4756B3", "#A3B1FF", "reversed"),
    "✗": ("#C22B3B", "#FF7B86", "not in it"),
}
REVERSED = "reversed: in the reference it points the other way"
_WIDTH, _WEAK = 2.2, 1.2
_STRONGEST = 5.0  # width of an association of 1
_HINT = 620  # pixels of the place beside the list
HUBS = "Hubs: the variables with the most edges"
ONLY_HERE, NOT_HERE = "only here", "in the verdict, not here"
Pairs = Collection[tuple[str, str]]


def verdict_look(kind: str, dark: bool) -> EdgeStyle:
    """Return how an edge with this verdict is drawn."""
    if kind == REQUIRED:
        return EdgeStyle(aside(dark), _WIDTH, "")
    if kind not in _LOOKS:
        return EdgeStyle(ink(dark), _WEAK if kind in (NEITHER, NOT_FOUND, UNSURE) else _WIDTH, "")
    light, on_dark, dash = _LOOKS[kind]
    return EdgeStyle(on_dark if dark else light, _WIDTH, "", dash)


def absent_look(dark: bool) -> EdgeStyle:
    """Return how an edge is drawn that another view has."""
    return EdgeStyle(aside(dark), _WEAK, "", "dot", arrow=False)


def mark_of(line: Any, known: Pairs) -> str:
    """Return ✓ if a known network has a line's edge, ⇄ if it has it the other way round and that is settled, else ✗."""
    has, turned = (line.parent, line.child) in known, (line.child, line.parent) in known
    return "✓" if has or (turned and line.direction != "settled") else "⇄" if turned else "✗"


def view_picture(
    view: NetworkView,
    dark: bool,
    *,
    chosen: tuple[str, str] | None = None,
    known: Pairs | None = None,
    arrange: Sequence[Edge] | None = None,
) -> NetworkPicture:
    """Draw a view of a network, in the colours of the verdict; faint what the verdict has and the view has not.

    Parameters
    ----------
    view : NetworkView
    dark : bool
    chosen : (parent, child), optional
        The edge that stands out, in either direction.
    known : collection of (parent, child), optional
        The edges of a known network, laid over the view: colours then say what it has, and what is missed is
        drawn, too.
    arrange : sequence of (parent, child), optional
        The edges that fix the positions.
    """
    place, styles, marks = {name: v for v, name in enumerate(view.names)}, {}, {"✓", "✗"}
    for line in view.rows().itertuples():
        look = verdict_look(line.verdict, dark)
        effect = view.found.effect(line.parent, line.child) if view.signed else None
        if effect is not None:
            look = signed_look(look, effect.in_deviations, effect.sign, dark)
        arrow = line.direction == "settled"
        pair = place[line.parent], place[line.child]
        hover = _hover(view.found, *pair, arrow)
        if known is not None:
            mark = mark_of(line, known)
            marks.add(mark)
            look = replace(look, color=_KNOWN[mark][dark])
            hover += f"<br>{REVERSED}" if mark == "⇄" else ""
        styles[pair] = replace(look, hover=hover, arrow=arrow)
    if known is None:
        absent, why = np.argwhere(view.not_here).tolist(), NOT_HERE
    else:
        absent, why = [sorted(place[name] for name in pair) for pair in known], "in the reference, not found"
    drawn = {frozenset(pair) for pair in styles}
    missed = sorted((i, j) for i, j in absent if frozenset((i, j)) not in drawn)
    for i, j in missed:
        hover = f"<b>{plain(view.names[i])} – {plain(view.names[j])}</b><br>{why}"
        styles[i, j] = replace(absent_look(dark), hover=hover)
    legend = _known_legend(dark, marks, bool(missed)) if known is not None else _legend(view, dark)
    if known is None and view.signed:
        legend = signed_legend(view, dark)
    picked = None
    if chosen is not None and set(chosen) <= set(place):
        ends = place[chosen[0]], place[chosen[1]]
        picked = next((pair for pair in (ends, ends[::-1]) if pair in styles), None)
    return NetworkPicture(
        view.names, styles, arrange=arrange, chosen=picked, width_hint=_HINT, legend=legend, short=view.short,
        layered=_has_order(_classes(view.found)),
    )  # fmt: skip


def _classes(found: Verdict) -> Adjacency:
    """Return the CPDAG of the best-scoring graph, which is known first: no answer that comes later moves the nodes."""
    return cpdag(found.learned, () if found.data is None else numbered(found.data.targets, found.names))


def _has_order(classes: Adjacency) -> bool:
    """Return whether at least half of a CPDAG's edges are compelled, so that layers show a direction."""
    return bool(2 * (classes & ~classes.T).sum() >= np.triu(classes | classes.T).sum())


def arranging(found: Verdict) -> list[Edge]:
    """Return the edges that fix the positions in all views: those learned, so that nodes stay as results come.

    Once all is known, the others of the verdict, too.
    """
    learned = found.learned
    others = found.drawn & ~(learned | learned.T) & (found.has_posterior or not learned.any())
    return [(int(i), int(j)) for i, j in np.argwhere(learned | others)]


def main_parts(view: NetworkView) -> dict[str, list[int]]:
    """Return the variables with the most edges of the verdict, the same in every view, and the ends of edges of a view.

    These are the most certain and the most doubtful ones; as many variables as are drawn at once.
    """
    edges, answers = np.argwhere(view.shown), view.found.answers
    numbers = [one for one in (answers.found_again, answers.real) if one is not None]
    of_edges = np.array([number[edges[:, 0], edges[:, 1]] for number in numbers])
    orders = {
        "The most certain edges": -of_edges.min(axis=0),
        "The most doubtful edges": np.abs(of_edges - 0.5).min(axis=0),
    }
    found = view.found.drawn if view.found.drawn.any() else view.found.learned
    parts = {label: first_ends(edges[np.argsort(by, kind="stable")].tolist()) for label, by in orders.items()}
    return {HUBS: hubs(np.argwhere(found).tolist())} | parts


def _hover(found: Verdict, i: int, j: int, settled: bool) -> str:
    both = found.answers
    text = f"<b>{plain(found.names[i])} {'→' if settled else '–'} {plain(found.names[j])}</b><br>"
    if found.required[i, j]:
        return f"{text}required by a constraint"
    text += f"found again {percent(float(both.found_again[i, j]))} ({TITLES[both.method]})"
    if both.real is not None:
        text += f"<br>real {probability(float(both.real[i, j]))} (posterior)"
    return f"{text}<br>direction {'settled' if settled else 'open'}"


def _legend(view: NetworkView, dark: bool) -> list[tuple[str, EdgeStyle]]:
    counts, found = view.rows()["verdict"].value_counts(), view.found
    kinds = [kind for kind in found.kinds[:-1] if view.name == "verdict" or counts.get(kind)]
    legend = [(f"{counts.get(kind, 0):,} {kind}", replace(verdict_look(kind, dark), arrow=False)) for kind in kinds]
    further = ((view.only_here, ONLY_HERE, verdict_look(NEITHER, dark)), (view.not_here, NOT_HERE, absent_look(dark)))
    return [*legend, *((f"{int(pairs.sum()):,} {text}", look) for pairs, text, look in further if pairs.any())]


def signed_look(look: EdgeStyle, value: float, sign: int, dark: bool) -> EdgeStyle:
    """Return the look of an edge of this strength and sign: the wider the stronger, in ink without a sign."""
    color = _SIGNS[sign][dark] if sign else ink(dark)
    return replace(look, color=color, width=_WEAK + (_STRONGEST - _WEAK) * min(abs(value), 1.0))


def on_dark() -> dict[str, str]:
    """Return the colour on a dark ground of each colour of a network on a light one."""
    both = [(color(False), color(True)) for color in (ink, aside)]
    both += [(light, dark) for light, dark, *_ in (*_LOOKS.values(), *_SIGNS.values())]
    return dict(both) | {method_color(key, False): method_color(key, True) for key in COLORS}


def signed_legend(view: NetworkView, dark: bool) -> list[tuple[str, EdgeStyle]]:
    """Explain the colours; the dashes are the verdict's, in ink."""
    plain_look = EdgeStyle(ink(dark), _WIDTH, "", arrow=False)
    signs = [("the higher, the higher", 1), ("the higher, the lower", -1), ("no order, or no clear sign", 0)]
    legend = [(text, signed_look(plain_look, 0.5, sign, dark)) for text, sign in signs]
    dashed = [(text, look) for text, look in _legend(view, dark) if look.dash != "solid" and not text.startswith("0 ")]
    return [*legend, *((text, replace(look, color=ink(dark))) for text, look in dashed)]


def _known_legend(dark: bool, marks: Collection[str], missed: bool) -> list[tuple[str, EdgeStyle]]:
    legend = [(look[2], EdgeStyle(look[dark], _WIDTH, "")) for mark, look in _KNOWN.items() if mark in marks]
    return [*legend, *([("missed", absent_look(dark))] if missed else [])]


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
    return NetworkPicture(graph.names, styles, width_hint=_HINT, layered=_has_order(classes))
