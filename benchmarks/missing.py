"""Which way to learn from missing cells? Every way, on networks that are known; resumable.

    python benchmarks/missing.py run --minutes 60                    # compute what is missing, for at most an hour
    python benchmarks/missing.py run --networks asia --tables 2 --peers PYTHON   # structural EM, on tables done before
    python benchmarks/missing.py report                              # RESULTS.md, and the sentence on the Data page

Holes are made in three ways: MCAR, each cell alike; MAR, in two thirds of the variables, depending on another variable
that is always seen; MNAR, depending on the cell's own state, which is four times as often missing in one half of the
states.
Each way learns from the same tables, by BIC and hill climbing:

SHD of the learned graph to the true one, both as CPDAGs; Σ|p − π| over adjacencies, with p the corrected bootstrap's
confidence and π the share of fresh tables from which the adjacency is learned: by the way itself, with holes made
alike, or from tables without holes, since a way that always misses an edge is sure of that; log-loss of the posterior
(BIC) against the true network, nats; processor seconds of the bootstrap, as a ratio to those of the table without
holes. PYTHON is an environment with bnlearn-port, whose structural EM is given 120 seconds a table.

``run`` keeps each table as a small file in ``--work``, and adds all of them to ``missing.csv``.
"""

import argparse
import json
import math
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from measured import keep
from peers import Found, Programs
from results_page import write_section

import bnengine as bn
from bnengine._core.random_generators import standard_error
from bnengine.data.dataset import MISSING
from bnengine.graphs.dag import Adjacency, adjacency_of, shd

HERE = Path(__file__).parent
TABLE = HERE / "missing.csv"
NETWORKS = ("asia", "sachs", "child", "insurance", "water", "alarm")
MECHANISMS = ("MCAR", "MAR", "MNAR")
SHARES = (0.05, 0.1, 0.3)
ROWS = (300, 1000)
KEEPING = ("drawn", "complete_families", "listwise", "own_state")
WAYS = ("complete", *KEEPING, "most_common")
PEER = "bnlearn-port, structural EM"
TITLES = {
    "complete": "Table without holes",
    "drawn": "Drawn",
    "complete_families": "Complete families",
    "listwise": "Complete rows",
    "own_state": "State of its own",
    "most_common": "Most common state",
    PEER: "Structural EM (bnlearn-port)",
}
MEASURES = {
    "shd": "SHD",
    "error": "Σ|p − π|, π of the way itself",
    "error_complete": "Σ|p − π|, π of tables without holes",
    "log_loss": "Log-loss of *real*",
    "time": "Time",
}
SCORE, SEARCH = bn.BIC(), bn.HillClimbing()
REPLICATES, FRESH, STEPS = 50, 100, 100_000
_MORE_OFTEN = 4.0  # odds of a hole in one half of the states against the other


class Group(NamedTuple):
    """What tables have in common."""

    network: str
    mechanism: str
    share: float
    n_rows: int

    @property
    def name(self) -> str:
        """For files."""
        return f"{self.network}_{self.mechanism}_{self.share:g}_{self.n_rows}"


class Holes:
    """A mechanism that makes holes, the same for all tables of a network: cell i of v by the state of ``on[v]``."""

    def __init__(self, group: Group) -> None:
        network = bn.load_network(group.network)
        n, rng = len(network.names), np.random.default_rng(5)
        many = network.sample(10_000, rng=6).codes
        seen = set(rng.permutation(n)[: math.ceil(n / 3)].tolist()) if group.mechanism == "MAR" else set()
        wanted = min(group.share * n / (n - len(seen)), 0.9)
        self.on, self.chances = list(range(n)), []
        for v in range(n):
            if group.mechanism == "MAR" and v not in seen:
                near = [u for u in sorted(seen) if network.adjacency[u, v] or network.adjacency[v, u]]
                self.on[v] = int(rng.choice(near or sorted(seen)))
            arity = len(network.states[self.on[v]])
            shares = np.bincount(many[:, self.on[v]], minlength=arity) / len(many)
            upper = np.arange(arity) >= arity / 2
            odds = np.ones(arity) if group.mechanism == "MCAR" else np.where(upper, _MORE_OFTEN, 1.0)
            chances = np.minimum(odds * wanted / (odds @ shares), 0.95)
            self.chances.append(np.zeros(arity) if v in seen else chances)

    def made_in(self, data: bn.Dataset, seed: int) -> bn.Dataset:
        """Return the table with holes; a variable keeps at least one cell, so that it has states."""
        chance = np.column_stack([self.chances[v][data.codes[:, on]] for v, on in enumerate(self.on)])
        absent = np.random.default_rng(seed).random(chance.shape) < chance
        return bn.Dataset(data.names, data.states, np.where(absent, MISSING, data.codes))


