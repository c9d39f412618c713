"""How often each heuristic search ends with the best score of all, on 60 small random problems.

The problems are fixed, so the rates are, too; they could move only with numpy's random streams. The false-alarm rate
beside each threshold is that of 60 fresh problems: binomial, with the rate that was measured on 1,000 of them.
"""

import pytest

import bnengine as bn
from tests import naive_orders

SEARCHES = [  # search, least share, measured on 1,000, probability of fewer by chance
    (bn.HillClimbing(), 0.25, 0.589, 3e-8),
    (bn.HillClimbing(restarts=50), 0.80, 0.983, 3e-11),
    (bn.IteratedLocalSearch(), 0.95, 1.0, 4e-5),
    (bn.Tabu(), 0.75, 0.954, 1e-8),
    (bn.Tabu(restarts=20), 0.85, 0.997, 4e-15),
    (bn.BestFirst(), 0.75, 0.949, 4e-8),
    (bn.SimulatedAnnealing(), 0.60, 0.879, 8e-9),
    (bn.SimulatedAnnealing.published(), 0.60, 0.883, 4e-9),
    (bn.TreeSearch(max_networks=500), 0.65, 0.913, 3e-9),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("search", "least", "measured", "false_alarm"), SEARCHES, ids=[search.name for search, *_ in SEARCHES]
)
def test_share_of_small_problems_solved_against_exact(search, least, measured, false_alarm, record_property):
    share, excess = naive_orders.share_that_reaches_the_best(search)
    record_property("share", share)
    assert excess < 1e-6, f"{search.name} claims a score above the best of all by {excess} nats"
    assert share >= least, (
        f"{search.name} reaches the best score on {share:.2f} of 60 problems; {measured:.2f} was measured on 1,000, "
        f"and fewer than {least:.2f} happen by chance with probability {false_alarm:.0e}"
    )
