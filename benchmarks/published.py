"""How far can each number be trusted on networks that others published? A leaderboard that other programs can enter.

    python -m benchmarks published run                       # our numbers, by the pages' defaults
    python -m benchmarks.published tables FOLDER             # the tables, as NETWORK-ROWS-SEED.csv
    python -m benchmarks.published score FOLDER --name NAME  # the leaderboard with the entry in FOLDER

None of the networks in ``networks/`` may choose a default. To enter, write a file of the same name for each table, with
the columns first, second, probability and a line for each pair of variables that an edge may join; a pair without a
line counts as 0. The states that a variable can have stand in the network's file. A program that is slow need not do
all tables: methods that have done all of them are compared on these, and all methods on those that every one has done.
With ``BNENGINE_PEERS`` a run has the bootstraps of other programs, too (``peers.py``).
"""

import argparse
import os
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.methods import REPLICATES
from benchmarks.peers import BOOTSTRAPS, Shares, ask
from benchmarks.report import Report, tabulated
from benchmarks.running import PEERS, ROOT, Study, grid, once
from benchmarks.scorer import NEAREST, error_without, kept_off_0_and_1, pairs_of
from benchmarks.worlds import NETWORKS, network_of
from bnengine.graphs.dag import skeleton

LEADERBOARD = NETWORKS / "leaderboard.csv"
RELIABILITY = ROOT / "bnengine" / "answers" / "published_reliability.json"
ROWS, FRESH = (100, 300, 1_000), 100
#: Most variables of a table that other programs are given, and the processor seconds that each may take.
MOST, SECONDS = 9, 300
#: Our bootstraps, of which others are compared with the first; how many replicates each bootstrap has.
OURS = {"bootstrap": "naive bootstrap", "bootstrap_corrected": "corrected bootstrap", "predictive": "found again"}
N_REPLICATES = dict.fromkeys(OURS.values(), REPLICATES) | {key: n for key, (_, n) in BOOTSTRAPS.items()}
PI = "fresh tables"
TABLE = ["network", "rows", "seed"]


def names() -> list[str]:
    """Return the networks' names."""
    return sorted(path.name.removesuffix(".bif.gz") for path in NETWORKS.glob("*.bif.gz"))


def measure(network: str, rows: int, seed: int, replicates: int = REPLICATES, fresh: int = FRESH) -> pd.DataFrame:
    """Return a line for each pair and method, π of fresh tables included: its probability, and if it is an edge."""
    known = network_of(network)
    data = known.sample(rows, rng=seed)
    ensembles = bn.study(data, methods=bn.resampling_methods(replicates, keys=tuple(OURS)), rng=seed).ensembles
    found = {name: ensembles[key].adjacency_confidence for key, name in OURS.items()}
    for method, score in (("real", None), ("posterior, BDeu(10)", bn.BDeu(10)), ("posterior, fNML", bn.FNML())):
        found[method] = bn.edge_posterior(data, score, rng=seed).pair_probability
    drawn = (known.sample(rows, rng=np.random.default_rng([seed, rows, number])) for number in range(fresh))
    graphs = [bn.learn(table, rng=number).adjacency for number, table in enumerate(drawn)]
    found[PI] = np.mean([skeleton(graph) for graph in graphs], axis=0)
    given, python = {method: pairs_of(p) for method, p in found.items()}, os.environ.get(PEERS)
    if python and len(known.names) <= MOST:
        given |= once("peers", of_peers, network=network, rows=rows, seed=seed, python=python)
    return lines_of(known, given)


def lines_of(network: bn.BayesianNetwork, given: dict[str, Any]) -> pd.DataFrame:
    """Return a line for each method and pair of variables, in the order of ``pairs_of``."""
    edge = pairs_of(skeleton(network.adjacency))
    pairs = pd.DataFrame(given, dtype=np.float32).assign(pair=np.arange(len(edge), dtype=np.int16), edge=edge)
    return pairs.melt(["pair", "edge"], var_name="method", value_name="probability")[
        ["method", "pair", "edge", "probability"]
    ]


def of_peers(network: str, rows: int, seed: int, python: str) -> dict[str, Any]:
    """Return the shares of other programs' bootstraps, of those that answer."""
    data = network_of(network).sample(rows, rng=seed)
    found = {program: ask(python, SECONDS, program, data) for program in BOOTSTRAPS}
    return {program: in_order(one["shares"], data.names) for program, one in found.items() if "shares" in one}


def in_order(shares: Shares, variables: tuple[str, ...]) -> Any:
    """Return the probabilities of the pairs in the order of ``pairs_of``; 0 where none is given."""
    known = {frozenset((a, b)): float(p) for a, b, p in shares}
    return np.array([known.get(frozenset(pair), 0.0) for pair in combinations(variables, 2)])


# What came out


