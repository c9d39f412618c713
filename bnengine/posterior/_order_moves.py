"""Moves of a Markov chain over orderings of the variables.

The weight of an ordering is the product over the children of the total weight of the parent sets among what stands
before each (Friedman & Koller 2003), here one look-up (see ``parent_set_tables``).
A child's *mask* holds the candidates that stand before it; moving two variables past each other changes at most one bit
of either mask.

Several orderings move at once on a ladder: rung 0 has the posterior, the others its powers below 1, which cross the
valleys between orderings that fit about equally well. Neighbours exchange orderings by Metropolis' rule (Geyer 1991),
which leaves the distribution of each what it is.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from bnengine._core.arrays import FloatArray, Int8Array, Int32Array, IntArray, UInt8Array, UInt64Array
from bnengine._jit.compiled import compiled, inlined
from bnengine._jit.records import Handle, below, record, record_from, uniform

_LOOK = 256  # moves between two looks at the stop flag: well under a millisecond for a thousand variables


@record
class OrderState(NamedTuple):
    """An ordering on one rung, what its weight is made of, and what all rungs share: visits and trace."""

    sums: FloatArray  # log weight of each child given each mask; see ParentSetTables
    first_sum: IntArray  # (V + 1,)
    place: Int8Array  # (V, V) [child, parent] the parent's bit, -1 if it is no candidate
    ordering: IntArray  # (V,)
    position: IntArray  # (V,) of each variable
    masks: IntArray  # (V,) each child's candidates before it
    at: FloatArray  # (V,) each child's log weight
    relative: FloatArray  # (V,) buffer: log weight with a variable at each position
    random: UInt64Array  # (1,)
    power: FloatArray  # (1,) to which weights are raised: 1 on rung 0, less on the others
    visits: Int32Array  # how often each child had each mask, laid out as ``sums``
    trace: FloatArray  # log weight of each ordering recorded on rung 0
    stop: UInt8Array  # (1,)
    n_variables: int
    share_distant: float  # of the moves
    share_relocation: float


order_state = record_from(OrderState)


@inlined
def with_parent(state: OrderState, child: int, parent: int, mask: int) -> int:
    """Return the child's mask after the variable has come to stand before it."""
    bit = state.place[child * state.n_variables + parent]
    return mask | (1 << bit) if bit >= 0 else mask


@inlined
def without_parent(state: OrderState, child: int, parent: int, mask: int) -> int:
    """Return the child's mask after the variable has come to stand behind it."""
    bit = state.place[child * state.n_variables + parent]
    return mask & ~(1 << bit) if bit >= 0 else mask


@inlined
def log_weight(state: OrderState, child: int, mask: int) -> float:
    """Return the log of the total weight of the child's parent sets within the mask."""
    return state.sums[state.first_sum[child] + mask]  # type: ignore[no-any-return]


@compiled
def set_masks(state: OrderState) -> None:
    """Fill in positions, masks and weights of the present ordering."""
    n = state.n_variables
    for p in range(n):
        state.position[state.ordering[p]] = p
    for child in range(n):
        mask = 0
        for p in range(state.position[child]):
            mask = with_parent(state, child, state.ordering[p], mask)
        state.masks[child] = mask
        state.at[child] = log_weight(state, child, mask)


@compiled
def total_log_weight(state: OrderState) -> float:
    """Return the log weight of the ordering."""
    total = 0.0
    for v in range(state.n_variables):
        total += state.at[v]
    return total


@inlined
def _put(state: OrderState, variable: int, position: int, mask: int) -> None:
    state.ordering[position] = variable
    state.position[variable] = position
    state.masks[variable] = mask
    state.at[variable] = log_weight(state, variable, mask)


@inlined
def _accepted(state: OrderState, gain: float) -> bool:
    """Apply Metropolis' rule.

    A number is drawn for gains, too, so that the last digit of a tie shifts no draws after it.
    """
    drawn = uniform(state.random)
    return gain >= 0.0 or drawn < math.exp(gain * state.power[0])


@compiled
def swap_adjacent(state: OrderState, p: int) -> bool:
    """Propose to exchange positions p and p + 1."""
    a, b = state.ordering[p], state.ordering[p + 1]
    mask_a, mask_b = with_parent(state, a, b, state.masks[a]), without_parent(state, b, a, state.masks[b])
    gain = log_weight(state, a, mask_a) - state.at[a] + log_weight(state, b, mask_b) - state.at[b]
    if not _accepted(state, gain):
        return False
    _put(state, a, p + 1, mask_a)
    _put(state, b, p, mask_b)
    return True


