"""The list of edges beside a network: grouped, with two numbers each; a click chooses the edge in both.

Streamlit's table cuts sentences off, and its selection cannot be set by a click in the network.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bnengine.plots.network_drawing import EdgeStyle
from pages.shared import state
from pages.shared.widgets.network_view import component

#: Edges of a group that are listed.
MOST_LISTED = 200


@dataclass(frozen=True)
class Line:
    """One edge: its ends as the network has them, its name, a number for each column, a sentence, and a mark."""

    ends: tuple[str, str]
    name: str
    numbers: tuple[str, ...]
    text: str
    mark: str = ""


@dataclass(frozen=True)
class Group:
    """Edges of one kind: a title, what it means, the look that they have in the network, and the edges."""

    title: str
    about: str
    look: EdgeStyle
    lines: tuple[Line, ...]


def group_of(kind: str, about: str, look: EdgeStyle, edges: pd.DataFrame, line_of: Callable[[Any], Line]) -> Group:
    """Return the first edges of a table as a group of that kind; where some are left out it says so."""
    if len(edges) > MOST_LISTED:
        about = f"{about} The first {MOST_LISTED} are listed; the file of edges, under Export, has all.".lstrip()
    lines = tuple(map(line_of, edges.head(MOST_LISTED).itertuples()))
    return Group(f"{kind[0].upper()}{kind[1:]} ({len(edges):,})", about, look, lines)


def draw(columns: Sequence[tuple[str, str]], groups: Sequence[Group], key: str, label: str) -> None:
    """List the edges; the chosen one stands out.

    Parameters
    ----------
    columns : sequence of (title, help)
        Of the numbers.
    groups : sequence of Group
    key : str
    label : str
        For readers who cannot see the list.
    """
    chosen, ends = state.chosen_edge() or ("", ""), [line.ends for group in groups for line in group.lines]
    listed = component("edge_list", "edges", Path(__file__).parent)
    data = {
        "columns": [{"title": title, "help": about} for title, about in columns],
        "groups": [asdict(group) for group in groups],
        "label": label,
        "chosen": next((pair for pair in (chosen, chosen[::-1]) if pair in ends), None),
    }
    listed(key=key, data=data, on_picked_change=lambda: state.choose_in_network(key))
