"""How much work it takes to find the best graph exactly, against counting what the searches try."""

import itertools
import math

import pytest

import bnengine as bn


@pytest.mark.parametrize(("n", "most"), [(1, 3), (4, 2), (7, 3), (9, 0)])
def test_steps_against_counting(n, most):
    trees, ordered, everything = bn.teaching.exact_problems(n, most)
    assert trees.steps == len(list(itertools.combinations(range(n), 2)))
    sets = [s for place in range(n) for k in range(most + 1) for s in itertools.combinations(range(place), k)]
    assert ordered.steps == len(sets) == bn.FixedOrdering(max_parents=most).n_families(n)
    assert everything.steps == n * sum(1 for k in range(n) for _ in itertools.combinations(range(n - 1), k))
    assert everything.steps == bn.Exact().n_families(n)
    assert [problem.polynomial for problem in (trees, ordered, everything)] == [True, True, False]


def test_what_is_called_polynomial_grows_as_it_says():
    """Doubling n multiplies the steps by 2 to the power of the exponent, or by far more."""
    small, large = bn.teaching.exact_problems(400), bn.teaching.exact_problems(800)
    for one, other, exponent in zip(small[:2], large[:2], (2, 4), strict=True):
        assert math.log2(other.steps / one.steps) == pytest.approx(exponent, abs=0.02)
    assert (small[0].growth, small[1].growth) == ("n²", "n⁴")
    assert large[2].steps // small[2].steps == 2**401


def test_impossible_sizes_are_refused():
    with pytest.raises(ValueError, match="n_variables must be a whole number from 1 to 10,000; got 0"):
        bn.teaching.exact_problems(0)
