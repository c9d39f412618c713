"""What each search reaches on samples of several networks, and in which time, beside other programs.

One cell is one sample; seeds on which nothing was tuned. Other programs have ``LIMIT`` processor seconds each.
"""

import os
import time
from typing import Any

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.peers import PROGRAMS, RESTARTS, TABU_SIZE, ask
from benchmarks.report import HERE, Report, between, markdown, tabulated
from benchmarks.running import PEERS, ROOT, Study, grid
from bnengine.graphs.dag import adjacency_of

#: By number of variables: 8 to 76.
NETWORKS = ("asia", "child", "insurance", "water", "alarm", "hailfinder", "hepar2", "win95pts")
SCORES: dict[str, Any] = {"BIC": bn.BIC(), "BDeu(1)": bn.BDeu(1)}
FIRST_TABLE = 7000  # seeds of the samples: not those on which the search was tuned
LONG, BASE = "iterated local search, 10 times the patience", "iterated local search"
#: Of the slower programs so many tables of each network, size and score; of the others all.
MOST_TABLES = {"bnlearn-port, hc, 20 restarts": 2, "pgmpy, hill climbing with a tabu list": 1}
MOST_TABLES |= {"causal-learn, GES": 1, "causal-learn, BOSS": 1}
LIMIT = 30  # processor seconds for a search of another program
SAMPLE = ["network", "rows", "score", "table"]
OF_REPLICATES = "searches_replicates.csv"
README = ROOT / "README.md"
README_TAIL = "More networks, sizes and scores, and what was measured how: [RESULTS](benchmarks/RESULTS.md)."
HEAD = """\
How far each search ends below the best score known of a table (the best of all searches here, one with ten times the
patience among them), structural Hamming distance of its CPDAG to the true network's, and processor time of one
learning. Seeds on which nothing was tuned: {cells}.
Other programs' graphs are scored by bnengine; they run in a process of their own, pyAgrum on one thread and with tabu
lists of {tabu}. bnlearn-port is a port of R's bnlearn to Python; "{restarts} restarts" is
`hc(restart={restarts}, perturb=5)`. causal-learn's BDeu has the same prior probability for all graphs. Programs that
take seconds were asked about fewer tables, and those that found no graph within {limit} processor seconds not again
about as many variables; so the last three columns show iterated local search on the same tables.

    BNENGINE_PEERS=PYTHON python -m benchmarks searches run && python -m benchmarks searches_replicates run
"""

#: What is compared, by the name of its row; the last is there to know how good a score can be.
OURS: dict[str, bn.search.Search] = {
    "hill climbing": bn.HillClimbing(),
    "climb, 20 restarts": bn.HillClimbing(restarts=20),
    "climb, 200 restarts": bn.HillClimbing(restarts=200),
    "tabu search": bn.Tabu(),
    "simulated annealing": bn.SimulatedAnnealing(),
    BASE: bn.IteratedLocalSearch(),
    LONG: bn.IteratedLocalSearch(patience=1500),
}


def line(data: bn.Dataset, network: bn.BayesianNetwork, score: str, edges: Any, seconds: float) -> dict[str, Any]:
    """Return what a graph reaches: nats, SHD of its CPDAG to the network's, milliseconds."""
    far = bn.shd(bn.cpdag(adjacency_of(data.names, edges)), bn.cpdag(network.adjacency))
    return {"nats": bn.score(data, edges, SCORES[score]), "shd": far, "ms": round(1000 * seconds, 3)}


def measure(network: str, rows: int, score: str, table: int) -> list[dict[str, Any]]:
    """Return a line a search."""
    truth, lines = bn.load_network(network), []
    data, small = truth.sample(rows, rng=FIRST_TABLE + table), bn.load_network("asia").sample(100, rng=1)
    for what, search in OURS.items():
        bn.learn(small, SCORES[score], search)  # reading compiled code is no part
        start = time.process_time()
        found = bn.learn(data, SCORES[score], search, rng=table)
        seconds = time.process_time() - start
        reached = line(data, truth, score, found.edges, seconds)
        lines.append({"search": what, **reached, "families": found.n_evaluations})
    return lines + by_peers(data, truth, score, [what for what in PROGRAMS if table < MOST_TABLES.get(what, 10**9)])


