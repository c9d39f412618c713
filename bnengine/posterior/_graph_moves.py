"""Moves of a Markov chain over pairs of a graph and an ordering that it fits, in which every graph counts once.

Given its graph, an ordering has the probability with which a random topological sort gives it: at each place one of
the variables is drawn whose parents have all been placed (Kahn 1962), so that it is Π 1 / a(k), where a(k) variables
are *available* for place k. These probabilities add up to 1 over the orderings of a graph, whatever their number, and
the weight of a pair, that of the graph times the probability of the ordering, sums to the weight of the graph.

A proposal has two stages (Christen & Fox 2005). First the ordering makes a move of order MCMC, which leaves the
ordering's own weight what it is (see ``_order_moves``), and each child whose mask changed draws its parents anew, only
as far as it must. What is proposed then differs from the target by Π 1 / a(k) alone, and Metropolis' rule with this
ratio decides; where it refuses, the ordering moves back.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from bnengine._core.arrays import BoolArray, FloatArray, IntArray
from bnengine._jit.compiled import Pointer, compiled, inlined, pointer_to
from bnengine._jit.records import Handle, below, record, record_from, uniform
from bnengine.posterior import _order_moves
from bnengine.posterior._order_moves import (
    OrderState,
    move_to,
    set_masks,
    swap_adjacent,
    swap_distant,
    total_log_weight,
)

#: The kinds of moves, in the order of the counters.
MOVES: tuple[str, ...] = ("adjacent swap", "distant swap", "relocation", "new parents", "new sort", "exchange")
ADJACENT, DISTANT, RELOCATION, PARENTS, SORT, EXCHANGE = 0, 1, 2, 3, 4, 5
_LOOK = 64  # moves between two looks at the stop flag: some milliseconds at most for a thousand variables
_CANCELS = 1e-6  # relative size of the difference of two sums below which its rounding error would matter


@record
class ParentSets(NamedTuple):
    """The parent sets of all children by falling weight; those that the constraints forbid are left out."""

    first_candidate: IntArray  # (V + 1,) where a child's candidates begin
    candidates: IntArray  # bit c of a child's masks stands for its candidate number c
    first_set: IntArray  # (V + 1,) where a child's sets begin
    masks: IntArray  # the candidates in each set
    weights: FloatArray  # log weight of each set, nats
    first_child: IntArray  # (V + 1,) where a variable's possible children begin
    children: IntArray


@record
class PairState(NamedTuple):
    """A graph and an ordering that it fits, on one rung."""

    order: OrderState
    sets: ParentSets
    chosen: IntArray  # (V,) the number of each child's parent set among the sorted ones
    last: IntArray  # (V,) the place of each child's last parent, -1 without parents
    available: IntArray  # (V + 1,) how many variables are available for each place
    logs: FloatArray  # (2 V + 2,) ln k at V + k; 0 for k < 1, which occurs only amid a change
    old_masks: IntArray  # (V,) what a proposal goes back to
    old_chosen: IntArray  # (V,)
    old_last: IntArray  # (V,)
    old_available: IntArray  # (V + 1,)
    tried: IntArray  # (6,) by kind of move, on rung 0
    made: IntArray  # (6,)
    share_parents: float  # of the moves
    share_sort: float


pair_state = record_from(PairState)


@compiled
def log_sort(state: PairState) -> float:
    """Return the log probability of the ordering given the graph."""
    total = 0.0
    for k in range(state.order.n_variables):
        total -= state.logs[state.order.n_variables + state.available[k]]
    return total


@compiled
def _last_place(state: PairState, child: int) -> int:
    """Return the place of the child's last parent, -1 without parents."""
    mask, c, last = state.sets.masks[state.chosen[child]], state.sets.first_candidate[child], -1
    while mask:
        if mask & 1:
            last = max(last, state.order.position[state.sets.candidates[c]])
        mask >>= 1
        c += 1
    return last


@compiled
def _put_last(state: PairState, child: int) -> float:
    """Bring a child's last place up to date; returns the gain in the log probability of the ordering.

    A variable is available from the place after its last parent's, for k = #{last < k} - k of them in all.
    """
    old, new = state.last[child], _last_place(state, child)
    gain, zero = 0.0, state.order.n_variables
    for k in range(old + 1, new + 1):
        gain += state.logs[zero + state.available[k]] - state.logs[zero + state.available[k] - 1]
        state.available[k] -= 1
    for k in range(new + 1, old + 1):
        gain += state.logs[zero + state.available[k]] - state.logs[zero + state.available[k] + 1]
        state.available[k] += 1
    state.last[child] = new
    return gain


