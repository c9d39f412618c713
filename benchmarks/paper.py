"""The paper's two experiments as the Table 1 page runs them: seconds and number of edges, on two cores.

The second runs on a headerless table of whole numbers, separated by white space, lines with # left out
(``--table FILE``), or on one of 320 rows and 33 four-level variables made here. ``--limits`` runs only that one, with
several limits on parents, and ``--write`` keeps the result where the Table 1 page reads it.
"""

import argparse
import dataclasses
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd
from measured import keep
from searches import simulated_table

import bnengine as bn
from bnengine.experiment.warm_up import warm_up


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


def main() -> None:
    """Run both experiments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", help="a file for the second experiment")
    parser.add_argument("--limits", nargs="+", help="limits on parents, such as 5 8 none")
    parser.add_argument("--n", type=int, default=100, help="replicates with each limit")
    parser.add_argument("--write", action="store_true", help="keep what the limits give in pages/shared/measured.json")
    arguments = parser.parse_args()
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