def judged(lines: pd.DataFrame, every: bool) -> pd.DataFrame:
    """Return the pairs that methods are compared on, each line with π.

    The methods are those that have done all tables; with ``every`` all, and the tables those that all have done.
    """
    done = lines[["method", *TABLE]].drop_duplicates()
    of, each = (TABLE, ["method"]) if every else (["method"], TABLE)
    n_done = done.groupby(of, observed=True).size()
    complete = n_done.index[n_done == len(done[each].drop_duplicates())]
    kept = lines[lines.set_index(of).index.isin(complete)]
    fresh = lines[lines["method"] == PI].set_index([*TABLE, "pair"])["probability"].rename("pi")
    return kept[kept["method"] != PI].join(fresh, on=[*TABLE, "pair"])


def terms(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return what each pair adds to the sums that ``figures`` are made of; losses in nats."""
    p, edge = pairs["probability"].to_numpy(float), pairs["edge"].to_numpy()
    right, high, low = np.where(edge, p, 1 - p), p >= 0.8, (p >= 0.05) & (p < 0.2)
    of_pair = {
        "log_loss": -np.log(np.clip(right, NEAREST, 1 - NEAREST)),
        "log_loss_kept_off": -np.log(kept_off_0_and_1(right, REPLICATES)),
        "brier": (p - edge) ** 2, "true_above_half": edge & (p > 0.5), "at_0.8": high, "false_at_0.8": high & ~edge,
        "low": p * low, "low_joined": edge & low, "away_from_pi": np.abs(p - pairs["pi"]), "edge": edge, "n_low": low,
    }  # fmt: skip
    return pd.DataFrame(of_pair, index=pairs.index).astype(float)


def figures(sums: pd.DataFrame) -> pd.DataFrame:
    """Return each method's figures from sums over pairs, losses a true edge; by method and the study left out."""
    of_edges = ["log_loss", "log_loss_kept_off", "brier", "true_above_half", "away_from_pi"]
    found = sums.drop(columns=["edge", "n_low"])
    found[of_edges] = sums[of_edges].div(sums["edge"], axis=0)
    found["false_at_0.8"] /= sums["at_0.8"].clip(lower=1)
    found[["low", "low_joined"]] = sums[["low", "low_joined"]].div(sums["n_low"], axis=0)
    for end in ("", "_kept_off"):
        loss = found[f"log_loss{end}"]
        found[f"beside_naive{end}"] = loss.div(loss.loc["naive bootstrap"], level="study")
    return found


def leaderboard(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return a line for each number of rows (0: all) and method, smallest log-loss first.

    Standard errors are by leaving out a study at a time, those of ratios to the naive bootstrap as well: networks whose
    names differ in their last digits are of one study.
    """
    study, boards = pairs["network"].astype(str).str.rstrip("0123456789").rename("study"), []
    by_study = terms(pairs).groupby([pairs["rows"], pairs["method"].astype(str), study]).sum()
    for n_rows, part in [(0, pairs), *pairs.groupby("rows")]:
        sums = by_study.groupby(["method", "study"]).sum() if n_rows == 0 else by_study.loc[n_rows]
        whole = sums.groupby("method").sum()
        without = -sums.sub(whole, level="method")
        found = figures(pd.concat([without, whole.assign(study="").set_index("study", append=True)]))
        board = found.xs("", level="study").sort_values("log_loss", kind="stable")
        errors = found.drop("", level="study").groupby("method").apply(error_without)
        for place, key in enumerate(list(board)):
            board.insert(2 * place + 1, f"{key}_error", errors[key])
        about = {"rows": n_rows, "networks": part["network"].nunique(), "studies": study[part.index].nunique()}
        about |= {"tables": len(part[TABLE].drop_duplicates()), "replicates": board.index.map(N_REPLICATES.get)}
        boards.append(pd.DataFrame(about, board.index).join(board).reset_index())
    return pd.concat(boards, ignore_index=True).astype({"replicates": "Int64"})


#: From which number on pairs are counted together, and numbers of variables that tables are alike in.
LEAST, BANDS = (0, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99), ((8, 12), (13, 30), (31, 62))


def reliability(lines: pd.DataFrame) -> dict[str, Any]:
    """Count the pairs by the number that they were given, for what pages say beside a number.

    Each of ``groups`` has tables alike in ``rows`` and ``variables`` (fewest, most): how many ``networks``, and for
    ``"real"`` and ``"found again"`` a list for each of ``least`` of the number of pairs, the sum of their numbers, and
    how many are edges or, for found again, the sum of π of ``fresh`` tables.
    """
    pairs = judged(lines, every=False)
    pairs = pairs.assign(
        place=np.searchsorted(LEAST, pairs["probability"].to_numpy(float), side="right") - 1,
        variables=pairs["network"].astype(str).map(lambda name: len(network_of(name).names)),
    )
    groups = []
    for rows, (fewest, most) in ((rows, band) for rows in ROWS for band in BANDS):
        own = pairs[(pairs["rows"] == rows) & pairs["variables"].between(fewest, most)]
        group: dict[str, Any] = {"rows": rows, "variables": [fewest, most], "networks": own["network"].nunique()}
        for method, truth in (("real", "edge"), ("found again", "pi")):
            by_place = own[own["method"] == method].groupby("place")
            sums = by_place.agg(n=("pair", "size"), expected=("probability", "sum"), true=(truth, "sum"))
            sums = sums.reindex(range(len(LEAST)), fill_value=0).astype(float).round(2)
            group[method] = sums.to_numpy().tolist()
        groups.append(group)
    return {"least": LEAST, "fresh": FRESH, "groups": groups}


def shown(board: pd.DataFrame) -> str:
    """Return the table of a leaderboard."""
    bootstrap = board["replicates"].notna()
    lines = board.rename(columns=lambda name: name.replace("_0.8", "_high")).assign(
        replicates=board["replicates"].astype(str).where(bootstrap, ""),
        rows=board["rows"].map("{:,}".format).where(board["rows"] > 0, "all"),
        away=board["away_from_pi"].map("{:.2f}".format).where(bootstrap, ""),
    )
    heads = "method | replicates | rows | log-loss | ÷ naive | ÷ naive, kept off 0 and 1 | Brier | true above ½"
    line = "{method} | {replicates} | {rows} | {log_loss:.2f} ± {log_loss_error:.2f}"
    for key in ("beside_naive", "beside_naive_kept_off", "brier", "true_above_half"):
        line += f" | {{{key}:.3f}} ± {{{key}_error:.3f}}"
    line += " | {false_at_high:.1%} ± {false_at_high_error:.1%} of {at_high:,.0f}"
    line += " | {low:.3f}, {low_joined:.3f} ± {low_joined_error:.3f} | {away}"
    return tabulated(lines, f"{heads} | false at ≥ 0.8 | stated 0.05–0.2, joined | away from π", line)


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

{shown(common)}
"""
    return f"""{total["tables"]} tables of {total["networks"]} networks that others published: {drawn}.
None of them chose a default.
The pages' default search, score, priors and {REPLICATES} replicates. Sums over all pairs of variables, per true edge;
log-loss in nats, probabilities clipped to {NEAREST:g} and {1 - NEAREST:g}; ± one standard error, leaving out one of
{total["studies"]} studies at a time. A share of {REPLICATES} replicates can be 0 by chance where the truth is some
{1 / REPLICATES:g}, and then costs most at the clip: *kept off 0 and 1* gives every method's p as
({REPLICATES} p + ½) / {REPLICATES + 1} instead. π is the share of {FRESH} fresh tables from which the pair is learned.

    python -m benchmarks published run

{shown(board)}
{others if len(beside["method"].unique()) > len(board["method"].unique()) else ""}"""


def report(lines: pd.DataFrame) -> Report:
    """Return the leaderboard, what the manual quotes, and what pages say beside a number."""
    boards = {"complete": leaderboard(judged(lines, False)), "every method": leaderboard(judged(lines, True))}
    kept = {}
    for among, board in boards.items():
        total, about = board[board["rows"] == 0].set_index("method"), ["networks", "studies", "tables"]
        figures = total.drop(columns=[*about, "replicates"]).astype(float).round(4)
        kept[among] = {**{key: int(total[key].iloc[0]) for key in about}, "methods": figures.to_dict("index")}
    board = pd.concat(boards, names=["among"]).droplevel(1)
    return Report(
        {"Published networks": text_of(*boards.values())},
        measured={"published": {**kept["complete"], "beside others": kept["every method"]}},
        files={LEADERBOARD: board.to_csv(float_format="%.4g"), RELIABILITY: reliability(lines)},
    )


CELLS = grid(network=names(), rows=ROWS, seed=1)
SMALL = grid(network="metal", rows=100, seed=1, replicates=5, fresh=5)
STUDY = Study("published", CELLS, measure, SMALL, report, file="published.parquet", peers={"method": tuple(BOOTSTRAPS)})


# Entries

ENTRY = "{network}-{rows}-{seed}.csv"


def entered(folder: Path, name: str) -> pd.DataFrame:
    """Return the shipped lines, and those of an entry."""
    found = [STUDY.shipped()]
    for cell in STUDY.cells:
        file = folder / ENTRY.format(**cell)
        if file.exists():
            known = network_of(cell["network"])
            given = pd.read_csv(file, dtype={"first": str, "second": str}, keep_default_na=False)
            shares = in_order(given[["first", "second", "probability"]].to_numpy(), known.names)
            found.append(lines_of(known, {name: shares}).assign(**cell))
    if len(found) == 1:
        raise SystemExit(f"{folder} has none of the {len(STUDY.cells)} files, such as {names()[0]}-100-1.csv")
    return pd.concat(found, ignore_index=True)


def main() -> None:
    """Write the tables, or score an entry."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("tables", "score"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--name", default="the entry")
    given = parser.parse_args()
    if given.action == "tables":
        given.folder.mkdir(parents=True, exist_ok=True)
        for cell in STUDY.cells:
            frame = network_of(cell["network"]).sample(cell["rows"], rng=cell["seed"]).to_frame()
            frame.to_csv(given.folder / ENTRY.format(**cell), index=False)
    else:
        print(text_of(*(leaderboard(judged(entered(given.folder, given.name), every)) for every in (False, True))))


if __name__ == "__main__":
    main()
