"""Exact inference: the posterior of every variable at once, by messages along a junction tree.

The moral graph is triangulated by the min-fill rule; each family's table is multiplied into a clique that holds it;
two sweeps of messages leave every clique with its marginal (Lauritzen & Spiegelhalter 1988; Shafer & Shenoy 1990).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from typing import TYPE_CHECKING

import numpy as np

from bnengine.networks.network import BayesianNetwork, Table

if TYPE_CHECKING:
    import pandas as pd

#: Numbers in all cliques' tables together; beyond, exact inference is refused.
LARGEST_TREE = 20_000_000


class EvidenceError(ValueError):
    """The network gives the evidence probability 0; the message names what cannot occur together."""


@dataclass(frozen=True, eq=False)
class Posteriors:
    """The distribution of every variable given evidence.

    Attributes
    ----------
    names : tuple of str
    states : tuple of tuple of str
    evidence : dict from str to str
    probabilities : tuple of ndarray, shape (r,) each, read-only
        In the order of ``names``; 1 at the observed state of a variable in the evidence.
    log_evidence : float
        Log-probability of the evidence, nats.
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    evidence: Mapping[str, str]
    probabilities: tuple[Table, ...] = field(repr=False)
    log_evidence: float

    def __post_init__(self) -> None:
        for table in self.probabilities:
            table.setflags(write=False)

    @property
    def evidence_probability(self) -> float:
        """How probable the evidence is."""
        return math.exp(self.log_evidence)

    def __getitem__(self, name: str) -> Table:
        """The distribution of one variable."""
        return self.probabilities[self.names.index(name)]


def posteriors(network: BayesianNetwork, evidence: Mapping[str, str] | None = None) -> Posteriors:
    """The posterior distribution of every variable given the states of some, exactly.

    Parameters
    ----------
    network : BayesianNetwork
    evidence : mapping from variable to state, optional
        None: the prior marginals.

    Raises
    ------
    ValueError
        A variable or state that the network does not have, or a network too densely joined for exact inference.
    EvidenceError
        The evidence has probability 0.

    Examples
    --------
    >>> import bnengine as bn
    >>> asia = bn.load_network("asia")
    >>> bn.prediction.posteriors(asia)["lung"].round(4).tolist()
    [0.055, 0.945]
    >>> bn.prediction.posteriors(asia, {"smoke": "yes", "xray": "yes"})["lung"].round(4).tolist()
    [0.646, 0.354]
    """
    given = dict(evidence or {})
    observed = _observed(network, given)
    tree = junction_tree(network)
    beliefs, log_evidence = tree.beliefs(observed)
    if log_evidence == -math.inf:
        raise EvidenceError(_conflict(tree, given, observed))
    marginals = []
    for v in range(len(network.names)):
        home = tree.home[v]
        others = tuple(axis for axis, u in enumerate(tree.cliques[home]) if u != v)
        marginal = beliefs[home].sum(axis=others)
        marginals.append(marginal / marginal.sum())
    return Posteriors(network.names, network.states, given, tuple(marginals), log_evidence)


def what_if(network: BayesianNetwork, evidence: Mapping[str, str]) -> pd.DataFrame:
    """What evidence changes: one line for each state of each variable that was not observed.

    Returns
    -------
    DataFrame
        variable, state, before, after (probabilities), and ``shift``, the variable's total variation distance between
        the two, the same on all its lines; most shifted variables first.

    Examples
    --------
    >>> import bnengine as bn
    >>> bn.prediction.what_if(bn.load_network("asia"), {"xray": "yes"})["variable"].iloc[0]
    'either'
    """
    import pandas as pd

    before, after = posteriors(network), posteriors(network, evidence)
    shifts = [float(np.abs(a - b).sum() / 2) for a, b in zip(after.probabilities, before.probabilities, strict=True)]
    free = [v for v, name in enumerate(network.names) if name not in evidence]
    lines = [
        (network.names[v], state, float(p), float(q), shifts[v])
        for v in sorted(free, key=lambda v: -round(shifts[v], 12))
        for state, p, q in zip(network.states[v], before.probabilities[v], after.probabilities[v], strict=True)
    ]
    return pd.DataFrame(lines, columns=["variable", "state", "before", "after", "shift"])


