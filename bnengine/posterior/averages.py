"""Means of posteriors: over resamples, which make *real*; and over completions, where cells are missing.

The posterior of one table is too sure where no graph with independent tables is right. Its mean over resamples is less
so (BayesBag: Bühlmann 2014; Huggins & Miller 2023), but a resample carries more dependence than the data: the
likelihood of every family is too high by half a nat for each free parameter, with resamples of any size (see
``LeadingCorrection``). So each local score is lowered by as much there (Steck & Jaakkola 2003, Eq. 7). What the
size changes is the spread: over resamples of M rows it is about the sampling variance and N / M times the posterior's
own, so that M = N alone is too timid.

Where cells are missing, a completion, a graph and its probabilities are drawn in turn, each given the others (data
augmentation: Tanner & Wong 1987). The graph comes from the posterior of the completed rows, its probabilities from
their Dirichlet posterior, and the missing cells of each row from their distribution under this network, given the seen
ones. The completions that such a chain visits are draws from their distribution given all that is seen, summed over
graphs and probabilities; the posterior is the mean of those of the completed rows (Rubin 1987, Chap. 3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, Int32Array, IntArray, UInt8Array
from bnengine._core.parallel import Progress, split_progress
from bnengine.data.dataset import Dataset, drawn_with
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency, blankets, unpacked
from bnengine.networks.inference import PosteriorDrawing
from bnengine.networks.matched_cells import matched_cells
from bnengine.networks.missing_cells import draw_missing
from bnengine.posterior.chain import PARTS, mean_of_chain, plan_for, run_steps, scale_progress, without_burn_in
from bnengine.posterior.exact import exact_probabilities, seconds_of_rows
from bnengine.posterior.order_chain import OrderChain, n_rungs, ordering_near
from bnengine.posterior.parent_set_tables import MOST_CANDIDATES, ParentSetTables, parent_set_tables, tables_of_two
from bnengine.posterior.result import FIRST_OF_BAGS, REAL, EdgePosterior, error_of_few, packed, small_sample_factor
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import (
    BDe,
    BDeu,
    BDs,
    GaussianBIC,
    K2Score,
    LeadingCorrection,
    ScoreForm,
    TableScore,
    WithPrior,
)
from bnengine.search.hill_climbing import HillClimbing
from bnengine.search.learning import Columns, DrawnCells, resampled

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
OfData = Callable[[Sequence[np.random.Generator], Sequence[Progress | None]], list[EdgePosterior]]


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


class OfBag(NamedTuple):
    """The posteriors of one resample, without the edges that neither has, which are most: resamples are many."""

    edges: IntArray  # (e,) places in the flattened matrix, ascending
    probability: FloatArray  # (priors, e) under each of the priors
    graphs: UInt8Array  # (m, bytes) packed, as many under each
    n_evaluations: int


@dataclass(frozen=True)
class Bags:
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

    def started_from(self, found: Sequence[EdgePosterior]) -> Bags:
        """Return the same with probable parents and starts from the posteriors of the data."""
        if self.plan.exact:
            return self
        joined = np.maximum.reduce([np.maximum(one.probability, 0.5 * one.pair_probability) for one in found])
        return replace(self, joined=joined, starts=[graph for one in found for graph in one.packed_graphs])

    def _candidates(self, scores: LocalScores, near: Adjacency) -> list[list[int]]:
        """Return the candidate parents of each child in a resample.

        The required ones, its neighbours in graphs learned from the resample, those probable in the data, and those
        that gain most by themselves in the resample, where chance may join what the data do not.
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

    def posteriors(self, tasks: list[Task]) -> tuple[list[Task], list[tuple[int, OfBag]]]:
        """Return which of the sizes each resample has, and its posteriors, without one that was cut short."""
        of_scores = [] if self.data.holes is not None else [self._scores(self.data, score) for score in self.scores]
        found = []
        for rng, k in tasks:
            rows, weights, scores = self.data, drawn_with(self.data, SIZES[k] * self.data.n_rows, rng), of_scores
            if rows.holes is not None:
                table = resampled(rows, weights)
                rows = DrawnCells(table).completed(table, rng)
                weights = rows.multiplicities.astype(np.int32)
                scores = [self._scores(rows, score) for score in self.scores]
            of_bag = self._of_bag(scores, weights, rng)
            if of_bag is None:
                break
            found.append((k, of_bag))
        return tasks, found

    def _scores(self, rows: Dataset, score: TableScore) -> LocalScores:
        return LocalScores(rows, score, self.stop)

    def _of_bag(self, of_scores: Sequence[LocalScores], weights: Int32Array, rng: np.random.Generator) -> OfBag | None:
        for scores in of_scores:
            scores.reweigh(weights)
        found = self._summed(of_scores, rng) if self.plan.exact else self._sampled(of_scores, rng)
        if self.stop[0]:
            return None
        each, graphs = zip(*found, strict=True)
        probability = np.array(each).reshape(len(each), -1)
        edges, n_scored = np.flatnonzero(probability.any(axis=0)), sum(scores.n_scored for scores in of_scores)
        return OfBag(edges, probability[:, edges], np.concatenate(graphs), n_scored)

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
    bags: Bags, of_data: OfData, rng: np.random.Generator, executor: Executor | None, progress: Progress | None
) -> EdgePosterior:
    """Return *real*: the mean of the posteriors of the data, and of those of resamples of either size.

    When stopped it is the mean of the parts that there are.
    """
    plan, of_scores, of_bags = bags.plan, rng.spawn(len(bags.scores)), rng.spawn(1)[0]
    sizes = [PARTS] * len(bags.scores) + [plan.parts]
    *tells, tell = split_progress(progress, sizes)
    found = of_data(of_scores, [scale_progress(one) for one in tells])
    if found[-1].status == "stopped":
        return _mean(bags, found, [[] for _ in SIZES], "stopped")
    bags = bags.started_from(found)
    each: list[list[OfBag]] = [[] for _ in SIZES]
    while len(each[0]) < plan.most and not bags.stop[0]:
        done = len(SIZES) * len(each[0])
        n = len(SIZES) * min(_MORE if done else plan.least, plan.most - len(each[0]))
        tasks = [(own, k % len(SIZES)) for k, own in enumerate(of_bags.spawn(n))]
        pieces = [tasks[start : start + _PIECE] for start in range(0, n, _PIECE)]
        report_steps = None if tell is None else partial(_report_bags, tell, done, plan)
        _, results = run_steps(bags.posteriors, pieces, 1, bags.stop, executor, report_steps)
        for k, bag in (one for of_piece in results for done in of_piece for one in done):
            each[k].append(bag)
        if len(each[0]) >= plan.least and _mean(bags, found, each, "converged").pair_error.max() <= ERROR:
            break
    if tell is not None and not bags.stop[0]:
        tell(plan.parts, plan.parts)
    return _mean(bags, found, each, "stopped" if bags.stop[0] else "converged")


