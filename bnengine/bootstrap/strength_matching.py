"""The strength of the leading correction at which resamples have as many edges as the data, by bisection."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bnengine._core.parallel import Learned, Progress

#: Learns from all resamples at a strength; returns the graphs and whether it was stopped.
LearnedAt = Callable[[float, Progress | None], tuple[list[Learned], bool]]

_CLOSE = 0.05  # edges: near enough
_NARROW = 0.005  # nats per parameter: no need to tell apart
_STRONGEST = 64.0  # nats per parameter
_ROUNDS = 10  # about how many runs it takes, for progress only


def matched(
    learned_at: LearnedAt, target: float, n_replicates: int, progress: Progress | None = None
) -> tuple[float, list[Learned], bool]:
    """Strength (nats per parameter), graphs learned at it, and whether the run was stopped.

    The mean number of edges falls as the strength grows, but in steps, so the nearest of the strengths tried is taken;
    the weaker one of two equally near. If even strength 0 gives no more than ``target`` edges, that is the answer.
    A run that is stopped gives the nearest of what was finished, or else what it has.
    """
    rounds: dict[float, list[Learned]] = {}
    partial: list[tuple[float, list[Learned]]] = []
    told = 0

    def tell(done: int, _: int) -> bool | None:
        if progress is None:
            return None
        nonlocal told
        before = min(len(rounds), _ROUNDS - 1) * n_replicates
        told = max(told, (before + done) // _ROUNDS)
        return progress(told, n_replicates)

    def excess(strength: float) -> float:
        learned, stopped = learned_at(strength, tell)
        if stopped:
            partial.append((strength, learned))
            raise _StoppedError
        rounds[strength] = learned
        return mean_edges(learned) - target

    try:
        _bisect(excess)
    except _StoppedError:
        if not rounds:
            return (*partial[0], True)
    strength = min(sorted(rounds), key=lambda s: round(abs(mean_edges(rounds[s]) - target), 9))
    return strength, rounds[strength], bool(partial)


def mean_edges(learned: list[Learned]) -> float:
    """Mean number of edges of packed graphs, each counted as often as it stands for a replicate."""
    edges = [int(np.bitwise_count(graph).sum()) for graph, _, _ in learned]
    return float(np.average(edges, weights=[times for _, times, _ in learned]))


class _StoppedError(Exception):
    """The caller wants no further rounds."""


def _bisect(excess: Callable[[float], float]) -> None:
    """Halve the interval in which a falling function changes its sign until it is near enough to zero."""
    low, high = 0.0, 1.0
    if excess(low) <= _CLOSE:
        return
    while (at_high := excess(high)) > 0 and high < _STRONGEST:
        low, high = high, 2 * high
    if abs(at_high) <= _CLOSE or at_high > 0:
        return
    while high - low > _NARROW:
        middle = (low + high) / 2
        at_middle = excess(middle)
        if abs(at_middle) <= _CLOSE:
            return
        low, high = (middle, high) if at_middle > 0 else (low, middle)
