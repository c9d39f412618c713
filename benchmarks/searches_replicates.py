"""What each search reaches on bootstrap replicates of one sample of ALARM, and in which time; see ``searches``."""

import pandas as pd

from benchmarks.report import Report
from benchmarks.running import BOOTSTRAP, Study, grid
from benchmarks.searches import STUDY as SEARCHES
from benchmarks.searches import measure_replicates


def report(frame: pd.DataFrame) -> Report:
    """Return the report of searches, which has a column of replicates; of a small run nothing."""
    return SEARCHES.report(SEARCHES.shipped()) if len(frame) > 100 else Report()


CELLS = grid(network="alarm", rows=1000, score="BIC", n=10)
SMALL = grid(network="asia", rows=100, score="BIC", n=2)
STUDY = Study(
    "searches_replicates", CELLS, measure_replicates, SMALL, report, BOOTSTRAP, clock=("ms",), peers=SEARCHES.peers
)