def by_peers(data: bn.Dataset, truth: bn.BayesianNetwork, score: str, which: list[str]) -> list[dict[str, Any]]:
    """Return the lines of other programs, or why they found no graph."""
    lines: list[dict[str, Any]] = []
    if python := os.environ.get(PEERS):
        for what in (one for one in which if score in PROGRAMS[one][1]):
            found, reached = ask(python, LIMIT, what, data, score), {"nats": np.nan}
            if "edges" in found:
                reached = line(data, truth, score, found.pop("edges"), found.pop("seconds"))
            lines.append({"search": what, **reached, **found, "families": 0})
    return lines


# The report


def report(frame: pd.DataFrame) -> Report:
    """Return the section; README's table, which has what is shipped of replicates beside it."""
    frame, again = below_best(frame), below_best(pd.read_csv(HERE / OF_REPLICATES))
    order = [what for what in (*OURS, *PROGRAMS) if what in set(frame["search"])]
    networks = frame["network"].unique()
    tables = frame[frame["search"] == BASE].groupby(SAMPLE[:3])["table"].nunique()
    numbers = f"{tables.min()} to {tables.max()}" if tables.min() < tables.max() else str(tables.min())
    cells = (
        f"{len(networks)} networks ({', '.join(networks)}) × {frame['rows'].nunique()} sizes × "
        f"{frame['score'].nunique()} scores, {numbers} samples of each, of which the "
        f"first {tables.min()} count where all are averaged"
    )
    balanced = frame[frame["table"] < tables.min()]
    parts = [HEAD.format(cells=cells, tabu=TABU_SIZE, restarts=RESTARTS, limit=LIMIT), conclusion(balanced, order[0])]
    for score, own in balanced.groupby("score", sort=False):
        parts += [f"{score}:", overall(own, order)]
    quoted = call_and_replicate(frame, again, [what for what in order if what != LONG])
    return Report(
        {"Scores reached": "\n\n".join([*parts, refusals(frame, order)])},
        files={README: between(README, "searches", f"\n{quoted}\n\n{README_TAIL}\n")},
    )


