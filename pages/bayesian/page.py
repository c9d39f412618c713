"""Bayesian score: marginal likelihood, consistency, overfitting, priors, equivalence, local optima, averaging."""

from pages.bayesian import evidence, search
from pages.shared.keys import Key
from pages.shared.lessons import DATA, Section, lesson_page

lesson_page(
    {
        "": {
            "Coin tosses": Section(evidence.coins_section),
            "BDeu and BIC": Section(evidence.growth_section),
            "Overfitting": Section(search.more_edges_section, DATA),
            "Prior strength": Section(evidence.sample_size_section, DATA),
            "Equivalence": Section(evidence.equivalence_section, DATA),
            "Local optima": Section(search.local_optima_section),
            "Model averaging": Section(search.averaging_section, DATA),
        }
    },
    Key.BAYES_SECTION,
    table="asia_1000",
)
