"""From data to the batches of several chains: candidates, tables, a pilot run that looks outside, the chains."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array
from bnengine._core.parallel import processors
from bnengine.data.dataset import Dataset
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency, unpacked
from bnengine.posterior.candidates import GOOD, N_GRAPHS, EdgeAlternatives, candidate_parents, graphs_of_resamples
from bnengine.posterior.chain import Batch, Plan, StepReport, plan_for, run_steps, run_with_progress, without_burn_in
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
_PIECES = 8  # that the resamples are learned from in
_GROUPS = 2  # sets of candidates
_ROUNDS = 2  # looks outside the candidates before the run
_WORTH = 0.005  # odds, by draws or by the best graph with that edge, from which a variable becomes a candidate
_MISSED = 0.05  # odds from which one takes the place of another
_EXTRA = 4  # more candidates of a child than asked for, at most
_MOST_DRAWS = 400  # graphs that outside odds are averaged over


@dataclass
class Sampler:
    """Several chains, and everything that they depend on but their random numbers.

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

    Attributes
    ----------
    tables : list of ParentSetTables
        Of each group of chains: chain c belongs to group c modulo their number.
    chains : list of OrderChain
    n_evaluations : int
        Number of local scores computed.
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
    tables: list[ParentSetTables] = field(default_factory=list, init=False)
    chains: list[OrderChain] = field(default_factory=list, init=False)
    n_evaluations: int = field(default=0, init=False)
    _rivals: EdgeAlternatives | None = field(default=None, init=False)
    _learned: int = field(default=0, init=False)  # pieces of the resamples' graphs
    _tabled: int = field(default=0, init=False)  # groups whose tables were made, again and again

    @property
    def prepared(self) -> float:
        """About how much of what comes before the run is done, as it is with hundreds of variables: 0 to 1."""
        tabled, rivals = min(self._tabled / (self.n_groups * (1 + _ROUNDS)), 1.0), self._rivals
        explored = 0.0 if rivals is None else rivals.explored
        return 0.2 * self._learned / _PIECES + 0.4 * max(explored, float(tabled > 0)) + 0.4 * tabled

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
        visited = 12 * n * plan.graphs_per_batch * plan.records_per_graph  # as recorded, put together, and sorted
        records = self.n_chains * (plan.n_batches * per_batch + visited)
        others = 8 * (self.n_groups - 1) * sum(1 << count for count in counts)  # sums of the other group
        check_tables_memory(counts, limit, self.max_memory, records + others)

    def prepare(self, rng: np.random.Generator) -> None:
        """Find candidates and start the chains, after short runs that look outside the candidates."""
        self.check_memory()
        of_graphs, of_candidates, of_chains, of_joint = rng.spawn(4)
        graphs = self._graphs_of_resamples(of_graphs)
        rivals = self._explored(graphs, of_joint)
        columns = [
            candidate_parents(
                self.space, rivals, graphs[group :: self.n_groups], self.candidates, self._most_candidates, generator
            )
            for group, generator in enumerate(of_candidates.spawn(self.n_groups))
        ]
        self.start(columns, self._preferred(graphs, rivals, of_chains), of_chains)
        for _ in range(_ROUNDS):
            if rivals is None or self.stop[0] or not self._improve(rivals, np.mean(graphs, axis=0)):
                break
        self.n_evaluations += rivals.n_scored if rivals is not None else 0
        self._rivals = None  # not kept while the chains run

    def start(self, columns: list[list[list[int]]], starts: list[list[list[int]]], rng: np.random.Generator) -> None:
        """Score the parent sets among each group's candidates, and start each chain's rungs near the orderings."""
        self.tables = [self._tables(of_group) for of_group in columns]
        self.chains = [
            OrderChain(
                self.tables[c % len(self.tables)],
                [ordering_near(one, self.space) for one in orderings],
                generator,
                self.stop,
            )
            for c, (orderings, generator) in enumerate(zip(starts, rng.spawn(self.n_chains), strict=True))
        ]

    @property
    def present(self) -> tuple[list[list[list[int]]], list[list[list[int]]]]:
        """Candidates and orderings now, for chains under another score to start from."""
        return [of_group.columns for of_group in self.tables], [chain.orderings for chain in self.chains]

    def _improve(self, rivals: EdgeAlternatives, in_graphs: FloatArray) -> bool:
        """Give the chains, after a short run, what it shows to be worth a place among the candidates, if anything is.

        ``in_graphs`` is the share of the resamples' graphs that have each edge, shape (V, V). Tables are replaced one
        by one, each gone before another is made, since they are large.
        """
        n_groups, batches = len(self.tables), self._advanced(self.plan(_PILOT, 1, 40))
        odds = self._outside(rivals.scores, batches)
        rivals.explore([unpacked(batch.best_graph, self.data.n_variables) for chain in batches for batch in chain])

        def wanted_in(group: int, tables: ParentSetTables) -> list[list[int]]:
            own = slice(group, None, n_groups)
            seen = np.mean([batch.mean for chain in batches[own] for batch in chain], axis=0)
            return self._revised(tables, self._candidate_value(odds[own], rivals, tables), np.maximum(seen, in_graphs))

        wanted = [wanted_in(group, tables) for group, tables in enumerate(self.tables)]
        if self.stop[0] or wanted == self.present[0]:
            return False
        for group, columns in enumerate(wanted):
            own = slice(group, None, n_groups)
            if columns != self.tables[group].columns:
                self._give_up_weights(own)
                self.tables[group] = self._tables(columns)
            self.chains[own] = [chain.with_tables(self.tables[group]) for chain in self.chains[own]]
        return True

    def _give_up_weights(self, own: slice) -> None:
        """Leave these chains, and the tables of their group, without weights, which take most of the memory."""
        self.tables[own] = [tables.without_weights() for tables in self.tables[own]]
        self.chains[own] = [chain.with_tables(chain.tables.without_weights()) for chain in self.chains[own]]

    def _candidate_value(self, odds: FloatArray, rivals: EdgeAlternatives, tables: ParentSetTables) -> FloatArray:
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

    def finish(self, report_steps: StepReport | None = None) -> tuple[list[list[Batch]], bool]:
        """Run the chains as planned; return what they recorded after the burn-in, and whether they were stopped.

        Edges outside the candidates are judged by what they gain. ``report_steps`` is called with the number of batches
        done by all of them. No chain can go on after that.
        """
        batches = self._advanced(self.plan(), report_steps)
        self._give_up_weights(slice(None))
        kept, scores = [without_burn_in(chain) for chain in batches], self.scores()
        last = None if report_steps is None else lambda _: report_steps(sum(map(len, batches)))
        odds = run_with_progress(lambda: self._outside(scores, kept), self.stop, last)
        self.n_evaluations += scores.n_scored
        judged = [with_outside(*one) for one in zip(kept, odds, strict=True)]
        return judged, bool(self.stop[0])

    def plan(self, share: float = 1.0, n_batches: int = 20, graphs_per_batch: int = 20) -> Plan:
        """Plan about that share of the moves, those on all rungs together being ``n_steps``."""
        on_each = share * self.n_steps / n_rungs(self.data.n_variables)
        return plan_for(self.data.n_variables, max(1, round(on_each)), n_batches, graphs_per_batch)

    @property
    def n_groups(self) -> int:
        """How many sets of candidates there are: chains with different ones show what candidates miss."""
        return min(_GROUPS, self.n_chains) if self.data.n_variables - 1 > self.candidates else 1

    def _explored(self, graphs: list[Adjacency], rng: np.random.Generator) -> EdgeAlternatives | None:
        if not graphs:
            return None
        rivals = self._rivals = EdgeAlternatives(self.scores, self.space)
        rivals.explore(graphs)
        rivals.explore_joint(rng)
        return rivals

    def _graphs_of_resamples(self, rng: np.random.Generator) -> list[Adjacency]:
        if self.data.n_variables - 1 <= self.candidates:
            return []
        learn = partial(graphs_of_resamples, self.data, self.score, self.space, self.stop)
        pieces = [piece.tolist() for piece in np.array_split(np.array(rng.spawn(N_GRAPHS), dtype=object), _PIECES)]
        _, learned = run_steps(learn, pieces, 1, self.stop, self.executor, partial(setattr, self, "_learned"))
        return [graph for piece in learned for graphs in piece for graph in graphs]

    def _tables(self, columns: Sequence[Sequence[int]]) -> ParentSetTables:
        """Score the parent sets among these candidates."""
        tables = parent_set_tables(self.scores, self.space, columns, n_threads=max(2, processors()))
        self.n_evaluations += tables.n_evaluations
        self._tabled += 1
        return tables

    def _preferred(
        self, graphs: list[Adjacency], rivals: EdgeAlternatives | None, rng: np.random.Generator
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

    def _advanced(self, plan: Plan, report_steps: StepReport | None = None) -> list[list[Batch]]:
        """Run the chains; return at least one batch from each."""
        step = partial(_advance, plan)
        self.chains, batches = run_steps(step, self.chains, plan.n_batches, self.stop, self.executor, report_steps)
        recorded = [[batch for batch in chain if batch is not None] for chain in batches]
        for chain, found in zip(self.chains, recorded, strict=True):
            if not found:  # stopped at once: the state it is in
                batch = chain.advance(Plan(1, 1, 1, 0))
                assert batch is not None
                found.append(batch)
        return recorded

    def _outside(self, scores: LocalScores, chains: list[list[Batch]]) -> FloatArray:
        """Estimate the odds of the edges outside the candidates by chain, from some of the graphs drawn."""
        n, n_groups = self.data.n_variables, len(self.tables)
        odds = np.zeros((len(chains), n, n))
        for group, of_group in enumerate(self.tables):
            own = chains[group::n_groups]
            if not own or not (self.space.allowed & (of_group.place.T < 0)).any():
                continue
            packed = np.concatenate([batch.graphs for chain in own for batch in chain])
            orderings = np.concatenate([batch.orderings for chain in own for batch in chain])
            of_chain = np.repeat(np.arange(len(own)), [sum(len(b.graphs) for b in chain) for chain in own])
            some = np.unique(np.linspace(0, len(packed) - 1, min(_MOST_DRAWS // n_groups, len(packed))).astype(int))
            some = np.union1d(some, np.unique(of_chain, return_index=True)[1])  # each chain has a say
            graphs = unpacked(packed[some], n)
            odds[group::n_groups] = outside_odds(scores, self.space, of_group, graphs, of_chain[some], orderings[some])
        return odds


def _advance(plan: Plan, chain: OrderChain) -> tuple[OrderChain, Batch | None]:
    return chain, chain.advance(plan)


# Parents outside the candidates: the odds of edges that the tables cannot have.
#
# For a graph without the edge u → i, in which u may precede i, adding the edge multiplies the posterior weight by w(S
# + u) / w(S), where S are the parents of i and w is exp(local score with structure prior). So the mean of that ratio
# over graphs drawn from the posterior is the posterior odds of the graphs with that edge, and no other edge from
# outside the candidates of i, to those with none.

_LARGEST_GAIN = 50.0  # nats: one draw with such odds is enough to make the variable a candidate


def outside_odds(
    scores: LocalScores,
    space: SearchSpace,
    tables: ParentSetTables,
    graphs: BoolArray,
    chains: IntArray,
    orderings: IntArray,
) -> FloatArray:
    """Return the odds of each edge outside the candidates against none at its child: (chains, V, V).

    Parameters
    ----------
    scores : LocalScores
        Columns as in ``space``; when its stop flag is set, what is not yet scored stays 0.
    space : SearchSpace
    tables : ParentSetTables
    graphs : ndarray of bool, shape (m, V, V)
        Drawn from the posterior.
    chains : ndarray of int, shape (m,)
        Which chain drew each graph: 0, 1, ….
    orderings : ndarray of int, shape (m, V)
        That each graph was drawn from: a variable may become a child's parent where it precedes the child.
    """
    n, n_chains = len(space.allowed), int(chains.max()) + 1
    odds, of_chain = np.zeros((n_chains, n, n)), chains == np.arange(n_chains)[:, None]
    position = np.argsort(orderings, axis=1)
    for child in range(n):
        outside = space.allowed[:, child].copy()
        outside[tables.candidates_of(child)] = False
        if not outside.any() or scores.stopped:
            continue
        possible = (position < position[:, child, None]).astype(np.float32)  # counts of a few hundred are exact
        parent_sets, number = _distinct(graphs[:, :, child])
        for s, parents in enumerate(parent_sets):
            columns = np.flatnonzero(parents).tolist()
            if len(columns) >= space.max_parents:
                continue
            same = number == s
            times = of_chain[:, same].astype(np.float32) @ possible[same]
            wanted = outside & (times > 0).any(axis=0)
            gains = scores.with_one_more(child, columns, wanted)[wanted] - scores(child, columns)
            share = times[:, wanted] / of_chain.sum(axis=1, keepdims=True)
            odds[:, wanted, child] += share * np.exp(np.minimum(gains, _LARGEST_GAIN))
    return odds


def _distinct(rows: BoolArray) -> tuple[BoolArray, IntArray]:
    """Return the distinct rows in order, and which of them each is; numpy compares strings faster than rows."""
    packed = np.packbits(rows, axis=1)
    as_text = packed.view(f"S{packed.shape[1]}").reshape(-1)
    _, first, number = np.unique(as_text, return_index=True, return_inverse=True)
    return rows[first], number


def with_outside(batches: Sequence[Batch], odds: FloatArray) -> list[Batch]:
    """Return a chain's batches with probabilities of the edges outside its candidates, from their ``odds``, (V, V)."""
    shares = odds / (1.0 + odds.sum(axis=0))
    return [batch._replace(besides=shares) for batch in batches]
