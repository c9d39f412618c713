"""What constraints accept."""

import bnengine as bn


def test_lists_become_tuples():
    constraints = bn.Constraints([["a", "b"]], tiers=[["a"], ["b"]])
    assert constraints == bn.Constraints((("a", "b"),), tiers=(("a",), ("b",)))
    assert hash(constraints) == hash(bn.Constraints((("a", "b"),), tiers=(("a",), ("b",))))
