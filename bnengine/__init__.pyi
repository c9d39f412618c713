"""What ``bnengine`` makes public, and where it stands; each name is imported when it is first used."""

from . import plots, posterior, prediction, settings, teaching
from ._core.environment import __version__ as __version__
from .answers.edge_answers import two_answers
from .answers.edge_facts import explain_edge
from .answers.rows_needed import rows_needed
from .answers.verdict import verdict
from .bootstrap.calibration import calibrate
from .bootstrap.ensemble import Ensemble, averaged_network
from .bootstrap.more_replicates import add_replicates
from .bootstrap.permutation_threshold import permutation_threshold
from .bootstrap.resample import resample
from .bootstrap.resamplers import (
    Bootstrap,
    DeleteD,
    Jackknife,
    ParametricBootstrap,
    PredictiveBootstrap,
    RepeatedSearch,
)
from .bootstrap.resampling_methods import resampling_methods
from .bootstrap.study import Study, study, table1
from .data.columns import describe
from .data.dataset import DataError, Dataset
from .data.reading import read_table
from .data.repairs import proposals
from .data.rows_and_states import fill_missing
from .discretization.discretize import discretize
from .discretization.joint import learn_discretization
from .experiment import paper
from .experiment.experiment import Experiment
from .experiment.intake import prepare
from .experiment.recipe import Recipe
from .experiment.warm_up import warm_up
from .graphs.constraints import Constraints
from .graphs.dag import cpdag, shd
from .networks.bif import read_bif, write_bif
from .networks.bundled import load_network, load_sample, network_names
from .networks.formats import read_network, write_graph, write_network
from .networks.network import BayesianNetwork, fit
from .posterior import edge_posterior
from .scores.effect import edge_effect
from .scores.evaluation import corrected_score, local_score, mdl, n_parameters, score
from .scores.missingness import missingness
from .scores.scores import AIC, BIC, FNML, QNML, BDe, BDeu, BDs, K2Score, LogLikelihood, WithPrior
from .search import (
    K2,
    BestFirst,
    ChowLiu,
    Exact,
    FixedOrdering,
    HillClimbing,
    IteratedLocalSearch,
    LearnedGraph,
    SimulatedAnnealing,
    Tabu,
    TreeSearch,
    learn,
)
from .search.certificate import certify

__all__ = [
    "AIC",
    "BIC",
    "FNML",
    "K2",
    "QNML",
    "BDe",
    "BDeu",
    "BDs",
    "BayesianNetwork",
    "BestFirst",
    "Bootstrap",
    "ChowLiu",
    "Constraints",
    "DataError",
    "Dataset",
    "DeleteD",
    "Ensemble",
    "Exact",
    "Experiment",
    "FixedOrdering",
    "HillClimbing",
    "IteratedLocalSearch",
    "Jackknife",
    "K2Score",
    "LearnedGraph",
    "LogLikelihood",
    "ParametricBootstrap",
    "PredictiveBootstrap",
    "Recipe",
    "RepeatedSearch",
    "SimulatedAnnealing",
    "Study",
    "Tabu",
    "TreeSearch",
    "WithPrior",
    "add_replicates",
    "averaged_network",
    "calibrate",
    "certify",
    "corrected_score",
    "cpdag",
    "describe",
    "discretize",
    "edge_effect",
    "edge_posterior",
    "explain_edge",
    "fill_missing",
    "fit",
    "learn",
    "learn_discretization",
    "load_network",
    "load_sample",
    "local_score",
    "mdl",
    "missingness",
    "n_parameters",
    "network_names",
    "paper",
    "permutation_threshold",
    "plots",
    "posterior",
    "prediction",
    "prepare",
    "proposals",
    "read_bif",
    "read_network",
    "read_table",
    "resample",
    "resampling_methods",
    "rows_needed",
    "score",
    "settings",
    "shd",
    "study",
    "table1",
    "teaching",
    "two_answers",
    "verdict",
    "warm_up",
    "write_bif",
    "write_graph",
    "write_network",
]
