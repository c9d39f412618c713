"""Each search on ALARM, N = 1,000, BIC: time, score, families counted; beside pyAgrum's climbing and tabu search.

``--samples 3`` instead compares what the searches find on so many samples of several networks, over seeds, beside R's
bnlearn (where bnlearn-port is installed) and pyAgrum.

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

import bnengine as bn

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


SAMPLED = ("alarm", "child", "insurance", "hailfinder", "win95pts")


def compare_samples(networks: list[str], sizes: list[int], n_samples: int, n_seeds: int) -> None:
    """Scores above one plain climb, on each sample, over the seeds: lowest, median, highest; seconds of one run."""
    searches = {
        "climb, 20 restarts": bn.HillClimbing(restarts=20),
        "tabu": bn.Tabu(),
        "tabu, 20 restarts": bn.Tabu(restarts=20),
        "annealing": bn.SimulatedAnnealing(),
        "annealing, published": bn.SimulatedAnnealing.published(),
        "annealing, from a climb": bn.SimulatedAnnealing(start="climbed"),
    }
    for name, n_rows, sample in itertools.product(networks, sizes, range(1, n_samples + 1)):
        data = bn.load_network(name).sample(n_rows, rng=sample)
        climb = bn.learn(data, bn.BIC()).score
        print(f"{name}, {n_rows:,} rows, sample {sample}: the climb {climb:.1f} nats")
        reached = {}
        for what, search in searches.items():
            seeds = range(1 if what == "tabu" else n_seeds)
            start = time.process_time()
            reached[what] = [bn.learn(data, bn.BIC(), search, rng=seed).score for seed in seeds]
            spread(what, reached[what], climb, (time.process_time() - start) / len(seeds))
        at_least = sum(score >= reached["tabu"][0] - 1e-6 for score in reached["annealing"])
        print(f"  annealing reaches tabu's score in {at_least} of {n_seeds} runs")
        peer_bnlearn(data, climb, n_seeds)
        peer_tabu(data, climb)


def spread(what: str, scores: list[float], climb: float, seconds: float) -> None:
    """One line of the comparison."""
    low, middle, high = (value - climb for value in (min(scores), statistics.median(scores), max(scores)))
    print(f"  {what:<28} {low:10.1f} {middle:10.1f} {high:10.1f}  of {len(scores)}  {seconds:8.3f} s", flush=True)


def peer_bnlearn(data: bn.Dataset, climb: float, n_seeds: int) -> None:
    """R's ``hc(restart = 20, perturb = 5)`` on the same rows, its graphs scored by this engine."""
    try:
        import pybnlearn
    except ImportError:
        print("  bnlearn-port is not installed")
        return
    labels = [pd.Categorical.from_codes(data.codes[:, v], list(data.states[v])) for v in range(data.n_variables)]
    frame = pd.DataFrame(dict(zip(data.names, labels, strict=True)))
    scores, start = [], time.process_time()
    for seed in range(1, n_seeds + 1):
        pybnlearn.set_seed(seed)
        found = pybnlearn.hc(frame, score="bic", restart=20, perturb=5)
        scores.append(bn.score(data, found.edges, bn.BIC()))
    spread("bnlearn, hc, 20 restarts", scores, climb, (time.process_time() - start) / n_seeds)


def peer_tabu(data: bn.Dataset, climb: float) -> None:
    """PyAgrum's search with a tabu list, its graph scored by this engine."""
    try:
        import pyagrum  # noqa: F401 - asked for here only
    except ImportError:
        print("  pyAgrum is not installed")
        return
    learner = learner_of(data)
    learner.useLocalSearchWithTabuList(TABU_SIZE, TABU_PATIENCE)
    start = time.process_time()
    graph = learner.learnDAG()
    seconds = time.process_time() - start
    edges = [(data.names[parent], data.names[child]) for parent, child in graph.arcs()]
    spread("pyAgrum, tabu list", [bn.score(data, edges, bn.BIC())], climb, seconds)


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
    parser.add_argument("--samples", type=int, help="compare what is found on so many samples of each network and size")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--networks", nargs="+", default=SAMPLED)
    parser.add_argument("--sizes", nargs="+", type=int, default=[1000, 5000])
    arguments = parser.parse_args()
    if arguments.samples is not None:
        compare_samples(arguments.networks, arguments.sizes, arguments.samples, arguments.seeds)
    elif arguments.runs is None:
        compare_searches(arguments.tree_networks)
    else:
        table = read_integers(arguments.table) if arguments.table else simulated_table()
        many_annealings(table, arguments.runs, arguments.workers, arguments.rounds)


if __name__ == "__main__":
    main()
