"""The mean of several edge posteriors: over resamples, or over equivalent sample sizes."""

from __future__ import annotations

from dataclasses import dataclass, field

from bnengine._core.arrays import FloatArray
from bnengine._core.read_only import ReadOnlyArrays
from bnengine.posterior.score_weights import ScoreWeight


@dataclass(frozen=True, eq=False)
class AveragedPosterior(ReadOnlyArrays):
    """Mean of several edge posteriors.

    Attributes
    ----------
    names : tuple of str
    probability : ndarray of float, shape (V, V), read-only
        ``[parent, child]``: the weighted mean of ``members``.
    error : ndarray of float, shape (V, V)
        Its standard error: over resamples from their spread, which includes the sampling of orderings; over scores from
        the errors of the members, 0 where these are exact.
    members : ndarray of float, shape (n, V, V)
        The posteriors that are averaged.
    labels : tuple of str, length n
    member_weights : ndarray of float, shape (n,)
        They add up to 1.
    method : str
        Of each member: ``"exact"``, ``"order"`` or ``"partition"``.
    score : str
    weight : ScoreWeight
        Interpretation of exp(score).
    max_parents : int
    n_planned : int
        Members asked for.
    warning : str or None
        A sentence where the chains of a member disagree.
    seed : int or None
    status : str
        ``"converged"``, ``"optimal"`` for exact members, or ``"stopped"`` with fewer members than planned.
    """

    names: tuple[str, ...]
    probability: FloatArray = field(repr=False)
    error: FloatArray = field(repr=False)
    members: FloatArray = field(repr=False)
    labels: tuple[str, ...] = field(repr=False)
    member_weights: FloatArray = field(repr=False)
    method: str
    score: str
    weight: ScoreWeight
    max_parents: int
    n_planned: int
    warning: str | None
    seed: int | None
    status: str
