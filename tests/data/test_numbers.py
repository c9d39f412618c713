"""Columns that are kept as numbers: what they may hold, how they are coded, what a Dataset does with them."""

import numpy as np
import pandas as pd
import pytest

import bnengine as bn
from bnengine.data.checked_frame import LARGEST_ARITY, MISSING

FRAME = pd.DataFrame({"sex": ["f", "m", "f", "m"], "height": [1.62, 1.8, 1.7, 1.62], "age": [30, 41, 8, 30]})


def test_a_frame_with_numbers_comes_back_as_it_was():
    data = bn.Dataset.from_frame(FRAME, numbers=["height", "age"])
    assert (data.numbers, data.holds) == (("height", "age"), ("numbers",))
    assert data.states == (("f", "m"), ("1.62", "1.7", "1.8"), ("8", "30", "41"))
    pd.testing.assert_frame_equal(data.to_frame(), FRAME.astype({"sex": "category", "age": float}))
    again = bn.Dataset.from_frame(data.to_frame(), numbers=data.numbers)
    assert again.digest == data.digest != bn.Dataset.from_frame(FRAME).digest
    some = data.select(["age", "sex"]).take([2, 0])
    assert (some.numbers, some.to_frame()["age"].tolist()) == (("age",), [8.0, 30.0])


def test_the_category_of_a_column_and_text_are_read_as_numbers():
    frame = pd.DataFrame({"a": pd.Categorical([3, 1, 3]), "b": ["2.5", "1e3", "-1"], "c": [True, False, True]})
    data = bn.Dataset.from_frame(frame, numbers=["a", "b"])
    assert data.to_frame()[["a", "b"]].to_numpy().tolist() == [[3, 2.5], [1, 1000], [3, -1]]


def test_more_values_than_codes_are_joined_with_their_neighbours():
    values = np.random.default_rng(1).exponential(size=150_000)
    data = bn.Dataset.from_frame(pd.DataFrame({"x": values}), numbers=["x"])
    kept = data.to_frame()["x"].to_numpy()
    assert data.arities[0] <= LARGEST_ARITY
    assert (np.diff(kept[values.argsort()]) >= 0).all()
    assert np.unique(kept, return_counts=True)[1].max() <= 3


@pytest.mark.parametrize(
    ("frame", "arguments", "message"),
    [
        (FRAME, {"numbers": ["size"]}, "numbers names 'size', but the variables are sex, height, age"),
        (FRAME, {"numbers": ["sex"]}, "column 'sex' is kept as a number, but row 1 holds 'f'; correct it"),
        (FRAME.replace(1.8, np.inf), {"numbers": ["height"]}, "but row 2 holds 'inf'"),
        (FRAME.replace(1.8, np.nan), {"numbers": ["height"]}, "but row 2 holds nothing"),
    ],
)
def test_what_cannot_be_kept_as_numbers_is_refused_with_a_remedy(frame, arguments, message):
    with pytest.raises(bn.DataError, match=message):
        bn.Dataset.from_frame(frame, **arguments)


def test_missing_numbers_stay_or_their_rows_go():
    frame = FRAME.replace(1.8, np.nan)
    kept = bn.Dataset.from_frame(frame, numbers=["height"], missing="keep")
    assert kept.codes[1, 1] == MISSING
    assert np.isnan(kept.to_frame()["height"][1])
    assert kept.with_missing("listwise").n_rows == 3
    with pytest.raises(bn.DataError, match="way='own_state' needs states"):
        kept.with_missing("own_state")
    with pytest.raises(bn.DataError, match="covariances of numbers are those of the same rows"):
        kept.with_missing("complete_families")


def test_sums_and_copies_of_numbers_are_named_once():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["gross", "tax", "other"])
    frame = frame.assign(
        net=frame["gross"] - frame["tax"], twice=2 * frame["other"] + 1, state=rng.choice(["a", "b"], 60)
    )
    data = bn.Dataset.from_frame(frame, numbers=["gross", "tax", "other", "net", "twice"])
    assert data.functions == {"tax": ("gross", "net"), "twice": ("other",)}
