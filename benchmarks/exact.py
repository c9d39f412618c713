"""Exact search and exact edge posteriors on ALARM's first V columns and on all 37: time and peak memory.

    python -m benchmarks.exact                        # 20, 25 and 28 variables, then ALARM
    python -m benchmarks.exact --variables 30         # other numbers of variables
    python -m benchmarks.exact --only search          # or posterior, or alarm
    python -m benchmarks.exact --certificates 3       # how soon a learned graph of ALARM is proved, on so many samples

Each line is a process of its own, so that its peak memory is its own; compiling is done before the clock starts. Times
are processor seconds of one core. ``all sets`` is the exact search with the linear program and the pieces switched off:
what it costs at worst, whatever the data.
"""

import argparse
import itertools
import resource
import subprocess
import sys
import time

import bnengine as bn
from benchmarks.report import write_section
from bnengine.search import exact

ROWS, PARENTS, ALLOWED = 1000, 3, 9 * 2**30

CERTIFICATES = """\
Proofs that a learned graph of ALARM is the best with at most {parents} parents of a variable, on samples of it:
processor seconds, on a machine busy with other work, until it is proved, or the gap that is left when the proof is
stopped after {seconds:.0f}.

    python -m benchmarks.exact --certificates {tables} --seconds {seconds:.0f}

```
{lines}
```
"""


def measured(what: str, n_variables: int, n_rows: int, score: str) -> None:
    """Do one piece of work and print its line."""
    data = bn.load_network("alarm").sample(n_rows, rng=1)
    data = data.select(data.names[:n_variables])
    table_score = {"BIC": bn.BIC(), "BDeu": bn.BDeu(1)}[score]
    small = data.select(data.names[:4])
    bn.edge_posterior(small, table_score, max_parents=PARENTS)
    bn.learn(small, table_score, bn.Exact(PARENTS))
    exact._SMALL = 64 if what == "all sets" else 20
    if what == "all sets":
        exact.pieces = lambda candidates: [list(range(len(candidates)))]
    start = time.process_time()
    if what == "posterior":
        posterior = bn.edge_posterior(
            data, table_score, max_parents=PARENTS, effort=bn.posterior.Effort(max_memory=ALLOWED)
        )
        found = f"{posterior.probability.sum():.4f} edges expected"
    else:
        graph = bn.learn(data, table_score, bn.Exact(PARENTS, ALLOWED))
        found = f"{graph.score:.4f} nats, {len(graph.edges)} edges, {graph.status}"
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{what:<10} {n_variables:>3} variables {n_rows:>6,} rows  {score:<5} {seconds:9.1f} s {peak:6.2f} GB  {found}",
        flush=True,
    )


def certificates(n_tables: int, most_seconds: float) -> None:
    """Measure how long the proof takes, or the gap when it is stopped; write it to RESULTS.md."""
    alarm, lines = bn.load_network("alarm"), []
    for n_rows, score, table in itertools.product((300, 1000, 5000), (bn.BIC(), bn.BDeu(1)), range(n_tables)):
        data = alarm.sample(n_rows, rng=9000 + table)
        found = bn.learn(data, score, bn.IteratedLocalSearch(max_parents=PARENTS))
        start = time.process_time()
        made = bn.answers.certify(
            data,
            score,
            found,
            constraints=None,
            max_parents=PARENTS,
            progress=lambda *_, start=start: time.process_time() - start < most_seconds,
        )
        lines.append(
            f"ALARM {n_rows:>6,} rows  {score.name:<8} table {table}: {made.status:<8} "
            f"{time.process_time() - start:6.1f} s, gap {made.gap:.3g} nats, "
            f"{made.graph.score - found.score:.3g} better than learned"
        )
        print(lines[-1], flush=True)
    text = CERTIFICATES.format(parents=PARENTS, seconds=most_seconds, tables=n_tables, lines="\n".join(lines))
    write_section("Certificates", text)


def main() -> None:
    """Measure one process per line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variables", type=int, nargs="+", default=[20, 25, 28])
    parser.add_argument("--only", choices=["search", "all sets", "posterior", "alarm"])
    parser.add_argument("--certificates", type=int, metavar="TABLES")
    parser.add_argument("--seconds", type=float, default=30, help="after which a proof is stopped")
    parser.add_argument("--line", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.line:
        what, n_variables, n_rows, score = arguments.line
        measured(what, int(n_variables), int(n_rows), score)
        return
    if arguments.certificates:
        certificates(arguments.certificates, arguments.seconds)
        return
    kinds = [kind for kind in ("search", "all sets", "posterior") if arguments.only in (None, kind)]
    lines = [(kind, n, ROWS, "BDeu") for n in arguments.variables for kind in kinds]
    if arguments.only in (None, "alarm"):
        lines += [("search", 37, rows, "BIC") for rows in (300, 1000, 5000)] + [("search", 37, ROWS, "BDeu")]
    print(f"ALARM's first columns, at most {PARENTS} parents")
    for line in lines:
        subprocess.run([sys.executable, "-m", "benchmarks.exact", "--line", *map(str, line)], check=True)


if __name__ == "__main__":
    main()
