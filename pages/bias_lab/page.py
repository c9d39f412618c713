"""Bias lab: where the bootstrap's bias comes from, one idea at a time."""

from pages.bias_lab import entropy, fit, selection, statistic
from pages.shared.keys import Key
from pages.shared.lessons import DATA, SETTINGS, Section, lesson_page

lesson_page(
    {
        "Three basics": {
            "Entropy": Section(entropy.entropy_section),
            "Spurious dependence": Section(entropy.spurious_section),
            "Any statistic": Section(statistic.statistic_section, statistic.used),
        },
        "The paper": {
            "Corrected entropy": Section(entropy.estimates_section),
            "Sparse tables": Section(entropy.sparse_section),
            "Training and test": Section(fit.likelihood_section),
            "Jackknife": Section(fit.errors_section),
            "Cut points": Section(entropy.cut_points_section),
        },
        "Further": {
            "Cross-validation": Section(fit.criteria_section, DATA),
            "Selection": Section(selection.selection_section, SETTINGS),
        },
    },
    Key.LAB_SECTION,
    table="alarm_300",
)
