"""The report's markup and its pictures as SVG: confidences, numbers of edges, the network; colours of methods."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from xml.etree import ElementTree

import numpy as np

from bnengine._core.number_text import counted, short
from bnengine.bootstrap.averaged_network import AveragedNetwork
from bnengine.bootstrap.resampling_methods import JOINS, RESAMPLING_METHODS, TITLES
from bnengine.bootstrap.study import Study
from bnengine.experiment.paper_figures import MARGIN, TICKS, Panel, numbers_of_edges, range_of_edges
from bnengine.graphs.labels import readable
from bnengine.graphs.layout import Edge, printed

#: The given data, text and axes; borders and what is less important.
INK, FAINT = "#1B1F24", "#C9D0D8"

#: The colours of methods in all pictures, the report's and the pages' (Okabe & Ito: safe for colour-blind readers).
COLORS = {key: entry.color for key, entry in RESAMPLING_METHODS.items() if entry.color}


def color(key: str) -> str:
    """Return the colour of a method; ink for the given data, and for a method of the caller's own."""
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


_SIDE, _LEFT, _TOP, _BELOW = 230.0, 46.0, 14.0, 40.0  # of a panel of Figure 1
_WIDE, _HIGH = 220.0, 74.0  # of a histogram


def panel(shown: Panel, kind: str) -> Markup:
    """Draw the confidence of each edge by one method against another's, with the thresholds of both."""
    one, other = TITLES[shown.across], TITLES[shown.up]
    marks = [
        tag(
            "circle",
            tag("title", f"{a} {JOINS[kind]} {b}: {one} {short(p)}, {other} {short(q)}"),
            cx=_x(p + shift),
            cy=_y(q),
            r=3.2,
            fill=color(shown.up),
            fill_opacity=0.55,
            stroke=INK,
            stroke_width=0.4,
        )
        for (a, b), p, q, shift in zip(shown.edges, shown.x, shown.y, shown.shift, strict=True)
    ]
    low, top = -MARGIN, 1 + MARGIN
    return _picture(
        *_axes(*shown.labels),
        _line(_x(0), _y(0), _x(1), _y(1), FAINT, "2 3"),
        _line(_x(shown.right), _y(low), _x(shown.right), _y(top), color(shown.across), "5 4"),
        _line(_x(low), _y(shown.high), _x(top), _y(shown.high), color(shown.up), "5 4"),
        *marks,
        width=_LEFT + _SIDE + 18,
        height=_TOP + _SIDE + _BELOW,
        label=shown.description,
    )


def _axes(across: str, up: str) -> list[Markup]:
    drawn = [tag("rect", x=_x(0), y=_y(1), width=_SIDE, height=_SIDE, fill="none", stroke=FAINT)]
    for tick in TICKS:
        drawn.append(_words(short(tick), _x(tick), _y(0) + 15, "middle"))
        drawn.append(_words(short(tick), _x(0) - 6, _y(tick) + 4, "end"))
    middle = _y(0.5)
    drawn.append(_words(across, _x(0.5), _y(0) + 33, "middle"))
    drawn.append(_words(up, 11, middle, "middle", transform=f"rotate(-90 11 {middle})"))
    return drawn


def histogram(study: Study, key: str) -> Markup:
    """Draw how many replicates of a method have each number of edges, with the given data's number as a line."""
    given = study.mean_edges("data")
    low, high = range_of_edges(study)
    values, times = numbers_of_edges(study, key)
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
