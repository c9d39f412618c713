"""Tables of numbers: how long they take beside discrete ones and in other programs, and what holes in them cost.

    python benchmarks/kept_numbers.py speed    # about a minute, most of it pgmpy's; needs pgmpy and bnlearn-port
    python benchmarks/kept_numbers.py large    # some minutes and 2 GB
    python benchmarks/kept_numbers.py holes    # half an hour of one core

Times are processor seconds of all threads, so that they mean the same beside other work. ``speed`` learns the graph and
200 corrected replicates of 1,000 rows of ALARM, and of 37 numbers with ALARM's edges and normal noise; then it climbs
once on the numbers with Gaussian BIC, as does bnlearn-port, and on 12 of them, as does pgmpy, too. ``holes`` hides
cells of half of the columns of simulated tables, a fifth of them on average, at random or the more often the larger
another column is, and compares 40 corrected replicates of the full tables, with cells drawn, and without the rows that
have holes; its figures are kept.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
from measured import keep
from real_of_numbers import N_VARIABLES, simulated

import bnengine as bn

REPLICATES = 200


def alarm_of_numbers(n_rows: int, seed: int = 1) -> pd.DataFrame:
    """Draw numbers with ALARM's edges, slopes of 0.4 to 1 of either sign, and normal noise, each of variance 1."""
    network, rng = bn.load_network("alarm"), np.random.default_rng(seed)
    columns: dict[str, np.ndarray] = {}
    left = list(network.names)
    while left:
        name = next(v for v in left if all(p in columns for p, child in network.edges if child == v))
        parents = [columns[p] for p, child in network.edges if child == name]
        slopes = rng.uniform(0.4, 1.0, len(parents)) * rng.choice([-1, 1], len(parents))
        value = rng.normal(size=n_rows) + sum(s * p for s, p in zip(slopes, parents, strict=True))
        columns[name] = value / value.std()
        left.remove(name)
    return pd.DataFrame(columns)[list(network.names)]


def seconds_of(work: Callable[[], object], times: int = 3) -> float:
    """Return the processor seconds of the quickest of some runs, the first of which compiles and is not counted."""
    work()
    found = []
    for _ in range(times):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def speed() -> None:
    """Print how long graphs and replicates take, and a climb in three programs."""
    frame = alarm_of_numbers(1_000)
    numbers = bn.Dataset.from_frame(frame, numbers=list(frame))
    alarm = bn.Dataset.from_frame(bn.load_sample("alarm_1000"))
    one, first = ThreadPoolExecutor(1), None
    for name, data, score in (
        ("ALARM, BIC", alarm, bn.BIC()),
        ("37 numbers, Gaussian BIC to the second degree", numbers, bn.GaussianBIC()),
        ("37 numbers, Gaussian BIC to the first degree", numbers, bn.GaussianBIC(1)),
    ):

        def work(data: bn.Dataset = data, score: object = score) -> None:
            bn.resample(data, score, resampler=bn.Bootstrap(REPLICATES), correction="leading", executor=one)

        seconds = seconds_of(work)
        first = first or seconds
        print(f"{name}: graph and {REPLICATES} replicates {seconds:.2f} s, {seconds / first:.2f} times ALARM's")

    import pgmpy.estimators
    import pybnlearn

    def climb_of_pgmpy(some: pd.DataFrame) -> object:
        scoring = pgmpy.estimators.BICGauss(some)
        return pgmpy.estimators.HillClimbSearch(some).estimate(scoring, show_progress=False)

    def climb_of_bnlearn(some: pd.DataFrame) -> object:
        return pybnlearn.hc(some, score="bic-g")

    for some, others in (
        (frame, {"bnlearn-port, hc with bic-g": climb_of_bnlearn}),
        (frame.iloc[:, :12], {"bnlearn-port, hc with bic-g": climb_of_bnlearn, "pgmpy with BICGauss": climb_of_pgmpy}),
    ):
        data = bn.Dataset.from_frame(some, numbers=list(some))
        ours = seconds_of(lambda data=data: bn.learn(data, bn.GaussianBIC(1), bn.HillClimbing()), 20)
        print(f"one climb on {len(some.columns)} numbers, bnengine: {ours * 1_000:.1f} ms")
        for name, other in others.items():
            start = time.process_time()
            other(some)
            seconds = time.process_time() - start
            print(f"  {name}: {seconds:.2f} s, {seconds / ours:,.0f} times as long")


