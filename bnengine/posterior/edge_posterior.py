"""Exact posterior probabilities of edges, averaged over all orderings and all graphs that fit them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from bnengine._core.old_names import renamed_arguments
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.enumeration import gigabytes
from bnengine.posterior._ordering_sums import family_weights, sum_backward, sum_forward
from bnengine.posterior.order_prior import UNIFORM, SoftTiers
from bnengine.posterior.score_weights import ScoreWeight, score_weight
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BDeu, TableScore, WithPrior
from bnengine.search._small_sets import bytes_of_lists, small_sets

_DEFAULT_MEMORY = 8 * 2**30
_MOST_VARIABLES = 40  # beyond this even a set's one number is more than any machine holds


@dataclass(frozen=True, eq=False)
class EdgePosterior:
    """Posterior probability of each edge under a prior over orderings.

    Attributes
    ----------
    names : tuple of str
    probability : ndarray of float, shape (V, V), read-only
        ``[parent, child]``. Posterior probabilities where ``weight.is_posterior``; what they are otherwise, ``weight``
        says.
    log_evidence : float
        Nats: logarithm of the sum, over orderings and graphs that fit them, of exp(score), and of the ordering's
        weight where a prior over orderings was given.
    score : str
    max_parents : int
    n_evaluations : int
        Families counted.
    weight : ScoreWeight
        What exp(score) is: a marginal likelihood, an approximation of one, or none.
    """

    names: tuple[str, ...]
    probability: npt.NDArray[np.float64] = field(repr=False)
    log_evidence: float
    score: str
    max_parents: int
    n_evaluations: int
    weight: ScoreWeight

    def __post_init__(self) -> None:
        self.probability.setflags(write=False)


def posterior_memory(n_variables: int, max_parents: int | None = None) -> int:
    """Bytes that exact edge posteriors need: a number for each of the 2**V sets, and lists of parent sets.

    Examples
    --------
    >>> import bnengine as bn
    >>> [f"{bn.posterior.posterior_memory(n, 3) / 2**30:.2f} GB" for n in (25, 29, 30)]
    ['0.26 GB', '4.01 GB', '8.01 GB']
    """
    limit = n_variables - 1 if max_parents is None else min(max_parents, n_variables - 1)
    return (8 << n_variables) + 2 * bytes_of_lists(n_variables, limit)


@renamed_arguments(fair="uniform_parent_sizes")
def edge_posterior(
    data: Dataset,
    score: TableScore | None = None,
    max_parents: int | None = 4,
    constraints: Constraints | None = None,
    *,
    uniform_parent_sizes: bool = True,
    order_prior: SoftTiers | None = None,
    max_memory: int = _DEFAULT_MEMORY,
) -> EdgePosterior:
    """Posterior probability of every edge, exactly (Koivisto & Sood 2004; Koivisto 2006).

    The prior over graphs is order-modular: a prior over orderings, uniform unless ``order_prior`` is given, and within
    an ordering a product over families. A graph is therefore weighted by the orderings that fit it, which favours
    graphs with few edges.

    Parameters
    ----------
    data : Dataset
    score : score, default BDeu(1)
        Its exponential is the weight of a family; a marginal likelihood gives a posterior. The result's ``weight`` says
        what it is for this score.
    max_parents : int, optional
    constraints : Constraints, optional
    uniform_parent_sizes : bool
        Each size of a parent set has the same prior mass; otherwise each parent set has. A score that already has such
        a prior is not charged twice.
    order_prior : SoftTiers, optional
        Orderings that keep to tiers are more probable than others.
    max_memory : int
        Bytes; 8 for each of the 2**V sets and 16 for each parent set and each part of one among the first 1, 2, …
        columns. More is refused before work begins.

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
    >>> posterior.weight.title
    'posterior probability'
    """
    n = data.n_variables
    space = (constraints or Constraints()).resolve(data.names, max_parents)
    needed = posterior_memory(n, space.max_parents if n <= _MOST_VARIABLES else 0)
    if n > _MOST_VARIABLES or needed > max_memory:
        raise ValueError(
            f"exact edge posteriors over {n} variables with up to {space.max_parents} parents need 8 · 2^V bytes and "
            f"their parent sets, {gigabytes(needed)}, more than the {max_memory / 2**30:.1f} GB allowed: "
            "choose fewer variables, lower max_parents, or the bootstrap"
        )
    used = score or BDeu()
    if uniform_parent_sizes and not used.form(data.n_rows).uniform_parent_sizes:
        used = WithPrior(used, uniform_parent_sizes=True)
    later = (order_prior or UNIFORM).later(data.names)
    penalty = float((order_prior or UNIFORM).penalty)
    scores = LocalScores(data, used)
    small = small_sets(n - 1, space.max_parents)
    weights = int(small.starts[-1])  # where the last list begins
    lists = np.empty((n, weights + len(small.masks)))
    for child in range(n):
        others = [v for v in range(n) if v != child]
        allowed = sum(1 << o for o, v in enumerate(others) if space.allowed[v, child])
        required = sum(1 << o for o, v in enumerate(others) if space.required[v, child])
        family_weights(scores.problem, child, allowed, required, small.masks, lists[child, weights:])
    sums = np.empty(1 << n)
    sum_forward(small, later, penalty, lists, sums)
    evidence = float(sums[-1])
    if not math.isfinite(evidence):
        raise ValueError(
            "no graph meets the constraints with so few parents; raise max_parents or drop a required edge"
        )
    around = np.empty_like(lists)
    sum_backward(small, later, penalty, lists, around, sums)
    probability = np.zeros((n, n))
    for child in range(n):
        share = np.exp(lists[child, weights:] + around[child, weights:] - evidence)
        for other, parent in enumerate(v for v in range(n) if v != child):
            probability[parent, child] = share[(small.masks >> other) & 1 == 1].sum()
    return EdgePosterior(
        data.names,
        np.minimum(probability, 1.0),
        evidence,
        used.name,
        space.max_parents,
        scores.n_scored,
        score_weight(used, data.n_rows),
    )
