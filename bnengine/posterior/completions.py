"""The posterior where cells are missing: its mean over completions of the rows, drawn from their own posterior.

A completion, a graph and its probabilities are drawn in turn, each given the others (data augmentation: Tanner & Wong
1987). The graph comes from the posterior of the completed rows, its probabilities from their Dirichlet posterior, and
the missing cells of each row from their distribution under this network, given the seen ones. The completions that
such a chain visits are draws from their distribution given all that is seen, summed over graphs and probabilities; the
posterior is the mean of those of the completed rows (Rubin 1987, Chap. 3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray
from bnengine._core.parallel import Progress, split_progress
from bnengine.data.dataset import Dataset, drawn_with
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency, unpacked
from bnengine.networks.inference import PosteriorDrawing
from bnengine.networks.missing_cells import draw_missing
from bnengine.networks.network import BayesianNetwork
from bnengine.posterior.exact import seconds_of_rows
from bnengine.posterior.result import EdgePosterior, error_of_few
from bnengine.posterior.running import PARTS, scale_progress
from bnengine.scores.correction import LeadingCorrection
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BDe, BDeu, BDs, K2Score, TableScore, WithPrior
from bnengine.search.hill_climbing import HillClimbing
from bnengine.search.learning import Columns, DrawnCells, resampled

#: Computes the posterior of complete rows; with a generator of its own, and a callback for its progress.
OfRows = Callable[[Dataset, np.random.Generator, Progress | None], EdgePosterior]

#: Chains of completions unless ``n_draws`` is given: where each posterior is summed exactly, and where it is sampled.
EXACT_CHAINS, SAMPLED_CHAINS = 10, 5
#: Exact posteriors that each chain begins with and leaves out; that it averages at least, and at most.
BURN_IN, LEAST, MOST = 5, 3, 25
#: Standard error of every edge at which exact chains end halfway.
ERROR = 0.02
#: Graphs learned from resamples of the completed rows, one after the other, where posteriors are sampled.
_BAGS = 4
_GRAPHS = 5_000  # drawn from the exact posteriors of all completions


class CompletionPlan(NamedTuple):
    """How many completions are drawn, in how many chains."""

    n_chains: int
    burn_in: int  # completions at the start of each chain that are not averaged over
    most: int  # that are averaged over, of each chain

    @property
    def n_graphs(self) -> int:
        """Graphs drawn from the posterior of each completion, where it is summed exactly."""
        return max(_GRAPHS // (self.n_chains * self.most), 1)

    @property
    def n_posteriors(self) -> int:
        """Posteriors of completed rows that are computed at most."""
        return self.n_chains * (self.burn_in + self.most)


def completion_plan(data: Dataset, max_parents: int, n_draws: int | None, seconds: float | None) -> CompletionPlan:
    """Plan completions whose posteriors are summed exactly, as many as ``seconds`` allow, but LEAST in each chain.

    None for independent completions, whose posteriors are sampled.
    """
    if seconds is None:
        return CompletionPlan(n_draws or SAMPLED_CHAINS, 0, 1)
    n_chains = n_draws or EXACT_CHAINS
    each = seconds_of_rows(data, max_parents)
    return CompletionPlan(n_chains, BURN_IN, int(np.clip(seconds / (n_chains * each) - BURN_IN, LEAST, MOST)))


def posterior_over_completions(
    data: Dataset,
    score: TableScore,
    space: SearchSpace,
    plan: CompletionPlan,
    rng: np.random.Generator,
    progress: Progress | None,
    of_rows: OfRows,
) -> EdgePosterior:
    """Average the posteriors of the completions that chains visit, each from a start of its own.

    A chain starts at a draw from a network learned from a resample. Where its posteriors are sampled, graphs learned
    from resamples of the completed rows, with the leading correction, stand for draws from the posterior, and one
    completion is averaged over. Exact chains end halfway if the error of every edge is then ``ERROR`` or less.
    """
    drawing, starts = _Drawing(data, score, space), DrawnCells(data)
    chains = [_Chain(drawing, starts, own, 0 if plan.burn_in else _BAGS) for own in rng.spawn(plan.n_chains)]
    tells = iter(split_progress(progress, [PARTS] * plan.n_posteriors))
    for step in range(plan.burn_in + plan.most):
        for chain in chains:
            tell = next(tells)
            found = of_rows(chain.completed, chain.rng, scale_progress(tell))
            if found.status == "stopped" or (tell is not None and tell(PARTS, PARTS) is False):
                kept = [one.kept for one in chains if one.kept]
                return replace(_mean(kept or [[found]]), status="stopped")
            if step >= plan.burn_in:
                chain.kept.append(found)
            if step + 1 < plan.burn_in + plan.most:
                chain.move(found)
        half = step + 1 == plan.burn_in + plan.most // 2
        if half and _error([one.kept for one in chains], "probability").max() <= ERROR:
            break
    if progress is not None:
        progress(PARTS * plan.n_posteriors, PARTS * plan.n_posteriors)
    return _mean([one.kept for one in chains])


class _Drawing:
    """Draws of networks given completed rows, and of the missing cells given a network."""

    def __init__(self, data: Dataset, score: TableScore, space: SearchSpace) -> None:
        self.data, self._score, self._prior = data, LeadingCorrection(score), prior_of(score)
        self._columns = Columns(data.names, space)

    def completed(self, network: BayesianNetwork, rng: np.random.Generator) -> Dataset:
        return draw_missing(network, self.data, rng)

    def under(self, graph: Adjacency, completed: Dataset, rng: np.random.Generator) -> Dataset:
        """Draw the cells anew under a graph, whose probabilities are drawn given the completed rows."""
        of_rows = PosteriorDrawing(completed, **self._prior)
        return self.completed(of_rows.network(*of_rows.tables(graph, rng)), rng)

    def bagged(self, completed: Dataset, rng: np.random.Generator) -> Adjacency:
        """Learn a graph from a resample of the completed rows, by a score that expects one."""
        scores, order = LocalScores(completed, self._score), self._columns.order(rng)
        scores.reweigh(drawn_with(completed, completed.n_rows, rng), order)
        return self._columns.find(HillClimbing(), scores, order, rng).adjacency


def prior_of(score: TableScore) -> dict[str, float]:
    """Return the prior of probabilities that draws use: that of a marginal likelihood, else Jeffreys' prior of 1/2.

    Under Jeffreys' prior the marginal likelihood is near what fNML and BIC approximate (Rissanen 1996).
    """
    while isinstance(score, WithPrior):
        score = score.score
    if isinstance(score, BDeu | BDs | BDe):
        return {"ess": score.ess}
    return {"each": 1.0 if isinstance(score, K2Score) else 0.5}


class _Chain:
    """One chain of completions."""

    def __init__(self, drawing: _Drawing, starts: DrawnCells, rng: np.random.Generator, n_bags: int) -> None:
        self.rng, self.kept, self._drawing = rng, list[EdgePosterior](), drawing
        data = drawing.data
        self.completed = drawing.completed(
            starts.network(resampled(data, drawn_with(data, data.n_rows, rng)), rng), rng
        )
        for _ in range(n_bags):
            self.completed = drawing.under(drawing.bagged(self.completed, rng), self.completed, rng)

    def move(self, found: EdgePosterior) -> None:
        """Draw the next completion, given the posterior of this one."""
        graph = found.packed_graphs[self.rng.integers(found.n_graphs)]
        self.completed = self._drawing.under(unpacked(graph, len(found.names)), self.completed, self.rng)


def _error(chains: Sequence[Sequence[EdgePosterior]], of: str) -> FloatArray:
    """Return the standard errors of the mean over chains, which are independent, as if there were many of them."""
    means = np.array([np.mean([getattr(one, of) for one in chain], axis=0) for chain in chains])
    own = "error" if of == "probability" else "pair_error"
    within = np.array([np.mean([getattr(one, own) ** 2 for one in chain], axis=0) / len(chain) for chain in chains])
    return np.asarray(np.fmax(error_of_few(means), np.sqrt(within.mean(axis=0) / len(means))))


def _mean(chains: Sequence[Sequence[EdgePosterior]]) -> EdgePosterior:
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
