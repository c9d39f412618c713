"""Iterated local search: climb, disturb a part of the graph, climb again, and go on from the better of the two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bnengine._core.settings import InR, Switch, Whole, field, setting
from bnengine._jit.compiled import compiled
from bnengine._jit.records import Handle, below, handle_of, lowest, uniform
from bnengine.graphs.constraints import SearchSpace
from bnengine.graphs.dag import Adjacency
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import ScoreContext, cached_score, score_context, stopped
from bnengine.search import result as limits
from bnengine.search._gain_rows import (
    RowGraph,
    adjacency_of_sets,
    begin_with,
    bit,
    copy_parents,
    find_descendants,
    flip,
    from_the_beginning,
    has_another_path,
    has_long_path,
    is_in,
    joined,
    know_descendants,
    look_up,
    look_up_all,
    look_up_changed,
    member,
    restore_kept_graph,
    row_graph,
    row_graph_for,
    score_of,
    size_of,
    write_members,
)
from bnengine.search._joint_sets import JointSets, joint_sets
from bnengine.search.edge_changes import ADD, NOTHING, REVERSE, tolerance
from bnengine.search.exact import Exact
from bnengine.search.result import SearchResult

#: Beyond them the patience grows no more, and losses that are gone on from are small.
MANY_VARIABLES = 64
_MOST_IMPROVEMENTS = 10_000  # kept in the trace
#: Chosen by benchmarks/searches.py; half or twice of each hardly matters.
_FARTHEST = 20  # most steps of the walk along which edges are turned round
_TURNS = 0.4  # share of the other restarts that turn edges round
_JOINS = 0.2  # share of the restarts that give a variable parents which gain only together, if there are any
_BORROWS = 0.5  # share of the other restarts that borrow from another graph, if there is one
_LONGEST_CHAIN = 256  # of reversible edges: tries for each variable to turn them round grow no more beyond it
_HEAT = 10.0  # nats: a new parent that loses as much is drawn e times less often than one that loses nothing
_SLACK, _LITTLE_SLACK = 5.0, 1.0  # nats that the next graph may lose, on average; in many places losses add up
_HEAT_NEAR_START = 3.0  # of replicates: little slack and heat lead back to a good start; by benchmarks/replicates.py


@compiled
def _best_move(graph: RowGraph, margin: float) -> tuple[int, int, int]:
    """Return the legal change that gains most, ties by column: its kind and the edge that comes or goes.

    A reversal that is better than a deletion begins with an addition that would gain, were it not for the cycle.
    """
    n, n_words, gains = graph.n_variables, graph.n_words, graph.gains
    kind, parent, child, best = NOTHING, -1, -1, margin
    know_descendants(graph)
    for j in range(n):
        row = graph.rows[j]
        if graph.most[row] <= best:
            continue
        for w in range(n_words):
            children = graph.children[j * n_words + w]
            marked = graph.gaining[row * n_words + w] & (children | ~graph.descendants[j * n_words + w])
            while marked != 0:
                i = (w << 6) + lowest(marked)
                marked &= marked - np.uint64(1)
                gain, least = gains[row * n + i], best + margin if kind != NOTHING else best
                if gain <= least:
                    continue
                if children & bit(i) == 0:
                    kind, parent, child, best = ADD, i, j, gain
                    continue
                gain += gains[graph.rows[i] * n + j]
                if gain > least and not has_long_path(graph, j, i):
                    kind, parent, child, best = REVERSE, i, j, gain
    return kind, parent, child


@compiled
def _reverse(graph: RowGraph, i: int, j: int) -> None:
    """Turn i → j round."""
    flip(graph, i, j)
    flip(graph, j, i)


@compiled
def _climb(context: ScoreContext, graph: RowGraph, margin: float) -> None:
    """Change the edge that gains most until none gains."""
    while not stopped(context):
        kind, parent, child = _best_move(graph, margin)
        if kind == NOTHING:
            return
        if kind == REVERSE:
            _reverse(graph, child, parent)
            look_up(context, graph, parent)
        else:
            flip(graph, parent, child)
        look_up(context, graph, child)


@compiled
def _exponential(graph: RowGraph) -> float:
    """Draw an exponential random number of mean 1."""
    return -math.log(1.0 - uniform(graph.random))


@compiled
def _draw_from(graph: RowGraph, of_children: bool, v: int) -> int:
    """Draw a random child or parent of a variable; -1 if there is none."""
    sets, at = graph.parents, v * graph.n_words
    if of_children:
        sets = graph.children
    size = size_of(sets, at, graph.n_words)
    return member(sets, at, graph.n_words, below(graph.random, size)) if size > 0 else -1


@compiled
def _is_supported(context: ScoreContext, graph: RowGraph, child: int, more: int) -> bool:
    """Return whether the child's table with one more parent has no more cells than there are rows."""
    parents, arities = context.work.parents, context.sample.arities
    cells = float(arities[child]) * arities[more]
    k = write_members(graph.parents, child * graph.n_words, graph.n_words, parents)
    for p in range(k):
        cells *= arities[parents[p]]
    return cells <= context.sample.n_rows and k < graph.max_parents


