"""Simulated annealing over random changes of a graph, with a schedule taken from the data or a published one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, IntArray
from bnengine._core.settings import InR, Number, Switch, Text, Whole, field, setting
from bnengine._jit.compiled import compiled
from bnengine._jit.records import Handle, allocate, below, handle_of, record, record_from, uniform
from bnengine.graphs.constraints import SearchSpace
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import ScoreContext, cached_score, score_context, stopped
from bnengine.search import result as limits
from bnengine.search._gain_rows import (
    RowGraph,
    adjacency_of_sets,
    find_descendants,
    flip,
    has_another_path,
    joined,
    row_graph_for,
    size_of,
    toggle,
    write_members,
)
from bnengine.search.edge_changes import ADD, DELETE, NOTHING, REVERSE, Graph, GraphSearch, tolerance
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


def _settle(scores: LocalScores, search: GraphSearch) -> float:
    """Climb, in place, to a local optimum without the edges that random changes leave and that gain nothing."""
    state, margin = search.state, tolerance(scores.context.sample.n_rows)
    while True:
        score, _, _ = climb(scores.handle, search.handle, 0)
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
    def published(cls) -> SimulatedAnnealing:
        """Return the schedule of Heckerman, Geiger & Chickering (1995, Sec. 7.1), which proposes single-edge changes.

        It has the same length for any number of variables; with many it may end below a mere climb.

        Returns
        -------
        SimulatedAnnealing

        Examples
        --------
        >>> SimulatedAnnealing.published().start_temperature
        100.0
        """
        return cls(100.0, 400, 200, 0.95, 120, exchanges=False)

    name = "simulated annealing"
    depends_on = "seed"

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
        n, start = len(names), state.adjacency.copy()
        graph, places = row_graph_for(space, rng, 1), np.zeros(n * n, dtype=np.int64)
        walk = allocate(Walk, V=n, T=schedule.temperatures, graph=graph, start=start, places=places)
        steps = _cool(scores.handle, handle_of(walk), schedule, self.exchanges)
        state.adjacency[:] = adjacency_of_sets(graph.parents)
        score = _settle(scores, search)
        if first_score >= score - tolerance(scores.context.sample.n_rows):
            score = first_score
        else:
            state.best[:] = state.adjacency
        trace = np.append(walk.scores[:steps], score)
        diagnostics = {"temperature": np.append(walk.temperatures[:steps], 0.0)}
        return SearchResult(search.best(), score, scores.n_scored, scores.status(True), trace, diagnostics)


# A random walk over graphs: each proposal is as likely as the one that takes it back, and accepted by Metropolis' rule
# at a temperature. A proposal that is not legal is none.


@record
class Walk(NamedTuple):
    """A graph under random changes, with a list of its edges."""

    graph: RowGraph  # its rows stay empty
    start: Graph  # (V, V) [parent, child]
    local: Annotated[FloatArray, "V"]  # local scores of the present graph
    edges: Annotated[IntArray, "V * V"]  # each edge as parent * V + child, in any order
    places: IntArray  # (V * V,) where in the list an edge stands
    n_edges: Annotated[IntArray, "1"]
    scores: Annotated[FloatArray, "T"]  # score after each temperature
    temperatures: Annotated[FloatArray, "T"]


#: The walk behind the handle that compiled functions are called with.
_walk_from = record_from(Walk)


@compiled
def _cool(context_handle: Handle, walk_handle: Handle, schedule: Schedule, exchanges: bool) -> int:
    """Walk from the start at one temperature after the other; returns how many there were."""
    context, walk = score_context(context_handle), _walk_from(walk_handle)
    n, score, temperature, step = walk.graph.n_variables, 0.0, schedule.start_temperature, 0
    for j in range(n):
        for i in range(n):
            if walk.start[i * n + j]:
                _connect(walk, i, j)
    for j in range(n):
        walk.local[j] = _score_changed(context, walk, j, -1, -1)
        score += walk.local[j]
    while step < schedule.temperatures and n > 1 and not stopped(context):
        gained, accepted = _walk_at(context, walk, temperature, schedule.proposals, schedule.acceptances, exchanges)
        score += gained
        walk.scores[step], walk.temperatures[step] = score, temperature
        step += 1
        if accepted == 0:
            break
        temperature *= schedule.cooling
    return step


@compiled
def _connect(walk: Walk, i: int, j: int) -> None:
    """Add the edge i → j."""
    edge, last = i * walk.graph.n_variables + j, walk.n_edges[0]
    flip(walk.graph, i, j)
    walk.edges[last], walk.places[edge] = edge, last
    walk.n_edges[0] = last + 1


@compiled
def _disconnect(walk: Walk, i: int, j: int) -> None:
    """Delete the edge i → j; the last of the list takes its place."""
    place, last = walk.places[i * walk.graph.n_variables + j], walk.edges[walk.n_edges[0] - 1]
    flip(walk.graph, i, j)
    walk.edges[place], walk.places[last] = last, place
    walk.n_edges[0] -= 1


@compiled
def _score_changed(context: ScoreContext, walk: Walk, child: int, old: int, new: int) -> float:
    """Return the child's local score without the parent ``old`` and with ``new``; -1 for neither."""
    sets, n_words, parents = walk.graph.parents, walk.graph.n_words, context.work.parents
    at = child * n_words
    for v in (old, new):
        if v >= 0:
            toggle(sets, at, v)
    k = write_members(sets, at, n_words, parents)
    for v in (old, new):
        if v >= 0:
            toggle(sets, at, v)
    return cached_score(context, child, parents, k)  # type: ignore[no-any-return]


