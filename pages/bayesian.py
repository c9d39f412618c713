"""Bayesian score: marginal likelihood, consistency, held-out fit, prior strength, equivalence, traps, averaging."""

from pages._shared import section, session
from pages._shared.sections.bayesian.averaging import averaging
from pages._shared.sections.bayesian.coins import coins
from pages._shared.sections.bayesian.equivalence import equivalence
from pages._shared.sections.bayesian.growth import growth
from pages._shared.sections.bayesian.more_arcs import more_arcs
from pages._shared.sections.bayesian.sample_size import sample_size
from pages._shared.sections.bayesian.stuck import stuck

section.section_page(
    {
        "Coin tosses": coins,
        "BDeu, BIC": growth,
        "More arcs": more_arcs,
        "Prior weight": sample_size,
        "Equivalence": equivalence,
        "Stuck search": stuck,
        "Averaging": averaging,
    },
    session.BAYES_SECTION,
)
