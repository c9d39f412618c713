"""Exact posterior probabilities of edges, summed over all orderings and the graphs consistent with them."""

from bnengine.posterior.edge_posterior import EdgePosterior, edge_posterior, posterior_memory
from bnengine.posterior.order_prior import SoftTiers
from bnengine.posterior.sample_posterior import sample_posterior
from bnengine.posterior.sampled_posterior import SampledPosterior
from bnengine.posterior.score_weights import ScoreWeight, score_weight

__all__ = [
    "EdgePosterior",
    "SampledPosterior",
    "ScoreWeight",
    "SoftTiers",
    "edge_posterior",
    "posterior_memory",
    "sample_posterior",
    "score_weight",
]
