"""Bias lab: where the bootstrap's bias comes from, one idea at a time."""

from pages.bias_lab import entropy, fit, replicates, statistic
from pages.shared.keys import Key
from pages.shared.lessons import lesson_page

lesson_page(
    {
        "Replicates": replicates.replicates_section,
        "Entropy": entropy.entropy_section,
        "Spurious dependence": entropy.spurious_section,
        "Any statistic": statistic.statistic_section,
        "Corrected entropy": entropy.estimates_section,
        "Sparse tables": entropy.sparse_section,
        "Training and test": fit.gap_section,
        "Jackknife": fit.errors_section,
    },
    Key.LAB_SECTION,
    table="alarm_300",
    own=("Replicates",),
)
