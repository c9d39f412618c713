"""Each search on ALARM, N = 1,000, BIC: time, score, families counted; beside pyAgrum's climbing and tabu search.

``--tables 10`` instead notes in ``searches.csv`` what each search reaches on so many samples of several networks,
beside the peers that are installed (pyAgrum, bnlearn-port, PyBNesian); it goes on where it was left. ``--report``
writes the section of RESULTS.md.

``--runs 320 --table FILE`` instead times searches on bootstrap replicates of a headerless tab-separated table of whole
numbers, annealing with three limits on parents, on two cores; without FILE, on a table of 320 rows and 33 four-level
variables made here.
"""

import argparse
import itertools
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from results_page import write_section

import bnengine as bn
from bnengine.graphs.dag import adjacency_of

N_ROWS = 1000
TABU_SIZE, TABU_PATIENCE = 100, 100  # bnengine's defaults, given to the peer
SIMULATED_ROWS, SIMULATED_VARIABLES, LEVELS = 320, 33, 4


def timed(work: Callable[[], object]) -> float:
    """Seconds that a piece of work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def line(what: str, seconds: list[float], score: float, families: int | None, edges: int, note: str = "") -> None:
    """Print one search's figures: median and range of the times."""
    counted = f"{families:>9,}" if families is not None else f"{'':>9}"
    print(
        f"{what:<40} {1000 * statistics.median(seconds):10.2f} ms "
        f"({1000 * min(seconds):.2f} to {1000 * max(seconds):.2f})  {score:12.3f} nats  {counted} families  "
        f"{edges:>3} edges  {note}"
    )


def ours(data: bn.Dataset, search: bn.search.Search, what: str = "", runs: int = 5) -> None:
    """Median of ``runs`` after one to warm up."""
    found = bn.learn(data, bn.BIC(), search, rng=1)
    seconds = [timed(lambda: bn.learn(data, bn.BIC(), search, rng=1)) for _ in range(runs)]
    note = "" if found.status == "converged" else found.status
    line(what or search.name, seconds, found.score, found.n_evaluations, len(found.edges), note)


def learner_of(data: bn.Dataset) -> Any:
    """PyAgrum's learner with BIC, on one thread; the names stand in the order of the columns."""
    import pyagrum

    states = pyagrum.BayesNet()
    for name, labels in zip(data.names, data.states, strict=True):
        states.add(pyagrum.LabelizedVariable(name, name, list(labels)))
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder) / "data.csv")
        data.to_frame().to_csv(file, index=False)
        learner = pyagrum.BNLearner(file, states)
    learner.setNumberOfThreads(1)
    learner.useNoPrior()
    learner.useScoreBIC()
    return learner


def peer(data: bn.Dataset, what: str, use: Callable[[object], object], runs: int = 5) -> None:
    """PyAgrum's learning alone, its reading of the file not counted; its graph is scored by this engine."""
    seconds, graph = [], None
    for _ in range(runs + 1):
        learner = learner_of(data)
        use(learner)
        start = time.perf_counter()
        graph = learner.learnDAG()
        seconds.append(time.perf_counter() - start)
    edges = [(data.names[parent], data.names[child]) for parent, child in graph.arcs()]
    line(what, seconds[1:], bn.score(data, edges, bn.BIC()), None, len(edges), "scored by bnengine")


