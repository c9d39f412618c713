"""Found again in larger tables, and the rows that takes: what N rows predict, against fresh tables of a known network.

The sections say what is compared. π is the share of fresh tables from which an adjacency is learned; the last column of
the first section is the difference that the two Monte Carlo errors alone would make. Of the rows needed, an end beyond
the sizes that were tried holds every truth beyond them.
"""

from itertools import combinations

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report, mean_and_error, tabulated
from benchmarks.running import Study, grid, once
from benchmarks.scorer import pairs_of
from bnengine._core.random_generators import standard_error
from bnengine.answers.rows_needed import SIZE_FACTORS, RowsNeeded

TIMES, SEARCH, SCORE = (1, 2, 4), bn.IteratedLocalSearch(), bn.BIC()
PAIR = ["first", "second"]


def shares_of_fresh(network: str, rows: int, fresh: int) -> np.ndarray:
    """Return π of each adjacency in tables of each size that a page tries, shape (sizes, V, V)."""
    truth, sizes = bn.load_network(network), [round(times * rows) for times in SIZE_FACTORS]
    drawn = bn.ParametricBootstrap(fresh, truth)
    learned = [bn.resample(truth.sample(n, rng=n), SCORE, SEARCH, drawn, rng=n) for n in sizes]
    return np.array([one.adjacency_confidence for one in learned])


def ends(found: RowsNeeded) -> pd.DataFrame:
    """Return rows, fewest and most of each pair; infinite where a curve does not reach the share that is wanted."""
    lines = found.table()
    pairs = [tuple(sorted(pair)) for pair in zip(lines["parent"], lines["child"], strict=True)]
    return lines[["rows", "fewest", "most"]].fillna(np.inf).set_index(pd.MultiIndex.from_tuples(pairs, names=PAIR))


def measure(network: str, rows: int, table: int, fresh: int) -> pd.DataFrame:
    """Return a line a pair: shares predicted, as drawn and true, and the rows needed with their ends and the truth."""
    data = bn.load_network(network).sample(rows, rng=20_000 * rows + table)
    again = bn.resample(data, SCORE, SEARCH, bn.PredictiveBootstrap(200), rng=table)
    drawn = bn.rows_needed(data, SCORE, SEARCH, 0.5, rng=table)
    found, true = drawn.through(again), once("rows_needed", shares_of_fresh, network=network, rows=rows, fresh=fresh)
    names, learned = sorted(data.names), drawn.edges | drawn.edges.T
    place = np.ix_(*[[data.names.index(name) for name in names]] * 2)
    lines = {"learned": pairs_of(learned[place])}
    for times in TIMES:
        k = SIZE_FACTORS.index(times)
        for name, share in (("shown", found.found_again), ("drawn", drawn.found_again), ("true", true)):
            lines[f"{name} {times}"] = pairs_of(share[k][place]).round(4)
    pairs = pd.MultiIndex.from_tuples(combinations(names, 2), names=PAIR)
    asked = found.edges | (found.found_again >= found.wanted).any(axis=0)
    of_fresh = found.sizes, true, np.full(len(true), fresh)
    truth = RowsNeeded(data.names, rows, *of_fresh, found.wanted, asked, "converged")
    needed = ends(found).rename(columns={"rows": "needed"}).join(ends(truth)["rows"].rename("truth"))
    return pd.DataFrame(lines, pairs).join(needed).reset_index()


def predicted(frame: pd.DataFrame) -> str:
    """Return how near predicted shares are to the truth: means over tables, and their standard errors."""
    lines = []
    for (network, n_rows), own in frame.groupby(["network", "rows"], sort=False):
        for times in TIMES:
            shown, drawn, true = (own[f"{name} {times}"] for name in ("shown", "drawn", "true"))
            spread = shown * (1 - shown) / 100 + true * (1 - true) / own["fresh"]
            parts = {"difference": (shown - true).abs(), "drawn": (drawn - true).abs(), "bias": shown - true}
            parts |= {"large": (shown - true).abs() > 0.1, "chance": np.sqrt(2 / np.pi * spread)}
            seen = own["learned"] | (shown >= 0.5) | (true >= 0.5)
            of_tables = pd.DataFrame(parts)[seen].groupby(own["table"])
            found, about = of_tables.mean(), {"network": network, "rows": n_rows, "times": times}
            about |= found.mean().to_dict() | {"pairs": of_tables.size().mean()}
            lines.append(about | {"difference": mean_and_error(found["difference"], 3)})
    heads = "network | rows | larger | pairs | mean difference | as drawn | bias | above 0.1 | by chance"
    line = "{network} | {rows:,} | {times} × | {pairs:.0f} | {difference} | {drawn:.3f} | {bias:+.3f} | {large:.0%} | "
    return tabulated(lines, heads, line + "{chance:.3f}")


def held(frame: pd.DataFrame) -> tuple[str, pd.Series]:
    """Return how often fewest to most holds the truth, and the share of each setting."""
    own, setting = frame.dropna(subset="needed"), ["network", "rows"]
    first, last = (times * own["rows"] for times in (SIZE_FACTORS[0], 2 * SIZE_FACTORS[-1]))  # beyond: all the same
    large, small = (own["fewest"] > own["truth"]) & (own["fewest"] > first), own["most"] < own["truth"]
    factor = own["most"].clip(upper=last) / own["fewest"].clip(upper=last)
    marked = own.assign(held=~(large | small), large=large, small=small, factor=factor)
    lines = [
        {"network": network, "rows": n_rows, "tables": part["table"].nunique(), "edges": len(part)}
        | {"factor": part["factor"].median(), **part[["held", "large", "small"]].mean()}
        for (network, n_rows), part in [*marked.groupby(setting, sort=False), (("all", ""), marked)]
    ]
    heads = "network | rows | tables | edges | held | fewest too large | most too small | median most / fewest"
    form = "{network} | {rows} | {tables} | {edges} | {held:.3f} | {large:.3f} | {small:.3f} | {factor:.1f}"
    return tabulated(lines, heads, form), marked.groupby(setting)["held"].mean()


def report(frame: pd.DataFrame) -> Report:
    """Return both sections."""
    table, shares = held(frame)
    first = (
        "`python -m benchmarks rows_needed run`. What N rows predict for tables of N, 2 N and 4 N rows "
        "(`bn.rows_needed`, led through the share found again as on the page), against fresh tables of a known "
        "network; BIC, iterated local search. Compared are the adjacencies learned from the N rows and those that the "
        "prediction or the truth calls found again; *as drawn* are the shares that are not led through."
    )
    second = (
        "`python -m benchmarks rows_needed run`. From `fewest` to `most` held the number of rows at which half of the "
        "fresh tables of the true network show the edge. Mean over settings "
        f"{shares.mean():.3f} ± {standard_error(shares.to_numpy()):.3f}."
    )
    sections = {"Found again in larger tables": f"{first}\n\n{predicted(frame)}"}
    return Report(sections | {"Ends of the rows needed": f"{second}\n\n{table}"})


CELLS = grid(network=("cancer", "asia"), rows=(100, 200, 300, 1_000), table=range(12), fresh=400)
CELLS += grid(network=("sachs", "child", "insurance", "alarm"), rows=(250, 1_000), table=range(4), fresh=200)
SMALL = grid(network="cancer", rows=100, table=(0, 1), fresh=10)
STUDY = Study("rows_needed", CELLS, measure, SMALL, report, ("scores", "search", "bootstrap", "answers"))
