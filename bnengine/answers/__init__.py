"""Answers beyond the verdict: both numbers of every edge, all that is known of one, of the search and of the data.

``bn.verdict`` and ``bn.rows_needed`` stand at the top.
"""

from bnengine.answers.edge_answers import EdgeAnswers, two_answers
from bnengine.answers.edge_explanation import EdgeExplanation, explain_edge
from bnengine.answers.expected import expectations
from bnengine.answers.noise import noise_check
from bnengine.answers.preparations import Preparations, other_preparations
from bnengine.answers.views import view_table
from bnengine.bootstrap.ensemble import AveragedNetwork, averaged_network
from bnengine.bootstrap.permutation_threshold import NoiseCheck
from bnengine.scores.edge_effect import EdgeEffect, edge_effect
from bnengine.scores.missingness import Missingness, missingness
from bnengine.search.certificate import Certificate, certify

__all__ = [
    "AveragedNetwork",
    "Certificate",
    "EdgeAnswers",
    "EdgeEffect",
    "EdgeExplanation",
    "Missingness",
    "NoiseCheck",
    "Preparations",
    "averaged_network",
    "certify",
    "edge_effect",
    "expectations",
    "explain_edge",
    "missingness",
    "noise_check",
    "other_preparations",
    "two_answers",
    "view_table",
]
