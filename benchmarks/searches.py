"""Each search on ALARM, N = 1,000, BIC: time, score, families counted; beside pyAgrum's climbing and tabu search.

``--tables 10 --peers PYTHON`` instead notes in ``searches.csv`` what each search reaches on so many samples of several
networks, beside the programs that the other environment has (``peers.py``); it goes on where it was left.
``--replicates 10 --peers PYTHON`` does the same with bootstrap replicates. ``--again`` measures anew what these
options, ``--networks``, ``--sizes`` and ``--scores`` name. ``--report`` writes what was found to RESULTS.md and
README.md.

``--large`` instead learns one table each of ANDES and of random networks of 724 variables, and writes to RESULTS.md.

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
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks import peers
from benchmarks.peers import TABU_PATIENCE, TABU_SIZE
from benchmarks.report import write_section
from benchmarks.searches_report import write_report
from benchmarks.worlds import growing_network
from bnengine.bootstrap.resamplers import replicate_generators
from bnengine.graphs.dag import adjacency_of, edges_of

N_ROWS = 1000
_REACHED = Path(__file__).with_name("searches.csv")
_REPLICATES = Path(__file__).with_name("searches_replicates.csv")
SIMULATED_ROWS, SIMULATED_VARIABLES, LEVELS = 320, 33, 4


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that a piece of work takes."""
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
    """Print the median of ``runs`` after one to warm up."""
    found = bn.learn(data, bn.BIC(), search, rng=1)
    seconds = [timed(lambda: bn.learn(data, bn.BIC(), search, rng=1)) for _ in range(runs)]
    note = "" if found.status == "converged" else found.status
    line(what or search.name, seconds, found.score, found.n_evaluations, len(found.edges), note)


def learner_of(data: bn.Dataset) -> Any:
    """Return pyAgrum's learner with BIC, on one thread; the names stand in the order of the columns."""
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
    """Time pyAgrum's learning alone, its reading of the file not counted; its graph is scored by this engine."""
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
    """Time all searches, on one core."""
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


#: By number of variables: 8 to 76.
NETWORKS = ("asia", "child", "insurance", "water", "alarm", "hailfinder", "hepar2", "win95pts")
SCORES = {"BIC": bn.BIC(), "BDeu(1)": bn.BDeu(1)}
_FIRST_TABLE = 7000  # seeds of the samples: not those on which the search was tuned
LONG = "iterated local search, 10 times the patience"
BASE = "iterated local search"
#: Of the slower programs so many tables of each network, size and score; of the others all.
MOST_TABLES = {"bnlearn-port, hc, 20 restarts": 2, "pgmpy, hill climbing with a tabu list": 1}
MOST_TABLES |= {"causal-learn, GES": 1, "causal-learn, BOSS": 1}
LIMIT = 30.0  # processor seconds for a search of another program


def searches() -> dict[str, bn.search.Search]:
    """Return what is compared, by the name of its row; the last is there to know how good a score can be."""
    return {
        "hill climbing": bn.HillClimbing(),
        "climb, 20 restarts": bn.HillClimbing(restarts=20),
        "climb, 200 restarts": bn.HillClimbing(restarts=200),
        "tabu search": bn.Tabu(),
        "simulated annealing": bn.SimulatedAnnealing(),
        BASE: bn.IteratedLocalSearch(),
        LONG: bn.IteratedLocalSearch(patience=1500),
    }


class Reached:
    """What each search reached on each table, kept in a file as soon as it is known."""

    KEYS = ("network", "rows", "score", "table", "search")
    COLUMNS = (*KEYS, "nats", "shd", "ms", "families", "refused")

    def __init__(self, file: Path) -> None:
        self.file = file
        self._read()

    def _read(self) -> None:
        file = self.file
        self.frame = pd.read_csv(file) if file.exists() else pd.DataFrame(columns=list(self.COLUMNS))
        self._done = set(self.frame[list(self.KEYS)].itertuples(index=False, name=None))
        self._too_large: dict[tuple[str, str], int] = {}
        for line in self.frame[self.frame["nats"].isna()].itertuples():
            self._note_refusal(line.search, line.score, line.network)

    def forget(self, **of: Iterable[Any]) -> None:
        """Drop the lines with these values in these columns, so that they are measured again."""
        dropped = np.logical_and.reduce([self.frame[key].isin(list(values)) for key, values in of.items()])
        as_written = pd.read_csv(self.file, dtype=str, keep_default_na=False)
        as_written[~dropped].to_csv(self.file, index=False)
        self._read()

    def lacks(self, *cell: Any) -> bool:
        """Return whether there is neither a result nor a refusal."""
        return cell not in self._done

    def add(self, *line: Any) -> None:
        """Keep a line."""
        pd.DataFrame([line], columns=list(self.COLUMNS)).to_csv(
            self.file, mode="a", header=not self.file.exists(), index=False
        )
        self._done.add(line[:5])
        if np.isnan(line[5]):
            self._note_refusal(line[4], line[2], line[0])

    def _note_refusal(self, program: str, score: str, network: str) -> None:
        known = self._too_large.get((program, score), 10**9)
        self._too_large[program, score] = min(known, len(bn.load_network(network).names))

    def is_hopeless(self, program: str, score: str, network: bn.BayesianNetwork) -> bool:
        """Return whether the program took too long for as many variables already."""
        return len(network.names) >= self._too_large.get((program, score), 10**9)


