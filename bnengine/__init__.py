"""Structure learning for discrete Bayesian networks, and how far to trust each edge.

Data flows one way: ``read_table`` → ``discretize`` → ``Dataset`` → ``learn`` (a score and a search) → ``resample``
(an ``Ensemble`` of graphs) → ``study`` (the paper's Table 1 and Figure 1).

Scores are natural logarithms, higher is better; only ``mdl`` speaks in bits, lower is better.
"""

from bnengine.bootstrap.averaged_network import AveragedNetwork, averaged_network
from bnengine.bootstrap.calibration import CALIBRATED_KEYS, Calibration, calibrate
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.permutation_threshold import PermutationThreshold, permutation_threshold
from bnengine.bootstrap.resample import resample
from bnengine.bootstrap.resamplers import Bootstrap, DeleteD, Jackknife, ParametricBootstrap, SameData
from bnengine.bootstrap.spurious_edges import in_degrees, spurious_edges
from bnengine.bootstrap.study import METHOD_KEYS, TABLE1_KEYS, Method, Study, methods, study, table1
from bnengine.bootstrap.thresholds import l1_threshold
from bnengine.bootstrap.tie_effect import TieEffect, tie_effect
from bnengine.data.cuts import numeric_columns
from bnengine.data.dataset import DataError, Dataset
from bnengine.data.describe import describe
from bnengine.data.missing import fill_missing
from bnengine.data.reading import read_table
from bnengine.discretization.discretize import discretize
from bnengine.discretization.joint import LearnedDiscretization, learn_discretization
from bnengine.experiment.command_line import command_line
from bnengine.experiment.experiment import Experiment
from bnengine.experiment.fresh_samples import fresh_samples
from bnengine.experiment.paper import PUBLISHED, alarm_experiments, annealing_experiment, paper_table, run_experiments
from bnengine.experiment.recipe import DataRecipe
from bnengine.experiment.warm_up import warm_up
from bnengine.graphs.constraints import Constraints
from bnengine.graphs.dag import compare_skeletons, cpdag, shd
from bnengine.graphs.enumeration import ExactProblem, exact_problems, n_dags, n_trees, n_undirected_graphs
from bnengine.networks.bif import BifError, load_network, network_names, read_bif, renamed_for_bif, write_bif
from bnengine.networks.inference import EvidenceError, Posteriors, family_marginals, posteriors, what_if
from bnengine.networks.likelihood import log_probabilities, row_probabilities
from bnengine.networks.network import BayesianNetwork, fit
from bnengine.networks.sample_tables import SAMPLE_TABLES, load_sample
from bnengine.posterior.edge_posterior import EdgePosterior, edge_posterior, posterior_memory
from bnengine.posterior.order_prior import SoftTiers
from bnengine.posterior.score_weights import ScoreWeight, score_weight
from bnengine.prediction.chow_liu_order import ArcPlan, arc_plan
from bnengine.prediction.cross_validation import (
    PredictionComparison,
    base_rate,
    compare_predictions,
    holdout,
    k_folds,
    naive_bayes,
    predictive_accuracy,
)
from bnengine.prediction.edge_by_edge import ArcCurve, arc_curve
from bnengine.prediction.predict import MEASURES, Predictions, predict
from bnengine.scores.bootstrap_scores import DIC, CorrectedLikelihood
from bnengine.scores.correction import (
    CORRECTIONS,
    LEADING_STRENGTH,
    ExactCorrection,
    LeadingCorrection,
    corrected,
    correction_refused,
)
from bnengine.scores.decomposition import Decomposition, decompose
from bnengine.scores.dependence import (
    contingency_table,
    g_squared,
    leading_information_bias,
    most_dependent,
    mutual_information,
    mutual_informations,
)
from bnengine.scores.evaluation import (
    DescriptionLength,
    corrected_score,
    edge_gains,
    explain_empty,
    local_score,
    mdl,
    n_parameters,
    score,
)
from bnengine.scores.scores import AIC, BIC, FNML, QNML, SCORES, BDe, BDeu, BDs, K2Score, LogLikelihood, WithPrior
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
from bnengine.search.comparison import compare_searches
from bnengine.search.edge_changes import ARC_CHANGES, ArcChange, change_arc, single_changes
from bnengine.teaching.aic_cross_validation import CriteriaPath, criteria_path, leave_one_out
from bnengine.teaching.bootstrap_bias import (
    BootstrapBias,
    VarianceBias,
    bootstrap_bias,
    bootstrap_entropy,
    bootstrap_information,
    bootstrap_variance,
    variance_bias,
)
from bnengine.teaching.candidate_networks import candidate_networks, description_lengths
from bnengine.teaching.dirichlet_evidence import (
    DirichletEvidence,
    dirichlet_density,
    dirichlet_evidence,
    dirichlet_log_evidence,
)
from bnengine.teaching.empty_cells import bias_by_count, bias_by_family, bias_by_rows
from bnengine.teaching.entropy_bias import (
    EntropyBias,
    entropy_bias,
    entropy_bias_by_size,
    expected_entropy,
    leading_entropy_bias,
    plugin_entropy,
    skewed_distribution,
)
from bnengine.teaching.equivalent_scores import equivalence_table, spread_within_classes
from bnengine.teaching.iterated_bootstrap import IteratedBootstrap, iterated_bootstrap
from bnengine.teaching.iterated_correction import (
    EntropyEstimates,
    corrected_entropy,
    corrected_information,
    corrected_variance,
    repeated_entropy,
)
from bnengine.teaching.jackknife_errors import ResamplingErrors, jackknife_error, resampling_errors
from bnengine.teaching.jensen import PROPORTION_FUNCTIONS, Jensen, jensen
from bnengine.teaching.likelihood_gap import LikelihoodGap, likelihood_gap
from bnengine.teaching.local_optima import Escape, compare_escapes, find_trap, parity_sample
from bnengine.teaching.model_averaging import (
    all_dags,
    averaging_by_rows,
    graph_posterior,
    predict_rows,
    predicted_against_seen,
)
from bnengine.teaching.overfitting import fit_by_arcs, split_rows
from bnengine.teaching.parameter_precision import parameter_precision
from bnengine.teaching.prior_sensitivity import ESS_GRID, edges_by_ess
from bnengine.teaching.replicated_data import CopiesComparison, compare_copies, copied, learn_from_copies
from bnengine.teaching.resampled_ties import Ties, ties_in_resamples
from bnengine.teaching.score_consistency import (
    graphs_around,
    n_impossible,
    rows_until_first_wins,
    score_growth,
    spurious_arcs,
)
from bnengine.teaching.selection_bias import SelectionBias, selection_bias
from bnengine.teaching.spurious_dependence import SpuriousDependence, spurious_dependence
from bnengine.teaching.tree_walk import SearchWalk, visits_by_rule, walk_tree

