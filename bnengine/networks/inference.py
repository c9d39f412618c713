"""Exact inference: the posterior of every variable at once; networks whose probabilities are drawn from theirs.

The junction tree is our own rather than pyAgrum's, for reasons measured by ``benchmarks/inference.py``:

* A query takes half the time or less, since all posteriors come from one tree, which is cached.
* The log-probability of the evidence does not underflow, and repeated queries agree to the last bit; pyAgrum's depend
  on the order in which its threads add up. (The posteriors themselves agree to 13 digits.)
* The tables of the cliques are available; BDe's prior counts are sums over them.
* A network too large for exact inference is refused before any table is built.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

import numpy as np

from bnengine._core.arrays import FloatArray, ReadOnlyArrays
from bnengine._core.bounded_cache import BoundedCache
from bnengine._core.display import listed
from bnengine._core.environment import pd
from bnengine._core.validation import accepts, one_of, place_of, validated
from bnengine.data.checked_frame import MISSING, DataError
from bnengine.data.dataset import Dataset
from bnengine.data.interventions import Experiments
from bnengine.graphs.dag import Adjacency
from bnengine.networks.network import BayesianNetwork, counts_of_families, drawn_network


class EvidenceError(ValueError):
    """Evidence that has probability 0 in the network; the message names what cannot occur together."""


@dataclass(frozen=True, eq=False)
class Posteriors(ReadOnlyArrays):
    """The distribution of every variable given evidence.

    Attributes
    ----------
    probabilities : tuple of ndarray, shape (r,) each, read-only
        In the order of ``names``; 1 at the observed state of a variable in the evidence.
    log_evidence : float
        Log-probability of the evidence, nats.
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    evidence: Mapping[str, str]
    probabilities: tuple[FloatArray, ...] = field(repr=False)
    log_evidence: float

    @property
    def evidence_probability(self) -> float:
        """Probability of the evidence."""
        return math.exp(self.log_evidence)

    def __getitem__(self, name: str) -> FloatArray:
        """Return the distribution of one variable."""
        return self.probabilities[place_of(name, "name", self.names)]


