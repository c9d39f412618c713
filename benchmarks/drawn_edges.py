"""How true is what is said of drawn edges, their strengths and their directions? On samples of networks that are known.

A line for each pair that is drawn or has an edge. The truth of a strength is the same contrast, or trend, in 300,000
rows, made alike in the same variables. Pairs of independent variables, 100 rows, are counted in ``no_effects``.
"""

from functools import lru_cache

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.methods import answered
from benchmarks.report import Report
from benchmarks.running import ROOMS, Study, grid
from benchmarks.scorer import error_between
from bnengine.data.rows_and_states import state_order
from bnengine.scores.edge_effect import kendall_tau


def true_table(rows: bn.Dataset, parent: str, child: str, given: tuple[str, ...]) -> np.ndarray:
    """Return the joint table of parent and child, (r, s), with the child's shares averaged over all rows' ``given``."""
    columns = [rows.index(name) for name in (*given, parent, child)]
    arities = rows.arities[columns]
    cells = np.ravel_multi_index(rows.codes[:, columns].T, arities)
    counts = np.bincount(cells, minlength=arities.prod()).reshape(-1, *arities[-2:])
    in_group = counts.sum(axis=2, keepdims=True)
    alone = counts.sum(axis=0) / np.maximum(counts.sum(axis=(0, 2))[:, None], 1)
    shares = np.where(in_group > 0, counts / np.maximum(in_group, 1), alone)
    averaged = np.einsum("c,crs->rs", counts.sum(axis=(1, 2)), shares) / rows.n_rows
    return averaged * counts.sum(axis=(0, 2))[:, None] / rows.n_rows


def true_strength(rows: bn.Dataset, effect: bn.answers.EdgeEffect) -> float:
    """Return the strength that an effect estimates."""
    table = true_table(rows, effect.parent, effect.child, effect.given)
    of_parent, of_child = (rows.states[rows.index(name)] for name in (effect.parent, effect.child))
    if effect.measure == "trend":
        ordered = np.ix_(*(state_order(states) or range(len(states)) for states in (of_parent, of_child)))
        return float(kendall_tau(table[ordered][None])[0])
    shares = table[:, of_child.index(effect.state)] / table.sum(axis=1)
    first, second = (shares[of_parent.index(group)] for group in effect.groups)
    return float(first - second)


@lru_cache(maxsize=1)
def many_rows(network: str, n: int) -> bn.Dataset:
    """Return the rows in which strengths are true."""
    return bn.load_network(network).sample(n, rng=987_654)


def measure(network: str, rows: int, table: int, truth_rows: int = 300_000) -> pd.DataFrame:
    """Return a line for each pair that the verdict on one table draws, and for each edge of the network."""
    truth = bn.load_network(network)
    data = truth.sample(rows, rng=table)
    found = answered(data, table)
    true, lines = truth.adjacency, []
    for i, j in np.argwhere(found.in_one_direction(true | true.T) | found.drawn).tolist():
        parent, child, drawn = found.names[i], found.names[j], bool(found.drawn[i, j])
        effect, line = found.effect(parent, child) if drawn else None, {"parent": parent, "child": child}
        line |= {"edge": bool(true[i, j] or true[j, i]), "drawn": drawn, "verdict": found.kinds[found.codes[i, j]]}
        line |= {"settled": bool(found.settled[i, j]), "right": bool(true[i, j])}
        if effect is not None:
            low, high = effect.interval
            line |= {"measure": effect.measure, "value": effect.value, "low": low, "high": high}
            line |= {"truth": true_strength(many_rows(network, truth_rows), effect)}
        lines.append(line)
    return pd.DataFrame(lines)


def of_strengths(drawn: pd.DataFrame) -> dict[str, float | None]:
    """Return how far strengths are off, with its standard error over tables, how often intervals miss, their width."""
    away = drawn.assign(
        bias=np.where(drawn["value"] < 0, -1, 1) * (drawn["value"] - drawn["truth"]),
        missed=(drawn["truth"] < drawn["low"] - 1e-6) | (drawn["truth"] > drawn["high"] + 1e-6),
        width=drawn["high"] - drawn["low"],
    )
    without = away[~away["edge"]]
    return {
        "pairs": len(away), "bias": float(away["bias"].mean()),
        "bias_error": error_between(away["bias"], [away["network"], away["table"]]),
        "missed": float(away["missed"].mean()), "without_edge": len(without),
        "missed_without_edge": float(without["missed"].mean()) if len(without) else None,
        "width": float(away["width"].mean()),
    }  # fmt: skip


def report(pairs: pd.DataFrame) -> Report:
    """Return the figures that are quoted."""
    drawn = pairs[pairs["drawn"] & pairs["value"].notna() & pairs["truth"].notna()]
    of_edges = pairs[pairs["edge"] & pairs["drawn"]].assign(right=pairs["right"] & pairs["settled"]).groupby("rows")
    directions = {"edges": ("drawn", "size"), "settled": ("settled", "sum"), "right": ("right", "sum")}
    found = {
        "networks": sorted(set(pairs["network"])),
        "tables": int(pairs["table"].max()),
        "strengths": [{"rows": int(n), **of_strengths(part)} for n, part in drawn.groupby("rows")],
        "strengths_by_network": [
            {"network": network, "rows": int(n), **of_strengths(part)}
            for (network, n), part in drawn.groupby(["network", "rows"])
        ],
        "directions": of_edges.agg(**directions).reset_index().to_dict("records"),
    }
    return Report(measured={"drawn_edges": found})


CELLS = grid(network=("asia", "sachs", "child", "alarm"), rows=(100, 200, 300, 1_000), table=range(1, 6))
SMALL = grid(network="asia", rows=200, table=1, truth_rows=20_000)
STUDY = Study("drawn_edges", CELLS, measure, SMALL, report, (*ROOMS, "answers"))
