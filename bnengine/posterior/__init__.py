"""Posterior probabilities of edges: exact, sampled by chains over orderings, and bagged."""

from typing import Any

from bnengine._core.gone import missing_name
from bnengine.posterior.averaged_posterior import AveragedPosterior, bagged_posterior
from bnengine.posterior.edge_posterior import EdgePosterior, edge_posterior, posterior_memory
from bnengine.posterior.parent_set_tables import ScoreWeight, score_weight
from bnengine.posterior.sample_posterior import sample_posterior
from bnengine.posterior.sampled_posterior import Estimate, SampledPosterior

__all__ = [
    "AveragedPosterior",
    "EdgePosterior",
    "Estimate",
    "SampledPosterior",
    "ScoreWeight",
    "bagged_posterior",
    "edge_posterior",
    "posterior_memory",
    "sample_posterior",
    "score_weight",
]


def __getattr__(name: str) -> Any:
    raise missing_name(__name__, name)
