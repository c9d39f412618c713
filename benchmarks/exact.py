"""Exact search and posteriors on ALARM's first V columns: time and peak memory; and how soon a graph is proved.

Each line is a process of its own, so that its peak memory is its own; compiling is done before the clock starts.
Processor seconds of one core. ``all sets`` is the exact search with the linear program and the pieces switched off:
what it costs at worst, whatever the data. ``proof`` certifies the graph that the default search learned of all 37
variables, or says the gap that is left when it is stopped.
"""

import resource
import time
from contextlib import nullcontext
from typing import Any
from unittest.mock import patch

import pandas as pd

import bnengine as bn
from benchmarks.report import Report, tabulated
from benchmarks.running import Study, grid
from bnengine.search import exact

PARENTS, ALLOWED, SECONDS = 3, 9 * 2**30, 25.0
SCORES: dict[str, Any] = {score.name: score for score in (bn.BIC(), bn.BDeu(1))}


def measure(what: str, variables: int, rows: int, score: str, table: int, seconds: float = SECONDS) -> dict[str, Any]:
    """Do one piece of work."""
    own, data = SCORES[score], bn.load_network("alarm").sample(rows, rng=9_000 + table if what == "proof" else 1)
    data = data.select(data.names[:variables])
    small = data.select(data.names[:4])
    bn.edge_posterior(small, own, max_parents=PARENTS)
    bn.learn(small, own, bn.Exact(PARENTS))
    if what == "proof":
        learned = bn.learn(data, own, bn.IteratedLocalSearch(max_parents=PARENTS))
    start, line = time.process_time(), {"edges": 0.0, "status": "", "gap": 0.0, "better": 0.0}
    if what == "posterior":
        effort = bn.posterior.Effort(max_memory=ALLOWED)
        line["edges"] = float(bn.edge_posterior(data, own, max_parents=PARENTS, effort=effort).probability.sum())
    elif what == "proof":
        within = lambda *_: time.process_time() - start < seconds  # noqa: E731
        made = bn.answers.certify(data, own, learned, constraints=None, max_parents=PARENTS, progress=within)
        line |= {"edges": len(made.graph.edges), "status": made.status, "gap": made.gap}
        line["better"] = made.graph.score - learned.score
    else:
        whole = lambda candidates: [list(range(len(candidates)))]  # noqa: E731
        with patch.multiple(exact, _SMALL=64, pieces=whole) if what == "all sets" else nullcontext():
            graph = bn.learn(data, own, bn.Exact(PARENTS, ALLOWED))
        line |= {"edges": len(graph.edges), "status": graph.status}
    taken = time.process_time() - start
    return line | {"seconds": taken, "gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20}


def report(frame: pd.DataFrame) -> Report:
    """Return the tables of times and of proofs."""
    proofs, others = frame[frame["what"] == "proof"], frame[frame["what"] != "proof"]
    line = "ALARM {rows:>6,} rows  {score:<8} table {table}: {status:<8} {seconds:6.1f} s, gap {gap:.3g} nats, "
    lines = map((line + "{better:.3g} better than learned").format_map, proofs.to_dict("records"))
    certificates = (
        f"Proofs that a learned graph of ALARM is the best with at most {PARENTS} parents of a variable, on "
        "samples of it: processor seconds, on a machine busy with other work, until it is proved, or the gap that "
        f"is left when the proof is stopped after {SECONDS:.0f}.\n\n    python -m benchmarks exact run\n\n```\n"
    )
    heads = "what | variables | rows | score | seconds | peak memory, GB | edges"
    line = "{what} | {variables} | {rows:,} | {score} | {seconds:.1f} | {gb:.2f} | {edges:g}"
    text = f"`python -m benchmarks exact run`. ALARM's first columns, at most {PARENTS} parents.\n\n"
    sections = {"Certificates": certificates + "\n".join([*lines, "```"])}
    return Report(sections | {"Exact search and posteriors": text + tabulated(others, heads, line)})


CELLS = grid(what=("search", "all sets", "posterior"), variables=(20, 25), rows=1_000, score="BDeu(1)", table=0)
CELLS += grid(what="search", variables=37, rows=(300, 1_000, 5_000), score="BIC", table=0)
CELLS += grid(what="proof", variables=37, rows=(300, 1_000, 5_000), score=SCORES, table=(0, 1))
SMALL = grid(what=("search", "all sets", "posterior", "proof"), variables=8, rows=100, score="BIC", table=0)
STUDY = Study(
    "exact", CELLS, measure, SMALL, report, ("scores", "search", "posterior"), clock=("seconds", "gb"), own_process=True
)
