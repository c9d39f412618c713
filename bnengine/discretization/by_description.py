"""Discretization jointly with a graph, by minimum description length (Friedman & Goldszmidt 1996).

The description of a table of numbers has four parts (Section 3 of the source), here in nats:

* the network and the discretized table: minus its BIC, N sum_i H(X_i* | parents*) + |theta| / 2 ln N;
* the number of states of each measured column, one of K: ln K;
* its k - 1 cut points among its m candidates: ln binom(m, k - 1);
* each number given its state: N H(X_i | X_i*), with the frequencies of the values in the table.

The last part makes tables with different states comparable. Since X_i* is a function of X_i, the first and the last
add up to N sum_i H(X_i) - N sum_i I(X_i*; parents*), of which only the information depends on the cut points: a
coarser table is not shorter by itself, and a state is worth the information it gives about the neighbours in the
graph. All graphs have the same code length.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from bnengine._core.arrays import BoolArray, FloatArray, IntArray
from bnengine._core.environment import pd
from bnengine._core.parallel import Flag, Progress, stoppable
from bnengine.data.checked_frame import DataError
from bnengine.data.columns import numbers_of
from bnengine.data.dataset import Dataset
from bnengine.data.missing import fill_missing
from bnengine.discretization.cut_points import distinct_numbers, legible
from bnengine.graphs.dag import Adjacency, edges_of
from bnengine.scores.evaluation import score
from bnengine.scores.scores import BIC
from bnengine.search import IteratedLocalSearch, LearnedGraph, learn

#: Bounds of the number of states of a column.
FEWEST_LEVELS, MOST_LEVELS = 2, 8
#: Numbers of states in the starting points; the best local optimum is kept.
STARTS = (3, 2, 4)
#: Description lengths this close, in nats, are equal: then more even cut points and fewer states are preferred.
TOLERANCE = 1e-6
_MOST_ROUNDS = 50

#: Indices of the candidate points chosen as cut points, by column.
Chosen = Mapping[str, tuple[int, ...]]


def cuts_by_description(
    frame: pd.DataFrame,
    measured: Sequence[str],
    progress: Progress | None = None,
    levels: Mapping[str, int] | None = None,
) -> dict[str, tuple[float, ...]]:
    """Return the increasing cut points of measured columns that, with a graph, describe the whole table most briefly.

    Other columns are discrete; missing cells form a state of their own. The cut points do not depend on the order of
    the columns. A DataError if a column is empty, or a discrete one has too many states. ``progress`` is called with
    (columns visited, upper bound); returning False keeps what is done. ``levels`` fixes the number of states of all
    measured columns; there is then one start, and points are chosen among 50 of a column.
    """
    for name in measured:
        if frame[name].isna().all():
            raise DataError(f"column '{name}' has no values; leave it out")
    candidates = {name: candidates_of(numbers_of(frame[name])) for name in sorted(measured)}
    chosen = shortest(described(frame, candidates, levels), progress).chosen
    return {
        name: tuple(legible(candidates[name].points[list(chosen[name])], distinct_numbers(frame[name])))
        for name in measured
    }


def shortest(table: DescribedTable, progress: Progress | None = None) -> Description:
    """Return the shortest description found: a local optimum, the best of three.

    Two steps alternate until the description length stays the same: for a fixed graph, the cut points of each column
    are optimized given those of the others; for fixed cut points, the graph is learned and kept if its score is higher
    (Section 4 of the source). A column's cut points are optimal among 50 midpoints of its values that split the rows
    evenly, by dynamic programming where the source splits greedily. The starts are 3, 2 and 4 states of equally many
    rows; in the end the cut points are refined among all midpoints.
    """
    alternation = Alternation(table, progress, np.random.default_rng(0))
    best = alternation.converge(alternation.start(STARTS[0]))
    if table.levels:
        return best
    for n_states in STARTS[1:]:
        other = alternation.converge(alternation.start(n_states))
        if other.length < best.length - TOLERANCE:
            best = other
    return alternation.converge(best, fine=True)


@dataclass(frozen=True, eq=False)
class Description:
    """Cut points, a graph over the columns sorted by name, and the length of the table's description, nats."""

    chosen: Chosen
    graph: LearnedGraph
    length: float


