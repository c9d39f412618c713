"""Bias lab: where the bootstrap's bias comes from, one idea at a time."""

from pages._shared.section import section_page
from pages._shared.sections.bias_lab import (
    criteria,
    cut_points,
    entropy,
    errors,
    estimates,
    likelihood,
    multiscale,
    selection,
    sparse,
    spurious,
    statistic,
)
from pages._shared.session import Key

section_page(
    {
        "Entropy": entropy.section,
        "Corrected entropy": estimates.section,
        "Any statistic": statistic.section,
        "Spurious dependence": spurious.section,
        "Sparse tables": sparse.section,
        "Cut points": cut_points.section,
        "Multiscale": multiscale.section,
        "Selection": selection.section,
        "Training and test": likelihood.section,
        "Cross-validation": criteria.section,
        "Jackknife": errors.section,
    },
    Key.LAB_SECTION,
    with_data=False,
    settings=("Any statistic", "Selection"),
)
