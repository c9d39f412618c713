"""Simulated annealing over random changes of a graph, with a schedule taken from the data or a published one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bnengine._core.compiled import compiled
from bnengine._core.records import Handle, handle_of
from bnengine.graphs.constraints import SearchSpace
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import score_context, stopped
from bnengine.search._neighbourhood import GraphSearch, total_score
from bnengine.search._parents import tolerance
from bnengine.search._random_changes import walk_at
from bnengine.search._walk import set_out, walk_for, walk_from, write_graph
from bnengine.search.hill_climbing import climb
from bnengine.search.result import SearchResult

STARTS = ("climbed", "empty")
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
    set_out(context, walk)
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
    """Climb, in place, to a local optimum all of whose edges gain; returns its score.

    Random changes leave edges that gain nothing; they go, and the climb may go on without them.
    """
    state, margin = search.state, tolerance(scores.context.sample.n_rows)
    while True:
        score, _, _ = climb(scores, search)
        useless = np.argwhere((state.adjacency != 0) & (state.gains >= -margin))
        if not len(useless):
            return score
        state.adjacency[tuple(useless[0])] = False


def _spread_of_gains(scores: LocalScores, space: SearchSpace) -> float:
    """Standard deviation of what single additions to the required edges would gain, nats; 1 where they hardly differ.

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


@dataclass(frozen=True)
class SimulatedAnnealing:
    """Random changes of the graph, accepted with probability exp(gain / temperature) if they lose, while it cools.

    A setting that is None is taken from the data. The last graph is climbed to a local optimum by single-edge changes.
    Scores of families are remembered within a sample.

    Parameters
    ----------
    start_temperature : float, optional
        T0, nats; by default the standard deviation of what each single edge would gain at the start (White 1984).
    proposals : int, optional
        alpha: most proposals at a temperature; by default eight times the square of the number of variables.
    acceptances : int, optional
        beta: most accepted changes at a temperature; by default a quarter of that square, so that little time is spent
        where it is hot and nearly everything is accepted.
    cooling : float
        gamma, between 0 and 1: what a temperature is multiplied by to give the next.
    temperatures : int, optional
        delta: most temperatures; by default as many as lead to 0.1 nats. A temperature at which nothing is accepted
        ends the cooling, too.
    max_parents : int, optional
        Largest number of parents of any variable, five by default. Without a limit a hot walk fills families that no
        row supports, where a marginal likelihood is flat, and the cooling may not find its way back; so the limit
        shapes the result, the more the sparser the table.
    start : {"empty", "climbed"}
        Where it sets out: from no edges but those required, so that other seeds end in other local optima; or from the
        local optimum that a climb finds, which is then also the result unless the walk ends in a better one.
    exchanges : bool
        Whether a third of the proposals exchange one parent for another and a third reverse an edge, beside additions
        and deletions. Without, all single-edge changes are equally likely.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(500, rng=1)
    >>> bn.learn(data, search=bn.SimulatedAnnealing(), rng=1).score >= bn.learn(data).score
    True
    """

    start_temperature: float | None = None
    proposals: int | None = None
    acceptances: int | None = None
    cooling: float = 0.95
    temperatures: int | None = None
    max_parents: int | None = 5
    start: str = "empty"
    exchanges: bool = True

    @classmethod
    def published(cls, max_parents: int | None = 5, start: str = "empty") -> SimulatedAnnealing:
        """The schedule of Heckerman, Geiger & Chickering (1995, Sec. 7.1), whose proposals are single-edge changes.

        It has the same length for any number of variables; with many it may end below a mere climb.
        """
        return cls(100.0, 400, 200, 0.95, 120, max_parents, start, exchanges=False)

    def __post_init__(self) -> None:
        hottest = self.start_temperature
        if hottest is not None and not (math.isfinite(hottest) and hottest > 0):
            raise ValueError(f"start_temperature must be positive, in nats; got {hottest}")
        if not 0 < self.cooling < 1:
            raise ValueError(f"cooling must lie between 0 and 1; got {self.cooling}")
        if self.start not in STARTS:
            raise ValueError(f"start must be one of {', '.join(STARTS)}; got '{self.start}'")
        for field in ("proposals", "acceptances", "temperatures"):
            value = getattr(self, field)
            if value is not None and value < 1:
                raise ValueError(f"{field} must be 1 or more; got {value}")

    @property
    def name(self) -> str:
        return "simulated annealing"

    def schedule(self, scores: LocalScores, space: SearchSpace) -> Schedule:
        """The schedule with every number that is to be taken from the data."""
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
