"""The order of states, and rare ones merged."""

import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.rows_and_states import OTHER_STATE, merge_rare_states, order_states


def test_states_take_the_given_order_and_the_others_follow():
    frame = pd.DataFrame({"size": ["small", "large", "medium", None], "n": [10, 9, 10, 9]})
    before = frame.copy()
    ordered = order_states(frame, {"size": ["small", "medium", "huge"], "n": ["10"]})
    assert list(ordered["size"].cat.categories) == ["small", "medium", "large"]
    assert list(ordered["n"].cat.categories) == ["10", "9"]
    assert ordered["size"].isna().tolist() == [False, False, False, True]
    assert ordered["n"].tolist() == ["10", "9", "10", "9"]
    pd.testing.assert_frame_equal(frame, before)


def test_rare_states_become_one_and_the_rest_keep_their_order():
    frame = pd.DataFrame({"town": ["b"] * 5 + ["a"] * 6 + ["c", "d", "d", None]})
    merged = merge_rare_states(frame, {"town": 3})["town"]
    assert merged.value_counts().to_dict() == {"a": 6, "b": 5, OTHER_STATE: 3}
    assert list(merged.cat.categories) == ["a", "b", OTHER_STATE]
    assert merged.isna().sum() == 1


@pytest.mark.parametrize("fewest", [2, 20])
def test_a_single_rare_state_or_only_rare_ones_stay(fewest):
    frame = pd.DataFrame({"town": ["b"] * 5 + ["a"] * 6 + ["c"]})
    pd.testing.assert_frame_equal(merge_rare_states(frame, {"town": fewest}), frame)


def test_states_written_alike_are_refused():
    with pytest.raises(bn.DataError, match="'x' has two different states that are written alike"):
        order_states(pd.DataFrame({"x": pd.Series([1, "1"], dtype=object)}), {"x": ["1"]})