def treated(holed: bn.Dataset, complete: bn.Dataset, way: str) -> bn.Dataset:
    """Return the table as a way wants it."""
    if way == "complete":
        return complete
    if way != "most_common":
        return holed.with_missing(way)
    counts = [np.bincount(column[column != MISSING], minlength=1) for column in holed.codes.T]
    common = np.array([count.argmax() for count in counts])
    return bn.Dataset(holed.names, holed.states, np.where(holed.codes == MISSING, common, holed.codes))


def drawn_tables(group: Group, holes: Holes, seeds: Iterable[int]) -> Iterator[tuple[int, bn.Dataset, bn.Dataset]]:
    """Return seeds, complete tables and the same with holes."""
    network = bn.load_network(group.network)
    for seed in seeds:
        complete = network.sample(group.n_rows, rng=seed)
        yield seed, complete, holes.made_in(complete, seed)


def learned(data: bn.Dataset, seed: int) -> Adjacency:
    """Return the graph that is learned."""
    return bn.learn(data, SCORE, SEARCH, rng=seed).adjacency


def inclusion(group: Group, holes: Holes, folder: Path) -> dict[str, npt.NDArray[np.float64]]:
    """Return π of each adjacency by way, from fresh tables; kept in a file."""
    file = folder / f"{group.name}_pi.npz"
    if not file.exists():
        sums = {way: [0.0, 0] for way in WAYS}
        for seed, complete, holed in drawn_tables(group, holes, range(1_000_000, 1_000_000 + FRESH)):
            for way in WAYS:
                try:
                    graph = learned(treated(holed, complete, way), seed)
                except bn.DataError:  # no complete row
                    continue
                sums[way] = [sums[way][0] + (graph | graph.T), sums[way][1] + 1]
        np.savez(file, **{way: total / n for way, (total, n) in sums.items() if n == FRESH})
    return dict(np.load(file))


