"""How often does the interval of a strength leave out 0 though the two variables are independent? 100 rows each."""

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report
from benchmarks.running import Study, grid


def measure(states: int, tables: int) -> dict[str, float]:
    """Return how often the interval of two independent variables leaves out 0, and its width; 100 rows."""
    generator, missed, width = np.random.default_rng(states), 0, 0.0
    for seed in range(tables):
        frame = pd.DataFrame(generator.integers(0, states, (100, 2)), columns=["x", "y"]).astype(str)
        low, high = bn.answers.edge_effect(bn.Dataset.from_frame("s" + frame), "x", "y", rng=seed).interval
        missed += not low <= 0 <= high
        width += high - low
    return {"missed": missed / tables, "width": width / tables}


def report(lines: pd.DataFrame) -> Report:
    """Return the figures that are quoted."""
    return Report(measured={"no_effects": lines.to_dict("records")})


CELLS = grid(states=(2, 3, 5), tables=1_000)
SMALL = grid(states=2, tables=20)
STUDY = Study("no_effects", CELLS, measure, SMALL, report, ("scores", "answers"))