def reach(
    networks: list[str],
    sizes: list[int],
    scores: list[str],
    tables: range,
    programs: peers.Programs | None,
    which: list[str],
    again: bool = False,
) -> None:
    """Add to ``searches.csv`` what each search and each program reaches; what is there is kept, if not ``again``."""
    small = bn.load_network("asia").sample(100, rng=1)
    for made, score in itertools.product(searches().values(), SCORES.values()):  # reading compiled code is no part
        bn.learn(small, score, made)
    reached = Reached(_REACHED)
    if again:
        names = [*searches(), *(which if programs is not None else ())]
        reached.forget(network=networks, rows=sizes, score=scores, table=tables, search=names)
    for table, name, n_rows, score in itertools.product(tables, networks, sizes, scores):
        network = bn.load_network(name)
        data, truth = network.sample(n_rows, rng=_FIRST_TABLE + table), bn.cpdag(network.adjacency)
        for what, made in searches().items():
            if reached.lacks(name, n_rows, score, table, what):
                start = time.process_time()
                found = bn.learn(data, SCORES[score], made, rng=table)
                ms, far = 1000 * (time.process_time() - start), bn.shd(bn.cpdag(found.adjacency), truth)
                reached.add(name, n_rows, score, table, what, found.score, far, round(ms, 2), found.n_evaluations, "")
        for what in which if programs is not None else ():
            if score not in peers.PROGRAMS[what][1] or table >= MOST_TABLES.get(what, 10**9):
                continue
            if reached.lacks(name, n_rows, score, table, what) and not reached.is_hopeless(what, score, network):
                reached.add(name, n_rows, score, table, what, *asked(programs, what, data, score, truth))
        print(f"table {table}, {name}, {n_rows:,} rows, {score}", flush=True)


def asked(programs: peers.Programs, what: str, data: bn.Dataset, score: str, truth: Any) -> tuple[Any, ...]:
    """Return nats, SHD, milliseconds, nothing, and why there is no graph, of another program."""
    states = {name: list(labels) for name, labels in zip(data.names, data.states, strict=True)}
    found = programs.learn(what, data.to_frame(), states, score)
    if isinstance(found, str):
        return np.nan, np.nan, np.nan, 0, found
    far = bn.shd(bn.cpdag(adjacency_of(data.names, found.edges)), truth)
    return bn.score(data, found.edges, SCORES[score]), far, round(1000 * found.seconds, 2), 0, ""


def replicates(n: int, programs: peers.Programs | None, which: list[str], again: bool = False) -> None:
    """Add to ``searches_replicates.csv`` the same for bootstrap replicates of one sample of ALARM, BIC."""
    network, reached = bn.load_network("alarm"), Reached(_REPLICATES)
    if again:
        reached.forget(search=[*searches(), *(which if programs is not None else ())])
    data, truth = network.sample(N_ROWS, rng=_FIRST_TABLE), bn.cpdag(network.adjacency)
    drawn = [data.take(g.integers(0, N_ROWS, N_ROWS)) for g in replicate_generators(0, n)]
    for what, made in searches().items():
        if reached.lacks("alarm", N_ROWS, "BIC", 0, what):
            bn.resample(data, bn.BIC(), made, bn.Bootstrap(1))
            with ThreadPoolExecutor(1) as executor:
                start = time.process_time()
                ensemble = bn.resample(data, bn.BIC(), made, bn.Bootstrap(n), rng=0, executor=executor)
                graphs = list(ensemble.adjacencies)
                ms = 1000 * (time.process_time() - start) / n
            if what == LONG:  # to know how good a score can be: with all its patience, of which replicates have half
                graphs = [bn.learn(table, bn.BIC(), made, rng=0).adjacency for table in drawn]
            for number, (table, graph) in enumerate(zip(drawn, graphs, strict=True)):
                nats, far = bn.score(table, edges_of(data.names, graph), bn.BIC()), bn.shd(bn.cpdag(graph), truth)
                reached.add("alarm", N_ROWS, "BIC", number, what, nats, far, round(ms, 3), 0, "")
            print(what, flush=True)
    for what in which if programs is not None else ():
        for number, table in enumerate(drawn[: 2 if what in MOST_TABLES else n]):
            if "BIC" in peers.PROGRAMS[what][1] and reached.lacks("alarm", N_ROWS, "BIC", number, what):
                reached.add("alarm", N_ROWS, "BIC", number, what, *asked(programs, what, table, "BIC", truth))
        print(what, flush=True)


