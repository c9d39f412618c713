"""Bayesian score: marginal likelihood, consistency, overfitting, priors, equivalence, local optima, averaging."""

from pages._shared.section import section_page
from pages._shared.sections.bayesian import averaging, coins, equivalence, growth, more_edges, sample_size, stuck
from pages._shared.session import Key

section_page(
    {
        "Coin tosses": coins.section,
        "BDeu and BIC": growth.section,
        "Overfitting": more_edges.section,
        "Prior strength": sample_size.section,
        "Equivalence": equivalence.section,
        "Local optima": stuck.section,
        "Model averaging": averaging.section,
    },
    Key.BAYES_SECTION,
    settings=(),
)
