"""Structure learning for discrete Bayesian networks, and how far to trust each edge.

Data flows one way: ``read_table`` → ``discretize`` → ``Dataset`` → ``learn`` (a score and a search) → ``resample``
(an ``Ensemble`` of graphs) → ``study`` (the paper's Table 1 and Figure 1).

Scores are natural logarithms, higher is better; only ``mdl`` speaks in bits, lower is better.
"""

from typing import Any

from bnengine import posterior, prediction, teaching
from bnengine._core.old_names import old_name
from bnengine.bootstrap.averaged_network import averaged_network
from bnengine.bootstrap.calibration import calibrate
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.permutation_threshold import permutation_threshold
from bnengine.bootstrap.resample import resample
from bnengine.bootstrap.resamplers import Bootstrap, DeleteD, Jackknife, ParametricBootstrap, RepeatedSearch
from bnengine.bootstrap.study import Study, methods, study, table1
from bnengine.bootstrap.thresholds import l1_threshold
from bnengine.bootstrap.tie_effect import tie_effect
from bnengine.data.dataset import DataError, Dataset
from bnengine.data.describe import describe
from bnengine.data.missing import fill_missing
from bnengine.data.reading import read_table
from bnengine.discretization.discretize import discretize
from bnengine.discretization.joint import learn_discretization
from bnengine.experiment import paper
from bnengine.experiment.command_line import command_line
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.recipe import Recipe
from bnengine.experiment.warm_up import warm_up
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import cpdag, shd
from bnengine.networks.bif import BifError, load_network, network_names, read_bif, write_bif
from bnengine.networks.network import BayesianNetwork, fit
from bnengine.networks.sample_tables import load_sample
from bnengine.posterior.edge_posterior import EdgePosterior, edge_posterior
from bnengine.prediction.predict import predict
from bnengine.scores.bootstrap_scores import DIC, CorrectedLikelihood
from bnengine.scores.correction import ExactCorrection, LeadingCorrection
from bnengine.scores.decomposition import decompose
from bnengine.scores.evaluation import corrected_score, local_score, mdl, n_parameters, score
from bnengine.scores.scores import AIC, BIC, FNML, QNML, BDe, BDeu, BDs, K2Score, LogLikelihood, WithPrior
from bnengine.search import (
    K2,
    BestFirst,
    ChowLiu,
    Exact,
    FixedOrdering,
    HillClimbing,
    LearnedGraph,
    SimulatedAnnealing,
    Tabu,
    TreeSearch,
    learn,
)
from bnengine.search.comparison import compare_searches

__version__ = "0.1.0"

__all__ = [
    "AIC",
    "BIC",
    "DIC",
    "FNML",
    "K2",
    "QNML",
    "BDe",
    "BDeu",
    "BDs",
    "BayesianNetwork",
    "BestFirst",
    "BifError",
    "Bootstrap",
    "ChowLiu",
    "Constraints",
    "CorrectedLikelihood",
    "DataError",
    "Dataset",
    "DeleteD",
    "EdgePosterior",
    "Ensemble",
    "Exact",
    "ExactCorrection",
    "Experiment",
    "FixedOrdering",
    "HillClimbing",
    "Jackknife",
    "K2Score",
    "LeadingCorrection",
    "LearnedGraph",
    "LogLikelihood",
    "ParametricBootstrap",
    "Recipe",
    "RepeatedSearch",
    "SimulatedAnnealing",
    "Study",
    "Tabu",
    "TreeSearch",
    "WithPrior",
    "averaged_network",
    "calibrate",
    "command_line",
    "compare_searches",
    "corrected_score",
    "cpdag",
    "decompose",
    "describe",
    "discretize",
    "edge_posterior",
    "fill_missing",
    "fit",
    "l1_threshold",
    "learn",
    "learn_discretization",
    "load_network",
    "load_sample",
    "local_score",
    "mdl",
    "methods",
    "n_parameters",
    "network_names",
    "paper",
    "permutation_threshold",
    "posterior",
    "predict",
    "prediction",
    "read_bif",
    "read_table",
    "resample",
    "score",
    "shd",
    "study",
    "table1",
    "teaching",
    "tie_effect",
    "warm_up",
    "write_bif",
]


def __getattr__(name: str) -> Any:
    return old_name(name)
