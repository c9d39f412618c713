"""The spanning-tree procedure: add edges in order of dependence until the prediction is good enough.

The order is that of ``edge_plan``; the network is tested after each edge on rows that it was not learned from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine._core.random_generators import standard_error
from bnengine._core.validation import Ess, Ge, Le, NotNegative, ParentLimit, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.dag import Edge
from bnengine.networks.network import fit
from bnengine.prediction.cross_validation import DEFAULT_ESS, MEASURES, Split, errors_of, family_log_weights, normalized
from bnengine.scores.dependence import mutual_informations

# The order in which the spanning-tree procedure adds edges, most dependent pair first.
#
# Sucar's heuristic: (1) the maximum spanning tree of mutual information (Chow & Liu 1968); (2) an ordering of the
# variables from its root; (3) all edges removed; (4) edges added one by one, most dependent pair first, each from the
# earlier variable to the later; (5) stop once the network predicts well enough, see ``EdgeCurve.good_enough``.


@dataclass(frozen=True, eq=False)
class EdgePlan(ReadOnlyArrays):
    """An ordering of the variables and the edges to add, most dependent first.

    Attributes
    ----------
    tree : list of (parent, child)
        The maximum spanning tree, directed away from the root.
    ordering : tuple of str
        Breadth first from the root.
    information : ndarray, shape (edges,), read-only
        Mutual information of each edge's ends, nats.
    """

    names: tuple[str, ...]
    tree: list[Edge]
    ordering: tuple[str, ...]
    edges: list[Edge]
    information: FloatArray = field(repr=False)

    def table(self) -> pd.DataFrame:
        """Tabulate one row per edge: number, parent, child, information (nats), in_tree."""
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

    Returns
    -------
    EdgePlan

    Raises
    ------
    ValueError
        If no variable is the root.

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
    return EdgePlan(
        data.names,
        tree,
        tuple(data.names[v] for v in order),
        [(data.names[parent], data.names[child]) for parent, child in edges],
        np.array([information[edge] for edge in edges]),
    )


@dataclass(frozen=True, eq=False)
class EdgeCurve(ReadOnlyArrays):
    """Predictive accuracy by number of edges.

    Attributes
    ----------
    plan : EdgePlan
        From all rows; its first n edges are the network at n edges. The plan of each split is made from its training
        rows only.
    means, errors : dict from str to ndarray, shape (edges + 1,), read-only
        Each measure (see ``MEASURES``) on test rows, after 0, 1, … edges, and its standard error.
    status : str
        ``"converged"``, or ``"stopped"`` before all splits were done.
    """

    target: str
    plan: EdgePlan
    means: dict[str, FloatArray] = field(repr=False)
    errors: dict[str, FloatArray] = field(repr=False)
    status: str = "converged"

    @validated
    def good_enough(self, measure: str = "brier", slack: NotNegative = 1.0) -> int:
        """Return the smallest number of edges at which the prediction is good enough.

        Parameters
        ----------
        measure : str
        slack : float
            Number of standard errors by which the prediction may be worse than the best one (1: the rule of Breiman,
            Friedman, Olshen & Stone 1984).

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If there is no such measure.
        """
        if measure not in self.means:
            raise ValueError(f"measure must be one of {', '.join(MEASURES)}; got '{measure}'")
        means, sign = self.means[measure], -1.0 if measure == "accuracy" else 1.0
        best = int(np.argmin(sign * means))
        error = self.errors[measure][best]
        bound = sign * means[best] + slack * (error if np.isfinite(error) else 0.0)
        return int(np.argmax(sign * means <= bound + 1e-12))

    def table(self) -> pd.DataFrame:
        """Tabulate one row per number of edges: the edge added last, and mean and standard error of each measure."""
        frame = pd.DataFrame({"edges": np.arange(len(self.plan.edges) + 1)})
        frame["parent"] = ["", *(parent for parent, _ in self.plan.edges)]
        frame["child"] = ["", *(child for _, child in self.plan.edges)]
        frame["information"] = np.concatenate([[np.nan], self.plan.information])
        for measure in self.means:
            frame[measure] = self.means[measure]
            frame[f"{measure}_error"] = self.errors[measure]
        return frame


@validated
def edge_curve(
    data: Dataset,
    target: str,
    splits: Sequence[Split],
    root: str | None = None,
    max_parents: ParentLimit = 3,
    max_edges: ParentLimit = 100,
    ess: Ess = DEFAULT_ESS,
    *,
    progress: Progress | None = None,
) -> EdgeCurve:
    """Measure how well the target is predicted as edges are added in order of dependence.

    Parameters
    ----------
    data : Dataset
    target : str
    splits : sequence of (training rows, test rows)
        Tree, ordering, edges and tables come from the training rows, the measures from the test rows.
    root : str, optional
        Root of the tree; None takes the target.
    max_parents, max_edges : int
    ess : float
        Equivalent sample size of the tables' Dirichlet prior.
    progress : callable, optional
        Called with (splits done, total); returning False stops the run, which keeps the splits done.

    Returns
    -------
    EdgeCurve

    Raises
    ------
    ValueError
        If no variable is the target or the root, or there is no split.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(500, rng=1)
    >>> curve = bn.prediction.edge_curve(data, "either", bn.prediction.k_folds(data.n_rows, 5))
    >>> curve.good_enough() <= len(curve.plan.edges)
    True
    """
    if not splits:
        raise ValueError("splits must have at least one entry")
    root = target if root is None else root
    place = data.index(target)
    plan = edge_plan(data, root, max_parents, max_edges)
    folds: list[FloatArray] = []
    for number, (training_rows, test_rows) in enumerate(splits):
        test = data.take(test_rows)
        observed = test.codes[:, place].astype(np.int64)
        steps = _predictions_by_edge(data.take(training_rows), test, target, root, max_parents, max_edges, ess)
        folds.append(np.array([_measured(probabilities, observed) for probabilities in steps]))
        if progress is not None and progress(number + 1, len(splits)) is False:
            break
    n_steps = min(len(plan.edges) + 1, *map(len, folds))
    by_fold = np.stack([fold[:n_steps, :, 0] for fold in folds])  # (folds, steps, measures)
    average = np.average(by_fold, axis=0, weights=[len(test_rows) for _, test_rows in splits[: len(folds)]])
    error = standard_error(by_fold) if len(folds) > 1 else folds[0][:n_steps, :, 1]
    shown = replace(plan, edges=plan.edges[: n_steps - 1], information=plan.information[: n_steps - 1])
    return EdgeCurve(
        target,
        shown,
        dict(zip(MEASURES, average.T, strict=True)),
        dict(zip(MEASURES, error.T, strict=True)),
        "converged" if len(folds) == len(splits) else "stopped",
    )


def _measured(probabilities: FloatArray, observed: IntArray) -> list[tuple[float, float]]:
    """Return the mean over the rows, and its standard error, of each measure."""
    return [(float(one.mean()), float(standard_error(one))) for one in errors_of(probabilities, observed).values()]


def _predictions_by_edge(
    training: Dataset, test: Dataset, target: str, root: str, max_parents: int, max_edges: int, ess: float
) -> Iterator[FloatArray]:
    """Yield P(target | rest) of the test rows after 0, 1, … edges; those outside its families change nothing."""
    edges, place = edge_plan(training, root, max_parents, max_edges).edges, training.index(target)
    for n in range(len(edges) + 1):
        families = [target, *(child for parent, child in edges[:n] if parent == target)]
        if not n or edges[n - 1][1] in families:
            network, logs = fit(training, [edge for edge in edges[:n] if edge[1] in families], ess), np.zeros(1)
            for v in map(training.index, families):
                logs = logs + family_log_weights(network, v, test.codes, place)
            latest = normalized(logs)
        yield latest