def compare_searches(tree_networks: int) -> None:
    """All searches, on one core."""
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[0]})
    network = bn.load_network("alarm")
    data = network.sample(N_ROWS, rng=1)
    print(f"ALARM, {data.n_variables} variables, {N_ROWS:,} rows, BIC; the network itself: ", end="")
    print(f"{bn.score(data, network.edges, bn.BIC()):.3f} nats, {len(network.edges)} edges")
    ours(data, bn.HillClimbing())
    ours(data, bn.IteratedLocalSearch())
    ours(data, bn.HillClimbing(restarts=100))
    ours(data, bn.Tabu())
    ours(data, bn.SimulatedAnnealing())
    ours(data, bn.SimulatedAnnealing.published(), "simulated annealing, published schedule")
    ours(data, bn.SimulatedAnnealing(start="climbed"), "simulated annealing, from a climb")
    ours(data, bn.Tabu(restarts=20))
    ours(data, bn.BestFirst())
    ours(data, bn.TreeSearch(max_networks=tree_networks), f"tree search, {tree_networks:,} networks", runs=1)
    ours(data, bn.ChowLiu())
    ours(data, bn.K2(network.ordering), "K2, the network's ordering")
    ours(data, bn.FixedOrdering(network.ordering), "fixed ordering, the network's, 3 parents")
    for n in (17, 20):
        first = data.select(data.names[:n])
        ours(first, bn.Exact(max_parents=4), f"exact, the first {n} variables, 4 parents")
        ours(first, bn.HillClimbing(), f"hill climbing, the first {n} variables")
    peer(data, "pyAgrum, greedy hill climbing", lambda learner: learner.useGreedyHillClimbing())
    peer(
        data,
        f"pyAgrum, tabu list {TABU_SIZE}, {TABU_PATIENCE} decreases",
        lambda learner: learner.useLocalSearchWithTabuList(TABU_SIZE, TABU_PATIENCE),
    )
    peer(data, "pyAgrum, its default tabu list", lambda learner: learner.useLocalSearchWithTabuList())


NETWORKS = ("alarm", "child", "insurance", "hailfinder", "win95pts")
SCORES = {"BIC": bn.BIC(), "BDeu(1)": bn.BDeu(1)}
_FIRST_TABLE = 7000  # seeds of the samples: not those on which the search was tuned
_REACHED = Path(__file__).with_name("searches.csv")


def searches() -> dict[str, bn.search.Search]:
    """What is compared, by the name of its row; the last is there to know how good a score can be."""
    return {
        "hill climbing": bn.HillClimbing(),
        "climb, 20 restarts": bn.HillClimbing(restarts=20),
        "climb, 200 restarts": bn.HillClimbing(restarts=200),
        "tabu search": bn.Tabu(),
        "simulated annealing": bn.SimulatedAnnealing(),
        "iterated local search": bn.IteratedLocalSearch(),
        LONG: bn.IteratedLocalSearch(patience=1500),
    }


LONG = "iterated local search, 10 times the patience"


def peer_pyagrum(data: bn.Dataset, use: str) -> tuple[list[tuple[str, str]], float]:
    """Edges and processor seconds of pyAgrum's learning under BIC, its reading of the file not counted."""
    learner = learner_of(data)
    if use == "tabu":
        learner.useLocalSearchWithTabuList(TABU_SIZE, TABU_PATIENCE)
    else:
        learner.useGreedyHillClimbing()
    start = time.process_time()
    graph = learner.learnDAG()
    seconds = time.process_time() - start
    return [(data.names[parent], data.names[child]) for parent, child in graph.arcs()], seconds


def peer_bnlearn(data: bn.Dataset) -> tuple[list[tuple[str, str]], float]:
    """The same of R's ``hc(restart = 20, perturb = 5)``."""
    import pybnlearn

    labels = [pd.Categorical.from_codes(data.codes[:, v], list(data.states[v])) for v in range(data.n_variables)]
    frame = pd.DataFrame(dict(zip(data.names, labels, strict=True)))
    pybnlearn.set_seed(1)
    start = time.process_time()
    found = pybnlearn.hc(frame, score="bic", restart=20, perturb=5)
    return [(str(parent), str(child)) for parent, child in found.edges], time.process_time() - start


def peer_pybnesian(data: bn.Dataset) -> tuple[list[tuple[str, str]], float]:
    """The same of PyBNesian's climb."""
    import pybnesian

    frame = data.to_frame().astype("category")
    start = time.process_time()
    found = pybnesian.hc(frame, bn_type=pybnesian.DiscreteBNType(), score="bic", operators=["arcs"])
    return [(parent, child) for parent, child in found.arcs()], time.process_time() - start


PEERS: dict[str, Callable[[bn.Dataset], tuple[list[tuple[str, str]], float]]] = {
    "pyAgrum, greedy hill climbing": lambda data: peer_pyagrum(data, "greedy"),
    "pyAgrum, tabu list": lambda data: peer_pyagrum(data, "tabu"),
    "bnlearn-port, hc, 20 restarts": peer_bnlearn,
    "PyBNesian, hc": peer_pybnesian,
}


