"""From data to the batches of several chains: candidates, tables, a pilot run that looks outside, the chains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np

from bnengine._core.arrays import FloatArray, UInt8Array
from bnengine._core.parallel import processors
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency, unpacked
from bnengine.posterior.candidates import (
    GOOD,
    N_GRAPHS,
    Rivals,
    candidate_parents,
    graphs_of_resamples,
    outside_odds,
    with_outside,
)
from bnengine.posterior.chain import (
    Batch,
    Plan,
    StepReport,
    plan_for,
    run_steps,
    run_with_progress,
    without_burn_in,
)
from bnengine.posterior.order_chain import OrderChain, n_rungs, ordering_near
from bnengine.posterior.parent_set_tables import (
    MOST_CANDIDATES,
    ParentSetTables,
    check_tables_memory,
    parent_set_tables,
)
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore

_PILOT = 0.1  # of the moves, for each look outside the candidates
_GROUPS = 2  # sets of candidates
_ROUNDS = 2  # looks outside the candidates before the run
_WORTH = 0.005  # odds, by draws or by the best graph with that edge, from which a variable becomes a candidate
_MISSED = 0.05  # odds from which one takes the place of another
_EXTRA = 4  # more candidates of a child than asked for, at most
_MOST_DRAWS = 400  # graphs that outside odds are averaged over


Result = TypeVar("Result")


class Sampled(NamedTuple):
    """What the chains recorded after the burn-in, over the sampler's columns."""

    chains: list[list[Batch]]
    n_evaluations: int
    stopped: bool


class Start(NamedTuple):
    """Where chains start, under whatever score: each group's candidates, and the orderings on each chain's rungs."""

    columns: list[list[list[int]]]
    orderings: list[list[list[int]]]


class Prepared(NamedTuple):
    """Chains that are ready to run."""

    tables: list[ParentSetTables]  # of each group of chains: chain c belongs to group c modulo their number
    chains: list[OrderChain]
    n_evaluations: int

    @property
    def start(self) -> Start:
        """Where the chains stand now."""
        return Start([of_group.columns for of_group in self.tables], [chain.orderings for chain in self.chains])


