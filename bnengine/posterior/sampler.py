"""From data to the batches of several chains: candidates, tables, a pilot run that looks outside, the chains."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency, ancestors
from bnengine.posterior.candidates import N_GRAPHS, Resampled, candidate_parents
from bnengine.posterior.chain import Batch, Chain, Plan, plan_for
from bnengine.posterior.chain_summary import settled
from bnengine.posterior.order_chain import OrderChain, ordering_near
from bnengine.posterior.order_prior import SoftTiers
from bnengine.posterior.outsiders import outside_odds
from bnengine.posterior.parent_set_tables import ParentSetTables, check_tables_memory, parent_set_tables
from bnengine.posterior.running import Inline, run_steps
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import TableScore

Numbers = npt.NDArray[np.float64]

_PILOT = 0.1  # of the moves, for each look outside the candidates
_ROUNDS = 2  # looks outside the candidates before the run
_WORTH = 0.005  # odds from which a variable outside becomes a candidate
_EXTRA = 4  # more candidates of a child than asked for, at most
_MOST_DRAWS = 400  # graphs that outside odds are averaged over

#: The kinds of chains by method.
CHAINS = {"order": OrderChain}


class Sampled(NamedTuple):
    """What the chains recorded after the burn-in, over the sampler's columns."""

    chains: list[list[Batch]]
    traces: list[Numbers]  # burn-in included
    moves: tuple[str, ...]
    tables: ParentSetTables
    outside: Numbers  # (chains, V, V) odds of the edges outside the candidates
    n_evaluations: int
    stopped: bool


