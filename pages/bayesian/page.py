"""Bayesian score: marginal likelihood, consistency, priors, equivalence, local optima."""

from pages.bayesian import evidence, search
from pages.shared.keys import Key
from pages.shared.lessons import lesson_page

lesson_page(
    {
        "Coin tosses": evidence.coins_section,
        "BDeu and BIC": evidence.growth_section,
        "Prior strength": evidence.sample_size_section,
        "Parts of the score": evidence.parts_section,
        "Equivalence": evidence.equivalence_section,
        "Local optima": search.local_optima_section,
    },
    Key.BAYES_SECTION,
    table="asia_1000",
    own=("Prior strength", "Equivalence"),
)
