"""Posterior probabilities of edges, averaged over all orderings and the graphs that fit them."""

from bnengine.posterior.edge_posterior import EdgePosterior, edge_posterior, posterior_memory
from bnengine.posterior.order_prior import SoftTiers
from bnengine.posterior.score_weights import ScoreWeight, score_weight

__all__ = [
    "EdgePosterior",
    "ScoreWeight",
    "SoftTiers",
    "edge_posterior",
    "posterior_memory",
    "score_weight",
]