@compiled
def _set_available(state: PairState) -> None:
    """Work out last places and numbers of available variables from the graph and the ordering."""
    n = state.order.n_variables
    for k in range(n + 1):
        state.available[k] = 0
    for v in range(n):
        state.last[v] = _last_place(state, v)
        state.available[state.last[v] + 1] += 1
    running = 0
    for k in range(n):
        running += state.available[k]
        state.available[k] = running - k


@compiled
def _draw_within(state: PairState, child: int, mask: int, new: int) -> int:
    """Draw a parent set within a mask by weight; only sets with a member in ``new`` if that is not 0."""
    sets, of = state.sets, state.order
    first = of.first_sum[child]
    total = of.sums[first + mask]
    left, drawn = uniform(of.random), -1
    if new:
        left *= -math.expm1(of.sums[first + (mask & ~new)] - total)
    for f in range(sets.first_set[child], sets.first_set[child + 1]):
        if sets.masks[f] & ~mask == 0 and (new == 0 or sets.masks[f] & new != 0):
            drawn = f
            left -= math.exp(sets.weights[f] - total)
            if left < 0.0:
                break
    return drawn


@compiled
def _redraw(state: PairState, child: int, old: int, new: int) -> bool:
    """Adapt a child's parents to a new mask, as little as keeps their distribution given the mask; whether it changed.

    Parents that are no longer within the mask are drawn anew among those that stay. Then, with the share of the sets
    that touch what came to the mask, one of these takes their place. Going back takes the same steps the other way.
    """
    of, stay = state.order, old & new
    f = state.chosen[child]
    if state.sets.masks[f] & ~stay:
        f = _draw_within(state, child, stay, 0)
    if new != stay:
        first = of.first_sum[child]
        if uniform(of.random) >= math.exp(of.sums[first + stay] - of.sums[first + new]):
            f = _draw_within(state, child, new, new & ~stay)
    changed = f != state.chosen[child]
    state.chosen[child] = f
    return bool(changed)


@compiled
def _keep(state: PairState) -> None:
    """Note what a refused proposal goes back to, but for the masks."""
    n = state.order.n_variables
    for v in range(n):
        state.old_chosen[v], state.old_last[v] = state.chosen[v], state.last[v]
        state.old_available[v] = state.available[v]


@compiled
def _go_back(state: PairState) -> None:
    """Undo what ``_keep`` noted."""
    for v in range(state.order.n_variables):
        state.chosen[v], state.last[v] = state.old_chosen[v], state.old_last[v]
        state.available[v] = state.old_available[v]


@compiled
def _follow(state: PairState, low: int, high: int) -> bool:
    """Let the graph follow an ordering that changed between two places; whether Metropolis' rule accepts it."""
    of, gain = state.order, 0.0
    _keep(state)
    for p in range(low, high + 1):
        child = of.ordering[p]
        if of.masks[child] != state.old_masks[child]:
            _redraw(state, child, state.old_masks[child], of.masks[child])
            gain += _put_last(state, child)
    for child in range(of.n_variables):
        if low <= state.old_last[child] <= high:
            gain += _put_last(state, child)
    if gain >= 0.0 or uniform(of.random) < math.exp(gain):
        return True
    _go_back(state)
    return False


@compiled
def _swap(state: PairState, p: int, q: int) -> bool:
    """Propose to exchange places p < q."""
    of = state.order
    for k in range(p, q + 1):
        state.old_masks[of.ordering[k]] = of.masks[of.ordering[k]]
    if not (swap_adjacent(of, p) if q == p + 1 else swap_distant(of, p, q)):
        return False
    if _follow(state, p, q):
        return True
    b = of.ordering[p]
    move_to(of, of.ordering[q], p)
    move_to(of, b, q)
    return False


@compiled
def _relocate(state: PairState, a: int) -> bool:
    """Propose a new place for a variable, drawn from its distribution given the ordering of all others."""
    of = state.order
    home = of.position[a]
    for v in range(of.n_variables):
        state.old_masks[v] = of.masks[v]
    if not _order_moves.relocate(of, a):
        return False
    place = of.position[a]
    if _follow(state, min(home, place), max(home, place)):
        return True
    move_to(of, a, home)
    return False


