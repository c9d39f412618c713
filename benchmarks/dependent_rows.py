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
from benchmarks.report import Report, frame_in_markdown, mean_and_error
from benchmarks.running import Study, grid
from benchmarks.scorer import clipped_loss, pairs_of
from benchmarks.worlds import Array, World, network_of, series, subnetwork, table, whole
from bnengine.data.dependent_rows import DependentRows, suggested_block
from bnengine.experiment.row_question import row_question

NETWORKS = ("alarm", "asia", "child", "insurance", "sachs", "win95pts")
EFFORT, NEAREST = bn.posterior.Effort(n_bags=8), 1e-6


# Worlds: a table whose rows depend on each other, which of them do, and which pairs of columns are joined.

Made = tuple[World, DependentRows]


def persons(rng: np.random.Generator) -> Array:
    """Draw five visits of each of 60 persons; a cell is the person's own in 7 of 10 visits."""
    own, fresh = np.tile(rng.integers(0, 3, (60, 10)), (5, 1)), rng.integers(0, 3, (300, 10))
    return np.where(rng.random(own.shape) < 0.7, own, fresh)


def walks(rng: np.random.Generator) -> Array:
    """Draw six random walks of 300 steps, each cut into three bins of equally many rows."""
    ranks = np.cumsum(rng.normal(size=(300, 6)), axis=0).argsort(axis=0).argsort(axis=0)
    return np.asarray(ranks * 3 // 300)


#: By name, how columns of three states are drawn, and the cluster of each row; None: the rows are a series.
NOISE: dict[str, tuple[Callable[[np.random.Generator], Array], Array | None]] = {
    "100 rows pasted 5 times": (lambda rng: np.tile(rng.integers(0, 3, (100, 10)), (5, 1)), np.arange(500) % 100),
    "60 persons × 5 visits": (persons, np.arange(300) % 60),
    "a series, kept 0.8": (lambda rng: series(rng, 300, 0.8, 3, 10), None),
    "a series, kept 0.9": (lambda rng: series(rng, 300, 0.9, 3, 10), None),
    "six random walks": (walks, None),
    "fresh rows": (lambda rng: rng.integers(0, 3, (500, 10)), np.arange(500) // 5),
}


def noise(rng: np.random.Generator, kind: str) -> Made:
    """Draw independent columns; a series is cut into blocks of the length that the Data page suggests."""
    draw, cluster = NOISE[kind]
    codes = draw(rng)
    length = suggested_block(codes.astype(np.uint16)) if cluster is None else None
    unit = np.arange(len(codes)) // length if length else cluster
    return table(np.random.default_rng(0), list(codes.T), [3] * codes.shape[1]), DependentRows(unit, length)


def visits(rng: np.random.Generator, source: str, n: int, times: int, kept: float) -> Made:
    """Draw visits of persons, each a person's own row of a network, or a fresh row of it."""
    n_rows, few = n * (times + 1), len(network_of(source).names) <= 8
    data, joined, none = whole(rng, n_rows, source) if few else subnetwork(rng, n_rows, [source])
    person = np.tile(np.arange(n), times)
    rows = np.where(rng.random(n * times) < kept, person, n + np.arange(n * times))
    return World(data.take(rows), joined, none), DependentRows(person)


WORLDS: dict[str, Callable[[np.random.Generator], Made]] = {name: partial(noise, kind=name) for name in NOISE}
WORLDS |= {
    f"{n} persons × {times}, rows kept {kept:g}, {source}": partial(visits, source=source, n=n, times=times, kept=kept)
    for n, times, kept in ((100, 5, 0.7), (200, 3, 0.7), (200, 3, 0.0))
    for source in NETWORKS
}


def measure(world: str, table: int) -> list[dict[str, object]]:
    """Return a line a candidate: false and true pairs above one half, the log-loss, what rows are worth."""
    (data, joined, _), dependent = WORLDS[world](np.random.default_rng([0, list(WORLDS).index(world), table]))
    of_units = bn.Dataset(data.names, data.states, data.codes, dependent=dependent)
    candidates = {"independent": data, "drawn": of_units, "effective": of_units}
    if dependent.block is None:
        candidates["one row"] = data.take(np.unique(dependent.of_row, return_index=True)[1])
    true, lines = pairs_of(joined), []
    for candidate, taken in candidates.items():
        with patch.object(bn.Dataset, "design_effect", 1.0) if candidate == "drawn" else nullcontext():
            p = pairs_of(bn.edge_posterior(taken, effort=EFFORT, rng=table).pair_probability)
        line = {"candidate": candidate, "false": (p > 0.5)[~true].sum(), "true": (p > 0.5)[true].sum()}
        worth = round(taken.design_effect, 2) if candidate == "effective" else 1.0
        lines.append(line | {"log_loss": clipped_loss(p, true, NEAREST), "design_effect": worth})
    return lines


def alarms(tables: int = 1_500, seed: int = 0) -> str:
    """Return how often the Data page would ask about tables of independent rows."""
    asked = 0
    for t in range(tables):
        rng = np.random.default_rng([seed, t])
        n = int(rng.choice([20, 50, 100, 300, 1_000, 3_000]))
        if t % 2:
            states = rng.integers(2, 8, int(rng.choice([2, 3, 5, 10, 30]))).tolist()
            columns = [rng.choice(r, n, p=rng.dirichlet(np.ones(r))) for r in states]
            data = table(rng, columns, states).data
        else:
            data = network_of(str(rng.choice([*NETWORKS, "cancer", "survey", "hepar2"]))).sample(n, rng)
        asked += row_question(bn.Recipe("file", "t.csv"), data.to_frame(), data) is not None
    return f"Of {tables:,} tables of independent rows {asked} were asked about."


def report(frame: pd.DataFrame) -> Report:
    """Return the section: false (true) pairs above one half, and the log-loss of networks."""
    kinds = frame["world"].str.replace(rf", ({'|'.join(NETWORKS)})$", ", six networks", regex=True)
    cells = {}
    for (world, candidate), own in frame.groupby([kinds, "candidate"], sort=False):
        networks = f" ({own['true'].mean():.1f}; {own['log_loss'].mean():.1f})" if "networks" in world else ""
        cells[world, candidate] = mean_and_error(own["false"]) + networks
        if candidate == "effective":
            cells[world, "design effect"] = f"{own['design_effect'].mean():.1f}"
    columns = ["independent", "drawn", "effective", "one row", "design effect"]
    table = pd.Series(cells).unstack(fill_value="–").reindex(kinds.unique(), columns=columns, fill_value="–")
    n = int(frame.groupby(["world", "candidate"]).size().max())
    text = (
        "`python -m benchmarks dependent_rows run`. Pairs with *real* above one half, "
        "false ones ± standard error, of networks with true ones and the log-loss of all pairs, nats, in brackets; "
        f"means over {n} tables (of each network).\n\n{frame_in_markdown(table, head='world')}"
    )
    return Report({"Rows that depend on each other": text})


CELLS = grid(world=WORLDS, table=range(3))
SMALL = grid(world=("fresh rows", "a series, kept 0.9"), table=0)
STUDY = Study("dependent_rows", CELLS, measure, SMALL, report, ("scores", "posterior", "data"))

if __name__ == "__main__":
    print(alarms())
