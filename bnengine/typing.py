"""Types for annotations: arrays by what they hold, settings, results, and the callback that reports progress."""

from bnengine._core.arrays import BoolArray, FloatArray, IntArray, UInt8Array
from bnengine._core.parallel import Progress
from bnengine.answers.edge_answers import EdgeAnswers
from bnengine.answers.edge_explanation import EdgeExplanation
from bnengine.answers.rows_needed import RowsNeeded
from bnengine.answers.verdict import Verdict
from bnengine.bootstrap.calibration import Calibration
from bnengine.bootstrap.ensemble import AveragedNetwork, Ensemble
from bnengine.bootstrap.permutation_threshold import NoiseCheck
from bnengine.bootstrap.resamplers import Resampler
from bnengine.bootstrap.resampling_methods import Method
from bnengine.bootstrap.study import Study
from bnengine.experiment.intake import Prepared
from bnengine.graphs.dag import Edge, Graph
from bnengine.networks.network_files import KnownGraph
from bnengine.posterior import EdgePosterior
from bnengine.scores.scores import TableScore
from bnengine.search import LearnedGraph, Search

__all__ = [
    "AveragedNetwork", "BoolArray", "Calibration", "Edge", "EdgeAnswers", "EdgeExplanation", "EdgePosterior",
    "Ensemble", "FloatArray", "Graph", "IntArray", "KnownGraph", "LearnedGraph", "Method", "NoiseCheck", "Prepared",
    "Progress", "Resampler", "RowsNeeded", "Search", "Study", "TableScore", "UInt8Array", "Verdict",
]  # fmt: skip