@compiled
def _draw_parents(state: PairState, child: int) -> bool:
    """Draw a child's parents anew given the ordering."""
    of = state.order
    old = state.chosen[child]
    state.chosen[child] = _draw_within(state, child, of.masks[child], 0)
    if state.chosen[child] == old:
        return False
    gain = _put_last(state, child)
    if gain >= 0.0 or uniform(of.random) < math.exp(gain):
        return True
    state.chosen[child] = old
    _put_last(state, child)
    return False


@compiled
def _sort_anew(state: PairState) -> bool:
    """Sort the graph anew at random; exact where the power is 1, else a proposal."""
    of, n = state.order, state.order.n_variables
    before = total_log_weight(of)
    left, free = state.old_last, state.old_available  # parents not yet placed; the variables available
    for v in range(n):
        state.old_chosen[v] = of.ordering[v]
        left[v] = 0
        mask = state.sets.masks[state.chosen[v]]
        while mask:
            mask &= mask - 1
            left[v] += 1
    n_free = 0
    for v in range(n):
        if left[v] == 0:
            free[n_free] = v
            n_free += 1
    for place in range(n):
        k = below(of.random, n_free)
        v = free[k]
        n_free -= 1
        free[k] = free[n_free]
        of.ordering[place] = v
        for i in range(state.sets.first_child[v], state.sets.first_child[v + 1]):
            child = state.sets.children[i]
            if (state.sets.masks[state.chosen[child]] >> of.place[child * n + v]) & 1:
                left[child] -= 1
                if left[child] == 0:
                    free[n_free] = child
                    n_free += 1
    set_masks(of)
    gain = (of.power[0] - 1.0) * (total_log_weight(of) - before)
    made = gain >= 0.0 or uniform(of.random) < math.exp(gain)
    if not made:
        for p in range(n):
            of.ordering[p] = state.old_chosen[p]
        set_masks(of)
    _set_available(state)
    return made


@compiled
def make_move(state: PairState, kind: int) -> bool:
    """Propose one change of that kind; returns whether it was made."""
    of, n = state.order, state.order.n_variables
    if kind == ADJACENT:
        p = below(of.random, n - 1)
        return _swap(state, p, p + 1)
    if kind == DISTANT:
        p, q = below(of.random, n), below(of.random, n - 1)
        q += q >= p
        return _swap(state, min(p, q), max(p, q))
    if kind == RELOCATION:
        return _relocate(state, below(of.random, n))
    if kind == PARENTS:
        return _draw_parents(state, below(of.random, n))
    return _sort_anew(state)


@compiled
def make_moves(handle: Handle, kind: int, n_moves: int) -> int:
    """Propose so many changes of one kind; returns how many were made."""
    state, made = pair_state(handle), 0
    for _ in range(n_moves):
        made += make_move(state, kind)
    return made


@compiled
def _drawn_kind(state: PairState) -> int:
    """Draw a kind of move by its share; what is left are adjacent swaps, of which few variables may have none."""
    of = state.order
    u = uniform(of.random)
    if u < state.share_parents:
        return PARENTS
    u -= state.share_parents
    if u < state.share_sort:
        return SORT
    u -= state.share_sort
    if u < of.share_relocation:
        return RELOCATION
    return DISTANT if u < of.share_relocation + of.share_distant else ADJACENT


@compiled
def log_weight(state: PairState) -> float:
    """Return the log weight of the graph times the probability of the ordering, nats."""
    total = log_sort(state)
    for v in range(state.order.n_variables):
        total += state.sets.weights[state.chosen[v]]
    return total


@compiled
def _exchange(one: PairState, other: PairState) -> bool:
    """Propose that the pairs on two rungs change places; where they do, the states exchange their powers."""
    a, b = one.order, other.order
    gain = (a.power[0] - b.power[0]) * (total_log_weight(b) - total_log_weight(a))
    made = uniform(a.random) < math.exp(min(gain, 0.0))
    if made:
        a.power[0], b.power[0] = b.power[0], a.power[0]
    one.tried[EXCHANGE] += 1
    one.made[EXCHANGE] += made
    return made


