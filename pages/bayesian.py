"""Bayesian score: marginal likelihood, consistency, overfitting, priors, equivalence, local optima, averaging."""

from pages._shared.sections.bayesian import evidence, search
from pages._shared.sections.section import section_page
from pages._shared.session import Key

section_page(
    {
        "Coin tosses": evidence.coins_section,
        "BDeu and BIC": evidence.growth_section,
        "Overfitting": search.more_edges_section,
        "Prior strength": evidence.sample_size_section,
        "Equivalence": evidence.equivalence_section,
        "Local optima": search.local_optima_section,
        "Model averaging": search.averaging_section,
    },
    Key.BAYES_SECTION,
    settings=(),
)
