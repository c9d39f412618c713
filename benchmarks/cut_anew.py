"""What learning the cut points anew in every replicate changes: shares of pairs, with fixed cuts and with cuts anew.

Both on the bundled raw tables; then, on fresh tables of the simulated arrays, each cut at points of its own, which of
the two comes nearer to the share of fresh tables that have a pair. Quantile cuts into three states, BIC, hill climbing,
corrected bootstrap.
"""

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report, markdown, mean_and_error
from benchmarks.running import Study, grid, once
from bnengine.graphs.dag import skeleton
from sample_data.expression import arrays

LEARNING, FRESH = (bn.BIC(), bn.HillClimbing()), "fresh table"


def both(frame: pd.DataFrame, n: int, seed: int = 0) -> tuple[list[np.ndarray], list[float]]:
    """Return the shares of pairs with fixed cuts and with cuts anew, from the same rows, and mean numbers of edges."""
    data = bn.Dataset.from_frame(bn.discretize(frame))
    ways = bn.Bootstrap(n), bn.CutAnew(bn.Bootstrap(n), frame)
    found = [bn.resample(data, *LEARNING, way, "leading", rng=seed) for way in ways]
    return [np.triu(one.confidence + one.confidence.T, 1) for one in found], [one.mean_edges for one in found]


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
    changes = {
        f"change_{name}": np.abs(other - fixed_shares)[shown].mean()
        for name, other in (("anew", anew_shares), ("another_seed", again))
    }
    return dict(zip(("edges_fixed", "edges_anew"), edges, strict=True)) | changes


#: What the table of the manual shows, by column: its title and how it is written.
SHOWN = {
    "change_anew": ("Mean change of a share, cut points learned anew", "{:.3f}"),
    "change_another_seed": ("Mean change of a share, another seed", "{:.3f}"),
    "edges_fixed": ("Mean number of edges, fixed cut points", "{:.1f}"),
    "edges_anew": ("Mean number of edges, cut points learned anew", "{:.1f}"),
}


def report(frame: pd.DataFrame) -> Report:
    """Return what the manual says of the paper's data."""
    bundled, fresh = frame[frame["source"] != FRESH], frame[frame["source"] == FRESH]
    rows = [[title, *map(form.format, bundled[column])] for column, (title, form) in SHOWN.items()]
    table = markdown(["", *(f"`{name}`" for name in bundled["source"])], rows)
    text = (
        f"On {len(fresh)} fresh tables of the simulated arrays behind `regulon_raw`, the squared distance of the "
        "shares from how often 200 further tables, each with cut points of its own, have a pair is "
        f"{fresh['fixed'].mean():.2f} a table with fixed cut points and {fresh['anew'].mean():.2f} with cut points "
        f"learned anew; the difference is {mean_and_error(fresh['fixed'] - fresh['anew'], 2)}."
    )
    return Report(measured={"cut_anew": {"table": f"\n\n{table}\n\n", "text": text}})


CELLS = grid(source=("regulon_raw", "sachs_raw"), table=0, replicates=200)
CELLS += grid(source=FRESH, table=range(20), replicates=200)
SMALL = grid(source="sachs_raw", table=0, replicates=3) + grid(source=FRESH, table=(0, 1), replicates=3, fresh=2)
STUDY = Study("cut_anew", CELLS, measure, SMALL, report, ("scores", "search", "bootstrap", "discretization"))