@inlined
def _share_without(of: OrderState, first: int, mask: int, last: int, total: float) -> float:
    """Return the share of ``exp(total)`` of the sets within a mask that have the last parent."""
    return math.exp(of.sums[first + mask] - total) - math.exp(of.sums[first + (mask & ~last)] - total)


@compiled
def _add_edges(state: PairState, mean: Pointer, square: Pointer) -> None:
    """Add the probability of each edge given the ordering and each child's last parent to ``mean``, its square too."""
    of, sets, n = state.order, state.sets, state.order.n_variables
    for child in range(n):
        if state.last[child] < 0:
            continue
        begin, first = sets.first_candidate[child], of.first_sum[child]
        mask, last = 0, 0
        for c in range(sets.first_candidate[child + 1] - begin):
            place = of.position[sets.candidates[begin + c]]
            mask |= int(place <= state.last[child]) << c
            last |= int(place == state.last[child]) << c
        total = of.sums[first + mask]
        all_sets = _share_without(of, first, mask, last, total)
        chosen = sets.masks[state.chosen[child]]
        for c in range(sets.first_candidate[child + 1] - begin):
            bit = 1 << c
            if mask & bit:
                share = 1.0
                if all_sets < _CANCELS:
                    share = 1.0 if chosen & bit else 0.0
                elif last != bit:
                    share = 1.0 - min(_share_without(of, first, mask & ~bit, last, total) / all_sets, 1.0)
                at = sets.candidates[begin + c] * n + child
                mean[at] += share
                square[at] += share * share


@compiled
def run_pairs(
    handles: Handle, at: IntArray, n_records: int, thin: int, trace: FloatArray, mean: FloatArray, square: FloatArray
) -> int:
    """Record ``n_records`` pairs of rung 0, ``thin`` moves apart; returns how many were, fewer if it was stopped.

    ``at`` says which of the states is on each rung, shape (rungs,). The probabilities of the edges given each pair and
    their squares are added to ``mean`` and ``square``, (V, V).
    """
    for number in range(n_records):
        for rung in range(at.shape[0]):
            state = pair_state(handles[at[rung]])
            for move in range(thin if state.order.n_variables > 1 else 0):
                if move % _LOOK == 0 and state.order.stop[0] != 0:
                    return number
                kind = _drawn_kind(state)
                made = make_move(state, kind)
                if rung == 0:
                    state.tried[kind] += 1
                    state.made[kind] += made
        for rung in range(at.shape[0] - 1):
            if _exchange(pair_state(handles[at[rung]]), pair_state(handles[at[rung + 1]])):
                at[rung], at[rung + 1] = at[rung + 1], at[rung]
        state = pair_state(handles[at[0]])
        _add_edges(state, pointer_to(mean), pointer_to(square))
        trace[number] = log_weight(state)
    return n_records


@compiled
def take_up(handle: Handle) -> None:
    """Take up the ordering and the graph that were put into the state."""
    state = pair_state(handle)
    set_masks(state.order)
    _set_available(state)


@compiled
def log_weight_of(handle: Handle) -> float:
    """Return the log weight of the pair, nats."""
    return log_weight(pair_state(handle))


@compiled
def start_from(handle: Handle) -> float:
    """Take up the ordering that was put into the state, with a graph drawn given it; the ordering's log weight."""
    state = pair_state(handle)
    set_masks(state.order)
    total = total_log_weight(state.order)
    if total > -math.inf:
        for v in range(state.order.n_variables):
            state.chosen[v] = _draw_within(state, v, state.order.masks[v], 0)
        _set_available(state)
    return total


@compiled
def write_graph(handle: Handle, heaviest: bool, adjacency: BoolArray) -> float:
    """Write the graph, or the heaviest one that fits the ordering, to ``adjacency``, (V, V); returns its log weight.

    The sum of the local scores with structure prior, nats.
    """
    state, total = pair_state(handle), 0.0
    sets = state.sets
    adjacency[:] = False
    for child in range(state.order.n_variables):
        f = sets.first_set[child] if heaviest else state.chosen[child]
        while sets.masks[f] & ~state.order.masks[child]:
            f += 1
        total += sets.weights[f]
        mask, c = sets.masks[f], sets.first_candidate[child]
        while mask:
            if mask & 1:
                adjacency[sets.candidates[c], child] = True
            mask >>= 1
            c += 1
    return total
