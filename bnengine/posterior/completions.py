"""The mean of posteriors over completions, where cells are missing.

A completion, a graph and its probabilities are drawn in turn, each given the others (data
augmentation: Tanner & Wong 1987). The graph comes from the posterior of the completed rows, its probabilities from
their Dirichlet posterior, and the missing cells of each row from their distribution under this network, given the seen
ones. The completions that such a chain visits are draws from their distribution given all that is seen, summed over
graphs and probabilities; the posterior is the mean of those of the completed rows (Rubin 1987, Chap. 3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, UInt8Array
from bnengine._core.parallel import Progress, split_progress, stoppable
from bnengine.data.dataset import Dataset
from bnengine.data.drawn_rows import drawn_with
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency, blankets, unpacked
from bnengine.networks.inference import posterior_network
from bnengine.networks.matched_cells import matched_cells
from bnengine.networks.missing_cells import draw_missing
from bnengine.posterior.bagging import RealPrior
from bnengine.posterior.chain import PARTS, scale_progress
from bnengine.posterior.exact import seconds_of_rows
from bnengine.posterior.result import EdgePosterior, error_of_few
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BDe, BDeu, BDs, K2Score, LeadingCorrection, TableScore, WithPrior
from bnengine.search.column_order import Columns
from bnengine.search.drawn_cells import DrawnCells, resampled
from bnengine.search.hill_climbing import HillClimbing

#: Computes the posterior of complete rows; with a generator of its own, and a callback for its progress.
RowsPosterior = Callable[[Dataset, np.random.Generator, Progress | None], EdgePosterior]

#: Chains of completions unless ``n_draws`` is given: where each posterior is summed exactly, and where it is sampled.
EXACT_CHAINS, SAMPLED_CHAINS = 10, 5
#: Exact posteriors that each chain begins with and leaves out; that it averages at least, and at most.
BURN_IN, LEAST_COMPLETIONS, MOST_COMPLETIONS = 5, 3, 25
#: Standard error of every edge at which exact chains end halfway.
ERROR_OVER_COMPLETIONS = 0.02
#: Graphs learned from resamples of the completed rows, one after the other, where posteriors are sampled.
_BAGS = 4
_GRAPHS_OVER_COMPLETIONS = 5_000  # drawn from the exact posteriors of all completions


class CompletionPlan(NamedTuple):
    """How many completions are drawn, in how many chains."""

    n_chains: int
    burn_in: int  # completions at the start of each chain that are not averaged over
    most: int  # that are averaged over, of each chain

    @property
    def n_graphs(self) -> int:
        """Graphs drawn from the posterior of each completion, where it is summed exactly."""
        return max(_GRAPHS_OVER_COMPLETIONS // (self.n_chains * self.most), 1)

    @property
    def n_posteriors(self) -> int:
        """Posteriors of completed rows that are computed at most."""
        return self.n_chains * (self.burn_in + self.most)


def completion_plan(data: Dataset, max_parents: int, n_draws: int | None, seconds: float | None) -> CompletionPlan:
    """Plan completions whose posteriors are summed exactly, as many as ``seconds`` allow, but at least 3 in each chain.

    None for independent completions, whose posteriors are sampled.
    """
    if seconds is None:
        return CompletionPlan(n_draws or SAMPLED_CHAINS, 0, 1)
    n_chains = n_draws or EXACT_CHAINS
    each = seconds_of_rows(data, max_parents)
    return CompletionPlan(
        n_chains, BURN_IN, int(np.clip(seconds / (n_chains * each) - BURN_IN, LEAST_COMPLETIONS, MOST_COMPLETIONS))
    )


def posterior_over_completions(
    data: Dataset,
    score: TableScore,
    space: SearchSpace,
    plan: CompletionPlan,
    rng: np.random.Generator,
    progress: Progress | None,
    of_rows: RowsPosterior,
) -> EdgePosterior:
    """Average the posteriors of the completions that chains visit, each from a start of its own.

    A chain starts at a draw from a network learned from a resample. Where its posteriors are sampled, graphs learned
    from resamples of the completed rows, with the leading correction, stand for draws from the posterior, and one
    completion is averaged over. Exact chains end halfway if the error of every edge is then 0.02 or less.
    """
    n_bags = 0 if plan.burn_in else _BAGS

    def begin(stop: UInt8Array) -> list[_Chain]:
        starts = DrawnCells(data, stop)
        return [_Chain(data, score, space, starts, n_bags, own, stop) for own in rng.spawn(plan.n_chains)]

    chains = stoppable(begin, progress, PARTS * plan.n_posteriors)
    reports = iter(split_progress(progress, [PARTS] * plan.n_posteriors))
    for step in range(plan.burn_in + plan.most):
        for chain in chains:
            report = next(reports)
            found = of_rows(chain.completed, chain.rng, scale_progress(report))
            if found.status == "stopped" or (report is not None and report(PARTS, PARTS) is False):
                kept = [one.kept for one in chains if one.kept]
                return replace(_mean_of_chains(kept or [[found]]), status="stopped")
            if step >= plan.burn_in:
                chain.kept.append(found)
            if step + 1 < plan.burn_in + plan.most:
                chain.move(found)
        half = step + 1 == plan.burn_in + plan.most // 2
        if half and _error([one.kept for one in chains], "probability").max() <= ERROR_OVER_COMPLETIONS:
            break
    if progress is not None:
        progress(PARTS * plan.n_posteriors, PARTS * plan.n_posteriors)
    return _mean_of_chains([one.kept for one in chains])


class _Chain:
    """One chain of completions: draws of a network given completed rows, and of the missing cells given a network.

    It begins with cells drawn from a network learned from a resample, then under graphs learned from ``n_bags``
    resamples of the completed rows.
    """

    def __init__(
        self,
        data: Dataset,
        score: TableScore,
        space: SearchSpace,
        starts: DrawnCells,
        n_bags: int,
        rng: np.random.Generator,
        stop: UInt8Array,
    ) -> None:
        self.rng, self.kept, self._data, self._prior = rng, list[EdgePosterior](), data, prior_of(score)
        if data.numbers:
            self.completed = starts.completed(data, rng)
        else:
            first = starts.network(resampled(data, drawn_with(data, data.n_rows, rng)), rng)
            self.completed = draw_missing(first, data, rng)
        columns = Columns(data.names, space)
        for _ in range(n_bags):
            scores, order = LocalScores(self.completed, LeadingCorrection(score), stop), columns.order(rng)
            scores.reweigh(drawn_with(self.completed, data.n_rows, rng), order)
            self._draw_under(columns.find(HillClimbing(), scores, order, rng).adjacency)

    def move(self, found: EdgePosterior) -> None:
        """Draw the next completion, given the posterior of this one."""
        graph = found.packed_graphs[self.rng.integers(found.n_graphs)]
        self._draw_under(unpacked(graph, len(found.names)))

    def _draw_under(self, graph: Adjacency) -> None:
        """Draw the cells anew under a graph, whose probabilities are drawn given the completed rows."""
        if self._data.numbers:
            self.completed = matched_cells(self._data, blankets(graph), self.rng, self.completed)
            return
        network = posterior_network(self.completed, graph, self.rng, **self._prior)
        self.completed = draw_missing(network, self._data, self.rng)


def prior_of(score: TableScore) -> dict[str, float]:
    """Return the prior of probabilities that draws use: that of a marginal likelihood, else Jeffreys' prior of 1/2.

    Under Jeffreys' prior the marginal likelihood is near what fNML and BIC approximate (Rissanen 1996).
    """
    while isinstance(score, WithPrior | RealPrior):
        score = score.score
    if isinstance(score, BDeu | BDs | BDe):
        return {"ess": score.ess}
    return {"each": 1.0 if isinstance(score, K2Score) else 0.5}


def _error(chains: Sequence[Sequence[EdgePosterior]], of: str) -> FloatArray:
    """Return the standard errors of the mean over chains, which are independent, as if there were many of them."""
    means = np.array([np.mean([getattr(one, of) for one in chain], axis=0) for chain in chains])
    own = "error" if of == "probability" else "pair_error"
    within = np.array([np.mean([getattr(one, own) ** 2 for one in chain], axis=0) / len(chain) for chain in chains])
    return np.asarray(np.fmax(error_of_few(means), np.sqrt(within.mean(axis=0) / len(means))))


def _mean_of_chains(chains: Sequence[Sequence[EdgePosterior]]) -> EdgePosterior:
    """Return the mean over chains of posteriors, each chain counting alike."""
    found = [one for chain in chains for one in chain]
    probability = np.mean([np.mean([one.probability for one in chain], axis=0) for chain in chains], axis=0)
    groups = []
    for number, chain in enumerate(chains):
        batches = np.concatenate([one.groups[:, 1] * 1_000 + one.groups[:, 2] for one in chain])
        of_draw = np.repeat(np.arange(len(chain)), [one.n_graphs for one in chain])
        batch = of_draw if len(chain) > 1 else batches
        groups.append(np.stack([np.zeros_like(batch), np.full(len(batch), number), batch], axis=1))
    return replace(
        found[0],
        probability=probability,
        error=_error(chains, "probability"),
        pair_error=_error(chains, "pair_probability"),
        under_each_prior=np.array([probability] * 2),
        between_chains=np.mean([one.between_chains for one in found], axis=0),
        packed_graphs=np.concatenate([one.packed_graphs for one in found]),
        groups=np.concatenate(groups),
        n_evaluations=sum(one.n_evaluations for one in found),
        n_draws=len(found),
        status="converged",
    )
