"""The paper's finding as a picture, drawn from numbers that are shipped with the pages."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from pages._shared import session, show
from pages._shared.figures.home import home_figure
from pages._shared.format import short

_FILE = Path(__file__).parents[2] / "home_figure.json"


@lru_cache(maxsize=1)
def numbers() -> dict[str, Any]:
    """The numbers written by ``benchmarks/home_figure.py``."""
    found: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def sentence(found: dict[str, Any]) -> str:
    """The finding: mean number of edges of the naive and corrected bootstrap beside the given data's."""
    edges = found["mean_edges"]
    return (
        f"The graph learned from {found['rows']} rows of ALARM has **{short(edges['data'])} edges**. Graphs learned "
        f"from naive bootstrap replicates have **{short(edges['boot'])}** on average, corrected ones "
        f"**{short(edges['boot_bc'])}**."
    )


def picture() -> None:
    """Draw the picture with its finding below it."""
    found = numbers()
    alt = "Corrected confidence against naive confidence of each edge on ALARM; most marks lie below the diagonal"
    show.chart(home_figure(found, session.dark()), "home", alt)
    show.note(f"{sentence(found)} One mark per edge; {found['replicates']} replicates, BDeu, K2.", "home")
