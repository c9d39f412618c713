"""How many false selections complementary-pairs stability selection lets through: the bounds of Shah & Samworth."""

from __future__ import annotations

import math

from bnengine._core.validation import one_of

#: What is assumed of the share of splits in which both halves select an edge.
ASSUMPTIONS = ("unimodal", "none")
_ROUNDING = 1e-9


def expected_false_bound(
    threshold: float, n_pairs: int, mean_selected: float, n_possible: int, assumption: str = "unimodal"
) -> float:
    """Bound the expected number of false selections at or above a threshold (Shah & Samworth 2013).

    Let q be the expected number selected from half of the rows, p the number that could be, and let a selection be
    false if its probability on half of the rows is at most θ = q / p, no more than a choice at random. Of these at most
    θ q / K are expected to have a confidence of τ or more:

    * ``"none"`` (Theorem 1, no assumption): K = 2τ - 1.
    * ``"unimodal"`` (Theorem 2): K = 2 (2τ - 1 - 1/(2B)) for τ ≤ 3/4, and (1 + 1/B) / (4 (1 - τ + 1/(2B))) above.
      It holds where θ ≤ 1/√3, τ > 1/2 + min(θ², 1/(2B) + 3θ²/4), and, for each false selection, the share of the B
      splits in which both halves make it has a unimodal distribution on 0, 1/B, …, 1.

    Derivation: with a confidence of τ, both halves select it in a share of at least 2τ - 1 of the splits, a share whose
    mean is at most θ², as the halves are independent. Markov's inequality gives K, and a sharper one for unimodal
    distributions the other K.

    Parameters
    ----------
    threshold : float
        τ. Confidences are multiples of 1 / (2B): the next multiple counts.
    n_pairs : int
        B, the number of splits.
    mean_selected : float
        q.
    n_possible : int
        p.
    assumption : {"unimodal", "none"}

    Returns
    -------
    float
        Infinity where the bound does not exist, such as for thresholds up to 1/2.

    Raises
    ------
    ValueError
        If the threshold is not in [0, 1] or the assumption is unknown.

    Examples
    --------
    >>> round(expected_false_bound(0.9, 50, 10, 100), 6)
    0.431373
    >>> round(expected_false_bound(0.9, 50, 10, 100, "none"), 6)
    1.25
    """
    if not 0 <= threshold <= 1:
        raise ValueError(f"threshold must be a number between 0 and 1; got {threshold}")
    one_of(assumption, "assumption", ASSUMPTIONS)
    if not mean_selected:
        return 0.0
    reached = math.ceil(2 * n_pairs * threshold - _ROUNDING) / (2 * n_pairs)
    share = mean_selected / n_possible
    constant = _constant(reached, n_pairs, share) if assumption == "unimodal" else 2 * reached - 1
    return share * mean_selected / constant if constant > _ROUNDING else math.inf


def _constant(threshold: float, n_pairs: int, share: float) -> float:
    """K under unimodality; 0 where Theorem 2 does not hold."""
    least = 0.5 + min(share**2, 1 / (2 * n_pairs) + 0.75 * share**2)
    if share > 1 / math.sqrt(3) or threshold <= least + _ROUNDING:
        return 0.0
    if threshold <= 0.75 + _ROUNDING:
        return 2 * (2 * threshold - 1 - 1 / (2 * n_pairs))
    return (1 + 1 / n_pairs) / (4 * (1 - threshold + 1 / (2 * n_pairs)))
