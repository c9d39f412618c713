"""The picture on the front page: naive against corrected confidence of each edge, from shipped numbers."""

import base64
import html
from typing import Any

from bnengine.experiment.paper import MARGIN, TICKS
from bnengine.plots import palette as paint

_SIDE, _LEFT, _FOOT, _RADIUS = 300.0, 46.0, 44.0, 3.4  # of the square, its margins and a mark, in pixels


def home_picture(numbers: dict[str, Any], dark: bool, alt: str) -> str:
    """Draw one mark per edge, as in Figure 1: corrected confidence across, naive up; crosses are not in ALARM.

    As HTML: the first page that a visitor sees does not wait for plotly.
    """
    parts = [f'<rect x="{_LEFT}" y="1" width="{_SIDE}" height="{_SIDE}" fill="none" stroke="{paint.faint(dark)}"/>']
    for tick in TICKS:
        (x, y), mark = _placed(tick, tick), f"{tick:g}"
        ends = f'x1="{x}" x2="{x}" y1="1" y2="{_SIDE + 1}"', f'x1="{_LEFT}" x2="{_LEFT + _SIDE}" y1="{y}" y2="{y}"'
        parts += [f'<line {line} stroke="{paint.grid(dark)}" stroke-width="0.6"/>' for line in ends]
        places = (x, _SIDE + 17, "middle"), (_LEFT - 6, y + 4, "end")
        parts += [_text(mark, *place, paint.ink(dark)) for place in places]
    (low, bottom), (high, top) = _placed(0, 0), _placed(1, 1)
    line = f'x1="{low}" y1="{bottom}" x2="{high}" y2="{top}" stroke="{paint.faint(dark)}"'
    parts.append(f'<line {line} stroke-dasharray="2 3"/>')
    for _, _, naive, corrected, true in numbers["edges"]:
        x, y = _placed(corrected, naive)
        if true:
            parts.append(
                f'<circle cx="{x}" cy="{y}" r="{_RADIUS}" fill="{paint.corrected_color(dark)}" fill-opacity="0.7"/>'
            )
        else:
            r, d = _RADIUS, 2 * _RADIUS
            cross = f"M{x - r} {y - r}l{d} {d}m0 {-d}l{-d} {d}"
            parts.append(f'<path d="{cross}" stroke="{paint.NAIVE}" stroke-width="1.3"/>')
    for words, up in (("higher by", 0.88), ("the naive bootstrap", 0.82)):
        parts.append(_text(words, *_placed(0.03, up), "start", paint.ink(dark)))
    parts.append(_text("both agree on the diagonal", *_placed(0.98, 0.02), "end", paint.ink(dark)))
    middle = _LEFT + _SIDE / 2
    parts.append(_text("Corrected confidence", middle, _SIDE + 36, "middle", paint.ink(dark)))
    name = _text("Naive confidence", 13, _SIDE / 2, "middle", paint.ink(dark))
    turned = f'<g transform="rotate(-90 13 {_SIDE / 2})">{name}</g>'
    return _image(
        [*parts, turned], _LEFT + _SIDE + 2, _SIDE + _FOOT, alt, "width: 100%; max-width: 390px; margin: auto"
    )


def _placed(across: float, up: float) -> tuple[float, float]:
    """Place a pair of shares in the square, whose edges lie a little beyond 0 and 1."""
    scale = _SIDE / (1 + 2 * MARGIN)
    return round(_LEFT + scale * (across + MARGIN), 2), round(1 + scale * (1 + MARGIN - up), 2)


def _text(words: str, x: float, y: float, anchor: str, color: str) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="12.5" fill="{color}">{words}</text>'


def _image(parts: list[str], width: float, height: float, alt: str, style: str) -> str:
    """Return a drawing as an HTML image."""
    size = f'viewBox="0 0 {width:g} {height:g}" font-family="sans-serif"'
    drawn = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>'
    source = f"data:image/svg+xml;base64,{base64.b64encode(drawn.encode()).decode()}"
    return f'<img src="{source}" alt="{html.escape(alt)}" style="{style}; display: block">'
