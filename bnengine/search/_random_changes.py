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
from bnengine.search._walk import (
    Walk,
    flip,
    has_path,
    join,
    joined,
    part,
    score_exchanged,
    score_with,
    score_without,
)

ILLEGAL, REFUSED, MADE = 0, 1, 2
EXCHANGE = REVERSE + 1


@compiled
def _uniform(state: Pointer) -> float:
    """A number in [0, 1), from the upper 53 bits of SplitMix64 (Steele, Lea & Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    return float(mix(state[0]) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def _is_accepted(walk: Walk, gain: float, temperature: float) -> bool:
    """Whether a change is made; a number is drawn for gains, too, so that no tie shifts the draws after it."""
    return _uniform(walk.random) < math.exp(min(gain, 0.0) / temperature)


@compiled
def _add(context: ScoreContext, walk: Walk, i: int, j: int, temperature: float) -> tuple[int, float]:
    """Propose the edge i → j."""
    if (
        not walk.graph.allowed[i * walk.graph.n_variables + j]
        or walk.n_parents[j] >= walk.graph.max_parents
        or has_path(walk, j, i)
    ):
        return ILLEGAL, 0.0
    at_j = score_with(context, walk, j, i, walk.trial)
    gain = at_j - walk.graph.family[j]
    if not _is_accepted(walk, gain, temperature):
        return REFUSED, 0.0
    join(walk, i, j)
    walk.graph.family[j] = at_j
    return MADE, gain


@compiled
def _delete(context: ScoreContext, walk: Walk, i: int, j: int, temperature: float) -> tuple[int, float]:
    """Propose that the edge i → j goes."""
    if walk.graph.required[i * walk.graph.n_variables + j]:
        return ILLEGAL, 0.0
    at_j = score_without(context, walk, j, i, walk.trial)
    gain = at_j - walk.graph.family[j]
    if not _is_accepted(walk, gain, temperature):
        return REFUSED, 0.0
    part(walk, i, j)
    walk.graph.family[j] = at_j
    return MADE, gain


@compiled
def _reverse(context: ScoreContext, walk: Walk, i: int, j: int, temperature: float) -> tuple[int, float]:
    """Propose j → i instead of i → j."""
    n = walk.graph.n_variables
    if (
        walk.graph.required[i * n + j]
        or not walk.graph.allowed[j * n + i]
        or walk.n_parents[i] >= walk.graph.max_parents
    ):
        return ILLEGAL, 0.0
    flip(walk, i, j)
    closes_cycle = has_path(walk, i, j)
    flip(walk, i, j)
    if closes_cycle:
        return ILLEGAL, 0.0
    at_j = score_without(context, walk, j, i, walk.trial)
    at_i = score_with(context, walk, i, j, walk.other)
    gain = at_j - walk.graph.family[j] + at_i - walk.graph.family[i]
    if not _is_accepted(walk, gain, temperature):
        return REFUSED, 0.0
    part(walk, i, j)
    join(walk, j, i)
    walk.graph.family[i], walk.graph.family[j] = at_i, at_j
    return MADE, gain


@compiled
def _exchange(context: ScoreContext, walk: Walk, i: int, j: int, k: int, temperature: float) -> tuple[int, float]:
    """Propose k → j instead of i → j: a better parent need not wait until the worse one has gone."""
    n = walk.graph.n_variables
    if (
        walk.graph.required[i * n + j]
        or not walk.graph.allowed[k * n + j]
        or joined(walk, k, j)
        or has_path(walk, j, k)
    ):
        return ILLEGAL, 0.0
    at_j = score_exchanged(context, walk, j, i, k, walk.trial)
    gain = at_j - walk.graph.family[j]
    if not _is_accepted(walk, gain, temperature):
        return REFUSED, 0.0
    part(walk, i, j)
    join(walk, k, j)
    walk.graph.family[j] = at_j
    return MADE, gain


@compiled
def _draw_single_edge(walk: Walk) -> tuple[int, int, int, int]:
    """One of the single-edge changes, all equally likely: its kind, and the edge i → j."""
    i = int(_uniform(walk.random) * walk.graph.n_variables)
    j = int(_uniform(walk.random) * walk.graph.n_variables)
    second = _uniform(walk.random) < 0.5
    if i == j or joined(walk, j, i):
        return NOTHING, i, j, -1
    if joined(walk, i, j):
        return DELETE if second else REVERSE, i, j, -1
    return NOTHING if second else ADD, i, j, -1


@compiled
def _draw_any(walk: Walk) -> tuple[int, int, int, int]:
    """A third each: an addition or deletion, a reversal, an exchange; its kind, the edge i → j, and the new parent k.

    The number of edges stays what it is in a reversal and an exchange, so an edge may be drawn from the list.
    """
    kind = int(_uniform(walk.random) * 3.0)
    if kind == 0:
        i = int(_uniform(walk.random) * walk.graph.n_variables)
        j = int(_uniform(walk.random) * walk.graph.n_variables)
        if i == j or joined(walk, j, i):
            return NOTHING, i, j, -1
        return DELETE if joined(walk, i, j) else ADD, i, j, -1
    if walk.n_edges[0] == 0:
        return NOTHING, -1, -1, -1
    edge = walk.edges[int(_uniform(walk.random) * walk.n_edges[0])]
    i, j = edge // walk.graph.n_variables, edge % walk.graph.n_variables
    if kind == 1:
        return REVERSE, i, j, -1
    return EXCHANGE, i, j, int(_uniform(walk.random) * walk.graph.n_variables)


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
        kind, i, j, k = _draw_any(walk) if exchanges else _draw_single_edge(walk)
        outcome, gain = ILLEGAL, 0.0
        if kind == ADD:
            outcome, gain = _add(context, walk, i, j, temperature)
        elif kind == DELETE:
            outcome, gain = _delete(context, walk, i, j, temperature)
        elif kind == REVERSE:
            outcome, gain = _reverse(context, walk, i, j, temperature)
        elif kind == EXCHANGE:
            outcome, gain = _exchange(context, walk, i, j, k, temperature)
        proposals += outcome != ILLEGAL
        accepted += outcome == MADE
        gained += gain
    return gained, accepted
