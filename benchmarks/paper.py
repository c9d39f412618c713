"""The paper's two experiments as the Table 1 page runs them: seconds and number of edges, on two cores.

The second runs on a headerless table of whole numbers, separated by white space, lines with # left out
(``--table FILE``), or on one of 320 rows and 33 four-level variables made here. ``--limits`` runs only that one, with
several limits on parents, and ``--spreads`` tries what might explain the paper's standard deviations on ALARM
(``--n`` replicates, as many tables). ``--write`` keeps the result where the page with the paper's experiments reads it.
"""

import argparse
import dataclasses
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import keep
from benchmarks.worlds import simulated_table
from bnengine.experiment.warm_up import warm_up
from bnengine.scores.scores import corrected


def table_of(file: str | None) -> bn.Dataset:
    """Return the table of the second experiment."""
    if file is None:
        rows = simulated_table()
    else:
        lines = (line for line in Path(file).read_text().splitlines() if line.strip() and not line.startswith("#"))
        rows = np.array([[int(word) for word in line.split()] for line in lines])
    return bn.Dataset.from_frame(pd.DataFrame(rows, columns=[f"x{v + 1}" for v in range(rows.shape[1])]).astype(str))


def with_limits(data: bn.Dataset, limits: list[int | None], n: int, write: bool) -> None:
    """Compute the naive and corrected number of edges by the most parents that annealing allows."""
    posterior = bn.paper.annealing_experiment(bn.Recipe("file", "table"), n)
    lines = []
    for limit in limits:
        search = dataclasses.replace(posterior.search, max_parents=limit)
        study = dataclasses.replace(posterior, search=search, methods=("bootstrap_corrected", "bootstrap")).run(data)
        naive, corrected = study.ensembles["bootstrap"], study.ensembles["bootstrap_corrected"]
        line = {
            "limit": limit,
            "naive": naive.mean_edges,
            "naive_sd": naive.sd_edges,
            "corrected": corrected.mean_edges,
        }
        lines.append(line)
        print(line, flush=True)
    if write:
        keep("parent_limit", {"score": posterior.score.name, "replicates": n, "seed": posterior.seed, "lines": lines})


def observed_k2(codes: np.ndarray, arities: list[int], penalty: float) -> int:
    """Return the number of edges that K2 learns if |theta| counts observed states and parent configurations only."""

    def score(child: int, parents: list[int]) -> float:
        _, cells = np.unique(codes[:, [*parents, child]], axis=0, return_counts=True)
        configurations = np.unique(codes[:, parents], axis=0, return_counts=True)[1] if parents else [len(codes)]
        entropic = [float((n * np.log(n)).sum()) for n in (cells, np.asarray(configurations))]
        r = len(np.unique(codes[:, child]))
        return entropic[0] - entropic[1] - penalty * len(configurations) * (r - 1)

    n_edges = 0
    for child in range(len(arities)):
        parents: list[int] = []
        best = score(child, parents)
        while others := [p for p in range(child) if p not in parents]:
            found = max(others, key=lambda p: score(child, [*parents, p]))
            if score(child, [*parents, found]) <= best + 1e-9:
                break
            parents.append(found)
            best = score(child, parents)
        n_edges += len(parents)
    return n_edges


def n_edges(data: bn.Dataset, score: object, ordering: tuple[str, ...], rng: np.random.Generator) -> int:
    """Return the number of edges that K2 learns from a resample."""
    resample = data.take(rng.integers(data.n_rows, size=data.n_rows))
    return len(bn.learn(resample, score, bn.K2(ordering)).edges)


def drawn_ordering(network: bn.BayesianNetwork, rng: np.random.Generator) -> tuple[str, ...]:
    """Return an ordering of the network drawn at random."""
    left, parents = list(network.names), {b: {a for a, c in network.edges if c == b} for b in network.names}
    found: list[str] = []
    while left:
        ready = [name for name in left if parents[name] <= set(found)]
        found.append(ready[int(rng.integers(len(ready)))])
        left.remove(found[-1])
    return tuple(found)


