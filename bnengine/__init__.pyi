"""What ``bnengine`` makes public, and where it stands; each name is imported when it is first used."""

from . import answers, plots, posterior, prediction, settings, teaching
from ._core.environment import __version__ as __version__
from .answers.rows_needed import rows_needed
from .answers.verdict import verdict
from .bootstrap.calibration import calibrate
from .bootstrap.resample import resample
from .bootstrap.resamplers import Bootstrap, DeleteD, Jackknife, ParametricBootstrap, PredictiveBootstrap
from .bootstrap.resampling_methods import resampling_methods
from .bootstrap.study import study, table1
from .data.dataset import DataError, Dataset
from .data.missing import fill_missing
from .data.reading import read_table
from .data.repairs.finding import proposals
from .discretization.discretize import discretize
from .experiment import paper
from .experiment.cut_anew import CutAnew
from .experiment.experiment import Experiment
from .experiment.intake import prepare
from .experiment.recipe import Recipe
from .graphs.constraints import Constraints
from .graphs.dag import cpdag, shd
from .networks.bif import read_bif, write_bif
from .networks.bundled import load_network, load_sample
from .networks.formats import write_graph, write_network
from .networks.network import BayesianNetwork, fit
from .networks.network_files import read_graph, read_network
from .posterior import edge_posterior
from .scores.evaluation import corrected_score, local_score, mdl, score
from .scores.scores import AIC, BIC, FNML, QNML, BDe, BDeu, BDs, GaussianBIC, K2Score, LogLikelihood, WithPrior
from .search import (
    K2,
    BestFirst,
    ChowLiu,
    Exact,
    FixedOrdering,
    HillClimbing,
    IteratedLocalSearch,
    SimulatedAnnealing,
    Tabu,
    TreeSearch,
    learn,
)

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
    "CutAnew",
    "DataError",
    "Dataset",
    "DeleteD",
    "Exact",
    "Experiment",
    "FixedOrdering",
    "GaussianBIC",
    "HillClimbing",
    "IteratedLocalSearch",
    "Jackknife",
    "K2Score",
    "LogLikelihood",
    "ParametricBootstrap",
    "PredictiveBootstrap",
    "Recipe",
    "SimulatedAnnealing",
    "Tabu",
    "TreeSearch",
    "WithPrior",
    "answers",
    "calibrate",
    "corrected_score",
    "cpdag",
    "discretize",
    "edge_posterior",
    "fill_missing",
    "fit",
    "learn",
    "load_network",
    "load_sample",
    "local_score",
    "mdl",
    "paper",
    "plots",
    "posterior",
    "prediction",
    "prepare",
    "proposals",
    "read_bif",
    "read_graph",
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
    "verdict",
    "write_bif",
    "write_graph",
    "write_network",
]
