"""How many graphs there are. (Enumeration of small ones: ``tests/search/test_tree_search.py``.)"""

import math

import pytest

from bnengine.graphs.dag import log10_n_dags, n_dags
from tests.patience import processor_seconds, yardstick


def test_dags_against_the_sum_with_binomials():
    """Robinson's recurrence written out, beyond what can be enumerated."""
    counts = [1]
    for n in range(1, 41):
        terms = [(-1) ** (k + 1) * math.comb(n, k) * 2 ** (k * (n - k)) * counts[n - k] for k in range(1, n + 1)]
        counts.append(sum(terms))
    assert [n_dags(n) for n in range(41)] == counts


@pytest.mark.parametrize("n", [1, 2, 5, 59, 60, 61, 120])
def test_logarithm_of_dags_against_the_count(n):
    assert log10_n_dags(n) == pytest.approx(math.log10(n_dags(n)), rel=1e-13, abs=1e-13)


def test_hundreds_of_variables_are_counted_in_a_moment():
    """Measured: a seventh of the yardstick, 1.2 when others work; the plain sum takes ten times as long."""
    n_dags.__wrapped__.cache_clear()
    assert processor_seconds(lambda: n_dags(200)) < 4 * yardstick()
    assert processor_seconds(lambda: log10_n_dags(10_000)) < yardstick()
