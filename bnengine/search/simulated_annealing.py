"""Simulated annealing over single-edge changes, with the schedule of Heckerman, Geiger & Chickering (1995)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bnengine._compiled import Pointer, compiled, pointer_to
from bnengine.constraints import SearchSpace
from bnengine.families import Families, LocalScores, Problem, families_of, mix, remembered_score
from bnengine.graph import Adjacency
from bnengine.search._families import FloatArray, IntArray, tolerance
from bnengine.search._neighbourhood import Reach
from bnengine.search.found import Found
from bnengine.search.hill_climbing import climb, total_of

STARTS = ("climbed", "empty")


@compiled
def _next_random(state: Pointer) -> np.uint64:
    """64 random bits: SplitMix64 (Steele, Lea & Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    return mix(state[0])


@compiled
def _next_uniform(state: Pointer) -> float:
    """A uniform number in [0, 1)."""
    return float(_next_random(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@compiled
def _accepted(random: Pointer, gain: float, temperature: float) -> bool:
    """Whether a change is made; a number is drawn for gains, too, so that no tie shifts the draws after it."""
    return _next_uniform(random) < math.exp(min(gain, 0.0) / temperature)


@compiled
def _has_path(
    children: Reach, start: int, end: int, seen: npt.NDArray[np.uint64], open_: npt.NDArray[np.uint64]
) -> bool:
    """Whether a directed path leads from ``start`` to ``end``; rows of ``children`` are bit sets."""
    n_words = children.shape[1]
    for w in range(n_words):
        seen[w] = children[start, w]
        open_[w] = children[start, w]
    while True:
        if (seen[end >> 6] >> np.uint64(end & 63)) & np.uint64(1):
            return True
        found = False
        for w in range(n_words):
            if open_[w] != 0:
                lowest = open_[w] & (~open_[w] + np.uint64(1))
                open_[w] ^= lowest
                v = (w << 6) + _bit_number(lowest)
                for u in range(n_words):
                    fresh = children[v, u] & ~seen[u]
                    seen[u] |= fresh
                    open_[u] |= fresh
                found = True
                break
        if not found:
            return False


@compiled
def _bit_number(bit: np.uint64) -> int:
    """The place of the only one bit, by halving."""
    place = 0
    for shift in (32, 16, 8, 4, 2, 1):
        if bit >> np.uint64(shift):
            bit >>= np.uint64(shift)
            place += shift
    return place


@compiled
def _flip(children: Reach, i: int, j: int) -> None:
    children[i, j >> 6] ^= np.uint64(1) << np.uint64(j & 63)


@compiled
def _score_with(
    families: Families, parents: IntArray, n_parents: IntArray, child: int, new: int, out: IntArray
) -> float:
    """Score of the child with one more parent."""
    k = n_parents[child]
    i = 0
    while i < k and parents[child, i] < new:
        out[i] = parents[child, i]
        i += 1
    out[i] = new
    while i < k:
        out[i + 1] = parents[child, i]
        i += 1
    return remembered_score(families, child, pointer_to(out), k + 1)


@compiled
def _score_without(
    families: Families, parents: IntArray, n_parents: IntArray, child: int, old: int, out: IntArray
) -> float:
    """Score of the child with one parent less."""
    n = 0
    for i in range(n_parents[child]):
        if parents[child, i] != old:
            out[n] = parents[child, i]
            n += 1
    return remembered_score(families, child, pointer_to(out), n)


@compiled
def _insert(parents: IntArray, n_parents: IntArray, child: int, new: int) -> None:
    i = n_parents[child]
    while i > 0 and parents[child, i - 1] > new:
        parents[child, i] = parents[child, i - 1]
        i -= 1
    parents[child, i] = new
    n_parents[child] += 1


@compiled
def _remove(parents: IntArray, n_parents: IntArray, child: int, old: int) -> None:
    n = 0
    for i in range(n_parents[child]):
        if parents[child, i] != old:
            parents[child, n] = parents[child, i]
            n += 1
    n_parents[child] = n


class _Climber(NamedTuple):
    """Buffers of a climb."""

    gains: FloatArray
    reach: Reach
    trace: FloatArray


@compiled
def _settle(
    families: Families,
    allowed: Adjacency,
    required: Adjacency,
    max_parents: int,
    adjacency: Adjacency,
    family: FloatArray,
    climber: _Climber,
) -> None:
    """Climb, in place, to a local optimum all of whose edges gain.

    Random changes leave edges that gain nothing; they go, and the climb may go on without them.
    """
    gains, reach, trace = climber
    n_variables = adjacency.shape[0]
    margin = tolerance(families.counter.n_rows)
    settled = False
    while not settled:
        climb(families, allowed, required, max_parents, adjacency, family, gains, reach, trace, 0)
        settled = True
        for i in range(n_variables):
            for j in range(n_variables):
                if settled and adjacency[i, j] and gains[i, j] >= -margin:
                    adjacency[i, j] = False
                    settled = False


@compiled
def _anneal(
    problem: Problem,
    allowed: Adjacency,
    required: Adjacency,
    max_parents: int,
    climbed_start: bool,
    schedule: FloatArray,
    seed: npt.NDArray[np.uint64],
    adjacency: Adjacency,
    trace: FloatArray,
    temperatures: FloatArray,
) -> tuple[float, int]:
    """Anneal, then climb; the graph is left in ``adjacency``; returns its score and the number of temperatures."""
    families = families_of(problem)
    n_variables = allowed.shape[0]
    n_words = (n_variables + 63) // 64
    random = pointer_to(seed)
    parents = np.empty((n_variables, n_variables + 1), dtype=np.int64)
    n_parents = np.zeros(n_variables, dtype=np.int64)
    trial = np.empty(n_variables + 1, dtype=np.int64)
    other = np.empty(n_variables + 1, dtype=np.int64)
    children = np.zeros((n_variables, n_words), dtype=np.uint64)
    seen = np.empty(n_words, dtype=np.uint64)
    open_ = np.empty(n_words, dtype=np.uint64)
    family = np.empty(n_variables)
    climber = _Climber(
        np.empty((n_variables, n_variables)),
        np.zeros((n_variables, n_words), dtype=np.uint64),
        np.empty(100 * n_variables + 100),
    )
    adjacency[:] = required
    if climbed_start:
        _settle(families, allowed, required, max_parents, adjacency, family, climber)
    first, first_score = adjacency.copy(), total_of(family)
    for j in range(n_variables):
        for i in range(n_variables):
            if adjacency[i, j]:
                _insert(parents, n_parents, j, i)
                _flip(children, i, j)
        for i in range(n_parents[j]):
            trial[i] = parents[j, i]
        family[j] = remembered_score(families, j, pointer_to(trial), n_parents[j])
    temperature, most_proposals, most_accepted = schedule[0], schedule[1], schedule[2]
    cooling, most_temperatures = schedule[3], int(schedule[4])
    score = total_of(family)
    step = 0
    while step < most_temperatures and n_variables > 1:
        proposals, accepted, misses = 0, 0, 0
        while proposals < most_proposals and accepted < most_accepted and misses < 64 * most_proposals:
            i = int(_next_uniform(random) * n_variables)
            j = int(_next_uniform(random) * n_variables)
            second = _next_uniform(random) < 0.5
            misses += 1
            if i == j or adjacency[j, i]:
                continue
            if adjacency[i, j]:
                if required[i, j]:
                    continue
                if second:  # delete
                    at_j = _score_without(families, parents, n_parents, j, i, trial)
                    gain = at_j - family[j]
                    proposals += 1
                    if _accepted(random, gain, temperature):
                        _remove(parents, n_parents, j, i)
                        _flip(children, i, j)
                        adjacency[i, j] = False
                        family[j] = at_j
                        score += gain
                        accepted += 1
                    continue
                if not allowed[j, i] or n_parents[i] >= max_parents:
                    continue
                _flip(children, i, j)
                if _has_path(children, i, j, seen, open_):  # reversing would close a cycle
                    _flip(children, i, j)
                    continue
                at_j = _score_without(families, parents, n_parents, j, i, trial)
                at_i = _score_with(families, parents, n_parents, i, j, other)
                gain = at_j - family[j] + at_i - family[i]
                proposals += 1
                if _accepted(random, gain, temperature):
                    _remove(parents, n_parents, j, i)
                    _insert(parents, n_parents, i, j)
                    _flip(children, j, i)
                    adjacency[i, j] = False
                    adjacency[j, i] = True
                    family[j] = at_j
                    family[i] = at_i
                    score += gain
                    accepted += 1
                else:
                    _flip(children, i, j)
                continue
            if second or not allowed[i, j] or n_parents[j] >= max_parents:
                continue
            if _has_path(children, j, i, seen, open_):
                continue
            at_j = _score_with(families, parents, n_parents, j, i, trial)
            gain = at_j - family[j]
            proposals += 1
            if _accepted(random, gain, temperature):
                _insert(parents, n_parents, j, i)
                _flip(children, i, j)
                adjacency[i, j] = True
                family[j] = at_j
                score += gain
                accepted += 1
        trace[step] = score
        temperatures[step] = temperature
        step += 1
        if accepted == 0:
            break
        temperature *= cooling
    _settle(families, allowed, required, max_parents, adjacency, family, climber)
    score = total_of(family)
    if climbed_start and first_score >= score - tolerance(families.counter.n_rows):
        adjacency[:] = first
        return first_score, step
    return score, step


@dataclass(frozen=True)
class SimulatedAnnealing:
    """Random single-edge changes, accepted with probability exp(gain / temperature) if they lose, while it cools.

    The defaults of the schedule are those of Heckerman, Geiger & Chickering (1995, Sec. 7.1). The last graph is climbed
    to a local optimum by single-edge changes. Scores of families are remembered within a sample.

    Parameters
    ----------
    start_temperature : float
        T0, nats.
    proposals : int
        alpha: most proposals at a temperature.
    acceptances : int
        beta: most accepted changes at a temperature.
    cooling : float
        gamma, between 0 and 1: what a temperature is multiplied by to give the next.
    temperatures : int
        delta: most temperatures; a temperature at which nothing is accepted ends the cooling, too.
    max_parents : int, optional
        Largest number of parents of any variable. Without a limit a hot walk fills families that no row supports, where
        a marginal likelihood is flat, and the cooling may not find its way back.
    start : {"climbed", "empty"}
        Where it sets out: from the local optimum that a climb finds, which is then also the result unless the walk ends
        in a better one; or from no edges, so that many runs give as many local optima independent of each other. That
        schedule is short for many variables: on its own it may end below a mere climb.
    """

    start_temperature: float = 100.0
    proposals: int = 400
    acceptances: int = 200
    cooling: float = 0.95
    temperatures: int = 120
    max_parents: int | None = 5
    start: str = "climbed"

    def __post_init__(self) -> None:
        if not (math.isfinite(self.start_temperature) and self.start_temperature > 0):
            raise ValueError(f"start_temperature must be positive, in nats; got {self.start_temperature}")
        if not 0 < self.cooling < 1:
            raise ValueError(f"cooling must lie between 0 and 1; got {self.cooling}")
        if self.start not in STARTS:
            raise ValueError(f"start must be one of {', '.join(STARTS)}; got '{self.start}'")
        for field in ("proposals", "acceptances", "temperatures"):
            if getattr(self, field) < 1:
                raise ValueError(f"{field} must be 1 or more; got {getattr(self, field)}")

    @property
    def name(self) -> str:
        return "simulated annealing"

    def find(self, names: Sequence[str], scores: LocalScores, space: SearchSpace, rng: np.random.Generator) -> Found:
        adjacency = np.zeros((len(names), len(names)), dtype=np.bool_)
        trace, temperatures = np.empty(self.temperatures), np.empty(self.temperatures)
        schedule = [self.start_temperature, self.proposals, self.acceptances, self.cooling, self.temperatures]
        score, steps = _anneal(
            scores.problem,
            space.allowed,
            space.required,
            space.max_parents,
            self.start == "climbed",
            np.array(schedule, dtype=np.float64),
            rng.integers(0, 2**64, 1, dtype=np.uint64),
            adjacency,
            trace,
            temperatures,
        )
        return Found(
            adjacency,
            float(score),
            scores.n_scored,
            "converged",
            np.append(trace[:steps], score),
            {"temperature": np.append(temperatures[:steps], 0.0)},
        )
