"""How far can each number be trusted on networks that others published? A benchmark that other programs can enter.

    python -m benchmarks.published draw FOLDER --networks FILES     # tables, and the edges of their networks
    python -m benchmarks.published run FOLDER --minutes 60          # our numbers, by the pages' defaults; resumable
    python -m benchmarks.published score FOLDER                     # the leaderboard: published.csv, RESULTS.md

``FILES`` is a folder of ``.bif`` or ``.bif.gz`` files; none of these networks may have chosen a default. To enter,
read ``FOLDER/tables/NAME-ROWS-SEED.csv`` and write ``FOLDER/probabilities/METHOD/NAME-ROWS-SEED.csv`` with the columns
first, second, probability, a line for each pair of variables that an edge may join; a pair without a line counts as 0.
Only tables that all methods have done are compared.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import keep, write_section

FILE = Path(__file__).with_name("published.csv")
FRESH, REPLICATES = 100, 200
#: A probability is judged as no nearer to 0 and 1 than this: 100 or 200 replicates cannot claim more.
NEAREST = 0.001
#: What the methods answer; the first is the one others are compared with.
METHODS = {
    "naive bootstrap": "found again",
    "corrected bootstrap": "found again",
    "found again": "found again",
    "real": "real",
    "posterior, BDeu(10)": "real",
    "posterior, fNML": "real",
}
PI = "fresh tables"


def draw(folder: Path, networks: Path, rows: list[int], tables: int) -> None:
    """Write the tables, and the edges of the networks that they come from."""
    for part in ("tables", "edges"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for file in sorted([*networks.glob("*.bif"), *networks.glob("*.bif.gz")]):
        network, name = bn.read_bif(file), file.name.split(".bif")[0]
        pd.DataFrame(network.edges, columns=["from", "to"]).to_csv(folder / "edges" / f"{name}.csv", index=False)
        bn.write_bif(network, folder / "edges" / f"{name}.bif")
        for n_rows in rows:
            for seed in range(1, tables + 1):
                network.sample(n_rows, rng=seed).to_frame().to_csv(
                    folder / "tables" / f"{name}-{n_rows}-{seed}.csv", index=False
                )


def waiting(folder: Path) -> Iterator[tuple[Path, str, int, int]]:
    """Yield each table's file, network, rows and seed: those of few rows first, within a size networks in order."""
    found = [(file, *file.stem.rsplit("-", 2)) for file in (folder / "tables").glob("*.csv")]
    for file, name, n_rows, seed in sorted(found, key=lambda one: (int(one[3]), int(one[2]), one[1])):
        yield file, name, int(n_rows), int(seed)


def answers(network: bn.BayesianNetwork, n_rows: int, seed: int) -> dict[str, Callable[[], np.ndarray]]:
    """Return how each method's probabilities, (V, V), symmetric, are made; the first three share one study."""
    data, kept = network.sample(n_rows, rng=seed), {}

    def resampled(key: str) -> np.ndarray:
        if not kept:
            keys = ("bootstrap", "bootstrap_corrected", "predictive")
            methods = bn.resampling_methods(REPLICATES, keys=keys)
            kept.update(bn.study(data, methods=methods, rng=seed).ensembles)
        return kept[key].adjacency_confidence

    def fresh() -> np.ndarray:
        found = np.zeros((len(network.names),) * 2)
        for number in range(FRESH):
            learned = bn.learn(network.sample(n_rows, rng=np.random.default_rng([seed, n_rows, number])), rng=number)
            found += learned.adjacency | learned.adjacency.T
        return found / FRESH

    def posterior(score: bn.BDeu | bn.FNML | None) -> np.ndarray:
        return bn.edge_posterior(data, score, rng=seed).pair_probability

    return {
        "naive bootstrap": lambda: resampled("bootstrap"),
        "corrected bootstrap": lambda: resampled("bootstrap_corrected"),
        "found again": lambda: resampled("predictive"),
        "real": lambda: posterior(None),
        "posterior, BDeu(10)": lambda: posterior(bn.BDeu(10)),
        "posterior, fNML": lambda: posterior(bn.FNML()),
        PI: fresh,
    }


def run(folder: Path, minutes: float) -> None:
    """Compute what is missing; each method's table is a file of its own, written when it is done."""
    end = time.time() + 60 * minutes
    for _, name, n_rows, seed in waiting(folder):
        network = bn.read_bif(folder / "edges" / f"{name}.bif")
        for method, make in answers(network, n_rows, seed).items():
            file = folder / "probabilities" / method / f"{name}-{n_rows}-{seed}.csv"
            if file.exists():
                continue
            if time.time() > end:
                return
            began, found = time.process_time(), make()
            first, second = np.triu_indices(len(network.names), 1)
            table = pd.DataFrame({"first": np.array(network.names)[first], "second": np.array(network.names)[second]})
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(".part")
            table.assign(probability=found[first, second]).to_csv(part, index=False, float_format="%.6g")
            part.replace(file)
            print(f"{name}, {n_rows} rows, {method}: {time.process_time() - began:.1f} s", flush=True)


def judged(folder: Path, methods: list[str]) -> pd.DataFrame:
    """Return a line for each pair, table and method: its probability, whether it is an edge, and π."""
    lines = []
    for table, name, n_rows, seed in waiting(folder):
        files = {method: folder / "probabilities" / method / table.name for method in (*methods, PI)}
        if not all(file.exists() for file in files.values()):
            continue
        edges = pd.read_csv(folder / "edges" / f"{name}.csv", dtype=str, keep_default_na=False)
        true = {frozenset(edge) for edge in edges.itertuples(index=False, name=None)}
        names = pd.read_csv(table, nrows=0).columns
        pairs = [frozenset((a, b)) for i, a in enumerate(names) for b in names[i + 1 :]]
        known = pd.DataFrame({"edge": [pair in true for pair in pairs]})
        known[["network", "rows", "seed"]] = name, n_rows, seed
        given = {method: _probabilities(file, pairs) for method, file in files.items()}
        lines += [known.assign(method=method, probability=given[method], pi=given[PI]) for method in methods]
    return pd.concat(lines, ignore_index=True)