def reach(networks: list[str], sizes: list[int], scores: list[str], tables: range) -> None:
    """Add to ``searches.csv`` what each search and each peer that is installed reaches; what is there is kept."""
    for made, score in itertools.product(searches().values(), SCORES.values()):  # reading compiled code is no part
        bn.learn(bn.load_network("asia").sample(100, rng=1), score, made)
    known = pd.read_csv(_REACHED) if _REACHED.exists() else pd.DataFrame(columns=["network"])
    keys = ["network", "rows", "score", "table", "search"]
    done = set(known[keys].itertuples(index=False, name=None)) if len(known) else set()
    for table, name, n_rows, score in itertools.product(tables, networks, sizes, scores):
        network = bn.load_network(name)
        data, lines = network.sample(n_rows, rng=_FIRST_TABLE + table), []
        truth = bn.cpdag(network.adjacency)
        for what, made in [*searches().items(), *(PEERS.items() if score == "BIC" else [])]:
            if (name, n_rows, score, table, what) in done:
                continue
            if what in PEERS:
                try:
                    edges, seconds = made(data)
                except ImportError:
                    continue
                nats, families = bn.score(data, edges, SCORES[score]), 0
                adjacency = adjacency_of(data.names, edges)
            else:
                start = time.process_time()
                found = bn.learn(data, SCORES[score], made, rng=table)
                seconds = time.process_time() - start
                nats, families, adjacency = found.score, found.n_evaluations, found.adjacency
            far = bn.shd(bn.cpdag(adjacency), truth)
            lines.append((name, n_rows, score, table, what, nats, far, round(1000 * seconds, 2), families))
        columns = [*keys, "nats", "shd", "ms", "families"]
        pd.DataFrame(lines, columns=columns).to_csv(_REACHED, mode="a", header=not _REACHED.exists(), index=False)
        print(f"table {table}, {name}, {n_rows:,} rows, {score}", flush=True)


def report() -> None:
    """Write the section of RESULTS.md from ``searches.csv``."""
    reached = pd.read_csv(_REACHED)
    cell = ["network", "rows", "score", "table"]
    reached["below"] = reached.groupby(cell)["nats"].transform("max") - reached["nats"]
    order = [what for what in [*searches(), *PEERS] if what in set(reached["search"])]
    lines = ["| search | tables | within 1 nat | within 10 nats | nats below, mean | SHD, mean | ms, mean |"]
    lines.append("|---|---:|---:|---:|---:|---:|---:|")
    for what in order:
        of = reached[reached["search"] == what]
        lines.append(
            f"| {what} | {len(of)} | {(of.below <= 1).mean():.0%} | {(of.below <= 10).mean():.0%} | "
            f"{of.below.mean():.1f} | {of.shd.mean():.1f} | {of.ms.mean():.1f} |"
        )
    lines += ["", "By network, score and rows: nats below the best known / SHD / ms, means over the tables.", ""]
    shown = [what for what in order if what != LONG]
    lines += [
        f"| network | score | rows | tables | {' | '.join(shown)} |",
        "|---|---|---:|---:" + "|---:" * len(shown) + "|",
    ]
    for (network, score, rows), of in reached.groupby(["network", "score", "rows"]):
        means = of.groupby("search")[["below", "shd", "ms"]].mean()
        cells = [
            f"{means.below[what]:.1f} / {means.shd[what]:.1f} / {means.ms[what]:.0f}" if what in means.index else ""
            for what in shown
        ]
        lines.append(f"| {network} | {score} | {rows:,} | {of['table'].nunique()} | {' | '.join(cells)} |")
    write_section("Scores reached", _REACHED_HEAD + "\n".join(lines))


_REACHED_HEAD = f"""\
How far each search ends below the best score known of a table (the best of all searches here, one with ten times the
patience among them), structural Hamming distance of its CPDAG to the true network's, and processor time of one
learning. Samples of the networks with seeds on which nothing was tuned. Peers under BIC only, their graphs scored by
bnengine; pyAgrum with one thread, tabu lists of {TABU_SIZE}.

    python benchmarks/searches.py --tables 10 && python benchmarks/searches.py --report

"""


