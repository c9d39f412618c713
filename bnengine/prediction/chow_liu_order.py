"""The order in which the spanning-tree procedure adds edges, most dependent pair first.

Sucar's heuristic: (1) the maximum spanning tree of mutual information (Chow & Liu 1968); (2) an ordering of the
variables from its root; (3) all edges removed; (4) edges added one by one, most dependent pair first, each from the
earlier variable to the later; (5) stop once the network predicts well enough, see ``edge_by_edge``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.validation import Ge, Le, ParentLimit, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge
from bnengine.scores.dependence import mutual_informations

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class EdgePlan:
    """An ordering of the variables and the edges to add, most dependent first.

    Attributes
    ----------
    names : tuple of str
    tree : list of (parent, child)
        The maximum spanning tree, directed away from the root.
    ordering : tuple of str
        Breadth first from the root.
    edges : list of (parent, child)
    information : ndarray, shape (edges,), read-only
        Mutual information of each edge's ends, nats.
    """

    names: tuple[str, ...]
    tree: list[Edge]
    ordering: tuple[str, ...]
    edges: list[Edge]
    information: FloatArray = field(repr=False)

    def table(self) -> pd.DataFrame:
        """One row per edge: number, parent, child, information (nats), in_tree."""
        import pandas as pd

        return pd.DataFrame(
            {
                "edges": np.arange(1, len(self.edges) + 1),
                "parent": [parent for parent, _ in self.edges],
                "child": [child for _, child in self.edges],
                "information": self.information,
                "in_tree": [edge in set(self.tree) for edge in self.edges],
            }
        )


@validated
def edge_plan(
    data: Dataset,
    root: str | None = None,
    max_parents: Annotated[int, Ge(1), Le(10_000)] = 3,
    max_edges: ParentLimit | None = None,
) -> EdgePlan:
    """Find the maximum spanning tree, the ordering from its root, and the edges in order of dependence.

    Parameters
    ----------
    data : Dataset
    root : str, optional
        None takes the first column.
    max_parents : int
        An edge that would give its child more parents is skipped.
    max_edges : int, optional
        None goes through all pairs.

    Examples
    --------
    >>> import bnengine as bn
    >>> plan = bn.prediction.edge_plan(bn.load_network("cancer").sample(1000, rng=1), root="Cancer")
    >>> plan.ordering[0], len(plan.tree), len(plan.edges)
    ('Cancer', 4, 9)
    """
    from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

    n = data.n_variables
    start = data.index(root) if root is not None else 0
    information = mutual_informations(data)
    i, j = np.triu_indices(n, 1)
    ranked = np.lexsort((j, i, -np.round(information[i, j], 12)))  # equal pairs must tie, by column order
    costs = np.zeros((n, n))
    costs[i[ranked], j[ranked]] = np.arange(1, ranked.size + 1)  # Kruskal's algorithm only needs the order
    spanning = minimum_spanning_tree(costs)
    order, above = breadth_first_order(spanning, start, directed=False)
    tree = [(data.names[above[v]], data.names[v]) for v in order[1:]]
    position = np.empty(n, dtype=np.int64)
    position[order] = np.arange(n)
    edges: list[tuple[int, int]] = []
    n_parents = np.zeros(n, dtype=np.int64)
    for a, b in zip(i[ranked].tolist(), j[ranked].tolist(), strict=True):
        parent, child = (a, b) if position[a] < position[b] else (b, a)
        if n_parents[child] < max_parents and (max_edges is None or len(edges) < max_edges):
            edges.append((parent, child))
            n_parents[child] += 1
    chosen = np.array([information[edge] for edge in edges])
    chosen.setflags(write=False)
    return EdgePlan(
        data.names,
        tree,
        tuple(data.names[v] for v in order),
        [(data.names[parent], data.names[child]) for parent, child in edges],
        chosen,
    )
