"""What is said about a raw table."""

import numpy as np
import pandas as pd

import bnengine as bn
from bnengine.data.columns import describe


def test_each_column_is_described_against_hand_counts():
    n = 120
    frame = pd.DataFrame(
        {
            "word": ["a", "a", "b", None] * (n // 4),
            "whole": [1.0, 1.0, 1.0, 2.0] * (n // 4),
            "constant": ["k"] * n,
            "name": [f"person {i}" for i in range(n)],
            "many": [f"w{i % 119}" for i in range(n)],
            "length": [i / 7 for i in range(n)],
            "empty": pd.Series([None] * n, dtype="str"),
            "declared": pd.Categorical(["x"] * n, categories=["x", "unseen"]),
            "mood": pd.Categorical(["low", "high", None] * (n // 3), categories=["low", "never", "high"]),
        }
    )
    lines = describe(frame).set_index("variable")
    assert lines.index.tolist() == list(frame.columns)
    assert lines["kind"].tolist() == ["word", "number", "word", "word", "word", "number", "word", "word", "word"]
    assert lines["distinct"].tolist() == [2, 2, 1, n, 119, n, 0, 1, 2]
    assert lines["missing"].tolist() == [30, 0, 0, 0, 0, 0, n, 0, 40]
    notes = ["", "", "constant", "identifier?", "nearly unique", "measured", "empty", "constant", "unused states"]
    assert lines["note"].tolist() == notes


def test_a_frame_without_rows_or_columns_is_described():
    assert describe(pd.DataFrame()).shape == (0, 5)
    assert describe(pd.DataFrame([[0.5], [1.5]]))["variable"].tolist() == ["0"]
    assert describe(pd.DataFrame({"x": []}))["distinct"].tolist() == [0]


def test_identifiers_are_noted_and_measurements_are_not():
    n = 300
    rng = np.random.default_rng(0)
    columns = {
        "respondent_id": (rng.permutation(10 * n)[:n], "identifier?"),  # named like a code
        "order": (rng.permutation(n) + 1, "identifier?"),  # counts the rows
        "PatientID": (rng.permutation(10 * n)[:n], "identifier?"),
        "income": (rng.choice(10**6, n, replace=False), "measured"),  # whole, distinct and a measurement
        "rating": (rng.integers(1, 6, n), ""),
        "id": (rng.random(n), "measured"),  # named like a code, but not whole
        "comment": ([f"text {i}" if i % 20 else "nothing" for i in range(n)], "nearly unique"),
        "remark": ([f"text {i}" if 10 < i <= 80 else "nothing" if i % 2 else None for i in range(n)], "text?"),
        "village": ([f"village {i % 60}" for i in range(n)], ""),
    }
    frame = pd.DataFrame({name: cells for name, (cells, _) in columns.items()})
    assert describe(frame)["note"].tolist() == [note for _, note in columns.values()]
    recipe = bn.Recipe("file", "survey.csv").suggested(frame)
    assert recipe.leave_out == ("respondent_id", "order", "PatientID", "comment", "remark")
    assert recipe.prepare(frame).names == ("income", "rating", "id", "village")
