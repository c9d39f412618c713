"""What are rows worth that depend on each other? Candidates written down, then false and true pairs counted.

Every candidate is *real* with the same effort. They differ in what is drawn and in what a row is worth:

* independent: rows as they are, as if nothing were known;
* drawn: clusters or blocks are drawn, and each row counts fully;
* effective: clusters or blocks are drawn, and rows are worth what the design effect says (``Dataset.design_effect``);
* one row: the first row of each cluster.

``python -m benchmarks.dependent_rows`` counts how often independent rows are asked about; a minute.
"""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from unittest.mock import patch

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report, markdown, mean_and_error
from benchmarks.running import Study, grid
from benchmarks.scorer import clipped_loss, pairs_of
from benchmarks.worlds import Array, World, columns_of_noise, network_of, series, subnetwork, table, whole
from bnengine.data.dependent_rows import DependentRows, neighbours_alike, suggested_block
from bnengine.experiment.row_question import row_question

NETWORKS = ("alarm", "asia", "child", "insurance", "sachs", "win95pts")
EFFORT, NEAREST = bn.posterior.Effort(n_bags=8), 1e-6


# Worlds: a table whose rows depend on each other, which of them do, and which pairs of columns are joined.

Made = tuple[World, DependentRows | None]


def pasted(rng: np.random.Generator) -> Made:
    """Draw 100 rows of ten columns, and paste them five times."""
    codes = np.tile(rng.integers(0, 3, (100, 10)), (5, 1))
    return columns_of_noise(codes, 3), DependentRows(np.tile(np.arange(100), 5))


def persons(rng: np.random.Generator) -> Made:
    """Draw five visits of each of 60 persons; a cell is the person's own in 7 of 10 visits."""
    person = np.tile(np.arange(60), 5)
    own, fresh = rng.integers(0, 3, (60, 10))[person], rng.integers(0, 3, (300, 10))
    return columns_of_noise(np.where(rng.random(own.shape) < 0.7, own, fresh), 3), DependentRows(person)


def series_kept(rng: np.random.Generator, kept: float) -> Made:
    """Draw a series of 300 rows; a cell is kept from the row before with that probability."""
    codes = series(rng, 300, kept, 3, 10)
    return columns_of_noise(codes, 3), blocks(codes)


def walks(rng: np.random.Generator) -> Made:
    """Draw six random walks of 300 steps, each cut into three bins of equally many rows."""
    ranks = np.cumsum(rng.normal(size=(300, 6)), axis=0).argsort(axis=0).argsort(axis=0)
    codes = ranks * 3 // 300
    return columns_of_noise(codes, 3), blocks(codes)