def large() -> None:
    """Print what a million rows and 500 columns take."""
    rng = np.random.default_rng(1)
    for n_rows, n_columns in ((1_000_000, 20), (300, 500)):
        noise = rng.normal(size=(n_rows, n_columns))
        for v in range(1, n_columns):
            noise[:, v] += 0.5 * noise[:, v // 2]
        frame = pd.DataFrame(noise, columns=[f"x{v:03d}" for v in range(n_columns)])
        start = time.perf_counter()
        data = bn.Dataset.from_frame(frame, numbers=list(frame))
        read = time.perf_counter()
        graph = bn.learn(data, bn.GaussianBIC(), bn.HillClimbing())
        learned = time.perf_counter()
        found = bn.resample(data, bn.GaussianBIC(), bn.HillClimbing(), bn.Bootstrap(4), "leading")
        print(
            f"{n_rows:,} rows of {n_columns} numbers: read {read - start:.1f} s, one climb {learned - read:.1f} s "
            f"({len(graph.edges)} edges), four replicates {time.perf_counter() - learned:.1f} s ({found.status})"
        )


def with_holes(frame: pd.DataFrame, rng: np.random.Generator, by_others: bool, share: float = 0.2) -> pd.DataFrame:
    """Hide cells of every second column, by chance or by the rank of the next column."""
    holed = frame.astype(object)
    for v in range(0, N_VARIABLES, 2):
        other = frame.iloc[:, v + 1]
        codes = other if other.dtype.kind == "f" else other.astype("category").cat.codes
        chance = 2 * share * codes.rank(pct=True).to_numpy() if by_others else share
        holed.loc[rng.random(len(frame)) < chance, frame.columns[v]] = None
    return holed


def holes(seeds: int) -> None:
    """Print how well edges are told from their absence with and without holes, by mechanism and treatment."""
    lines = []
    upper = np.triu_indices(N_VARIABLES, 1)
    for seed in range(seeds):
        for n_rows in (150, 500):
            for number, kind in enumerate(("linear", "quadratic", "mixed", "exponentiated")):
                for by_others in (False, True):
                    rng = np.random.default_rng([seed, n_rows, number])
                    frame, numbers, truth = simulated(kind, rng, n_rows)
                    holed = with_holes(frame, rng, by_others).astype(dict.fromkeys(numbers, float))
                    joined = (truth | truth.T)[upper]
                    for way in ("full", "drawn", "listwise"):
                        given = frame if way == "full" else holed
                        data = bn.Dataset.from_frame(given, numbers=numbers, missing=None if way == "full" else way)
                        found = bn.resample(data, resampler=bn.Bootstrap(40), correction="leading", rng=seed)
                        pairs = np.clip(found.adjacency_confidence[upper], 0.01, 0.99)
                        loss = -np.where(joined, np.log(pairs), np.log(1 - pairs)).sum()
                        true, false = ((pairs > 0.5) & joined).sum(), ((pairs > 0.5) & ~joined).sum()
                        lines.append((n_rows, by_others, way, loss, true / max(1, joined.sum()), false))
    table = pd.DataFrame(lines, columns=["rows", "by others", "way", "loss", "found", "false"])
    print(table.groupby(["rows", "by others", "way"]).mean().round(3))
    by_way = table.groupby("way").agg(loss=("loss", "mean"), error=("loss", "sem"), found=("found", "mean"))
    print(by_way.round(3))
    keep("holes_beside_numbers", {"tables": len(table) // 3, **by_way.round(4).T.to_dict()})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["speed", "large", "holes"])
    parser.add_argument("--seeds", type=int, default=8)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    if chosen.what == "holes":
        holes(chosen.seeds)
    else:
        {"speed": speed, "large": large}[chosen.what]()