def simulated_table(seed: int = 33) -> np.ndarray:
    """Return the rows of a random network: up to three parents each among the ten variables before it."""
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
    """Return a headerless tab-separated table; lines that begin with # are comments."""
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


def large_networks() -> None:
    """Learn one table of each large network by a climb and by iterated local search; write both to RESULTS.md."""
    lines = ["| network | variables | score | climb: s | iterated local search: s | nats above the climb | families |"]
    lines.append("|---|---:|---|---:|---:|---:|---:|")
    small = bn.load_network("asia").sample(100, rng=1)
    for name, network in (("ANDES", bn.load_network("andes")), ("random", growing_network(724))):
        data = network.sample(N_ROWS, rng=_FIRST_TABLE)
        for what, score in SCORES.items():
            found, seconds = [], []
            for search in (bn.HillClimbing(), bn.IteratedLocalSearch(prove=False)):
                bn.learn(small, score, search)
                start = time.process_time()
                found.append(bn.learn(data, score, search, rng=1))
                seconds.append(time.process_time() - start)
            above, families = found[1].score - found[0].score, found[1].n_evaluations
            lines.append(
                f"| {name} | {data.n_variables} | {what} | {seconds[0]:.2f} | {seconds[1]:.1f} | {above:,.0f} | "
                f"{families:,} |"
            )
            print(lines[-1], flush=True)
    head = (
        f"One sample of {N_ROWS:,} rows each, seed {_FIRST_TABLE}; the random network is that of `random_networks.py`, "
        "whose variables have three states and up to two parents. Processor time of one learning. Networks with many "
        "deterministic relations take longer: LINK (not bundled) about ten times as long under BDeu(1).\n\n"
        "    python -m benchmarks.searches --large\n\n"
    )
    write_section("Larger networks", head + "\n".join(lines))


def title_of(search: bn.search.Search) -> str:
    """Return a search with its schedule and its limit."""
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
    parser.add_argument("--again", action="store_true", help="measure what is named anew, also what is there")
    parser.add_argument("--replicates", type=int, help="compare them on so many bootstrap replicates of one sample")
    parser.add_argument(
        "--large", action="store_true", help="learn one table each of networks of 223 and 724 variables"
    )
    parser.add_argument("--programs", nargs="+", choices=tuple(peers.PROGRAMS), default=list(peers.PROGRAMS))
    parser.add_argument("--peers", help="the interpreter of an environment with other programs; see peers.py")
    parser.add_argument(
        "--report", action="store_true", help="write what was reached so far to RESULTS.md and README.md"
    )
    arguments = parser.parse_args()
    programs = peers.Programs(arguments.peers, LIMIT) if arguments.peers else None
    if arguments.tables is not None:
        cells = arguments.networks, arguments.sizes, arguments.scores, range(arguments.tables)
        reach(*cells, programs, arguments.programs, arguments.again)
    elif arguments.replicates is not None:
        replicates(arguments.replicates, programs, arguments.programs, arguments.again)
    elif arguments.large:
        large_networks()
    elif arguments.report:
        write_report(_REACHED, _REPLICATES, BASE, LONG, [*searches(), *peers.PROGRAMS], LIMIT)
    elif arguments.runs is None:
        compare_searches(arguments.tree_networks)
    else:
        table = read_integers(arguments.table) if arguments.table else simulated_table()
        many_annealings(table, arguments.runs, arguments.workers, arguments.rounds)


if __name__ == "__main__":
    main()
