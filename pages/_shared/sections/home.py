"""The picture on Home: the paper's finding, drawn from numbers that are shipped with the pages."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import streamlit as st

from pages._shared import session, show
from pages._shared.figures.edge_counts import home_picture
from pages._shared.format import short

_FILE = Path(__file__).parents[1] / "home_figure.json"


@lru_cache(maxsize=1)
def numbers() -> dict[str, Any]:
    """Return the numbers written by ``benchmarks/home_figure.py``."""
    found: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def sentence(found: dict[str, Any]) -> str:
    """Say the finding: mean number of edges of the naive and corrected bootstrap beside the given data's."""
    edges = found["mean_edges"]
    return (
        f"The graph learned from {found['rows']} rows of ALARM has **{short(edges['data'])} edges**. Graphs learned "
        f"from naive bootstrap replicates have **{short(edges['bootstrap'])}** on average, corrected ones "
        f"**{short(edges['bootstrap_corrected'])}**."
    )


def picture() -> None:
    """Draw the picture with its finding below it."""
    found = numbers()
    alt = "Naive confidence against corrected confidence of each edge on ALARM; most marks lie above the diagonal"
    st.html(home_picture(found, session.dark(), alt))
    show.note(f"{sentence(found)} One mark per edge; {found['replicates']} replicates, BDeu, K2.", "home")
