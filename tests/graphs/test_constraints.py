def test_a_negative_limit_is_refused():
    with pytest.raises(ValueError, match="max_parents must be .*; got -1"):
        bn.Constraints(max_parents=-1)
