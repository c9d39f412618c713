"""What learning the cut points anew in every replicate changes: shares of pairs, with fixed cuts and with cuts anew.

Both on the bundled raw tables; then, on fresh tables of the simulated arrays, each cut at points of its own, which of
the two comes nearer to the share of fresh tables that have a pair. Quantile cuts into three states, BIC, hill climbing,
corrected bootstrap.
"""

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report, frame_in_markdown, mean_and_error
from benchmarks.running import Study, grid, once
from bnengine.graphs.dag import skeleton
from sample_data.expression import arrays

LEARNING, FRESH = (bn.BIC(), bn.HillClimbing()), "fresh table"


def both(frame: pd.DataFrame, n: int, seed: int = 0) -> tuple[list[np.ndarray], list[float]]:
    """Return the shares of pairs with fixed cuts and with cuts anew, from the same rows, and the numbers of edges."""
    data = bn.Dataset.from_frame(bn.discretize(frame))
    ways = bn.Bootstrap(n), bn.CutAnew(bn.Bootstrap(n), frame)
    found = [bn.resample(data, *LEARNING, way, "leading", rng=seed) for way in ways]
    shares = [np.triu(one.confidence + one.confidence.T, 1) for one in found]
    return shares, [len(found[0].reference.edges), *(one.mean_edges for one in found)]


def true_shares(n_tables: int) -> np.ndarray:
    """Return the share of fresh tables that have each pair."""
    graphs = [
        bn.learn(bn.Dataset.from_frame(bn.discretize(arrays(320, seed))), *LEARNING, rng=seed).adjacency
        for seed in range(5_000, 5_000 + n_tables)
    ]
    return np.triu(np.mean([skeleton(graph) for graph in graphs], axis=0), 1)


def measure(source: str, table: int, replicates: int, fresh: int = 200) -> dict[str, float]:
    """Return, of a bundled table, how much shares change, beside what another seed changes; of a fresh one, errors."""
    if source == FRESH:
        truth = once("cut_anew", true_shares, n_tables=fresh)
        fixed, anew = (float(((one - truth) ** 2).sum()) for one in both(arrays(320, table), replicates)[0])
        return {"fixed": fixed, "anew": anew}
    frame = bn.load_sample(source)
    (fixed_shares, anew_shares), edges = both(frame, replicates)
    (again, _), _ = both(frame, replicates, seed=1)
    shown = np.maximum(fixed_shares, anew_shares) > 0.05
    names = ("edges", "edges_fixed", "edges_anew")
    line: dict[str, float] = dict(zip(names, map(float, edges), strict=True)) | {"pairs": int(shown.sum())}
    for name, other in (("anew", anew_shares), ("another_seed", again)):
        by = np.abs(other - fixed_shares)[shown]
        line |= {f"change_{name}": by.mean(), f"above_0.2_{name}": int((by > 0.2).sum())}
    for name, one in (("fixed", fixed_shares), ("anew", anew_shares)):
        line |= {f"sure_{name}": int((one > 0.95).sum()), f"between_{name}": int(((one > 0.05) & (one < 0.95)).sum())}
    return line


def report(frame: pd.DataFrame) -> Report:
    """Return what the manual names."""
    bundled, fresh = frame[frame["source"] != FRESH].dropna(axis=1), frame[frame["source"] == FRESH]
    table = frame_in_markdown(bundled.set_index("source").drop(columns=["table", "replicates"]), "{:.3g}", "source")
    errors = [mean_and_error(of, 3) for of in (fresh["fixed"], fresh["anew"], fresh["fixed"] - fresh["anew"])]
    text = (
        "`python -m benchmarks cut_anew run`. Squared error of the shares a fresh table: {} with fixed cuts, {} with "
        "cuts anew, difference {}."
    )
    return Report({"Cut points learned anew": f"{text.format(*errors)}\n\n{table}"})


CELLS = grid(source=("regulon_raw", "sachs_raw"), table=0, replicates=200)
CELLS += grid(source=FRESH, table=range(20), replicates=200)
SMALL = grid(source="sachs_raw", table=0, replicates=3) + grid(source=FRESH, table=(0, 1), replicates=3, fresh=2)
STUDY = Study("cut_anew", CELLS, measure, SMALL, report, ("scores", "search", "bootstrap", "discretization"))
