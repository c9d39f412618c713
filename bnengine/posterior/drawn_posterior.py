"""The posterior where cells are missing: the mean of those of several draws of the cells (Rubin 1987, Chap. 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bnengine._core.parallel import Progress, shared_progress
from bnengine.data.dataset import Dataset
from bnengine.data.drawn_rows import drawn_with
from bnengine.networks.missing_cells import draw_missing
from bnengine.posterior.sampled_posterior import SampledPosterior
from bnengine.search.drawn_cells import DrawnCells, resampled

#: Computes the posterior of complete rows; with a generator of its own, and a callback for its progress.
OfRows = Callable[[Dataset, np.random.Generator, Progress | None], SampledPosterior]

_PARTS = 1_000  # of the progress of one posterior


def posterior_over_draws(
    data: Dataset, n_draws: int, rng: np.random.Generator, progress: Progress | None, of_rows: OfRows
) -> SampledPosterior:
    """Average the posteriors of ``n_draws`` completions of the rows.

    Each draws the missing cells from a network that is learned from a resample of its own, as the network is not known
    either. The squared error of the mean is that within the draws and that between them, over their number.
    """
    cells, found = DrawnCells(data), list[SampledPosterior]()
    for tell, child in zip(shared_progress(progress, [_PARTS] * n_draws), rng.spawn(n_draws), strict=True):
        rows = resampled(data, drawn_with(data, data.n_rows, child))
        completed = draw_missing(cells.network(rows, child), data, child)
        found.append(of_rows(completed, child, None if tell is None else _in_parts(tell)))
        if found[-1].status == "stopped":
            break
    return _mean(found, n_draws)


def _in_parts(tell: Progress) -> Progress:
    return lambda done, total: tell(_PARTS * done // max(total, 1), _PARTS)


def _mean(found: list[SampledPosterior], n_planned: int) -> SampledPosterior:
    m, first = len(found), found[0]
    members = np.array([one.probability for one in found])
    within = np.array([one.error for one in found])
    between = members.var(axis=0, ddof=1) if m > 1 else np.zeros_like(first.probability)
    width = max(one.trace.shape[1] for one in found)
    traces = [np.pad(one.trace, ((0, 0), (0, width - one.trace.shape[1])), constant_values=np.nan) for one in found]
    apart = 1 + max(int(one.groups[:, 0].max()) for one in found)
    best = max(found, key=lambda one: float((one.map_graph * (2.0 * members.mean(axis=0) - 1.0)).sum()))
    warnings = [f"draw {number}: {one.warning}" for number, one in enumerate(found, 1) if one.warning]
    return replace(
        first,
        probability=members.mean(axis=0),
        error=np.sqrt(((within**2).mean(axis=0) + between) / m),
        r_hat=np.fmax.reduce([one.r_hat for one in found]),
        effective_sample_size=np.sum([one.effective_sample_size for one in found], axis=0),
        between_chains=max(one.between_chains for one in found),
        warning="; ".join(warnings) or None,
        trace=np.concatenate(traces),
        map_graph=best.map_graph,
        map_score=best.map_score,
        packed_graphs=np.concatenate([one.packed_graphs for one in found]),
        graph_scores=np.concatenate([one.graph_scores for one in found]),
        groups=np.concatenate([one.groups + np.array([number * apart, 0]) for number, one in enumerate(found)]),
        n_evaluations=sum(one.n_evaluations for one in found),
        n_draws=m,
        status="converged" if m == n_planned and found[-1].status != "stopped" else "stopped",
    )
