"""Constraints on graphs."""

import pytest

import bnengine as bn


def test_a_negative_limit_is_refused():
    with pytest.raises(ValueError, match=r"max_parents must be .*; got -1"):
        bn.Constraints(max_parents=-1)
