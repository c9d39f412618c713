"""How true is what is said of drawn edges, their strengths and their directions? On samples of networks that are known.

``run`` keeps a line for each pair that is drawn or has an edge (``drawn_edges.csv``) and continues where it was
interrupted; ``report`` counts, adds pairs of independent variables, and keeps the figures that pages and manual quote.
The truth of a strength is the same contrast, or trend, in 300,000 rows, made alike in the same variables.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from measured import keep

import bnengine as bn
from bnengine.data.rows_and_states import state_order
from bnengine.graphs.dag import adjacency_of
from bnengine.scores.dependence import kendall_tau

NETWORKS = ("asia", "sachs", "child", "alarm")
ROWS = (100, 200, 300, 1_000)
TRUTH = 300_000
FILE = Path(__file__).with_name("drawn_edges.csv")
SHAPES = (2, 3, 5)


def true_table(rows: bn.Dataset, parent: str, child: str, given: tuple[str, ...]) -> np.ndarray:
    """Return the joint table of parent and child, (r, s), with the child's shares averaged over all rows' ``given``."""
    x, y, *others = (rows.codes[:, rows.index(name)].astype(np.int64) for name in (parent, child, *given))
    arities = [int(rows.arities[rows.index(name)]) for name in (parent, child, *given)]
    alike = np.ravel_multi_index(others, arities[2:]) if others else np.zeros(len(x), np.int64)
    number = np.unique(alike, return_inverse=True)[1].ravel()
    counts = np.zeros((number.max() + 1, *arities[:2]))
    np.add.at(counts, (number, x, y), 1)
    in_group = counts.sum(axis=2, keepdims=True)
    alone = counts.sum(axis=0) / np.maximum(counts.sum(axis=(0, 2))[:, None], 1)
    shares = np.where(in_group > 0, counts / np.maximum(in_group, 1), alone)
    averaged = np.einsum("c,crs->rs", counts.sum(axis=(1, 2)), shares) / len(x)
    return averaged * counts.sum(axis=(0, 2))[:, None] / len(x)


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


def drawn_edges(network: str, rows: bn.Dataset, n_rows: int, seed: int) -> pd.DataFrame:
    """Return a line for each pair that the verdict on one table draws, and for each edge of the network."""
    truth = bn.load_network(network)
    data = truth.sample(n_rows, rng=seed)
    methods = bn.resampling_methods(200, keys=("predictive",))
    study = bn.study(data, bn.BIC(), bn.IteratedLocalSearch(), methods, rng=seed)
    found = bn.verdict(study, posterior=bn.edge_posterior(data, rng=seed), data=data)
    true, lines = adjacency_of(found.names, truth.edges), []
    for i, j in np.argwhere(found.in_one_direction(true | true.T) | found.drawn).tolist():
        drawn, effect = bool(found.drawn[i, j]), None
        if drawn:
            effect = found.effect(found.names[i], found.names[j])
        line = {"network": network, "rows": n_rows, "table": seed, "parent": found.names[i], "child": found.names[j]}
        line |= {"edge": bool(true[i, j] or true[j, i]), "drawn": drawn, "verdict": found.kinds[found.codes[i, j]]}
        line |= {"settled": bool(found.settled[i, j]), "right": bool(true[i, j])}
        if effect is not None:
            low, high = effect.interval
            line |= {"measure": effect.measure, "value": effect.value, "low": low, "high": high}
            line |= {"truth": true_strength(rows, effect)}
        lines.append(line)
    return pd.DataFrame(lines)


def run(tables: int) -> None:
    """Compute what is missing."""
    known = pd.read_csv(FILE) if FILE.exists() else pd.DataFrame(columns=["network", "rows", "table"])
    for network in NETWORKS:
        rows = bn.load_network(network).sample(TRUTH, rng=987_654)
        for n_rows in ROWS:
            for seed in range(1, tables + 1):
                if ((known["network"] == network) & (known["rows"] == n_rows) & (known["table"] == seed)).any():
                    continue
                began = time.perf_counter()
                found = drawn_edges(network, rows, n_rows, seed)
                known = pd.concat([known, found], ignore_index=True)
                known.to_csv(FILE, index=False, float_format="%.6g")
                print(f"{network}, {n_rows} rows, table {seed}: {time.perf_counter() - began:.0f} s", flush=True)


def independent(n_states: int, tables: int) -> dict[str, float]:
    """Return how often the interval of two independent variables leaves out 0, and its width; 100 rows."""
    generator, missed, width = np.random.default_rng(n_states), 0, 0.0
    for seed in range(tables):
        frame = pd.DataFrame(generator.integers(0, n_states, (100, 2)), columns=["x", "y"]).astype(str)
        low, high = bn.answers.edge_effect(bn.Dataset.from_frame("s" + frame), "x", "y", rng=seed).interval
        missed += not low <= 0 <= high
        width += high - low
    return {"states": n_states, "tables": tables, "missed": missed / tables, "width": width / tables}


def of_strengths(drawn: pd.DataFrame) -> dict[str, float | None]:
    """Return how far strengths are off, with its standard error over tables, how often intervals miss, their width."""
    away = drawn.assign(
        bias=np.where(drawn["value"] < 0, -1, 1) * (drawn["value"] - drawn["truth"]),
        missed=(drawn["truth"] < drawn["low"] - 1e-6) | (drawn["truth"] > drawn["high"] + 1e-6),
        width=drawn["high"] - drawn["low"],
    )
    sums = away.groupby(["network", "table"])["bias"].agg(["sum", "size"])
    bias, without = float(away["bias"].mean()), away[~away["edge"]]
    error = float(np.sqrt(((sums["sum"] - bias * sums["size"]) ** 2).sum()) / len(away))
    return {
        "pairs": len(away), "bias": bias, "bias_error": error, "missed": float(away["missed"].mean()),
        "without_edge": len(without), "missed_without_edge": float(without["missed"].mean()) if len(without) else None,
        "width": float(away["width"].mean()),
    }  # fmt: skip


def of_directions(pairs: pd.DataFrame) -> dict[str, float]:
    """Return how many of the edges that the network has are drawn, how many of those settled, and how many right."""
    edges = pairs[pairs["edge"] & pairs["drawn"]]
    settled = edges[edges["settled"]]
    return {"edges": len(edges), "settled": len(settled), "right": int(settled["right"].sum())}


def summary(pairs: pd.DataFrame) -> dict[str, object]:
    """Return the figures that are quoted, of the lines of ``drawn_edges.csv``."""
    drawn = pairs[pairs["drawn"] & pairs["value"].notna() & pairs["truth"].notna()]
    return {
        "networks": sorted(set(pairs["network"])),
        "tables": int(pairs["table"].max()),
        "strengths": [{"rows": int(n), **of_strengths(part)} for n, part in drawn.groupby("rows")],
        "strengths_by_network": [
            {"network": network, "rows": int(n), **of_strengths(part)}
            for (network, n), part in drawn.groupby(["network", "rows"])
        ],
        "directions": [{"rows": int(n), **of_directions(part)} for n, part in pairs.groupby("rows")],
    }


def main() -> None:
    """Compute lines, or count them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("run", "report"))
    parser.add_argument("--tables", type=int, default=5, help="tables of each network and size")
    parser.add_argument("--independent", type=int, default=1_000, help="tables of independent variables of each shape")
    given = parser.parse_args()
    if given.action == "run":
        run(given.tables)
        return
    found = summary(pd.read_csv(FILE))
    found["independent"] = [independent(n_states, given.independent) for n_states in SHAPES]
    keep("drawn_edges", found)
    for part in ("independent", "strengths", "strengths_by_network", "directions"):
        print(pd.DataFrame(found[part]).round(3).to_string(index=False), end="\n\n")


if __name__ == "__main__":
    main()
