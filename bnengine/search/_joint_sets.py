"""Parents that gain only together: sets of two or three of which none gains alone, so that no climb sees them.

The exclusive or of three fair coins is independent of each of them and of each two of them, so a search by single edges
has no reason to try any. To score every family of three parents takes ten times as long as the search. So the families
are screened first. A *contrast* is a column of +1 and −1 that tells one state of a variable from the others. If a child
is independent of its parents, its contrast less its mean is uncorrelated with the product of any contrasts of theirs.
Such a correlation takes one instruction for 64 rows, and only families in which it is clear are scored.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Annotated, Any, NamedTuple

import numpy as np

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array, UInt64Array
from bnengine._jit.compiled import Pointer, compiled
from bnengine._jit.records import UNSET, Handle, allocate, handle_of, popcount, record, record_from
from bnengine.graphs.constraints import SearchSpace
from bnengine.scores.local_score import LocalScores
from bnengine.search.edge_changes import Graph, tolerance


class Depth(NamedTuple):
    """How far is looked, and for what."""

    most_fours: int  # groups of four contrasts of different variables; with more, no family of three parents is found
    clear: float  # squared correlation times rows from which a family is scored: by chance, chi-square with one degree
    least_gain: float  # nats


#: For a search: 45 variables make 149,000 groups, in a few milliseconds, and 30 comes by chance once in 20 million.
QUICK = Depth(200_000, 30.0, 0.0)
#: For a posterior, which takes seconds, and where a family that is a little worse has its share.
THOROUGH = Depth(10_000_000, 16.0, -6.0)
#: Nats: with a parent that gains more alone, a climb begins. Chance alone reaches it once in 2,000 under BIC.
_WEAK = 3.0
#: Words of 64 rows that are read, half a second of one core at most.
_MOST_WORDS = 500_000_000
#: States of a variable that have a contrast, the most frequent first; in all cases one fewer than it has.
_MOST_CONTRASTS = 3
_MOST_SCORED = 1_000  # families; of more, those with the highest correlations
_MOST_NOTED = 1_000_000  # times that a family is met
_MOST_KEPT = 500


class JointSets(NamedTuple):
    """Families whose parents gain only together, those that gain most first."""

    children: IntArray  # (m,)
    parents: BoolArray  # (m, V)
    gains: FloatArray  # (m,) over the best part of the set, nats

    def shown(self, order: IntArray) -> JointSets:
        """Return them over the columns in another order."""
        return JointSets(np.argsort(order)[self.children], self.parents[:, order], self.gains)


#: Where none are known.
NO_JOINT_SETS = JointSets(np.zeros(0, dtype=np.int64), np.zeros((0, 0), dtype=np.bool_), np.zeros(0))


def sets_of(members: BoolArray) -> UInt64Array:
    """Return the bit set of each row, shape (rows, words)."""
    n_sets, n = members.shape
    bits = np.zeros((n_sets, -(-n // 64) * 64), dtype=np.bool_)
    bits[:, :n] = members
    return np.packbits(bits, axis=1, bitorder="little").view("<u8").astype(np.uint64)


@record
class Screen(NamedTuple):
    """The contrasts of a sample, and the families in which a correlation is clear."""

    owners: IntArray  # (m,) the variable of each contrast, ascending
    means: FloatArray  # (m,)
    limits: FloatArray  # (m,) the largest squared sum of products that is not clear, the contrast being the child's
    columns: UInt64Array  # (m, W) one bit per row, set for −1
    weak: Graph  # (V, V) [child, parent]: it may be a parent, and alone it gains little
    pairs: Annotated[FloatArray, "m, m"]  # sum of the products of two contrasts
    triples: Annotated[FloatArray, "m * deep, m, m"]  # of three
    product: Annotated[UInt64Array, "2, n_words"]  # of two contrasts, and of three
    found: Annotated[IntArray, "most, 4", UNSET]  # a child and its parents, V where there is no third
    clearness: Annotated[FloatArray, "most", UNSET]  # squared sum by its limit
    m: int
    n_words: int
    n_rows: int
    n_variables: int  # V
    deep: int  # 1 if families of three parents are looked at
    most: int


_screen_from = record_from(Screen)


@compiled
def _multiply(screen: Screen, at: int, one: Pointer, first: int, b: int) -> float:
    """Write the product of a column, at word ``first``, and a contrast to a row of ``product``; returns its sum."""
    differ, n_words = np.uint64(0), screen.n_words
    for w in range(n_words):
        word = one[first + w] ^ screen.columns[b * n_words + w]
        screen.product[at * n_words + w] = word
        differ += popcount(word)
    return float(screen.n_rows - 2 * np.int64(differ))


@compiled
def _sum_with(screen: Screen, d: int) -> float:
    """Return the sum of the product of three contrasts, which is known, and a fourth."""
    differ, n_words = np.uint64(0), screen.n_words
    for w in range(n_words):
        differ += popcount(screen.product[n_words + w] ^ screen.columns[d * n_words + w])
    return float(screen.n_rows - 2 * np.int64(differ))


@compiled
def _note(screen: Screen, n: int, child: int, a: int, b: int, c: int, of_all: float, of_parents: float) -> int:
    """Note a family of these contrasts (c is -1 if there is none) where it is clear; returns how many there are.

    The sums are of the product of all contrasts, and of the parents'.
    """
    left = of_all - screen.means[child] * of_parents
    if left * left <= screen.limits[child]:  # nearly always
        return n
    return _note_clear(screen, n, child, a, b, c, left * left / screen.limits[child])


@compiled
def _note_clear(screen: Screen, n: int, child: int, a: int, b: int, c: int, clear: float) -> int:
    """Note a family unless a parent gains much alone; returns how many there are."""
    owners, row = screen.owners, screen.owners[child] * screen.n_variables
    third = screen.n_variables
    if c >= 0:
        third = owners[c]
        if not screen.weak[row + third]:
            return n
    if not screen.weak[row + owners[a]] or not screen.weak[row + owners[b]]:
        return n
    if n < screen.most:
        screen.found[4 * n], screen.found[4 * n + 1] = owners[child], owners[a]
        screen.found[4 * n + 2], screen.found[4 * n + 3] = owners[b], third
        screen.clearness[n] = clear
    return n + 1


@compiled
def _screened(handle: Handle, stop: UInt8Array) -> int:
    """Note all clear families of two, and if ``deep`` of three parents; returns how many there are, noted or not."""
    screen, n = _screen_from(handle), 0
    m, n_words, owners = screen.m, screen.n_words, screen.owners
    pairs, triples = screen.pairs, screen.triples
    for a in range(m):
        for b in range(a + 1, m):
            pairs[a * m + b] = _multiply(screen, 0, screen.columns, a * n_words, b)
    for a in range(m - 1, -1, -1):  # descending, so that the sums of all later triples are known
        for b in range(m - 1, a, -1):
            if owners[a] == owners[b] or stop[0]:
                continue
            _multiply(screen, 0, screen.columns, a * n_words, b)
            for c in range(m - 1, b, -1):
                if owners[c] == owners[b]:
                    continue
                of_abc = _multiply(screen, 1, screen.product, 0, c)
                n = _note(screen, n, a, b, c, -1, of_abc, pairs[b * m + c])
                n = _note(screen, n, b, a, c, -1, of_abc, pairs[a * m + c])
                n = _note(screen, n, c, a, b, -1, of_abc, pairs[a * m + b])
                if not screen.deep:
                    continue
                triples[(a * m + b) * m + c] = of_abc
                for d in range(c + 1, m):
                    if owners[d] == owners[c]:
                        continue
                    total = _sum_with(screen, d)
                    n = _note(screen, n, a, b, c, d, total, triples[(b * m + c) * m + d])
                    n = _note(screen, n, b, a, c, d, total, triples[(a * m + c) * m + d])
                    n = _note(screen, n, c, a, b, d, total, triples[(a * m + b) * m + d])
                    n = _note(screen, n, d, a, b, c, total, of_abc)
    return n


def _contrasts(scores: LocalScores, most_fours: int) -> tuple[IntArray, IntArray]:
    """Return the variable and the state of each contrast: as many of each variable as groups of four are allowed."""
    sample, most_states = scores.context.sample, int(scores.context.sample.arities.max(initial=1))
    weights = sample.weights.reshape(-1, sample.n_distinct)[0]
    places = (sample.codes + most_states * np.arange(sample.n_variables)[:, None]).ravel()
    times = np.bincount(places, np.tile(weights, sample.n_variables), sample.n_variables * most_states)
    times = times.reshape(-1, most_states)
    by_frequency, n_contrasts = np.argsort(-times, axis=1, kind="stable"), np.count_nonzero(times, axis=1) - 1
    for most in range(_MOST_CONTRASTS, 0, -1):
        of_each = np.minimum(n_contrasts, most)
        if math.comb(int(of_each.sum()), 4) <= most_fours:
            break
    owners = np.repeat(np.arange(sample.n_variables), of_each)
    return owners, by_frequency[np.arange(most_states) < of_each[:, None]]


def _columns(scores: LocalScores, owners: IntArray, states: IntArray) -> tuple[UInt64Array, FloatArray]:
    """Return the contrasts' bits, one column of words each, and their means."""
    sample = scores.context.sample
    has = sample.codes[owners] == states[:, None]
    if sample.seen.size:
        has &= sample.seen[owners] != 0
    rows = np.repeat(np.arange(sample.n_distinct), sample.weights.reshape(-1, sample.n_distinct)[0])
    bits = has[:, rows]
    return sets_of(bits), 1.0 - 2.0 * bits.mean(axis=1)


