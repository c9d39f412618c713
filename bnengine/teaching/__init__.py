"""Lessons: the sources of bias, the behaviour of scores and searches, and the number of graphs."""

from bnengine.bootstrap.permutation_threshold import spurious_edges
from bnengine.bootstrap.resamplers import RepeatedSearch
from bnengine.graphs.dag import n_dags, n_trees, n_undirected_graphs
from bnengine.scores.dependence import mutual_informations
from bnengine.scores.evaluation import decompose, edge_gains, n_parameters
from bnengine.scores.scores import LeadingCorrection
from bnengine.search.edge_changes import EdgeChange, change_edge, single_changes
from bnengine.search.learning import compare_searches
from bnengine.teaching.candidate_networks import (
    GreedyComparison,
    SearchWalk,
    candidate_networks,
    compare_with_greedy,
    description_lengths,
    equivalence_table,
    parity_sample,
    small_graphs,
    spread_within_classes,
    walk_tree,
)
from bnengine.teaching.dependence import (
    SpuriousDependence,
    contingency_table,
    leading_information_bias,
    most_dependent,
    mutual_information,
    spurious_dependence,
)
from bnengine.teaching.entropy_bias import (
    EntropyEstimates,
    bias_by_count,
    bias_by_family,
    bias_by_rows,
    entropy_bias,
    entropy_bias_by_size,
    expected_entropy,
    leading_entropy_bias,
    plugin_entropy,
    repeated_entropy,
    skewed_distribution,
)
from bnengine.teaching.gains_of_numbers import gains_of_numbers
from bnengine.teaching.marginal_likelihood import (
    DirichletEvidence,
    dirichlet_density,
    dirichlet_evidence,
    parameter_precision,
)
from bnengine.teaching.reading_graphs import edge_costs, hidden_cause, pair_dependence, reversals
from bnengine.teaching.resampling_errors import (
    PROPORTION_FUNCTIONS,
    BootstrapBias,
    Jensen,
    ResamplingErrors,
    bootstrap_information,
    bootstrap_variance,
    iterated_bootstrap,
    jackknife_error,
    jensen,
    repeated_variance,
    resampling_errors,
)
from bnengine.teaching.series import (
    ESS_GRID,
    CopiesComparison,
    GraphSeries,
    compare_copies,
    graphs_around,
    graphs_by_ess,
    graphs_from_copies,
    n_impossible,
    replicate_rows,
    rows_until_first_wins,
    score_growth,
)
from bnengine.teaching.training_and_test import dic, likelihood_gap

__all__ = [
    "ESS_GRID", "PROPORTION_FUNCTIONS", "BootstrapBias", "CopiesComparison", "DirichletEvidence", "EdgeChange",
    "EntropyEstimates", "GraphSeries", "GreedyComparison", "Jensen", "LeadingCorrection", "RepeatedSearch",
    "ResamplingErrors", "SearchWalk", "SpuriousDependence", "bias_by_count", "bias_by_family", "bias_by_rows",
    "bootstrap_information", "bootstrap_variance", "candidate_networks", "change_edge", "compare_copies",
    "compare_searches", "compare_with_greedy", "contingency_table", "decompose", "description_lengths", "dic",
    "dirichlet_density", "dirichlet_evidence", "edge_costs", "edge_gains", "entropy_bias", "entropy_bias_by_size",
    "equivalence_table", "expected_entropy", "gains_of_numbers", "graphs_around", "graphs_by_ess", "graphs_from_copies",
    "hidden_cause", "iterated_bootstrap", "jackknife_error", "jensen", "leading_entropy_bias",
    "leading_information_bias", "likelihood_gap", "most_dependent", "mutual_information", "mutual_informations",
    "n_dags", "n_impossible", "n_parameters", "n_trees", "n_undirected_graphs", "pair_dependence",
    "parameter_precision", "parity_sample", "plugin_entropy", "repeated_entropy", "repeated_variance", "replicate_rows",
    "resampling_errors", "reversals", "rows_until_first_wins", "score_growth", "single_changes", "skewed_distribution",
    "small_graphs", "spread_within_classes", "spurious_dependence", "spurious_edges", "walk_tree",
]  # fmt: skip