@compiled
def _turn_edges(context: ScoreContext, graph: RowGraph, v: int) -> None:
    """Reverse edges along a random walk that begins at a variable, whatever that loses."""
    n = graph.n_variables
    for _ in range(1 + below(graph.random, _FARTHEST)):
        to_child = uniform(graph.random) < 0.5
        other = _draw_from(graph, to_child, v)
        if other < 0:
            continue
        i, j = (v, other) if to_child else (other, v)
        if uniform(graph.random) < 0.5:
            v = other
        if graph.required[i * n + j] or not graph.allowed[j * n + i] or not _is_supported(context, graph, i, j):
            continue
        if not has_another_path(graph, i, j):
            _reverse(graph, i, j)
    look_up_changed(context, graph)


@compiled
def _renew_parents(context: ScoreContext, graph: RowGraph, v: int, heat: float) -> None:
    """Take away half of a variable's parents and give it a new one, so that pairs are found that gain together only."""
    n, parents = graph.n_variables, context.work.parents
    k = write_members(graph.parents, v * graph.n_words, graph.n_words, parents)
    for p in range(k):
        if not graph.required[parents[p] * n + v] and uniform(graph.random) < 0.5:
            flip(graph, parents[p], v)
    look_up(context, graph, v)
    find_descendants(graph, v, -1)
    for _ in range(4 * n):
        i = below(graph.random, n)
        if i == v or is_in(graph.seen, 0, i) or joined(graph, i, v):
            continue
        if graph.gains[graph.rows[v] * n + i] > -heat * _exponential(graph):
            flip(graph, i, v)
            look_up(context, graph, v)
            return


@compiled
def _borrow(context: ScoreContext, graph: RowGraph, v: int) -> None:
    """Give the variables along a random walk their parents in another good graph, as far as no cycle forms."""
    n, n_words, other = graph.n_variables, graph.n_words, graph.start
    for _ in range(1 + below(graph.random, _FARTHEST)):
        for w in range(n_words):
            word = graph.parents[v * n_words + w] & ~other[(n + v) * n_words + w]
            while word != 0:
                i = (w << 6) + lowest(word)
                word &= word - np.uint64(1)
                if not graph.required[i * n + v]:
                    flip(graph, i, v)
        for w in range(n_words):
            word = other[(n + v) * n_words + w] & ~graph.parents[v * n_words + w]
            while word != 0:
                i = (w << 6) + lowest(word)
                word &= word - np.uint64(1)
                if joined(graph, v, i) and not graph.required[v * n + i]:
                    flip(graph, v, i)
                if not find_descendants(graph, v, i):
                    flip(graph, i, v)
        neighbor = _draw_from(graph, uniform(graph.random) < 0.5, v)
        v = neighbor if neighbor >= 0 else v
    look_up_changed(context, graph)


