"""The bagged posterior: the mean of the edge posteriors of bootstrap resamples."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np

from bnengine._core.arrays import FloatArray, ReadOnlyArrays
from bnengine._core.parallel import Progress, nearby
from bnengine._core.random_generators import Seed, generator_of, seed_of, standard_error
from bnengine._core.validation import Ge, Moves, ParentLimit, Repeats, accepts, one_of, validated
from bnengine.data.dataset import Dataset
from bnengine.data.drawn_rows import drawn_with
from bnengine.graphs.constraints import Constraints
from bnengine.posterior.chain import summary_of
from bnengine.posterior.edge_posterior import check_memory, exact_probabilities
from bnengine.posterior.parent_set_tables import ParentSetTables, ScoreWeight, score_weight
from bnengine.posterior.running import Inline, run_steps
from bnengine.posterior.sample_posterior import DEFAULT_MEMORY, default_steps, sampler_for
from bnengine.posterior.sampler import Prepared, Sampled, Sampler
from bnengine.scores.scores import TableScore


@dataclass(frozen=True, eq=False)
class AveragedPosterior(ReadOnlyArrays):
    """Mean of the edge posteriors of resamples.

    Attributes
    ----------
    probability : ndarray of float, shape (V, V), read-only
        ``[parent, child]``: the mean of ``members``.
    error : ndarray of float, shape (V, V)
        Its standard error, from the spread of the members, which includes the sampling of orderings.
    members : ndarray of float, shape (n, V, V)
        The posteriors that are averaged.
    method : str
        Of each member: ``"exact"`` or ``"order"``.
    weight : ScoreWeight
        Interpretation of exp(score).
    n_planned : int
        Members asked for.
    status : str
        ``"converged"``, ``"optimal"`` for exact members, or ``"stopped"`` with fewer members than planned.
    """

    names: tuple[str, ...]
    probability: FloatArray = field(repr=False)
    error: FloatArray = field(repr=False)
    members: FloatArray = field(repr=False)
    method: str
    score: str
    weight: ScoreWeight
    max_parents: int
    n_planned: int
    seed: int | None
    status: str


@validated
@accepts(interventions=True)
def bagged_posterior(
    data: Dataset,
    score: TableScore | None = None,
    n: Repeats = 30,
    max_parents: ParentLimit | None = 4,
    constraints: Constraints | None = None,
    *,
    method: str = "order",
    uniform_parent_sizes: bool = True,
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
    method : {"order", "exact"}
        Each resample's posterior by ``sample_posterior`` or by ``edge_posterior``. For sampling, the candidate parents
        are chosen once, from the data.
    uniform_parent_sizes : bool
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
    one_of(method, "method", ("exact", "order"))
    steps = default_steps(data.n_variables) // 2 if n_steps is None else n_steps
    sampler = sampler_for(
        data,
        score,
        max_parents,
        constraints,
        method="order",
        uniform_parent_sizes=uniform_parent_sizes,
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
        method=method,
        score=sampler.score.name,
        weight=score_weight(sampler.score, data.n_rows),
        max_parents=sampler.space.max_parents,
        n_planned=n,
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
            probability, _ = exact_probabilities(sampler.scores(), sampler.space)
            return rng, (probability, not stop[0])
        of_group = self.tables[int(rng.integers(len(self.tables)))]
        columns = [of_group.candidates_of(child).tolist() for child in range(data.n_variables)]
        tables = sampler.tables(columns, Inline())
        start = self.orderings[int(rng.integers(len(self.orderings)))]
        sampled = sampler.finished(Prepared([tables], sampler.started([tables], [[start]], rng), 0), Inline())
        return rng, (_edges_of(sampled), not stop[0])


def _edges_of(sampled: Sampled) -> FloatArray:
    return summary_of(sampled.chains).probability
