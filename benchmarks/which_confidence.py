"""Which confidence to believe: how near every method's probability of an edge is to π, and to the true network.

*Found again*: π is the share of fresh tables from which the edge is learned. *Real*: whether the true network has it.
Networks outside ``CHOSEN_BY`` are held out: no method was chosen by them. What the tables of a network share, π of
each score and the posteriors, is computed once. Costly methods see fewer tables (``confidence_study/methods.py``).
"""

from typing import Any

import pandas as pd

from benchmarks.confidence_study.cells import TENTHS, by_tenth, lines_of
from benchmarks.confidence_study.methods import CLIMB, COMPARED, SCORES, SEED
from benchmarks.confidence_study.report import report_of
from benchmarks.report import Report
from benchmarks.running import HERE, Study, grid

#: Networks by which methods are chosen. A random one is named ``random<variables>-<strength>-<seed>``.
CHOSEN_BY = (
    *("survey", "asia", "sachs", "child", "random24-strong-1", "random24-weak-1", "insurance", "alarm", "water"),
    "hailfinder",
)
HELD_OUT = ("random12-strong-7", "random16-weak-7", "random20-strong-8", "random30-strong-9", "random30-weak-9")
ROWS = (100, 300, 1000)
REPLICATES, FRESH_TABLES = 200, 500
RELIABILITY = "which_confidence_reliability.parquet"


def measure(network: str, replicates: int = REPLICATES, fresh: int = FRESH_TABLES, **setting: Any) -> pd.DataFrame:
    """Return a line a method."""
    lines = lines_of(network, search=CLIMB, methods=COMPARED, replicates=replicates, fresh=fresh, **setting)
    return lines.assign(held_out=network not in CHOSEN_BY)


def report(frame: pd.DataFrame) -> Report:
    """Return the text, and what pages and answers quote."""
    return report_of(frame, by_tenth(frame) if "pairs" in frame else pd.read_parquet(HERE / RELIABILITY))


CELLS = grid(table=range(8), score=SCORES, network=CHOSEN_BY, rows=ROWS)
CELLS += grid(table=range(6), score=SCORES, network=HELD_OUT, rows=ROWS)
SMALL = grid(table=0, score="BIC", network=("survey", "asia", "cancer"), rows=100, replicates=10, fresh=10)
ABOUT = {"replicates": REPLICATES, "fresh": FRESH_TABLES, "seed": SEED}
PARTS = {"which_confidence.parquet": lambda lines: lines.drop(columns=list(TENTHS)), RELIABILITY: by_tenth}
STUDY = Study(
    "which_confidence", CELLS, measure, SMALL, report, clock=("seconds",), beside=True, attrs=ABOUT, parts=PARTS
)
