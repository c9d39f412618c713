"""The report's markup and its pictures as SVG: confidences, numbers of edges, the network; colours of methods."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from xml.etree import ElementTree

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.number_text import counted, short
from bnengine.bootstrap.averaged_network import AveragedNetwork
from bnengine.bootstrap.resampling_methods import JOINS, LABELS, TITLES
from bnengine.bootstrap.study import Study
from bnengine.graphs.labels import readable
from bnengine.graphs.layout import Edge, printed

# The colours of methods in all pictures, the report's and the pages' (Okabe & Ito: safe for colour-blind readers).

NAIVE = "#D55E00"
CORRECTED = "#0072B2"
EXACT = "#56B4E9"
MATCHED = "#6A4FB3"
PARAMETRIC = "#E69F00"
PARAMETRIC_CORRECTED = "#9A7B00"
JACKKNIFE = "#009E73"
DELETE_D = "#CC79A7"
POSTERIOR = "#882E72"
PREDICTIVE = "#A05A2C"

#: The given data, text and axes; borders and what is less important.
INK, FAINT = "#1B1F24", "#C9D0D8"

#: By the method's key.
COLORS = {
    "boot": NAIVE,
    "boot_bc": CORRECTED,
    "boot_exact": EXACT,
    "boot_matched": MATCHED,
    "para": PARAMETRIC,
    "para_bc": PARAMETRIC_CORRECTED,
    "jack_1": JACKKNIFE,
    "jack_d": DELETE_D,
    "posterior": POSTERIOR,
    "predictive": PREDICTIVE,
}


def color(key: str) -> str:
    """Return the colour of a method; ink for the given data."""
    return COLORS.get(key, INK)


# HTML and SVG in which every text is escaped, whoever wrote it.

_EMPTY = ("meta", "br", "hr", "line", "rect", "circle", "path")


class Markup(str):
    """Text that is markup already; any other text is escaped when it is put into an element."""

    __slots__ = ()


def text(plain: object) -> Markup:
    """Return text as it is to be read."""
    return Markup(html.escape(readable(str(plain)), quote=True))


def joined(parts: Iterable[str]) -> Markup:
    """Join several pieces; plain text is escaped."""
    return Markup("".join(part if isinstance(part, Markup) else text(part) for part in parts))


def tag(name: str, /, *children: str, **attributes: object) -> Markup:
    """Return an element.

    Underscores in attributes' names are hyphens, and one at the end is dropped, as in ``class_``.
    """
    given = "".join(f' {key.rstrip("_").replace("_", "-")}="{text(value)}"' for key, value in attributes.items())
    if name in _EMPTY and not children:
        return Markup(f"<{name}{given}/>")
    return Markup(f"<{name}{given}>{joined(children)}</{name}>")


def number(value: float, shown: str) -> Markup:
    """Write a number as it is shown, with its exact value for programs."""
    return tag("data", shown, value=repr(float(value)))


def table(heads: Iterable[str], rows: Iterable[Iterable[str]], **attributes: object) -> Markup:
    """Draw a table; its head is repeated on each printed page."""
    head = tag("thead", tag("tr", *(tag("th", one, scope="col") for one in heads)))
    body = tag("tbody", *(tag("tr", *(tag("td", cell) for cell in row)) for row in rows))
    return tag("table", head, body, **attributes)


_SIDE, _LEFT, _TOP, _BELOW = 230.0, 46.0, 10.0, 40.0  # of a panel of Figure 1
_SPREAD = 0.022
_WIDE, _HIGH = 220.0, 74.0  # of a histogram
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def panels(study: Study, shown: str) -> list[tuple[str, str]]:
    """Return the panels of Figure 1 that there are: (across, up).

    Without the two bootstraps, the data against ``shown``.
    """
    pairs = [("data", "boot_bc"), ("data", "boot"), ("boot_bc", "boot")]
    found = [pair for pair in pairs if all(key in study.keys for key in pair)]
    return found or [("data", shown)]


def panel(study: Study, across: str, up: str, kind: str) -> Markup:
    """Draw the confidence of each edge by one method against another's, with the thresholds of both."""
    edges = study.edge_table(kind)
    place = {name: v for v, name in enumerate(study.reference.names)}
    i, j = (np.array([place[name] for name in edges[end]], dtype=int) for end in ("parent", "child"))
    x, y = (study.confidence(key, kind)[i, j] for key in (across, up))
    right, high = study.threshold(across, kind), study.threshold(up, kind)
    marks = [
        tag(
            "circle",
            tag("title", f"{a} {JOINS[kind]} {b}: {TITLES[across]} {short(p)}, {TITLES[up]} {short(q)}"),
            cx=_x(p + shift),
            cy=_y(q),
            r=3.2,
            fill=color(up),
            fill_opacity=0.55,
            stroke=INK,
            stroke_width=0.4,
        )
        for a, b, p, q, shift in zip(edges["parent"], edges["child"], x, y, _shifts(study, across, len(x)), strict=True)
    ]
    return _picture(
        *_axes(LABELS[across], LABELS[up]),
        _line(_x(0), _y(0), _x(1), _y(1), FAINT, "2 3"),
        _line(_x(right), _y(-0.04), _x(right), _y(1.04), color(across), "5 4"),
        _line(_x(-0.04), _y(high), _x(1.04), _y(high), color(up), "5 4"),
        *marks,
        width=_LEFT + _SIDE + 14,
        height=_TOP + _SIDE + _BELOW,
        label=f"Confidence of {counted(len(marks), 'edge')}: {TITLES[up]} against {TITLES[across]}",
    )


