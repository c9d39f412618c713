"""How far can each number be trusted on networks that others published? A benchmark that other programs can enter.

    python -m benchmarks.published draw FOLDER --networks FILES     # tables, and the edges of their networks
    python -m benchmarks.published run FOLDER --minutes 60          # our numbers, by the pages' defaults; resumable
    python -m benchmarks.published peers FOLDER --peers PYTHON     # bootstraps of other programs, see peers.py
    python -m benchmarks.published score FOLDER                     # the leaderboard: published.csv, RESULTS.md

``FILES`` is a folder of ``.bif`` or ``.bif.gz`` files; none of these networks may have chosen a default. To enter,
read ``FOLDER/tables/NAME-ROWS-SEED.csv`` and write ``FOLDER/probabilities/METHOD/NAME-ROWS-SEED.csv`` with the columns
first, second, probability, a line for each pair of variables that an edge may join; a pair without a line counts as 0.
The states that a variable can have stand in ``FOLDER/edges/NAME.bif``. A program that is slow need not do all tables:
methods that have done all of them are compared on these, and all methods on those that every one has done.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.peers import BOOTSTRAPS, Programs, Shares
from benchmarks.report import keep, markdown, write_section
from benchmarks.running import changed
from benchmarks.scorer import NEAREST, brier, clipped_loss, log_loss

FILE = Path(__file__).with_name("published.csv")
FRESH, REPLICATES = 100, 200
#: What the methods answer; the first is the one others are compared with.
METHODS = {
    "naive bootstrap": "found again",
    "corrected bootstrap": "found again",
    "found again": "found again",
    "real": "real",
    "posterior, BDeu(10)": "real",
    "posterior, fNML": "real",
}
#: How many replicates each bootstrap has.
N_REPLICATES = {
    **{method: REPLICATES for method, question in METHODS.items() if question == "found again"},
    **{program: replicates for program, (_, replicates) in BOOTSTRAPS.items()},
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
            names = np.array(network.names)
            write(file, list(zip(names[first], names[second], found[first, second], strict=True)))
            print(f"{name}, {n_rows} rows, {method}: {time.process_time() - began:.1f} s", flush=True)


def run_peers(folder: Path, python: str, most: int, minutes: float) -> None:
    """Bootstrap other programs on the tables of at most so many variables; leave out what is not installed."""
    programs, asked, end = Programs(python, 600), list(BOOTSTRAPS), time.time() + 60 * minutes
    for table, name, n_rows, _ in waiting(folder):
        network = bn.read_bif(folder / "edges" / f"{name}.bif")
        for program in asked.copy() if len(network.names) <= most else ():
            file = folder / "probabilities" / program / table.name
            if file.exists() or time.time() > end:
                continue
            states = {one: list(labels) for one, labels in zip(network.names, network.states, strict=True)}
            found = programs.shares(program, table, states)
            if not isinstance(found, str):
                write(file, found)
            elif found.startswith("ModuleNotFoundError"):
                asked.remove(program)
            print(f"{name}, {n_rows} rows, {program}: {found if isinstance(found, str) else 'done'}", flush=True)
    programs.close()


def write(file: Path, found: Shares) -> None:
    """Write each pair's probability, to a file that is there once it is whole."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    table = pd.DataFrame(found, columns=["first", "second", "probability"])
    table.to_csv(part, index=False, float_format="%.6g")
    part.replace(file)


def complete(folder: Path) -> tuple[list[str], list[str]]:
    """Return the methods that have done every table, and all methods."""
    done = {path.name: {file.name for file in path.glob("*.csv")} for path in (folder / "probabilities").iterdir()}
    tables = {table.name for table, *_ in waiting(folder)} & done.pop(PI)
    return sorted(method for method in done if tables <= done[method]), sorted(done)


def judged(folder: Path, methods: list[str]) -> pd.DataFrame:
    """Return a line for each pair, method and table that all of them have done: its probability, whether an edge, π."""
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
    high, low = p >= 0.8, (p >= 0.05) & (p < 0.2)
    return {
        "log_loss": clipped_loss(p, edge) / edge.sum(),
        "log_loss_kept_off": log_loss(p, edge, REPLICATES) / edge.sum(),
        "brier": brier(p, edge) / edge.sum(),
        "true_above_half": (edge & (p > 0.5)).sum() / edge.sum(),
        "at_0.8": int(high.sum()), "false_at_0.8": (high & ~edge).sum() / max(high.sum(), 1),
        "low": p[low].mean() if low.any() else np.nan, "low_joined": edge[low].mean() if low.any() else np.nan,
        "away_from_pi": np.abs(p - pairs["pi"]).sum() / edge.sum(),
    }  # fmt: skip


