"""One replicate of large tables, up to 1,000 variables and 100,000 rows: the figures behind SCALING.md.

python -m benchmarks.scaling
"""

import resource
import time
from concurrent.futures import ThreadPoolExecutor

import bnengine as bn
from benchmarks.worlds import growing_network
from bnengine.bootstrap.resample import ResampleTask, learn_ensemble

TABLES = ((1_000, 1_000), (1_000, 3_000), (1_000, 10_000), (500, 100_000), (1_000, 100_000))


def main() -> None:
    """Print processor seconds of a learning and of a replicate, edges, and the peak memory so far."""
    bn.learn(bn.load_network("cancer").sample(50, rng=1), bn.BIC(), bn.HillClimbing())
    for n_variables, n_rows in TABLES:
        data = growing_network(n_variables).sample(n_rows, rng=1)
        data.multiplicities.sum()
        start = time.process_time()
        graph = bn.learn(data, bn.BIC(), bn.HillClimbing())
        learned = time.process_time()
        task = ResampleTask(data, bn.BIC(), bn.HillClimbing(), bn.Bootstrap(1))
        ensemble = learn_ensemble(task, graph, executor=ThreadPoolExecutor(1))
        done = time.process_time()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{n_variables:,} variables, {n_rows:,} rows: learning {learned - start:.2f} s, replicate "
            f"{done - learned:.2f} s, {len(graph.edges)} and {ensemble.mean_edges:.0f} edges, peak {peak:.2f} GB",
            flush=True,
        )


if __name__ == "__main__":
    main()