def family_marginals(network: BayesianNetwork) -> tuple[Table, ...]:
    """The joint probability of each variable and its parents, in the shape of its table, (q, r)."""
    tree = junction_tree(network)
    beliefs, _ = tree.beliefs({})
    return tuple(
        _onto(beliefs[tree.holder[v]], tree.cliques[tree.holder[v]], (*network.parents[v], v)).reshape(table.shape)
        for v, table in enumerate(network.tables)
    )


@dataclass(frozen=True, eq=False)
class JunctionTree:
    """Cliques of a triangulated moral graph, joined to a tree along which messages run.

    Attributes
    ----------
    cliques : tuple of tuple of int
        Ascending variable numbers, a clique's table having one axis for each.
    above : tuple of int
        The neighbour nearer the root, which comes earlier in the list; -1 at a root.
    holder : tuple of int
        The clique that each family's table is multiplied into.
    home : tuple of int
        The smallest clique with each variable.
    potentials : tuple of ndarray
    """

    cliques: tuple[tuple[int, ...], ...]
    above: tuple[int, ...]
    holder: tuple[int, ...]
    home: tuple[int, ...]
    potentials: tuple[Table, ...] = field(repr=False)

    def beliefs(self, observed: Mapping[int, int]) -> tuple[list[Table], float]:
        """Each clique's marginal given the evidence, summing to 1, and the log-probability of the evidence."""
        tables = list(self.potentials)
        for v, k in observed.items():
            c = self.home[v]
            mask = np.zeros(tables[c].shape[self.cliques[c].index(v)])
            mask[k] = 1.0
            tables[c] = tables[c] * _aligned(mask, (v,), self.cliques[c])
        n = len(self.cliques)
        log_evidence = 0.0
        upward: list[Table] = [np.ones(())] * n
        collected = list(tables)
        for c in reversed(range(n)):  # leaves first: the list runs from the roots outward
            total = float(collected[c].sum())
            if total <= 0:
                return [], -math.inf
            log_evidence += math.log(total)
            collected[c] = collected[c] / total
            if self.above[c] >= 0:
                up = self.above[c]
                shared = tuple(v for v in self.cliques[c] if v in self.cliques[up])
                upward[c] = _onto(collected[c], self.cliques[c], shared)
                collected[up] = collected[up] * _aligned(upward[c], shared, self.cliques[up])
        for c in range(n):
            if self.above[c] >= 0:
                up = self.above[c]
                shared = tuple(v for v in self.cliques[c] if v in self.cliques[up])
                downward = _onto(collected[up], self.cliques[up], shared)
                ratio = np.divide(downward, upward[c], out=np.zeros_like(downward), where=upward[c] > 0)
                collected[c] = collected[c] * _aligned(ratio, shared, self.cliques[c])
        return collected, log_evidence