@dataclass
class Alternation:
    """Alternate between graph and cut points, from any start to a local optimum.

    Once ``progress``, called with (columns visited, upper bound), returns False, what there is stays as it is.
    """

    table: DescribedTable
    progress: Progress | None
    rng: np.random.Generator
    visited: int = 0
    stopped: bool = False

    def start(self, n_states: int) -> Description:
        """Cut each column into ``n_states`` states of about equally many rows, and learn a graph."""
        return self._with_graph(self.table.even(n_states))

    def converge(self, now: Description, fine: bool = False) -> Description:
        """Iterate until neither another graph nor other cut points of one column shorten the description."""
        pending = list(self.table.candidates)
        for _ in range(_MOST_ROUNDS):
            now = self._recut(now, pending, fine)
            if self.stopped:
                break
            other = self._with_graph(now.chosen)
            if self.stopped or other.length > now.length - TOLERANCE:
                break
            changed = (other.graph.adjacency != now.graph.adjacency).any(axis=0)
            pending = self._measured_in(changed, other.graph.adjacency | now.graph.adjacency)
            now = other
        return now

    def _with_graph(self, chosen: Chosen) -> Description:
        """Return the description with these cut points and the graph learned with them."""

        def learned(stop: Flag) -> LearnedGraph:
            search = IteratedLocalSearch(prove=False)
            return learn(self.table.data(chosen), BIC(), search, rng=self.rng, stop=stop)

        graph = stoppable(learned, self.progress, self._planned, self.visited)
        self.stopped |= graph.status == "stopped"
        return Description(chosen, graph, self.table.length(chosen, graph.score))

    def _measured_in(self, families: BoolArray, adjacency: Adjacency) -> list[str]:
        """Return the measured columns in the families of these children."""
        inside = families | (adjacency & families).any(axis=1)
        return [self.table.names[v] for v in np.flatnonzero(inside) if self.table.names[v] in self.table.candidates]

    def _recut(self, now: Description, pending: Sequence[str], fine: bool) -> Description:
        """Optimize the cut points of each column in turn for a fixed graph, until none improves."""
        adjacency = now.graph.adjacency
        for _ in range(_MOST_ROUNDS):
            touched = np.zeros(len(adjacency), dtype=np.bool_)
            for name in pending:
                self._report()
                if self.stopped:
                    return now
                before, now = now, self._recut_one(now, name, fine)
                if now is not before:
                    v = self.table.names.index(name)
                    touched |= adjacency[v]
                    touched[v] = True
            pending = self._measured_in(touched, adjacency)
            if not pending:
                break
        return now

    def _recut_one(self, now: Description, name: str, fine: bool) -> Description:
        """Optimize the cut points of one column; unchanged if the description gets no shorter."""
        table, adjacency = self.table, now.graph.adjacency
        neighbours = table.neighbours(name, now.chosen, adjacency)
        least, most = (table.levels.get(name, one) for one in (FEWEST_LEVELS, MOST_LEVELS))
        cuts = best_cuts(table.candidates[name], neighbours, least, most, now.chosen[name], fine)
        if cuts == now.chosen[name]:
            return now
        chosen = {**now.chosen, name: cuts}
        value = score(table.data(chosen), edges_of(table.names, adjacency), BIC())
        length = table.length(chosen, value)
        return Description(chosen, replace(now.graph, score=value), length) if length <= now.length - TOLERANCE else now

    @property
    def _planned(self) -> int:
        return 6 * (1 + len(STARTS)) * len(self.table.candidates)  # about six visits of each column per pass

    def _report(self) -> None:
        self.visited = min(self.visited + 1, self._planned)
        if self.progress is not None and self.progress(self.visited, self._planned) is False:
            self.stopped = True


@dataclass(frozen=True, eq=False)
class DescribedTable:
    """The columns sorted by name: discrete ones as codes, measured ones with their candidate cut points."""

    names: tuple[str, ...]
    discrete: Mapping[str, tuple[IntArray, int]]  # codes, number of states
    candidates: Mapping[str, Candidates]
    n_rows: int
    levels: Mapping[str, int]  # fixed numbers of states

    def even(self, n_states: int) -> Chosen:
        """Return cut points for ``n_states`` states of about equally many rows."""
        alone = Neighbours((np.zeros(self.n_rows, dtype=np.int64), 1.0), ())
        wanted = {name: self.levels.get(name, n_states) for name in self.candidates}
        return {name: best_cuts(one, alone, wanted[name], wanted[name]) for name, one in self.candidates.items()}

    def codes(self, name: str, chosen: Chosen) -> tuple[IntArray, int]:
        """Return a column's codes and its number of states."""
        if name in self.discrete:
            return self.discrete[name]
        one = self.candidates[name]
        return one.states(chosen[name]), len(chosen[name]) + 1 + one.has_missing

    def data(self, chosen: Chosen) -> Dataset:
        """Return the discretized table."""
        columns = [self.codes(name, chosen) for name in self.names]
        states = tuple(tuple(map(str, range(arity))) for _, arity in columns)
        return Dataset(self.names, states, np.column_stack([codes for codes, _ in columns]).astype(np.uint16))

    def length(self, chosen: Chosen, network_score: float) -> float:
        """Return the description length of the whole table, nats."""
        return sum(one.code_length(chosen[name]) for name, one in self.candidates.items()) - network_score

    def neighbours(self, name: str, chosen: Chosen, adjacency: Adjacency) -> Neighbours:
        """Return the families that a column belongs to."""
        v = self.names.index(name)
        children = []
        for child in np.flatnonzero(adjacency[v]).tolist():
            others = [p for p in np.flatnonzero(adjacency[:, child]).tolist() if p != v]
            codes, q = _configurations([self.codes(self.names[p], chosen) for p in others], self.n_rows)
            children.append((codes, q, *self.codes(self.names[child], chosen)))
        parents = [self.codes(self.names[p], chosen) for p in np.flatnonzero(adjacency[:, v]).tolist()]
        return Neighbours(_configurations(parents, self.n_rows), children)