def below_best(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the nats below the best of each table, also as a share of it."""
    best = frame.groupby(SAMPLE)["nats"].transform("max")
    return frame.assign(below=best - frame["nats"], relative=(best - frame["nats"]) / best.abs())


def beside_base(frame: pd.DataFrame, what: str) -> pd.DataFrame:
    """Return the tables of a search that have a graph, beside the default search's."""
    own = frame[(frame["search"] == what) & frame["nats"].notna()]
    base = frame.loc[frame["search"] == BASE, [*SAMPLE, "below", "shd", "ms"]]
    return own.merge(base, on=SAMPLE, suffixes=("", "_base"))


def overall(frame: pd.DataFrame, order: list[str]) -> str:
    """Tabulate the searches over all tables of a score."""
    heads = "search | tables | within 1 nat | within 10 nats | nats below, mean | of the score | SHD, mean | ms, mean"
    form = "{what} | {n} | {one:.0%} | {ten:.0%} | {below:.1f} | {relative:.2%} | {shd:.1f} | {ms:,.0f} | "
    form += "{below_base:.1f} | {shd_base:.1f} | {times}"
    lines = []
    for what in order:
        if len(of := beside_base(frame, what)):
            shares = {"one": (of.below <= 1).mean(), "ten": (of.below <= 10).mean()}
            about = {"what": what, "n": len(of), "times": times(of.ms, of.ms_base)}
            lines.append(of.mean(numeric_only=True).to_dict() | shares | about)
    return tabulated(lines, f"{heads} | {BASE}: nats below | SHD | its time, as a multiple", form)


def conclusion(frame: pd.DataFrame, first: str) -> str:
    """Say what the better search gains over the first, and what it costs."""
    own, other = beside_base(frame, BASE), beside_base(frame, first)
    slow, others = own.loc[own["ms"].idxmax()], [what for what in frame["search"].unique() if what in PROGRAMS]
    beside = pd.concat([beside_base(frame, what) for what in others or [BASE]])
    higher = int((beside.below_base - beside.below > 1).sum())
    return (
        f"**{BASE.capitalize()} ends within 1 nat of the best known in {(own.below <= 1).mean():.0%} of {len(own)} "
        f"tables and within 10 in {(own.below <= 10).mean():.0%}, {first} in {(other.below <= 1).mean():.0%} and "
        f"{(other.below <= 10).mean():.0%}.** It takes {times(other.ms_base, other.ms)} the processor time of "
        f"{first} (geometric mean), {own.ms.median():.0f} ms in half of the tables and at most {slow.ms:,.0f} ms "
        f"({slow.network}, {slow['rows']:,} rows, {slow.score}). Of "
        f"{len(beside)} graphs of other programs {higher or 'none'} scores more than 1 nat higher than its graph of "
        "the same table."
    )


def times(ours: pd.Series, others: pd.Series) -> str:
    """Return the geometric mean of the ratios of times."""
    ratio = float(np.exp(np.log(ours / others).mean()))
    return f"{ratio:,.0f} ×" if ratio >= 100 else f"{ratio:.2g} ×"


def refusals(frame: pd.DataFrame, order: list[str]) -> str:
    """List programs that gave no graph, where first, and why."""
    without = {what: frame[(frame["search"] == what) & frame["nats"].isna()] for what in order}
    firsts = [(len(own), own.iloc[0]) for own in without.values() if len(own)]
    return "\n".join(
        f"* {first.search}: no graph in {n} tables, among them {first.network}, {first['rows']:,} rows, {first.score}: "
        f"{first.refused}."
        for n, first in firsts
    )


def call_and_replicate(frame: pd.DataFrame, again: pd.DataFrame, order: list[str]) -> str:
    """Return one table, ALARM with 1,000 rows under BIC: a learning, and a bootstrap replicate."""
    calls = frame[(frame["network"] == "alarm") & (frame["rows"] == 1000) & (frame["score"] == "BIC")]
    text = (
        "ALARM, 1,000 rows, BIC. *Below*: nats below the best score known of a table, mean; *ms*: processor time. On "
        f"the left one learning from a sample, on the right one bootstrap replicate, in which {BASE} has half of its "
        "patience; in brackets how many. Other work shared the machine: compare times with each other."
    )
    rows = []
    for what in order:
        one, many = (of[(of["search"] == what) & of["nats"].notna()] for of in (calls, again))
        if len(one):
            left = [f"{one.below.mean():.1f} ({len(one)})", f"{one.shd.mean():.1f}", f"{one.ms.mean():,.1f}"]
            right = [f"{many.below.mean():.1f} ({len(many)})", f"{many.ms.mean():,.1f}"] if len(many) else ["", ""]
            rows.append([f"**{what}**" if what == BASE else what, *left, *right])
    return f"{text}\n\n{markdown(['search', 'learning: below', 'SHD', 'ms', 'replicate: below', 'ms'], rows)}"


CELLS = grid(table=range(10), network=NETWORKS, rows=(300, 1_000, 5_000), score=SCORES)
SMALL = grid(table=0, network="asia", rows=300, score="BIC")
PEERS_OF = {"search": tuple(PROGRAMS)}
STUDY = Study("searches", CELLS, measure, SMALL, report, ("scores", "search"), clock=("ms",), peers=PEERS_OF)
