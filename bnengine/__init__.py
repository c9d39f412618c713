"""Structure learning for discrete Bayesian networks, and how far to trust each edge.

Data flows one way: ``read_table`` → ``discretize`` → ``Dataset`` → ``learn`` (a score and a search) → ``resample``
(an ``Ensemble`` of graphs) → ``study`` (the paper's Table 1 and Figure 1).

Scores are natural logarithms, higher is better; only ``mdl`` speaks in bits, lower is better.
"""

from bnengine.bif import BifError, load_network, network_names, read_bif, write_bif
from bnengine.calibration import CALIBRATED_KEYS, Calibration, calibrate
from bnengine.command import command_line
from bnengine.comparison import compare_searches
from bnengine.confidence import resample
from bnengine.constraints import Constraints
from bnengine.correction import (
    CORRECTIONS,
    LEADING_STRENGTH,
    ExactCorrection,
    LeadingCorrection,
    corrected,
    correction_refused,
)
from bnengine.data import DataError, Dataset
from bnengine.decomposition import Decomposition, decompose
from bnengine.describe import describe
from bnengine.discretize import discretize, numeric_columns
from bnengine.ensemble import Ensemble
from bnengine.evaluation import (
    DescriptionLength,
    corrected_score,
    edge_gains,
    explain_empty,
    local_score,
    mdl,
    n_parameters,
    score,
)
from bnengine.experiment import DataRecipe, Experiment
from bnengine.graph import compare_skeletons, cpdag, shd
from bnengine.missing import fill_missing
from bnengine.network import BayesianNetwork, fit
from bnengine.paper import PUBLISHED, alarm_experiments, annealing_experiment, paper_table, run_experiments
from bnengine.posterior import EdgePosterior, edge_posterior
from bnengine.reading import read_table
from bnengine.resampling import Bootstrap, DeleteD, Jackknife, ParametricBootstrap, SameData
from bnengine.samples import SAMPLE_TABLES, load_sample
from bnengine.scores import AIC, BIC, FNML, QNML, SCORES, BDe, BDeu, BDs, K2Score, LogLikelihood, WithPrior
from bnengine.search import (
    K2,
    SEARCHES,
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
from bnengine.search_space_size import n_dags, n_trees, n_undirected_graphs
from bnengine.spurious import in_degrees, spurious_edges
from bnengine.study import METHOD_KEYS, TABLE1_KEYS, Method, Study, methods, study, table1
from bnengine.thresholds import (
    AveragedNetwork,
    PermutationThreshold,
    averaged_network,
    l1_threshold,
    permutation_threshold,
)
from bnengine.warming import warm_up

__version__ = "0.1.0"

__all__ = [
    "AIC",
    "BIC",
    "CALIBRATED_KEYS",
    "CORRECTIONS",
    "FNML",
    "K2",
    "LEADING_STRENGTH",
    "METHOD_KEYS",
    "PUBLISHED",
    "QNML",
    "SAMPLE_TABLES",
    "SCORES",
    "SEARCHES",
    "TABLE1_KEYS",
    "AveragedNetwork",
    "BDe",
    "BDeu",
    "BDs",
    "BayesianNetwork",
    "BestFirst",
    "BifError",
    "Bootstrap",
    "Calibration",
    "ChowLiu",
    "Constraints",
    "DataError",
    "DataRecipe",
    "Dataset",
    "Decomposition",
    "DeleteD",
    "DescriptionLength",
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
    "Method",
    "ParametricBootstrap",
    "PermutationThreshold",
    "SameData",
    "SimulatedAnnealing",
    "Study",
    "Tabu",
    "TreeSearch",
    "WithPrior",
    "alarm_experiments",
    "annealing_experiment",
    "averaged_network",
    "calibrate",
    "command_line",
    "compare_searches",
    "compare_skeletons",
    "corrected",
    "corrected_score",
    "correction_refused",
    "cpdag",
    "decompose",
    "describe",
    "discretize",
    "edge_gains",
    "edge_posterior",
    "explain_empty",
    "fill_missing",
    "fit",
    "in_degrees",
    "l1_threshold",
    "learn",
    "load_network",
    "load_sample",
    "local_score",
    "mdl",
    "methods",
    "n_dags",
    "n_parameters",
    "n_trees",
    "n_undirected_graphs",
    "network_names",
    "numeric_columns",
    "paper_table",
    "permutation_threshold",
    "read_bif",
    "read_table",
    "resample",
    "run_experiments",
    "score",
    "shd",
    "spurious_edges",
    "study",
    "table1",
    "warm_up",
    "write_bif",
]