def blocks(codes: Array) -> DependentRows:
    """Return blocks of the length that the Data page suggests."""
    length = suggested_block(codes.astype(np.uint16))
    return DependentRows(np.arange(len(codes)) // length, length)


def fresh(rng: np.random.Generator) -> Made:
    """Draw 500 independent rows, and call each five of them a cluster."""
    return columns_of_noise(rng.integers(0, 3, (500, 10)), 3), DependentRows(np.arange(500) // 5)


def visits(rng: np.random.Generator, source: str, n: int, times: int, kept: float) -> Made:
    """Draw visits of persons, each a person's own row of a network, or a fresh row of it."""
    n_rows, few = n * (times + 1), len(network_of(source).names) <= 8
    data, joined, none = whole(rng, n_rows, source) if few else subnetwork(rng, n_rows, [source])
    person = np.tile(np.arange(n), times)
    rows = np.where(rng.random(n * times) < kept, person, n + np.arange(n * times))
    return World(data.take(rows), joined, none), DependentRows(person)


WORLDS: dict[str, Callable[[np.random.Generator], Made]] = {
    "100 rows pasted 5 times": pasted,
    "60 persons × 5 visits": persons,
    "a series, kept 0.8": partial(series_kept, kept=0.8),
    "a series, kept 0.9": partial(series_kept, kept=0.9),
    "six random walks": walks,
    "fresh rows": fresh,
}
for _n, _times, _kept in ((100, 5, 0.7), (200, 3, 0.7), (200, 3, 0.0)):
    for _s in NETWORKS:
        about = {"source": _s, "n": _n, "times": _times, "kept": _kept}
        WORLDS[f"{_n} persons × {_times}, rows kept {_kept:g}, {_s}"] = partial(visits, **about)


def candidates(data: bn.Dataset, dependent: DependentRows) -> dict[str, bn.Dataset]:
    """Return the table as each candidate takes it."""
    of_units = bn.Dataset(data.names, data.states, data.codes, dependent=dependent)
    taken = {"independent": data, "drawn": of_units, "effective": of_units}
    if dependent.block is None:
        taken["one row"] = data.take(np.unique(dependent.of_row, return_index=True)[1])
    return taken


def measure(world: str, table: int) -> list[dict[str, object]]:
    """Return a line a candidate: false and true pairs above one half, the log-loss, what rows are worth."""
    (data, joined, _), dependent = WORLDS[world](np.random.default_rng([0, list(WORLDS).index(world), table]))
    true, lines = pairs_of(joined), []
    for candidate, taken in candidates(data, dependent).items():
        with patch.object(bn.Dataset, "design_effect", 1.0) if candidate == "drawn" else nullcontext():
            p = pairs_of(bn.edge_posterior(taken, effort=EFFORT, rng=table).pair_probability)
        line = {"candidate": candidate, "false": (p > 0.5)[~true].sum(), "true": (p > 0.5)[true].sum()}
        worth = round(taken.design_effect, 2) if candidate == "effective" else 1.0
        lines.append(line | {"log_loss": clipped_loss(p, true, NEAREST), "design_effect": worth})
    return lines


def alarms(tables: int = 1_500, seed: int = 0) -> str:
    """Return how often the Data page would ask about tables of independent rows, and how alike their neighbours are."""
    alike, asked, copied = [], 0, 0
    for t in range(tables):
        rng = np.random.default_rng([seed, t])
        n = int(rng.choice([20, 50, 100, 300, 1_000, 3_000]))
        if t % 2:
            states = rng.integers(2, 8, int(rng.choice([2, 3, 5, 10, 30]))).tolist()
            columns = [rng.choice(r, n, p=rng.dirichlet(np.ones(r))) for r in states]
            data = table(rng, columns, states, [[] for _ in states]).data
        else:
            data = network_of(str(rng.choice([*NETWORKS, "cancer", "survey", "hepar2"]))).sample(n, rng)
        found = row_question(bn.Recipe("file", "t.csv"), data.to_frame(), data)
        alike.append(neighbours_alike(data.codes))
        asked += found is not None
        copied += found is not None and found.copies > 0
    most, usually = max(alike), np.quantile(alike, 0.99)
    return (
        f"Of {tables:,} tables of independent rows {asked} were asked about, {copied} of them since equal rows are too "
        f"many; neighbours were alike by at most {most:.1f} standard errors, in 99 % by {usually:.1f}."
    )


def report(frame: pd.DataFrame) -> Report:
    """Return the section: false (true) pairs above one half, and the log-loss of networks."""
    kinds = frame["world"].str.replace(rf", ({'|'.join(NETWORKS)})$", ", six networks", regex=True)
    rows = []
    for world, of_world in frame.groupby(kinds, sort=False):
        by_candidate, cells = dict(list(of_world.groupby("candidate"))), []
        for candidate in ("independent", "drawn", "effective", "one row"):
            own = by_candidate.get(candidate, of_world[:0])
            networks = f" ({own['true'].mean():.1f}; {own['log_loss'].mean():.1f})" if "networks" in str(world) else ""
            cells.append(mean_and_error(own["false"]) + networks * bool(len(own)))
        rows.append([world, *cells, f"{by_candidate['effective']['design_effect'].mean():.1f}"])
    header = ["world", "independent", "drawn", "effective", "one row", "design effect"]
    n = int(frame.groupby(["world", "candidate"]).size().max())
    text = (
        "`python -m benchmarks dependent_rows run`. Pairs with *real* above one half, "
        "false ones ± standard error, of networks with true ones and the log-loss of all pairs, nats, in brackets; "
        f"means over {n} tables (of each network).\n\n{markdown(header, rows)}"
    )
    return Report({"Rows that depend on each other": text})


CELLS = grid(world=WORLDS, table=range(3))
SMALL = grid(world=("fresh rows", "a series, kept 0.9"), table=0)
STUDY = Study("dependent_rows", CELLS, measure, SMALL, report, ("scores", "posterior", "data"))

if __name__ == "__main__":
    print(alarms())
