"""Do intervals hold what they promise? Of *real*, by bins of the number, and of the rows that an edge needs.

    python benchmarks/intervals.py exact [runs]      # real, 5 to 12 variables, posteriors summed exactly
    python benchmarks/intervals.py sampled [runs]    # real, 20 to 30 variables, posteriors sampled
    python benchmarks/intervals.py rows [tables]     # fewest to most rows needed, on known networks

Real: each table is given to ``edge_posterior`` with several seeds and its defaults, so that resamples are added until
the errors are small. The value that infinitely many resamples and chains would give is estimated by the mean of half as
many further runs with as many resamples as there can be; its own error makes the coverage up to a point too low. Both
lie within 0.000001 of each other for many pairs of the first and the last bin: that counts as held. Standard errors are
those between tables.

Rows: from tables of a known network ``fewest`` and ``most`` are computed as on the page. The truth is where the share
of fresh tables of that network reaches one half. An end beyond the sizes that were tried holds every truth beyond them.
"""

import argparse
from collections.abc import Iterator

import numpy as np
import pandas as pd
from random_networks import random_network

import bnengine as bn
from bnengine._core.random_generators import standard_error
from bnengine.answers.rows_needed import SIZE_FACTORS, RowsNeeded
from bnengine.posterior import Effort
from bnengine.posterior.bagging import MOST, MOST_SAMPLED

BINS = (0.0, 0.02, 0.1, 0.5, 0.9, 0.98, 1.0)
ROUNDING = 1e-6
SEARCH = bn.HillClimbing()


def coins(n_variables: int, n_rows: int, seed: int) -> bn.Dataset:
    """Draw independent fair coins."""
    codes = np.random.default_rng(seed).integers(0, 2, (n_rows, n_variables))
    return bn.Dataset(tuple(f"c{v}" for v in range(n_variables)), (("0", "1"),) * n_variables, codes)


def tables(kind: str) -> Iterator[tuple[str, bn.Dataset]]:
    """Yield the tables, small and large ones of random and of published networks, and of independent coins."""
    if kind == "exact":
        for seed in range(100, 112):
            v, n_rows = 5 + seed % 6, (50, 100, 200, 500, 1000)[seed % 5]
            yield f"random {v}, {n_rows} rows", random_network(v, 2 + seed % 2, 2 + seed % 2, seed).sample(n_rows, seed)
        known = (("asia", 100), ("asia", 500), ("cancer", 100), ("cancer", 500), ("sachs", 200))
        yield "random 12, 200 rows", random_network(12, 3, 2, 112).sample(200, 112)
    else:
        for v, n_rows in ((20, 100), (25, 300), (30, 500)):
            yield f"random {v}, {n_rows} rows", random_network(v, 2, 3, v).sample(n_rows, v)
        known = (("child", 200), ("insurance", 300))
    for name, n_rows in known:
        yield f"{name}, {n_rows} rows", bn.load_network(name).sample(n_rows, rng=n_rows + 1)
    v = 8 if kind == "exact" else 20
    yield f"coins {v}, 100 rows", coins(v, 100, 1)