@validated
def posteriors(network: BayesianNetwork, evidence: Mapping[str, str] | None = None) -> Posteriors:
    """Return the exact posterior distribution of every variable given the states of some.

    Parameters
    ----------
    network : BayesianNetwork
    evidence : mapping from variable to state, optional
        None gives the prior marginals.

    Returns
    -------
    Posteriors

    Raises
    ------
    ValueError
        If the network lacks a variable or state of the evidence, or is too densely connected for exact inference.
    EvidenceError
        If the evidence has probability 0.

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


@validated
def what_if(network: BayesianNetwork, evidence: Mapping[str, str]) -> pd.DataFrame:
    """Tabulate what evidence changes: one row per state of each variable that was not observed.

    Parameters
    ----------
    network : BayesianNetwork
    evidence : mapping from variable to state

    Returns
    -------
    DataFrame
        Columns variable, state, before, after (probabilities), and ``shift``, the total variation distance between the
        variable's two distributions, the same in all its rows; variables with the largest shift first.

    Raises
    ------
    ValueError
        If the network lacks a variable or state of the evidence, or is too densely connected for exact inference.
    EvidenceError
        If the evidence has probability 0.

    Examples
    --------
    >>> import bnengine as bn
    >>> bn.prediction.what_if(bn.load_network("asia"), {"xray": "yes"})["variable"].iloc[0]
    'either'
    """
    return changes(posteriors(network), posteriors(network, evidence))


@validated
def changes(before: Posteriors, after: Posteriors) -> pd.DataFrame:
    """Tabulate the differences between two answers about the same variables, as ``what_if`` does."""
    shifts = [float(np.abs(a - b).sum() / 2) for a, b in zip(after.probabilities, before.probabilities, strict=True)]
    free = [v for v, name in enumerate(after.names) if name not in after.evidence]
    lines = [
        (after.names[v], state, float(p), float(q), shifts[v])
        for v in sorted(free, key=lambda v: -round(shifts[v], 12))
        for state, p, q in zip(after.states[v], before.probabilities[v], after.probabilities[v], strict=True)
    ]
    return pd.DataFrame(lines, columns=["variable", "state", "before", "after", "shift"])


@validated
@accepts(interventions=True, missing=True)
def rows_with(data: Dataset, evidence: Mapping[str, str | None]) -> int:
    """Count the rows in which all of the evidence is seen, and was not set by an experiment.

    Parameters
    ----------
    data : Dataset
    evidence : mapping from variable to state, or None
        None stands for any state: rows are counted in which the variable is seen.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If the data have no such variable or state.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.Dataset.from_frame(bn.load_sample("titanic"))
    >>> bn.prediction.rows_with(data, {"Sex": "Female", "Survived": "Yes"})
    344
    """
    codes, counts = data.recorded
    times = np.ones(len(codes), dtype=np.int64) if counts is None else counts
    for name, state in evidence.items():
        v = data.index(name)
        counted, states, has = data.counts_for(v), data.states[v], codes[:, v] != MISSING
        if state is not None:
            has = codes[:, v] == states.index(one_of(state, "evidence", states))
        times = np.where(has if counted is None else has & (counted > 0), times, 0)
    return int(times.sum())


def _observed(network: BayesianNetwork, evidence: Mapping[str, str]) -> dict[int, int]:
    """Return evidence as variable and state numbers; raise if the network lacks one of them."""
    observed = {}
    for name, state in evidence.items():
        v = place_of(name, "evidence", network.names)
        observed[v] = place_of(state, f"evidence of '{name}'", network.states[v])
    return observed


def _conflict(tree: JunctionTree, evidence: Mapping[str, str], observed: Mapping[int, int]) -> str:
    """Explain impossible evidence, naming a minimal set of observations that contradict each other."""
    needed = list(zip(evidence.items(), observed.items(), strict=True))
    for observation in list(needed):
        fewer = [other for other in needed if other is not observation]
        if tree.beliefs(dict(numbers for _, numbers in fewer))[1] == -math.inf:
            needed = fewer
    words = [f"{name} = {state}" for (name, state), _ in needed]
    if len(words) == 1:
        return f"{words[0]} has probability 0 in this network; choose another state"
    return (
        f"{listed(words, len(words))} cannot occur together: this network gives them probability 0; remove one of them"
    )


# Junction trees: message passing that leaves every clique of a network with its marginal.
#
# The moral graph is triangulated by the min-fill rule; each family's table is multiplied into a clique that holds the
# family; two sweeps of messages follow (Lauritzen & Spiegelhalter 1988; Shafer & Shenoy 1990).

#: Limit on the numbers in all cliques' tables together.
LARGEST_TREE = 20_000_000


@dataclass(frozen=True, eq=False)
class JunctionTree:
    """The cliques of a triangulated moral graph, joined into a tree along which messages run.

    Attributes
    ----------
    cliques : tuple of tuple of int
        Ascending variable numbers; a clique's table has one axis for each.
    above : tuple of int
        The neighbour nearer the root, which comes earlier in the list; -1 at a root.
    home : tuple of int
        For each variable, the smallest clique that holds it.
    potentials : tuple of ndarray
        For each clique, the product of the tables multiplied into it.
    """

    cliques: tuple[tuple[int, ...], ...]
    above: tuple[int, ...]
    home: tuple[int, ...]
    potentials: tuple[FloatArray, ...] = field(repr=False)

    def beliefs(self, observed: Mapping[int, int]) -> tuple[list[FloatArray], float]:
        """Return each clique's marginal and the log-probability of the evidence, nats; [], -infinity if impossible."""
        tables = list(self.potentials)
        for v, k in observed.items():
            c = self.home[v]
            mask = np.zeros(tables[c].shape[self.cliques[c].index(v)])
            mask[k] = 1.0
            tables[c] = tables[c] * _aligned(mask, (v,), self.cliques[c])
        n = len(self.cliques)
        log_evidence = 0.0
        upward: list[FloatArray] = [np.ones(())] * n
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
                upward[c] = summed_onto(collected[c], self.cliques[c], shared)
                collected[up] = collected[up] * _aligned(upward[c], shared, self.cliques[up])
        for c in range(n):
            if self.above[c] >= 0:
                up = self.above[c]
                shared = tuple(v for v in self.cliques[c] if v in self.cliques[up])
                downward = summed_onto(collected[up], self.cliques[up], shared)
                ratio = np.divide(downward, upward[c], out=np.zeros_like(downward), where=upward[c] > 0)
                collected[c] = collected[c] * _aligned(ratio, shared, self.cliques[c])
        return collected, log_evidence


