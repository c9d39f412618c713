"""The mean of several edge posteriors: over resamples, or over equivalent sample sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np

from bnengine._core.arrays import FloatArray, ReadOnlyArrays
from bnengine._core.parallel import Progress, nearby, shared_progress
from bnengine._core.random_generators import Seed, generator_of, seed_of, standard_error
from bnengine._core.validation import Ess, Ge, Moves, ParentLimit, Repeats, honours, one_of, validated
from bnengine.data.dataset import Dataset
from bnengine.data.drawn_rows import drawn_with
from bnengine.graphs.constraints import Constraints
from bnengine.posterior.chain import summary_of
from bnengine.posterior.edge_posterior import check_memory, edge_posterior, exact_probabilities
from bnengine.posterior.order_chain import SoftTiers
from bnengine.posterior.parent_set_tables import ParentSetTables, ScoreWeight, score_weight
from bnengine.posterior.running import Inline, run_steps
from bnengine.posterior.sample_posterior import DEFAULT_MEMORY, default_steps, sample_posterior, sampler_for
from bnengine.posterior.sampled_posterior import PARTS, in_parts
from bnengine.posterior.sampler import CHAINS, Prepared, Sampled, Sampler
from bnengine.scores.scores import BDeu, TableScore


@dataclass(frozen=True, eq=False)
class AveragedPosterior(ReadOnlyArrays):
    """Mean of several edge posteriors.

    Attributes
    ----------
    probability : ndarray of float, shape (V, V), read-only
        ``[parent, child]``: the weighted mean of ``members``.
    error : ndarray of float, shape (V, V)
        Its standard error: over resamples from their spread, which includes the sampling of orderings; over scores from
        the errors of the members, 0 where these are exact.
    members : ndarray of float, shape (n, V, V)
        The posteriors that are averaged.
    labels : tuple of str, length n
    member_weights : ndarray of float, shape (n,)
        They add up to 1.
    method : str
        Of each member: ``"exact"``, ``"order"`` or ``"graph"``.
    weight : ScoreWeight
        Interpretation of exp(score).
    n_planned : int
        Members asked for.
    warning : str or None
        A sentence where the chains of a member disagree.
    status : str
        ``"converged"``, ``"optimal"`` for exact members, or ``"stopped"`` with fewer members than planned.
    """

    names: tuple[str, ...]
    probability: FloatArray = field(repr=False)
    error: FloatArray = field(repr=False)
    members: FloatArray = field(repr=False)
    labels: tuple[str, ...] = field(repr=False)
    member_weights: FloatArray = field(repr=False)
    method: str
    score: str
    weight: ScoreWeight
    max_parents: int
    n_planned: int
    warning: str | None
    seed: int | None
    status: str


# Bagged posterior: the mean of the edge posteriors of bootstrap resamples.


@validated
@honours("experiments")
def bagged_posterior(
    data: Dataset,
    score: TableScore | None = None,
    n: Repeats = 30,
    max_parents: ParentLimit | None = 4,
    constraints: Constraints | None = None,
    *,
    method: str = "order",
    uniform_parent_sizes: bool = True,
    order_prior: SoftTiers | None = None,
    n_steps: Moves | None = None,
    candidates: Repeats = 12,
    max_memory: Annotated[int, Ge(1)] = DEFAULT_MEMORY,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> AveragedPosterior:
    """Average the edge posterior over bootstrap resamples of the rows (BayesBag: Bühlmann 2014; Huggins & Miller 2023).

    Where no graph is right, or parent sets are close rivals, the posterior of one table is too sure of one of them; the
    mean over resamples is less so.

    Parameters
    ----------
    data : Dataset
    score : score, default FNML()
    n : int
        Number of resamples, of as many rows as the data.
    max_parents : int, optional
    constraints : Constraints, optional
    method : {"order", "graph", "exact"}
        Each resample's posterior by ``sample_posterior`` or by ``edge_posterior``. For sampling, the candidate parents
        are chosen once, from the data.
    uniform_parent_sizes : bool
    order_prior : SoftTiers, optional
    n_steps : int, optional
        Moves of the one chain of each resample; None for half of those of ``sample_posterior``.
    candidates : int
        For sampling; see ``sample_posterior``.
    max_memory : int
        Bytes for each resample's posterior, checked before the computation starts.
    rng : int, Generator or None, default 0; None draws anew at each call
        The result depends neither on the number of workers nor on the order of the columns.
    executor : concurrent.futures.Executor, optional
        None for one thread per core; any other receives picklable tasks, one for each resample. A Dask client (or its
        executor) is one, too; what the resamples share is then prepared on this machine.
    progress : callable, optional
        Called from the calling thread with (resamples done, n); returning False ends with the mean of those done.

    Raises
    ------
    ValueError
        If an argument is out of its range, no graph satisfies the constraints, or more memory would be needed.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(300, rng=1)
    >>> bagged = bn.posterior.bagged_posterior(data, n=8, method="exact")
    >>> bagged.members.shape
    (8, 5, 5)
    """
    one_of(method, "method", ("exact", *CHAINS))
    sampling = "order" if method == "exact" else method
    steps = default_steps(data.n_variables, sampling) // 2 if n_steps is None else n_steps
    sampler = sampler_for(
        data,
        score,
        max_parents,
        constraints,
        method=sampling,
        uniform_parent_sizes=uniform_parent_sizes,
        order_prior=order_prior,
        n_chains=4,
        n_steps=steps,
        candidates=candidates,
        max_memory=max_memory,
    )
    of_data, of_bags = generator_of(rng).spawn(2)
    report_steps = None if progress is None else lambda done: progress(done, n)
    if method == "exact":
        check_memory(data.n_variables, sampler.space.max_parents, max_memory)
        bag = _Bag(sampler, (), ())
    else:
        sampler.check_memory()
        prepared = sampler.prepared(
            of_data, nearby(executor), None if report_steps is None else lambda _: report_steps(0)
        )
        bag = _Bag(sampler, tuple(prepared.tables), tuple(tuple(chain.ordering.tolist()) for chain in prepared.chains))
    _, results = run_steps(
        bag.posterior, [] if sampler.stop[0] else of_bags.spawn(n), 1, sampler.stop, executor, report_steps
    )
    whole = [member for result in results for member, is_whole in result if is_whole]
    members = np.array(whole or [_edges_of(sampler.run(of_data, Inline()))])  # stopped at once
    place = np.array([sampler.data.names.index(name) for name in data.names])
    members = np.ascontiguousarray(members[:, place[:, None], place])
    finished = "optimal" if method == "exact" else "converged"
    return AveragedPosterior(
        names=data.names,
        probability=members.mean(axis=0),
        error=standard_error(members),
        members=members,
        labels=tuple(f"resample {number}" for number in range(1, len(members) + 1)),
        member_weights=np.full(len(members), 1.0 / len(members)),
        method=method,
        score=sampler.score.name,
        weight=score_weight(sampler.score, data.n_rows),
        max_parents=sampler.space.max_parents,
        n_planned=n,
        warning=None,
        seed=seed_of(rng),
        status=finished if len(whole) == n else "stopped",
    )


@dataclass(frozen=True)
class _Bag:
    """Everything that a worker needs for the posterior of one resample."""

    sampler: Sampler
    tables: Sequence[ParentSetTables]  # of one of which the candidates are taken; none: exact
    orderings: Sequence[Sequence[int]]  # to start from

    def posterior(self, rng: np.random.Generator) -> tuple[np.random.Generator, tuple[FloatArray, bool]]:
        """Return the edge probabilities of a resample, and whether nothing was cut short."""
        data, stop = self.sampler.data, self.sampler.stop
        if data.experiments is None:
            weights = rng.multinomial(data.n_rows, data.multiplicities / data.n_rows).astype(np.int32)
        else:
            weights = drawn_with(data, data.n_rows, rng)
        sampler = replace(self.sampler, weights=weights, n_chains=1)
        if not self.tables:
            probability, _ = exact_probabilities(sampler.scores(), sampler.space, data.names, sampler.prior)
            return rng, (probability, not stop[0])
        of_group = self.tables[int(rng.integers(len(self.tables)))]
        columns = [of_group.candidates_of(child).tolist() for child in range(data.n_variables)]
        tables = sampler.tables(columns, Inline())
        start = self.orderings[int(rng.integers(len(self.orderings)))]
        sampled = sampler.finished(Prepared([tables], sampler.started([tables], [[start]], rng), 0), Inline())
        return rng, (_edges_of(sampled), not stop[0])


def _edges_of(sampled: Sampled) -> FloatArray:
    return summary_of(sampled.chains).probability


# Posterior averaged over the equivalent sample size, on which a single posterior depends.


@validated
@honours("experiments")
def ess_averaged_posterior(
    data: Dataset,
    ess: Sequence[Ess] = (1.0, 3.0, 10.0),
    max_parents: ParentLimit | None = 4,
    constraints: Constraints | None = None,
    *,
    score: Callable[[float], TableScore] = BDeu,
    method: str = "order",
    by_evidence: bool = False,
    max_memory: Annotated[int, Ge(1)] = DEFAULT_MEMORY,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> AveragedPosterior:
    """Average the edge posterior over several equivalent sample sizes.

    The number of edges depends strongly on the equivalent sample size (Silander, Kontkanen & Myllymäki 2007), and
    nothing in the data's origin says what it should be.

    Parameters
    ----------
    data : Dataset
    ess : sequence of float
        Equivalent sample sizes, in rows.
    max_parents : int, optional
    constraints : Constraints, optional
    score : callable
        Makes the score of an equivalent sample size, such as ``BDeu`` or ``BDs``.
    method : {"order", "exact"}
        ``sample_posterior`` or ``edge_posterior``.
    by_evidence : bool
        Weight each equivalent sample size by its evidence, the probability of the data under it, which only
        ``method="exact"`` knows; otherwise all alike.
    max_memory : int
        Bytes for each posterior.
    rng, executor, progress
        As for ``sample_posterior``; an exact posterior counts as one step of the progress.
    **options
        Further arguments of ``sample_posterior`` or ``edge_posterior``, such as ``order_prior``.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(300, rng=1)
    >>> averaged = bn.posterior.ess_averaged_posterior(data, method="exact", by_evidence=True)
    >>> averaged.labels
    ('ess 1', 'ess 3', 'ess 10')
    """
    sizes = [float(size) for size in ess]
    if not sizes:
        raise ValueError("ess must hold one or more equivalent sample sizes, such as (1, 3, 10); got none")
    one_of(method, "method", ("exact", *CHAINS))
    if by_evidence and method != "exact":
        raise ValueError("by_evidence=True needs the evidence of each score, which only method='exact' computes")
    given = {"max_parents": max_parents, "constraints": constraints, "max_memory": max_memory, **options}
    found: list[Any] = []
    if method == "exact":
        for size in sizes:
            found.append(edge_posterior(data, score(size), **given))
            if progress is not None and progress(len(found), len(sizes)) is False:
                break
    else:
        tells = shared_progress(progress, [PARTS] * len(sizes))
        for size, report_steps, child in zip(sizes, tells, generator_of(rng).spawn(len(sizes)), strict=True):
            part = in_parts(report_steps)
            found.append(
                sample_posterior(data, score(size), method=method, rng=child, executor=executor, progress=part, **given)
            )
            if found[-1].status == "stopped":
                break
    return _average(data, found, sizes, method, by_evidence, seed_of(rng))


def _average(
    data: Dataset, found: list[Any], sizes: list[float], method: str, by_evidence: bool, seed: int | None
) -> AveragedPosterior:
    members = np.array([member.probability for member in found])
    weights = np.full(len(found), 1.0 / len(found))
    if by_evidence:
        evidence = np.array([member.log_evidence for member in found])
        weights = np.exp(evidence - np.logaddexp.reduce(evidence))
    errors = np.array([getattr(member, "error", np.zeros_like(member.probability)) for member in found])
    whole = len(found) == len(sizes) and all(getattr(member, "status", "") != "stopped" for member in found)
    warnings = [
        f"ess {size:g}: {member.warning}"
        for size, member in zip(sizes, found, strict=False)
        if getattr(member, "warning", None)
    ]
    return AveragedPosterior(
        names=data.names,
        probability=np.tensordot(weights, members, axes=1),
        error=np.sqrt(np.tensordot(weights**2, errors**2, axes=1)),
        members=members,
        labels=tuple(f"ess {size:g}" for size in sizes[: len(found)]),
        member_weights=weights,
        method=method,
        score=f"{found[0].score} averaged over ess {', '.join(f'{size:g}' for size in sizes[: len(found)])}",
        weight=found[0].weight,
        max_parents=found[0].max_parents,
        n_planned=len(sizes),
        warning="; ".join(warnings) or None,
        seed=seed,
        status=("optimal" if method == "exact" else "converged") if whole else "stopped",
    )
