"""A Markov chain over orderings of the variables (Friedman & Koller 2003), advanced batch by batch, and its moves.

The weight of an ordering is the product over the children of the total weight of the parent sets among what stands
before each, here one look-up (see ``parent_set_tables``). A child's *mask* holds the candidates that stand before it;
moving two variables past each other changes at most one bit of either mask.

Several orderings move at once on a ladder: rung 0 has the posterior, the others its powers below 1, which cross the
valleys between orderings that fit about equally well. Neighbours exchange orderings by Metropolis' rule (Geyer 1991),
which leaves the distribution of each what it is.
"""

from __future__ import annotations

import copy
import heapq
import math
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple, Self

import numpy as np

from bnengine._core.arrays import FloatArray, Int32Array, IntArray, UInt8Array, UInt64Array
from bnengine._jit.compiled import compiled, inlined
from bnengine._jit.records import (
    Handle,
    allocate,
    below,
    draw_place,
    handle_of,
    random_state,
    record,
    record_from,
    uniform,
)
from bnengine.graphs.constraints import SearchSpace
from bnengine.posterior.chain import Batch, Plan
from bnengine.posterior.parent_set_tables import ParentSetTables

# Edge probabilities and graphs given orderings that a chain has visited.


@compiled
def edge_means(handle: Handle, visited: Int32Array, mean: FloatArray, square: FloatArray) -> None:
    """Fill in means over the orderings recorded of P(j → i | ordering) and its square, (V, V) each.

    ``visited`` are the masks of each child in them, in numeric order, shape (V, records). The parent sets of i that
    contain j have the share 1 - Z(m without j) / Z(m) of all those within the mask m.
    """
    of, n = order_state(handle), visited.shape[1]
    mean[:], square[:] = 0.0, 0.0
    for child in range(of.n_variables):
        first, candidates, times = of.first_sum[child], child * of.most_candidates, 0
        n_candidates = of.n_candidates[child]
        for number in range(n):
            mask, times = visited[child, number], times + 1
            if number + 1 < n and visited[child, number + 1] == mask:
                continue
            for c in range(n_candidates):
                if (mask >> c) & 1:
                    share = -math.expm1(of.sums[first + (mask ^ (1 << c))] - of.sums[first + mask])
                    mean[of.candidates[candidates + c], child] += times * share
                    square[of.candidates[candidates + c], child] += times * share * share
            times = 0
        for c in range(n_candidates):
            mean[of.candidates[candidates + c], child] /= n
            square[of.candidates[candidates + c], child] /= n


@compiled
def draw_parent_sets(handle: Handle, drawn: IntArray, best: IntArray) -> float:
    """Draw for each child a parent set within its mask, by weight, and find the heaviest one.

    Returns the log weight of the heaviest graph.
    """
    of, of_best = order_state(handle), 0.0
    for child in range(of.n_variables):
        first, mask = of.first_weight[child], of.masks[child]
        total = log_weight(of, child, mask)
        left, chosen, heaviest = uniform(of.random), -1, -1
        for s in range(of.n_sets[child]):
            weight = of.weights[first + s]
            if of.sets[s] & ~mask != 0 or weight == -np.inf:
                continue
            if heaviest < 0 or weight > of.weights[first + heaviest]:
                heaviest = s
            if left >= 0.0:
                chosen = s
                left -= math.exp(weight - total)
        drawn[child], best[child] = chosen, heaviest
        of_best += of.weights[first + heaviest]
    return of_best


_DISTANT = 0.1  # share of the moves
_RELOCATIONS = 2.0  # for every V moves: one costs about as much as V others
_HOTTEST = 0.2  # power of the last rung
_RUNGS = 0.7  # per root of the number of variables


def n_rungs(n_variables: int) -> int:
    """Return how many orderings a chain moves at once."""
    return max(2, round(_RUNGS * math.sqrt(n_variables)))


def handles_of(states: Sequence[OrderState]) -> Any:
    """Return the handles of several states, as compiled code indexes them."""
    handles = [handle_of(state) for state in states]
    return np.array(handles) if isinstance(handles[0], np.ndarray) else handles


