"""The picture on the front page: naive against corrected confidence of each edge, from shipped numbers."""

from __future__ import annotations

import base64
import html
from pathlib import Path
from typing import Any

from bnengine._core.templates import template
from bnengine.experiment.paper import MARGIN, TICKS
from bnengine.plots import palette as paint

_SIDE, _LEFT = 300.0, 46.0  # of the square, and the margin beside it, in pixels


def home_picture(numbers: dict[str, Any], dark: bool, alt: str) -> str:
    """Draw one mark per edge, as in Figure 1: corrected confidence across, naive up; crosses are not in ALARM.

    As HTML: the first page that a visitor sees does not wait for plotly.
    """
    drawn = template(Path(__file__).with_suffix(".svg")).render(
        side=_SIDE,
        left=_LEFT,
        ticks=TICKS,
        placed=_placed,
        edges=numbers["edges"],
        corrected_color=paint.corrected_color(dark),
        naive_color=paint.NAIVE,
        **{look.__name__: look(dark) for look in (paint.ink, paint.faint, paint.grid)},
    )
    address = f"data:image/svg+xml;base64,{base64.b64encode(drawn.strip().encode()).decode()}"
    style = "width: 100%; max-width: 390px; margin: auto; display: block"
    return f'<img src="{address}" alt="{html.escape(alt)}" style="{style}">'


def _placed(across: float, up: float) -> tuple[float, float]:
    """Place a pair of shares in the square, whose edges lie a little beyond 0 and 1."""
    scale = _SIDE / (1 + 2 * MARGIN)
    return round(_LEFT + scale * (across + MARGIN), 2), round(1 + scale * (1 + MARGIN - up), 2)