def spreads(n: int, write: bool) -> None:
    """Compute the sd of both bootstraps' numbers of edges on many tables, and by each candidate explanation."""
    alarm, lines = bn.load_network("alarm"), []
    true_order = tuple(alarm.ordering)
    for title, experiment in bn.paper.alarm_experiments(n).items():
        n_rows, score, is_bic = experiment.load().n_rows, experiment.score, isinstance(experiment.score, bn.BIC)
        for key, correction, strength in (("bootstrap", "none", 0.0), ("bootstrap_corrected", "leading", 0.5)):
            own = dataclasses.replace(experiment, methods=(key,), ties="drawn")
            tables = [alarm.sample(n_rows, g) for g in np.random.default_rng(77).spawn(min(n, 40))]
            of_tables = [own.run(data).ensembles[key].sd_edges for data in tables]
            used, found = corrected(score, correction, strength), {}

            data, generators = experiment.load(), np.random.default_rng(5).spawn(n)
            found["a drawn ordering in every replicate"] = [
                n_edges(data, used, drawn_ordering(alarm, g), g) for g in generators
            ]
            found["a fresh table for every replicate"] = [
                n_edges(alarm.sample(n_rows, g), used, true_order, g) for g in generators
            ]
            for ess in (0.1, 5.0) if not is_bic else ():
                other = dataclasses.replace(own, score=bn.BDeu(ess)).run(data).ensembles[key]
                found[f"an equivalent sample size of {ess:g}"] = other.edge_counts.tolist()
            if not is_bic:
                other = dataclasses.replace(own, score=bn.K2Score()).run(data).ensembles[key]
                found["one prior count in every cell (K2's score)"] = other.edge_counts.tolist()
            else:
                codes = np.column_stack([data.codes[:, data.index(name)] for name in true_order])
                arities = [len(alarm.states[alarm.names.index(name)]) for name in true_order]
                penalty = 0.5 * np.log(n_rows) + strength
                found["|θ| of what a resample shows"] = [
                    observed_k2(codes[g.integers(n_rows, size=n_rows)], arities, penalty) for g in generators
                ]
            line = {
                "experiment": title,
                "method": key,
                "published": bn.paper.PUBLISHED[title][key][1],
                "least": min(of_tables),
                "most": max(of_tables),
                "tables": len(of_tables),
                "candidates": {name: float(np.std(values, ddof=1)) for name, values in found.items()},
            }
            lines.append(line)
            print(line, flush=True)
    if write:
        keep("spreads", {"replicates": n, "lines": lines})


def main() -> None:
    """Run both experiments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", help="a file for the second experiment")
    parser.add_argument("--limits", nargs="+", help="limits on parents, such as 5 8 none")
    parser.add_argument("--n", type=int, default=100, help="replicates")
    parser.add_argument("--write", action="store_true", help="keep what the limits give in pages/shared/measured.json")
    parser.add_argument("--spreads", action="store_true", help="try what might explain the paper's standard deviations")
    arguments = parser.parse_args()
    if arguments.spreads:
        spreads(arguments.n, arguments.write)
        return
    if arguments.limits:
        limits = [None if word == "none" else int(word) for word in arguments.limits]
        with_limits(table_of(arguments.table), limits, arguments.n, arguments.write)
        return
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    warm_up()
    bn.paper.run_experiments(bn.paper.alarm_experiments(2))
    start = time.perf_counter()
    studies = bn.paper.run_experiments(bn.paper.alarm_experiments())
    print(f"first experiment: {time.perf_counter() - start:.1f} s")
    print(bn.paper.paper_table(studies).round(1).to_string(index=False))
    data = table_of(arguments.table)
    posterior = bn.paper.annealing_experiment(bn.Recipe("file", "table"))
    for score in (bn.BIC(), bn.BDeu(25.0)):
        experiment = dataclasses.replace(posterior, score=score)
        dataclasses.replace(experiment, n=2).run(data)
        start = time.perf_counter()
        study = experiment.run(data)
        seconds = time.perf_counter() - start
        print(f"\nsecond experiment, {data.n_rows} x {data.n_variables}, {score.name}: {seconds:.1f} s")
        print(study.table1().round(1).to_string())


if __name__ == "__main__":
    main()
