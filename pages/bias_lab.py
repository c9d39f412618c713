"""Bias lab: where the bootstrap's bias comes from, one idea at a time."""

from pages._shared.sections.bias_lab import entropy, fit, search, selection, statistic
from pages._shared.sections.bias_lab import entropy as cut_points
from pages._shared.sections.bias_lab import selection as multiscale
from pages._shared.sections.section import section_page
from pages._shared.session import Key

section_page(
    {
        "Entropy": entropy.entropy_section,
        "Corrected entropy": entropy.estimates_section,
        "Any statistic": statistic.statistic_section,
        "Spurious dependence": entropy.spurious_section,
        "Sparse tables": entropy.sparse_section,
        "Cut points": cut_points.cut_points_section,
        "Multiscale": multiscale.multiscale_section,
        "Selection": selection.selection_section,
        "Search": search.search_section,
        "Training and test": fit.likelihood_section,
        "Cross-validation": fit.criteria_section,
        "Jackknife": fit.errors_section,
    },
    Key.LAB_SECTION,
    with_data=False,
    settings=("Any statistic", "Selection", "Search"),
)