def _probabilities(file: Path, pairs: list[frozenset[str]]) -> np.ndarray:
    found = pd.read_csv(file, dtype={"first": str, "second": str}, keep_default_na=False)
    columns = (found["first"], found["second"], found["probability"])
    known = {frozenset((a, b)): float(p) for a, b, p in zip(*columns, strict=True)}
    return np.array([known.get(pair, 0.0) for pair in pairs])


def measures(pairs: pd.DataFrame) -> dict[str, float]:
    """Return one method's figures over pairs of many tables; log-losses in nats a true edge."""
    p, edge = pairs["probability"].to_numpy(), pairs["edge"].to_numpy()
    clipped = np.clip(p, NEAREST, 1 - NEAREST)
    high, low = p >= 0.8, (p >= 0.05) & (p < 0.2)
    return {
        "log_loss": -np.log(np.where(edge, clipped, 1 - clipped)).sum() / edge.sum(),
        "brier": ((p - edge) ** 2).sum() / edge.sum(),
        "true_above_half": (edge & (p > 0.5)).sum() / edge.sum(),
        "at_0.8": int(high.sum()), "false_at_0.8": (high & ~edge).sum() / max(high.sum(), 1),
        "low": p[low].mean() if low.any() else np.nan, "low_joined": edge[low].mean() if low.any() else np.nan,
        "away_from_pi": np.abs(p - pairs["pi"]).sum() / edge.sum(),
    }  # fmt: skip


def leaderboard(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each method and number of rows, and standard errors by leaving out a network at a time."""
    lines = []
    for (method, n_rows), part in [
        *pairs.groupby(["method", "rows"]),
        *(((m, 0), q) for m, q in pairs.groupby("method")),
    ]:
        networks = part["network"].unique()
        without = [measures(part[part["network"] != name]) for name in networks]
        line = {"method": method, "rows": n_rows, "tables": len(part[["network", "rows", "seed"]].drop_duplicates())}
        for key, value in measures(part).items():
            left = np.array([one[key] for one in without])
            line |= {key: value, f"{key}_error": np.sqrt((len(left) - 1) * np.var(left))}
        lines.append(line)
    return pd.DataFrame(lines)


def score(folder: Path) -> None:
    """Write the leaderboard."""
    entered = sorted(path.name for path in (folder / "probabilities").iterdir() if path.name != PI)
    pairs = judged(folder, entered)
    board = leaderboard(pairs)
    board.to_csv(FILE, index=False, float_format="%.4g")
    total = board[board["rows"] == 0].set_index("method")
    networks = pairs["network"].nunique()
    methods = {name: {key: round(float(value), 4) for key, value in row.items()} for name, row in total.iterrows()}
    keep("published", {"networks": networks, "tables": int(total["tables"].iloc[0]), "methods": methods})
    write_section("Published networks", text_of(board, networks))
    print(board.round(3).to_string(index=False))


def text_of(board: pd.DataFrame, networks: int) -> str:
    """Return the section of ``RESULTS.md``."""
    titles = (
        "method",
        "rows",
        "log-loss",
        "Brier",
        "true above ½",
        "false at ≥ 0.8",
        "stated 0.05–0.2, joined",
        "away from π",
    )
    lines = [f"| {' | '.join(titles)} |", f"|---|{'---:|' * (len(titles) - 1)}"]
    for row in board.to_dict("records"):
        rows = f"{row['rows']:,}" if row["rows"] else "all"
        shown = [f"{row[key]:.{digits}f} ± {row[f'{key}_error']:.{digits}f}"
                 for key, digits in (("log_loss", 2), ("brier", 3), ("true_above_half", 3))]  # fmt: skip
        false = f"{row['false_at_0.8']:.1%} ± {row['false_at_0.8_error']:.1%} of {row['at_0.8']:,}"
        low = f"{row['low']:.3f}, {row['low_joined']:.3f} ± {row['low_joined_error']:.3f}"
        away = f"{row['away_from_pi']:.2f}" if METHODS.get(row["method"], "found again") == "found again" else ""
        lines.append(f"| {row['method']} | {rows} | {' | '.join(shown)} | {false} | {low} | {away} |")
    tables = int(board[board["rows"] == 0]["tables"].iloc[0])
    return f"""{tables} tables of {networks} networks that others published; none of them chose a default here.
The pages' default search, score, priors and {REPLICATES} replicates. Sums over all pairs of variables, per true edge;
log-loss in nats, probabilities clipped to {NEAREST:g} and {1 - NEAREST:g}; ± one standard error, leaving out a network
at a time. π is the share of {FRESH} fresh tables from which the pair is learned.

    python -m benchmarks.published draw FOLDER --networks FILES && python -m benchmarks.published run FOLDER
    python -m benchmarks.published score FOLDER

{chr(10).join(lines)}
"""


def main() -> None:
    """Draw, run or score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("draw", "run", "score"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--networks", type=Path, help="folder of BIF files")
    parser.add_argument("--rows", type=int, nargs="+", default=[100, 300, 1_000])
    parser.add_argument("--tables", type=int, default=1, help="tables of each network and size")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    given = parser.parse_args()
    if given.action == "draw":
        draw(given.folder, given.networks, given.rows, given.tables)
    elif given.action == "run":
        run(given.folder, given.minutes)
    else:
        score(given.folder)


if __name__ == "__main__":
    main()