ILLEGAL, REFUSED, MADE = 0, 1, 2
EXCHANGE = REVERSE + 1


@compiled
def _is_accepted(walk: Walk, gain: float, temperature: float) -> bool:
    """Return whether a change is made; a number is drawn for gains, too, so that no tie shifts the draws after it."""
    loss = 0.0 if gain > 0.0 else gain
    return uniform(walk.graph.random) < math.exp(loss / temperature)


@compiled
def _is_legal(walk: Walk, kind: int, i: int, j: int, parent: int, child: int) -> bool:
    """Return whether i → j may go (unless it is an addition), and parent → child come (unless it is a deletion)."""
    n, graph = walk.graph.n_variables, walk.graph
    if kind != ADD and graph.required[i * n + j]:
        return False
    if kind == DELETE:
        return True
    if not graph.allowed[parent * n + child]:
        return False
    if kind == EXCHANGE:
        if joined(graph, parent, child):
            return False
    elif size_of(graph.parents, child * graph.n_words, graph.n_words) >= graph.max_parents:
        return False
    if kind == REVERSE:
        return not has_another_path(graph, i, j)
    return not find_descendants(graph, child, parent)


@compiled
def _propose(
    context: ScoreContext, walk: Walk, kind: int, i: int, j: int, k: int, temperature: float
) -> tuple[int, float]:
    """Propose a change: that i → j comes, goes, becomes j → i, or is exchanged for k → j in one step."""
    parent, child = i, j  # the edge that comes
    if kind == REVERSE:
        parent, child = j, i
    elif kind == EXCHANGE:
        parent = k
    if not _is_legal(walk, kind, i, j, parent, child):
        return ILLEGAL, 0.0
    local = walk.local
    old, new = i if kind != ADD else -1, parent if kind != DELETE and kind != REVERSE else -1
    at_j, at_i = _score_changed(context, walk, j, old, new), 0.0
    gain = at_j - local[j]
    if kind == REVERSE:
        at_i = _score_changed(context, walk, i, -1, j)
        gain = gain + at_i - local[i]
    if not _is_accepted(walk, gain, temperature):
        return REFUSED, 0.0
    if kind != ADD:
        _disconnect(walk, i, j)
    if kind != DELETE:
        _connect(walk, parent, child)
    local[j] = at_j
    if kind == REVERSE:
        local[i] = at_i
    return MADE, gain


@compiled
def _draw(walk: Walk, exchanges: bool) -> tuple[int, int, int, int]:
    """Draw a change: its kind, the edge i → j, and the new parent k of an exchange.

    With exchanges a third each: an addition or deletion, a reversal, an exchange. The number of edges stays what it is
    in the latter two, so an edge may be drawn from the list. Without them, one of the single-edge changes, all equally
    likely.
    """
    n, kind, second = walk.graph.n_variables, 0, False
    if exchanges:
        kind = below(walk.graph.random, 3)
    if kind == 0:
        i = below(walk.graph.random, n)
        j = below(walk.graph.random, n)
        if not exchanges:
            second = uniform(walk.graph.random) < 0.5
        if i == j or joined(walk.graph, j, i):
            return NOTHING, i, j, -1
        if joined(walk.graph, i, j):
            return DELETE if exchanges or second else REVERSE, i, j, -1
        return NOTHING if second else ADD, i, j, -1
    if walk.n_edges[0] == 0:
        return NOTHING, -1, -1, -1
    edge = walk.edges[below(walk.graph.random, walk.n_edges[0])]
    i, j = edge // n, edge % n
    if kind == 1:
        return REVERSE, i, j, -1
    return EXCHANGE, i, j, below(walk.graph.random, n)


@compiled
def _walk_at(
    context: ScoreContext, walk: Walk, temperature: float, most_proposals: int, most_accepted: int, exchanges: bool
) -> tuple[float, int]:
    """Walk at one temperature, not for long where little is legal; return what it gained and the changes made."""
    proposals, accepted, drawn, gained = 0, 0, 0, 0.0
    most_drawn = 64 * most_proposals
    while proposals < most_proposals and accepted < most_accepted and drawn < most_drawn and not stopped(context):
        drawn += 1
        kind, i, j, k = _draw(walk, exchanges)
        outcome, gain = ILLEGAL, 0.0
        if kind != NOTHING:
            outcome, gain = _propose(context, walk, kind, i, j, k, temperature)
        proposals += outcome != ILLEGAL
        accepted += outcome == MADE
        gained += gain
    return gained, accepted
