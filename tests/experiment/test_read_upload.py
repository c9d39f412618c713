"""Files of visitors: read, described and repaired in a process of their own, which sends JSON."""

import io

import numpy as np
import pandas as pd

import bnengine as bn
from bnengine.experiment.intake import read_upload
from bnengine.experiment.recipe import Recipe


def test_every_kind_of_repair_comes_from_the_isolated_process_as_it_is_proposed_here():
    rng = np.random.default_rng(1)
    answers = rng.integers(1, 6, (60, 3))
    frame = pd.DataFrame(
        {
            "no": [f"p{k}" for k in range(60)],
            "age": [f"{age} J." for age in rng.integers(20, 90, 60)],
            "drug": rng.choice(["aspirin", "none"], 60),
            "sex": rng.choice(["male", "Male", "female"], 60),
            "smoker": rng.choice(["yes", "no", "n/a"], 60),
            "seen": [f"{day:02}.{month:02}.2024" for day, month in rng.integers(1, 13, (60, 2))],
            **{f"q{k}": answers[:, k] for k in range(3)},
            "owns": rng.choice(["car", "bike", "bus", "car; bus", "bike; car", "bike; bus"], 60),
            "fever": rng.choice(["x", None], 60),
            "region": [f"region {k // 12}" if k % 12 == 0 else None for k in range(60)],
            "total score": answers.sum(axis=1),
        }
    )
    frame["dose"] = np.where(frame["drug"] == "none", "-", [f"{dose} mg" for dose in rng.integers(5, 50, 60)])
    sums = {name: frame[name].sum() for name in frame if frame[name].dtype.kind == "i"}
    frame.loc[60] = {"no": "Total", **sums}
    content = frame.to_csv(index=False).encode() + b"Source: our own numbers" + b"," * (frame.shape[1] - 1) + b"\n"
    found = read_upload(content, Recipe("file", "t.csv"))
    assert found.repairs == bn.prepare(bn.read_table(io.BytesIO(content))).repairs
    assert len({one.kind for one in found.repairs}) >= 11  # all but joined and unseen, since no text declares states
