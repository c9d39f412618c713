"""The paper's two experiments as the Table 1 page runs them: seconds and number of edges, on two cores.

The second runs on a headerless table of whole numbers, separated by white space, lines with # left out
(``--table FILE``), or on one of 320 rows and 33 four-level variables made here.
"""

import argparse
import dataclasses
import os
import time
from pathlib import Path

import numpy as np
import pandas as pd
from searches import simulated_table

import bnengine as bn


def table_of(file: str | None) -> bn.Dataset:
    """The table of the second experiment."""
    if file is None:
        rows = simulated_table()
    else:
        lines = (line for line in Path(file).read_text().splitlines() if line.strip() and not line.startswith("#"))
        rows = np.array([[int(word) for word in line.split()] for line in lines])
    return bn.Dataset.from_frame(pd.DataFrame(rows, columns=[f"x{v + 1}" for v in range(rows.shape[1])]).astype(str))


def main() -> None:
    """Both experiments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", help="a file for the second experiment")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    bn.warm_up()
    bn.run_experiments(bn.alarm_experiments(2))
    start = time.perf_counter()
    studies = bn.run_experiments(bn.alarm_experiments())
    print(f"first experiment: {time.perf_counter() - start:.1f} s")
    print(bn.paper_table(studies).round(1).to_string(index=False))
    data = table_of(arguments.table)
    posterior = bn.annealing_experiment(bn.DataRecipe("file", "table"))
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
