"""Random changes of a graph, proposed and accepted by Metropolis' rule at a temperature.

Each proposal is as likely as the one that takes it back. One that is not legal is no proposal.
"""

from __future__ import annotations

import math

import numpy as np

from bnengine._core.compiled import Pointer, compiled
from bnengine._core.hashing import mix
from bnengine.scores.score_context import ScoreContext, stopped
from bnengine.search._neighbourhood import ADD, DELETE, NOTHING, REVERSE
from bnengine.search._walk import Walk, flip, has_path, join, joined, part, score_changed

ILLEGAL, REFUSED, MADE = 0, 1, 2
EXCHANGE = REVERSE + 1


@compiled
def uniform(state: Pointer) -> float:
    """A number in [0, 1), from the upper 53 bits of SplitMix64 (Steele, Lea & Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    return float(mix(state[0]) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def _below(walk: Walk, n: int) -> int:
    """A number from 0 to n - 1."""
    return np.int64(uniform(walk.random) * n)  # type: ignore[return-value]


@compiled
def _is_accepted(walk: Walk, gain: float, temperature: float) -> bool:
    """Whether a change is made; a number is drawn for gains, too, so that no tie shifts the draws after it."""
    loss = 0.0 if gain > 0.0 else gain
    return uniform(walk.random) < math.exp(loss / temperature)


@compiled
def _is_legal(walk: Walk, kind: int, i: int, j: int, parent: int, child: int) -> bool:
    """Whether i → j may go, unless the change is an addition, and parent → child may come, unless it is a deletion."""
    n, graph = walk.graph.n_variables, walk.graph
    if kind != ADD and graph.required[i * n + j]:
        return False
    if kind == DELETE:
        return True
    if not graph.allowed[parent * n + child]:
        return False
    if kind == EXCHANGE:
        if joined(walk, parent, child):
            return False
    elif walk.n_parents[child] >= graph.max_parents:
        return False
    if kind == REVERSE:
        flip(walk, i, j)
    closes_cycle = has_path(walk, child, parent)
    if kind == REVERSE:
        flip(walk, i, j)
    return not closes_cycle


@compiled
def _propose(
    context: ScoreContext, walk: Walk, kind: int, i: int, j: int, k: int, temperature: float
) -> tuple[int, float]:
    """Propose a change: that i → j comes, goes, becomes j → i, or is exchanged for k → j.

    With exchanges a better parent need not wait until the worse one has gone.
    """
    parent, child = i, j  # the edge that comes
    if kind == REVERSE:
        parent, child = j, i
    elif kind == EXCHANGE:
        parent = k
    if not _is_legal(walk, kind, i, j, parent, child):
        return ILLEGAL, 0.0
    family = walk.graph.family
    old, new = i if kind != ADD else -1, parent if kind != DELETE and kind != REVERSE else -1
    at_j, at_i = score_changed(context, walk, j, old, new, walk.trial), 0.0
    gain = at_j - family[j]
    if kind == REVERSE:
        at_i = score_changed(context, walk, i, -1, j, walk.other)
        gain = gain + at_i - family[i]
    if not _is_accepted(walk, gain, temperature):
        return REFUSED, 0.0
    if kind != ADD:
        part(walk, i, j)
    if kind != DELETE:
        join(walk, parent, child)
    family[j] = at_j
    if kind == REVERSE:
        family[i] = at_i
    return MADE, gain


@compiled
def _draw(walk: Walk, exchanges: bool) -> tuple[int, int, int, int]:
    """A change: its kind, the edge i → j, and the new parent k of an exchange.

    With exchanges a third each: an addition or deletion, a reversal, an exchange. The number of edges stays what it is
    in the latter two, so an edge may be drawn from the list. Without them, one of the single-edge changes, all equally
    likely.
    """
    n, kind, second = walk.graph.n_variables, 0, False
    if exchanges:
        kind = _below(walk, 3)
    if kind == 0:
        i = _below(walk, n)
        j = _below(walk, n)
        if not exchanges:
            second = uniform(walk.random) < 0.5
        if i == j or joined(walk, j, i):
            return NOTHING, i, j, -1
        if joined(walk, i, j):
            return DELETE if exchanges or second else REVERSE, i, j, -1
        return NOTHING if second else ADD, i, j, -1
    if walk.n_edges[0] == 0:
        return NOTHING, -1, -1, -1
    edge = walk.edges[_below(walk, walk.n_edges[0])]
    i, j = edge // n, edge % n
    if kind == 1:
        return REVERSE, i, j, -1
    return EXCHANGE, i, j, _below(walk, n)


@compiled
def walk_at(
    context: ScoreContext, walk: Walk, temperature: float, most_proposals: int, most_accepted: int, exchanges: bool
) -> tuple[float, int]:
    """Walk at one temperature; returns what it gained and how many changes were made.

    It ends early where hardly anything that is drawn is legal.
    """
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
