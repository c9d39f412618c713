"""Which way to learn from missing cells? Every way, on networks that are known.

Holes are made in three ways: MCAR, each cell alike; MAR, in two thirds of the variables, depending on another variable
that is always seen; MNAR, depending on the cell's own state, which is four times as often missing in one half of the
states.
Each way learns from the same tables. Σ|p − π| over adjacencies is taken twice: π, the share of fresh tables from which
the adjacency is learned, is that of the way itself, with holes made alike, or that of tables without holes, since a way
that always misses an edge is sure of that. SHD is between CPDAGs; structural EM of another program has 120 seconds a
table.
"""

import math
import os
import time
from typing import Any

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.methods import ONE_THREAD
from benchmarks.peers import STRUCTURAL_EM as PEER
from benchmarks.peers import ask
from benchmarks.report import Report, frame_in_markdown, mean_and_error
from benchmarks.running import PEERS, ROOMS, Study, grid, once
from benchmarks.scorer import clipped_loss, pairs_of
from bnengine.data.dataset import MISSING
from bnengine.graphs.dag import Adjacency, adjacency_of, shd, skeleton

NETWORKS = ("asia", "sachs", "child", "insurance", "water", "alarm")
TITLES = {
    "complete": "Table without holes",
    "drawn": "Drawn",
    "complete_families": "Complete families",
    "listwise": "Complete rows",
    "own_state": "State of its own",
    "most_common": "Most common state",
    PEER: "Structural EM (bnlearn-port)",
}
WAYS = tuple(TITLES)[:-1]
MEASURES = {
    "shd": "SHD",
    "error": "Σ|p − π|, π of the way itself",
    "error_complete": "Σ|p − π|, π of tables without holes",
    "log_loss": "Log-loss of *real*",
    "time": "Time",
}
SCORE, SEARCH = bn.BIC(), bn.HillClimbing()
POSTERIOR = {"max_parents": 3, "effort": bn.posterior.Effort(n_chains=2), "executor": ONE_THREAD}
REPLICATES, FRESH, STEPS = 50, 100, 100_000
SETTING = ["network", "mechanism", "share", "n_rows"]
_MORE_OFTEN = 4.0  # odds of a hole in one half of the states against the other


class Holes:
    """A mechanism that makes holes, the same for all tables of a network: cell i of v by the state of ``on[v]``."""

    def __init__(self, network: bn.BayesianNetwork, mechanism: str, share: float) -> None:
        n, rng = len(network.names), np.random.default_rng(5)
        many = network.sample(10_000, rng=6).codes
        seen = set(rng.permutation(n)[: math.ceil(n / 3)].tolist()) if mechanism == "MAR" else set()
        wanted = min(share * n / (n - len(seen)), 0.9)
        self.on, self.chances = list(range(n)), []
        for v in range(n):
            if mechanism == "MAR" and v not in seen:
                near = [u for u in sorted(seen) if network.adjacency[u, v] or network.adjacency[v, u]]
                self.on[v] = int(rng.choice(near or sorted(seen)))
            arity = len(network.states[self.on[v]])
            shares = np.bincount(many[:, self.on[v]], minlength=arity) / len(many)
            upper = np.arange(arity) >= arity / 2
            odds = np.ones(arity) if mechanism == "MCAR" else np.where(upper, _MORE_OFTEN, 1.0)
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


def learned(data: bn.Dataset, seed: int) -> Adjacency:
    """Return the graph that is learned."""
    return bn.learn(data, SCORE, SEARCH, rng=seed).adjacency


def inclusion(fresh: int, network: str, mechanism: str, share: float, n_rows: int) -> dict[str, Any]:
    """Return π of each adjacency by way, from fresh tables; of ways that learn from all of them."""
    known = bn.load_network(network)
    holes, sums = Holes(known, mechanism, share), dict.fromkeys(WAYS, np.zeros((len(known.names),) * 2))
    for seed in range(1_000_000, 1_000_000 + fresh):
        complete = known.sample(n_rows, rng=seed)
        holed = holes.made_in(complete, seed)
        for way in tuple(sums):
            try:
                graph = learned(treated(holed, complete, way), seed)
                sums[way] = sums[way] + skeleton(graph)
            except bn.DataError:  # no complete row
                del sums[way]
    return {way: total / fresh for way, total in sums.items()}