def described(
    frame: pd.DataFrame, candidates: Mapping[str, Candidates], levels: Mapping[str, int] | None = None
) -> DescribedTable:
    """Prepare a frame of which some columns have candidate cut points."""
    discrete = {}
    rest = [name for name in frame.columns if name not in candidates]
    if rest:
        whole = Dataset.from_frame(fill_missing(frame[rest], "own_state"))
        discrete = {name: (whole.codes[:, v].astype(np.int64), len(whole.states[v])) for v, name in enumerate(rest)}
    return DescribedTable(tuple(sorted(frame.columns)), discrete, candidates, len(frame), levels or {})


def _configurations(columns: Sequence[tuple[IntArray, int]], n_rows: int) -> tuple[IntArray, float]:
    """Return each row's rank among the observed configurations, and the number of all configurations."""
    codes, q = np.zeros(n_rows, dtype=np.int64), 1.0
    for states, arity in columns:
        codes = np.unique(codes * arity + states, return_inverse=True)[1]
        q *= arity
    return codes, q


# The optimal cut points of one column given its families: exact over candidates, by dynamic programming.
#
# BIC is a sum over cells, and every cell lies in one state of the column. For a given number of states the description
# length is therefore a sum over states, and the optimal cut points follow from those for fewer states (Bellman 1961;
# for discretization Elomaa & Rousu 1999).

#: Number of points in the exhaustive search; the other points serve to refine its result.
COARSE = 50
_ZOOM = 8


@dataclass(frozen=True, eq=False)
class Candidates:
    """The candidate cut points of a column.

    Attributes
    ----------
    points : ndarray, shape (m,)
        Midpoints between neighbouring distinct values, increasing.
    interval_of : ndarray of int, shape (N,)
        Which of the m + 1 intervals between the points each row is in; -1 if the value is missing.
    within : float
        Nats to encode the values if all are in one state: sum over distinct values of n ln(N / n).
    even : ndarray of int, shape (at most ``COARSE``,)
        Indices of points that split the rows about evenly.
    """

    points: FloatArray
    interval_of: IntArray
    within: float
    even: IntArray

    @property
    def has_missing(self) -> bool:
        """Whether there are missing cells, which form a state of their own."""
        return bool((self.interval_of < 0).any())

    def states(self, chosen: Sequence[int]) -> IntArray:
        """Return the state of each row if the column is cut at these points; missing cells are the last state."""
        states = np.searchsorted(np.asarray(chosen, dtype=np.int64), self.interval_of)
        return np.where(self.interval_of < 0, len(chosen) + 1, states)

    def code_length(self, chosen: Sequence[int]) -> float:
        """Return the nats that encode the number of states, the cut points and, within each state, the values."""
        sizes = np.bincount(self.states(chosen)[self.interval_of >= 0])
        values = self.within - n_log_n(sizes.sum()) + n_log_n(sizes).sum()
        return float(values) + math.log(MOST_LEVELS) + self.cut_code(len(chosen))

    def cut_code(self, n_cuts: int) -> float:
        """Return the nats that encode which of the points are the cut points."""
        return math.log(math.comb(len(self.points), n_cuts))


