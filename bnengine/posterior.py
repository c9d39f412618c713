"""Exact posterior probabilities of edges, averaged over all orderings and all graphs that fit them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bnengine._compiled import compiled, pointer_to
from bnengine.constraints import Constraints
from bnengine.data import Dataset
from bnengine.families import LocalScores, Problem, families_of, local_score
from bnengine.scores import BDeu, TableScore, WithPrior
from bnengine.search.exact import parents_in, without
from bnengine.search_space_size import gigabytes

_DEFAULT_MEMORY = 8 * 2**30

LogWeights = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class EdgePosterior:
    """Posterior probability of each edge under a prior over orderings.

    Attributes
    ----------
    names : tuple of str
    probability : ndarray of float, shape (V, V), read-only
        ``[parent, child]``.
    log_evidence : float
        Nats: logarithm of the sum, over orderings and graphs that fit them, of exp(score).
    score : str
    max_parents : int
    n_evaluations : int
        Families counted.
    """

    names: tuple[str, ...]
    probability: npt.NDArray[np.float64] = field(repr=False)
    log_evidence: float
    score: str
    max_parents: int
    n_evaluations: int

    def __post_init__(self) -> None:
        self.probability.setflags(write=False)


@compiled
def _log_add(a: float, b: float) -> float:
    """ln(exp(a) + exp(b))."""
    if a < b:
        a, b = b, a
    if b == -np.inf:
        return a
    return a + math.log1p(math.exp(b - a))


@compiled
def _family_weights(
    problem: Problem, child: int, allowed: int, required: int, max_parents: int, weights: LogWeights
) -> None:
    """Log weight of every parent set of the child: its local score, minus infinity for what is not allowed."""
    families = families_of(problem)
    n_variables = families.counter.n_variables
    parents = np.empty(n_variables + 1, dtype=np.int64)
    for number in range(weights.shape[0]):
        weights[number] = -np.inf
        if number & ~allowed == 0 and required & ~number == 0:
            k = parents_in(number, child, n_variables, parents)
            if k <= max_parents:
                weights[number] = local_score(families, child, pointer_to(parents), k)


@compiled
def _sum_over_subsets(weights: LogWeights) -> None:
    """Replace each set's weight by the sum of its subsets' weights, in place (the zeta transform)."""
    bit = 1
    while bit < weights.shape[0]:
        for number in range(weights.shape[0]):
            if number & bit:
                weights[number] = _log_add(weights[number], weights[number ^ bit])
        bit <<= 1


@compiled
def _sum_over_supersets(weights: LogWeights) -> None:
    """Replace each set's weight by the sum of its supersets' weights, in place."""
    bit = 1
    while bit < weights.shape[0]:
        for number in range(weights.shape[0]):
            if not number & bit:
                weights[number] = _log_add(weights[number], weights[number | bit])
        bit <<= 1


@compiled
def _orderings(within: LogWeights, first: LogWeights, last: LogWeights) -> None:
    """Log weights of all orderings of each set: when it stands first, and when it stands last.

    ``within[v, S]`` is the weight of v's parent sets within S (over the other variables).
    """
    n_variables = within.shape[0]
    everything = (1 << n_variables) - 1
    first[0] = last[0] = 0.0
    for number in range(1, everything + 1):
        first[number] = last[number] = -np.inf
        before = everything ^ number
        for v in range(n_variables):
            if (number >> v) & 1:
                rest = number ^ (1 << v)
                first[number] = _log_add(first[number], first[rest] + within[v, without(rest, v)])
                last[number] = _log_add(last[number], last[rest] + within[v, without(before, v)])


@compiled
def _around(child: int, n_variables: int, first: LogWeights, last: LogWeights, out: LogWeights) -> None:
    """For each set of others: log weight of the orderings in which exactly that set stands before the child."""
    low_mask = (1 << child) - 1
    everything = (1 << n_variables) - 1
    for number in range(out.shape[0]):
        before = (number & low_mask) | ((number & ~low_mask) << 1)
        out[number] = first[before] + last[everything ^ before ^ (1 << child)]


@compiled
def _edges_into(child: int, n_variables: int, weights: LogWeights, around: LogWeights, out: LogWeights) -> None:
    """Log weight of each edge into the child: the sum over parent sets that hold the parent."""
    out[:] = -np.inf
    for number in range(weights.shape[0]):
        weight = weights[number] + around[number]
        if weight == -np.inf:
            continue
        for v in range(n_variables - 1):
            if (number >> v) & 1:
                parent = v if v < child else v + 1
                out[parent] = _log_add(out[parent], weight)


def edge_posterior(
    data: Dataset,
    score: TableScore | None = None,
    max_parents: int | None = 4,
    constraints: Constraints | None = None,
    *,
    fair: bool = True,
    max_memory: int = _DEFAULT_MEMORY,
) -> EdgePosterior:
    """Posterior probability of every edge, exactly (Koivisto & Sood 2004; Koivisto 2006).

    The prior over graphs is order-modular: uniform over orderings, and within an ordering a product over families. A
    graph is therefore weighted by the number of orderings that fit it, which favours graphs with few edges.

    Parameters
    ----------
    data : Dataset
    score : score, default BDeu(1)
        Its exponential is the weight of a family; a marginal likelihood gives a posterior.
    max_parents : int, optional
    constraints : Constraints, optional
    fair : bool
        Each size of a parent set has the same prior mass; otherwise each parent set has.
    max_memory : int
        Bytes; the tables need 16 V 2**(V - 1) + 24 2**V, and more is refused before work begins.

    Raises
    ------
    ValueError
        Too many variables, or constraints that no graph meets.

    Examples
    --------
    >>> import bnengine as bn
    >>> posterior = bn.edge_posterior(bn.load_network("cancer").sample(500, rng=1))
    >>> posterior.probability.shape
    (5, 5)
    """
    n = data.n_variables
    needed = (16 * n << max(n - 1, 0)) + (24 << n)
    if n > 30 or needed > max_memory:
        raise ValueError(
            f"exact edge posteriors over {n} variables need 16 · V · 2^(V−1) + 24 · 2^V bytes = "
            f"{gigabytes(needed)}, more than the {max_memory / 2**30:.1f} GB allowed: "
            "choose fewer variables, or the bootstrap"
        )
    used = WithPrior(score or BDeu(), fair=fair)
    space = (constraints or Constraints()).resolve(data.names, max_parents)
    scores = LocalScores(data, used)
    weights = np.empty((n, 1 << (n - 1)))
    for child in range(n):
        others = [v for v in range(n) if v != child]
        allowed = sum(1 << b for b, v in enumerate(others) if space.allowed[v, child])
        required = sum(1 << b for b, v in enumerate(others) if space.required[v, child])
        _family_weights(scores.problem, child, allowed, required, space.max_parents, weights[child])
    within = weights.copy()
    for child in range(n):
        _sum_over_subsets(within[child])
    first, last = np.empty(1 << n), np.empty(1 << n)
    _orderings(within, first, last)
    evidence = float(first[-1])
    if not math.isfinite(evidence):
        raise ValueError(
            "no graph meets the constraints with so few parents; raise max_parents or drop a required edge"
        )
    probability = np.zeros((n, n))
    around = np.empty(1 << (n - 1))
    into = np.empty(n)
    for child in range(n):
        _around(child, n, first, last, around)
        _sum_over_supersets(around)
        _edges_into(child, n, weights[child], around, into)
        probability[:, child] = np.minimum(np.exp(into - evidence), 1.0)
    return EdgePosterior(data.names, probability, evidence, used.name, space.max_parents, scores.n_scored)