@compiled
def _join(context: ScoreContext, graph: RowGraph, number: int) -> None:
    """Give a variable parents that gain only together; its edges to them and to their ancestors go, if they may."""
    n, n_words, v = graph.n_variables, graph.n_words, graph.joint_children[number]
    at, wanted, children = v * n_words, graph.joint_parents, context.work.parents
    for c in range(write_members(graph.children, at, n_words, children)):
        child, leads_back = children[c], is_in(wanted, number * n_words, children[c])
        find_descendants(graph, child, -1)
        for w in range(n_words):
            leads_back = leads_back or graph.seen[w] & wanted[number * n_words + w] != 0
        if leads_back:
            if graph.required[v * n + child]:
                return restore_kept_graph(context, graph)
            flip(graph, v, child)
    for i in range(n):
        if is_in(wanted, number * n_words, i) != joined(graph, i, v):
            flip(graph, i, v)
    look_up_changed(context, graph)


@compiled
def _is_covered(graph: RowGraph, i: int, j: int) -> bool:
    """Return whether the parents of i are those of j but i itself, which is one of them."""
    n_words = graph.n_words
    for w in range(n_words):
        differ = graph.parents[i * n_words + w] ^ graph.parents[j * n_words + w]
        if differ != (bit(i) if w == i >> 6 else np.uint64(0)):
            return False
    return True


@compiled
def _turn_covered(graph: RowGraph) -> None:
    """Jump to a random member of the current equivalence class, all about equally likely; callers refresh its rows.

    The parents of the two ends of a covered edge differ by that edge alone. Reversing it does not change the class, and
    every graph of the class is reached in this way (Chickering 1995). A chain of edges needs as many tries as it has
    variables, squared, to forget where it began.
    """
    n = graph.n_variables
    for _ in range(4 * n * min(n, _LONGEST_CHAIN)):
        j = below(graph.random, n)
        i = _draw_from(graph, False, j)
        if i < 0 or not _is_covered(graph, i, j) or graph.required[i * n + j] or not graph.allowed[j * n + i]:
            continue
        _reverse(graph, i, j)


@compiled
def _change_places(graph: RowGraph, a: int, b: int) -> None:
    """Let two variables that are joined change places in the graph; done twice, it is undone."""
    i, j = (a, b) if joined(graph, a, b) else (b, a)
    _reverse(graph, i, j)
    for v in range(graph.n_variables):
        if v in (a, b):
            continue
        if joined(graph, a, v) != joined(graph, b, v):
            flip(graph, a, v)
            flip(graph, b, v)
        if joined(graph, v, a) != joined(graph, v, b):
            flip(graph, v, a)
            flip(graph, v, b)


@compiled
def _score_around(context: ScoreContext, graph: RowGraph, a: int, b: int) -> float:
    """Sum the local scores of two variables and of their children; -infinity if an edge of the two is illegal."""
    n, n_words, parents, total = graph.n_variables, graph.n_words, context.work.parents, 0.0
    for v in range(n):
        for u in (a, b):
            for i, j in ((u, v), (v, u)):
                if graph.required[i * n + j] if not joined(graph, i, j) else not graph.allowed[i * n + j]:
                    return -np.inf
        if v in (a, b) or joined(graph, a, v) or joined(graph, b, v):
            total += cached_score(context, v, parents, write_members(graph.parents, v * n_words, n_words, parents))
    return total


@compiled
def _begin_near_start(context: ScoreContext, graph: RowGraph, margin: float) -> None:
    """Go to the start as if its ties were drawn here; the rows are then to be looked up.

    That is to a random graph of its class, in which two joined variables change places where that gains, and with
    probability 1/2 where it neither gains nor loses: which of two equal columns has the edges is drawn anew.
    """
    begin_with(graph, graph.start)
    _turn_covered(graph)
    for _ in range(2 if graph.n_starts == 1 else 0):  # not where searches are merged
        for a in range(graph.n_variables):
            for b in range(a):
                if not joined(graph, a, b) and not joined(graph, b, a):
                    continue
                before = _score_around(context, graph, a, b)
                _change_places(graph, a, b)
                gain = _score_around(context, graph, a, b) - before
                if gain < -margin or (gain <= margin and uniform(graph.random) < 0.5):
                    _change_places(graph, a, b)