def start_all(states: Sequence[OrderState]) -> None:
    """Take up the orderings that were put into the states; a ValueError if one has no weight."""
    if not all(np.isfinite(start_from(handle_of(state))) for state in states):
        raise ValueError(
            "no graph among the candidate parents satisfies the constraints in the ordering to start from: raise "
            "max_parents or candidates"
        )


def fields_of(tables: ParentSetTables) -> dict[str, Any]:
    """Return what a state has of the tables."""
    same = ("sums", "first_sum", "candidates", "n_candidates", "n_sets", "weights", "first_weight")
    bit = np.where(tables.place >= 0, 1 << np.maximum(tables.place, 0), 0).astype(np.int32)
    found = {name: getattr(tables, name) for name in same} | {"bit": bit, "bit_in": np.ascontiguousarray(bit.T)}
    return found | {"sets": tables.masks, "most_candidates": tables.candidates.shape[1]}


class OrderChain:
    """A chain over orderings.

    Parameters
    ----------
    tables : ParentSetTables
    orderings : sequences of int
        To start from, one for each rung; the last one for those that have none.
    rng : Generator
    stop : ndarray of uint8, shape (1,)
        Set to 1 by another thread to end a batch early.

    Raises
    ------
    ValueError
        If the ordering has no weight.
    """

    def __init__(
        self, tables: ParentSetTables, orderings: Sequence[Sequence[int]], rng: np.random.Generator, stop: UInt8Array
    ) -> None:
        n = tables.n_variables
        self.tables = tables
        powers = np.geomspace(1.0, _HOTTEST, n_rungs(n))
        shared = fields_of(tables)
        self._at = np.arange(len(powers))
        #: One for each rung, in no order.
        self.states = [
            allocate(
                OrderState,
                **shared,
                ordering=np.array(orderings[min(rung, len(orderings) - 1)], dtype=np.int64),
                random=random_state(rng),
                power=np.array([power]),
                stop=stop,
                n_variables=n,
                share_distant=_DISTANT,
                share_relocation=min(_RELOCATIONS / max(n, 1), 0.5),
            )
            for rung, power in enumerate(powers)
        ]
        start_all(self.states)

    @property
    def _cold(self) -> OrderState:
        """The state on rung 0."""
        return self.states[int(self._at[0])]

    @property
    def orderings(self) -> list[list[int]]:
        """The present ordering of each rung: columns from first to last."""
        return [self.states[int(state)].ordering.tolist() for state in self._at]

    def with_tables(self, tables: ParentSetTables) -> Self:
        """Return the chain in the same state with other tables; without weights it must not move."""
        chain, shared = copy.copy(self), fields_of(tables)
        chain.tables, chain.states = tables, [state._replace(**shared) for state in self.states]
        if len(tables.sums):
            start_all(chain.states)
        return chain

    def advance(self, plan: Plan) -> Batch | None:
        """Run for one batch of the plan; None if the chain was stopped before it recorded anything."""
        n = self.tables.n_variables
        written, masks = np.zeros(plan.records_per_graph), np.zeros((plan.records_per_graph, n), dtype=np.int32)
        states = [state._replace(trace=written, visited=masks) for state in self.states]
        trace, visited, draws = [], [], []
        handles = handles_of(states)
        for _ in range(plan.graphs_per_batch):
            recorded = run_moves(handles, self._at, plan.records_per_graph, plan.thin)
            trace.append(written[:recorded].copy())
            visited.append(masks[:recorded].T.copy())
            if recorded:
                draws.append(self._draw(handles[self._at[0]]))
            if recorded < plan.records_per_graph:
                break
        if not draws:
            return None
        mean, square = np.zeros((n, n)), np.zeros((n, n))
        edge_means(handles[self._at[0]], np.sort(np.concatenate(visited, axis=1)), mean, square)
        edges = np.flatnonzero(self.tables.place.T >= 0)
        log_weights, (graphs, best, weights, orderings) = np.concatenate(trace), zip(*draws, strict=True)
        return Batch(
            n_records=len(log_weights),
            edges=edges,
            of_edges=np.array([mean.reshape(-1)[edges], square.reshape(-1)[edges]]),
            besides=np.broadcast_to(0.0, (n, n)),
            trace=log_weights,
            graphs=np.array(graphs),
            orderings=np.array(orderings, dtype=np.int32),
            best_graph=best[int(np.argmax(weights))],
        )

    def _draw(self, cold: Handle) -> tuple[UInt8Array, UInt8Array, float, IntArray]:
        """Draw a graph given the ordering; return it, the heaviest graph, its log weight, and the ordering."""
        tables, state = self.tables, self._cold
        drawn, best = np.empty_like(state.masks), np.empty_like(state.masks)
        of_best = draw_parent_sets(cold, drawn, best)
        return packed_graph(tables, drawn), packed_graph(tables, best), of_best, state.ordering.copy()


