"""Posterior averaged over the equivalent sample size, on which a single posterior depends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Annotated, Any

import numpy as np

from bnengine._core.parallel import Progress
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.shared_progress import shared_progress
from bnengine._core.validation import Ess, Ge, ParentLimit, one_of, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints
from bnengine.posterior.averaged_posterior import AveragedPosterior
from bnengine.posterior.edge_posterior import edge_posterior
from bnengine.posterior.sample_posterior import DEFAULT_MEMORY, sample_posterior
from bnengine.posterior.sampled_posterior import SampledPosterior
from bnengine.posterior.sampler import CHAINS
from bnengine.scores.scores import BDeu, TableScore


@validated
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

    Returns
    -------
    AveragedPosterior

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
        tells = shared_progress(progress, [_PARTS] * len(sizes))
        for size, tell, child in zip(sizes, tells, generator_of(rng).spawn(len(sizes)), strict=True):
            part = None if tell is None else _of_parts(tell)
            found.append(
                sample_posterior(data, score(size), method=method, rng=child, executor=executor, progress=part, **given)
            )
            if found[-1].status == "stopped":
                break
    return _average(data, found, sizes, method, by_evidence, seed_of(rng))


_PARTS = 1_000  # of the progress of one posterior


def _of_parts(tell: Progress) -> Progress:
    """What a sampler calls with its moves, told in thousandths."""
    return lambda done, total: tell(_PARTS * done // max(total, 1), _PARTS)


def _average(
    data: Dataset, found: list[Any], sizes: list[float], method: str, by_evidence: bool, seed: int | None
) -> AveragedPosterior:
    members = np.array([member.probability for member in found])
    weights = np.full(len(found), 1.0 / len(found))
    if by_evidence:
        evidence = np.array([member.log_evidence for member in found])
        weights = np.exp(evidence - np.logaddexp.reduce(evidence))
    errors = np.array(
        [
            member.error if isinstance(member, SampledPosterior) else np.zeros_like(member.probability)
            for member in found
        ]
    )
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
