"""Probabilities of edges: *real*, and the posterior under one score; summed exactly, or sampled by chains."""

from bnengine.posterior.edge_posterior import Effort, edge_posterior
from bnengine.posterior.exact import posterior_memory
from bnengine.posterior.result import EdgePosterior, Estimate, score_weight

__all__ = [
    "EdgePosterior",
    "Effort",
    "Estimate",
    "edge_posterior",
    "posterior_memory",
    "score_weight",
]
