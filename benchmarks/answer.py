"""How long the three answers about a table take: the learned graph, 200 replicates, and *real*.

    python benchmarks/answer.py [alarm 1000] [alarm 5000] …

Processor and wall time with the defaults of the pages, compiled code being there already; on a busy machine the
processor time tells more.
"""

import sys
import time
from collections.abc import Callable

import bnengine as bn

TABLES = (("child", 1_000), ("insurance", 1_000), ("alarm", 1_000), ("alarm", 5_000))


def measured(work: Callable[[], object]) -> tuple[object, str]:
    """Return what the work gives, and its times in words."""
    wall, processor = time.perf_counter(), time.process_time()
    found = work()
    return (
        found,
        f"{time.process_time() - processor:6.2f} s of processor, {time.perf_counter() - wall:6.2f} s by the clock",
    )


def answers(name: str, n_rows: int) -> None:
    """Print the times of one table."""
    data = bn.load_network(name).sample(n_rows, rng=1)
    score, search = bn.BIC(), bn.IteratedLocalSearch()
    bn.edge_posterior(data, n_bags=1, n_steps=2_000)  # compiles
    bn.resample(data, score, search, bn.PredictiveBootstrap(2))
    print(f"{name}, {data.n_variables} variables, {n_rows:,} rows")
    _, took = measured(lambda: bn.learn(data, score, search))
    print(f"  graph           {took}", flush=True)
    _, took = measured(lambda: bn.resample(data, score, search, bn.PredictiveBootstrap(200)))
    print(f"  200 replicates  {took}", flush=True)
    found, took = measured(lambda: bn.edge_posterior(data))
    assert isinstance(found, bn.posterior.EdgePosterior)
    largest = f"{found.n_bags} resamples of each size, largest error of a pair {found.pair_error.max():.3f}"
    print(f"  real            {took}; {largest}", flush=True)


def main() -> None:
    """Measure the tables that are named."""
    asked = sys.argv[1:]
    for name, n_rows in zip(asked[::2], map(int, asked[1::2]), strict=True) if asked else TABLES:
        answers(name, n_rows)


if __name__ == "__main__":
    main()