def _weak_parents(scores: LocalScores, space: SearchSpace) -> BoolArray:
    """Return which parent gains little beside the required ones alone, shape (V, V), [child, parent]."""
    weak = np.zeros_like(space.allowed)
    for child, (may, required) in enumerate(zip((space.allowed & ~space.required).T, space.required.T, strict=True)):
        parents = np.flatnonzero(required).tolist()
        with_it = scores.with_one_more(child, parents, may)
        weak[child] = may & (with_it - scores(child, parents) < _WEAK)
    return weak


def _clear_families(scores: LocalScores, space: SearchSpace, depth: Depth) -> list[tuple[int, ...]]:
    """Return child and parents of each family in which a correlation is clear, the highest first."""
    n, n_rows, (owners, states) = len(space.allowed), scores.context.sample.n_rows, _contrasts(scores, depth.most_fours)
    m, n_words = len(owners), -(-n_rows // 64)
    if math.comb(m, 3) * n_words > _MOST_WORDS or min(space.max_parents, m - 1) < 2:
        return []
    columns, means = _columns(scores, owners, states)
    fours = math.comb(m, 4) if space.max_parents > 2 else 0
    room: dict[str, Any] = {
        "owners": owners,
        "means": means,
        "columns": columns,
        "weak": _weak_parents(scores, space).view(np.uint8),
        "m": m,
        "n_words": n_words,
        "n_rows": n_rows,
        "n_variables": n,
        "deep": int(0 < fours <= depth.most_fours and fours * n_words <= _MOST_WORDS),
    }
    clear, n_found, most = depth.clear, 0, 8 * _MOST_SCORED
    while n_found == 0 or n_found > most:
        clear, most = clear * (2.0 if n_found > _MOST_NOTED else 1.0), min(max(most, n_found), _MOST_NOTED)
        screen = allocate(Screen, limits=clear * n_rows * (1.0 - means**2), most=most, **room)
        n_found = _screened(handle_of(screen), scores.context.stop)
        if n_found == 0:
            return []
    best: dict[tuple[int, ...], float] = {}
    noted = np.argsort(-screen.clearness[:n_found], kind="stable")[: 8 * _MOST_SCORED]
    for (child, *parents), above in zip(screen.found[noted].tolist(), screen.clearness[noted].tolist(), strict=True):
        family = (child, *sorted(v for v in parents if v < n))
        best[family] = max(above, best.get(family, 0.0))
    return sorted(best, key=lambda family: (-best[family], family))[:_MOST_SCORED]


def _gain(scores: LocalScores, child: int, members: list[int], required: list[int], least: float) -> float:
    """Return what a set gains over its best part, beside the required parents, nats.

    Minus infinity if single additions, each of which gains, lead to it, or if it gains less than ``least`` over none.
    """
    margin = tolerance(scores.context.sample.n_rows)
    none, whole = scores(child, required), scores(child, [*required, *members])
    if whole - none <= least + margin:
        return -math.inf
    reached: dict[tuple[int, ...], float] = {(): none}
    climbed: dict[tuple[int, ...], bool] = {(): True}
    for part in (part for size in range(1, len(members) + 1) for part in combinations(members, size)):
        reached[part] = whole if len(part) == len(members) else scores(child, [*required, *part])
        fewer = [tuple(v for v in part if v != one) for one in part]
        climbed[part] = any(climbed[less] and reached[part] > reached[less] + margin for less in fewer)
    return -math.inf if climbed.pop(tuple(members)) else whole - max(reached[less] for less in climbed)


def joint_sets(scores: LocalScores, space: SearchSpace, depth: Depth = QUICK) -> JointSets:
    """Return families of two or three parents, besides required ones, that gain, but not by single additions.

    None of the parents gains more than ``_WEAK`` alone, and a correlation is clear. None are looked for where families
    are scored by blocks, which hold no products of two variables.
    """
    found, least = [], depth.least_gain + tolerance(scores.context.sample.n_rows)
    for child, *members in [] if scores.by_blocks else _clear_families(scores, space, depth):
        required = np.flatnonzero(space.required[:, child]).tolist()
        if len(required) + len(members) <= space.max_parents and not scores.stopped:
            gain = _gain(scores, child, members, required, depth.least_gain)
            if gain > least:
                found.append((-gain, child, [*members, *required]))
    found = sorted(found)[:_MOST_KEPT]
    parents = np.zeros((len(found), len(space.allowed)), dtype=np.bool_)
    for row, (_, _, members) in zip(parents, found, strict=True):
        row[members] = True
    children, gains = [child for _, child, _ in found], [-loss for loss, _, _ in found]
    return JointSets(np.array(children, dtype=np.int64), parents, np.array(gains, dtype=np.float64))