def measure(
    table: int, fresh: int = FRESH, replicates: int = REPLICATES, n_steps: int = STEPS, **setting: Any
) -> list[dict[str, Any]]:
    """Return one line per way for one table."""
    pi = once("missing", inclusion, fresh=fresh, **setting)
    known = bn.load_network(setting["network"])
    complete = known.sample(setting["n_rows"], rng=table)
    holed = Holes(known, setting["mechanism"], setting["share"]).made_in(complete, table)
    lines, seconds = [], math.nan
    bootstrapped(complete, table, 2)  # compiles
    for way in WAYS:
        line: dict[str, Any] = {"way": way}
        try:
            data = treated(holed, complete, way)
            line["shd"] = shd(bn.cpdag(learned(data, table)), bn.cpdag(known.adjacency))
            start = time.process_time()
            again = bootstrapped(data, table, replicates)
            taken = time.process_time() - start
            seconds = taken if way == "complete" else seconds
            line["time"] = taken / seconds
            of = {"error_complete": pi["complete"]} | ({"error": pi[way]} if way in pi else {})
            line |= {key: float(pairs_of(np.abs(again - truth)).sum()) for key, truth in of.items()}
            real = bn.edge_posterior(data, SCORE, n_steps=n_steps, rng=table, **POSTERIOR).pair_probability
            line["log_loss"] = clipped_loss(pairs_of(real), pairs_of(skeleton(known.adjacency)))
        except ValueError as refused:  # no complete row, or no posterior for this way
            line["refused"] = str(refused)
        lines.append(line)
    if (peers := os.environ.get(PEERS)) and table == 1:  # it takes a hundred times as long
        found = ask(peers, 120, PEER, holed)
        line = {"way": PEER} | {key: found[key] for key in ("refused",) if key in found}
        if "edges" in found:
            line["shd"] = shd(bn.cpdag(adjacency_of(holed.names, found["edges"])), bn.cpdag(known.adjacency))
            line["time"] = found["seconds"] * REPLICATES / seconds
        lines.append(line)
    return lines


def bootstrapped(data: bn.Dataset, seed: int, n: int) -> np.ndarray:
    """Return the corrected bootstrap's confidence of each adjacency."""
    again = bn.resample(data, SCORE, SEARCH, bn.Bootstrap(n), "leading", rng=seed, executor=ONE_THREAD)
    return again.adjacency_confidence


def table_of(lines: pd.DataFrame, measure: str) -> str:
    """Return the means of each way, mechanism and share, over the tables on which every way of bnengine gave one."""
    index = ["mechanism", "share", "network", "n_rows", "table"]
    table = lines.pivot_table(index=index, columns="way", values=measure, sort=False)
    needed = (
        table.groupby(index[:2], sort=False).transform("count").drop(columns=[PEER, "listwise"], errors="ignore") > 0
    )
    both = table[(table[needed.columns].notna() | ~needed).all(axis=1)]
    means = both.groupby(index[:2], sort=False).agg(lambda of: mean_and_error(of, 2)).T.reindex(list(TITLES))
    shown = means.set_axis([f"{mechanism} {share:.0%}" for mechanism, share in means], axis=1).fillna("–")
    return frame_in_markdown(shown[(shown != "–").any(axis=1)].rename(index=TITLES))


def report(lines: pd.DataFrame) -> Report:
    """Return the section, and what the Data page says: how many tables, and each way's mean of each measure."""
    table, own = [*SETTING, "table"], lines[lines["way"].isin(WAYS[1:])]
    common = own[own.groupby(table)["error_complete"].transform("count") == len(WAYS) - 1]
    averages = common.groupby("way")[["shd", "error", "error_complete", "log_loss"]].mean().round(3)
    said = {
        "tables": len(common[table].drop_duplicates()),
        "networks": [name for name in NETWORKS if name in set(common["network"])],
        "means": {way: averages.loc[way].dropna().to_dict() for way in averages.index},
    }
    parts = [
        f"`python -m benchmarks missing run`: {len(own[table].drop_duplicates())} tables of "
        f"{len(own[SETTING].drop_duplicates())} settings, of {', '.join(own['network'].unique())}; "
        f"{', '.join(f'{n:,}' for n in sorted(lines['n_rows'].unique()))} rows. "
        f"Means ± standard error over tables; lower is better. BIC, hill climbing, {REPLICATES} replicates of the "
        f"corrected bootstrap, π from {FRESH} fresh tables with holes made alike. Time is the bootstrap's, as a ratio "
        "to the table without holes; that of structural EM, which does not resample and is asked about one table of a "
        f"setting, is one learning's times {REPLICATES}. Complete rows are averaged over the tables that have any. The "
        "posterior of both ways that keep the missing cells averages over draws of them."
    ]
    for measure, title in MEASURES.items():
        if measure in lines:
            parts += [f"### {title}", table_of(lines, measure)]
    return Report({"Missing cells": "\n\n".join(parts)}, measured={"missing": said})


CELLS = grid(
    table=range(1, 9), network=NETWORKS, mechanism=("MCAR", "MAR", "MNAR"), share=(0.05, 0.1, 0.3), n_rows=(300, 1_000)
)
SMALL = grid(table=1, network="asia", mechanism="MAR", share=0.1, n_rows=100, fresh=4, replicates=4, n_steps=2_000)
STUDY = Study("missing", CELLS, measure, SMALL, report, (*ROOMS, "data"), clock=("time",), peers={"way": (PEER,)})
