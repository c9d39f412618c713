"""One cell: a table of a network, searched under a score, and how near every method's probabilities are to both."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks import scorer
from benchmarks.confidence_study.methods import FRESH, SCORES, SEARCHES, Confidence, Table, computed, of_ensemble
from benchmarks.running import once
from benchmarks.worlds import network_of
from bnengine.bootstrap.ensemble import possible_edges, presence_of

#: What is counted by tenth of p: pairs, and the sums of p, of π and of true edges.
TENTHS = ("pairs", "p", "pi", "true")
#: What describes the table of a line.
ABOUT = ["network", "variables", "true_edges", "rows", "rows_per_parameter", "score", "method"]


def inclusion_probability(network: str, rows: int, score: str, search: str, fresh: int) -> Confidence:
    """Estimate π, the share of fresh tables from which each edge is learned; the same for all tables of a setting."""
    table = Table(network, rows, FRESH, SCORES[score], SEARCHES[search], 0)
    return of_ensemble(table.resampled(bn.ParametricBootstrap(fresh, network_of(network))))


def of_all_scores(network: str, rows: int, table: int, methods: Sequence[str]) -> dict[str, Confidence]:
    """Compute the methods that do not depend on the score and the search that a person learns with."""
    return computed(Table(network, rows, table, SCORES["BIC"], bn.HillClimbing(), 0), methods, own_score=False)


def lines_of(
    network: str, rows: int, score: str, search: str, table: int, methods: Sequence[str], replicates: int, fresh: int
) -> pd.DataFrame:
    """Return a line a method, in single precision: the raw table is to stay small."""
    where, truth = {"network": network, "rows": rows}, network_of(network)
    pi = once("pi", inclusion_probability, **where, score=score, search=search, fresh=fresh)
    known = once("all scores", of_all_scores, **where, table=table, methods=methods)
    own = Table(network, rows, table, SCORES[score], SEARCHES[search], replicates)
    found = computed(own, methods, True, known)
    lines = [{"method": key} | measures(found[key], pi, truth, replicates) for key in methods if key in found]
    about = {"variables": len(truth.names), "true_edges": len(truth.edges)}
    return in_single_precision(pd.DataFrame(lines).assign(**about, rows_per_parameter=rows / truth.n_parameters))


def measures(found: Confidence, pi: Confidence, truth: bn.BayesianNetwork, replicates: int) -> dict[str, object]:
    """Return how near the probabilities of one method are to π and to the truth, and their counts by tenth."""
    adjacencies, edges = (
        possible_edges(presence_of(truth.adjacency, kind), kind) for kind in ("adjacency", "directed")
    )
    p, directed = found.adjacency, found.directed
    error = p - pi.adjacency
    tenths = scorer.reliability(p, pi.adjacency, adjacencies)
    return {
        "pi_error": float(np.abs(error).sum()),
        "pi_rmse": float(np.sqrt((error**2).mean())),
        "pi_bias": float(error.mean()),
        "log_loss": scorer.log_loss(p, adjacencies, replicates),
        "brier": scorer.brier(p, adjacencies),
        "average_precision": scorer.average_precision(p, adjacencies),
        "edges": float(p.sum()),
        "pi_floor": scorer.floor(pi.adjacency, pi.n, replicates),
        "pi_edges": float(pi.adjacency.sum()),
        "pi_log_loss": scorer.log_loss(pi.adjacency, adjacencies, replicates),
        **scorer.doubt(p, found.n),
        **{f"pi_{key}": value for key, value in scorer.doubt(pi.adjacency, pi.n).items()},
        "seconds": found.seconds,
        "directed_pi_error": float(np.abs(directed - pi.directed).sum()),
        "directed_log_loss": scorer.log_loss(directed, edges, replicates),
        "directed_brier": scorer.brier(directed, edges),
        **{key: column.tolist() for key, column in zip(TENTHS, tenths.T, strict=True)},
    }


def by_tenth(lines: pd.DataFrame) -> pd.DataFrame:
    """Return the counts of each method in each setting, one line a tenth of p that has pairs."""
    counts = lines.assign(bin=[list(range(scorer.BINS))] * len(lines)).explode(["bin", *TENTHS])
    counts = counts.astype({"bin": int} | dict.fromkeys(TENTHS, float))
    sums = counts.groupby([*ABOUT, "held_out", "bin"], sort=False)[list(TENTHS)].sum().reset_index()
    return in_single_precision(sums[sums["pairs"] > 0])


def in_single_precision(frame: pd.DataFrame) -> pd.DataFrame:
    """Convert the numbers that are not whole."""
    return frame.astype(dict.fromkeys(frame.select_dtypes("float64").columns, np.float32))
