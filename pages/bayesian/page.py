"""Bayesian score: marginal likelihood, priors, equivalence, local optima, and what a learned graph does not show."""

from pages.bayesian import evidence, graphs, search
from pages.shared.lessons import lesson_page

SECTIONS = {
    "Coin tosses": evidence.coins_section,
    "BDeu and BIC": evidence.growth_section,
    "Prior strength": evidence.sample_size_section,
    "Parts of the score": evidence.parts_section,
    "Equivalence": evidence.equivalence_section,
    "Local optima": search.local_optima_section,
    "Pairs without an edge": graphs.pairs_section,
    "Arrows": graphs.arrows_section,
    "Hidden cause": graphs.hidden_section,
}
#: Those that can be drawn for the visitor's data.
OWN = ("Prior strength", "Equivalence", "Pairs without an edge", "Arrows")

if __name__ == "__main__":
    lesson_page("bayesian", SECTIONS, table="asia_1000", own=OWN)
