"""Several searches on the same data and score, side by side."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bnengine._core.random_generators import Seed
from bnengine._core.shared_progress import shared_progress
from bnengine._core.stoppable import Flag, stoppable
from bnengine._core.validation import validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import shd
from bnengine.scores.scores import TableScore
from bnengine.search.learning import LearnedGraph, learn
from bnengine.search.result import Search

if TYPE_CHECKING:
    import pandas as pd


@validated
def compare_searches(
    data: Dataset,
    score: TableScore,
    searches: Sequence[Search],
    constraints: Constraints | None = None,
    rng: Seed = 0,
    progress: Callable[[int, int], bool | None] | None = None,
    ties: str = "drawn",
) -> pd.DataFrame:
    """Run each search once and compare what they find; ``rng`` and ``ties`` are as of ``learn``, for each of them.

    If ``progress``, called with (searches done, all searches), returns False, the searches that ended are compared.

    Returns
    -------
    DataFrame
        One line a search: search, score (nats), below_best (nats), edges, class_distance (structural Hamming distance
        between its equivalence class and the best one's), families (counted), seconds, status. A search that refuses
        these data has the reason as its status and no numbers.
    """
    import pandas as pd

    def learned_by(search: Search) -> Callable[[Flag], LearnedGraph]:
        return lambda stop: learn(data, score, search, constraints, rng, ties=ties, stop=stop)

    runs: list[tuple[str, LearnedGraph | None, float, str]] = []
    for done, search in enumerate(searches):
        if progress is not None and progress(done, len(searches)) is False:
            break
        asked = None if progress is None else shared_progress(progress, [done, len(searches) - done])[1]
        start = time.perf_counter()
        try:
            graph = stoppable(learned_by(search), asked, len(searches))
        except ValueError as error:
            runs.append((search.name, None, float("nan"), str(error)))
            continue
        if graph.status == "stopped":
            break
        runs.append((search.name, graph, time.perf_counter() - start, graph.status))
    found = [graph for _, graph, _, _ in runs if graph is not None]
    best = max(found, key=lambda graph: graph.score) if found else None
    lines: list[tuple[object, ...]] = []
    for name, learned, seconds, status in runs:
        if learned is None or best is None:
            lines.append((name, None, None, None, None, None, None, status))
            continue
        distance, below = shd(learned.cpdag, best.cpdag), best.score - learned.score
        edges, families = len(learned.edges), learned.n_evaluations
        lines.append((name, learned.score, below, edges, distance, families, seconds, status))
    columns = ["search", "score", "below_best", "edges", "class_distance", "families", "seconds", "status"]
    return pd.DataFrame(lines, columns=columns)