def _report_bags(tell: Progress, before: int, plan: BagPlan, pieces: int) -> bool | None:
    """Report how many resamples are done; what ``tell`` returns."""
    total = len(SIZES) * plan.most
    return tell(plan.parts * min(before + _PIECE * pieces, total) // total, plan.parts)


def _mean(bags: Bags, found: Sequence[EdgePosterior], each: Sequence[Sequence[OfBag]], status: str) -> EdgePosterior:
    """Return the mean of the posteriors of the data, and of those of the resamples of each size that there are.

    Every graph drawn counts alike: the posteriors of the data give as many as the resamples of one size. Of resamples
    that are missing, since it was stopped, no more is known than what they could at most differ in.
    """
    there, n = [(k, of_size) for k, of_size in enumerate(each) if of_size], len(bags.space.allowed)
    share, errors, squares = 1.0 / (1 + len(there)), [], []
    under = share * np.array([found[min(s, len(found) - 1)].probability for s in range(len(bags.scores))])
    for one in found:
        errors.append((share / len(found) * one.error, share / len(found) * one.pair_error))
    for _, of_size in there:
        edges, values = _together(of_size, n)
        under = under + share * _matrices(values.mean(axis=0), edges, n)
        means, back = values.mean(axis=1), np.searchsorted(edges, edges % n * n + edges // n)
        spread = [((one - one.mean(axis=0)) ** 2).sum(axis=0) for one in (means, means + means[:, back])]
        squares.append((_matrices(np.array(spread), edges, n), len(of_size)))
    probability = np.minimum(under.mean(axis=0), 1.0)
    pairs = np.minimum(probability + probability.T, 1.0)
    errors += [tuple(share * error_of_bags(*one, np.array([probability, pairs]))) for one in squares]
    if len(there) < len(SIZES):
        unknown = 1.0 - (1 + len(there)) * _SHARE
        errors.append((unknown * error_of_few(probability[None]), unknown * error_of_few(pairs[None])))
    uncertain = bags.space.allowed & ~bags.space.required
    error, pair_error = (np.sqrt(sum(squared**2 for squared in of)) for of in zip(*errors, strict=True))
    graphs, groups = _graphs(bags, found, there)
    evaluations = sum(one.n_evaluations for one in found)
    evaluations += sum(bag.n_evaluations for _, of_size in there for bag in of_size)
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


def _together(bags: Sequence[OfBag], n: int) -> tuple[IntArray, FloatArray]:
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
    bags: Bags, found: Sequence[EdgePosterior], there: Sequence[tuple[int, Sequence[OfBag]]]
) -> tuple[UInt8Array, IntArray]:
    """Return the graphs that represent the mean, and the part, chain or resample, and batch of each."""
    graphs, groups = [], []
    m = bags.plan.graphs_per_bag * max([len(of_size) for _, of_size in there], default=bags.plan.least)
    for one in found:  # one of them where it was stopped
        part = next(number for number, score in enumerate(priors_of(bags.data)) if one.score.startswith(score.name))
        some = np.linspace(0, one.n_graphs - 1, m * len(bags.scores) // len(found)).round().astype(int)
        graphs.append(one.packed_graphs[some])
        groups.append(np.column_stack([np.full(len(some), part), one.groups[some, 1:]]))
    for k, of_size in there:
        for number, bag in enumerate(of_size):
            graphs.append(bag.graphs)
            groups.append(np.tile([FIRST_OF_BAGS + k, number, 0], (len(bag.graphs), 1)))
    return np.concatenate(graphs), np.concatenate(groups).astype(np.int64)


# Completions, where cells are missing.

#: Computes the posterior of complete rows; with a generator of its own, and a callback for its progress.
OfRows = Callable[[Dataset, np.random.Generator, Progress | None], EdgePosterior]

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
    of_rows: OfRows,
) -> EdgePosterior:
    """Average the posteriors of the completions that chains visit, each from a start of its own.

    A chain starts at a draw from a network learned from a resample. Where its posteriors are sampled, graphs learned
    from resamples of the completed rows, with the leading correction, stand for draws from the posterior, and one
    completion is averaged over. Exact chains end halfway if the error of every edge is then 0.02 or less.
    """
    starts, n_bags = DrawnCells(data), 0 if plan.burn_in else _BAGS
    chains = [_Chain(data, score, space, starts, n_bags, own) for own in rng.spawn(plan.n_chains)]
    tells = iter(split_progress(progress, [PARTS] * plan.n_posteriors))
    for step in range(plan.burn_in + plan.most):
        for chain in chains:
            tell = next(tells)
            found = of_rows(chain.completed, chain.rng, scale_progress(tell))
            if found.status == "stopped" or (tell is not None and tell(PARTS, PARTS) is False):
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
    ) -> None:
        self.rng, self.kept, self._data, self._prior = rng, list[EdgePosterior](), data, prior_of(score)
        if data.numbers:
            self.completed = starts.completed(data, rng)
        else:
            first = starts.network(resampled(data, drawn_with(data, data.n_rows, rng)), rng)
            self.completed = draw_missing(first, data, rng)
        columns = Columns(data.names, space)
        for _ in range(n_bags):
            scores, order = LocalScores(self.completed, LeadingCorrection(score)), columns.order(rng)
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
        of_rows = PosteriorDrawing(self.completed, **self._prior)
        network = of_rows.network(*of_rows.tables(graph, self.rng))
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