def packed_graph(tables: ParentSetTables, sets: IntArray) -> UInt8Array:
    """Return the packed adjacency matrix of a graph given by the number of each child's parent set."""
    n = tables.n_variables
    adjacency = np.zeros((n, n), dtype=np.bool_)
    chosen = (tables.masks[sets][:, None] >> np.arange(tables.candidates.shape[1])) & 1 == 1
    children, places = np.nonzero(chosen)
    adjacency[tables.candidates[children, places], children] = True
    return np.packbits(adjacency)


def ordering_near(preferred: Sequence[int], space: SearchSpace) -> list[int]:
    """Return the ordering nearest to a preferred one in which required edges point forward."""
    rank, waiting, ordering = np.argsort(preferred).tolist(), space.required.sum(axis=0).tolist(), []
    children: list[list[int]] = [[] for _ in rank]
    for parent, child in np.argwhere(space.required).tolist():
        children[parent].append(child)
    ready = [rank[v] for v in preferred if waiting[v] == 0]
    heapq.heapify(ready)
    while ready:
        ordering.append(int(preferred[heapq.heappop(ready)]))
        for child in children[ordering[-1]]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, rank[child])
    return ordering


# The moves, in compiled code.

_LOOK = 256  # moves between two looks at the stop flag: well under a millisecond for a thousand variables


@record
class OrderState(NamedTuple):
    """An ordering on one rung, what its weight is made of, and what all rungs share: tables, and what is recorded."""

    sums: FloatArray  # log weight of each child given each mask; see ParentSetTables
    first_sum: IntArray  # (V + 1,)
    bit: Int32Array  # (V, V) [child, parent] the parent's bit in the child's mask, 0 if it is no candidate
    bit_in: Int32Array  # (V, V) [parent, child] the same, so that what a loop reads stands side by side
    candidates: IntArray  # (V, K) of each child
    n_candidates: IntArray  # (V,)
    sets: IntArray  # the parent sets, as masks; of a child the first ``n_sets``
    n_sets: IntArray  # (V,)
    weights: FloatArray  # log weight of each child's sets
    first_weight: IntArray  # (V + 1,)
    most_candidates: int  # K
    ordering: IntArray  # (V,)
    position: Annotated[IntArray, "n_variables"]  # of each variable
    masks: Annotated[IntArray, "n_variables"]  # each child's candidates before it
    at: Annotated[FloatArray, "n_variables"]  # each child's log weight
    relative: Annotated[FloatArray, "n_variables"]  # buffer: log weight with a variable at each position
    random: UInt64Array  # (1,)
    power: FloatArray  # (1,) to which weights are raised: 1 on rung 0, less on the others
    trace: Annotated[FloatArray, "0"]  # log weight of each ordering recorded on rung 0
    visited: Annotated[Int32Array, "0, n_variables"]  # (records, V) its masks
    stop: UInt8Array  # (1,)
    n_variables: int
    share_distant: float  # of the moves
    share_relocation: float


order_state = record_from(OrderState)


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
            mask = mask | state.bit[child * n + state.ordering[p]]
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
def _gain(state: OrderState, child: int, mask: int) -> float:
    """Return by how much another mask changes the child's log weight."""
    return log_weight(state, child, mask) - state.at[child]  # type: ignore[no-any-return]


