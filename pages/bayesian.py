"""Bayesian score: marginal likelihood, consistency, held-out fit, prior strength, equivalence, traps, averaging."""

from pages._shared.section import section_page
from pages._shared.sections.bayesian.averaging import averaging
from pages._shared.sections.bayesian.coins import coins
from pages._shared.sections.bayesian.equivalence import equivalence
from pages._shared.sections.bayesian.growth import growth
from pages._shared.sections.bayesian.more_edges import more_edges
from pages._shared.sections.bayesian.sample_size import sample_size
from pages._shared.sections.bayesian.stuck import stuck
from pages._shared.session import Key

section_page(
    {
        "Coin tosses": coins,
        "BDeu, BIC": growth,
        "More edges": more_edges,
        "Prior weight": sample_size,
        "Equivalence": equivalence,
        "Stuck search": stuck,
        "Averaging": averaging,
    },
    Key.BAYES_SECTION,
)
