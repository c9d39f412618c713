"""What might explain that the paper's standard deviations of numbers of edges on ALARM are larger than ours.

For each experiment and bootstrap: the least and largest standard deviation on fresh tables of ALARM, and that by each
explanation tried.
"""

import dataclasses
from typing import Any

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report
from benchmarks.running import BOOTSTRAP, Study, grid
from bnengine.scores.scores import corrected

ALARM = bn.load_network("alarm")
CORRECTIONS = {"bootstrap": ("none", 0.0), "bootstrap_corrected": ("leading", 0.5)}
EXPERIMENTS = tuple(bn.paper.alarm_experiments())


def observed_k2(codes: np.ndarray, penalty: float) -> int:
    """Return the number of edges that K2 learns if |theta| counts observed states and parent configurations only."""

    def score(child: int, parents: list[int]) -> float:
        _, cells = np.unique(codes[:, [*parents, child]], axis=0, return_counts=True)
        configurations = np.unique(codes[:, parents], axis=0, return_counts=True)[1] if parents else [len(codes)]
        entropic = [float((n * np.log(n)).sum()) for n in (cells, np.asarray(configurations))]
        r = len(np.unique(codes[:, child]))
        return entropic[0] - entropic[1] - penalty * len(configurations) * (r - 1)

    n_edges = 0
    for child in range(codes.shape[1]):
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


def n_edges(data: bn.Dataset, score: Any, ordering: list[str], rng: np.random.Generator) -> int:
    """Return the number of edges that K2 learns from a resample."""
    resample = data.take(rng.integers(data.n_rows, size=data.n_rows))
    return len(bn.learn(resample, score, bn.K2(ordering)).edges)


def drawn_ordering(rng: np.random.Generator) -> list[str]:
    """Return an ordering of ALARM drawn at random."""
    left, found = list(range(len(ALARM.names))), list[int]()
    while left:
        ready = [v for v in left if set(ALARM.parents[v]) <= set(found)]
        found.append(ready[int(rng.integers(len(ready)))])
        left.remove(found[-1])
    return [ALARM.names[v] for v in found]


def measure(experiment: str, method: str, replicates: int) -> list[dict[str, Any]]:
    """Return a line for each explanation: what the paper has, what fresh tables give, and what it would make."""
    asked = bn.paper.alarm_experiments(replicates)[experiment]
    data, (correction, strength) = asked.load(), CORRECTIONS[method]
    n_rows, own = data.n_rows, dataclasses.replace(asked, methods=(method,), ties="drawn")
    used, generators = corrected(asked.score, correction, strength), np.random.default_rng(5).spawn(replicates)
    order = list(ALARM.ordering)
    found = {"a drawn ordering in every replicate": [n_edges(data, used, drawn_ordering(g), g) for g in generators]}
    found["a fresh table for every replicate"] = [n_edges(ALARM.sample(n_rows, g), used, order, g) for g in generators]
    if isinstance(asked.score, bn.BIC):
        codes = np.column_stack([data.codes[:, data.index(name)] for name in order])
        resampled = (codes[g.integers(n_rows, size=n_rows)] for g in generators)
        penalty = 0.5 * np.log(n_rows) + strength
        found["|θ| of what a resample shows"] = [observed_k2(of, penalty) for of in resampled]
    else:
        scores = {f"an equivalent sample size of {ess:g}": bn.BDeu(ess) for ess in (0.1, 5.0)}
        for name, score in (scores | {"one prior count in every cell (K2's score)": bn.K2Score()}).items():
            found[name] = dataclasses.replace(own, score=score).run(data).ensembles[method].edge_counts
    tables = [ALARM.sample(n_rows, g) for g in np.random.default_rng(77).spawn(min(replicates, 40))]
    of_tables = [own.run(table).ensembles[method].sd_edges for table in tables]
    line = {"published": bn.paper.PUBLISHED[experiment][method][1], "least": min(of_tables)}
    line |= {"most": max(of_tables), "tables": len(tables)}
    return [line | {"candidate": name, "sd": float(np.std(of, ddof=1))} for name, of in found.items()]


def report(frame: pd.DataFrame) -> Report:
    """Return what *Evidence* quotes."""
    about = ["experiment", "method", "published", "least", "most", "tables"]
    by_candidate = frame.groupby(about, sort=False)[["candidate", "sd"]]
    candidates = by_candidate.apply(lambda own: dict(own.to_numpy())).rename("candidates").reset_index()
    found = {"replicates": int(frame["replicates"].max()), "lines": candidates.to_dict("records")}
    return Report(measured={"spreads": found})


CELLS = grid(experiment=EXPERIMENTS, method=CORRECTIONS, replicates=40)
SMALL = grid(experiment=EXPERIMENTS[:2], method="bootstrap", replicates=2)
STUDY = Study("spreads", CELLS, measure, SMALL, report, BOOTSTRAP)