@dataclass
class Sampler:
    """Everything that a run of several chains depends on but its random numbers and its workers.

    Parameters
    ----------
    data : Dataset
        Columns in an order that does not depend on that of the table.
    score : TableScore
        With the structure prior.
    space : SearchSpace
    prior : SoftTiers
    method : str
    n_chains, n_steps, candidates, max_memory : int
    stop : ndarray of uint8, shape (1,)
    weights : ndarray of int32, shape (D,), optional
        Of the distinct rows; None for the data themselves.
    """

    data: Dataset
    score: TableScore
    space: SearchSpace
    prior: SoftTiers
    method: str
    n_chains: int
    n_steps: int
    candidates: int
    max_memory: int
    stop: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros(1, dtype=np.uint8))
    weights: npt.NDArray[np.int32] | None = None

    def scores(self) -> LocalScores:
        """Local scores for one thread."""
        scores = LocalScores(self.data, self.score, self.stop)
        if self.weights is not None:
            scores.reweigh(self.weights)
        return scores

    def check_memory(self) -> None:
        """Raise a ValueError if tables and results would need more than ``max_memory``."""
        n, limit = self.data.n_variables, self.space.max_parents
        needed = self.space.required.sum(axis=0)
        extra = 0 if n - 1 <= self.candidates else _EXTRA
        counts = [min(n - 1, max(self.candidates, int(k)) + extra) for k in needed]
        check_tables_memory(counts, limit, self.max_memory)

    def run(
        self,
        rng: np.random.Generator,
        executor: Executor | None = None,
        tell: Callable[[int], bool | None] | None = None,
    ) -> Sampled:
        """Run the chains; ``tell`` is called with the number of batches done by all of them."""
        of_graphs, of_chains = rng.spawn(2)
        wait = None if tell is None else lambda _: tell(0)
        graphs = self._graphs_of_resamples(of_graphs, executor, wait)
        scores = self.scores()
        columns = candidate_parents(scores, self.space, graphs, self.candidates)
        tables = self._tables(columns, executor)
        chains = self._started(tables, graphs, of_chains)
        evaluations = tables.n_evaluations
        plan = plan_for(self.data.n_variables, self.n_steps)
        for _ in range(_ROUNDS if self._has_outside(tables) else 0):
            pilot = plan_for(self.data.n_variables, round(_PILOT * self.n_steps), 1, 40)
            chains, batches = self._advanced(chains, pilot, executor, wait)
            odds = self._outside(scores, tables, batches).mean(axis=0)
            if not (odds > _WORTH).any():
                break
            tables = self._tables(_extended(tables, odds, self.candidates + _EXTRA), executor)
            chains = [chain.retabled(tables) for chain in chains]
            evaluations += tables.n_evaluations
        chains, batches = self._advanced(chains, plan, executor, tell)
        n_done = sum(batch.n_records for chain in batches for batch in chain)
        stopped = n_done < self.n_chains * plan.n_batches * plan.graphs_per_batch * plan.records_per_graph
        kept = [settled(chain) for chain in batches]
        outside = self._outside(scores, tables, kept)
        traces = [np.concatenate([batch.trace for batch in chain]) for chain in batches]
        return Sampled(kept, traces, chains[0].moves, tables, outside, evaluations + scores.n_scored, stopped)

    def _graphs_of_resamples(
        self, rng: np.random.Generator, executor: Executor | None, wait: Callable[[int], bool | None] | None
    ) -> list[Adjacency]:
        if self.data.n_variables - 1 <= self.candidates:
            return []
        weights = self.data.multiplicities.astype(np.int32) if self.weights is None else self.weights
        learner = Resampled(self.data, self.score, self.space, weights, self.stop)
        pieces = [piece.tolist() for piece in np.array_split(np.array(rng.spawn(N_GRAPHS), dtype=object), 8)]
        _, learned = run_steps(partial(_learn, learner), pieces, 1, self.stop, executor, wait)
        return [graph for piece in learned for graphs in piece for graph in graphs]

    def _tables(self, columns: Sequence[Sequence[int]], executor: Executor | None) -> ParentSetTables:
        n_threads = 1 if isinstance(executor, Inline) else os.cpu_count() or 1
        return parent_set_tables(self.scores, self.space, columns, n_threads=n_threads, max_memory=self.max_memory)

    def _started(self, tables: ParentSetTables, graphs: list[Adjacency], rng: np.random.Generator) -> list[Chain]:
        """Chains that start far apart: from orderings of graphs of different resamples, or drawn at random."""
        chains: list[Chain] = []
        for number, generator in enumerate(rng.spawn(self.n_chains)):
            preferred = generator.permutation(self.data.n_variables)
            if graphs:
                before = self.space._replace(required=graphs[number % len(graphs)])
                preferred = np.array(ordering_near(preferred.tolist(), before, SoftTiers((), 0.0), self.data.names))
            ordering = ordering_near(preferred.tolist(), self.space, self.prior, self.data.names)
            kind = CHAINS[self.method]
            chains.append(kind(tables, self.prior, self.data.names, ordering, generator, self.stop))
        return chains

    def _advanced(
        self, chains: list[Chain], plan: Plan, executor: Executor | None, tell: Callable[[int], bool | None] | None
    ) -> tuple[list[Chain], list[list[Batch]]]:
        """The chains after a run, and at least one batch from each."""
        chains, batches = run_steps(partial(_advance, plan), chains, plan.n_batches, self.stop, executor, tell)
        recorded = [[batch for batch in chain if batch is not None] for chain in batches]
        for chain, found in zip(chains, recorded, strict=True):
            if not found:  # stopped at once: the state it is in
                batch = chain.advance(Plan(1, 1, 1, 0))
                assert batch is not None
                found.append(batch)
        return chains, recorded

    def _has_outside(self, tables: ParentSetTables) -> bool:
        return bool((self.space.allowed & (tables.place.T < 0)).any())

    def _outside(self, scores: LocalScores, tables: ParentSetTables, chains: list[list[Batch]]) -> Numbers:
        """Odds of the edges outside the candidates by chain, from some of the graphs drawn."""
        n = self.data.n_variables
        if not self._has_outside(tables):
            return np.zeros((len(chains), n, n))
        packed = np.concatenate([batch.graphs for chain in chains for batch in chain])
        orderings = np.concatenate([batch.orderings for chain in chains for batch in chain])
        of_chain = np.repeat(np.arange(len(chains)), [sum(len(b.graphs) for b in chain) for chain in chains])
        some = np.unique(np.linspace(0, len(packed) - 1, min(_MOST_DRAWS, len(packed))).astype(int))
        some = np.union1d(some, np.unique(of_chain, return_index=True)[1])  # each chain has a say
        graphs = np.unpackbits(packed[some], axis=1, count=n * n).reshape(-1, n, n).astype(np.bool_)
        before = _earlier(orderings[some]) if orderings.shape[1] else _no_descendants(graphs)
        return outside_odds(scores, self.space, tables, graphs, of_chain[some], before)


def _earlier(orderings: npt.NDArray[np.int32]) -> Callable[[int], npt.NDArray[np.bool_]]:
    """For a child, which variables precede it in each ordering, shape (m, V)."""
    position = np.argsort(orderings, axis=1)
    return lambda child: position < position[:, child, None]


def _no_descendants(graphs: npt.NDArray[np.bool_]) -> Callable[[int], npt.NDArray[np.bool_]]:
    """For a child, which variables are not among its descendants in each graph, shape (m, V)."""
    reached = np.array([ancestors(graph) for graph in graphs])
    return lambda child: ~reached[:, child, :]


def _learn(
    learner: Resampled, generators: list[np.random.Generator]
) -> tuple[list[np.random.Generator], list[Adjacency]]:
    return generators, learner.learn(generators)


def _advance(plan: Plan, chain: Chain) -> tuple[Chain, Batch | None]:
    return chain, chain.advance(plan)


def _extended(tables: ParentSetTables, odds: Numbers, most: int) -> list[list[int]]:
    """The candidates with, for each child, the most probable of those outside, at most ``most`` in all."""
    columns = []
    for child in range(tables.n_variables):
        known = tables.candidates_of(child).tolist()
        worth = [v for v in np.argsort(-odds[:, child], kind="stable").tolist() if odds[v, child] > _WORTH]
        columns.append(known + worth[: max(most - len(known), 0)])
    return columns