def _shifts(study: Study, across: str, n: int) -> FloatArray:
    """Spread the marks of a single graph, all at 0 or 1, in a fixed pattern (golden angle)."""
    one_graph = across == "data" and "data" not in study.ensembles
    return _SPREAD * np.sin(np.arange(n) * 2.399) if one_graph else np.zeros(n)


def _axes(across: str, up: str) -> list[Markup]:
    drawn = [tag("rect", x=_x(0), y=_y(1), width=_SIDE, height=_SIDE, fill="none", stroke=FAINT)]
    for tick in _TICKS:
        drawn.append(_words(short(tick), _x(tick), _y(0) + 15, "middle"))
        drawn.append(_words(short(tick), _x(0) - 6, _y(tick) + 4, "end"))
    middle = _y(0.5)
    drawn.append(_words(across, _x(0.5), _y(0) + 33, "middle"))
    drawn.append(_words(up, 11, middle, "middle", transform=f"rotate(-90 11 {middle})"))
    return drawn


def histogram(study: Study, key: str) -> Markup:
    """Draw how many replicates of a method have each number of edges, with the given data's number as a line."""
    given = study.mean_edges("data")
    all_counts = np.concatenate([[given], *(e.edge_counts for e in study.ensembles.values())])
    low, high = float(all_counts.min()) - 1, float(all_counts.max()) + 1
    ensemble = study.ensembles[key]
    values, first = np.unique(ensemble.edge_counts, return_inverse=True)
    times = np.bincount(first, weights=ensemble.multiplicities)
    step = (_WIDE - 20) / (high - low)
    bars = []
    for value, n in zip(values, times, strict=True):
        tall = (_HIGH - 22) * float(n / times.max())
        x = 10 + step * (float(value) - low) - 0.45 * step
        about = tag("title", f"{counted(float(value), 'edge')}: {counted(float(n), 'replicate')}")
        bars.append(
            tag("rect", about, x=_n(x), y=_n(_HIGH - 18 - tall), width=_n(0.9 * step), height=_n(tall), fill=color(key))
        )
    at = 10 + step * (given - low)
    return _picture(
        *bars,
        _line(at, 2, at, _HIGH - 18, INK, ""),
        _line(10, _HIGH - 18, _WIDE - 10, _HIGH - 18, FAINT, ""),
        _words(short(low + 1), 10 + step, _HIGH - 4, "middle"),
        _words(short(high - 1), _WIDE - 10 - step, _HIGH - 4, "middle"),
        width=_WIDE,
        height=_HIGH,
        label=f"Number of edges by the {TITLES[key]}",
    )


def network_picture(network: AveragedNetwork, names: Sequence[str]) -> Markup:
    """Draw the network with stronger edges thicker and darker."""
    return svg_of(names, {(int(i), int(j)): float(network.strength[i, j]) for i, j in np.argwhere(network.adjacency)})


def svg_of(names: Sequence[str], strengths: Mapping[Edge, float | None]) -> Markup:
    """Draw a graph by Graphviz; read and written anew so that nothing else is in it."""
    root = ElementTree.fromstring(printed(names, strengths, "svg"))
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]  # HTML knows SVG's elements without their namespace
        for name in [name for name in element.attrib if name == "id" or name.startswith("{")]:
            del element.attrib[name]
    root.set("role", "img")
    root.set("style", "max-width: 100%; height: auto")
    root.set("aria-label", f"Network of {counted(len(strengths), 'edge')}")
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _picture(*parts: Markup, width: float, height: float, label: str) -> Markup:
    size = {"viewBox": f"0 0 {width:g} {height:g}", "width": f"{width:g}", "height": f"{height:g}"}
    return tag("svg", *parts, role="img", aria_label=label, **size)


def _line(x1: float, y1: float, x2: float, y2: float, stroke: str, dashes: str) -> Markup:
    look = {"stroke": stroke, "stroke_width": 1.2} | ({"stroke_dasharray": dashes} if dashes else {})
    return tag("line", x1=_n(x1), y1=_n(y1), x2=_n(x2), y2=_n(y2), **look)


def _words(plain: str, x: float, y: float, anchor: str, **more: object) -> Markup:
    return tag("text", plain, x=_n(x), y=_n(y), text_anchor=anchor, font_size=11, fill=INK, **more)


def _x(share: float) -> float:
    return round(_LEFT + _SIDE * share, 2)


def _y(share: float) -> float:
    return round(_TOP + _SIDE * (1 - share), 2)


def _n(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