#: The trees used last; one of the largest allowed fits beside a few of usual size.
_TREES: BoundedCache[BayesianNetwork, JunctionTree] = BoundedCache(most_bytes=256 * 2**20, most_values=16)


def junction_tree(network: BayesianNetwork) -> JunctionTree:
    """Return the network's junction tree, from a cache; a ValueError above ``LARGEST_TREE`` numbers."""
    return _TREES.get_or_make(network, lambda: _built(network))


def _built(network: BayesianNetwork) -> JunctionTree:
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
            f"{', '.join(network.names[v] for v in largest)} are too densely connected; learn with fewer parents"
        )
    by_size = sorted(range(len(cliques)), key=lambda c: sizes[c])
    home = [next(c for c in by_size if v in cliques[c]) for v in range(len(arities))]
    factors: list[list[FloatArray]] = [[] for _ in cliques]
    for v, parents in enumerate(network.parents):
        family = (*parents, v)
        holder = next(c for c in by_size if set(family) <= set(cliques[c]))
        table = network.tables[v].reshape([arities[u] for u in family])
        factors[holder].append(_aligned(table, family, cliques[holder]))
    potentials = [
        reduce(np.multiply, tables, np.ones([arities[v] for v in clique]))
        for clique, tables in zip(cliques, factors, strict=True)
    ]
    return JunctionTree(tuple(cliques), tuple(above), tuple(home), tuple(potentials))


def _aligned(table: FloatArray, variables: tuple[int, ...], clique: tuple[int, ...]) -> FloatArray:
    """Arrange the axes of a table over some of a clique's variables to broadcast against the clique's table."""
    order = sorted(range(len(variables)), key=variables.__getitem__)
    inserted = tuple(axis for axis, v in enumerate(clique) if v not in variables)
    return np.expand_dims(table.transpose(order), inserted)


def summed_onto(belief: FloatArray, clique: tuple[int, ...], variables: tuple[int, ...]) -> FloatArray:
    """Sum a clique's table over all but some of its variables; the axes are in the order of these."""
    summed = belief.sum(axis=tuple(axis for axis, v in enumerate(clique) if v not in variables))
    left = [v for v in clique if v in variables]
    return np.asarray(summed).transpose([left.index(v) for v in variables])


# Rows drawn again, as many and of the same kinds as given ones.


def sample_again(
    network: BayesianNetwork, data: Dataset, rng: np.random.Generator, n_rows: int | None = None
) -> Dataset:
    """Draw ``n_rows`` from a network that fits the data, or as many as these are worth: all, or the effective ones.

    Of rows from experiments in the same proportions; a variable that was set there has each state with the share that
    it has in the given rows of that experiment. Each row has the missing cells of one given row of its experiment.
    """
    if data.experiments is None:
        drawn = network.sample_like(data, n_rows or data.effective_rows, rng)
        return drawn if data.missing is None else with_holes_of(data, drawn)
    codes, of_row = [], []
    for number, (targets, n) in enumerate(zip(data.targets, data.rows_of_experiments.tolist(), strict=True)):
        if n:
            n = max(1, round(n / data.design_effect))
            shares = {name: _shares(network, data, name, number) for name in targets}
            codes.append(under_experiment(network, shares).sample_like(data, n, rng).codes)
            of_row.append(np.full(n, number))
    experiments = Experiments(data.targets, np.concatenate(of_row))
    drawn = Dataset(data.names, data.states, np.concatenate(codes), experiments)
    return drawn if data.missing is None else with_holes_of(data, drawn)


def with_holes_of(data: Dataset, drawn: Dataset) -> Dataset:
    """Return rows drawn like given ones, each without the cells that one of these lacks, of the same experiment."""
    assert data.missing is not None
    rows = np.lexsort([data.rank_of_row, data.experiment_of_distinct[data.distinct_row_of]])
    rows = rows[np.linspace(0, data.n_rows - 1, drawn.n_rows).round().astype(int)]
    codes = np.where(data.missing[rows], MISSING, drawn.codes)
    return Dataset(data.names, data.states, codes, drawn.experiments, data.missing_way)


