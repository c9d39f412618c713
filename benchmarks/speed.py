"""How long a bootstrap replicate takes, beside pyAgrum on the same rows; of long and large tables, and of numbers.

One core, processor time, pieces of work in turn. What pyAgrum takes is learning alone: reading files is not counted.
"""

import resource
import tempfile
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.peers import pyagrum_learner
from benchmarks.report import Report, tabulated
from benchmarks.running import BOOTSTRAP, Study
from benchmarks.timing import in_turn, replicates, resampled_files, seconds_of
from benchmarks.worlds import growing_network
from benchmarks.worlds_of_numbers import alarm_of_numbers
from bnengine.data import drawn_rows

CLIMB, K2 = bn.HillClimbing().name, bn.K2().name
SCORES: dict[str, Any] = {score.name: score for score in (bn.BIC(), bn.BDeu(1), bn.GaussianBIC())}


def beside_pyagrum(network: str, rows: int, score: str, search: str, n: int, rounds: int) -> dict[str, Any]:
    """Time n replicates here and in pyAgrum, on the same resamples."""
    source, own = bn.load_network(network), SCORES[score]
    data = source.sample(rows, rng=1)
    order = [data.names.index(name) for name in source.ordering] if search == K2 else None
    work = replicates(data, own, bn.HillClimbing() if order is None else bn.K2(source.ordering), n)
    states, edges = dict(zip(data.names, data.states, strict=True)), []
    with tempfile.TemporaryDirectory() as folder:
        files = resampled_files(data, n, folder)

        def peer() -> Callable[[], object]:
            learners = [pyagrum_learner(file, states, score, order) for file in files]
            return lambda: edges.extend(learner.learnDAG().sizeArcs() for learner in learners)

        found = in_turn({"ours": lambda: work, "pyagrum": peer}, rounds)
    ratio, ms = found["pyagrum"] / found["ours"], 1000 * found.median() / n
    times = {"ms": ms["ours"], "pyagrum_ms": ms["pyagrum"]}
    times |= {"ratio": ratio.median(), "least": ratio.min(), "most": ratio.max()}
    return times | {"edges": work(), "pyagrum_edges": float(np.mean(edges))}


def alone(network: str, rows: int, score: str, search: str, n: int, rounds: int) -> dict[str, Any]:
    """Time n replicates of a table that no peer is asked about: numbers, a long table, random networks."""
    if network == "37 numbers":
        frame = alarm_of_numbers(rows)
        data = bn.Dataset.from_frame(frame, numbers=list(frame))
    else:
        size = network.removesuffix(" variables")
        source = growing_network(int(size)) if size.isdigit() else bn.load_network(network.partition(",")[0])
        data = source.sample(rows, rng=1)
    data.multiplicities.sum()
    bn.learn(data.take(np.arange(50)), SCORES[score], bn.HillClimbing())  # reading compiled code is no part
    most = 10**12 if network.endswith("indices drawn") else drawn_rows._MANY_ROWS
    with patch.object(drawn_rows, "_MANY_ROWS", most):
        learning = seconds_of(lambda: bn.learn(data, SCORES[score], bn.HillClimbing()))
        work = replicates(data, SCORES[score], bn.HillClimbing(), n)
        ms, edges = 1000 * in_turn({"ours": lambda: work}, rounds)["ours"].median() / n, work()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"ms": ms, "learning_ms": 1000 * learning, "edges": edges, "peak_gb": round(peak, 2)}


def measure(beside: bool, **case: Any) -> dict[str, Any]:
    """Time one case."""
    return (beside_pyagrum if beside else alone)(**case)


def cases(beside: bool, *lines: tuple[str, int, str, str, int], rounds: int) -> tuple[dict[str, Any], ...]:
    """Return the cells of cases: network, rows, score, search, replicates."""
    names = ("network", "rows", "score", "search", "n")
    return tuple({"beside": beside, **dict(zip(names, line, strict=True)), "rounds": rounds} for line in lines)


def report(frame: pd.DataFrame) -> Report:
    """Return both tables."""
    sections, pairs, others = {}, frame[frame["beside"]], frame[~frame["beside"]]
    if len(pairs):
        heads = "network | rows | search, score | bnengine, ms | pyAgrum, ms | ratio | mean edges"
        line = "{network} | {rows:,} | {search}, {score} | {ms:.3g} | {pyagrum_ms:.3g} | "
        line += "{ratio:.1f} ({least:.1f} to {most:.1f}) | {edges:.1f} and {pyagrum_edges:.1f}"
        sections["Bootstrap replicates"] = (
            "`python -m benchmarks speed run`. A bootstrap replicate on one core: preparing, drawing rows, learning, "
            f"keeping the graph; for pyAgrum learning alone, on the same rows. Processor time, {frame['rounds'].max()} "
            "rounds in turn; the median and, of the ratio, the range. K2 in the network's ordering. pyAgrum's BDeu is "
            f"another score, and the same work.\n\n{tabulated(pairs, heads, line)}"
        )
    if len(others):
        heads = "table | rows | score | learning, ms | a replicate, ms | edges | peak memory so far, GB"
        line = "{network} | {rows:,} | {score} | {learning_ms:.3g} | {ms:.3g} | {edges:.3g} | {peak_gb:.3g}"
        sections["Replicates of other tables"] = (
            "`python -m benchmarks speed run`. Hill climbing on one core, processor time. From 100,000 rows on, with "
            "at least 100 rows for each distinct one, the counts of distinct rows are drawn; beside it the same with a "
            f"million indices drawn.\n\n{tabulated(others, heads, line)}"
        )
    return Report(sections)


SIZES = ((300, 200), (1000, 200), (5000, 100))
OTHERS = (("insurance", 200), ("child", 200), ("hailfinder", 60), ("win95pts", 60), ("andes", 4))
CELLS = cases(
    True,
    *(("alarm", rows, "BIC", search, n) for search in (CLIMB, K2) for rows, n in SIZES),
    ("alarm", 1000, "BDeu(1)", CLIMB, 200),
    *((network, 1000, "BIC", CLIMB, n) for network, n in OTHERS),
    rounds=5,
)
LARGE = ((1000, 1_000), (1000, 10_000), (500, 100_000), (1000, 100_000))
CELLS += cases(
    False,
    ("37 numbers", 1_000, bn.GaussianBIC().name, CLIMB, 200),
    *((network, 1_000_000, "BIC", CLIMB, 200) for network in ("asia", "asia, indices drawn")),
    *((f"{v} variables", rows, "BIC", CLIMB, 1) for v, rows in LARGE),
    rounds=3,
)
SMALL = cases(True, ("asia", 100, "BIC", CLIMB, 3), rounds=1)
SMALL += cases(False, ("37 numbers", 100, bn.GaussianBIC().name, CLIMB, 2), rounds=1)
SMALL += cases(False, ("20 variables", 100, "BIC", CLIMB, 1), rounds=1)
TIMES = ("ms", "pyagrum_ms", "ratio", "least", "most", "learning_ms", "peak_gb")
STUDY = Study("speed", CELLS, measure, SMALL, report, BOOTSTRAP, clock=TIMES)
