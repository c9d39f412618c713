"""What missing cells cost in tables of numbers: full, with cells drawn, without the rows that have holes.

Cells of half of the columns of simulated tables are hidden, a fifth of them on average, at random or the more often the
larger another column is. Each way learns 40 corrected replicates.
"""

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report
from benchmarks.running import Study, grid
from benchmarks.scorer import clipped_loss, pairs_of
from benchmarks.worlds_of_numbers import simulated, with_holes

KINDS = ("linear", "quadratic", "mixed", "exponentiated")


def measure(seed: int, rows: int, kind: str, by_others: bool) -> list[dict[str, object]]:
    """Return how well edges are told from their absence in one table, with and without holes."""
    rng, lines = np.random.default_rng([seed, rows, KINDS.index(kind)]), []
    frame, numbers, truth = simulated(kind, rng, rows)
    holed = with_holes(frame, rng, by_others).astype(dict.fromkeys(numbers, float))
    joined = pairs_of(truth | truth.T)
    for way in ("full", "drawn", "listwise"):
        table, missing = (frame, None) if way == "full" else (holed, way)
        data = bn.Dataset.from_frame(table, numbers=numbers, missing=missing)
        again = bn.resample(data, resampler=bn.Bootstrap(40), correction="leading", rng=seed)
        pairs = pairs_of(again.adjacency_confidence)
        found, false = ((pairs > 0.5) & of for of in (joined, ~joined))
        line = {"way": way, "loss": clipped_loss(pairs, joined, 0.01), "found": found.sum() / max(1, joined.sum())}
        lines.append(line | {"false": false.sum()})
    return lines


def report(table: pd.DataFrame) -> Report:
    """Return the means of each way."""
    by_way = table.groupby("way").agg(loss=("loss", "mean"), error=("loss", "sem"), found=("found", "mean"))
    return Report(measured={"holes_beside_numbers": {"tables": len(table) // 3, **by_way.round(4).T.to_dict()}})


CELLS = grid(seed=range(8), rows=(150, 500), kind=KINDS, by_others=(False, True))
SMALL = grid(seed=0, rows=150, kind="linear", by_others=True)
STUDY = Study("holes_in_numbers", CELLS, measure, SMALL, report, ("scores", "search", "bootstrap", "data"))
