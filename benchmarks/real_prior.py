"""Which prior over graphs should *real* have? Noise and networks in few rows, candidates written down, a scorer.

Every candidate is the formula of *real*, the mean of the posterior of the data and of corrected posteriors of resamples
of N and 2 N rows, all summed exactly under the same resamples. They differ in the cap on families and in the price of
an edge beside the prior that is uniform over parent-set sizes.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

import bnengine as bn
from benchmarks.report import Report, mean_and_error, tabulated
from benchmarks.running import POSTERIOR, Study, grid
from benchmarks.scorer import NEAREST, pairs_of
from benchmarks.worlds import CHOSEN_BY, JUDGED_BY, Array, independent, panel, whole
from bnengine.data.drawn_rows import drawn_with
from bnengine.posterior.bagging import PRIORS, SIZES, RealPrior
from bnengine.posterior.exact import exact_probabilities
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import LeadingCorrection

ROWS, MOST_PARENTS, N_BAGS, SEED = (12, 20, 50, 100, 300, 1_000), 4, 3, 0
#: Prices of an edge at which posteriors are summed, nats; between them a candidate's probabilities are interpolated.
PRICES = (0.0, 0.5, 1.0, 2.0)
#: What is kept of each pair: its probability without a cap, at each price, and with the price learned.
KEPT = ("free", *map(str, PRICES), "learned")
NOISE: dict[str, Any] = {
    "coins": partial(independent, arities=(2,)),
    "independent columns": partial(independent, arities=(2, 3, 4)),
    "panels": panel,
}
NETWORKS = {name: partial(whole, source=name) for name in ("asia", "survey", "sachs")}
KINDS = NOISE | CHOSEN_BY | {"subnetworks": JUDGED_BY["subnetworks"]} | NETWORKS


def at_each_price(scores: LocalScores, space: Any, charged: float = 0.0) -> Array:
    """Return the posteriors at each price of an edge, (prices, V, V); the scores charge some of it already."""
    found = []
    for price in PRICES:
        scores.set_edge_penalty(price - charged)
        found.append(exact_probabilities(scores, space)[0])
    return np.array(found)


def edges_under_prior(n: int) -> Array:
    """Return the edges that the prior expects at each price; columns of one state say nothing."""
    names = tuple(map(str, range(n)))
    nothing = bn.Dataset(names, (("0",),) * n, np.zeros((1, n), dtype=int))
    scores = LocalScores(nothing, bn.WithPrior(bn.BDeu(), uniform_parent_sizes=True))
    return at_each_price(scores, bn.Constraints().resolve(names, MOST_PARENTS)).sum(axis=(1, 2))


def evidence(more_edges: Array) -> Array:
    """Return the weight of each price, given by how many more edges than the prior the data expect at each.

    The derivative of the log evidence by the price is the prior's number of edges less the posterior's. So the density
    of edges is learned from the table, as the multiplicity correction of Scott & Berger (2010) does for predictors.
    """
    steps = np.diff(PRICES)
    logs = -np.concatenate([[0.0], np.cumsum(steps * (more_edges[1:] + more_edges[:-1]) / 2)])
    around = np.convolve(steps, [0.5, 0.5])
    weights = around * np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum())


def priced(frame: pd.DataFrame, price: Callable[[int], float]) -> Array:
    """Return the probabilities at a price of an edge that may depend on the number of rows, between those summed."""
    at, known = frame["rows"].map(price), frame[list(map(str, PRICES))].to_numpy(np.float64)
    shares = [np.interp(at, PRICES, one) for one in np.eye(len(PRICES))]
    return np.asarray((np.transpose(shares) * known).sum(axis=1))


FREE = "0, no cap"
#: By name the price of an edge, nats, beside the cap; N is the number of rows.
CANDIDATES: dict[str, Callable[[pd.DataFrame], Array]] = {
    FREE: lambda frame: frame["free"].to_numpy(np.float64),
    "0": partial(priced, price=lambda n: 0.0),
    "¼": partial(priced, price=lambda n: 1 / 4),
    "⅓": partial(priced, price=lambda n: 1 / 3),
    "½": partial(priced, price=lambda n: 1 / 2),
    "1": partial(priced, price=lambda n: 1.0),
    "10 / N, at most ⅓": partial(priced, price=lambda n: min(1 / 3, 10 / n)),
    "20 / N, at most ⅓": partial(priced, price=lambda n: min(1 / 3, 20 / n)),
    "20 / N, at most ½": partial(priced, price=lambda n: min(1 / 2, 20 / n)),
    "20 / N": partial(priced, price=lambda n: 20 / n),
    "density learned": lambda frame: frame["learned"].to_numpy(np.float64),
}


def measure(kind: str, rows: int, table: int) -> pd.DataFrame:
    """Return every pair of one table with what is kept of it."""
    rng = np.random.default_rng([SEED, list(KINDS).index(kind), rows, table])
    data, joined, _ = KINDS[kind](rng, rows)
    space, n = bn.Constraints().resolve(data.names, MOST_PARENTS), data.n_variables
    weights = [data.multiplicities.astype(np.int32)]
    weights += [drawn_with(data, size * data.n_rows, rng) for size in SIZES for _ in range(N_BAGS)]
    shares = [1 / 3, *[1 / (3 * N_BAGS)] * (len(SIZES) * N_BAGS)]
    found, of_prior = np.zeros((len(KEPT), n, n)), edges_under_prior(n)
    for b, (times, share) in enumerate(zip(weights, shares, strict=True)):
        for prior in PRIORS:
            score = LeadingCorrection(prior) if b else prior
            of_real = RealPrior(score, data.n_rows)
            free, capped = (LocalScores(data, bn.WithPrior(one, uniform_parent_sizes=True)) for one in (score, of_real))
            free.reweigh(times), capped.reweigh(times)
            at_price = at_each_price(capped, space, of_real.form(data.n_rows).edge_penalty)
            learned = np.average(at_price, axis=0, weights=evidence(at_price.sum(axis=(1, 2)) - of_prior))
            found += share / len(PRIORS) * np.array([exact_probabilities(free, space)[0], *at_price, learned])
    pairs = pairs_of(np.minimum(found + found.transpose(0, 2, 1), 1.0)).round(4).astype(np.float32)
    return pd.DataFrame({"true": pairs_of(joined), **dict(zip(KEPT, pairs, strict=True))})


def scored(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the measures by candidate and table: log-loss in nats, Brier score, false pairs at ½ and 0.8."""
    found, tables = {}, ["kind", "rows", "table"]
    for name, candidate in CANDIDATES.items():
        p, true = candidate(frame), frame["true"].to_numpy()
        right = np.clip(np.where(true, p, 1 - p), NEAREST, 1 - NEAREST)
        pairs = frame[tables].assign(loss=-np.log(right), brier=(p - true) ** 2)
        pairs = pairs.assign(at_half=~true & (p >= 0.5), at_08=~true & (p >= 0.8))
        found[name] = pairs.groupby(tables, sort=False).sum()
    return pd.concat(found)