def leaderboard(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each number of rows (0: all) and method, smallest log-loss first.

    Standard errors are by leaving out a network at a time, those of ratios to the naive bootstrap as well.
    """
    lines = []
    for n_rows, part in [(0, pairs), *pairs.groupby("rows")]:
        networks, board = part["network"].unique(), []
        found = {method: _left_out(own, networks) for method, own in part.groupby("method")}
        for method, own in found.items():
            for end in ("", "_kept_off"):
                own[f"beside_naive{end}"] = own[f"log_loss{end}"] / found["naive bootstrap"][f"log_loss{end}"]
            line = {"method": method, "rows": n_rows, "networks": len(networks), "tables": _n_tables(part)}
            line["replicates"] = N_REPLICATES.get(method)
            for key, left in own.items():
                spread = np.sqrt((len(networks) - 1) * np.var(left[1:]))
                line |= {key: left[0], f"{key}_error": spread}
            board.append(line)
        lines += sorted(board, key=lambda line: line["log_loss"])
    return pd.DataFrame(lines).astype({"replicates": "Int64"})


def _left_out(pairs: pd.DataFrame, networks: np.ndarray) -> dict[str, np.ndarray]:
    """Return one method's measures of all networks, and of all but one of them."""
    found = [measures(pairs), *(measures(pairs[pairs["network"] != name]) for name in networks)]
    return {key: np.array([one[key] for one in found]) for key in found[0]}


def _n_tables(pairs: pd.DataFrame) -> int:
    return len(pairs[["network", "rows", "seed"]].drop_duplicates())


def score(folder: Path) -> None:
    """Write the leaderboard of the methods that have done all tables, and that of all methods."""
    boards, kept = {}, {}
    for among, methods in zip(("complete", "every method"), complete(folder), strict=True):
        board = boards[among] = leaderboard(judged(folder, methods))
        total = board[board["rows"] == 0].set_index("method").drop(columns=["networks", "tables", "replicates"])
        kept[among] = {
            **{key: int(board[key].iloc[0]) for key in ("networks", "tables")},
            "methods": {
                name: {key: round(float(value), 4) for key, value in row.items()} for name, row in total.iterrows()
            },
        }
    pd.concat(boards, names=["among"]).droplevel(1).to_csv(FILE, float_format="%.4g")
    changed(FILE, "probabilities of other runs, each by the code of its time")
    keep("published", {**kept["complete"], "beside others": kept["every method"]})
    write_section("Published networks", text_of(boards["complete"], boards["every method"]))


#: The columns of figures: title, measure, digits.
SHOWN = (
    ("log-loss", "log_loss", 2),
    ("÷ naive", "beside_naive", 3),
    ("÷ naive, kept off 0 and 1", "beside_naive_kept_off", 3),
    ("Brier", "brier", 3),
    ("true above ½", "true_above_half", 3),
)


def lines_of(board: pd.DataFrame) -> str:
    """Return the table of a leaderboard."""
    titles = ["method", "replicates", "rows", *(title for title, *_ in SHOWN)]
    titles += ["false at ≥ 0.8", "stated 0.05–0.2, joined", "away from π"]
    lines = []
    for row in board.to_dict("records"):
        replicates = "" if pd.isna(row["replicates"]) else f"{row['replicates']}"
        rows = f"{row['rows']:,}" if row["rows"] else "all"
        shown = [f"{row[key]:.{digits}f} ± {row[f'{key}_error']:.{digits}f}" for _, key, digits in SHOWN]
        false = f"{row['false_at_0.8']:.1%} ± {row['false_at_0.8_error']:.1%} of {row['at_0.8']:,.0f}"
        low = f"{row['low']:.3f}, {row['low_joined']:.3f} ± {row['low_joined_error']:.3f}"
        away = f"{row['away_from_pi']:.2f}" if METHODS.get(row["method"]) == "found again" else ""
        lines.append([row["method"], replicates, rows, *shown, false, low, away])
    return markdown(titles, lines)


def text_of(board: pd.DataFrame, beside: pd.DataFrame) -> str:
    """Return the section of ``RESULTS.md``."""
    total, common = board.iloc[0], beside[beside["rows"] == 0]
    sizes = board.drop_duplicates("rows").iloc[1:].itertuples()
    drawn = ", ".join(f"{size.tables} of {size.rows:,} rows" for size in sizes)
    others = f"""
Bootstraps of other programs' hill climbing under BIC, beside these methods, on the {common["tables"].iloc[0]} tables of
{common["networks"].iloc[0]} networks, of few variables, that every method has done. Each resample keeps the order of
the columns, by which pyAgrum and pgmpy settle ties: between variables that determine each other the same one wins every
time. boot.strength shuffles the columns. A share of few replicates is often 0 or 1, which costs log-loss.

    python -m benchmarks.published peers FOLDER --peers PYTHON

{lines_of(common)}
"""
    return f"""{total["tables"]} tables of {total["networks"]} networks that others published: {drawn}.
None of them chose a default.
The pages' default search, score, priors and {REPLICATES} replicates. Sums over all pairs of variables, per true edge;
log-loss in nats, probabilities clipped to {NEAREST:g} and {1 - NEAREST:g}; ± one standard error, leaving out a network
at a time. A share of {REPLICATES} replicates can be 0 by chance where the truth is some {1 / REPLICATES:g}, and then
costs most at the clip: *kept off 0 and 1* gives every method's p as ({REPLICATES} p + ½) / {REPLICATES + 1} instead.
π is the share of {FRESH} fresh tables from which the pair is learned.

    python -m benchmarks.published draw FOLDER --networks FILES && python -m benchmarks.published run FOLDER
    python -m benchmarks.published score FOLDER

{lines_of(board)}
{others if len(beside["method"].unique()) > len(board["method"].unique()) else ""}"""


def main() -> None:
    """Draw, run or score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("draw", "run", "peers", "score"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--networks", type=Path, help="folder of BIF files")
    parser.add_argument("--rows", type=int, nargs="+", default=[100, 300, 1_000])
    parser.add_argument("--tables", type=int, default=1, help="tables of each network and size")
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--peers", default="python", help="interpreter of an environment with other programs")
    parser.add_argument("--variables", type=int, default=12, help="most variables of a table that others are given")
    given = parser.parse_args()
    if given.action == "draw":
        draw(given.folder, given.networks, given.rows, given.tables)
    elif given.action == "run":
        run(given.folder, given.minutes)
    elif given.action == "peers":
        run_peers(given.folder, given.peers, given.variables, given.minutes)
    else:
        score(given.folder)


if __name__ == "__main__":
    main()
