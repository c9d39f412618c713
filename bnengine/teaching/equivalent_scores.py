"""Score equivalence, shown on the graphs of two variables and on the chains, fork and collider of three."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bnengine._core.validation import validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.cpdag import markov_equivalent
from bnengine.graphs.dag import Edge, adjacency_of
from bnengine.scores.evaluation import score as score_of
from bnengine.scores.scores import BIC, BDeu, K2Score, TableScore
from bnengine.teaching.checked_input import check_columns

if TYPE_CHECKING:
    import pandas as pd


def small_graphs(names: Sequence[str]) -> dict[str, list[Edge]]:
    """Return the connected graphs to compare over two or three variables, by label; the second of three is the middle.

    Examples
    --------
    >>> list(small_graphs(["X", "Z", "Y"]))
    ['X → Z → Y', 'X ← Z ← Y', 'X ← Z → Y', 'X → Z ← Y']
    """
    if len(set(names)) != len(names) or len(names) not in (2, 3):
        raise ValueError(f"names must be two or three different variables; got {', '.join(names) or 'none'}")
    if len(names) == 2:
        x, y = names
        return {f"{x} → {y}": [(x, y)], f"{x} ← {y}": [(y, x)]}
    x, z, y = names
    return {
        f"{x} → {z} → {y}": [(x, z), (z, y)],
        f"{x} ← {z} ← {y}": [(z, x), (y, z)],
        f"{x} ← {z} → {y}": [(z, x), (z, y)],
        f"{x} → {z} ← {y}": [(x, z), (y, z)],
    }


@validated
def equivalence_table(
    data: Dataset, names: Sequence[str], scores: Sequence[TableScore] = (BIC(), BDeu(1.0), K2Score())
) -> pd.DataFrame:
    """Tabulate the scores of ``small_graphs`` (Chickering 1995; Heckerman, Geiger & Chickering 1995).

    Returns
    -------
    DataFrame
        One line per graph: graph, equivalence_class (numbered from 1), v_structure, and two columns per score, nats:
        its value, and (``… behind``) by how much it is below the best of these graphs.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(300, rng=1)
    >>> table = bn.teaching.equivalence_table(data, ["Pollution", "Cancer", "Smoker"])
    >>> table["equivalence_class"].tolist()
    [1, 1, 1, 2]
    """
    import pandas as pd

    graphs = small_graphs(names)
    part = data.select(names)
    classes: list[object] = []
    lines = []
    for graph, edges in graphs.items():
        adjacency = adjacency_of(part.names, edges)
        number = next((k for k, other in enumerate(classes) if markov_equivalent(adjacency, other)), len(classes))  # type: ignore[arg-type]
        if number == len(classes):
            classes.append(adjacency)
        collider = bool((adjacency.sum(axis=0) > 1).any())
        lines.append((graph, number + 1, collider, *(score_of(part, edges, score) for score in scores)))
    columns = ["graph", "equivalence_class", "v_structure", *(score.name for score in scores)]
    table = pd.DataFrame(lines, columns=columns)
    for score in scores:
        table[f"{score.name} behind"] = table[score.name].max() - table[score.name]
    return table


@validated
def spread_within_classes(table: pd.DataFrame, scores: Sequence[str]) -> dict[str, float]:
    """Return the largest difference of each score within an equivalence class of an ``equivalence_table``, nats."""
    check_columns(table, ("equivalence_class", *scores), "equivalence_table")
    classes = table.groupby("equivalence_class")
    return {score: float((classes[score].max() - classes[score].min()).max()) for score in scores}
