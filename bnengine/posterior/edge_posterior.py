"""Exact posterior probabilities of edges, summed over all orderings and all graphs consistent with them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, ReadOnlyArrays
from bnengine._core.display import Displayed, gigabytes
from bnengine._core.environment import pd
from bnengine._core.parallel import Flag, Progress, stoppable
from bnengine._core.validation import Ge, ParentLimit, Share, VariableCount, accepts, validated
from bnengine._jit.records import Handle, handle_of, random_state
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints, SearchSpace
from bnengine.graphs.dag import as_networkx, edge_frame
from bnengine.posterior._ordering_sums import (
    draw_from_sums,
    family_weights,
    ordering_sums,
    sum_backward,
    sum_forward,
)
from bnengine.posterior.parent_set_tables import ScoreWeight, score_weight
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BDeu, TableScore, WithPrior
from bnengine.search._parent_sets import bytes_of_lists, small_sets

_DEFAULT_MEMORY = 8 * 2**30
_SECONDS_PER_SET = 2.2e-8  # for each variable and one parent more than the limit; a guess for a choice, not a promise
_LEAST = 0.01  # edges of less probability are not listed in a notebook
_MAX_VARIABLES = 40  # one number per set of more variables exceeds the memory of any machine


class EdgeProbabilities(ReadOnlyArrays, Displayed):
    """What exact and sampled edge posteriors have in common: names and probabilities."""

    names: tuple[str, ...]
    probability: FloatArray
    score: str
    weight: ScoreWeight
    status: str

    def to_frame(self) -> pd.DataFrame:
        """One row per edge: parent, child, probability and, where it was sampled, error; likely ones first."""
        numbers = {name: getattr(self, name) for name in ("probability", "error") if hasattr(self, name)}
        frame = edge_frame(self.names, ~np.eye(len(self.names), dtype=np.bool_), **numbers)
        return frame.sort_values("probability", ascending=False, kind="stable", ignore_index=True)

    @validated
    def to_networkx(self, threshold: Share = 0.0) -> Any:
        """Return the edges above a probability as a ``networkx.DiGraph``, which may have cycles."""
        return as_networkx(self.names, self.probability > threshold, probability=self.probability)

    def _how(self) -> str:
        """Say in a sentence how the probabilities were found."""
        return "Summed exactly over all orderings: the probabilities have no Monte Carlo error."

    def _shown(self) -> tuple[str, pd.DataFrame]:
        stopped = " Stopped before the end." if self.status == "stopped" else ""
        listed, title = self.to_frame(), self.weight.title.capitalize()
        return (
            f"{title} of each edge, {self.score}. {self._how()}{stopped} It answers whether an edge is real, under the "
            "prior; how often it would be found again, an ensemble answers.",
            listed[listed["probability"] > _LEAST],
        )


@dataclass(frozen=True, eq=False)
class EdgePosterior(EdgeProbabilities):
    """Posterior probability of each edge under a uniform prior over orderings.

    Attributes
    ----------
    probability : ndarray of float, shape (V, V), read-only
        ``[parent, child]``. Posterior probabilities if ``weight.is_posterior``; otherwise see ``weight``.
    log_evidence : float
        Nats: log of the sum of exp(score) over all orderings and the graphs consistent with them.
    n_evaluations : int
        Number of local scores computed.
    weight : ScoreWeight
        Interpretation of exp(score): a marginal likelihood, an approximation of one, or neither.
    status : {"optimal", "stopped"}
        Exact, or stopped before anything was known: all probabilities and the evidence are then NaN.
    """

    names: tuple[str, ...]
    probability: FloatArray = field(repr=False)
    log_evidence: float
    score: str
    max_parents: int
    n_evaluations: int
    weight: ScoreWeight
    status: str = "optimal"


@validated
def posterior_memory(n_variables: VariableCount, max_parents: ParentLimit | None = None) -> int:
    """Return the bytes that exact edge posteriors need: a number for each of 2**V sets, and parent sets.

    Examples
    --------
    >>> import bnengine as bn
    >>> [f"{bn.posterior.posterior_memory(n, 3) / 2**30:.2f} GB" for n in (25, 29, 30)]
    ['0.26 GB', '4.01 GB', '8.01 GB']
    """
    limit = n_variables - 1 if max_parents is None else min(max_parents, n_variables - 1)
    return (8 << n_variables) + 2 * bytes_of_lists(n_variables, limit)


@validated
@accepts(interventions=True)
def edge_posterior(
    data: Dataset,
    score: TableScore | None = None,
    max_parents: ParentLimit | None = 4,
    constraints: Constraints | None = None,
    *,
    uniform_parent_sizes: bool = True,
    max_memory: Annotated[int, Ge(1)] = _DEFAULT_MEMORY,
    progress: Progress | None = None,
) -> EdgePosterior:
    """Compute the exact posterior probability of every edge (Koivisto & Sood 2004; Koivisto 2006).

    The prior over graphs is order-modular: a uniform prior over orderings, and within an ordering a product over
    families. A graph is therefore weighted by the number of orderings consistent with it,
    which favours graphs with few edges.

    Parameters
    ----------
    data : Dataset
    score : score, default BDeu(1)
        exp(local score) is the weight of a family. A marginal likelihood gives a posterior; for other scores see
        ``weight`` of the result.
    max_parents : int, optional
    constraints : Constraints, optional
    uniform_parent_sizes : bool
        Prior uniform over parent-set sizes, so that each size has the same prior mass; otherwise uniform over parent
        sets. A score that already includes this prior is not penalized twice.
    max_memory : int
        Bytes: 8 for each of the 2**V sets, and 16 for each parent set and for each of its parts among the first 1, 2, …
        columns. Checked before the computation starts.
    progress : callable, optional
        Called from the calling thread with (0, 1) while the work goes on; returning False stops it. No probability is
        known before the end: those of a stopped run are NaN.

    Raises
    ------
    ValueError
        If more than ``max_memory`` would be needed, or no graph satisfies the constraints.

    Examples
    --------
    >>> import bnengine as bn
    >>> posterior = bn.edge_posterior(bn.load_network("cancer").sample(500, rng=1))
    >>> posterior.probability.shape
    (5, 5)
    >>> posterior.weight.title
    'posterior probability'
    """
    space = (constraints or Constraints()).resolve(data.names, max_parents)
    check_memory(data.n_variables, space.max_parents, max_memory)
    used = score or BDeu()
    if uniform_parent_sizes and not used.form(data.n_rows).uniform_parent_sizes:
        used = WithPrior(used, uniform_parent_sizes=True)

    def summed(stop: Flag) -> EdgePosterior:
        scores = LocalScores(data, used, stop)
        probability, log_evidence = exact_probabilities(scores, space)
        status = "stopped" if scores.stopped else "optimal"
        if scores.stopped:
            probability, log_evidence = np.full_like(probability, np.nan), math.nan
        counted, weight = scores.n_scored, score_weight(used, data.n_rows)
        return EdgePosterior(
            data.names, probability, log_evidence, used.name, space.max_parents, counted, weight, status
        )

    return stoppable(summed, progress)


def check_memory(n_variables: int, max_parents: int, max_memory: int) -> None:
    """Raise a ValueError if exact posteriors need more than ``max_memory`` bytes."""
    needed = posterior_memory(n_variables, max_parents if n_variables <= _MAX_VARIABLES else 0)
    if n_variables > _MAX_VARIABLES or needed > max_memory:
        raise ValueError(
            f"exact edge posteriors over {n_variables} variables with up to {max_parents} parents need 8 · 2^V bytes "
            f"and memory for the parent sets, {gigabytes(needed)}, more than the {max_memory / 2**30:.1f} GB allowed: "
            "choose fewer variables, lower max_parents, or the bootstrap"
        )


class Draws(NamedTuple):
    """Orderings and graphs drawn independently from the exact posterior."""

    graphs: BoolArray  # (m, V, V)
    scores: FloatArray  # (m,) of the graphs: local scores with structure prior, nats
    log_weights: FloatArray  # (m,) of the orderings
    best_graph: BoolArray  # (V, V) the heaviest that fits any of the orderings
    best_score: float


def exact_seconds(n_variables: int, max_parents: int) -> float:
    """Estimate how long exact edge posteriors take on one core, seconds; infinite beyond any memory."""
    if n_variables > _MAX_VARIABLES:
        return math.inf
    return _SECONDS_PER_SET * (min(max_parents, max(n_variables - 1, 0)) + 1) * n_variables * 2.0**n_variables


def exact_probabilities(scores: LocalScores, space: SearchSpace) -> tuple[FloatArray, float]:
    """Compute the edge probabilities, shape (V, V), and the log evidence by a forward and a backward sum over sets.

    Once the stop flag of the scores is set they mean nothing.
    """
    return exact_draws(scores, space, np.random.default_rng(0), 0)[:2]


def exact_draws(
    scores: LocalScores,
    space: SearchSpace,
    rng: np.random.Generator,
    n_draws: int,
) -> tuple[FloatArray, float, Draws | None]:
    """Compute the same with ``n_draws`` orderings and graphs, drawn between the two passes; None if there are none."""
    n = len(space.allowed)
    small = small_sets(n - 1, space.max_parents)
    first = int(small.starts[-1])  # start of the list over all other variables
    lists = np.empty((n, first + len(small.masks)))
    others = [[v for v in range(n) if v != child] for child in range(n)]
    for child in range(n):
        allowed = sum(1 << o for o, v in enumerate(others[child]) if space.allowed[v, child])
        required = sum(1 << o for o, v in enumerate(others[child]) if space.required[v, child])
        family_weights(scores.handle, child, allowed, required, small.masks, lists[child, first:])
    stop = scores.context.stop
    over_all = ordering_sums(small, lists, stop)
    handle = handle_of(over_all)
    sum_forward(handle)
    log_evidence = float(over_all.sums[-1])
    if stop[0]:
        return np.zeros((n, n)), -math.inf, None
    if not math.isfinite(log_evidence):
        raise ValueError(
            "no graph satisfies the constraints with so few parents: raise max_parents or drop a required edge"
        )
    draws = _drawn(handle, small.masks, lists[:, first:], others, rng, n_draws) if n_draws else None
    sum_backward(handle)
    remaining = over_all.around  # weight of all other families, given each parent set
    probability = np.zeros((n, n))
    for child in range(n if not stop[0] else 0):
        share = np.exp(lists[child, first:] + remaining[child, first:] - log_evidence)
        for other, parent in enumerate(others[child]):
            probability[parent, child] = share[(small.masks >> other) & 1 == 1].sum()
    return np.minimum(probability, 1.0), log_evidence, draws


def _drawn(
    handle: Handle,
    masks: IntArray,
    weights: FloatArray,
    others: list[list[int]],
    rng: np.random.Generator,
    n_draws: int,
) -> Draws | None:
    """Draw orderings and graphs from the sums of the forward pass; ``masks`` are sets of others, ``weights`` (V, S)."""
    n = len(others)
    order = np.argsort(-weights, axis=1, kind="stable")
    of_columns = np.array([sum((((masks >> o) & 1) << v for o, v in enumerate(row)), 0 * masks) for row in others])
    of_columns, weights = np.take_along_axis(of_columns, order, 1), np.take_along_axis(weights, order, 1)
    drawn, best = np.zeros((2, n_draws, n), dtype=np.int64)
    log_weights = np.empty(n_draws)
    number = draw_from_sums(handle, of_columns, weights, random_state(rng), drawn, best, log_weights)
    if number == 0:
        return None
    children = np.arange(n)
    of_best = weights[children, best[:number]].sum(axis=1)
    parents = of_columns[children, np.vstack([drawn[:number], best[[of_best.argmax()]]])]
    graphs = ((parents[:, None, :] >> np.arange(n)[:, None]) & 1).astype(np.bool_)
    of_drawn = weights[children, drawn[:number]].sum(axis=1)
    return Draws(graphs[:-1], of_drawn, log_weights[:number], graphs[-1], float(of_best.max()))
