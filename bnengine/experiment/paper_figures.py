"""What the paper's pictures show, before they are drawn: the marks and lines of Figure 1, the histograms of Table 1.

Pages and reports draw the same numbers; each has only its own pens.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.number_text import counted
from bnengine.bootstrap.resampling_methods import CORRECTED, LABELS, NAIVE, TITLES
from bnengine.bootstrap.study import Study

#: Ticks of both axes of Figure 1, and how far it extends beyond 0 and 1.
TICKS, MARGIN = (0.0, 0.25, 0.5, 0.75, 1.0), 0.06
#: How to read Figure 1.
HOW_TO_READ = (
    "Above the dotted diagonal, the vertical method is more confident. Dashed lines: thresholds that keep as many "
    "edges as the method's graphs have on average."
)
_SPREAD, _GOLDEN_ANGLE = 0.022, 2.399


@dataclass(frozen=True, eq=False)
class Panel:
    """One panel of Figure 1: a mark for every edge at its confidence by two methods.

    Attributes
    ----------
    across, up : str
        Keys of the methods.
    edges : list of (parent, child)
    x, y : ndarray, shape (E,)
        Confidences by the method across and up.
    shift : ndarray, shape (E,)
        Added to ``x`` where marks are drawn: those of a single graph, all at 0 or 1, are spread in a fixed pattern.
    right, high : float
        Thresholds of the method across and up.
    """

    across: str
    up: str
    edges: list[tuple[str, str]]
    x: FloatArray
    y: FloatArray
    shift: FloatArray
    right: float
    high: float

    @property
    def labels(self) -> tuple[str, str]:
        """Titles of the two axes."""
        return LABELS[self.across], LABELS[self.up]

    @property
    def description(self) -> str:
        """What is drawn, for those who cannot see it."""
        return f"Confidence of {counted(len(self.edges), 'edge')}: {TITLES[self.up]} against {TITLES[self.across]}"


def figure1_panels(study: Study, corrected: str = CORRECTED, naive: str = NAIVE) -> list[tuple[str, str]]:
    """Return the panels of Figure 1 that there are, as keys of methods (across, up).

    If neither method was run, the data against the first of those that were.
    """
    pairs = (("data", corrected), ("data", naive), (corrected, naive))
    found = [pair for pair in dict.fromkeys(pairs) if all(key in study.keys for key in pair)]
    return found or [("data", key) for key in study.ensembles if key != "data"][:1]


def figure1_panel(study: Study, across: str, up: str, kind: str = "directed") -> Panel:
    """Place a mark for every edge that the graph of the data or any replicate has, and the two thresholds."""
    table = study.edge_table(kind)
    place = {name: v for v, name in enumerate(study.reference.names)}
    i, j = (np.array([place[name] for name in table[end]], dtype=int) for end in ("parent", "child"))
    x, y = (study.confidence(key, kind)[i, j] for key in (across, up))
    one_graph = across == "data" and "data" not in study.ensembles
    shift = _SPREAD * np.sin(np.arange(len(x)) * _GOLDEN_ANGLE) if one_graph else np.zeros(len(x))
    edges = list(zip(table["parent"], table["child"], strict=True))
    return Panel(across, up, edges, x, y, shift, study.threshold(across, kind), study.threshold(up, kind))


def numbers_of_edges(study: Study, key: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of edges that a method's graphs have, and how many replicates have each."""
    ensemble = study.ensembles[key]
    values, first = np.unique(ensemble.edge_counts, return_inverse=True)
    return values, np.bincount(first, weights=ensemble.multiplicities)


def range_of_edges(study: Study) -> tuple[float, float]:
    """Return the range that all histograms of a study share, with room for one more edge at either end."""
    counts = np.concatenate([[study.mean_edges("data")], *(one.edge_counts for one in study.ensembles.values())])
    return float(counts.min()) - 1, float(counts.max()) + 1