@compiled
def _search(context_handle: Handle, graph_handle: Handle, patience: int, may_be_dense: bool) -> int:
    """Search from the required edges; returns how often the best improved, counting the climb.

    The best graph is left in ``best``. Of many variables, a dense climb that may not be is all.
    """
    context, graph = score_context(context_handle), row_graph(graph_handle)
    n, margin = graph.n_variables, tolerance(context.sample.n_rows)
    many = n > MANY_VARIABLES
    heat = _HEAT_NEAR_START if graph.n_starts > 0 and not many else _HEAT
    slack = _LITTLE_SLACK if many or graph.n_starts > 0 else _SLACK
    if many and graph.n_starts > 0:
        _begin_near_start(context, graph, margin)
    else:
        begin_with(graph, graph.needed)
    look_up_all(context, graph)
    _climb(context, graph, margin)
    copy_parents(graph, graph.kept)
    present = score_of(graph)
    for trial in range(0 if many else -min(graph.n_starts, 1), graph.n_joint):
        if trial < 0:
            _begin_near_start(context, graph, margin)
            look_up_all(context, graph)
        else:
            _join(context, graph, trial)
        _climb(context, graph, margin)
        if score_of(graph) > present + margin:
            present = score_of(graph)
            copy_parents(graph, graph.kept)
        else:
            restore_kept_graph(context, graph)
    copy_parents(graph, graph.best)
    best = present
    graph.trace[0] = best
    if many and not may_be_dense and size_of(graph.best, 0, n * graph.n_words) > _DENSE * n:
        return 1
    step, tries = 1, 0
    while tries < patience and n > 1 and not stopped(context):
        tries += 1
        if graph.n_joint > 0 and uniform(graph.random) < _JOINS:
            _join(context, graph, below(graph.random, graph.n_joint))
        elif graph.n_starts > 1 and uniform(graph.random) < _BORROWS:
            _borrow(context, graph, below(graph.random, n))
        elif uniform(graph.random) < _TURNS:
            _turn_edges(context, graph, below(graph.random, n))
        else:
            _renew_parents(context, graph, below(graph.random, n), heat)
        _climb(context, graph, margin)
        score = score_of(graph)
        if score < present - margin - slack * _exponential(graph):
            restore_kept_graph(context, graph)
            continue
        present = score
        copy_parents(graph, graph.kept)
        if score > best + margin:
            best, tries = score, 0
            copy_parents(graph, graph.best)
            if step == graph.most_steps:
                step -= 1
            graph.trace[step] = best
            step += 1
    return step


_MOST_RUNS, _RUNS_TIMES = 5, 2_400  # searches of many variables: the fewer the more variables
_DENSE = 3  # edges for each variable beyond which a climb is too dense to be disturbed, and one search long enough
#: Of dense graphs, what an edge costs, nats, and the share of the patience; chosen on LINK and MUNIN1 under BDeu(1).
_PRICES = ((16.0, 1.0), (4.0, 0.25), (0.5, 0.25))
_FEW_EDGES = 800  # up to which the whole patience is quick where edges cost nothing: a restart takes longer with more


