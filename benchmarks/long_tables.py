"""200 bootstrap replicates of asia with 1,000,000 rows: counts of the distinct rows against a million indices each.

python -m benchmarks.long_tables
"""

import time
from concurrent.futures import ThreadPoolExecutor

import bnengine as bn
from bnengine.bootstrap.resample import ResampleTask, learn_ensemble
from bnengine.data import drawn_rows

ROUNDS, NEVER = 4, 10**12


def main() -> None:
    """Print processor seconds of both, in turn."""
    data, one = bn.load_network("asia").sample(1_000_000, rng=1), ThreadPoolExecutor(1)
    task = ResampleTask(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(200))
    reference, from_counts = bn.learn(data, bn.BIC(), bn.HillClimbing()), drawn_rows._MANY_ROWS
    for _ in range(ROUNDS):
        for way, many in (("counts", from_counts), ("indices", NEVER)):
            drawn_rows._MANY_ROWS = many
            start = time.process_time()
            learn_ensemble(task, reference, executor=one)
            print(f"{way:<8}{time.process_time() - start:.3f} s")


if __name__ == "__main__":
    main()
