"""Structure learning for discrete Bayesian networks, and how far to trust each edge.

Data flows one way: ``read_table`` → ``discretize`` → ``Dataset`` → ``learn`` (a score and a search) → ``resample``
(an ``Ensemble`` of graphs) → ``study`` (the paper's Table 1 and Figure 1).

Scores are natural logarithms, higher is better; only ``mdl`` speaks in bits, lower is better.
"""

from bnengine.arc_by_arc import ArcCurve, arc_curve
from bnengine.bias import (
    EntropyBias,
    entropy_bias,
    entropy_bias_by_size,
    expected_entropy,
    leading_entropy_bias,
    plugin_entropy,
    skewed_distribution,
)
from bnengine.bif import BifError, load_network, network_names, read_bif, write_bif
from bnengine.bootstrap_bias import (
    BootstrapBias,
    VarianceBias,
    bootstrap_bias,
    bootstrap_entropy,
    bootstrap_information,
    bootstrap_variance,
    variance_bias,
)
from bnengine.comparison import compare_searches
from bnengine.confidence import Ensemble, resample
from bnengine.constraints import Constraints
from bnengine.correction import LEADING_STRENGTH, LeadingCorrection, corrected
from bnengine.data import DataError, Dataset
from bnengine.decomposition import Decomposition, decompose
from bnengine.dependence import (
    SpuriousDependence,
    contingency_table,
    g_squared,
    leading_information_bias,
    mutual_information,
    mutual_information_matrix,
    spurious_dependence,
)
from bnengine.describe import describe
from bnengine.discretize import discretize, numeric_columns
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
from bnengine.inference import EvidenceError, Posteriors, family_marginals, posteriors, what_if
from bnengine.iterated import EntropyEstimates, corrected_entropy, repeated_entropy
from bnengine.jensen import PROPORTION_FUNCTIONS, Jensen, jensen
from bnengine.missing import fill_missing
from bnengine.network import BayesianNetwork, fit
from bnengine.optimism import LikelihoodGap, likelihood_gap
from bnengine.posterior import EdgePosterior, edge_posterior
from bnengine.prediction import MEASURES, Predictions, predict
from bnengine.reading import read_table
from bnengine.resampling import Bootstrap, DeleteD, Jackknife
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
from bnengine.spanning_order import ArcPlan, arc_plan
from bnengine.study import Method, Study, methods, study, table1
from bnengine.ties import Ties, ties_in_resamples
from bnengine.validation import (
    PredictionComparison,
    base_rate,
    compare_predictions,
    holdout,
    k_folds,
    naive_bayes,
    predictive_accuracy,
)
from bnengine.warming import warm_up

__version__ = "0.1.0"

__all__ = [
    "AIC",
    "BIC",
    "FNML",
    "K2",
    "LEADING_STRENGTH",
    "MEASURES",
    "PROPORTION_FUNCTIONS",
    "QNML",
    "SAMPLE_TABLES",
    "SCORES",
    "SEARCHES",
    "ArcCurve",
    "ArcPlan",
    "BDe",
    "BDeu",
    "BDs",
    "BayesianNetwork",
    "BestFirst",
    "BifError",
    "Bootstrap",
    "BootstrapBias",
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
    "EntropyBias",
    "EntropyEstimates",
    "EvidenceError",
    "Exact",
    "Experiment",
    "FixedOrdering",
    "HillClimbing",
    "Jackknife",
    "Jensen",
    "K2Score",
    "LeadingCorrection",
    "LearnedGraph",
    "LikelihoodGap",
    "LogLikelihood",
    "Method",
    "Posteriors",
    "PredictionComparison",
    "Predictions",
    "SimulatedAnnealing",
    "SpuriousDependence",
    "Study",
    "Tabu",
    "Ties",
    "TreeSearch",
    "VarianceBias",
    "WithPrior",
    "arc_curve",
    "arc_plan",
    "base_rate",
    "bootstrap_bias",
    "bootstrap_entropy",
    "bootstrap_information",
    "bootstrap_variance",
    "compare_predictions",
    "compare_searches",
    "compare_skeletons",
    "contingency_table",
    "corrected",
    "corrected_entropy",
    "corrected_score",
    "cpdag",
    "decompose",
    "describe",
    "discretize",
    "edge_gains",
    "edge_posterior",
    "entropy_bias",
    "entropy_bias_by_size",
    "expected_entropy",
    "explain_empty",
    "family_marginals",
    "fill_missing",
    "fit",
    "g_squared",
    "holdout",
    "jensen",
    "k_folds",
    "leading_entropy_bias",
    "leading_information_bias",
    "learn",
    "likelihood_gap",
    "load_network",
    "load_sample",
    "local_score",
    "mdl",
    "methods",
    "mutual_information",
    "mutual_information_matrix",
    "n_dags",
    "n_parameters",
    "n_trees",
    "n_undirected_graphs",
    "naive_bayes",
    "network_names",
    "numeric_columns",
    "plugin_entropy",
    "posteriors",
    "predict",
    "predictive_accuracy",
    "read_bif",
    "read_table",
    "repeated_entropy",
    "resample",
    "score",
    "shd",
    "skewed_distribution",
    "spurious_dependence",
    "study",
    "table1",
    "ties_in_resamples",
    "variance_bias",
    "warm_up",
    "what_if",
    "write_bif",
]