__version__ = "0.1.0"

__all__ = [
    "AIC",
    "ARC_CHANGES",
    "BIC",
    "CALIBRATED_KEYS",
    "CORRECTIONS",
    "DIC",
    "ESS_GRID",
    "FNML",
    "K2",
    "LEADING_STRENGTH",
    "MEASURES",
    "METHOD_KEYS",
    "PROPORTION_FUNCTIONS",
    "PUBLISHED",
    "QNML",
    "SAMPLE_TABLES",
    "SCORES",
    "SEARCHES",
    "TABLE1_KEYS",
    "ArcChange",
    "ArcCurve",
    "ArcPlan",
    "AveragedNetwork",
    "BDe",
    "BDeu",
    "BDs",
    "BayesianNetwork",
    "BestFirst",
    "BifError",
    "Bootstrap",
    "BootstrapBias",
    "Calibration",
    "ChowLiu",
    "Constraints",
    "CopiesComparison",
    "CorrectedLikelihood",
    "CriteriaPath",
    "DataError",
    "DataRecipe",
    "Dataset",
    "Decomposition",
    "DeleteD",
    "DescriptionLength",
    "DirichletEvidence",
    "EdgePosterior",
    "Ensemble",
    "EntropyBias",
    "EntropyEstimates",
    "Escape",
    "EvidenceError",
    "Exact",
    "ExactCorrection",
    "ExactProblem",
    "Experiment",
    "FixedOrdering",
    "HillClimbing",
    "IteratedBootstrap",
    "Jackknife",
    "Jensen",
    "K2Score",
    "LeadingCorrection",
    "LearnedDiscretization",
    "LearnedGraph",
    "LikelihoodGap",
    "LogLikelihood",
    "Method",
    "ParametricBootstrap",
    "PermutationThreshold",
    "Posteriors",
    "PredictionComparison",
    "Predictions",
    "ResamplingErrors",
    "SameData",
    "ScoreWeight",
    "SearchWalk",
    "SelectionBias",
    "SimulatedAnnealing",
    "SoftTiers",
    "SpuriousDependence",
    "Study",
    "Tabu",
    "TieEffect",
    "Ties",
    "TreeSearch",
    "VarianceBias",
    "WithPrior",
    "alarm_experiments",
    "all_dags",
    "annealing_experiment",
    "arc_curve",
    "arc_plan",
    "averaged_network",
    "averaging_by_rows",
    "base_rate",
    "bias_by_count",
    "bias_by_family",
    "bias_by_rows",
    "bootstrap_bias",
    "bootstrap_entropy",
    "bootstrap_information",
    "bootstrap_variance",
    "calibrate",
    "candidate_networks",
    "change_arc",
    "command_line",
    "compare_copies",
    "compare_escapes",
    "compare_predictions",
    "compare_searches",
    "compare_skeletons",
    "contingency_table",
    "copied",
    "corrected",
    "corrected_entropy",
    "corrected_information",
    "corrected_score",
    "corrected_variance",
    "correction_refused",
    "cpdag",
    "criteria_path",
    "decompose",
    "describe",
    "description_lengths",
    "dirichlet_density",
    "dirichlet_evidence",
    "dirichlet_log_evidence",
    "discretize",
    "edge_gains",
    "edge_posterior",
    "edges_by_ess",
    "entropy_bias",
    "entropy_bias_by_size",
    "equivalence_table",
    "exact_problems",
    "expected_entropy",
    "explain_empty",
    "family_marginals",
    "fill_missing",
    "find_trap",
    "fit",
    "fit_by_arcs",
    "fresh_samples",
    "g_squared",
    "graph_posterior",
    "graphs_around",
    "holdout",
    "in_degrees",
    "iterated_bootstrap",
    "jackknife_error",
    "jensen",
    "k_folds",
    "l1_threshold",
    "leading_entropy_bias",
    "leading_information_bias",
    "learn",
    "learn_discretization",
    "learn_from_copies",
    "leave_one_out",
    "likelihood_gap",
    "load_network",
    "load_sample",
    "local_score",
    "log_probabilities",
    "mdl",
    "methods",
    "most_dependent",
    "mutual_information",
    "mutual_informations",
    "n_dags",
    "n_impossible",
    "n_parameters",
    "n_trees",
    "n_undirected_graphs",
    "naive_bayes",
    "network_names",
    "numeric_columns",
    "paper_table",
    "parameter_precision",
    "parity_sample",
    "permutation_threshold",
    "plugin_entropy",
    "posterior_memory",
    "posteriors",
    "predict",
    "predict_rows",
    "predicted_against_seen",
    "predictive_accuracy",
    "read_bif",
    "read_table",
    "renamed_for_bif",
    "repeated_entropy",
    "resample",
    "resampling_errors",
    "row_probabilities",
    "rows_until_first_wins",
    "run_experiments",
    "score",
    "score_growth",
    "score_weight",
    "selection_bias",
    "shd",
    "single_changes",
    "skewed_distribution",
    "split_rows",
    "spread_within_classes",
    "spurious_arcs",
    "spurious_dependence",
    "spurious_edges",
    "study",
    "table1",
    "tie_effect",
    "ties_in_resamples",
    "variance_bias",
    "visits_by_rule",
    "walk_tree",
    "warm_up",
    "what_if",
    "write_bif",
]
