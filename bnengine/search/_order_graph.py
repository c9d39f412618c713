"""The best ordering of variables, each of which takes its best parent set among those before it: two ways to find it.

Few variables: all sets of them. More: branch and bound over those sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bnengine._core.arrays import FloatArray, Int8Array, IntArray, UInt8Array
from bnengine._jit.compiled import Pointer, compiled, inlined, pointer_to
from bnengine._jit.records import Handle, handle_of, record, record_from
from bnengine.search._parent_sets import ParentSets


@inlined
def _best_within(masks: Pointer, scores: Pointer, first: int, end: int, available: int) -> float:
    """Return the score of the first set of a list, which is sorted, with no member that is not available."""
    for i in range(first, end):
        if masks[i] & ~available == 0:
            return scores[i]  # type: ignore[no-any-return]
    return -np.inf


def _joined(candidates: Sequence[ParentSets]) -> tuple[IntArray, FloatArray, IntArray]:
    """Return the lists one after the other: masks, scores, and where each list begins, shape (n + 1,)."""
    first = np.concatenate([[0], np.cumsum([len(sets.masks) for sets in candidates])]).astype(np.int64)
    return np.concatenate([sets.masks for sets in candidates]), np.concatenate([s.scores for s in candidates]), first


# The best ordering by going through all sets of variables (Silander & Myllymäki 2006): the best score of each is that
# of a smaller set and a last variable, which takes its best parent set within the smaller one.


@compiled
def _best_of_each_set(masks: IntArray, scores: FloatArray, first: IntArray, best: FloatArray, stop: UInt8Array) -> None:
    """Fill in for each set of variables the best score of a graph over it; end early when ``stop`` is set."""
    masks_at, scores_at, n_variables = pointer_to(masks), pointer_to(scores), first.shape[0] - 1
    for number in range(best.shape[0] - 1):
        if stop[0] != 0:
            return
        for v in range(n_variables):
            if (number >> v) & 1 == 0:
                score = best[number] + _best_within(masks_at, scores_at, first[v], first[v + 1], number)
                if score > best[number | (1 << v)]:
                    best[number | (1 << v)] = score


def best_ordering_of_all(candidates: Sequence[ParentSets], margin: float, stop: UInt8Array) -> list[int] | None:
    """Return the best ordering of all; of last variables that tie, to ``margin``, the first column; None if stopped."""
    best = np.full(1 << len(candidates), -np.inf)
    best[0] = 0.0
    _best_of_each_set(*_joined(candidates), best, stop)
    return None if stop[0] else _read_off(candidates, best, margin)


def _read_off(candidates: Sequence[ParentSets], best: FloatArray, margin: float) -> list[int]:
    """Return the ordering from the scores of all sets, last variable first."""
    ordering: list[int] = []
    left = len(best) - 1
    while left:
        members = [v for v in range(len(candidates)) if left >> v & 1]
        scores = [best[left ^ (1 << v)] + candidates[v].best_score(left ^ (1 << v)) for v in members]
        last = next(v for v, score in zip(members, scores, strict=True) if score >= max(scores) - margin)
        ordering.append(last)
        left ^= 1 << last
    return ordering[::-1]


# Branch and bound over the order graph, whose nodes are sets of variables.
#
# From the empty set to the set of all, each step adds the variable that is next in the ordering (Yuan & Malone 2013).
# Breadth first (Malone, Yuan, Hansen & Bridges 2011), so that only the present layer's scores are held; a set is left
# out when its score and an upper bound of what may still come stay below a graph that is known. Such graphs come from
# going through the layers with but the most promising sets kept; the width grows until none had to be dropped, and that
# proves the best one.


class Table(NamedTuple):
    """Sets of variables by their keys, hashed: mask (-1 marks a free place), best score, last variable."""

    keys: IntArray
    values: FloatArray
    sinks: Int8Array


@compiled
def slot_of(key: int, keys: Pointer, n_slots: int) -> int:
    """Return the place of a key in the table, or the free one where it is to go."""
    slot = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & (n_slots - 1)
    while keys[slot] >= 0 and keys[slot] != key:
        slot = (slot + 1) & (n_slots - 1)
    return slot  # type: ignore[return-value]


def empty_table(n_slots: int) -> Table:
    """Allocate a table for that many sets."""
    return Table(np.full(n_slots, -1, dtype=np.int64), np.empty(n_slots), np.empty(n_slots, dtype=np.int8))


_FIRST_WIDTH, _WIDENING = 1 << 10, 32
_LARGEST_GROUP = 20  # variables of one table of bounds, a million numbers
_BYTES_A_NODE = 150  # in the present layer, and in the next with room to grow
_BYTES_A_STEP = 9  # for each layer that a node was in: the set and its last variable


@record
class Piece(NamedTuple):
    """Candidate parent sets of the variables of one piece, list after list, and the tables of bounds."""

    masks: IntArray
    scores: FloatArray
    first: IntArray  # (n + 1,) where each variable's list begins
    bounds: FloatArray  # for each group of neighbouring variables, one for each of its subsets
    groups: IntArray  # (groups + 1,) the first variable of each
    starts: IntArray  # (groups,) where each group's bounds begin
    n_groups: int
    n_variables: int


#: The piece behind the handle that compiled functions are called with.
_piece_from = record_from(Piece)


@compiled
def _fill_bounds(
    masks: IntArray, scores: FloatArray, first: IntArray, low: int, size: int, n_variables: int, out: FloatArray
) -> None:
    """Fill in for each subset of a group the most that it can score once all outside the subset are placed.

    A static pattern database (Yuan & Malone 2012): cycles within the group are excluded, others are not.
    """
    masks_at, scores_at = pointer_to(masks), pointer_to(scores)
    out[0] = 0.0
    for subset in range(1, 1 << size):
        available = ((1 << n_variables) - 1) ^ (subset << low)
        out[subset] = -np.inf
        for j in range(size):
            if (subset >> j) & 1:
                v = low + j
                rest = out[subset ^ (1 << j)]
                value = rest + _best_within(masks_at, scores_at, first[v], first[v + 1], available)
                if value > out[subset]:
                    out[subset] = value


@inlined
def _bound(piece: Piece, left: int) -> float:
    """Return the most that the variables left can score."""
    total, groups = 0.0, piece.groups
    for g in range(piece.n_groups):
        total += piece.bounds[piece.starts[g] + ((left >> groups[g]) & ((1 << (groups[g + 1] - groups[g])) - 1))]
    return total


@compiled
def _enter_all(
    piece_handle: Handle,
    nodes: IntArray,
    reached: FloatArray,
    floor: float,
    margin: float,
    keys: IntArray,
    values: FloatArray,
    sinks: Int8Array,
    stop: UInt8Array,
) -> bool:
    """Enter all sets of one more variable than the nodes whose bound is not below ``floor``.

    Returns whether all were entered before the table was more than half full, or the search stopped.
    """
    piece, keys_at, n_slots = _piece_from(piece_handle), pointer_to(keys), keys.shape[0]
    masks, scores, first, n_variables = piece.masks, piece.scores, piece.first, piece.n_variables
    everything, n_entered = (1 << n_variables) - 1, 0
    for node in range(nodes.shape[0]):
        if stop[0] != 0:
            return False
        here = nodes[node]
        only = -1
        for v in range(n_variables):  # one that can have its best parents of all is as well placed now
            if not (here >> v) & 1 and masks[first[v]] & ~here == 0:
                only = v
                break
        for v in range(n_variables):
            if (here >> v) & 1 or (only >= 0 and v != only):
                continue
            key = here | (1 << v)
            value = reached[node] + _best_within(masks, scores, first[v], first[v + 1], here)
            if value + _bound(piece, everything ^ key) < floor:
                continue
            slot = slot_of(key, keys_at, n_slots)
            if keys[slot] < 0:
                keys[slot], values[slot], sinks[slot] = key, value, v
                n_entered += 1
                if 2 * n_entered > n_slots:
                    return False
                continue
            old = values[slot]
            if value > old:
                values[slot] = value
            if value > old + margin or (value >= old - margin and v < sinks[slot]):
                sinks[slot] = v
    return True


def _next_layer(
    piece: Piece, nodes: IntArray, reached: FloatArray, floor: float, margin: float, most: int, stop: UInt8Array
) -> Table:
    """Return a table of the sets of one more variable whose bound reaches ``floor``; empty if stopped or too many."""
    handle, n_slots = handle_of(piece), max(64, 1 << (2 * len(nodes) - 1).bit_length())
    while not stop[0]:
        table = empty_table(n_slots)
        if _enter_all(handle, nodes, reached, floor, margin, *table, stop):
            return table
        if n_slots > 2 * most:
            break
        n_slots *= 2
    return empty_table(0)


def _grouped(candidates: Sequence[ParentSets]) -> list[list[int]]:
    """Return the variables in groups of limited size, those that can be each other's parents to most gain together."""
    n = len(candidates)
    gain = np.zeros((n, n))
    everything = (1 << n) - 1
    for child, sets in enumerate(candidates):
        for v in range(n):
            without = sets.best_score(everything ^ (1 << v))
            gain[v, child] = sets.scores[0] - without if np.isfinite(without) else 0.0
    gain = np.minimum(gain, gain.T)  # a cycle of two loses at least the smaller of its two gains
    n_groups = -(-n // _LARGEST_GROUP)
    most = -(-n // n_groups)
    groups = [[v] for v in range(n)]
    while len(groups) > n_groups:
        pairs = [(i, j) for i in range(len(groups)) for j in range(i) if len(groups[i]) + len(groups[j]) <= most]
        if not pairs:
            break
        i, j = max(pairs, key=lambda pair: gain[np.ix_(groups[pair[0]], groups[pair[1]])].sum())
        groups[j] = sorted(groups[j] + groups[i])
        del groups[i]
    return groups


def _piece(candidates: Sequence[ParentSets], groups: Sequence[Sequence[int]]) -> Piece:
    """Return the lists with variables renumbered so that groups are neighbours, and the tables of bounds."""
    order = [v for group in groups for v in group]
    masks = [
        np.sum([((candidates[v].masks >> old) & 1) << new for new, old in enumerate(order)], axis=0) for v in order
    ]
    flat, scores, first = _joined([ParentSets(m, candidates[v].scores) for m, v in zip(masks, order, strict=True)])
    sizes = [len(group) for group in groups]
    lows = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    tables = [np.empty(1 << size) for size in sizes]
    for low, size, table in zip(lows.tolist(), sizes, tables, strict=False):
        _fill_bounds(flat, scores, first, low, size, len(order), table)
    starts = np.concatenate([[0], np.cumsum([len(table) for table in tables])[:-1]]).astype(np.int64)
    return Piece(flat, scores, first, np.concatenate(tables), lows, starts, len(sizes), len(order))


def _bounds_of(piece: Piece, nodes: IntArray) -> FloatArray:
    """Return the most that the variables outside each node can score."""
    left = ((1 << (len(piece.first) - 1)) - 1) ^ nodes
    sizes = np.diff(piece.groups)
    parts = zip(piece.starts.tolist(), piece.groups.tolist(), sizes.tolist(), strict=False)
    total: FloatArray = np.sum([piece.bounds[s + ((left >> low) & ((1 << n) - 1))] for s, low, n in parts], axis=0)
    return total


def best_ordering_by_bounds(
    candidates: Sequence[ParentSets], margin: float, max_memory: int, stop: UInt8Array | None = None
) -> list[int] | None:
    """Return the proved best ordering of the variables; None where the layers would need more memory than allowed.

    If it is stopped, the best ordering so far, or None.
    """
    stop = np.zeros(1, dtype=np.uint8) if stop is None else stop
    groups = _grouped(candidates)
    piece = _piece(candidates, groups)
    order = [v for group in groups for v in group]
    widest = max_memory // (_BYTES_A_NODE + _BYTES_A_STEP * len(order))
    floor, best, width = -np.inf, None, _FIRST_WIDTH
    while True:
        score, ordering, complete = _through_the_layers(piece, floor - margin, margin, min(width, widest), widest, stop)
        if ordering is not None and (best is None or score > floor):
            floor, best = score, ordering
        if (complete or stop[0]) and best is not None:
            return [order[v] for v in best]
        if width >= widest or stop[0]:
            return None
        width *= _WIDENING


def _through_the_layers(
    piece: Piece, floor: float, margin: float, width: int, widest: int, stop: UInt8Array
) -> tuple[float, list[int] | None, bool]:
    """Return the best score reached, its ordering if there is one, and whether no set was dropped for the width."""
    n = len(piece.first) - 1
    nodes, reached, complete = np.zeros(1, dtype=np.int64), np.zeros(1), True
    layers: list[tuple[IntArray, Int8Array]] = []
    for _ in range(n):
        table = _next_layer(piece, nodes, reached, floor, margin, widest, stop)
        used = np.flatnonzero(table.keys >= 0)
        nodes, reached, sinks = table.keys[used], table.values[used], table.sinks[used]
        if not len(nodes):
            return -np.inf, None, False
        if len(nodes) > width:
            kept = np.sort(np.argpartition(-(reached + _bounds_of(piece, nodes)), width)[:width])
            nodes, reached, sinks, complete = nodes[kept], reached[kept], sinks[kept], False
        layers.append((nodes, sinks))
    ordering, here = [], int(nodes[0])
    for masks, sinks in reversed(layers):
        last = int(sinks[np.argmax(masks == here)])
        ordering.append(last)
        here ^= 1 << last
    return float(reached[0]), ordering[::-1], complete
