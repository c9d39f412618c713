"""Probabilities of edges for any number of variables: *real*, or the posterior under one score."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from bnengine._core.arrays import IntArray, UInt8Array
from bnengine._core.display import gigabytes
from bnengine._core.parallel import Progress, local_executor, split_progress, stoppable
from bnengine._core.random_generators import Seed, generator_of, seed_of
from bnengine._core.settings import Whole, field, setting
from bnengine._core.validation import Moves, ParentLimit, accepts, one_of, validated
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import Constraints, SearchSpace
from bnengine.graphs.dag import unpacked
from bnengine.posterior.bagging import LEAST, PRIORS, SIZES, BagSampler, RealPrior, bag_plan, priors_of, real_posterior
from bnengine.posterior.chain import PARTS, Summary, run_with_progress, scale_progress, summary_of
from bnengine.posterior.completions import completion_plan, posterior_over_completions
from bnengine.posterior.exact import any_of_exactly, check_memory, exact_probabilities, memory_needed, seconds_of_rows
from bnengine.posterior.parent_set_tables import MOST_CANDIDATES
from bnengine.posterior.representations import BINS, pooled
from bnengine.posterior.result import EdgePosterior, packed, score_weight
from bnengine.posterior.sampler import Sampler
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import LeadingCorrection, TableScore, WithPrior

_OF_A_BAG = 10  # the moves of a resample's chain are this part of those of a chain of the data
_DRAWS = 1_000  # graphs drawn from the exact posterior of complete rows
#: Seconds of one core that exact posteriors may take: they suffice for one of 22 variables and 4 parents, and for
#: *real* of 16, resamples included; each further variable doubles them.
EXACT_SECONDS = 15.0


def _count(default: int | None, description: str, none: str = "", most: int = 1_000_000) -> Any:
    return field(default=default, ge=1, le=most, none=none, help=description)


@setting
class Effort:
    """How much is drawn and kept for a posterior, besides the moves of its chains."""

    n_bags: Whole | None = _count(
        None,
        "Resamples of each of the two sizes of *real*.",
        "as many as it takes to make the error of each pair of variables at most 0.05: 8 to 64 where posteriors are "
        "summed, 16 to 24 where they are sampled",
    )
    n_chains: Whole = _count(
        4,
        "Independent chains of a posterior of the data, from different orderings; of *real* half of them, but two at "
        "least, under each prior.",
    )
    n_draws: Whole | None = _count(
        None,
        "Where cells are missing, independent chains of completions, and so the fewest draws of the cells that a "
        "posterior of the data is averaged over.",
        "10 where posteriors are summed exactly, else 5",
    )
    candidates: Whole = _count(
        12,
        "Candidate parents of each child, besides up to 4 that the chains find worth adding, 20 in all. Of at most 21 "
        "variables, 20 leave no edge out.",
        most=MOST_CANDIDATES,
    )
    max_memory: Whole = field(
        default=2 * 2**30,
        ge=1,
        unit="bytes",
        help="For the tables of parent sets, or the sums over orderings, checked before the computation starts.",
    )


@validated
@accepts(interventions=True, missing=True, numbers=True)
def edge_posterior(
    data: Dataset,
    score: TableScore | None = None,
    *,
    max_parents: ParentLimit | None = 4,
    constraints: Constraints | None = None,
    method: str = "auto",
    uniform_parent_sizes: bool = True,
    n_steps: Moves | None = None,
    effort: Effort | None = None,
    rng: Seed = 0,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> EdgePosterior:
    """Compute how probably each edge is real, or with a score its posterior probability; for any number of variables.

    Without a score the number is *real*, the mean of three: the posterior of the data, the mean of the corrected
    posteriors of resamples of as many rows, and that of resamples of twice as many,

        real(e) = ⅓ p(e | D) + ⅓ mean_b p_c(e | D*_b, N rows) + ⅓ mean_b p_c(e | D*_b, 2 N rows).

    Each p is the mean of the posteriors under BDeu(1) and BDeu(10), which ``under_each_prior`` of the result has one by
    one. For p_c every local score is lowered by half a nat for each free parameter, what a resample's likelihood is
    too high by, whatever its size (Steck & Jaakkola 2003, Eq. 7). A posterior is too sure where no graph with
    independent tables is right; its mean over resamples is less so (BayesBag: Huggins & Miller 2023), and with the
    correction it does not inherit what resampling adds.

    The prior over graphs has the same mass for each size of a parent set (Koivisto & Sood 2004, Sec. 2.3; so Scott &
    Berger 2010 correct for the number of predictors). In *real* each edge also costs 20 / N nats, a third at most:
    no other price tried had a smaller worst regret over kinds of worlds. And families that leave fewer than two rows to
    a configuration of parents, on average, have no weight: all variables but one, whichever it is, may have at most
    N / 2 joint configurations, unless constraints require the family. Otherwise two columns that number the rows, as
    country and year in a panel, would explain noise as well as anything. Equivalent graphs are ruled out together.

    Where columns are kept as numbers, half of it is by blocks of features, under ``GaussianBIC`` in the place of the
    two BDeu, and half as above, each number cut into three states of about as many rows; ``under_each_prior`` has all
    three.

    With a score the number is the posterior under that score alone. A score that is not score equivalent, as fNML and
    K2, can give two independent parents of one child a probability of 1, with any number of rows.

    The prior over graphs is order-modular: a graph is weighted by the number of orderings it fits. Posteriors are
    summed exactly where that is affordable (Koivisto & Sood 2004; Koivisto 2006), graphs then being independent draws;
    else by Markov chains over orderings (Friedman & Koller 2003). Each chain moves several orderings at once, all but
    one of which are heated (Geyer 1991).

    Each child's parent sets are then those among its candidate parents (Kuipers, Suter & Moffa 2022). These are the
    parents in the best graphs known and in their rivals, in which an edge is turned round or left out, two variables
    are exchanged, or one is put first or last, and pairs and triples of parents that gain only together, as those of an
    exclusive or do (triples with up to about 100 variables); then the neighbours in graphs learned from resamples and
    the variables that gain most. Half of the chains have other candidates than the rest. Edges from outside the
    candidates are judged, given the graphs drawn, by what they gain; where one has odds above 0.005, or a good graph
    that the chains lead to has it, a variable becomes a candidate and the chains go on. For *real* the candidates are
    found under BDeu(10), which has more edges, and used under both. In resamples they are all others where these are at
    most 17; else the neighbours in graphs learned from the resample, those probable in the data, and those that gain
    most. Chains start from these graphs and from those of the data's posterior.

    The error of a sampled probability is never 0: what n independent states never showed may have a probability of
    1 / n. It covers what resamples, and chains with different starts and candidates, differ in, not what all miss.

    Where cells are missing, a posterior is the mean of those of completions, whatever ``data.missing_way``: families
    counted on different rows have no posterior. Chains draw a graph, its probabilities and the missing cells in turn,
    each given the others (data augmentation: Tanner & Wong 1987). Where posteriors are summed exactly, each chain
    averages up to 25 completions, as many as 15 seconds allow, and half of them if the error of every edge is
    then at most 0.02. The completions are drawn from their posterior, exactly under BDeu and K2, and under other scores
    with probabilities from Jeffreys' prior. Where posteriors are sampled, graphs learned from resamples, with the
    leading correction, stand for graphs drawn from the posterior, and each chain gives one completion. In each
    resample of *real* the missing cells are drawn from a network learned from it.

    Parameters
    ----------
    data : Dataset
    score : score, optional
        exp(local score) is the weight of a family. A marginal likelihood gives a posterior; for other scores see
        ``weight`` of the result. Without it the result is *real*.
    max_parents : int, optional
    constraints : Constraints, optional
    method : {"auto", "exact", "order"}
        "auto" is "exact" if that takes no longer than 15 seconds by a rough formula and no more than the memory of
        ``effort``, and ``n_steps`` is not given; otherwise "order". Of *real*, the posterior of the data may be summed
        exactly where those of resamples are sampled; "order" is then the method of the result.
    uniform_parent_sizes : bool
        Prior uniform over parent-set sizes, so that each size has the same prior mass; otherwise uniform over parent
        sets. A score that already includes this prior is not penalized twice.
    n_steps : int, optional
        Moves of each chain, of all its orderings together; None for 120 V² ln V, at least 1,000,000 and at most
        20,000,000. The first fifth is left out. The one chain of a resample makes a tenth as many.
    effort : Effort, optional
        How many resamples, chains, draws of missing cells and candidate parents, and how much memory; see
        ``bn.posterior.Effort``.
    rng : int, Generator or None, default 0; None draws anew at each call
        The result depends neither on the number of workers nor on the order of the rows and columns.
    executor : concurrent.futures.Executor, optional
        None for one thread per core; any other receives picklable tasks, each a twentieth of a chain, or a resample.
        The chains of one posterior do not leave this machine for a Dask cluster, since they would travel with their
        tables; resamples do.
    progress : callable, optional
        Called from the calling thread with (done, total); returning False stops the work, which gives the result of
        what was done.

    Returns
    -------
    EdgePosterior

    Raises
    ------
    ValueError
        If an argument is out of its range, no graph satisfies the constraints, or more memory would be needed.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(500, rng=1)
    >>> real = bn.edge_posterior(data)
    >>> real.probability.shape, real.method
    ((5, 5), 'exact')
    >>> exact = bn.edge_posterior(data, bn.BDeu(1))
    >>> sampled = bn.edge_posterior(data, bn.BDeu(1), method="order")
    >>> bool(abs(sampled.probability - exact.probability).max() < 0.05)
    True
    """
    one_of(method, "method", ("auto", "exact", "order"))
    names = tuple(sorted(data.names))
    space = (constraints or Constraints()).resolve(names, max_parents)
    steps = default_steps(data.n_variables) if n_steps is None else n_steps
    common = Common(data.select(names).sorted_rows, space, steps, effort or Effort(), uniform_parent_sizes, executor)
    if n_steps is not None and method == "auto":
        method = "order"
    found = (
        common.real_of_all(method, generator_of(rng), progress)
        if score is None
        else common.under(
            score, common.exact(method, common.n_posteriors, EXACT_SECONDS), EXACT_SECONDS, generator_of(rng), progress
        )
    )
    return _in_columns(replace(found, seed=seed_of(rng)), data.names)


def real_refused(data: Dataset, max_parents: ParentLimit | None = 4, constraints: Constraints | None = None) -> str:
    """Say why *real* cannot be sampled, before any work is done; empty if it can be.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("cancer").sample(50, rng=1)
    >>> real_refused(data)
    ''
    """
    space, n = (constraints or Constraints()).resolve(data.names, max_parents), data.n_variables
    if space.required.sum(axis=0).max(initial=0) > MOST_CANDIDATES:
        return (
            f"Which edges are real is not worked out where a variable has more than {MOST_CANDIDATES} required parents."
        )
    common = Common(data, space, default_steps(n), Effort(), True, None)
    try:
        common.of_each_prior()._sampler(data, priors_of(data)[0]).check_memory()
    except ValueError:
        return (
            f"Which edges are real is not worked out for {n:,} variables: that would take more than "
            f"{gigabytes(common.effort.max_memory)} of memory. With fewer variables it is."
        )
    return ""


def default_steps(n_variables: int) -> int:
    """Return the default moves of a chain: 120 V² ln V, at least 1,000,000 and at most 20,000,000."""
    n = max(n_variables, 2)
    return min(max(1_000_000, math.ceil(120 * n * n * math.log(n))), 20_000_000)


@dataclass(frozen=True)
class Common:
    """What all posteriors of one call have in common; columns are in the order of their names."""

    data: Dataset
    space: SearchSpace
    n_steps: int
    effort: Effort
    uniform_parent_sizes: bool
    executor: Executor | None

    def exact(self, method: str, n_posteriors: int, seconds: float) -> bool:
        """Return whether so many posteriors of complete rows are summed: as asked for, or if that is affordable."""
        n, limit = self.data.n_variables, self.space.max_parents
        if method != "auto":
            return method == "exact"
        each = seconds_of_rows(self.data, limit)
        return each * n_posteriors <= seconds and memory_needed(n, limit) <= self.effort.max_memory

    @property
    def n_posteriors(self) -> int:
        """Posteriors of complete rows that one of the data takes at least."""
        if self.data.holes is None:
            return 1
        return completion_plan(self.data, self.space.max_parents, self.effort.n_draws, 0.0).n_posteriors

    def with_prior(self, score: TableScore) -> TableScore:
        """Return the score with the prior over parent-set sizes, unless it has it already or that is not wanted."""
        if not self.uniform_parent_sizes or score.form(self.data.effective_rows).uniform_parent_sizes:
            return score
        return WithPrior(score, uniform_parent_sizes=True)

    def of_real(self, score: TableScore) -> TableScore:
        """Return the score as *real* uses it, with its prior over graphs."""
        return self.with_prior(RealPrior(score, self.data.effective_rows))

    def under(
        self, score: TableScore, exact: bool, seconds: float, rng: np.random.Generator, progress: Progress | None
    ) -> EdgePosterior:
        """Return the posterior under one score: of complete rows, or the mean over completions."""
        used, limit = self.with_prior(score), self.space.max_parents
        if self.data.holes is None:
            return self._of_rows(self.data, used, exact, _DRAWS, rng, progress)
        plan = completion_plan(self.data, limit, self.effort.n_draws, seconds if exact else None)

        def of_rows(rows: Dataset, own: np.random.Generator, report: Progress | None) -> EdgePosterior:
            return self._of_rows(rows, used, exact, plan.n_graphs, own, report)

        return posterior_over_completions(self.data, used, self.space, plan, rng, progress, of_rows)

    def _of_rows(
        self,
        rows: Dataset,
        score: TableScore,
        exact: bool,
        n_graphs: int,
        rng: np.random.Generator,
        progress: Progress | None,
    ) -> EdgePosterior:
        """Return the posterior of complete rows, with so many graphs drawn where it is summed exactly."""
        if exact:
            check_memory(rows.n_variables, self.space.max_parents, self.effort.max_memory)
            found = stoppable(lambda stop: self._summed(LocalScores(rows, score, stop), score, n_graphs, rng), progress)
            if found is not None:
                return replace(found, any_exactly=partial(any_of_exactly, rows, score, self.space))
        sampler = self._sampler(rows, score)
        sampler.stop[0] = exact  # it was stopped: what is known without more work
        _make_ready(sampler, partial(sampler.prepare, rng), progress)
        return self._sampled(sampler, progress)

    def _summed(
        self, scores: LocalScores, score: TableScore, n_graphs: int, rng: np.random.Generator
    ) -> EdgePosterior | None:
        """Return the exact posterior; None if it was stopped."""
        probability, graphs = exact_probabilities(scores, self.space, rng, n_graphs)
        if scores.stopped:
            return None
        numbers, nothing = np.arange(n_graphs), np.zeros(probability.shape)
        groups = np.stack([0 * numbers, 0 * numbers, 20 * numbers // n_graphs], axis=1)
        summary = Summary(probability, nothing, nothing, nothing)
        return self._result(score, summary, packed(graphs), groups, scores.n_scored)

    def _sampler(self, rows: Dataset, score: TableScore) -> Sampler:
        effort, executor = self.effort, local_executor(self.executor)
        return Sampler(
            rows, score, self.space, effort.n_chains, self.n_steps, effort.candidates, effort.max_memory, executor
        )

    def _sampled(self, sampler: Sampler, progress: Progress | None) -> EdgePosterior:
        """Return what chains that are ready to run sample."""
        total = sampler.n_chains * sampler.plan().n_batches
        chains, stopped = sampler.finish(None if progress is None else lambda done: progress(total + done, 2 * total))
        if progress is not None and not stopped:
            progress(2 * total, 2 * total)
        batches = [(c, b, batch) for c, chain in enumerate(chains) for b, batch in enumerate(chain)]
        found = self._result(
            sampler.score,
            summary_of(chains, self.space.allowed & ~self.space.required),
            np.concatenate([batch.graphs for *_, batch in batches]),
            np.array([(0, c, b) for c, b, batch in batches for _ in batch.graphs], dtype=np.int64),
            sampler.n_evaluations,
        )
        status = "stopped" if stopped else "converged"
        return replace(found, method="order", n_chains=sampler.n_chains, n_steps=sampler.plan().n_steps, status=status)

    def _result(
        self, score: TableScore, summary: Summary, graphs: UInt8Array, groups: IntArray, n_evaluations: int
    ) -> EdgePosterior:
        """Return the posterior with these numbers, as if it were summed exactly."""
        return EdgePosterior(
            names=self.data.names,
            **summary._asdict(),
            under_each_prior=np.array([summary.probability] * 2),
            packed_graphs=graphs,
            groups=groups,
            method="exact",
            score=score.name,
            weight=score_weight(score, self.data.effective_rows),
            max_parents=self.space.max_parents,
            n_evaluations=n_evaluations,
            n_chains=0,
            n_steps=0,
            seed=None,
            status="optimal",
        )

    def under_each_prior(
        self, exact: bool, seconds: float, rngs: Sequence[np.random.Generator], reports: Sequence[Progress | None]
    ) -> list[EdgePosterior]:
        """Return the posteriors of the data under the priors of *real*; fewer if they were stopped.

        Where they are sampled, candidates are looked for once, under the last prior, which has the most edges.
        """
        if not exact and self.data.holes is None:
            return self._sampled_under_each_prior(rngs, reports)
        found: list[EdgePosterior] = []
        for score, own, report in zip(priors_of(self.data), rngs, reports, strict=True):
            found.append(self.under(self.of_real(score), exact, seconds / len(rngs), own, report))
            if _is_stopped(found[-1], report):
                return [replace(one, status="stopped") for one in found]
        return found

    def _sampled_under_each_prior(
        self, rngs: Sequence[np.random.Generator], reports: Sequence[Progress | None]
    ) -> list[EdgePosterior]:
        """Return the posteriors, the last first, whose tables are gone before those of another are made."""
        found: list[EdgePosterior] = []
        start, stopped = None, False
        for number, report in zip([-1, *range(len(rngs) - 1)], reports, strict=True):
            if stopped:
                break
            sampler, own = self._sampler(self.data, self.of_real(priors_of(self.data)[number])), rngs[number]
            ready = partial(sampler.start, *start, own) if start else partial(sampler.prepare, own)
            _make_ready(sampler, ready, report)
            start = start or sampler.present
            found.append(self._sampled(sampler, report))
            stopped = _is_stopped(found[-1], report)
        return [replace(one, status="stopped") if stopped else one for one in [*found[1:], found[0]]]

    def of_each_prior(self) -> Common:
        """Return the same with the chains that there are of *real* under each prior."""
        chains = max(2, self.effort.n_chains // len(PRIORS))
        return replace(self, effort=replace(self.effort, n_chains=chains))

    def real_of_all(self, method: str, rng: np.random.Generator, progress: Progress | None) -> EdgePosterior:
        """Return *real*; where there are numbers the mean over representations, or the first of them if it stopped."""
        if not self.data.numbers:
            return self.real(method, rng, progress)
        reports = [scale_progress(report) for report in split_progress(progress, [PARTS, PARTS])]
        by_blocks = self.real(method, rng, reports[0])
        if by_blocks.status == "stopped":
            return by_blocks
        cut = replace(self, data=self.data.cut(BINS).sorted_rows)
        return pooled(by_blocks, cut.real(method, rng, reports[1]))

    def real(self, method: str, rng: Seed, progress: Progress | None) -> EdgePosterior:
        """Return *real*: a third of the seconds is for the posteriors of the data, the rest for those of resamples."""
        seconds = EXACT_SECONDS
        of_data = self.exact(method, len(PRIORS) * self.n_posteriors, seconds / 3)
        each = seconds_of_rows(self.data, self.space.max_parents)
        exact = self.exact(method, LEAST * len(SIZES) * len(PRIORS), seconds)
        plan = bag_plan(self.effort.n_bags, each, seconds, exact)
        if plan.exact:
            check_memory(self.data.n_variables, self.space.max_parents, self.effort.max_memory)

        bags = BagSampler(
            self.data,
            self.space,
            tuple(self.of_real(LeadingCorrection(score)) for score in priors_of(self.data)),
            plan,
            max(1, self.n_steps // _OF_A_BAG),
            self.effort.candidates,
        )
        return real_posterior(
            bags,
            partial(self.of_each_prior().under_each_prior, of_data, seconds / 3),
            generator_of(rng),
            self.executor,
            progress,
        )


def _is_stopped(found: EdgePosterior, report: Progress | None) -> bool:
    """Return whether a posterior was stopped, or the callback, called when it is done, refuses to go on."""
    return found.status == "stopped" or (report is not None and report(1, 1) is False)


def _make_ready(sampler: Sampler, ready: Callable[[], None], report: Progress | None) -> None:
    """Make chains ready to run, which is the first half of the progress, and ask meanwhile whether to go on."""
    total, done = sampler.n_chains * sampler.plan().n_batches, [0]

    def report_prepared(_: int) -> bool | None:
        done[0] = max(done[0], int(total * sampler.prepared))
        return None if report is None else report(done[0], 2 * total)

    run_with_progress(ready, sampler.stop, report_prepared)


def _in_columns(found: EdgePosterior, names: Sequence[str]) -> EdgePosterior:
    """Return the posterior over the columns as given."""
    if found.names == tuple(names):
        return found
    n, place = len(names), np.array([found.names.index(name) for name in names])
    square = np.ix_(place, place)
    turned = np.empty_like(found.packed_graphs)
    for number, row in enumerate(found.packed_graphs):  # one at a time: they are many
        turned[number] = np.packbits(unpacked(row, n)[square])
    matrices = ("probability", "error", "pair_error", "between_chains")
    return replace(
        found,
        names=tuple(names),
        **{name: getattr(found, name)[square] for name in matrices},
        under_each_prior=found.under_each_prior[:, place[:, None], place],
        packed_graphs=turned,
    )