@compiled
def swap_distant(state: OrderState, p: int, q: int) -> bool:
    """Propose to exchange positions p < q."""
    a, b = state.ordering[p], state.ordering[q]
    mask_a, mask_b = with_parent(state, a, b, state.masks[a]), without_parent(state, b, a, state.masks[b])
    gain = 0.0
    for k in range(p + 1, q):
        c = state.ordering[k]
        mask_a, mask_b = with_parent(state, a, c, mask_a), without_parent(state, b, c, mask_b)
        mask_c = with_parent(state, c, b, without_parent(state, c, a, state.masks[c]))
        gain += log_weight(state, c, mask_c) - state.at[c]
    gain += log_weight(state, a, mask_a) - state.at[a] + log_weight(state, b, mask_b) - state.at[b]
    if not _accepted(state, gain):
        return False
    for k in range(p + 1, q):
        c = state.ordering[k]
        _put(state, c, k, with_parent(state, c, b, without_parent(state, c, a, state.masks[c])))
    _put(state, a, q, mask_a)
    _put(state, b, p, mask_b)
    return True


@compiled
def weigh_positions(state: OrderState, a: int) -> float:
    """Return the log weight of the ordering with variable a at each position, relative to the present one.

    Returns the largest.
    """
    home, best = state.position[a], 0.0
    state.relative[home] = 0.0
    others, mask = 0.0, state.masks[a]
    for k in range(home - 1, -1, -1):
        c = state.ordering[k]
        mask = without_parent(state, a, c, mask)
        others += log_weight(state, c, with_parent(state, c, a, state.masks[c])) - state.at[c]
        state.relative[k] = others + log_weight(state, a, mask) - state.at[a]
        best = max(best, state.relative[k])
    others, mask = 0.0, state.masks[a]
    for k in range(home + 1, state.n_variables):
        c = state.ordering[k]
        mask = with_parent(state, a, c, mask)
        others += log_weight(state, c, without_parent(state, c, a, state.masks[c])) - state.at[c]
        state.relative[k] = others + log_weight(state, a, mask) - state.at[a]
        best = max(best, state.relative[k])
    return best


@compiled
def move_to(state: OrderState, a: int, position: int) -> None:
    """Take a variable out and put it back at a position."""
    home, mask = state.position[a], state.masks[a]
    for k in range(home, position):
        c = state.ordering[k + 1]
        mask = with_parent(state, a, c, mask)
        _put(state, c, k, without_parent(state, c, a, state.masks[c]))
    for k in range(home, position, -1):
        c = state.ordering[k - 1]
        mask = without_parent(state, a, c, mask)
        _put(state, c, k, with_parent(state, c, a, state.masks[c]))
    _put(state, a, position, mask)


@compiled
def relocate(state: OrderState, a: int) -> bool:
    """Draw a variable's position from its distribution given the ordering of all others (Gibbs); whether it moved."""
    n, best = state.n_variables, weigh_positions(state, a)
    total, power = 0.0, state.power[0]
    for k in range(n):
        state.relative[k] = math.exp(power * (state.relative[k] - best))
        total += state.relative[k]
    left = uniform(state.random) * total
    home = state.position[a]
    chosen = home
    for k in range(n):
        share = state.relative[k]
        if share > 0.0:
            chosen = k
        left -= share
        if left < 0.0:
            break
    if chosen == home:
        return False
    move_to(state, a, chosen)
    return True


@inlined
def _move(state: OrderState) -> None:
    """Propose one move of a kind drawn at random."""
    n, draw = state.n_variables, uniform(state.random)
    if draw < state.share_relocation:
        relocate(state, below(state.random, n))
    elif draw < state.share_relocation + state.share_distant:
        p, q = below(state.random, n), below(state.random, n - 1)
        q += q >= p
        swap_distant(state, min(p, q), max(p, q))
    else:
        swap_adjacent(state, below(state.random, n - 1))


@compiled
def _record_visit(state: OrderState, number: int) -> None:
    for v in range(state.n_variables):
        state.visits[state.first_sum[v] + state.masks[v]] += 1
    state.trace[number] = total_log_weight(state)


@compiled
def _exchange(one: OrderState, other: OrderState) -> bool:
    """Propose that the orderings on two rungs change places; where they do, the states exchange their powers."""
    gain = (one.power[0] - other.power[0]) * (total_log_weight(other) - total_log_weight(one))
    made = uniform(one.random) < math.exp(min(gain, 0.0))
    if made:
        one.power[0], other.power[0] = other.power[0], one.power[0]
    return made


@compiled
def run_moves(handles: Handle, at: IntArray, n_records: int, thin: int) -> int:
    """Record ``n_records`` orderings of rung 0, ``thin`` moves apart; returns how many were, fewer if it was stopped.

    ``at`` says which of the states is on each rung, shape (rungs,).
    """
    for number in range(n_records):
        for rung in range(at.shape[0]):
            state = order_state(handles[at[rung]])
            for move in range(thin if state.n_variables > 1 else 0):
                if move % _LOOK == 0 and state.stop[0] != 0:
                    return number
                _move(state)
        for rung in range(at.shape[0] - 1):
            if _exchange(order_state(handles[at[rung]]), order_state(handles[at[rung + 1]])):
                at[rung], at[rung + 1] = at[rung + 1], at[rung]
        _record_visit(order_state(handles[at[0]]), number)
    return n_records


@compiled
def start_from(handle: Handle) -> float:
    """Take up the ordering that was put into the state; returns its log weight."""
    state = order_state(handle)
    set_masks(state)
    return total_log_weight(state)
