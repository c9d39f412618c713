"""Bias lab: where the bootstrap's bias comes from, one idea at a time."""

from pages.bias_lab import entropy, fit, replicates, statistic
from pages.shared.lessons import lesson_page

SECTIONS = {
    "Replicates": replicates.replicates_section,
    "Entropy": entropy.entropy_section,
    "Spurious dependence": entropy.spurious_section,
    "Any statistic": statistic.statistic_section,
    "Corrected entropy": entropy.estimates_section,
    "Sparse tables": entropy.sparse_section,
    "Training and test": fit.gap_section,
    "Jackknife": fit.errors_section,
}
#: Those that can be drawn for the visitor's data.
OWN = ("Replicates",)

if __name__ == "__main__":
    lesson_page("bias_lab", SECTIONS, table="alarm_300", own=OWN)