@dataclass
class Sampler:
    """Everything that a run of several chains depends on but its random numbers.

    Parameters
    ----------
    data : Dataset
        Columns in an order that does not depend on that of the table.
    score : TableScore
        With the structure prior.
    space : SearchSpace
    n_chains, n_steps, candidates, max_memory : int
    executor : Executor, optional
    stop : ndarray of uint8, shape (1,)
    """

    data: Dataset
    score: TableScore
    space: SearchSpace
    n_chains: int
    n_steps: int
    candidates: int
    max_memory: int
    executor: Executor | None = None
    stop: UInt8Array = field(default_factory=lambda: np.zeros(1, dtype=np.uint8))

    def scores(self) -> LocalScores:
        """Return local scores for one thread."""
        return LocalScores(self.data, self.score, self.stop)

    @property
    def _most_candidates(self) -> int:
        """Of a child, those that turn out to be worth adding included."""
        return max(self.candidates, min(self.candidates + _EXTRA, MOST_CANDIDATES))

    def check_memory(self) -> None:
        """Raise a ValueError if tables and what the chains record would need more than ``max_memory``."""
        n, limit = self.data.n_variables, self.space.max_parents
        needed = self.space.required.sum(axis=0)
        counts = [min(n - 1, max(self._most_candidates, int(k))) for k in needed]
        plan = self.plan()
        per_batch = 16 * n * n + plan.graphs_per_batch * (n * n // 8 + 4 * n)
        visits = 4 * self.n_chains * sum(1 << count for count in counts)
        records = self.n_chains * plan.n_batches * per_batch + visits
        check_tables_memory(counts, limit, self.max_memory, records)

    def prepared(self, rng: np.random.Generator, wait: StepReport | None) -> Prepared:
        """Return candidates, tables and chains ready to run, after short runs that look outside the candidates."""
        of_graphs, of_candidates, of_chains, of_joint = rng.spawn(4)
        graphs = self._graphs_of_resamples(of_graphs, wait)
        rivals = self._watched(lambda: self._rivals(graphs, of_joint), wait)
        tables = []
        for group, generator in enumerate(of_candidates.spawn(self.n_groups)):
            own = graphs[group :: self.n_groups]
            columns = candidate_parents(self.space, rivals, own, self.candidates, self._most_candidates, generator)
            tables.append(self.tables(columns, wait))
        chains = self.started(tables, self._preferred(graphs, rivals, of_chains), of_chains)
        prepared = Prepared(tables, chains, sum(table.n_evaluations for table in tables))
        for _ in range(_ROUNDS if rivals is not None and not self.stop[0] else 0):
            assert rivals is not None
            scored = self._improved(prepared, rivals, np.mean(graphs, axis=0), wait)
            prepared = prepared._replace(n_evaluations=prepared.n_evaluations + scored)
            if self.stop[0] or not scored:
                break
        scored = rivals.n_scored if rivals is not None else 0
        return prepared._replace(n_evaluations=prepared.n_evaluations + scored)

    def _improved(self, prepared: Prepared, rivals: Rivals, in_graphs: FloatArray, wait: StepReport | None) -> int:
        """Give the chains, after a short run, what it shows to be worth a place among the candidates.

        ``in_graphs`` is the share of the resamples' graphs that have each edge, shape (V, V). Returns the number of
        local scores computed. Tables are replaced one by one, since two sets of them are large.
        """
        tables, chains, wanted = prepared.tables, prepared.chains, []
        chains[:], batches = self._advanced(chains, self.plan(_PILOT, 1, 40), wait)
        odds = self._outside(rivals.scores, tables, batches, wait)
        met = [unpacked(batch.best_graph, self.data.n_variables) for chain in batches for batch in chain]
        self._watched(partial(rivals.explore, met), wait)
        for group, of_group in enumerate(tables):
            own = slice(group, None, self.n_groups)
            seen = np.mean([batch.mean for chain in batches[own] for batch in chain], axis=0)
            worth = self._worth(odds[own], rivals, of_group)
            wanted.append(self._revised(of_group, worth, np.maximum(seen, in_graphs)))
        if self.stop[0] or wanted == [of_group.columns for of_group in tables]:
            return 0
        n_evaluations, n_groups = 0, len(tables)
        for group, columns in enumerate(wanted):
            if columns != tables[group].columns:
                tables[group] = self.tables(columns, wait)
                n_evaluations += tables[group].n_evaluations
            chains[group::n_groups] = [chain.with_tables(tables[group]) for chain in chains[group::n_groups]]
        return n_evaluations

    def started_from(self, start: Start, rng: np.random.Generator, wait: StepReport | None = None) -> Prepared:
        """Return chains among the candidates of chains under another score, that start where those were."""
        tables = [self.tables(columns, wait) for columns in start.columns]
        chains = self.started(tables, start.orderings, rng)
        return Prepared(tables, chains, sum(table.n_evaluations for table in tables))

    def _watched(self, work: Callable[[], Result], wait: StepReport | None) -> Result:
        return run_with_progress(work, self.stop, wait)

    def _worth(self, odds: FloatArray, rivals: Rivals, tables: ParentSetTables) -> FloatArray:
        """Return the evidence for edges from outside the candidates: odds, or a good graph with it. Shape (V, V)."""
        below = rivals.below_best
        by_graph = np.where(below > -GOOD, np.maximum(np.exp(below), 2 * _WORTH), 0.0)
        is_outside = self.space.allowed & (tables.place.T < 0)
        return np.where(is_outside, np.maximum(odds.mean(axis=0), by_graph), 0.0)

    def _revised(self, tables: ParentSetTables, worth: FloatArray, seen: FloatArray) -> list[list[int]]:
        """Return for each child its candidates and those worth adding; where there is no room, one for another.

        ``worth`` is the evidence for edges from outside, ``seen`` how often the others were met, shape (V, V) each.
        """
        columns = []
        for child in range(tables.n_variables):
            known, of_child = tables.candidates_of(child), worth[:, child]
            further = np.argsort(-of_child, kind="stable")
            room = max(self._most_candidates - len(known), 0)
            least = np.where(np.arange(len(further)) < room, _WORTH, _MISSED)
            among = np.concatenate([known, further[of_child[further] > least]])
            value = np.where(self.space.required[:, child], np.inf, np.maximum(of_child, seen[:, child]))
            best = np.argsort(-value[among], kind="stable")[: len(known) + room]
            columns.append(np.sort(among[best]).tolist())
        return columns

    def finished(self, prepared: Prepared, report_steps: StepReport | None = None) -> Sampled:
        """Run the chains as planned, and judge the edges outside the candidates.

        ``report_steps`` is called with the number of batches done by all of them.
        """
        plan = self.plan()
        chains, batches = self._advanced(prepared.chains, plan, report_steps)
        n_done = sum(batch.n_records for chain in batches for batch in chain)
        stopped = n_done < len(chains) * plan.n_batches * plan.graphs_per_batch * plan.records_per_graph
        kept, scores = [without_burn_in(chain) for chain in batches], self.scores()
        last = None if report_steps is None else partial(report_steps, sum(map(len, batches)))
        tables = prepared.tables
        odds = self._outside(scores, tables, kept, None if last is None else lambda _: last())
        kept = [with_outside(chain, tables[c % len(tables)], odds[c]) for c, chain in enumerate(kept)]
        evaluations = prepared.n_evaluations + scores.n_scored
        stopped |= bool(self.stop[0])
        return Sampled(kept, evaluations, stopped)

    def plan(self, share: float = 1.0, n_batches: int = 20, graphs_per_batch: int = 20) -> Plan:
        """Plan about that share of the moves, those on all rungs together being ``n_steps``."""
        on_each = share * self.n_steps / n_rungs(self.data.n_variables)
        return plan_for(self.data.n_variables, max(1, round(on_each)), n_batches, graphs_per_batch)

    @property
    def n_groups(self) -> int:
        """How many sets of candidates there are: chains with different ones show what candidates miss."""
        return min(_GROUPS, self.n_chains) if self.data.n_variables - 1 > self.candidates else 1

    def _rivals(self, graphs: list[Adjacency], rng: np.random.Generator) -> Rivals | None:
        if not graphs:
            return None
        rivals = Rivals(self.scores, self.space)
        rivals.explore(graphs)
        rivals.explore_joint(rng)
        return rivals

    def _graphs_of_resamples(self, rng: np.random.Generator, wait: StepReport | None) -> list[Adjacency]:
        if self.data.n_variables - 1 <= self.candidates:
            return []
        learn = partial(graphs_of_resamples, self.data, self.score, self.space, self.stop)
        pieces = [piece.tolist() for piece in np.array_split(np.array(rng.spawn(N_GRAPHS), dtype=object), 8)]
        _, learned = run_steps(learn, pieces, 1, self.stop, self.executor, wait)
        return [graph for piece in learned for graphs in piece for graph in graphs]

    def tables(self, columns: Sequence[Sequence[int]], report_steps: StepReport | None = None) -> ParentSetTables:
        """Return the weights of the parent sets among these candidates."""
        return parent_set_tables(
            self.scores,
            self.space,
            columns,
            n_threads=max(2, processors()),
            stop=self.stop,
            report_steps=report_steps,
        )

    def _preferred(
        self, graphs: list[Adjacency], rivals: Rivals | None, rng: np.random.Generator
    ) -> list[list[list[int]]]:
        """Return orderings for each chain's rungs: of the best graph, then of resamples' graphs; or random ones."""
        preferred = []
        for generator in rng.spawn(self.n_chains):
            of_rungs = []
            for rung in range(n_rungs(self.data.n_variables)):
                drawn = generator.permutation(self.data.n_variables).tolist()
                if rivals is not None:
                    graph = rivals.graph if rung == 0 else graphs[int(generator.integers(len(graphs)))]
                    drawn = ordering_near(drawn, self.space._replace(required=graph))
                of_rungs.append(drawn)
            preferred.append(of_rungs)
        return preferred

    def started(
        self, tables: Sequence[ParentSetTables], preferred: Sequence[Sequence[Sequence[int]]], rng: np.random.Generator
    ) -> list[OrderChain]:
        """Start chains near the preferred orderings."""
        chains: list[OrderChain] = []
        for c, (near, generator) in enumerate(zip(preferred, rng.spawn(len(preferred)), strict=True)):
            orderings = [ordering_near(one, self.space) for one in near]
            of_group = tables[c % len(tables)]
            chains.append(OrderChain(of_group, orderings, generator, self.stop))
        return chains

    def _advanced(
        self, chains: list[OrderChain], plan: Plan, report_steps: StepReport | None
    ) -> tuple[list[OrderChain], list[list[Batch]]]:
        """Return the chains after a run, and at least one batch from each."""
        chains, batches = run_steps(
            partial(_advance, plan), chains, plan.n_batches, self.stop, self.executor, report_steps
        )
        recorded = [[batch for batch in chain if batch is not None] for chain in batches]
        for chain, found in zip(chains, recorded, strict=True):
            if not found:  # stopped at once: the state it is in
                batch = chain.advance(Plan(1, 1, 1, 0))
                assert batch is not None
                found.append(batch)
        return chains, recorded

    def _outside(
        self,
        scores: LocalScores,
        tables: Sequence[ParentSetTables],
        chains: list[list[Batch]],
        report_steps: StepReport | None,
    ) -> FloatArray:
        """Estimate the odds of the edges outside the candidates by chain, from some of the graphs drawn."""
        n, n_groups = self.data.n_variables, len(tables)
        odds = np.zeros((len(chains), n, n))
        for group, of_group in enumerate(tables):
            own = chains[group::n_groups]
            if not own or not (self.space.allowed & (of_group.place.T < 0)).any():
                continue
            packed = np.concatenate([batch.graphs for chain in own for batch in chain])
            orderings = np.concatenate([batch.orderings for chain in own for batch in chain])
            of_chain = np.repeat(np.arange(len(own)), [sum(len(b.graphs) for b in chain) for chain in own])
            some = np.unique(np.linspace(0, len(packed) - 1, min(_MOST_DRAWS // n_groups, len(packed))).astype(int))
            some = np.union1d(some, np.unique(of_chain, return_index=True)[1])  # each chain has a say
            graphs = unpacked(packed[some], n)
            find = partial(outside_odds, scores, self.space, of_group, graphs, of_chain[some], orderings[some])
            odds[group::n_groups] = self._watched(find, report_steps)
        return odds


def _advance(plan: Plan, chain: OrderChain) -> tuple[OrderChain, Batch | None]:
    return chain, chain.advance(plan)
