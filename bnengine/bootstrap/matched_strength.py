"""The matched correction: the strength at which resamples have as many edges as the data, by bisection."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bnengine._core.parallel import Learned, Progress

#: Learns from all resamples at a strength; returns the graphs and whether the run was stopped.
LearnedAt = Callable[[float, Progress | None], tuple[list[Learned], bool]]

#: Approximate number of rounds of the bisection, each learning from all replicates; for progress.
MAX_ROUNDS = 10
_EDGE_TOLERANCE = 0.05  # edges
_STRENGTH_TOLERANCE = 0.005  # nats per parameter
_MAX_STRENGTH = 64.0  # nats per parameter


def applied_correction(correction: str, strength: float) -> tuple[str, float]:
    """Return the correction and strength to be applied: ``"matched"`` is ``"leading"`` at the strength found.

    With ``ensemble.correction`` and ``ensemble.strength``, the settings that repeat an ensemble or apply its correction
    to other data.
    """
    return ("leading" if correction == "matched" else correction), strength


def matched(
    learned_at: LearnedAt, target: float, n_replicates: int, progress: Progress | None = None
) -> tuple[float, list[Learned], bool]:
    """Find the strength at which the mean number of edges is nearest to a target.

    The mean number of edges decreases with the strength, but in steps, so the best of the strengths tried is returned;
    of two equally good ones the smaller. If strength 0 already gives at most ``target`` edges, it is the result. A run
    that is stopped returns the best finished round, or the partial first one.

    Parameters
    ----------
    learned_at : callable
    target : float
        Number of edges.
    n_replicates : int
        Replicates of a round, for progress.
    progress : callable, optional

    Returns
    -------
    strength : float
        Nats per parameter.
    learned : list of Learned
        The graphs learned at that strength.
    stopped : bool
    """
    rounds: dict[float, list[Learned]] = {}
    partial: list[tuple[float, list[Learned]]] = []
    reported, refused = 0, False

    def tell(done: int, _: int) -> bool | None:
        if progress is None:
            return None
        nonlocal reported, refused
        before = min(len(rounds), MAX_ROUNDS - 1) * n_replicates
        reported = max(reported, (before + done) // MAX_ROUNDS)
        go_on = progress(reported, n_replicates)
        refused = refused or go_on is False
        return go_on

    def excess(strength: float) -> float:
        learned, stopped = learned_at(strength, tell)
        if stopped:
            partial.append((strength, learned))
            raise _StoppedError
        rounds[strength] = learned
        if refused:  # as the last graph of the round came in
            raise _StoppedError
        return mean_edges(learned) - target

    try:
        _bisect(excess)
    except _StoppedError:
        if not rounds:
            return (*partial[0], True)
    strength = min(sorted(rounds), key=lambda s: round(abs(mean_edges(rounds[s]) - target), 9))
    return strength, rounds[strength], refused


def mean_edges(learned: list[Learned]) -> float:
    """Return the mean number of edges of packed graphs, weighted by their multiplicities."""
    edges = [int(np.bitwise_count(graph).sum()) for graph, _, _ in learned]
    return float(np.average(edges, weights=[times for _, times, _ in learned]))


class _StoppedError(Exception):
    """The caller stopped the run."""


def _bisect(excess: Callable[[float], float]) -> None:
    """Evaluate a decreasing function at strengths that close in on its zero, until one is near enough."""
    low, high = 0.0, 1.0
    if excess(low) <= _EDGE_TOLERANCE:
        return
    while (at_high := excess(high)) > 0 and high < _MAX_STRENGTH:
        low, high = high, 2 * high
    if abs(at_high) <= _EDGE_TOLERANCE or at_high > 0:
        return
    while high - low > _STRENGTH_TOLERANCE:
        middle = (low + high) / 2
        at_middle = excess(middle)
        if abs(at_middle) <= _EDGE_TOLERANCE:
            return
        low, high = (middle, high) if at_middle > 0 else (low, middle)
