"""Do the ends of the rows needed, fewest and most, hold the truth? On samples of known networks.

The truth is where the share of fresh tables of the network reaches one half. An end beyond the sizes that were tried
holds every truth beyond them.
"""

from typing import Any

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report, markdown
from benchmarks.running import Study, grid, once
from bnengine._core.random_generators import standard_error
from bnengine.answers.rows_needed import SIZE_FACTORS, RowsNeeded

SEARCH, SCORE = bn.HillClimbing(), bn.BIC()


def sizes_of(rows: int) -> list[int]:
    """Return the sizes that a page tries."""
    return [max(10, round(times * rows)) for times in SIZE_FACTORS]


def shares_of_fresh(network: str, rows: int, fresh: int) -> np.ndarray:
    """Return the share of fresh tables of each size that show each adjacency."""
    truth = bn.load_network(network)
    drawn = bn.ParametricBootstrap(fresh, truth)
    learned = [bn.resample(truth.sample(n, rng=n), SCORE, SEARCH, drawn, rng=n) for n in sizes_of(rows)]
    return np.array([one.adjacency_confidence for one in learned])


def reached(found: RowsNeeded) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Return rows, fewest and most of each pair; infinite where a curve does not reach the share that is wanted."""
    lines = found.table().fillna({"rows": np.inf, "fewest": np.inf, "most": np.inf})
    numbers = lines[["rows", "fewest", "most"]].itertuples(index=False, name=None)
    return dict(zip(zip(lines["parent"], lines["child"], strict=True), numbers, strict=True))


def measure(network: str, rows: int, table: int, fresh: int) -> pd.DataFrame:
    """Return a line a pair: whether each end misses the truth, and how far apart the ends are."""
    data, sizes = bn.load_network(network).sample(rows, rng=20_000 * rows + table), sizes_of(rows)
    again = bn.resample(data, SCORE, SEARCH, bn.PredictiveBootstrap(200), rng=table)
    found = bn.rows_needed(data, SCORE, SEARCH, 0.5, rng=table).through(again)
    asked = found.edges | (found.found_again >= found.wanted).any(axis=0)
    shares = once("rows_needed_ends", shares_of_fresh, network=network, rows=rows, fresh=fresh)
    of_fresh: Any = np.array(sizes), shares, np.full(len(sizes), fresh)
    true = reached(RowsNeeded(data.names, rows, *of_fresh, found.wanted, asked, "converged"))
    ends = [(*one, true[pair][0]) for pair, one in reached(found).items()]
    _, fewest, most, truth = np.array(ends).T if ends else np.empty((4, 0))
    largest = 2 * sizes[-1]  # stands for all beyond
    factor = np.minimum(most, largest) / np.minimum(fewest, largest)
    too_large = (fewest > truth) & (fewest > sizes[0])
    return pd.DataFrame({"too large": too_large, "too small": most < truth, "factor": factor})


def summary(line: pd.DataFrame) -> list[str]:
    """Write the columns of one line of the table."""
    large, small = line["too large"].mean(), line["too small"].mean()
    return [
        f"{len(line):,}",
        *(f"{x:.3f}" for x in (1 - large - small, large, small)),
        f"{line['factor'].median():.1f}",
    ]


def report(frame: pd.DataFrame) -> Report:
    """Return how often ``fewest`` to ``most`` holds the truth."""
    groups = frame.groupby(["network", "rows"], sort=False)
    rows = [[name, n, own["table"].nunique(), *summary(own)] for (name, n), own in groups]
    missed = frame.assign(held=~(frame["too large"] | frame["too small"])).groupby(["network", "rows"])["held"].mean()
    text = (
        "`python -m benchmarks rows_needed_ends run`. From `fewest` to `most` held the number of rows at which half of "
        "the fresh tables of the true network show the edge. BIC, hill climbing, led through the share found again as "
        f"on the page. Mean over settings {missed.mean():.3f} ± {standard_error(missed.to_numpy()):.3f}."
    )
    names = ["network", "rows", "tables", "edges", "held", "fewest too large", "most too small", "median most / fewest"]
    return Report(
        {"Ends of the rows needed": f"{text}\n\n{markdown(names, [*rows, ['all', '', '', *summary(frame)]])}"}
    )


STUDY = Study(
    "rows_needed_ends",
    grid(network=("cancer", "asia"), rows=(100, 200, 300), table=range(12), fresh=(400,))
    + grid(network=("child",), rows=(100, 200, 300), table=range(4), fresh=(200,)),
    measure,
    grid(network=("cancer",), rows=(100,), table=(0,), fresh=(10,)),
    report,
    "rows_needed_ends.csv",
    ("scores", "search", "bootstrap", "answers"),
)