def _n_runs(n_variables: int) -> int:
    """Return how many searches from the beginning there are; chosen by benchmarks/references.py."""
    return 1 if n_variables <= MANY_VARIABLES else max(1, min(_MOST_RUNS, _RUNS_TIMES // n_variables))


#: The exact search is quick with so few variables, and so many families times distinct rows: 8 nanoseconds for each.
_FEW_VARIABLES, _LITTLE_WORK, _FEWEST_ROWS = 13, 20_000_000, 300


def _is_quick(exact: Exact, n_variables: int, n_distinct: int) -> bool:
    """Whether the exact search surely ends within a second; it takes a fifth of one at most where it was measured."""
    if n_variables > _FEW_VARIABLES:
        return False
    return exact.n_families(n_variables) * max(n_distinct, _FEWEST_ROWS) <= _LITTLE_WORK


@setting(
    tag="iterated",
    label="Iterated local search",
    help="Looks for the best graph of all: climbs, disturbs a part of the graph and climbs again, until many restarts "
    "in a row bring nothing better. With few variables the result is proved to be the best.",
    in_r=InR(
        "hc",
        {"restart": "patience"},
        exact=False,
        remark="hc changes its best graph at random and climbs again, as often as restart says; bnengine changes one "
        "place of it, and goes on until so many restarts for each variable improve nothing (in a replicate half as "
        "many, from the better of two starts: one of them is the graph learned from the data; with more than 64 "
        "variables a twelfth, from that start alone); with so many it merges up to five searches.",
    ),
)
class IteratedLocalSearch:
    """A climb by single-edge changes, then again and again from a graph disturbed in one place; the best graph is kept.

    A restart either reverses edges along a short random walk, whatever that loses, or takes half of a variable's
    parents away and gives it another. Where pairs or triples of parents gain only together, as those of an exclusive or
    do, a fifth of the restarts give a variable such parents at once. The climb that follows ends in a graph that is
    gone on from unless it is some nats worse (Lourenço, Martin & Stützle 2003). What each single-edge change gains is
    remembered for every family met, so a restart costs little more than the few families that it is the first to see.
    With more than 64 variables the graphs that are gone on from lose less: losses in many places add up. There are five
    such searches then (three of 800 variables, one of more than 1,200 or if the first finds more than three edges for
    each variable), each from the beginning. After each but the first, a further search goes on from the better of it
    and the best so far, and half of its restarts borrow the parents of some neighbours from the other (as the
    crossovers of genetic searches do: Larrañaga et al. 1996): what either found in one place is in one graph. Where
    the first climb of more than 64 variables finds more than three edges for each, nothing is merged: edges cost some
    nats in a search, less in the next ones, which have a quarter of the patience, and nothing in the last.

    Notes
    -----
    The result is a local optimum that so many restarts did not improve, in most tables of up to some hundred variables
    the best graph known; ``certify`` bounds how much better any other can be. Of few variables it is the best graph,
    and its status is ``optimal``: ``Exact`` is taken instead, where it surely ends within a second.

    Before it starts, the table is screened for two or three parents that gain only together, in some milliseconds.
    Triples are looked for up to about 45 variables; of a variable with several states, only the most frequent ones
    count. Four parents or more that gain only together, or three among more variables, can be missed.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(500, rng=1)
    >>> bn.learn(data, search=bn.IteratedLocalSearch()).score == bn.learn(data, search=bn.Exact()).score
    True
    """

    patience: Whole = field(
        default=150,
        ge=1,
        le=1_000_000,
        label="Restarts without improvement",
        unit="restarts per variable",
        help="How many restarts for each variable, none of which leads to a better graph, end the search; in a "
        "replicate half of them, but it starts from the graph learned from the data, too. Beyond 64 variables as "
        "many as for 64, in a replicate a twelfth.",
    )
    max_parents: Whole | None = limits.parent_limit()
    prove: Switch = field(
        default=True,
        label="Exact where that is quick",
        help="With few variables, where the exact search surely ends within a second, take that one instead.",
    )

    name = "iterated local search"
    depends_on = "seed"

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        exact = Exact(self.max_parents)
        if self.prove and _is_quick(exact, *scores.context.sample.codes.shape):
            return exact.find(names, scores, space, rng)._replace(search=exact.name)
        graph = row_graph_for(space, rng, _MOST_IMPROVEMENTS, joint_sets(scores, space))
        found = self._searched(graph, scores, may_be_dense=False)
        is_dense = found.adjacency.sum() > _DENSE * len(names)
        if is_dense and len(found.trace) == 1 and len(names) > MANY_VARIABLES:
            found = self._found_by_falling_prices(found, graph, scores, rng)
        traces = [found.trace]
        for _ in range(0 if is_dense else _n_runs(len(names)) - 1):
            if found.status == "stopped":
                break
            another = self._searched(from_the_beginning(graph, rng), scores)
            better, worse = sorted((found, another), key=lambda one: -one.score)
            both = from_the_beginning(graph, rng, [better.adjacency, worse.adjacency])
            merged = self._searched(both, scores)
            found = (merged if merged.score > better.score else better)._replace(status=merged.status)
            traces += [another.trace, merged.trace]
        rises = np.unique(np.maximum.accumulate(np.concatenate(traces)))
        return found._replace(trace=rises, n_evaluations=scores.n_scored)

    def _found_by_falling_prices(
        self, climbed: SearchResult, graph: RowGraph, scores: LocalScores, rng: np.random.Generator
    ) -> SearchResult:
        """Search where edges cost something, which leaves few; go on from there at lower prices, at last at none."""
        found, share_of_last = climbed, min(1.0, _FEW_EDGES / climbed.adjacency.sum())
        for price, share in (*_PRICES, (0.0, share_of_last)):
            starts = [] if found is climbed else [found.adjacency]
            scores.set_edge_penalty(price)
            graph.n_rows[0] = graph.most_rows  # a full table of rows is emptied
            found = self._searched(from_the_beginning(graph, rng, starts), scores, share)
        return max(found, climbed, key=lambda one: one.score)._replace(status=found.status)

    def _searched(
        self, graph: RowGraph, scores: LocalScores, share: float = 1.0, may_be_dense: bool = True
    ) -> SearchResult:
        """Search from the required edges, and from the graph's start if there is one; never the exact search.

        ``share`` is that of the patience; a climb of many variables that is dense is the result if it may not be.
        """
        patience = math.ceil(share * self.patience * min(graph.n_variables, MANY_VARIABLES))
        steps = _search(scores.handle, handle_of(graph), patience, may_be_dense)
        trace = graph.trace[:steps].copy()
        found = adjacency_of_sets(graph.best)
        return SearchResult(found, float(trace[-1]), scores.n_scored, scores.status(True), trace)


@dataclass(frozen=True, eq=False)
class ReplicateSearch:
    """Iterated local search of the replicates of one data set: with less patience, and with what the data showed.

    It starts from the graph learned from the data, too, or rather from a random graph of its class in which columns
    that are copies of each other, or nearly, have changed places as the replicate would have it. So a replicate takes
    over neither the direction of an edge that can be reversed nor the choice among copies. With many variables it
    starts from there alone: a climb from no edges ends hundreds of nats below.

    Attributes
    ----------
    names : tuple of str
        The variables of ``start`` and ``joint``; a search may see them in another order.
    start : ndarray of bool, shape (V, V), or None
        ``[parent, child]``.
    joint : JointSets
        Families of the data whose parents gain only together.
    """

    search: IteratedLocalSearch
    names: tuple[str, ...]
    start: Adjacency | None
    joint: JointSets

    @property
    def name(self) -> str:
        """As in the wrapped search."""
        return self.search.name

    @property
    def max_parents(self) -> int | None:
        """As in the wrapped search."""
        return self.search.max_parents

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        """Search the space for a graph of high score."""
        place = {name: v for v, name in enumerate(self.names)}
        order = np.array([place[name] for name in names], dtype=np.int64)
        starts = [] if self.start is None else [self.start[np.ix_(order, order)]]
        graph = row_graph_for(space, rng, _MOST_IMPROVEMENTS, self.joint.shown(order), starts)
        return self.search._searched(graph, scores)