@lru_cache(maxsize=16)
def junction_tree(network: BayesianNetwork) -> JunctionTree:
    """The network's junction tree, kept for the next time; a ValueError if its tables would be too large."""
    import networkx as nx
    from networkx.algorithms.approximation import treewidth_min_fill_in

    arities = [len(states) for states in network.states]
    moral = nx.Graph()
    moral.add_nodes_from(range(len(arities)))
    for v, parents in enumerate(network.parents):
        family = (*parents, v)
        moral.add_edges_from((a, b) for i, a in enumerate(family) for b in family[:i])
    cliques: list[tuple[int, ...]] = []
    above: list[int] = []
    for part in sorted(nx.connected_components(moral), key=min):
        _, tree = treewidth_min_fill_in(moral.subgraph(sorted(part)).copy())
        number: dict[frozenset[int], int] = {}
        root = min(tree.nodes, key=sorted)
        for bag in [root, *(bag for _, bag in nx.bfs_edges(tree, root))]:
            nearer = next((number[other] for other in tree[bag] if other in number), -1)
            number[bag] = len(cliques)
            cliques.append(tuple(sorted(bag)))
            above.append(nearer)
    sizes = [math.prod(arities[v] for v in clique) for clique in cliques]
    if sum(sizes) > LARGEST_TREE:
        largest = cliques[int(np.argmax([float(size) for size in sizes]))]
        raise ValueError(
            f"exact inference would need tables of {sum(sizes):,} numbers, at most {LARGEST_TREE:,} are allowed: "
            f"{', '.join(network.names[v] for v in largest)} are too closely joined; learn with fewer parents"
        )
    by_size = sorted(range(len(cliques)), key=lambda c: sizes[c])
    holder = [next(c for c in by_size if {*network.parents[v], v} <= set(cliques[c])) for v in range(len(arities))]
    home = [next(c for c in by_size if v in cliques[c]) for v in range(len(arities))]
    factors: list[list[Table]] = [[] for _ in cliques]
    for v, parents in enumerate(network.parents):
        family = (*parents, v)
        table = network.tables[v].reshape([arities[u] for u in family])
        factors[holder[v]].append(_aligned(table, family, cliques[holder[v]]))
    potentials = [
        reduce(np.multiply, tables, np.ones([arities[v] for v in clique]))
        for clique, tables in zip(cliques, factors, strict=True)
    ]
    return JunctionTree(tuple(cliques), tuple(above), tuple(holder), tuple(home), tuple(potentials))


def _aligned(table: Table, variables: tuple[int, ...], clique: tuple[int, ...]) -> Table:
    """A table over some of a clique's variables, its axes in the clique's order, ready to be multiplied into it."""
    order = sorted(range(len(variables)), key=variables.__getitem__)
    inserted = tuple(axis for axis, v in enumerate(clique) if v not in variables)
    return np.expand_dims(table.transpose(order), inserted)


def _onto(belief: Table, clique: tuple[int, ...], variables: tuple[int, ...]) -> Table:
    """A clique's table summed down to some of its variables, axes in their order."""
    summed = belief.sum(axis=tuple(axis for axis, v in enumerate(clique) if v not in variables))
    left = [v for v in clique if v in variables]
    return np.asarray(summed).transpose([left.index(v) for v in variables])


def _observed(network: BayesianNetwork, evidence: Mapping[str, str]) -> dict[int, int]:
    """Evidence as numbers; a ValueError names what the network does not have."""
    observed = {}
    for name, state in evidence.items():
        if name not in network.names:
            raise ValueError(f"evidence: no variable is named '{name}'; the variables are {', '.join(network.names)}")
        v = network.names.index(name)
        if state not in network.states[v]:
            raise ValueError(
                f"evidence: '{name}' has no state '{state}'; its states are {', '.join(network.states[v])}"
            )
        observed[v] = network.states[v].index(state)
    return observed


def _conflict(tree: JunctionTree, evidence: Mapping[str, str], observed: Mapping[int, int]) -> str:
    """The sentence on impossible evidence: the findings that are needed for the conflict, no more."""
    needed = list(zip(evidence.items(), observed.items(), strict=True))
    for finding in list(needed):
        fewer = [other for other in needed if other is not finding]
        if tree.beliefs(dict(numbers for _, numbers in fewer))[1] == -math.inf:
            needed = fewer
    words = [f"{name} = {state}" for (name, state), _ in needed]
    if len(words) == 1:
        return f"{words[0]} has probability 0 in this network; choose another state"
    return (
        f"{', '.join(words[:-1])} and {words[-1]} cannot occur together: this network gives them probability 0; "
        "take one of them back"
    )
