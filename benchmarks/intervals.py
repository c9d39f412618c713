"""Do the intervals of *real* hold what they promise? By bins of the number; small tables exactly, large ones sampled.

Each table is given to ``edge_posterior`` with several seeds and its defaults, so that resamples are added until the
errors are small. The value that infinitely many resamples and chains would give is estimated by the mean of half as
many further runs with as many resamples as there can be; its own error makes the coverage up to a point too low. Both
lie within 0.000001 of each other for many pairs of the first and the last bin: that counts as held. Standard errors are
those between tables.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report, tabulated
from benchmarks.running import POSTERIOR, Study, grid
from benchmarks.scorer import error_between, pairs_of
from benchmarks.worlds import growing_network, table
from bnengine.posterior import Effort
from bnengine.posterior.bagging import MOST, MOST_SAMPLED

BINS, ROUNDING = (0.0, 0.02, 0.1, 0.5, 0.9, 0.98, 1.0), 1e-6


def random_table(v: int, parents: int, states: int, n: int, seed: int) -> bn.Dataset:
    """Draw n rows of a random network of v variables."""
    return growing_network(v, states, parents, seed).sample(n, seed)


def tables(sizes: list[tuple[int, ...]], known: list[tuple[str, int]], n_coins: int) -> dict[str, Callable]:
    """Return the makers of tables of random and of published networks, and of independent coins, by name."""
    found = {f"random {of[0]}, {of[3]} rows": partial(random_table, *of) for of in sizes}
    found |= {f"{name}, {n} rows": partial(bn.load_network(name).sample, n, rng=n + 1) for name, n in known}
    coins = np.random.default_rng(1).integers(0, 2, (100, n_coins)).T
    noise = table(np.random.default_rng(0), list(coins), [2] * n_coins).data
    return found | {f"coins {n_coins}, 100 rows": lambda: noise}


EXACT = tables(
    [(5 + s % 6, 2 + s % 2, 2 + s % 2, (50, 100, 200, 500, 1000)[s % 5], s) for s in range(100, 112)]
    + [(12, 2, 3, 200, 112)],
    [("asia", 100), ("asia", 500), ("cancer", 100), ("cancer", 500), ("sachs", 200)],
    8,
)
SAMPLED = tables(
    [(20, 3, 2, 100, 20), (25, 3, 2, 300, 25), (30, 3, 2, 500, 30)], [("child", 200), ("insurance", 300)], 20
)


def measure(kind: str, table: str, runs: int, most: int | None = None) -> pd.DataFrame:
    """Return one line per run and pair: the number, whether its interval is too high or too low, and its width."""
    data, full = (EXACT | SAMPLED)[table](), Effort(n_bags=most or (MOST if kind == "exact" else MOST_SAMPLED))
    reference = [bn.edge_posterior(data, effort=full, rng=1_000 + seed) for seed in range(-(-runs // 2))]
    truth, lines = np.mean([pairs_of(one.pair_probability) for one in reference], axis=0), []
    for seed in range(runs):
        found = bn.edge_posterior(data, rng=seed)
        number, (low, high) = pairs_of(found.pair_probability), map(pairs_of, found.pair_interval)
        missed = {"above": low > truth + ROUNDING, "below": high < truth - ROUNDING}
        missed["two errors"] = abs(number - truth) > 2 * pairs_of(found.pair_error) + ROUNDING
        lines.append(pd.DataFrame({"number": number, "width": high - low, "bags": found.n_bags, **missed}))
    return pd.concat(lines, ignore_index=True)


def report(frame: pd.DataFrame) -> Report:
    """Return the coverage by bins of the number."""
    frame = frame.assign(held=~(frame["above"] | frame["below"]), by_errors=~frame["two errors"])
    parts = [
        "`python -m benchmarks intervals run`. Coverage of the 95% intervals of *real*, by bins of the number shown, "
        "with resamples added as by default. *Too high* are intervals above the value, *too low* those below it. The "
        "value is the mean of half as many further runs; of the sampled posteriors these are so few that their own "
        "error makes the coverage too low. The constants of the moderated variance were chosen on other tables."
    ]
    heads = "number | pairs | held | interval too high | too low | median width | held by two errors"
    line = "{low:g} to {high:g} | {pairs:,} | {held:.3f} ± {error:.3f} | {above:.3f} | {below:.3f} | {width:.3f} | "
    for kind, of_kind in frame.groupby("kind", sort=False):
        bins = []
        for place, own in of_kind.groupby(pd.cut(of_kind["number"], BINS, include_lowest=True), observed=True):
            means = own[["held", "above", "below", "by_errors"]].mean().to_dict()
            about = {"low": max(place.left, 0), "high": place.right, "pairs": len(own), "width": own["width"].median()}
            bins.append(about | means | {"error": error_between(own["held"], own["table"])})
        parts += [f"Posteriors {kind}:", tabulated(bins, heads, line + "{by_errors:.3f}")]
    return Report({"Intervals": "\n\n".join(parts)})


CELLS = grid(kind="exact", table=EXACT, runs=20) + grid(kind="sampled", table=SAMPLED, runs=8)
SMALL = grid(kind="exact", table="coins 8, 100 rows", runs=2, most=4)
STUDY = Study("intervals", CELLS, measure, SMALL, report, POSTERIOR, file="intervals.parquet")
