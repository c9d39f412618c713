"""What constraints accept."""

import pytest

import bnengine as bn


@pytest.mark.parametrize("limit", [-1, 2.5, "x", True])
def test_a_limit_that_is_no_number_of_parents_is_refused(limit):
    with pytest.raises(ValueError, match=f"max_parents must be .*; got {limit!r}"):
        bn.Constraints(max_parents=limit)


def test_lists_become_tuples():
    constraints = bn.Constraints([["a", "b"]], tiers=[["a"], ["b"]])
    assert constraints == bn.Constraints((("a", "b"),), tiers=(("a",), ("b",)))
    assert hash(constraints) == hash(bn.Constraints((("a", "b"),), tiers=(("a",), ("b",))))
