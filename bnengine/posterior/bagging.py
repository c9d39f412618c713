"""The mean of posteriors over resamples, which makes *real*.

The posterior of one table is too sure where no graph with independent tables is right. Its mean over resamples is less
so (BayesBag: Bühlmann 2014; Huggins & Miller 2023), but a resample carries more dependence than the data: the
likelihood of every family is too high by half a nat for each free parameter, with resamples of any size (see
``LeadingCorrection``). So each local score is lowered by as much there (Steck & Jaakkola 2003, Eq. 7). What the
size changes is the spread: over resamples of M rows it is about the sampling variance and N / M times the posterior's
own, so that M = N alone is too timid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, Int32Array, IntArray, UInt8Array
from bnengine._core.parallel import Progress, split_progress
from bnengine.data.dataset import Dataset
from bnengine.data.drawn_rows import drawn_with
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency, unpacked
from bnengine.posterior.chain import PARTS, mean_of_chain, plan_for, run_steps, scale_progress, without_burn_in
from bnengine.posterior.exact import exact_probabilities
from bnengine.posterior.order_chain import OrderChain, n_rungs, ordering_near
from bnengine.posterior.parent_set_tables import MOST_CANDIDATES, ParentSetTables, parent_set_tables, tables_of_two
from bnengine.posterior.result import FIRST_OF_BAGS, REAL, EdgePosterior, error_of_few, packed, small_sample_factor
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import BDeu, GaussianBIC, ScoreForm, TableScore
from bnengine.search.drawn_cells import DrawnCells, resampled
from bnengine.search.hill_climbing import HillClimbing

#: The scores whose posteriors are averaged; both are score equivalent.
PRIORS = (BDeu(1.0), BDeu(10.0))
#: The same by blocks, of a table with numbers.
PRIORS_OF_BLOCKS = (GaussianBIC(),)
#: Rows of the resamples, for each row of the data.
SIZES = (1, 2)
#: Fewest resamples of each size, and most: where their posteriors are summed, and where they are sampled.
LEAST, MOST = 8, 64
LEAST_SAMPLED, MOST_SAMPLED = 16, 24
#: Error of every pair of variables at which no more resamples are drawn.
ERROR = 0.05
_LIKELY = 0.01  # probability from which an edge's parent is a candidate before those that gain most
_GRAPHS = 1_000  # drawn in all, at least
_BATCHES, _KEPT = 5, 4  # of the chain of a resample, and those after the burn-in
_ALL = 17  # candidates of each child in a resample where there are no more other variables
_MORE = 4  # resamples of each size that are added at a time
_PRIOR_FREEDOM, _PRIOR_VARIANCE = 10, 0.6  # of ``error_of_bags``, by coverage: benchmarks/intervals.py
_PIECE = 4  # resamples that a worker is handed at a time, of either size in turn
_SHARE = 1.0 / (1 + len(SIZES))  # of the posterior of the data in the mean, and of the resamples of each size


def priors_of(data: Dataset) -> Sequence[TableScore]:
    """Return the scores whose posteriors are averaged for these data."""
    return PRIORS_OF_BLOCKS if data.numbers else PRIORS


@dataclass(frozen=True)
class RealPrior:
    """A score with what *real* adds to the prior over graphs: a cap on families, and a small price of an edge.

    Where two columns number the rows, as country and year do in a panel, every row has its own configuration of both as
    parents, and BDeu gives the child's rows N ln(1/r) whatever they are: no evidence, but a better score than noise
    has under fewer parents. So all variables of a family but one, whichever it is, may have at most N / 2 joint
    configurations, two rows for each. Turning a covered edge round does not change the variables of the larger of the
    two families, and the smaller one is allowed where that is: all graphs of an equivalence class are ruled out or none
    is. A required parent set stays possible, on its own.

    The price is 20 / N nats, at most a third. No candidate of ``benchmarks/real_prior.py`` had a smaller worst regret
    in log-loss over kinds of worlds, independent columns among them. N are the effective rows of the data also in
    resamples, which show no configuration that the data do not.
    """

    score: TableScore
    n_rows: int

    @property
    def name(self) -> str:
        return self.score.name

    def form(self, n_rows: int) -> ScoreForm:
        form = self.score.form(n_rows)
        price = form.edge_penalty + min(1 / 3, 20 / self.n_rows)
        return form._replace(most_configurations=max(self.n_rows / 2, 1), edge_penalty=price)


Task = tuple[np.random.Generator, int]  # a resample's generator, and which of the sizes it has
#: Computes the posteriors of the data, with a generator for each of the priors, and callbacks for their progress.
DataPosteriors = Callable[[Sequence[np.random.Generator], Sequence[Progress | None]], list[EdgePosterior]]


class BagPlan(NamedTuple):
    """How many resamples of each size are drawn, and whether their posteriors are summed exactly."""

    least: int
    most: int
    exact: bool

    @property
    def parts(self) -> int:
        """Of the progress, for all resamples: each takes about as long as so many parts of a posterior of the data."""
        return len(SIZES) * self.most * PARTS // (4 if self.exact else 20)

    @property
    def graphs_per_bag(self) -> int:
        """Graphs drawn from the posterior of each resample under each score."""
        return max(1, round(_GRAPHS / (len(PRIORS) * len(SIZES) * self.least)))


def bag_plan(n_bags: int | None, each: float, seconds: float, exact: bool) -> BagPlan:
    """Plan as many resamples as ``seconds`` allow if ``each`` exact posterior takes so long, else sampled ones."""
    if n_bags is not None:
        return BagPlan(n_bags, n_bags, exact)
    if not exact:
        return BagPlan(LEAST_SAMPLED, MOST_SAMPLED, False)
    affordable = int(seconds / (each * len(PRIORS) * len(SIZES)))
    return BagPlan(LEAST, int(np.clip(affordable // _MORE * _MORE, LEAST, MOST)), True)


class BagPosterior(NamedTuple):
    """The posteriors of one resample, without the edges that neither has, which are most: resamples are many."""

    edges: IntArray  # (e,) places in the flattened matrix, ascending
    probability: FloatArray  # (priors, e) under each of the priors
    graphs: UInt8Array  # (m, bytes) packed, as many under each
    n_evaluations: int


@dataclass(frozen=True)
class BagSampler:
    """Everything that a worker needs for the posteriors of one resample."""

    data: Dataset
    space: SearchSpace
    scores: Sequence[TableScore]  # corrected, with the structure prior
    plan: BagPlan
    n_steps: int
    candidates: int
    joined: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))  # in the data, where posteriors are sampled
    starts: list[UInt8Array] = field(default_factory=list)  # packed graphs
    stop: UInt8Array = field(default_factory=lambda: np.zeros(1, dtype=np.uint8))

    def started_from(self, found: Sequence[EdgePosterior]) -> BagSampler:
        """Return the same with probable parents and starts from the posteriors of the data."""
        if self.plan.exact:
            return self
        joined = np.maximum.reduce([np.maximum(one.probability, 0.5 * one.pair_probability) for one in found])
        return replace(self, joined=joined, starts=[graph for one in found for graph in one.packed_graphs])

    def _candidates(self, scores: LocalScores, near: Adjacency) -> list[list[int]]:
        """Return the candidate parents of each child in a resample.

        The required ones, its neighbours in graphs learned from the resample, those probable in the data, and those
        whose single edge gains most in the resample, where chance may join what the data do not.
        """
        n, columns = len(self.space.allowed), []
        for child in range(n):
            allowed, required = self.space.allowed[:, child], self.space.required[:, child]
            gains = scores.with_one_more(child, [], allowed)
            likely = np.where(self.joined[:, child] > _LIKELY, self.joined[:, child], 0.0)
            ranked = np.lexsort((-gains, -likely, ~near[:, child], ~required)).tolist()
            least = n - 1 if n - 1 <= _ALL else self.candidates
            most = min(max(least, int((required | near[:, child]).sum())), MOST_CANDIDATES)
            columns.append(sorted([v for v in ranked if allowed[v]][:most]))
        return columns

    def posteriors(self, tasks: list[Task]) -> tuple[list[Task], list[tuple[int, BagPosterior]]]:
        """Return which of the sizes each resample has, and its posteriors, without one that was cut short."""
        of_scores = [] if self.data.holes is not None else [self._scores(self.data, score) for score in self.scores]
        found = []
        for rng, k in tasks:
            rows, weights, scores = self.data, drawn_with(self.data, SIZES[k] * self.data.n_rows, rng), of_scores
            if rows.holes is not None:
                table = resampled(rows, weights)
                rows = DrawnCells(table, self.stop, self._near).completed(table, rng)
                weights = rows.multiplicities.astype(np.int32)
                scores = [self._scores(rows, score) for score in self.scores]
            of_bag = self._posteriors_of_bag(scores, weights, rng)
            if of_bag is None:
                break
            found.append((k, of_bag))
        return tasks, found

    @cached_property
    def _near(self) -> Adjacency | None:
        """Which variables predict which, where there are numbers: the same in all resamples."""
        return DrawnCells(self.data, self.stop).near if self.data.numbers else None

    def _scores(self, rows: Dataset, score: TableScore) -> LocalScores:
        return LocalScores(rows, score, self.stop)

    def _posteriors_of_bag(
        self, of_scores: Sequence[LocalScores], weights: Int32Array, rng: np.random.Generator
    ) -> BagPosterior | None:
        for scores in of_scores:
            scores.reweigh(weights)
        found = self._summed(of_scores, rng) if self.plan.exact else self._sampled(of_scores, rng)
        if self.stop[0]:
            return None
        each, graphs = zip(*found, strict=True)
        probability = np.array(each).reshape(len(each), -1)
        edges, n_scored = np.flatnonzero(probability.any(axis=0)), sum(scores.n_scored for scores in of_scores)
        return BagPosterior(edges, probability[:, edges], np.concatenate(graphs), n_scored)

    def _summed(
        self, of_scores: Sequence[LocalScores], rng: np.random.Generator
    ) -> list[tuple[FloatArray, UInt8Array]]:
        found = [exact_probabilities(scores, self.space, rng, self.plan.graphs_per_bag) for scores in of_scores]
        return [(probability, packed(graphs)) for probability, graphs in found]

    def _sampled(
        self, of_scores: Sequence[LocalScores], rng: np.random.Generator
    ) -> list[tuple[FloatArray, UInt8Array]]:
        n, found = len(self.space.allowed), []
        climbed = [HillClimbing().find(self.data.names, scores, self.space, rng).adjacency for scores in of_scores]
        near = np.logical_or.reduce([graph | graph.T for graph in climbed])
        candidates = self._candidates(of_scores[-1], near)
        every: Iterator[ParentSetTables] = (
            tables_of_two(of_scores[0], of_scores[1], self.space, candidates)
            if len(of_scores) > 1
            else iter([parent_set_tables(lambda: of_scores[0], self.space, candidates)])
        )
        for tables, own in zip(every, climbed, strict=True):  # one after the other
            heated = [unpacked(self.starts[rng.integers(len(self.starts))], n) for _ in range(n_rungs(n) - 1)]
            graphs = [own, *heated]
            starts = [ordering_near(rng.permutation(n).tolist(), self.space._replace(required=one)) for one in graphs]
            moves = OrderChain(tables, starts, rng, self.stop)
            plan = plan_for(n, max(1, self.n_steps // n_rungs(n)), _BATCHES, -(-self.plan.graphs_per_bag // _KEPT))
            batches = [batch for batch in (moves.advance(plan) for _ in range(plan.n_batches)) if batch is not None]
            if not batches:
                break
            kept = without_burn_in(batches)
            drawn = np.concatenate([batch.graphs for batch in kept])
            some = np.linspace(0, len(drawn) - 1, self.plan.graphs_per_bag).round().astype(int)
            found.append((mean_of_chain(kept), drawn[some]))
        return found


def real_posterior(
    bags: BagSampler,
    of_data: DataPosteriors,
    rng: np.random.Generator,
    executor: Executor | None,
    progress: Progress | None,
) -> EdgePosterior:
    """Return *real*: the mean of the posteriors of the data, and of those of resamples of either size.

    When stopped, it is the mean of what has been computed.
    """
    plan, of_scores, of_bags = bags.plan, rng.spawn(len(bags.scores)), rng.spawn(1)[0]
    sizes = [PARTS] * len(bags.scores) + [plan.parts]
    *of_each, of_bagging = split_progress(progress, sizes)
    found = of_data(of_scores, [scale_progress(one) for one in of_each])
    if found[-1].status == "stopped":
        return _mean(bags, found, [[] for _ in SIZES], "stopped")
    bags = bags.started_from(found)
    each: list[list[BagPosterior]] = [[] for _ in SIZES]
    while len(each[0]) < plan.most and not bags.stop[0]:
        done = len(SIZES) * len(each[0])
        n = len(SIZES) * min(_MORE if done else plan.least, plan.most - len(each[0]))
        tasks = [(own, k % len(SIZES)) for k, own in enumerate(of_bags.spawn(n))]
        pieces = [tasks[start : start + _PIECE] for start in range(0, n, _PIECE)]
        report_steps = None if of_bagging is None else partial(_report_bags, of_bagging, done, plan)
        _, results = run_steps(bags.posteriors, pieces, 1, bags.stop, executor, report_steps)
        for k, bag in (one for of_piece in results for done in of_piece for one in done):
            each[k].append(bag)
        if len(each[0]) >= plan.least and _mean(bags, found, each, "converged").pair_error.max() <= ERROR:
            break
    if of_bagging is not None and not bags.stop[0]:
        of_bagging(plan.parts, plan.parts)
    return _mean(bags, found, each, "stopped" if bags.stop[0] else "converged")


def _report_bags(report: Progress, before: int, plan: BagPlan, pieces: int) -> bool | None:
    """Report how many resamples are done; what ``report`` returns."""
    total = len(SIZES) * plan.most
    return report(plan.parts * min(before + _PIECE * pieces, total) // total, plan.parts)


def _mean(
    bags: BagSampler, found: Sequence[EdgePosterior], each: Sequence[Sequence[BagPosterior]], status: str
) -> EdgePosterior:
    """Return the mean of the posteriors of the data, and of those of the resamples of each size drawn so far.

    Every graph drawn counts alike: the posteriors of the data give as many as the resamples of one size. Of resamples
    that are missing, since it was stopped, no more is known than what they could at most differ in.
    """
    drawn, n = [(k, of_size) for k, of_size in enumerate(each) if of_size], len(bags.space.allowed)
    share, errors, squares = 1.0 / (1 + len(drawn)), [], []
    under = share * np.array([found[min(s, len(found) - 1)].probability for s in range(len(bags.scores))])
    for one in found:
        errors.append((share / len(found) * one.error, share / len(found) * one.pair_error))
    for _, of_size in drawn:
        edges, values = _stacked(of_size, n)
        under = under + share * _matrices(values.mean(axis=0), edges, n)
        means, back = values.mean(axis=1), np.searchsorted(edges, edges % n * n + edges // n)
        spread = [((one - one.mean(axis=0)) ** 2).sum(axis=0) for one in (means, means + means[:, back])]
        squares.append((_matrices(np.array(spread), edges, n), len(of_size)))
    probability = np.minimum(under.mean(axis=0), 1.0)
    pairs = np.minimum(probability + probability.T, 1.0)
    errors += [tuple(share * error_of_bags(*one, np.array([probability, pairs]))) for one in squares]
    if len(drawn) < len(SIZES):
        unknown = 1.0 - (1 + len(drawn)) * _SHARE
        errors.append((unknown * error_of_few(probability[None]), unknown * error_of_few(pairs[None])))
    uncertain = bags.space.allowed & ~bags.space.required
    error, pair_error = (np.sqrt(sum(squared**2 for squared in of)) for of in zip(*errors, strict=True))
    graphs, groups = _graphs(bags, found, drawn)
    evaluations = sum(one.n_evaluations for one in found)
    evaluations += sum(bag.n_evaluations for _, of_size in drawn for bag in of_size)
    is_exact = bags.plan.exact and all(one.method == "exact" for one in found)
    return replace(
        found[0],
        probability=probability,
        error=np.where(uncertain, error, 0.0),
        pair_error=np.where(uncertain | uncertain.T, pair_error, 0.0),
        under_each_prior=np.minimum(under, 1.0),
        between_chains=share * np.mean([one.between_chains for one in found], axis=0),
        packed_graphs=graphs,
        groups=groups,
        method="exact" if is_exact else "order",
        score=" and ".join(score.name for score in priors_of(bags.data)),
        weight=REAL,
        n_evaluations=evaluations,
        n_bags=min(len(of_size) for of_size in each),
        n_draws=sum(one.n_draws for one in found),
        status=status,
    )


def error_of_bags(squares: FloatArray, n: int, mean: FloatArray) -> FloatArray:
    """Return the standard errors of means over n resamples of posterior probabilities with these sums of squares.

    Where a mean m is near 0 or 1, most of the variance is due to rare resamples, of which there may be none among a
    few. So the variance is moderated (Smyth 2004): it is shrunk towards 0.6 of the largest possible one, m (1 - m),
    with 10 prior degrees of freedom, ``mean`` being that over all posteriors. Twice the error covers as much as if
    there were many resamples.
    """
    freedom = _PRIOR_FREEDOM + n - 1
    squares = squares + _PRIOR_FREEDOM * _PRIOR_VARIANCE * mean * (1.0 - mean)
    return np.asarray(small_sample_factor(freedom + 1) * np.sqrt(squares / (freedom * n)))


def _stacked(bags: Sequence[BagPosterior], n: int) -> tuple[IntArray, FloatArray]:
    """Return the edges that a resample has, either way round, and their probabilities, (resamples, 2, edges)."""
    edges = np.unique(np.concatenate([bag.edges for bag in bags]))
    edges = np.union1d(edges, edges % n * n + edges // n)
    values = np.zeros((len(bags), len(bags[0].probability), len(edges)))
    for of_bag, bag in zip(values, bags, strict=True):
        of_bag[:, np.searchsorted(edges, bag.edges)] = bag.probability
    return edges, values


def _matrices(values: FloatArray, edges: IntArray, n: int) -> FloatArray:
    """Return matrices, (k, V, V), with these values, (k, edges), at the edges, and 0 elsewhere."""
    found = np.zeros((len(values), n * n))
    found[:, edges] = values
    return found.reshape(-1, n, n)


def _graphs(
    bags: BagSampler, found: Sequence[EdgePosterior], drawn: Sequence[tuple[int, Sequence[BagPosterior]]]
) -> tuple[UInt8Array, IntArray]:
    """Return the graphs that represent the mean, and the part, chain or resample, and batch of each."""
    graphs, groups = [], []
    m = bags.plan.graphs_per_bag * max([len(of_size) for _, of_size in drawn], default=bags.plan.least)
    for one in found:  # one of them where it was stopped
        part = next(number for number, score in enumerate(priors_of(bags.data)) if one.score.startswith(score.name))
        some = np.linspace(0, one.n_graphs - 1, m * len(bags.scores) // len(found)).round().astype(int)
        graphs.append(one.packed_graphs[some])
        groups.append(np.column_stack([np.full(len(some), part), one.groups[some, 1:]]))
    for k, of_size in drawn:
        for number, bag in enumerate(of_size):
            graphs.append(bag.graphs)
            groups.append(np.tile([FIRST_OF_BAGS + k, number, 0], (len(bag.graphs), 1)))
    return np.concatenate(graphs), np.concatenate(groups).astype(np.int64)