def simulated_table(seed: int = 33) -> np.ndarray:
    """Rows of a random network: up to three parents each among the ten variables before it."""
    rng = np.random.default_rng(seed)
    parents, tables = [], []
    for v in range(SIMULATED_VARIABLES):
        before = np.arange(max(0, v - 10), v)
        chosen = rng.choice(before, min(len(before), int(rng.integers(0, 4))), replace=False)
        parents.append(tuple(sorted(chosen.tolist())))
        tables.append(rng.dirichlet([0.5] * LEVELS, size=LEVELS ** len(parents[-1])))
    names = tuple(f"x{v + 1}" for v in range(SIMULATED_VARIABLES))
    states = (tuple(str(level) for level in range(LEVELS)),) * SIMULATED_VARIABLES
    network = bn.BayesianNetwork(names, states, tuple(parents), tuple(tables), "random")
    return network.sample(SIMULATED_ROWS, rng=seed).codes.astype(np.int64)


def read_integers(file: str) -> np.ndarray:
    """A headerless tab-separated table; lines that begin with # are comments."""
    return np.loadtxt(file, dtype=np.int64, ndmin=2)


def many_annealings(table: np.ndarray, runs: int, workers: int, rounds: int) -> None:
    """Time ``runs`` bootstrap replicates, each annealed once, under BIC and under BDeu(25)."""
    data = bn.Dataset.from_frame(pd.DataFrame(table, columns=[f"x{v + 1}" for v in range(table.shape[1])]))
    print(f"{data.n_rows:,} rows, {data.n_variables} variables, {runs} bootstrap replicates, {workers} threads")
    searches = [replace(bn.SimulatedAnnealing.published(), max_parents=limit) for limit in (5, 8, None)]
    searches += [bn.SimulatedAnnealing(max_parents=limit) for limit in (5, 8, None)]
    searches += [bn.HillClimbing()]
    for score in (bn.BIC(), bn.BDeu(25)):
        for chosen in searches:
            bn.resample(data, score, chosen, bn.Bootstrap(2))
            seconds, core_seconds, ensemble = [], [], None
            for _ in range(rounds):
                with ThreadPoolExecutor(workers) as executor:
                    start, of_cores = time.perf_counter(), time.process_time()
                    ensemble = bn.resample(data, score, chosen, bn.Bootstrap(runs), rng=1, executor=executor)
                    seconds.append(time.perf_counter() - start)
                    core_seconds.append(time.process_time() - of_cores)
            print(
                f"{score.name:<10} {title_of(chosen):<46} {statistics.median(seconds):8.2f} s "
                f"({min(seconds):.2f} to {max(seconds):.2f})  "
                f"{1000 * statistics.median(core_seconds) / runs:8.2f} ms of a core each  "
                f"edges {ensemble.mean_edges:.1f} ± {ensemble.edge_counts.std(ddof=1):.1f}  "
                f"the data's own graph {ensemble.reference.score:.2f} nats, {len(ensemble.reference.edges)} edges"
            )


def title_of(search: bn.search.Search) -> str:
    """A search with its schedule and its limit."""
    if not isinstance(search, bn.SimulatedAnnealing):
        return search.name
    schedule = "from the data" if search.start_temperature is None else "published"
    return f"{search.name}, {schedule}, {search.max_parents or 'no limit of'} parents"


def main() -> None:
    """Print the figures of one of the three comparisons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, help="time so many annealings of bootstrap replicates instead")
    parser.add_argument("--table", help="headerless tab-separated whole numbers; without it a table is simulated")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tree-networks", type=int, default=500, help="networks that the tree search may visit")
    parser.add_argument(
        "--tables", type=int, help="compare what is reached on so many samples of each network and size"
    )
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--sizes", nargs="+", type=int, default=[300, 1000, 5000])
    parser.add_argument("--scores", nargs="+", choices=SCORES, default=list(SCORES))
    parser.add_argument("--report", action="store_true", help="write what was reached so far to RESULTS.md")
    arguments = parser.parse_args()
    if arguments.tables is not None:
        reach(arguments.networks, arguments.sizes, arguments.scores, range(arguments.tables))
    elif arguments.report:
        report()
    elif arguments.runs is None:
        compare_searches(arguments.tree_networks)
    else:
        table = read_integers(arguments.table) if arguments.table else simulated_table()
        many_annealings(table, arguments.runs, arguments.workers, arguments.rounds)


if __name__ == "__main__":
    main()
