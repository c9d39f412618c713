"""Posterior probabilities of edges for any number of variables: summed exactly, or by Markov chains."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray, UInt8Array
from bnengine._core.display import counted
from bnengine._core.parallel import Flag, Progress, nearby, stoppable
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.validation import Ge, Moves, NotNegative, ParentLimit, Repeats, accepts, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import unpacked
from bnengine.posterior.chain import summary_of
from bnengine.posterior.completions import exact_plan, posterior_over_completions, sampled_plan
from bnengine.posterior.edge_posterior import check_memory, exact_draws, exact_seconds, posterior_memory
from bnengine.posterior.parent_set_tables import score_weight
from bnengine.posterior.sampled_posterior import DISAGREEMENT, SampledPosterior
from bnengine.posterior.sampler import Sampled, Sampler
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import FNML, TableScore, WithPrior

DEFAULT_MEMORY = 2 * 2**30
_NAMED, _MENTIONED = 5, 20  # edges in a warning: with the range of their probabilities, and by name only
_DRAWS = 1_000  # graphs drawn from the exact posterior of complete rows


def default_steps(n_variables: int) -> int:
    """Return the default moves of a chain: 120 V² ln V, at least 1,000,000."""
    n = max(n_variables, 2)
    return max(1_000_000, math.ceil(120 * n * n * math.log(n)))


@validated
@accepts(interventions=True, missing=True)
def sample_posterior(
    data: Dataset,
    score: TableScore | None = None,
    max_parents: ParentLimit | None = 4,
    constraints: Constraints | None = None,
    *,
    method: str = "auto",
    uniform_parent_sizes: bool = True,
    n_chains: Repeats = 4,
    n_steps: Moves | None = None,
    candidates: Repeats = 12,
    exact_within: NotNegative = 15.0,
    max_memory: Annotated[int, Ge(1)] = DEFAULT_MEMORY,
    n_draws: Repeats | None = None,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> SampledPosterior:
    """Compute the posterior probability of every edge, exactly where that is affordable, and draw graphs from it.

    The exact posterior is that of ``edge_posterior``, and the graphs are then independent draws. For more variables
    Markov chains run over orderings (Friedman & Koller 2003); ``method`` of the result says which it was. The prior
    over graphs is order-modular: a graph is weighted by the number of orderings it fits. Each chain moves several
    orderings at once, all but one of which are heated (Geyer 1991).

    Each child's parent sets are those among its candidate parents (Kuipers, Suter & Moffa 2022). These are the parents
    in the best graphs known and in their rivals, in which an edge is turned round or left out, two variables are
    exchanged, or one is put first or last, and pairs and triples of parents that gain only together, as those of an
    exclusive or do (triples with up to about 100 variables); then the neighbours in graphs learned from resamples and
    the variables that gain most. Half of the chains have other candidates than the rest. Edges from outside the
    candidates are judged, given the graphs drawn, by what they gain; where one has odds above 0.005, or a good graph
    that the chains lead to has it, a variable becomes a candidate and the chains go on.

    The error of a sampled probability is never 0: what n independent states never showed may have a probability of
    1 / n. It covers what chains with different starts and candidates differ in, not what all of them miss.

    Where cells are missing, it is the mean of the posteriors of completions, whatever ``data.missing_way``: families
    counted on different rows have no posterior. Chains draw a graph, its probabilities and the missing cells in turn,
    each given the others (data augmentation: Tanner & Wong 1987). Where posteriors are summed exactly, each chain
    averages up to 25 completions, as many as ``exact_within`` allows, and half of them if the error of every edge is
    then at most 0.02. The completions are drawn from their posterior, exactly under BDeu and K2, and under other scores
    with probabilities from Jeffreys' prior. Where posteriors are sampled, graphs learned from resamples, with the
    leading correction, stand for graphs drawn from the posterior, and each chain gives one completion. The error is
    that of the means of the chains, widened by Student's t for their small number.

    Parameters
    ----------
    data : Dataset
    score : score, default FNML()
        exp(local score) is the weight of a family. A marginal likelihood gives a posterior; for other scores see
        ``weight`` of the result.
    max_parents : int, optional
    constraints : Constraints, optional
    method : {"auto", "exact", "order"}
        "auto" is "exact" if that takes no longer than ``exact_within`` by a rough formula and no more than
        ``max_memory``, and ``n_steps`` is not given; otherwise "order".
    uniform_parent_sizes : bool
        Prior uniform over parent-set sizes, so that each size has the same prior mass; otherwise uniform over parent
        sets. A score that already includes this prior is not penalized twice.
    n_chains : int
        Independent chains, from different orderings.
    n_steps : int, optional
        Moves of each chain, of all its orderings together; None for 120 V² ln V, and at least 1,000,000. The first
        fifth is left out.
    candidates : int
        Candidate parents of each child, besides up to 4 that the chains find worth adding. With as many as there are
        other variables, no edge is left out.
    exact_within : float
        Seconds of one core that "auto" spends on the exact posterior: 15 suffice for 22 variables and 4 parents, and
        each further variable doubles them. Where cells are missing, for all completions together: 15 suffice for 16
        variables.
    max_memory : int
        Bytes for the tables of parent sets, or the sums over orderings, checked before the computation starts.
    n_draws : int, optional
        Independent chains of completions, and so the fewest draws of the missing cells that are averaged over; None for
        10 where posteriors are summed exactly, and 5 where they are sampled.
    rng : int, Generator or None, default 0; None draws anew at each call
        The result depends neither on the number of workers nor on the order of the columns.
    executor : concurrent.futures.Executor, optional
        None for one thread per core; any other receives picklable tasks, each a twentieth of a chain. The chains of one
        posterior do not leave this machine for a Dask cluster, since they would travel with their tables.
    progress : callable, optional
        Called from the calling thread with (moves made by all chains, total); returning False stops the chains, which
        give the result of the moves made.

    Raises
    ------
    ValueError
        If an argument is out of its range, no graph satisfies the constraints, or more memory would be needed.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(500, rng=1)
    >>> posterior = bn.sample_posterior(data, bn.BDeu(1))
    >>> posterior.method
    'exact'
    >>> sampled = bn.sample_posterior(data, bn.BDeu(1), method="order")
    >>> bool(abs(sampled.probability - posterior.probability).max() < 0.05)
    True
    """
    how: dict[str, Any] = {
        "max_parents": max_parents,
        "constraints": constraints,
        "uniform_parent_sizes": uniform_parent_sizes,
        "n_chains": n_chains,
        "n_steps": n_steps,
        "candidates": candidates,
        "max_memory": max_memory,
    }
    if data.holes is not None:
        return _over_completions(data, score, method, n_draws, exact_within, rng, executor, progress, how)
    if method == "auto":
        exact = n_steps is None and is_affordable(data.n_variables, max_parents, constraints, exact_within, max_memory)
        method = "exact" if exact else "order"
    sampler = sampler_for(data, score, method=method, **how)
    return _of_rows(data, sampler, method, rng, executor, progress)


def _of_rows(
    data: Dataset,
    sampler: Sampler,
    method: str,
    rng: Seed,
    executor: Executor | None,
    progress: Progress | None,
    n_graphs: int = _DRAWS,
) -> SampledPosterior:
    """Return the posterior of complete rows, with so many graphs drawn where it is summed exactly."""
    if method == "exact":
        check_memory(data.n_variables, sampler.space.max_parents, sampler.max_memory)
        found = stoppable(
            lambda stop: _summed(data, sampler, generator_of(rng), stop, seed_of(rng), n_graphs), progress
        )
        if found is not None:
            return found
        sampler.stop[0] = 1  # what can be said at once
    sampler.check_memory()
    plan = sampler.plan()
    total = sampler.n_chains * plan.n_steps
    report_steps = None if progress is None else lambda done: progress(done * plan.n_steps // plan.n_batches, total)
    sampled = sampler.run(generator_of(rng), nearby(executor), report_steps)
    if progress is not None and not sampled.stopped:
        progress(total, total)
    return _result(data.names, sampled, sampler, seed_of(rng))


def _over_completions(
    data: Dataset,
    score: TableScore | None,
    method: str,
    n_draws: int | None,
    exact_within: float,
    rng: Seed,
    executor: Executor | None,
    progress: Progress | None,
    how: dict[str, Any],
) -> SampledPosterior:
    """Return the mean over completions of the posteriors of their rows; ``how`` are the arguments of each."""
    limit = (how["constraints"] or Constraints()).resolve(data.names, how["max_parents"])
    if method == "auto":
        exact = how["n_steps"] is None and is_affordable_with_holes(
            data, limit.max_parents, n_draws, exact_within, how["max_memory"]
        )
        method = "exact" if exact else "order"
    used = sampler_for(data, score, **{**how, "method": method}).score
    plan = sampled_plan(n_draws)
    if method == "exact":
        plan = exact_plan(data, limit.max_parents, n_draws, exact_within)

    def of_rows(rows: Dataset, own: np.random.Generator, tell: Progress | None) -> SampledPosterior:
        sampler = sampler_for(rows, score, method=method, **how)
        return _of_rows(rows, sampler, method, own, executor, tell, plan.n_graphs)

    found = posterior_over_completions(data, used, limit, plan, generator_of(rng), progress, of_rows)
    return replace(found, seed=seed_of(rng))


def sampler_for(
    data: Dataset,
    score: TableScore | None,
    max_parents: int | None,
    constraints: Constraints | None,
    *,
    method: str,
    uniform_parent_sizes: bool,
    n_chains: int,
    n_steps: int | None,
    candidates: int,
    max_memory: int,
) -> Sampler:
    """Return the sampler of these arguments, which are checked; its columns are in the order of their names."""
    if method not in ("exact", "order"):
        raise ValueError(f"method must be one of auto, exact, order; got {method!r}")
    names = tuple(sorted(data.names))
    used = score or FNML()
    if uniform_parent_sizes and not used.form(data.n_rows).uniform_parent_sizes:
        used = WithPrior(used, uniform_parent_sizes=True)
    return Sampler(
        data.select(names),
        used,
        (constraints or Constraints()).resolve(names, max_parents),
        n_chains,
        default_steps(data.n_variables) if n_steps is None else n_steps,
        candidates,
        max_memory,
    )


def is_affordable(
    n_variables: int, max_parents: int | None, constraints: Constraints | None, seconds: float, max_memory: int
) -> bool:
    """Return whether the exact posterior is predicted to take no more time and memory."""
    of_constraints = constraints.max_parents if constraints is not None else None
    limit = min(k for k in (max_parents, of_constraints, n_variables) if k is not None)
    return exact_seconds(n_variables, limit) <= seconds and posterior_memory(n_variables, limit) <= max_memory


def is_affordable_with_holes(
    data: Dataset, max_parents: int, n_draws: int | None, seconds: float, max_memory: int
) -> bool:
    """Return whether the exact posteriors of the fewest completions are predicted to take no more time and memory."""
    plan = exact_plan(data, max_parents, n_draws, 0.0)
    return plan.seconds * plan.n_posteriors <= seconds and posterior_memory(data.n_variables, max_parents) <= max_memory


def _result(names: Sequence[str], sampled: Sampled, sampler: Sampler, seed: int | None) -> SampledPosterior:
    """Return the result over the columns as given."""
    n, summary = len(names), summary_of(sampled.chains, sampler.space.allowed & ~sampler.space.required)
    place = np.array([sampler.data.names.index(name) for name in names])
    square = np.ix_(place, place)
    batches = [batch for chain in sampled.chains for batch in chain]
    packed = _columns_reordered(np.concatenate([batch.graphs for batch in batches]), n, place)
    best = max(batches, key=lambda batch: batch.best_score)
    groups = [(c, b) for c, chain in enumerate(sampled.chains) for b, batch in enumerate(chain) for _ in batch.graphs]
    proposed, accepted = (sum(getattr(batch, key) for batch in batches) for key in ("proposed", "accepted"))
    chain_means = summary.chain_means[:, place[:, None], place]
    difference = float(np.ptp(chain_means, axis=0).max())
    return SampledPosterior(
        names=tuple(names),
        probability=summary.probability[square],
        error=summary.error[square],
        r_hat=summary.r_hat[square],
        effective_sample_size=summary.effective_sample_size[square],
        between_chains=difference,
        warning=_warning(names, chain_means),
        acceptance={
            kind: float(a / p) if p else math.nan for kind, a, p in zip(sampled.moves, accepted, proposed, strict=True)
        },
        trace=np.array(list(itertools.zip_longest(*sampled.traces, fillvalue=math.nan))).T,
        map_graph=unpacked(best.best_graph, n)[square],
        map_score=best.best_score,
        packed_graphs=packed,
        graph_scores=np.concatenate([batch.scores for batch in batches]),
        groups=np.array(groups, dtype=np.int64),
        method="order",
        score=sampler.score.name,
        weight=score_weight(sampler.score, sampler.data.n_rows),
        max_parents=sampler.space.max_parents,
        n_evaluations=sampled.n_evaluations,
        n_chains=sampler.n_chains,
        n_steps=sampler.plan().n_steps,
        seed=seed,
        status="stopped" if sampled.stopped else "converged",
    )


def _summed(
    data: Dataset, sampler: Sampler, rng: np.random.Generator, stop: Flag, seed: int | None, n_graphs: int
) -> SampledPosterior | None:
    """Return the exact posterior over the columns as given; None if it was stopped."""
    scores, names, n = LocalScores(sampler.data, sampler.score, stop), sampler.data.names, data.n_variables
    probability, _, draws = exact_draws(scores, sampler.space, rng, n_graphs)
    if draws is None or scores.stopped:
        return None
    place = np.array([names.index(name) for name in data.names])
    square = np.ix_(place, place)
    groups = np.stack([np.zeros(n_graphs, dtype=np.int64), 20 * np.arange(n_graphs) // n_graphs], axis=1)
    return SampledPosterior(
        names=data.names,
        probability=probability[square],
        error=np.zeros((n, n)),
        r_hat=np.ones((n, n)),
        effective_sample_size=np.full((n, n), math.inf),
        between_chains=0.0,
        warning=None,
        acceptance={},
        trace=draws.log_weights[None],
        map_graph=draws.best_graph[square],
        map_score=draws.best_score,
        packed_graphs=np.array([np.packbits(graph[square]) for graph in draws.graphs]),
        graph_scores=draws.scores,
        groups=groups,
        method="exact",
        score=sampler.score.name,
        weight=score_weight(sampler.score, data.n_rows),
        max_parents=sampler.space.max_parents,
        n_evaluations=scores.n_scored,
        n_chains=0,
        n_steps=0,
        seed=seed,
        status="optimal",
    )


def _columns_reordered(packed: UInt8Array, n: int, place: IntArray) -> UInt8Array:
    """Reorder the columns of packed graphs, one at a time: they are many."""
    turned = np.empty_like(packed)
    for number, row in enumerate(packed):
        turned[number] = np.packbits(unpacked(row, n)[np.ix_(place, place)])
    return turned


def _warning(names: Sequence[str], chain_means: FloatArray) -> str | None:
    """Return a warning where the chains disagree, which names the edges, the worst first; else None."""
    spread = np.ptp(chain_means, axis=0)
    worst = [divmod(e, len(names)) for e in np.argsort(-spread, axis=None, kind="stable").tolist()]
    worst = [(i, j) for i, j in worst if spread[i, j] > DISAGREEMENT]
    if not worst:
        return None
    ranges = [
        f"{names[i]} → {names[j]} ({chain_means[:, i, j].min():.2f} to {chain_means[:, i, j].max():.2f})"
        for i, j in worst[:_NAMED]
    ]
    others = [f"{names[i]} → {names[j]}" for i, j in worst[_NAMED:]]
    text = f"the chains disagree on {counted(len(worst), 'edge')}, by chain: {', '.join(ranges)}"
    if others:
        text += f"; and on {', '.join(others[:_MENTIONED])}"
    if len(others) > _MENTIONED:
        text += f" and {len(others) - _MENTIONED:,} more"
    return f"{text}; take more steps, or read these numbers as uncertain"
