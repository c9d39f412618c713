"""Iterated local search: climb, disturb a part of the graph, climb again, and go on from the better of the two."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bnengine._core.settings import InR, Switch, Whole, field, setting
from bnengine._jit.compiled import compiled
from bnengine._jit.records import Handle, below, handle_of, uniform
from bnengine.graphs.constraints import SearchSpace
from bnengine.scores.local_score import LocalScores
from bnengine.scores.score_context import ScoreContext, score_context, stopped
from bnengine.search import result as limits
from bnengine.search._gain_rows import (
    RowGraph,
    adjacency_of_sets,
    bit,
    come_back,
    copy_parents,
    find_descendants,
    flip,
    has_another_path,
    has_long_path,
    initialize_rows,
    is_in,
    joined,
    know_descendants,
    look_up,
    look_up_changed,
    lowest,
    member,
    row_graph,
    row_graph_for,
    score_of,
    size_of,
    write_members,
)
from bnengine.search.edge_changes import ADD, NOTHING, REVERSE, tolerance
from bnengine.search.exact import Exact
from bnengine.search.result import SearchResult

_MANY_VARIABLES = 64  # beyond them the patience grows no more
_MOST_IMPROVEMENTS = 10_000  # kept in the trace
#: Chosen by benchmarks/searches.py; half or twice of each hardly matters.
_FARTHEST = 20  # most steps of the walk along which edges are turned round
_TURNS = 0.4  # share of the restarts that turn edges round
_HEAT = 10.0  # nats: a new parent that loses as much is drawn e times less often than one that loses nothing
_SLACK = 5.0  # nats that the next graph may lose, on average


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
def _renew_parents(context: ScoreContext, graph: RowGraph, v: int) -> None:
    """Take away half of a variable's parents and give it a new one, so that pairs are found that gain together only."""
    n, parents = graph.n_variables, context.work.parents
    k = write_members(graph.parents, v * graph.n_words, graph.n_words, parents)
    for p in range(k):
        if not graph.required[parents[p] * n + v] and uniform(graph.random) < 0.5:
            flip(graph, parents[p], v)
    look_up(context, graph, v)
    find_descendants(graph, v)
    for _ in range(4 * n):
        i = below(graph.random, n)
        if i == v or is_in(graph.seen, 0, i) or joined(graph, i, v):
            continue
        if graph.gains[graph.rows[v] * n + i] > -_HEAT * _exponential(graph):
            flip(graph, i, v)
            look_up(context, graph, v)
            return


@compiled
def _search(context_handle: Handle, graph_handle: Handle, patience: int) -> int:
    """Search from the required edges; returns how often the best improved.

    The best graph is left in ``best``.
    """
    context, graph = score_context(context_handle), row_graph(graph_handle)
    n, margin = graph.n_variables, tolerance(context.sample.n_rows)
    initialize_rows(context, graph)
    _climb(context, graph, margin)
    copy_parents(graph, graph.kept)
    copy_parents(graph, graph.best)
    present = best = score_of(graph)
    graph.trace[0] = best
    step, tries = 1, 0
    while tries < patience and n > 1 and not stopped(context):
        tries += 1
        if uniform(graph.random) < _TURNS:
            _turn_edges(context, graph, below(graph.random, n))
        else:
            _renew_parents(context, graph, below(graph.random, n))
        _climb(context, graph, margin)
        score = score_of(graph)
        if score < present - margin - _SLACK * _exponential(graph):
            come_back(context, graph)
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
        "place of it, and goes on until so many restarts for each variable (a tenth in replicates) improve nothing.",
    ),
)
class IteratedLocalSearch:
    """A climb by single-edge changes, then again and again from a graph disturbed in one place; the best graph is kept.

    A restart either reverses edges along a short random walk, whatever that loses, or takes half of a variable's
    parents away and gives it another. The climb that follows ends in a graph that is gone on from unless it is some
    nats worse (Lourenço, Martin & Stützle 2003). What each single-edge change gains is remembered for every family met,
    so a restart costs little more than the few families that it is the first to see.

    Notes
    -----
    The result is a local optimum that so many restarts did not improve, in most tables of up to some hundred variables
    the best graph known; ``certify`` bounds how much better any other can be. Of few variables it is the best graph,
    and its status is ``optimal``: ``Exact`` is taken instead, where it surely ends within a second.

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
        "replicate a tenth of them. Beyond 64 variables as many as for 64.",
    )
    max_parents: Whole | None = limits.parent_limit()
    prove: Switch = field(
        default=True,
        label="Exact where that is quick",
        help="With few variables, where the exact search surely ends within a second, take that one instead.",
    )

    @property
    def name(self) -> str:
        return "iterated local search"

    @property
    def in_replicates(self) -> IteratedLocalSearch:
        """The search of a replicate: a tenth of the patience, which misses little beside what resampling changes."""
        return replace(self, patience=max(self.patience // 10, 1), prove=False)

    def find(
        self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator
    ) -> SearchResult:
        exact = Exact(self.max_parents)
        if self.prove and _is_quick(exact, *scores.context.sample.codes.shape):
            return exact.find(names, scores, space, rng)
        graph = row_graph_for(space, rng, _MOST_IMPROVEMENTS)
        patience = self.patience * min(len(space.allowed), _MANY_VARIABLES)
        steps = _search(scores.handle, handle_of(graph), patience)
        trace = graph.trace[:steps].copy()
        found = adjacency_of_sets(graph.best)
        return SearchResult(found, float(trace[-1]), scores.n_scored, scores.status(True), trace)
