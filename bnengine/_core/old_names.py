"""Public names that have moved or changed, kept for one release with a warning."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

#: Old names by the module below ``bnengine`` that has them now; ``old=new`` where the name itself changed.
_MOVED = {
    "": "DataRecipe=Recipe SameData=RepeatedSearch",
    "bootstrap.averaged_network": "AveragedNetwork",
    "bootstrap.calibration": "Calibration",
    "bootstrap.methods": "CALIBRATED_KEYS METHOD_KEYS Method TABLE1_KEYS",
    "bootstrap.permutation_threshold": "PermutationThreshold",
    "bootstrap.tie_effect": "TieEffect",
    "data.cuts": "numeric_columns",
    "discretization.joint": "LearnedDiscretization",
    "graphs.dag": "compare_skeletons",
    "networks.bif": "renamed_for_bif",
    "networks.sample_tables": "SAMPLE_TABLES",
    "scores.correction": "CORRECTIONS LEADING_STRENGTH corrected correction_refused",
    "scores.decomposition": "Decomposition",
    "scores.evaluation": "DescriptionLength explain_empty",
    "scores.scores": "SCORES",
    "search": "SEARCHES",
    "experiment.paper": "PUBLISHED alarm_experiments annealing_experiment fresh_samples paper_table run_experiments",
    "posterior": "ScoreWeight SoftTiers posterior_memory score_weight",
    "prediction": "ArcCurve=EdgeCurve ArcPlan=EdgePlan EvidenceError MEASURES Posteriors PredictionComparison "
    "Predictions arc_curve=edge_curve arc_plan=edge_plan base_rate compare_predictions family_marginals "
    "holdout k_folds log_probabilities naive_bayes posteriors predictive_accuracy row_probabilities "
    "what_if",
    "teaching": "ARC_CHANGES=EDGE_CHANGES ArcChange=EdgeChange BootstrapBias CopiesComparison CriteriaPath "
    "DirichletEvidence ESS_GRID EntropyBias EntropyEstimates Escape=GreedyComparison ExactProblem IteratedBootstrap "
    "Jensen LikelihoodGap PROPORTION_FUNCTIONS ResamplingErrors SearchWalk SelectionBias SpuriousDependence Ties "
    "VarianceBias all_dags averaging_by_rows bias_by_count bias_by_family bias_by_rows bootstrap_bias "
    "bootstrap_entropy bootstrap_information bootstrap_variance candidate_networks change_arc=change_edge "
    "compare_copies compare_escapes=compare_with_greedy contingency_table copied=replicate_rows corrected_entropy "
    "corrected_information corrected_variance criteria_path description_lengths dirichlet_density "
    "dirichlet_evidence dirichlet_log_evidence edge_gains edges_by_ess entropy_bias entropy_bias_by_size "
    "equivalence_table exact_problems expected_entropy find_trap fit_by_arcs=fit_by_edges g_squared "
    "graph_posterior graphs_around in_degrees iterated_bootstrap jackknife_error jensen "
    "leading_entropy_bias leading_information_bias learn_from_copies leave_one_out likelihood_gap "
    "most_dependent mutual_information mutual_informations n_dags n_impossible n_trees "
    "n_undirected_graphs parameter_precision parity_sample plugin_entropy predict_rows "
    "predicted_against_seen=predicted_against_observed repeated_entropy resampling_errors "
    "rows_until_first_wins score_growth "
    "selection_bias single_changes skewed_distribution split_rows spread_within_classes "
    "spurious_arcs=addable_edges spurious_dependence spurious_edges ties_in_resamples variance_bias "
    "visits_by_rule walk_tree",
}
P = ParamSpec("P")
R = TypeVar("R")
_HOMES = {
    word.partition("=")[0]: (module, word.partition("=")[2] or word)
    for module, words in _MOVED.items()
    for word in words.split()
}


def old_name(name: str) -> Any:
    """What an old public name stands for, with a DeprecationWarning; an AttributeError if there was no such name."""
    if name not in _HOMES:
        raise AttributeError(f"module 'bnengine' has no attribute {name!r}")
    module, new = _HOMES[name]
    place = ".".join(filter(None, ("bnengine", module)))
    shown = place.replace("bnengine", "bn", 1).replace("bn.experiment.paper", "bn.paper")
    warnings.warn(f"bn.{name} is now {shown}.{new}", DeprecationWarning, stacklevel=3)
    return getattr(importlib.import_module(place), new)


def renamed_arguments(**present: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Accept old names of a function's keyword arguments, with a DeprecationWarning: ``old="present"``."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def accepting(*args: P.args, **kwargs: P.kwargs) -> R:
            for old in [name for name in kwargs if name in present]:
                name = function.__qualname__.removesuffix(".__init__")
                warnings.warn(f"{name}: {old} is now {present[old]}", DeprecationWarning, stacklevel=2)
                kwargs[present[old]] = kwargs.pop(old)
            return function(*args, **kwargs)

        return accepting

    return decorate