def measured_ways(group: Group, seed: int, holes: Holes, pi: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one line per way for one table."""
    _, complete, holed = next(drawn_tables(group, holes, [seed]))
    network = bn.load_network(group.network)
    truth = adjacency_of(network.names, network.edges)
    pairs = np.triu_indices(len(truth), 1)
    lines, seconds = [], math.nan
    for way in WAYS:
        line = {**group._asdict(), "table": seed, "way": way}
        try:
            data = treated(holed, complete, way)
            line["shd"] = shd(bn.cpdag(learned(data, seed)), bn.cpdag(truth))
            start = time.process_time()
            again = bootstrapped(data, seed)
            line["seconds"] = time.process_time() - start
            seconds = line["seconds"] if way == "complete" else seconds
            line["time"] = line["seconds"] / seconds
            line["error_complete"] = float(np.abs(again - pi["complete"])[pairs].sum())
            if way in pi:
                line["error"] = float(np.abs(again - pi[way])[pairs].sum())
            line["log_loss"] = log_loss(data, truth, seed)
        except ValueError as refused:  # no complete row, or no posterior for this way
            line["refused"] = str(refused)
        lines.append(line)
    return lines


def peer_line(group: Group, seed: int, holes: Holes, peers: Programs, seconds: float) -> dict[str, Any]:
    """Return the line of structural EM; ``seconds`` are those of the bootstrap without holes."""
    holed = next(drawn_tables(group, holes, [seed]))[2]
    network = bn.load_network(group.network)
    states = {name: list(own) for name, own in zip(holed.names, holed.states, strict=True)}
    found = peers.learn(PEER, holed.to_frame(), states, "BIC")
    line: dict[str, Any] = {**group._asdict(), "table": seed, "way": PEER}
    if not isinstance(found, Found):
        return {**line, "refused": found}
    truth, graph = adjacency_of(network.names, network.edges), adjacency_of(holed.names, found.edges)
    return {**line, "shd": shd(bn.cpdag(graph), bn.cpdag(truth)), "time": found.seconds * REPLICATES / seconds}


def bootstrapped(data: bn.Dataset, seed: int) -> npt.NDArray[np.float64]:
    """Return the corrected bootstrap's confidence of each adjacency, on one thread."""
    with ThreadPoolExecutor(1) as one:
        resampler = bn.Bootstrap(REPLICATES)
        found = bn.resample(data, SCORE, SEARCH, resampler, "leading", rng=seed, executor=one)
    return np.asarray(found.adjacency_confidence)


def log_loss(data: bn.Dataset, truth: Adjacency, seed: int) -> float:
    """Return the log-loss of the posterior of adjacencies, nats over all pairs; probabilities are kept off 0 and 1."""
    with ThreadPoolExecutor(1) as one:
        found = bn.edge_posterior(
            data, SCORE, max_parents=3, effort=bn.posterior.Effort(n_chains=2), n_steps=STEPS, rng=seed, executor=one
        )
    upper = np.triu_indices(len(truth), 1)
    p = np.clip((found.probability + found.probability.T)[upper], 0.001, 0.999)
    return float(-np.log(np.where((truth | truth.T)[upper], p, 1 - p)).sum())


def warm_up() -> None:
    """Compile before the clock runs."""
    small = Group("asia", "MCAR", 0.1, 100)
    _, complete, holed = next(drawn_tables(small, Holes(small), [1]))
    for way in WAYS:
        bootstrapped(treated(holed, complete, way), 1)


def run(asked: argparse.Namespace) -> None:
    """Compute what is missing, first the first table of all groups, and write ``missing.csv``."""
    asked.work.mkdir(exist_ok=True)
    groups = [Group(*one) for one in product(asked.networks, asked.mechanisms, asked.shares, asked.rows)]
    every = [(group, seed) for seed in range(1, asked.tables + 1) for group in groups]
    kind = "_peer" if asked.peers else ""
    todo = [(group, seed) for group, seed in every if not _file(asked.work, group, seed, kind).exists()]
    peers = Programs(asked.peers, 120.0) if asked.peers else None
    warm_up()
    begin = time.monotonic()
    for done, (group, seed) in enumerate(todo, start=1):
        if (time.monotonic() - begin) / 60 > asked.minutes:
            break
        holes = Holes(group)
        if peers is None:
            lines = measured_ways(group, seed, holes, inclusion(group, holes, asked.work))
        elif _file(asked.work, group, seed).exists():
            known = json.loads(_file(asked.work, group, seed).read_text(encoding="utf-8"))
            lines = [peer_line(group, seed, holes, peers, known[0]["seconds"])]
        else:
            continue
        _file(asked.work, group, seed, kind).write_text(json.dumps(lines), encoding="utf-8")
        spent = (time.monotonic() - begin) / 60
        rest = spent / done * (len(todo) - done)
        print(
            f"{group.name} table {seed}: {done} of {len(todo)}, {spent:.1f} min; the rest about {rest:.0f}", flush=True
        )
    if peers is not None:
        peers.close()
    files = sorted(asked.work.glob("*.json"))
    lines = [line for path in files for line in json.loads(path.read_text(encoding="utf-8"))]
    pd.DataFrame(lines).drop(columns="seconds", errors="ignore").to_csv(TABLE, index=False, float_format="%.4g")


def _file(work: Path, group: Group, seed: int, kind: str = "") -> Path:
    return work / f"{group.name}_{seed}{kind}.json"


def compared(lines: pd.DataFrame) -> pd.DataFrame:
    """Return the means of each way, mechanism and share, with the standard errors over tables.

    Over the tables on which every way of bnengine gave the measure.
    """
    found = []
    for (mechanism, share), part in lines.groupby(["mechanism", "share"], sort=False):
        for measure in MEASURES:
            table = part.pivot_table(index=["network", "n_rows", "table"], columns="way", values=measure)
            table = table.reindex(columns=[way for way in TITLES if way in table]).dropna(how="all")
            own = [way for way in table if way not in (PEER, "listwise")]
            both = table.dropna(subset=own)
            for way in table:
                values = both[way].dropna().to_numpy()
                if len(values):
                    error = float(standard_error(values)) if len(values) > 1 else math.nan
                    found.append((mechanism, share, measure, way, float(values.mean()), error, len(values)))
    columns = ["mechanism", "share", "measure", "way", "mean", "error", "tables"]
    return pd.DataFrame(found, columns=columns)


def wins(lines: pd.DataFrame) -> dict[str, Any]:
    """Return what the Data page says: in how many settings each way has the lowest mean of a measure, and the times."""
    by = ["network", "mechanism", "share", "n_rows"]
    own = lines[lines["way"].isin([*KEEPING, "most_common"])]
    lowest: dict[str, dict[str, int]] = {}
    for measure in ("shd", "error", "error_complete", "log_loss"):
        alike = ("complete_families",) if measure == "log_loss" else ()  # its posterior is that of draws
        one_each = own[~own["way"].isin(alike)]
        means = one_each.pivot_table(index=by, columns="way", values=measure)
        counts = means.idxmin(axis=1).value_counts()
        lowest[measure] = {way: int(counts.get(way, 0)) for way in means}
    averages = own.groupby("way")[["shd", "error", "error_complete", "log_loss"]].mean().round(3)
    return {
        "settings": int(own.groupby(by).ngroups),
        "tables": int(own.groupby([*by, "table"]).ngroups),
        "networks": [name for name in NETWORKS if name in set(own["network"])],
        "lowest": lowest,
        "means": {way: averages.loc[way].dropna().to_dict() for way in averages.index},
        "time": own.groupby("way")["time"].median().round(2).to_dict(),
    }


def report() -> None:
    """Write the section of RESULTS.md, and what the Data page says."""
    lines = pd.read_csv(TABLE)
    means, said = compared(lines), wins(lines)
    sizes = [f"{n:,}" for n in sorted(lines["n_rows"].unique())]
    parts = [
        f"`benchmarks/missing.py`: {said['tables']} tables of {said['settings']} settings, of "
        f"{', '.join(said['networks'])}; planned: {', '.join(NETWORKS)}; {', '.join(sizes)} rows. "
        f"Means ± standard error over tables; lower is better. BIC, hill climbing, {REPLICATES} replicates of the "
        f"corrected bootstrap, π from {FRESH} fresh tables with holes made alike. Time is the bootstrap's, as a ratio "
        "to the table without holes; that of structural EM, which does not resample, is one learning's times "
        f"{REPLICATES}. Complete rows are averaged over the tables that have any. The posterior of both ways "
        "that keep the missing cells averages over draws of them."
    ]
    for measure, title in MEASURES.items():
        part = means[means["measure"] == measure]
        if not len(part):
            continue
        parts.append(f"### {title}")
        heads = part[["mechanism", "share"]].drop_duplicates().itertuples(index=False)
        settings = [(str(mechanism), float(share)) for mechanism, share in heads]
        rows = ["| | " + " | ".join(f"{mechanism} {share:.0%}" for mechanism, share in settings) + " |"]
        rows.append("| --- |" + " --- |" * len(settings))
        for way in [way for way in TITLES if way in set(part["way"])]:
            cells = [
                _cell(part[(part["way"] == way) & (part["mechanism"] == mechanism) & (part["share"] == share)])
                for mechanism, share in settings
            ]
            rows.append(f"| {TITLES[way]} | {' | '.join(cells)} |")
        parts.append("\n".join(rows))
    for measure, counts in said["lowest"].items():
        ways = "; ".join(f"{TITLES[way]} {n}" for way, n in counts.items())
        parts.append(f"Settings in which the mean is lowest, {MEASURES[measure]}: {ways}.")
    write_section("Missing cells", "\n\n".join(parts))
    keep("missing", said)


def _cell(found: pd.DataFrame) -> str:
    if not len(found):
        return "–"
    one = found.iloc[0]
    return f"{one['mean']:.2f}" + ("" if math.isnan(one["error"]) else f" ± {one['error']:.2f}")


def main() -> None:
    """Run a part, or report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "report"))
    parser.add_argument("--networks", nargs="+", default=list(NETWORKS))
    parser.add_argument("--mechanisms", nargs="+", choices=MECHANISMS, default=list(MECHANISMS))
    parser.add_argument("--shares", nargs="+", type=float, default=list(SHARES))
    parser.add_argument("--rows", nargs="+", type=int, default=list(ROWS))
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--work", type=Path, default=HERE / ".missing", help="folder of the tables")
    parser.add_argument("--peers", help="interpreter of an environment with bnlearn-port")
    asked = parser.parse_args()
    run(asked) if asked.what == "run" else report()


if __name__ == "__main__":
    main()
