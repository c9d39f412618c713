"""Probabilities of edges: *real*, and the posterior under one score; summed exactly, or sampled by chains."""

from bnengine.posterior.edge_posterior import Effort, edge_posterior
from bnengine.posterior.exact import posterior_memory
from bnengine.posterior.parent_set_tables import ScoreWeight, score_weight
from bnengine.posterior.result import EdgePosterior, Estimate

__all__ = [
    "EdgePosterior",
    "Effort",
    "Estimate",
    "ScoreWeight",
    "edge_posterior",
    "posterior_memory",
    "score_weight",
]
