"""Lessons: the sources of bias, the behaviour of scores and searches, and the number of graphs."""

from bnengine.bootstrap.spurious_edges import in_degrees, spurious_edges
from bnengine.graphs.enumeration import log10_n_dags, n_dags, n_trees, n_undirected_graphs
from bnengine.scores.dependence import (
    contingency_table,
    g_squared,
    leading_information_bias,
    most_dependent,
    mutual_information,
    mutual_informations,
)
from bnengine.scores.evaluation import edge_gains
from bnengine.search.edge_changes import EDGE_CHANGES, EdgeChange, change_edge, single_changes
from bnengine.search.exact_problem import ExactProblem, exact_problems
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
from bnengine.teaching.cut_points import CutPointConfidence, cut_point_confidence
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
from bnengine.teaching.graph_series import GraphSeries
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
from bnengine.teaching.local_optima import GreedyComparison, compare_with_greedy, find_trap, parity_sample
from bnengine.teaching.model_averaging import (
    AveragingGains,
    all_dags,
    averaging_by_rows,
    averaging_gains,
    graph_posterior,
    predict_rows,
    predicted_against_observed,
)
from bnengine.teaching.multiscale import MultiscaleBootstrap, multiscale_bootstrap
from bnengine.teaching.overfitting import FitPath, fit_by_edges, fit_path, split_rows
from bnengine.teaching.parameter_precision import parameter_precision
from bnengine.teaching.prior_sensitivity import ESS_GRID, edges_by_ess, graphs_by_ess
from bnengine.teaching.replicated_data import (
    CopiesComparison,
    compare_copies,
    graphs_from_copies,
    learn_from_copies,
    replicate_rows,
)
from bnengine.teaching.resampled_ties import Ties, ties_in_resamples
from bnengine.teaching.score_consistency import (
    addable_edges,
    graphs_around,
    n_impossible,
    rows_until_first_wins,
    score_growth,
)
from bnengine.teaching.selection_bias import SelectionBias, selection_bias
from bnengine.teaching.spurious_dependence import SpuriousDependence, spurious_dependence
from bnengine.teaching.tree_walk import SearchWalk, visits_by_rule, walk_tree

__all__ = [
    "EDGE_CHANGES",
    "ESS_GRID",
    "PROPORTION_FUNCTIONS",
    "AveragingGains",
    "BootstrapBias",
    "CopiesComparison",
    "CriteriaPath",
    "CutPointConfidence",
    "DirichletEvidence",
    "EdgeChange",
    "EntropyBias",
    "EntropyEstimates",
    "ExactProblem",
    "FitPath",
    "GraphSeries",
    "GreedyComparison",
    "IteratedBootstrap",
    "Jensen",
    "LikelihoodGap",
    "MultiscaleBootstrap",
    "ResamplingErrors",
    "SearchWalk",
    "SelectionBias",
    "SpuriousDependence",
    "Ties",
    "VarianceBias",
    "addable_edges",
    "all_dags",
    "averaging_by_rows",
    "averaging_gains",
    "bias_by_count",
    "bias_by_family",
    "bias_by_rows",
    "bootstrap_bias",
    "bootstrap_entropy",
    "bootstrap_information",
    "bootstrap_variance",
    "candidate_networks",
    "change_edge",
    "compare_copies",
    "compare_with_greedy",
    "contingency_table",
    "corrected_entropy",
    "corrected_information",
    "corrected_variance",
    "criteria_path",
    "cut_point_confidence",
    "description_lengths",
    "dirichlet_density",
    "dirichlet_evidence",
    "dirichlet_log_evidence",
    "edge_gains",
    "edges_by_ess",
    "entropy_bias",
    "entropy_bias_by_size",
    "equivalence_table",
    "exact_problems",
    "expected_entropy",
    "find_trap",
    "fit_by_edges",
    "fit_path",
    "g_squared",
    "graph_posterior",
    "graphs_around",
    "graphs_by_ess",
    "graphs_from_copies",
    "in_degrees",
    "iterated_bootstrap",
    "jackknife_error",
    "jensen",
    "leading_entropy_bias",
    "leading_information_bias",
    "learn_from_copies",
    "leave_one_out",
    "likelihood_gap",
    "log10_n_dags",
    "most_dependent",
    "multiscale_bootstrap",
    "mutual_information",
    "mutual_informations",
    "n_dags",
    "n_impossible",
    "n_trees",
    "n_undirected_graphs",
    "parameter_precision",
    "parity_sample",
    "plugin_entropy",
    "predict_rows",
    "predicted_against_observed",
    "repeated_entropy",
    "replicate_rows",
    "resampling_errors",
    "rows_until_first_wins",
    "score_growth",
    "selection_bias",
    "single_changes",
    "skewed_distribution",
    "split_rows",
    "spread_within_classes",
    "spurious_dependence",
    "spurious_edges",
    "ties_in_resamples",
    "variance_bias",
    "visits_by_rule",
    "walk_tree",
]  # fmt: skip
