"""The best scores known of large networks' tables, and how far below them the default search ends.

    python -m benchmarks.references [--networks andes …] [--folder FOLDER] [--long 4] [--patience 600]

One sample of 1,000 rows of each network, seed 1; networks that are not bundled are read from FOLDER, NAME.bif.gz. Long
searches from several seeds look for better graphs; ``references.csv`` keeps the best score that any run ever met, and
the section Large networks, best known of RESULTS.md is written from the last run of each line.
"""

import argparse
import time
from pathlib import Path

import pandas as pd

import bnengine as bn
from benchmarks.report import write_section
from bnengine.networks.bundled import network_names

N_ROWS, SEED = 1_000, 1
SCORES = {"BIC": bn.BIC(), "BDeu(1)": bn.BDeu(1)}
_KNOWN = Path(__file__).with_name("references.csv")
_COLUMNS = ["network", "score", "variables", "no edges", "true graph", "best known", "default", "seconds", "edges"]


def network_of(name: str, folder: str | None) -> bn.BayesianNetwork:
    """Return a bundled network, or one from the folder."""
    if name in network_names():
        return bn.load_network(name)
    return bn.read_bif(str(Path(folder or ".") / f"{name}.bif.gz"))


def measured(name: str, network: bn.BayesianNetwork, what: str, n_long: int, patience: int) -> list[object]:
    """Return one line: what is known of a network under a score, and what the default search reaches."""
    data, score = network.sample(N_ROWS, rng=SEED), SCORES[what]
    start = time.process_time()
    found = bn.learn(data, score)
    seconds = time.process_time() - start
    reached = [found.score]
    for seed in range(1, n_long + 1):
        reached.append(bn.learn(data, score, bn.IteratedLocalSearch(patience=patience), rng=seed).score)
        print(f"  {name}, {what}, seed {seed}: {reached[-1]:.2f}", flush=True)
    scores = [bn.score(data, edges, score) for edges in ([], network.edges)]
    return [name, what, data.n_variables, *scores, max(reached), found.score, seconds, len(found.edges)]


def noted(lines: list[list[object]]) -> pd.DataFrame:
    """Return the table with these lines, each with the best score ever known."""
    known = pd.read_csv(_KNOWN) if _KNOWN.exists() else pd.DataFrame(columns=_COLUMNS)
    table = {(row["network"], row["score"]): row for row in known.to_dict("records")}
    for line in lines:
        new = dict(zip(_COLUMNS, line, strict=True))
        key = str(new["network"]), str(new["score"])
        if key in table:
            new["best known"] = max(float(str(new["best known"])), float(table[key]["best known"]))
        table[key] = new
    return pd.DataFrame(table.values(), columns=_COLUMNS).sort_values(["network", "score"])


def main() -> None:
    """Measure what is named, note it, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", default=["andes"])
    parser.add_argument("--scores", nargs="+", default=list(SCORES))
    parser.add_argument("--folder")
    parser.add_argument("--long", type=int, default=4)
    parser.add_argument("--patience", type=int, default=600)
    asked = parser.parse_args()
    bn.learn(bn.load_network("asia").sample(100, rng=1), bn.BIC(), bn.IteratedLocalSearch(prove=False))
    for name in asked.networks:
        network = network_of(name, asked.folder)
        for what in asked.scores:
            table = noted([measured(name, network, what, asked.long, asked.patience)])
            table.round(3).to_csv(_KNOWN, index=False)
    text = [
        "| network | variables | score | default search: s | edges | nats below the best known | share of the gain |"
    ]
    text.append("|---|---:|---|---:|---:|---:|---:|")
    for row in table.to_dict("records"):
        below = row["best known"] - row["default"]
        share = below / (row["best known"] - row["no edges"])
        text.append(
            f"| {row['network']} | {row['variables']} | {row['score']} | {row['seconds']:.1f} | {row['edges']} | "
            f"{below:.0f} | {share:.2%} |"
        )
    head = (
        f"One sample of {N_ROWS:,} rows each, seed {SEED}. The gain is that of the best graph known over none; best "
        "known are the ends of long searches from several seeds, kept in `references.csv`; no bound is known. "
        "Processor time.\n\n    python -m benchmarks.references\n\n"
    )
    write_section("Large networks, best known", head + "\n".join(text))


if __name__ == "__main__":
    main()
