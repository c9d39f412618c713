"""Values drawn one after the other, in the browser, whose marks pile up: of replicates, of new samples."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pages.shared import state
from pages.shared.keys import Key
from pages.shared.widgets.network_view import component


def draw(
    name: str, alt: str, drawn: Mapping[str, tuple[np.ndarray, str]], marks: Mapping[str, tuple[float, str]], unit: str
) -> None:
    """Show the piles, one below the other, and a line at each mark.

    Parameters
    ----------
    name : str
        Unique on the page; in a lecture, the picture that a step shows.
    alt : str
        A description for readers who cannot see the picture.
    drawn : mapping
        By the pile's title, its values in the order in which they are drawn, as many in each, and its colour.
    marks : mapping
        By name, a value and its colour.
    unit : str
        What the values are, with their unit.
    """
    if state.get(Key.PICTURE) not in ("", None, name):
        return
    piles = [
        {"title": title, "color": color, "values": [float(f"{value:.8g}") for value in values]}
        for title, (values, color) in drawn.items()
    ]
    lines: list[dict[str, Any]] = [
        {"name": one, "value": value, "color": color} for one, (value, color) in marks.items()
    ]
    view = component("pile", "pile", Path(__file__).parent)
    view(key=Key.chart(name), data={"piles": piles, "marks": lines, "unit": unit, "alt": alt})