def report(frame: pd.DataFrame) -> Report:
    """Return worst regrets, losses and false pairs of all candidates."""
    of_tables, setting, lines = scored(frame), ["kind", "rows"], []
    loss = of_tables["loss"].unstack(0)
    best = loss.drop(columns=FREE).groupby(setting).transform("mean").idxmin(axis=1)  # with a cap, in each setting
    more = loss.sub(loss.to_numpy()[np.arange(len(loss)), loss.columns.get_indexer(best)], axis=0).groupby(setting)
    regret, errors = more.mean(), more.sem()
    for name in CANDIDATES:
        own, (kind, rows) = of_tables.loc[name], regret[name].idxmax()
        line = {"name": name, "kind": kind, "rows": rows, "error": errors[name][kind, rows]}
        line |= {"regret": regret[name].max(), "mean": regret[name].mean()}
        noise = own.index.get_level_values("kind").isin(NOISE)
        for where, tables in (("noise", own[noise]), ("networks", own[~noise])):
            line |= {f"{where}_{key}": tables[key].mean() for key in ("loss", "brier")}
            line |= {f"{where}_{key}": mean_and_error(tables[key], 2) for key in ("at_half", "at_08")}
        lines.append(line)
    heads = " | worst regret | mean regret | log-loss, noise | Brier | log-loss, networks | Brier"
    form = "{name} | {regret:.2f} ± {error:.2f} ({kind}, {rows} rows) | {mean:.2f} | {noise_loss:.2f} | "
    form += "{noise_brier:.3f} | {networks_loss:.2f} | {networks_brier:.3f} | {noise_at_half} | {noise_at_08}"
    about = (
        "By `python -m benchmarks real_prior run`. Each line is a price of an edge, nats, beside a prior that is "
        "uniform over parent-set sizes; but for the first, families that leave fewer than two rows to a configuration "
        f"of parents have no weight. {frame.groupby(['kind', 'rows'])['table'].nunique().max()} tables of each of "
        f"{frame['kind'].nunique()} kinds and each of {', '.join(map(str, frame['rows'].unique()))} rows; "
        f"probabilities are clipped to {NEAREST} … {1 - NEAREST}. "
        "The regret is the mean log-loss of a table, nats, less that of the best line with the cap, on the kind and "
        "rows where it is largest, ± its standard error over tables. *Real* has the line “20 / N, at most ⅓”."
    )
    table = tabulated(lines, f"{heads} | noise, pairs ≥ ½ a table | ≥ 0.8", form)
    return Report({"The prior over graphs of *real*": f"{about}\n\n{table}"})


CELLS = grid(kind=KINDS, rows=ROWS, table=range(14))
SMALL = grid(kind=("coins", "gates"), rows=12, table=0)
STUDY = Study("real_prior", CELLS, measure, SMALL, report, POSTERIOR, file="real_prior.parquet")
