"""Probabilities of edges: *real*, and the posterior under one score; summed exactly, or sampled by chains."""

from bnengine.posterior.edge_posterior import Effort, edge_posterior
from bnengine.posterior.result import EdgePosterior, Estimate

__all__ = ["EdgePosterior", "Effort", "Estimate", "edge_posterior"]
