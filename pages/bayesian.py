"""Bayesian score: marginal likelihood, consistency, held-out fit, prior strength, equivalence, traps, averaging."""

from pages._shared import lecture, state
from pages._shared.bayes.averaging import averaging
from pages._shared.bayes.coins import coins
from pages._shared.bayes.equivalence import equivalence
from pages._shared.bayes.growth import growth
from pages._shared.bayes.more_arcs import more_arcs
from pages._shared.bayes.sample_size import sample_size
from pages._shared.bayes.stuck import stuck

lecture.section_page(
    {
        "Coin tosses": coins,
        "BDeu, BIC": growth,
        "More arcs": more_arcs,
        "Prior weight": sample_size,
        "Equivalence": equivalence,
        "Stuck search": stuck,
        "Averaging": averaging,
    },
    state.BAYES_SECTION,
)
