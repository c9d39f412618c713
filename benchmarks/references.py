"""The best scores known of large networks' tables, and how far below them the default search ends.

One sample of 1,000 rows of each network, seed 1. Long searches from several seeds look for better graphs; the lines
keep the best score that any run ever met. Networks that are not bundled are read from the folder ``BNENGINE_NETWORKS``.
"""

import os
from pathlib import Path
from typing import Any

import pandas as pd

import bnengine as bn
from benchmarks.report import HERE, Report, tabulated
from benchmarks.running import RefusedError, Study, grid
from benchmarks.timing import seconds_of

N_ROWS, SEED = 1_000, 1
SCORES = {"BDeu(1)": bn.BDeu(1), "BIC": bn.BIC()}
NETWORKS = ("andes", "link", "munin1", "pigs")
FILE = "references.csv"
#: Names the folder of networks that are not bundled, NAME.bif.gz.
FOLDER = "BNENGINE_NETWORKS"


def network_of(name: str) -> bn.BayesianNetwork:
    """Return a bundled network, or one of the folder."""
    if name not in NETWORKS[1:]:
        return bn.load_network(name)
    if FOLDER not in os.environ:
        raise RefusedError(f"{name} is not bundled: {FOLDER} has to name a folder with {name}.bif.gz")
    return bn.read_bif(Path(os.environ[FOLDER]) / f"{name}.bif.gz")


def measure(network: str, score: str, n_long: int = 4, patience: int = 600) -> dict[str, Any]:
    """Return what is known of a network under a score, and what the default search reaches; scores in nats."""
    source, own = network_of(network), SCORES[score]
    data, found = source.sample(N_ROWS, rng=SEED), []
    bn.learn(bn.load_network("asia").sample(100, rng=1), own)  # reading compiled code is no part
    seconds = seconds_of(lambda: found.append(bn.learn(data, own)))
    known = pd.read_csv(HERE / FILE).set_index(["network", "score"])["best known"]
    reached = [found[0].score, *known[known.index == (network, score)]]
    for seed in range(1, n_long + 1):
        reached.append(bn.learn(data, own, bn.IteratedLocalSearch(patience=patience), rng=seed).score)
    line = {"variables": data.n_variables, "no edges": bn.score(data, [], own)}
    line |= {"true graph": bn.score(data, source.edges, own), "best known": max(reached), "default": found[0].score}
    line = {name: round(value, 3) for name, value in line.items()}
    return line | {"seconds": round(seconds, 3), "edges": len(found[0].edges)}


def report(frame: pd.DataFrame) -> Report:
    """Return the section."""
    below = frame["best known"] - frame["default"]
    table = frame.assign(below=below, share=below / (frame["best known"] - frame["no edges"]))
    heads = "network | variables | score | default search: s | edges | nats below the best known | share of the gain"
    line = "{network} | {variables} | {score} | {seconds:.1f} | {edges} | {below:.0f} | {share:.2%}"
    text = (
        f"`python -m benchmarks references run`. One sample of {N_ROWS:,} rows each, seed {SEED}. The gain is that of "
        "the best graph known over none; best known are the ends of long searches from several seeds, kept in "
        f"`{FILE}`; no bound is known. Processor time."
    )
    return Report({"Large networks, best known": f"{text}\n\n{tabulated(table, heads, line)}"})


CELLS = grid(network=NETWORKS, score=SCORES)
SMALL = grid(network="asia", score="BIC", n_long=1, patience=20)
ELSEWHERE = {"network": NETWORKS[1:] if FOLDER not in os.environ else ()}
STUDY = Study("references", CELLS, measure, SMALL, report, clock=("seconds",), elsewhere=ELSEWHERE)