def coverage_of_real(data: bn.Dataset, runs: int, most: int) -> pd.DataFrame:
    """Return one line per run and pair: the number, whether its interval is too high or too low, and its width."""
    pairs = np.triu_indices(data.n_variables, 1)
    reference = [bn.edge_posterior(data, effort=Effort(n_bags=most), rng=1_000 + seed) for seed in range(-(-runs // 2))]
    truth, lines = np.mean([one.pair_probability[pairs] for one in reference], axis=0), []
    for seed in range(runs):
        found = bn.edge_posterior(data, rng=seed)
        low, high = (end[pairs] for end in found.pair_interval)
        columns = {"number": found.pair_probability[pairs], "width": high - low, "bags": found.n_bags}
        missed = {"above": low > truth + ROUNDING, "below": high < truth - ROUNDING}
        missed["two errors"] = abs(columns["number"] - truth) > 2 * found.pair_error[pairs] + ROUNDING
        lines.append(pd.DataFrame({**columns, **missed}))
    return pd.concat(lines)


def real(kind: str, runs: int) -> None:
    """Print the coverage by bins of the number."""
    found, most = [], MOST if kind == "exact" else MOST_SAMPLED
    for name, data in tables(kind):
        found.append(coverage_of_real(data, runs, most).assign(table=name))
        missed = (found[-1]["above"] | found[-1]["below"]).mean()
        print(f"{name}: held {1 - missed:.3f}, {found[-1]['bags'].mean():.1f} resamples of each size", flush=True)
    frame = pd.concat(found)
    frame["held"] = ~(frame["above"] | frame["below"])
    frame["bin"] = pd.cut(frame["number"], BINS, include_lowest=True)
    print("\n| number | pairs | held | interval too high | too low | median width | held by two errors |")
    print("|---|---|---|---|---|---|---|")
    for place, own in frame.groupby("bin", observed=True):
        by_table = own.groupby("table")["held"].agg(["sum", "count"])
        residual = by_table["sum"] - own["held"].mean() * by_table["count"]
        error = np.sqrt((residual**2).sum()) / len(own)
        print(
            f"| {max(place.left, 0):g} to {place.right:g} | {len(own):,} | {own['held'].mean():.3f} ± {error:.3f} "
            f"| {own['above'].mean():.3f} | {own['below'].mean():.3f} | {own['width'].median():.3f} "
            f"| {1 - own['two errors'].mean():.3f} |"
        )


def reached(found: RowsNeeded) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Return rows, fewest and most of each pair; infinite where a curve does not reach the share that is wanted."""
    lines = found.table().fillna({"rows": np.inf, "fewest": np.inf, "most": np.inf})
    numbers = lines[["rows", "fewest", "most"]].itertuples(index=False, name=None)
    return dict(zip(zip(lines["parent"], lines["child"], strict=True), numbers, strict=True))


def rows(n_tables: int) -> None:
    """Print how often ``fewest`` to ``most`` holds the rows at which half of the fresh tables show the edge."""
    print("| network | rows | tables | edges | held | fewest too large | most too small | median most / fewest |")
    print("|---|---|---|---|---|---|---|---|")
    of_all, score = [], bn.BIC()
    for name, fresh in (("cancer", 400), ("asia", 400), ("child", 200)):
        network, n = bn.load_network(name), n_tables if name != "child" else -(-n_tables // 3)
        for n_rows in (100, 200, 300):
            sizes = [max(10, round(times * n_rows)) for times in SIZE_FACTORS]
            drawn = [bn.ParametricBootstrap(fresh, network)] * len(sizes)
            learned = [
                bn.resample(network.sample(size, rng=size), score, SEARCH, one, rng=size)
                for size, one in zip(sizes, drawn, strict=True)
            ]
            shares = np.array([one.adjacency_confidence for one in learned])
            ends = []
            for table in range(n):
                data = network.sample(n_rows, rng=20_000 * n_rows + table)
                again = bn.resample(data, score, SEARCH, bn.PredictiveBootstrap(200), rng=table)
                found = bn.rows_needed(data, score, SEARCH, 0.5, rng=table).through(again)
                asked = found.edges | (found.found_again >= found.wanted).any(axis=0)
                of_fresh = np.array(sizes), shares, np.full(len(sizes), fresh)
                truth = reached(RowsNeeded(data.names, n_rows, *of_fresh, found.wanted, asked, "converged"))
                ends += [(*one, truth[pair][0]) for pair, one in reached(found).items()]
            _, fewest, most, truth = np.array(ends).T
            too_large = (fewest > truth) & (fewest > sizes[0])
            largest = 2 * sizes[-1]  # stands for all beyond
            factor = np.minimum(most, largest) / np.minimum(fewest, largest)
            line = pd.DataFrame({"too large": too_large, "too small": most < truth, "factor": factor})
            of_all.append(line.assign(table=f"{name} {n_rows}"))
            print(f"| {name} | {n_rows} | {n} | {summary(line)}", flush=True)
    whole = pd.concat(of_all)
    held = 1 - (whole["too large"] | whole["too small"]).groupby(whole["table"]).mean()
    print(
        f"| all | | | {summary(whole)}\n\nMean over settings {held.mean():.3f} ± {standard_error(held.to_numpy()):.3f}"
    )


def summary(line: pd.DataFrame) -> str:
    """Write the columns of one line of the table."""
    large, small = line["too large"].mean(), line["too small"].mean()
    return f"{len(line):,} | {1 - large - small:.3f} | {large:.3f} | {small:.3f} | {line['factor'].median():.1f} |"


def main() -> None:
    """Measure what is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("exact", "sampled", "rows"))
    parser.add_argument("times", nargs="?", type=int, default=20, help="runs of each table, or tables of each network")
    asked = parser.parse_args()
    rows(asked.times) if asked.what == "rows" else real(asked.what, asked.times)


if __name__ == "__main__":
    main()
