"""Simulated annealing over random changes of a graph, with a schedule taken from the data or a published one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnengine._core.settings import InR, Number, Switch, Text, Whole, field, setting
from bnengine._core.validation import ParentLimit, validated
from bnengine._jit.compiled import compiled
from bnengine._jit.records import Handle, handle_of
from bnengine.graphs.constraints import SearchSpace
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import score_context, stopped
from bnengine.search import result as limits
from bnengine.search._random_changes import start_walk, walk_at, walk_for, walk_from, write_graph
from bnengine.search.edge_changes import GraphSearch, tolerance, total_score
from bnengine.search.hill_climbing import climb
from bnengine.search.result import SearchResult

#: Nats. Colder than this a schedule taken from the data does not go: hardly a change that loses a nat would be made.
COLDEST = 0.1
_FEWEST_ACCEPTANCES = 25  # with few variables
_MOST_TEMPERATURES = 10_000  # of a schedule taken from the data, however slowly it cools


class Schedule(NamedTuple):
    """How hot, how long and how often."""

    start_temperature: float
    proposals: int
    acceptances: int
    cooling: float
    temperatures: int


@compiled
def _cool(context_handle: Handle, walk_handle: Handle, schedule: Schedule, exchanges: bool) -> int:
    """Walk from the present graph at one temperature after the other; returns how many there were."""
    context, walk = score_context(context_handle), walk_from(walk_handle)
    start_walk(context, walk)
    score, temperature, step = total_score(walk.graph), schedule.start_temperature, 0
    while step < schedule.temperatures and walk.graph.n_variables > 1 and not stopped(context):
        gained, accepted = walk_at(context, walk, temperature, schedule.proposals, schedule.acceptances, exchanges)
        score += gained
        walk.scores[step], walk.temperatures[step] = score, temperature
        step += 1
        if accepted == 0:
            break
        temperature *= schedule.cooling
    write_graph(walk)
    return step


def _settle(scores: LocalScores, search: GraphSearch) -> float:
    """Climb, in place, to a local optimum without the edges that random changes leave and that gain nothing."""
    state, margin = search.state, tolerance(scores.context.sample.n_rows)
    while True:
        score, _, _ = climb(scores, search)
        useless = np.argwhere((state.adjacency != 0) & (state.gains >= -margin))
        if not len(useless):
            return score
        state.adjacency[tuple(useless[0])] = False


def _spread_of_gains(scores: LocalScores, space: SearchSpace) -> float:
    """Return the standard deviation of what single additions to the required edges would gain, nats; at least 1.

    Above it nearly every change is made, so cooling from further up would be lost on disorder (White 1984).
    """
    gains = []
    for child in range(len(space.allowed)):
        parents = np.flatnonzero(space.required[:, child])
        wanted = space.allowed[:, child] & ~space.required[:, child] & (len(parents) < space.max_parents)
        gains.append(scores.with_one_more(child, parents.tolist(), wanted)[wanted] - scores(child, parents.tolist()))
    finite = np.concatenate([np.zeros(1), *gains])
    finite = finite[np.isfinite(finite)]
    return max(float(finite.std()), 1.0)


@setting(
    tag="annealing",
    label="Simulated annealing",
    help="Makes random changes and accepts worse graphs with a probability that falls with the temperature: the "
    "search of the paper's second experiment. At most five parents per variable unless you set another limit.",
    in_r=InR("tabu", exact=False),
)
class SimulatedAnnealing:
    """Random changes of the graph, accepted with probability exp(gain / temperature) if they lose, while it cools.

    A setting that is None is taken from the data. The last graph is climbed to a local optimum by single-edge changes.
    Local scores are remembered within a sample. Without a limit on parents a hot walk fills families that no row
    supports, where a marginal likelihood is flat, and the cooling may not find its way back; so the limit shapes the
    result, the more the sparser the table. A temperature at which nothing is accepted ends the cooling.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(500, rng=1)
    >>> climbed, annealed = (bn.learn(data, search=s(), rng=1) for s in (bn.HillClimbing, bn.SimulatedAnnealing))
    >>> annealed.score >= climbed.score
    True
    """

    start_temperature: Number | None = field(
        default=None,
        gt=0,
        le=1e9,
        none="the standard deviation of what each single edge would gain at the start, White 1984",
        label="Start temperature",
        unit="nats",
        help="T0, the first temperature.",
    )
    proposals: Whole | None = field(
        default=None,
        ge=1,
        le=10_000_000,
        none="8 times the square of the number of variables",
        label="Most proposals at a temperature",
        help="alpha, the largest number of proposals at a temperature.",
    )
    acceptances: Whole | None = field(
        default=None,
        ge=1,
        le=10_000_000,
        none="a quarter of the square of the number of variables",
        label="Most changes at a temperature",
        help="beta, the largest number of accepted changes at a temperature.",
    )
    cooling: Number = field(
        default=0.95, gt=0, lt=1, label="Cooling factor", help="gamma, the ratio of each temperature to the one before."
    )
    temperatures: Whole | None = field(
        default=None,
        ge=1,
        le=10_000_000,
        none="as many as lead to 0.1 nats",
        label="Most temperatures",
        help="delta, the largest number of temperatures.",
    )
    max_parents: Whole | None = limits.parent_limit(5)
    start: Text = field(
        default="empty",
        choices={"empty": "No edges", "climbed": "A local optimum"},
        label="Start from",
        help="Start from no edges but those required, so that other seeds end in other local optima; or from the local "
        "optimum that a climb finds, which is then also the result unless the walk ends in a better one.",
    )
    exchanges: Switch = field(
        default=True,
        label="Exchange parents, too",
        help="A third of the proposals exchange one parent for another and a third reverse an edge, in addition to "
        "additions and deletions; otherwise all single-edge changes are equally likely.",
    )

    @classmethod
    @validated
    def published(cls, max_parents: ParentLimit | None = 5, start: str = "empty") -> SimulatedAnnealing:
        """Return the schedule of Heckerman, Geiger & Chickering (1995, Sec. 7.1), which proposes single-edge changes.

        It has the same length for any number of variables; with many it may end below a mere climb.
        """
        return cls(100.0, 400, 200, 0.95, 120, max_parents, start, exchanges=False)

    @property
    def name(self) -> str:
        return "simulated annealing"

    def schedule(self, scores: LocalScores, space: SearchSpace) -> Schedule:
        """Return the schedule with every number that is to be taken from the data."""
        hottest = self.start_temperature or _spread_of_gains(scores, space)
        n_variables = len(space.allowed)
        proposals = self.proposals or 8 * max(n_variables, 1) ** 2
        acceptances = self.acceptances or max(n_variables**2 // 4, _FEWEST_ACCEPTANCES)
        needed = math.ceil(math.log(COLDEST / hottest) / math.log(self.cooling)) if hottest > COLDEST else 1
        temperatures = self.temperatures or min(max(needed, 1), _MOST_TEMPERATURES)
        return Schedule(float(hottest), proposals, acceptances, float(self.cooling), temperatures)

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        schedule = self.schedule(scores, space)
        search = GraphSearch(space, 100 * len(names) + 100)
        state, first_score = search.state, -math.inf
        if self.start == "climbed":
            first_score = _settle(scores, search)
            state.best[:] = state.adjacency
        walk = walk_for(state, rng, schedule.temperatures)
        steps = _cool(scores.handle, handle_of(walk), schedule, self.exchanges)
        score = _settle(scores, search)
        if first_score >= score - tolerance(scores.context.sample.n_rows):
            score = first_score
        else:
            state.best[:] = state.adjacency
        trace = np.append(walk.scores[:steps], score)
        diagnostics = {"temperature": np.append(walk.temperatures[:steps], 0.0)}
        return search.result(score, scores.n_scored, scores.status(True), trace, diagnostics)
