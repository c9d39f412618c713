"""What the search does to confidence: a climb against iterated local search, on the same tables and resamples."""

from typing import Any

import numpy as np
import pandas as pd

from benchmarks.confidence_study.cells import TENTHS, inclusion_probability, lines_of
from benchmarks.confidence_study.methods import CLIMB, CORE, SEARCHES, SEED
from benchmarks.confidence_study.searches_report import by_search_section
from benchmarks.report import Report
from benchmarks.running import Lines, Study, grid, once
from benchmarks.which_confidence import ROWS

#: Each at most a second a replicate, whichever search, score and size.
NETWORKS = ("asia", "sachs", "child", "random24-strong-1", "random24-weak-1", "insurance", "alarm", "water")
SCORES = ("BIC", "BDeu(1)")
REPLICATES, FRESH_TABLES = 50, 200


def measure(table: int, search: str, replicates: int = REPLICATES, fresh: int = FRESH_TABLES, **setting: Any) -> Lines:
    """Return a line a method; ``pi_moved`` is how far π is from that of a climb."""
    lines = lines_of(**setting, search=search, table=table, methods=CORE, replicates=replicates, fresh=fresh)
    own, climb = (
        once("pi", inclusion_probability, **setting, search=which, fresh=fresh).adjacency for which in (search, CLIMB)
    )
    return lines.drop(columns=list(TENTHS)).assign(pi_moved=np.float32(np.abs(own - climb).sum()))


def report(frame: pd.DataFrame) -> Report:
    """Return the section."""
    return Report(confidence={"What the search does to confidence": by_search_section(frame)})


CELLS = grid(table=range(4), score=SCORES, search=SEARCHES, network=NETWORKS, rows=ROWS)
SMALL = grid(table=0, score=SCORES, search=SEARCHES, network=NETWORKS[:2], rows=100, replicates=4, fresh=4)
ABOUT = {"replicates": REPLICATES, "fresh": FRESH_TABLES, "seed": SEED}
FILE = "which_confidence_searches.parquet"
STUDY = Study(
    "which_confidence_searches", CELLS, measure, SMALL, report, file=FILE, clock=("seconds",), beside=True, attrs=ABOUT
)