@inlined
def _accepted(state: OrderState, gain: float) -> bool:
    """Apply Metropolis' rule.

    A number is drawn for gains, too, so that the last digit of a tie shifts no draws after it.
    """
    drawn = uniform(state.random)
    return gain >= 0.0 or drawn < math.exp(gain * state.power[0])


@compiled
def swap(state: OrderState, p: int, q: int) -> bool:
    """Propose to exchange positions p < q."""
    a, b = state.ordering[p], state.ordering[q]
    of_a, of_b = a * state.n_variables, b * state.n_variables
    mask_a, mask_b = state.masks[a] | state.bit[of_a + b], state.masks[b] & ~state.bit[of_b + a]
    gain = 0.0
    for k in range(p + 1, q):
        c = state.ordering[k]
        mask_a, mask_b = mask_a | state.bit[of_a + c], mask_b & ~state.bit[of_b + c]
        gain += _gain(state, c, state.masks[c] & ~state.bit_in[of_a + c] | state.bit_in[of_b + c])
    gain += _gain(state, a, mask_a) + _gain(state, b, mask_b)
    if not _accepted(state, gain):
        return False
    for k in range(p + 1, q):
        c = state.ordering[k]
        _put(state, c, k, state.masks[c] & ~state.bit_in[of_a + c] | state.bit_in[of_b + c])
    _put(state, a, q, mask_a)
    _put(state, b, p, mask_b)
    return True


@compiled
def weigh_positions(state: OrderState, a: int) -> float:
    """Return the log weight of the ordering with variable a at each position, relative to the present one.

    Returns the largest.
    """
    home, best, of_a = state.position[a], 0.0, a * state.n_variables
    state.relative[home] = 0.0
    others, mask = 0.0, state.masks[a]
    for k in range(home - 1, -1, -1):
        c = state.ordering[k]
        mask = mask & ~state.bit[of_a + c]
        others += _gain(state, c, state.masks[c] | state.bit_in[of_a + c])
        state.relative[k] = others + _gain(state, a, mask)
        best = max(best, state.relative[k])
    others, mask = 0.0, state.masks[a]
    for k in range(home + 1, state.n_variables):
        c = state.ordering[k]
        mask = mask | state.bit[of_a + c]
        others += _gain(state, c, state.masks[c] & ~state.bit_in[of_a + c])
        state.relative[k] = others + _gain(state, a, mask)
        best = max(best, state.relative[k])
    return best


@compiled
def move_to(state: OrderState, a: int, position: int) -> None:
    """Take a variable out and put it back at a position."""
    home, mask, of_a = state.position[a], state.masks[a], a * state.n_variables
    for k in range(home, position):
        c = state.ordering[k + 1]
        mask = mask | state.bit[of_a + c]
        _put(state, c, k, state.masks[c] & ~state.bit_in[of_a + c])
    for k in range(home, position, -1):
        c = state.ordering[k - 1]
        mask = mask & ~state.bit[of_a + c]
        _put(state, c, k, state.masks[c] | state.bit_in[of_a + c])
    _put(state, a, position, mask)


@compiled
def relocate(state: OrderState, a: int) -> bool:
    """Draw a variable's position from its distribution given the ordering of all others (Gibbs); whether it moved."""
    n, best = state.n_variables, weigh_positions(state, a)
    power, weight, share = state.power[0], -math.inf, 0.0
    for k in range(n):
        if state.relative[k] != weight:  # few positions weigh otherwise than the one before
            weight = state.relative[k]
            share = math.exp(power * (weight - best))
        state.relative[k] = share
    chosen = draw_place(state.random, state.relative, n)
    if chosen < 0 or chosen == state.position[a]:
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
        swap(state, min(p, q), max(p, q))
    else:
        p = below(state.random, n - 1)
        swap(state, p, p + 1)


@compiled
def _record_visit(state: OrderState, number: int) -> None:
    for v in range(state.n_variables):
        state.visited[number * state.n_variables + v] = state.masks[v]
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