def candidates_of(values: FloatArray) -> Candidates:
    """Return the candidate cut points of a column."""
    present = np.isfinite(values)
    distinct, counts = np.unique(values[present], return_counts=True)
    points = (distinct[:-1] + distinct[1:]) / 2
    numbers = np.arange(len(points))
    if len(points) > COARSE:
        wanted = np.arange(1, COARSE + 1) / (COARSE + 1) * counts.sum()
        numbers = np.unique(np.abs(np.cumsum(counts)[None, :-1] - wanted[:, None]).argmin(axis=1))
    intervals = np.where(present, np.searchsorted(points, values, side="left"), -1)
    return Candidates(points, intervals, float(n_log_n(counts.sum()) - n_log_n(counts).sum()), numbers)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The families that a column belongs to.

    Attributes
    ----------
    parents : ndarray of int, shape (N,), and float
        Each row's parent configuration in the column's own family, and the number of configurations.
    children : sequence of (others, q, states, r)
        For each child: each row's configuration of the child's other parents, the number of configurations, each row's
        state of the child, the number of states.
    """

    parents: tuple[IntArray, float]
    children: Sequence[tuple[IntArray, float, IntArray, int]]


def best_cuts(
    candidates: Candidates, neighbours: Neighbours, least: int, most: int, now: Sequence[int] = (), fine: bool = False
) -> tuple[int, ...]:
    """Return the indices of the points that minimize the description length, with ``least`` to ``most`` states.

    It is the optimum among at most ``COARSE`` points that split the rows evenly, and the present ones, ``now``. If
    ``fine``, these are then moved among the points between them, in decreasing steps, to the nearest optimum.
    """
    numbers = np.union1d(candidates.even, np.asarray(now, dtype=np.int64))
    chosen = _best_among(numbers, candidates, neighbours, range(least, most + 1))
    step = len(candidates.points) // COARSE if fine and chosen else 0
    while step:
        finer = step // _ZOOM
        moved = np.arange(-step, step + 1, max(finer, 1))
        near = np.unique(np.asarray(chosen)[:, None] + np.append(moved, 0))
        near = near[(near >= 0) & (near < len(candidates.points))]
        chosen = _best_among(near, candidates, neighbours, range(len(chosen) + 1, len(chosen) + 2))
        step = finer
    return chosen


def _best_among(numbers: IntArray, candidates: Candidates, neighbours: Neighbours, sizes: range) -> tuple[int, ...]:
    """Return the optimal cut points among these points, for these numbers of states or as many as possible."""
    costs, penalty = _costs(numbers, candidates, neighbours), BIC().form(len(candidates.interval_of)).penalty
    best: tuple[float, tuple[int, ...]] = (math.inf, ())
    for n_states in sorted({min(n, len(numbers) + 1) for n in sizes}):
        arity = n_states + candidates.has_missing
        n_parameters = neighbours.parents[1] * (arity - 1)
        n_parameters += sum(q * arity * (r - 1) for _, q, _, r in neighbours.children)
        value, chosen = _segments(costs, n_states)
        total = value + penalty * n_parameters + candidates.cut_code(n_states - 1)
        if total < best[0] - TOLERANCE:
            best = (total, tuple(numbers[list(chosen)].tolist()))
    return best[1]


def _costs(numbers: IntArray, candidates: Candidates, neighbours: Neighbours) -> FloatArray:
    """Return ``[a, b]``, what a state from interval a to b - 1 adds to the description, nats, (m + 2, m + 2).

    What all cut points have in common is left out.
    """
    n_rows, n_intervals = len(candidates.interval_of), len(numbers) + 1
    present = candidates.interval_of >= 0
    intervals = np.searchsorted(numbers, candidates.interval_of)[present]
    entropic = n_log_n(np.arange(n_rows + 1))
    evenness = (np.arange(n_rows + 1) / n_rows) ** 2 * TOLERANCE  # breaks ties between descriptions of the same length

    def summed(codes: IntArray, values: FloatArray) -> FloatArray:
        """Sum the values at the counts of rows by code between any two points."""
        ranks = np.unique(codes, return_inverse=True)[1]
        width = int(ranks.max()) + 1
        cells = np.bincount(intervals * width + ranks[present], minlength=n_intervals * width)
        below = np.concatenate([np.zeros((1, width), np.int64), cells.reshape(-1, width).cumsum(axis=0)])
        sums = np.zeros((n_intervals + 1, n_intervals + 1))
        for a in range(n_intervals):
            sums[a, a + 1 :] = values[below[a + 1 :] - below[a]].sum(axis=1)
        return sums

    costs = summed(np.zeros(n_rows, dtype=np.int64), entropic + evenness) - summed(neighbours.parents[0], entropic)
    for others, _, states, r in neighbours.children:
        costs = costs - summed(others * r + states, entropic) + summed(others, entropic)
    return costs


def _segments(costs: FloatArray, n_states: int) -> tuple[float, tuple[int, ...]]:
    """Return the minimal cost of dividing all intervals into ``n_states`` states, and the indices of the points."""
    n = len(costs)
    before = np.tri(n, k=-1, dtype=np.bool_).T  # [a, b]: a state from interval a to b - 1 is not empty
    costs = np.where(before, costs, math.inf)
    best, starts = costs[0], []
    for _ in range(n_states - 1):
        totals = best[:, None] + costs
        starts.append(totals.argmin(axis=0))
        best = totals.min(axis=0)
    end, chosen = n - 1, []
    for start in reversed(starts):
        end = int(start[end])
        chosen.append(end - 1)
    return float(best[-1]), tuple(reversed(chosen))


def n_log_n(n: npt.ArrayLike) -> FloatArray:
    """Return n ln n, the part of an entropy that a count contributes."""
    counts = np.asarray(n, dtype=np.float64)
    return counts * np.log(np.maximum(counts, 1.0))