def under_experiment(network: BayesianNetwork, probabilities: Mapping[str, FloatArray]) -> BayesianNetwork:
    """Return the network in which what is set has no parents but given probabilities (Pearl 2009, Eq. 3.10)."""
    was_set = {network.names.index(name): given for name, given in probabilities.items()}
    parents = tuple(() if v in was_set else of for v, of in enumerate(network.parents))
    tables = tuple(was_set[v][None] if v in was_set else table for v, table in enumerate(network.tables))
    return replace(network, parents=parents, tables=tables)


def _shares(network: BayesianNetwork, data: Dataset, name: str, experiment: int) -> FloatArray:
    """Return the share of each of the network's states of a variable in the rows of an experiment."""
    v, own = data.index(name), data.experiment_of_distinct == experiment
    own &= data.distinct_codes[v] != MISSING
    rows = np.bincount(data.distinct_codes[v][own], data.multiplicities[own], len(data.states[v]))
    states = network.states[network.names.index(name)]
    shares: FloatArray = rows[[data.states[v].index(state) for state in states]] / rows.sum()
    return shares


# Networks with probabilities drawn from their posterior distribution, given the graph and the data.

#: The largest number of cells of all tables of one network: several arrays of that size are made for each draw.
MOST_CELLS = 4_000_000


def posterior_network(
    data: Dataset, graph: Adjacency, rng: np.random.Generator, ess: float = 1.0, each: float | None = None
) -> BayesianNetwork:
    """Draw the probabilities of a network over complete data, given its graph; its variables are in alphabetical order.

    The probabilities of variable i given its parents' configuration j are Dirichlet(n_ijk + ess / (q r)), independent
    of all others: the posterior under BDeu's prior (Heckerman, Geiger & Chickering 1995, Eq. 22 and 28), whose mean is
    ``fit(data, edges, ess)``. If ``each`` is given, it is the prior count of every cell. Where rows depend on each
    other, n_ijk are counts of effective rows. A seed means the same network whichever the order of the columns.
    """
    by_name = sorted(range(data.n_variables), key=data.names.__getitem__)
    parents = [np.flatnonzero(own).tolist() for own in graph[np.ix_(by_name, by_name)].T]
    families = [(v, [by_name[p] for p in own]) for v, own in zip(by_name, parents, strict=True)]
    _check_size(data, families)
    counts = counts_of_families(data, families)
    alphas = [own / data.design_effect + (ess / own.size if each is None else each) for own in counts]
    alpha = np.concatenate([own.ravel() for own in alphas])
    # Gamma(a) is Gamma(a + 1) times U^(1/a); in logarithms, not all states get 0 where a is small
    log_weights = np.log(rng.standard_gamma(alpha + 1.0)) + np.log1p(-rng.random(len(alpha))) / alpha
    arities = np.repeat([own.shape[1] for own in alphas], [len(own) for own in alphas])  # of each row of the tables
    first = np.cumsum(arities) - arities
    weights = np.exp(log_weights - np.repeat(np.maximum.reduceat(log_weights, first), arities))
    weights /= np.repeat(np.add.reduceat(weights, first), arities)
    weights.setflags(write=False)
    of_each = np.split(weights, np.cumsum([own.size for own in alphas])[:-1])
    tables = tuple(own.reshape(like.shape) for own, like in zip(of_each, alphas, strict=True))
    names, states = zip(*((data.names[v], data.states[v]) for v in by_name), strict=True)
    return drawn_network(names, states, tuple(map(tuple, parents)), tables)


def _check_size(data: Dataset, families: Sequence[tuple[int, Sequence[int]]]) -> None:
    cells = [math.prod(data.arities[[v, *parents]].tolist()) for v, parents in families]
    if sum(cells) > MOST_CELLS:
        v, parents = families[cells.index(max(cells))]
        raise DataError(
            f"the tables of a network need {sum(cells):,} probabilities, more than the {MOST_CELLS:,} allowed; "
            f"'{data.names[v]}' has {len(parents)} parents: set max_parents"
        )
