"""The spanning-tree procedure: arcs are added in order of dependence until the prediction is good enough.

Sucar's heuristic: (1) the maximum spanning tree of mutual information (Chow & Liu 1968); (2) an ordering of the
variables from its root; (3) all arcs removed; (4) arcs added one by one, most dependent pair first, each from the
earlier variable to the later; (5) stop once the network predicts well enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bnengine.data import Dataset
from bnengine.dependence import mutual_information_matrix
from bnengine.graph import Edge
from bnengine.network import fit
from bnengine.prediction import MEASURES, Rows, Vector, errors_of, family_log_weights, summarised
from bnengine.validation import DEFAULT_ESS, Split, SplitProgress

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class ArcPlan:
    """An ordering of the variables and the arcs to add, most dependent first.

    Attributes
    ----------
    names : tuple of str
    tree : list of (parent, child)
        The maximum spanning tree, directed away from the root.
    ordering : tuple of str
        Breadth first from the root.
    arcs : list of (parent, child)
    information : ndarray, shape (arcs,), read-only
        Mutual information of each arc's ends, nats.
    """

    names: tuple[str, ...]
    tree: list[Edge]
    ordering: tuple[str, ...]
    arcs: list[Edge]
    information: Vector = field(repr=False)

    def table(self) -> pd.DataFrame:
        """One line an arc: number, parent, child, information (nats), in_tree."""
        import pandas as pd

        return pd.DataFrame(
            {
                "arcs": np.arange(1, len(self.arcs) + 1),
                "parent": [parent for parent, _ in self.arcs],
                "child": [child for _, child in self.arcs],
                "information": self.information,
                "in_tree": [arc in set(self.tree) for arc in self.arcs],
            }
        )


def arc_plan(data: Dataset, root: str | None = None, max_parents: int = 3, max_arcs: int | None = None) -> ArcPlan:
    """Maximum spanning tree, ordering from its root, and the arcs in order of dependence.

    Parameters
    ----------
    data : Dataset
    root : str, optional
        The first column, if none is given.
    max_parents : int
        An arc that would give its child more is passed over: tables double and more with every parent.
    max_arcs : int, optional
        Where to end; None goes through all pairs.

    Examples
    --------
    >>> import bnengine as bn
    >>> plan = bn.arc_plan(bn.load_network("cancer").sample(1000, rng=1), root="Cancer")
    >>> plan.ordering[0], len(plan.tree), len(plan.arcs)
    ('Cancer', 4, 9)
    """
    from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree

    if max_parents < 1:
        raise ValueError(f"max_parents must be 1 or more; got {max_parents}")
    n = data.n_variables
    start = data.index(root) if root is not None else 0
    information = mutual_information_matrix(data)
    i, j = np.triu_indices(n, 1)
    ranked = np.lexsort((j, i, -np.round(information[i, j], 12)))  # equal pairs must tie, by column order
    costs = np.zeros((n, n))
    costs[i[ranked], j[ranked]] = np.arange(1, ranked.size + 1)  # Kruskal needs no more than the order
    spanning = minimum_spanning_tree(costs)
    order, above = breadth_first_order(spanning, start, directed=False)
    tree = [(data.names[above[v]], data.names[v]) for v in order[1:]]
    position = np.empty(n, dtype=np.int64)
    position[order] = np.arange(n)
    arcs: list[tuple[int, int]] = []
    n_parents = np.zeros(n, dtype=np.int64)
    for a, b in zip(i[ranked].tolist(), j[ranked].tolist(), strict=True):
        parent, child = (a, b) if position[a] < position[b] else (b, a)
        if n_parents[child] < max_parents and (max_arcs is None or len(arcs) < max_arcs):
            arcs.append((parent, child))
            n_parents[child] += 1
    chosen = np.array([information[arc] for arc in arcs])
    chosen.setflags(write=False)
    return ArcPlan(
        data.names,
        tree,
        tuple(data.names[v] for v in order),
        [(data.names[parent], data.names[child]) for parent, child in arcs],
        chosen,
    )


@dataclass(frozen=True, eq=False)
class ArcCurve:
    """Predictive ability against the number of arcs.

    Attributes
    ----------
    target : str
    plan : ArcPlan
        Of all rows: its first n arcs are the network at n arcs. In each split the plan is made anew, from training
        rows only.
    means, errors : dict from str to ndarray, shape (arcs + 1,), read-only
        Each measure (see ``MEASURES``) on test rows, after 0, 1, … arcs, and its standard error.
    """

    target: str
    plan: ArcPlan
    means: dict[str, Vector] = field(repr=False)
    errors: dict[str, Vector] = field(repr=False)

    def __post_init__(self) -> None:
        for array in (*self.means.values(), *self.errors.values()):
            array.setflags(write=False)

    def good_enough(self, measure: str = "gap", slack: float = 1.0, value: float | None = None) -> int | None:
        """The fewest arcs with which the prediction is good enough.

        Parameters
        ----------
        measure : str
        slack : float
            Good enough is within so many standard errors of the best number of arcs (with 1, the rule of Breiman,
            Friedman, Olshen & Stone 1984).
        value : float, optional
            Good enough is this value of the measure instead; None is returned if it is never reached.
        """
        means, sign = self._means(measure), -1.0 if measure == "accuracy" else 1.0
        if value is None:
            best = int(np.argmin(sign * means))
            error = self.errors[measure][best]
            bound = sign * means[best] + slack * (error if np.isfinite(error) else 0.0)
        else:
            bound = sign * value
        reached = np.flatnonzero(sign * means <= bound + 1e-12)
        return int(reached[0]) if reached.size else None

    def _means(self, measure: str) -> Vector:
        if measure not in self.means:
            raise ValueError(f"measure must be one of {', '.join(MEASURES)}; got '{measure}'")
        return self.means[measure]

    def table(self) -> pd.DataFrame:
        """One line a number of arcs: the arc added last, and mean and standard error of each measure."""
        import pandas as pd

        frame = pd.DataFrame({"arcs": np.arange(len(self.plan.arcs) + 1)})
        frame["parent"] = ["", *(parent for parent, _ in self.plan.arcs)]
        frame["child"] = ["", *(child for _, child in self.plan.arcs)]
        frame["information"] = np.concatenate([[np.nan], self.plan.information])
        for measure in self.means:
            frame[measure] = self.means[measure]
            frame[f"{measure}_error"] = self.errors[measure]
        return frame


def arc_curve(
    data: Dataset,
    target: str,
    splits: Sequence[Split],
    root: str | None = None,
    max_parents: int = 3,
    max_arcs: int = 100,
    ess: float = DEFAULT_ESS,
    progress: SplitProgress | None = None,
) -> ArcCurve:
    """How well the target is predicted as arcs are added in order of dependence.

    Parameters
    ----------
    data : Dataset
    target : str
    splits : sequence of (training rows, test rows)
        Tree, ordering, arcs and tables are made from the training rows, the measures from the test rows.
    root : str, optional
        Of the tree; the target, if none is given.
    max_parents, max_arcs : int
    ess : float
        Dirichlet prior of the tables.
    progress : callable, optional
        See ``SplitProgress``.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(500, rng=1)
    >>> curve = bn.arc_curve(data, "either", bn.k_folds(data.n_rows, 5))
    >>> curve.good_enough("gap") <= len(curve.plan.arcs)
    True
    """
    root = target if root is None else root
    place = data.index(target)
    plan = arc_plan(data, root, max_parents, max_arcs)
    collected: list[list[dict[str, Vector]]] = []
    folds: list[Rows] = []
    for number, (training_rows, test_rows) in enumerate(splits):
        test = data.take(test_rows)
        observed = test.codes[:, place].astype(np.int64)
        steps = _predictions_by_arc(data.take(training_rows), test, target, root, max_parents, max_arcs, ess)
        collected.append([errors_of(probabilities, observed) for probabilities in steps])
        folds.append(np.full(len(test_rows), number))
        if progress is not None and progress(number + 1, len(splits)) is False:
            break
    every_fold = np.concatenate(folds)
    n_steps = min(len(plan.arcs) + 1, *(len(steps) for steps in collected))
    frames = [
        summarised({m: np.concatenate([steps[s][m] for steps in collected]) for m in MEASURES}, every_fold)
        for s in range(n_steps)
    ]
    shown = ArcPlan(plan.names, plan.tree, plan.ordering, plan.arcs[: n_steps - 1], plan.information[: n_steps - 1])
    return ArcCurve(
        target,
        shown,
        {m: np.array([frame["mean"][m] for frame in frames]) for m in MEASURES},
        {m: np.array([frame["standard_error"][m] for frame in frames]) for m in MEASURES},
    )


def _predictions_by_arc(
    training: Dataset, test: Dataset, target: str, root: str, max_parents: int, max_arcs: int, ess: float
) -> list[Vector]:
    """P(target | rest) of the test rows after 0, 1, … arcs; only the family that an arc changes is computed anew."""
    plan = arc_plan(training, root, max_parents, max_arcs)
    place = training.index(target)
    states = training.states
    weights: dict[int, Vector] = {}

    def update(child: int, arcs: Sequence[Edge]) -> None:
        into = [arc for arc in arcs if arc[1] == training.names[child]]
        if child != place and all(parent != target for parent, _ in into):
            return  # the family does not hold the target
        members = training.select(
            [name for name in training.names if name in {training.names[child], *(p for p, _ in into)}]
        )
        network = fit(members, into, ess)
        own = members.index(training.names[child])
        parents = [training.index(members.names[p]) for p in network.parents[own]]
        weights[child] = family_log_weights(network.tables[own], parents, child, states, test.codes, place)

    def now() -> Vector:
        total = sum(weights.values(), np.zeros((test.n_rows, len(states[place]))))
        probabilities = np.exp(total - total.max(axis=1, keepdims=True))
        return np.asarray(probabilities / probabilities.sum(axis=1, keepdims=True))

    update(place, [])
    steps = [now()]
    for n in range(1, len(plan.arcs) + 1):
        child = training.index(plan.arcs[n - 1][1])
        before = weights.get(child)
        update(child, plan.arcs[:n])
        steps.append(steps[-1] if weights.get(child) is before else now())
    return steps
