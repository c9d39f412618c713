"""Is *real* right as often as it says? Hidden worlds of many kinds, candidates written down, exact posteriors.

    python benchmarks/real_worlds.py run [BIF files]    # real_worlds.parquet; about 6 minutes of one core
    python benchmarks/real_worlds.py report    # a section of RESULTS_CONFIDENCE.md, and the table that the pages use
    python benchmarks/real_worlds.py check     # what must hold; ends with 1 if something does not

Every world has nine variables, of which tables of 200 and 1,000 rows are drawn. The kinds in ``CHOSEN_BY`` are those
that the formula was found on (other worlds of them); no candidate was chosen by those in ``JUDGED_BY``. BIF files name
further published networks for the kind *subnetworks*.
"""

import argparse
import json
import math
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

import bnengine as bn
from bnengine.data.dataset import drawn_with
from bnengine.posterior.bagging import PRIORS, SIZES
from bnengine.posterior.exact import exact_probabilities
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import LeadingCorrection

HERE = Path(__file__).parent
RAW = HERE / "real_worlds.parquet"
RESULTS = HERE / "RESULTS_CONFIDENCE.md"
SAID = HERE.parent / "bnengine" / "answers" / "real_reliability.json"
TITLE = "## The correction, a second time"

V, ROWS, MOST_PARENTS = 9, (200, 1_000), 3
Array = npt.NDArray[Any]
Columns = list[Array]


class World(NamedTuple):
    """A table, the pairs of its columns that the network joins, and those with a common cause that is not in it."""

    data: bn.Dataset
    joined: npt.NDArray[np.bool_]  # (V, V)
    confounded: npt.NDArray[np.bool_]  # (V, V)


# Worlds


def dag(rng: np.random.Generator, n: int) -> list[list[int]]:
    """Draw the parents of each variable among those before it: about n edges in all, at most three at a child."""
    parents = []
    for v in range(n):
        k = min(v, MOST_PARENTS, int(rng.choice([0, 1, 2, 3], p=[0.2, 0.4, 0.3, 0.1])))
        parents.append(sorted(rng.choice(v, k, replace=False).tolist()))
    return parents


def numbered(columns: Columns, arities: list[int], parents: list[int]) -> tuple[Array, int]:
    """Return the number of each row's parent configuration, and how many there are."""
    number, q = np.zeros(len(columns[0]) if columns else 0, dtype=np.int64), 1
    for p in parents:
        number, q = number * arities[p] + columns[p], q * arities[p]
    return number, q


def drawn_from(rows: Array, rng: np.random.Generator) -> Array:
    """Draw a state for each row of probabilities, (N, r)."""
    return (rng.random((len(rows), 1)) > rows.cumsum(axis=1)[:, :-1]).sum(axis=1)


def independent_rows(concentration: float) -> Callable[..., Array]:
    """Draw each row of a table from a Dirichlet distribution, whatever the others."""

    def child(rng: np.random.Generator, number: Array, q: int, r: int, n: int, **_: Any) -> Array:
        return drawn_from(rng.dirichlet(np.full(r, concentration), q)[number], rng)

    return child


def function_of(rng: np.random.Generator, number: Array, q: int, r: int, n: int, **_: Any) -> Array:
    """Draw a function of the parents that holds in 80 to 95 % of rows; any state in the others."""
    values, wrong = rng.integers(0, r, q), rng.random(n) < rng.uniform(0.05, 0.2)
    base = values[number] if q > 1 else drawn_from(np.tile(rng.dirichlet(np.ones(r)), (n, 1)), rng)
    return np.where(wrong, rng.integers(0, r, n), base)


def gate(rng: np.random.Generator, number: Array, q: int, r: int, n: int, values: Array, **_: Any) -> Array:
    """Apply and, or, or exclusive or of parents, some of them negated; 2 to 15 % of rows flipped."""
    if not len(values):
        return (rng.random(n) < rng.uniform(0.2, 0.8)).astype(int)
    inputs = values.astype(bool) ^ (rng.random((len(values), 1)) < 0.5)
    out = [inputs.all(axis=0), inputs.any(axis=0), inputs.sum(axis=0) % 2 == 1][int(rng.integers(3))]
    return (out ^ (rng.random(n) < rng.uniform(0.02, 0.15))).astype(int)


def noisy_or(lowest: float, highest: float) -> Callable[..., Array]:
    """Let each present parent cause the child with a probability of its own; without parents it is this often."""

    def child(rng: np.random.Generator, number: Array, q: int, r: int, n: int, values: Array, **_: Any) -> Array:
        if not len(values):
            return (rng.random(n) < rng.uniform(lowest, highest)).astype(int)
        fails = np.where(values > 0, rng.uniform(0.1, 0.6, (len(values), 1)), 1.0).prod(axis=0)
        return (rng.random(n) > fails * (1.0 - rng.uniform(0.1, 0.5) * lowest)).astype(int)

    return child


def ordered(rng: np.random.Generator, number: Array, q: int, r: int, n: int, values: Array, **_: Any) -> Array:
    """Draw by proportional odds: the more the parents' states are, the higher the child's."""
    mean = np.zeros(n)
    for one in values:
        mean += rng.choice([-1, 1]) * rng.uniform(0.6, 1.5) * (one - one.mean()) / max(one.std(), 0.3)
    latent = mean + rng.logistic(size=n)
    return np.searchsorted(np.quantile(latent, np.sort(rng.uniform(0.1, 0.9, r - 1))), latent)


Child = Callable[..., Array]


def discrete(child_of: Callable[[np.random.Generator], Child], arities: tuple[int, ...], hidden: int = 0) -> Any:
    """Return the maker of worlds whose children are drawn by a mechanism each; the first parents may be hidden."""

    def world(rng: np.random.Generator, n_rows: int) -> World:
        n = V + hidden
        parents, states = dag(rng, n), [int(r) for r in rng.choice(arities, n)]
        for h in range(hidden):  # each hidden variable, first in the order, causes two or three of the others
            parents[h] = []
            for child in rng.choice(np.arange(hidden, n), int(rng.integers(2, 4)), replace=False).tolist():
                parents[child] = sorted({h, *parents[child][: MOST_PARENTS - 1]})
        columns: Columns = []
        for v in range(n):
            number, q = numbered(columns, states, parents[v])
            number = number if parents[v] else np.zeros(n_rows, dtype=np.int64)
            values = np.array([columns[p] for p in parents[v]]).reshape(len(parents[v]), n_rows)
            columns.append(child_of(rng)(rng, number, q, states[v], n_rows, values=values))
        return table(rng, columns, states, parents, hidden)

    return world


def continuous(effect: Callable[[np.random.Generator, Array], Array]) -> Any:
    """Return the maker of worlds of continuous variables, each cut into 3 to 5 states at its quantiles."""

    def world(rng: np.random.Generator, n_rows: int) -> World:
        parents, values, columns, states = dag(rng, V), [], [], []
        for v in range(V):
            value = rng.normal(size=n_rows)
            for p in parents[v]:
                value += effect(rng, values[p])
            values.append((value - value.mean()) / value.std())
            states.append(int(rng.integers(3, 6)))
            columns.append(np.searchsorted(np.quantile(values[-1], np.arange(1, states[-1]) / states[-1]), values[-1]))
        return table(rng, columns, states, parents)

    return world


def linear(rng: np.random.Generator, x: Array) -> Array:
    """Return a straight line of slope 0.4 to 1.2."""
    return np.asarray(rng.choice([-1, 1]) * rng.uniform(0.4, 1.2) * x)


def nonlinear(rng: np.random.Generator, x: Array) -> Array:
    """Return a bump, a wave, a step or a saturating curve."""
    shape = [np.abs, lambda v: np.sin(2 * v), lambda v: 1.5 * (v > 0), lambda v: v**2 / 2, np.tanh][
        int(rng.integers(5))
    ]
    return np.asarray(rng.choice([-1, 1]) * rng.uniform(0.7, 1.5) * shape(x))


def answers(rng: np.random.Generator, number: Array, q: int, r: int, n: int, values: Array, **_: Any) -> Array:
    """Draw answers on a scale: a normal latent variable, thresholds of each question's own, a tenth in the middle."""
    latent = rng.normal(size=n)
    for one in values:
        latent = latent + rng.uniform(0.3, 0.9) * (one - 2.0) * rng.choice([-1, 1, 1])
    cuts = np.sort(rng.normal(rng.normal(scale=0.5), 1.0, r - 1))
    found = np.searchsorted(cuts, latent)
    return np.where(rng.random(n) < 0.1, r // 2, found)


def wrong_cells(make: Any) -> Any:
    """Return the maker of worlds in which 5 % of the cells hold any state."""

    def world(rng: np.random.Generator, n_rows: int) -> World:
        made = make(rng, n_rows)
        codes = np.array(made.data.codes)
        wrong = rng.random(codes.shape) < 0.05
        codes = np.where(wrong, (rng.random(codes.shape) * made.data.arities).astype(codes.dtype), codes)
        return made._replace(data=bn.Dataset(made.data.names, made.data.states, codes))

    return world


def table(
    rng: np.random.Generator, columns: Columns, states: list[int], parents: list[list[int]], hidden: int = 0
) -> World:
    """Return the table without its first, hidden variables, its columns in random order."""
    n, kept = len(columns), rng.permutation(np.arange(hidden, len(columns)))
    joined, confounded = np.zeros((2, n, n), dtype=np.bool_)
    for child, of_child in enumerate(parents):
        joined[of_child, child] = joined[child, of_child] = True
    for h in range(hidden):
        confounded |= np.outer(joined[h], joined[h])
    names = tuple(f"x{k}" for k in range(len(kept)))
    own = tuple(tuple(str(s) for s in range(states[v])) for v in kept)
    data = bn.Dataset(names, own, np.column_stack([columns[v] for v in kept]).astype(int))
    square = np.ix_(kept, kept)
    return World(data, joined[square], confounded[square] & ~joined[square])


PUBLISHED = ["alarm", "child", "hailfinder", "hepar2", "insurance", "sachs", "water", "win95pts"]


@lru_cache(maxsize=32)
def network_of(source: str) -> Any:
    """Return a bundled network, or that of a file."""
    return bn.read_bif(source) if source.endswith((".bif", ".bif.gz")) else bn.load_network(source)


def published(sources: list[str]) -> Any:
    """Return the maker of subnetworks of published networks: sets of nine variables closed under their parents."""

    def world(rng: np.random.Generator, n_rows: int) -> World:
        network = network_of(sources[int(rng.integers(len(sources)))])
        parents = {v: set(network.parents[v]) for v in range(len(network.names))}
        chosen: set[int] = set()
        for v in rng.permutation(len(parents)).tolist() * 3:
            closed, waiting = set(chosen), [v]
            while waiting:
                one = waiting.pop()
                if one not in closed:
                    closed.add(one)
                    waiting += parents[one]
            if len(closed) <= V and (parents[v] or len(closed) >= V - 2):
                chosen = closed
        whole = network.sample(n_rows, rng)
        names = rng.permutation([network.names[v] for v in sorted(chosen)]).tolist()
        data = whole.select(names)
        place = {name: k for k, name in enumerate(names)}
        joined = np.zeros((len(names),) * 2, dtype=np.bool_)
        for v in chosen:
            for p in parents[v]:
                i, j = place[network.names[p]], place[network.names[v]]
                joined[i, j] = joined[j, i] = True
        return World(data, joined, np.zeros_like(joined))

    return world


def any_of(*mechanisms: Child) -> Callable[[np.random.Generator], Child]:
    """Return a way to choose a mechanism for each child."""
    return lambda rng: mechanisms[int(rng.integers(len(mechanisms)))]


CHOSEN_BY: dict[str, Any] = {
    "Dirichlet CPTs": discrete(any_of(independent_rows(1.0)), (2, 3, 4)),
    "noisy functions": discrete(any_of(function_of), (2, 3, 4, 6)),
    "gates": discrete(any_of(gate), (2,)),
    "noisy-OR": discrete(any_of(noisy_or(0.2, 0.5)), (2,)),
    "rare events": discrete(any_of(noisy_or(0.01, 0.08)), (2,)),
    "discretized Gaussian": continuous(linear),
    "ordered": discrete(any_of(ordered), (3, 4, 5)),
    "hidden cause": discrete(any_of(independent_rows(0.5), function_of), (2, 3, 4), hidden=2),
}


def judged_by(sources: list[str]) -> dict[str, Any]:
    """Return the kinds of worlds that no candidate was chosen by."""
    return {
        "nonlinear, cut": continuous(nonlinear),
        "ordered answers": discrete(any_of(answers), (5,)),
        "hidden ordered causes": discrete(any_of(ordered, answers), (3, 4, 5), hidden=2),
        "5 % wrong cells": wrong_cells(discrete(any_of(independent_rows(0.5), function_of, gate_of_any), (2, 3, 4))),
        "subnetworks": published(sources),
    }


def gate_of_any(rng: np.random.Generator, number: Array, q: int, r: int, n: int, values: Array, **_: Any) -> Array:
    """Take the largest or smallest of the parents' states, or their sum, modulo the child's; 5 % of rows hold any."""
    if not len(values):
        return drawn_from(np.tile(rng.dirichlet(np.ones(r)), (n, 1)), rng)
    of = [values.max(axis=0), values.min(axis=0), values.sum(axis=0)][int(rng.integers(3))] % r
    return np.where(rng.random(n) < 0.05, rng.integers(0, r, n), of)


# Candidates


class Parts(NamedTuple):
    """Probabilities that each pair is joined, (2, V, V) under each prior, and the same under other scores."""

    data: Array
    bags: dict[tuple[int, bool], Array]  # by size and whether corrected: mean over resamples
    others: dict[str, Array]  # (V, V)


OTHERS: dict[str, Any] = {"fNML": bn.FNML(), "qNML": bn.QNML(), "BIC": bn.BIC()}


def logit_mean(parts: list[Array]) -> Array:
    """Return the probability whose logit is the mean of the parts' logits."""
    logits = [np.log(np.clip(p, 1e-6, 1 - 1e-6) / (1 - np.clip(p, 1e-6, 1 - 1e-6))) for p in parts]
    return np.asarray(1.0 / (1.0 + np.exp(-np.mean(logits, axis=0))))


REAL = "the formula"
#: Written down before the judging run: the means of the parts that can stand for *real*.
CANDIDATES: dict[str, Callable[[Parts], Array]] = {
    REAL: lambda p: np.mean([p.data.mean(0), *(p.bags[size, True].mean(0) for size in SIZES)], axis=0),
    "P: mean of BDeu(1) and BDeu(10)": lambda p: p.data.mean(0),
    "fNML": lambda p: p.others["fNML"],
    "qNML": lambda p: p.others["qNML"],
    "BIC": lambda p: p.others["BIC"],
    "BDeu(1)": lambda p: p.data[0],
    "BDeu(10)": lambda p: p.data[1],
    "formula, BDeu(1) alone": lambda p: np.mean([p.data[0], *(p.bags[size, True][0] for size in SIZES)], axis=0),
    "formula, BDeu(10) alone": lambda p: np.mean([p.data[1], *(p.bags[size, True][1] for size in SIZES)], axis=0),
    "formula, fNML in P": lambda p: np.mean(
        [(2 * p.data.mean(0) + p.others["fNML"]) / 3, *(p.bags[size, True].mean(0) for size in SIZES)], axis=0
    ),
    "formula, mean of logits": lambda p: logit_mean([p.data.mean(0), *(p.bags[s, True].mean(0) for s in SIZES)]),
    "½ P + ½ bags of N": lambda p: (p.data.mean(0) + p.bags[1, True].mean(0)) / 2,
    "½ P + ½ bags of 2 N": lambda p: (p.data.mean(0) + p.bags[2, True].mean(0)) / 2,
    "bags of N alone": lambda p: p.bags[1, True].mean(0),
    "bags of 2 N alone": lambda p: p.bags[2, True].mean(0),
    "bags of N, uncorrected (BayesBag)": lambda p: p.bags[1, False].mean(0),
}


def parts_of(data: bn.Dataset, n_bags: int, rng: np.random.Generator) -> Parts:
    """Compute all that the candidates are made of, each posterior summed exactly."""
    space = bn.Constraints().resolve(data.names, 4)

    def pairs(score: Any, weights: Any = None) -> Array:
        scores = LocalScores(data, bn.WithPrior(score, uniform_parent_sizes=True))
        if weights is not None:
            scores.reweigh(weights)
        found = exact_probabilities(scores, space)[0]
        return np.minimum(found + found.T, 1.0)

    bags: dict[tuple[int, bool], list[Array]] = {(1, True): [], (2, True): [], (1, False): []}
    for _ in range(n_bags):
        for size in SIZES:
            weights = drawn_with(data, size * data.n_rows, rng)
            bags[size, True].append(np.array([pairs(LeadingCorrection(score), weights) for score in PRIORS]))
            if size == 1:
                bags[1, False].append(np.array([pairs(score, weights) for score in PRIORS]))
    means = {key: np.mean(of, axis=0) for key, of in bags.items()}
    return Parts(np.array([pairs(score) for score in PRIORS]), means, {k: pairs(s) for k, s in OTHERS.items()})


# Run


def run(worlds: int, n_bags: int, sources: list[str], seed: int) -> None:
    """Compute every candidate on every table and keep each pair's probabilities."""
    kinds = CHOSEN_BY | judged_by([*PUBLISHED, *sources])
    frames = []
    for place, (kind, make) in enumerate(kinds.items()):
        for number in range(worlds):
            for n_rows in ROWS:
                rng = np.random.default_rng([seed, place, number, n_rows])
                made = make(rng, n_rows)
                while (made.data.arities < 2).any() or any(len(np.unique(c)) < 2 for c in np.array(made.data.codes).T):
                    made = make(rng, n_rows)
                parts = parts_of(made.data, n_bags, rng)
                i, j = np.triu_indices(made.data.n_variables, 1)
                given = {name: value(parts)[i, j].astype(np.float32) for name, value in CANDIDATES.items()}
                about = {
                    "kind": kind,
                    "world": number,
                    "rows": n_rows,
                    "cells": (made.data.arities[i] * made.data.arities[j]),
                }
                about |= {"true": made.joined[i, j], "confounded": made.confounded[i, j]}
                frames.append(pd.DataFrame({**about, **given}))
        print(kind, flush=True)
    frame = pd.concat(frames, ignore_index=True)
    frame.attrs = {"worlds": worlds, "bags": n_bags, "seed": seed, "judged": list(judged_by([]))}
    frame.attrs["networks"] = [*PUBLISHED, *(Path(source).name.split(".")[0] for source in sources)]
    frame.to_parquet(RAW)


# What came out

#: From which number on a pair falls into a row of the table that pages use.
EDGES = (0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99, 0.999)
_DRAWS, _OFF = 10_000, 1_000  # sets of kinds; probabilities are moved off 0 and 1 as (n p + 1/2) / (n + 1)


def reliability(frame: pd.DataFrame) -> dict[str, Any]:
    """Count the pairs by the number that they were given, for the sentences on the pages.

    Returns
    -------
    dict
        kinds, worlds; fewest and most ``rows``; ``bins``: for each of ``EDGES`` as ``least`` the number of ``pairs``,
        the sum of the numbers (``expected``), how many an edge joins (``true``), how many others have an unmeasured
        common cause (``confounded``), and the 95 % interval of the share of true ones, kinds drawn with replacement.
    """
    kinds = frame["kind"].unique()
    drawn = np.random.default_rng(0).integers(0, len(kinds), (_DRAWS, len(kinds)))
    place = np.searchsorted(EDGES, frame[REAL].to_numpy(np.float64), side="right") - 1
    counted = frame.assign(place=place, pairs=1, expected=frame[REAL].astype(float))
    columns = ["pairs", "expected", "true", "confounded"]
    sums = counted.groupby(["kind", "place"])[columns].sum()
    bins = []
    for k, least in enumerate(EDGES):
        by_kind = np.array([sums.loc[(kind, k)] if (kind, k) in sums.index else np.zeros(4) for kind in kinds], float)
        pairs, expected, true, confounded = by_kind.sum(axis=0)
        totals = by_kind[drawn, 0].sum(axis=1)
        shares = by_kind[drawn, 2].sum(axis=1)[totals > 0] / totals[totals > 0]
        entry = {"least": least, "pairs": int(pairs), "expected": round(float(expected), 2), "true": int(true)}
        interval = [round(float(x), 3) for x in np.quantile(shares, (0.025, 0.975))]
        bins.append(entry | {"confounded": int(confounded), "true_interval": interval})
    worlds = len(frame.drop_duplicates(["kind", "world"]))
    about = {"kinds": len(kinds), "worlds": worlds, "rows": [int(frame["rows"].min()), int(frame["rows"].max())]}
    return about | {"bins": bins}


def losses(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the log-loss of each table by candidate, nats, with its kind, world and rows as index."""
    frame = frame.reset_index(drop=True)
    true, found = frame["true"].to_numpy(), {}
    for name in CANDIDATES:
        p = (_OFF * frame[name].to_numpy(np.float64) + 0.5) / (_OFF + 1)
        found[name] = -np.where(true, np.log(p), np.log1p(-p))
    keys = ["kind", "world", "rows"]
    return pd.concat([frame[keys], pd.DataFrame(found)], axis=1).groupby(keys, sort=False).sum()


def sure(frame: pd.DataFrame, name: str, least: float, confounded: bool = True) -> tuple[float, int]:
    """Return the share of pairs given so much that no edge joins, and how many there are."""
    shown = frame[name] >= least
    if not confounded:
        shown &= ~frame["confounded"]
    return float((~frame.loc[shown, "true"]).mean()) if shown.any() else math.nan, int(shown.sum())


def with_error(values: pd.Series) -> str:
    """Return a mean ± its standard error."""
    return f"{values.mean():.1f} ± {values.std() / math.sqrt(len(values)):.1f}"


def conditions(frame: pd.DataFrame) -> list[tuple[str, bool, str]]:
    """Return what must hold on the kinds of worlds that nothing was chosen by, whether it does, and the figures."""
    judged = frame[frame["kind"].isin(frame.attrs["judged"])]
    loss, all_losses = losses(judged), losses(frame)
    ratio = loss[REAL].mean() / loss["fNML"].mean()
    more = (all_losses[REAL] - all_losses["fNML"]).groupby("kind", sort=False)
    worst = more.mean().idxmax()
    false, n = sure(judged, REAL, 0.95)
    single = (data_of_a_function(n_rows) for n_rows in (300, 3_000, 100_000))
    joined = max(float(bn.edge_posterior(data).pair_probability[0, 1]) for data in single)
    worst_of = more.get_group(worst)
    return [
        ("log-loss of the formula at most 0.85 of fNML's", ratio <= 0.85, f"{ratio:.2f}"),
        (
            "on no kind, of all, more than 2 nats a table worse than fNML",
            worst_of.mean() <= 2,
            f"{worst}: {with_error(worst_of)} nats",
        ),
        ("of pairs at 0.95 or more at most 2.5 % false", false <= 0.025, f"{100 * false:.1f} % of {n:,}"),
        ("independent parents of one child below 0.05", joined < 0.05, f"{joined:.2g}"),
    ]


def data_of_a_function(n_rows: int) -> bn.Dataset:
    """Draw independent a of six states and b of three, and y = 3 a + b in 95 % of rows, else any state."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 6, n_rows), rng.integers(0, 3, n_rows)
    y = np.where(rng.random(n_rows) < 0.95, 3 * a + b, rng.integers(0, 18, n_rows))
    states = [tuple(map(str, range(r))) for r in (6, 3, 18)]
    return bn.Dataset(("a", "b", "y"), tuple(states), np.column_stack([a, b, y]))


def section(frame: pd.DataFrame) -> str:
    """Return the section of the results, in Markdown."""
    judged, about = frame.attrs["judged"], reliability(frame)
    loss = losses(frame)
    by_kind = loss.groupby("kind", sort=False).mean()
    kinds = list(by_kind.index)
    rows = []
    for name in CANDIDATES:
        chosen, held_out = (by_kind.loc[[k for k in kinds if (k in judged) == of], name].mean() for of in (False, True))
        share = [f"{100 * sure(frame, name, 0.95, confounded)[0]:.1f} %" for confounded in (True, False)]
        rows.append([name, *(f"{by_kind.loc[k, name]:.1f}" for k in kinds), f"{chosen:.1f}", f"{held_out:.1f}", *share])
    difference = [with_error((loss[REAL] - loss["fNML"]).loc[kind]) for kind in kinds]
    cells = frame["rows"] / frame["cells"]
    groups = [(0, 20), (20, 50), (50, 100), (100, math.inf)]
    by_rows = []
    for low, high in groups:
        own = frame[(cells >= low) & (cells < high)]
        said = [f"{100 * s:.1f} % of {n:,}" for s, n in (sure(own, name, 0.95, False) for name in (REAL, "fNML"))]
        by_rows.append([f"{low} to {high}" if high < math.inf else f"{low} or more", *said])
    counted = [
        [
            f"{one['least']:g} or more" if k + 1 == len(EDGES) else f"{one['least']:g} to {EDGES[k + 1]:g}",
            f"{one['pairs']:,}",
            f"{one['expected']:,.1f}",
            f"{one['true']:,}",
            f"{one['confounded']:,}",
        ]
        for k, one in enumerate(about["bins"])
    ]
    held = [[words, figures, "yes" if holds else "**no**"] for words, holds, figures in conditions(frame)]
    text = [
        TITLE,
        "Written by `benchmarks/real_worlds.py report` from `real_worlds.parquet`; nothing here is typed by hand.",
        "*Real* is the mean of the posterior of the data and of the corrected posteriors of resamples of N and of 2 N "
        f"rows, each the mean under BDeu(1) and BDeu(10). {about['worlds']} worlds of nine variables, "
        f"{frame.attrs['worlds']} of each of {about['kinds']} kinds, with tables of 200 and of 1,000 rows, "
        f"{frame.attrs['bags']} resamples of each size, all posteriors summed exactly. The last {len(judged)} kinds "
        f"had no part in any choice. Subnetworks are of {', '.join(frame.attrs['networks'])}.",
        "Log-loss of a table of 36 pairs, nats, by kind; means of the kinds looked at before and of the others; share "
        "of the pairs at 0.95 or more that no edge joins, and the same without pairs that have an unmeasured cause. "
        f"Probabilities are moved off 0 and 1 as (n p + ½) / (n + 1), n = {_OFF:,}.",
        markdown(["", *kinds, "before", "others", "false", "false, no such cause"], rows),
        "The formula less fNML, mean ± standard error over tables:",
        markdown(["", *kinds], [["nats a table", *difference]]),
        "### What must hold",
        markdown(["Condition", "Found", "Holds"], held),
        "### How right the number is",
        "Pairs by the number that the formula gave them. Near 0 it is too sure, too: the rows do not show every edge.",
        markdown(["Number", "Pairs", "Edges expected", "Edges", "No edge, but an unmeasured common cause"], counted),
        "Of pairs at 0.95 or more, those without an unmeasured common cause, the share that no edge joins, by rows for "
        "each cell of the pair's table:",
        markdown(["Rows per cell", "The formula", "fNML"], by_rows),
    ]
    return "\n\n".join(text) + "\n"


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """Return a table in Markdown, its first column to the left."""
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def with_section(text: str) -> str:
    """Return the results with this section at their end, in place of an earlier one."""
    return f"{text.split(TITLE)[0].rstrip()}\n\n{section(pd.read_parquet(RAW))}"


def main() -> None:
    """Run what is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "report", "check"))
    parser.add_argument("networks", nargs="*", help="BIF files of further networks for the kind subnetworks")
    parser.add_argument("--worlds", type=int, default=24)
    parser.add_argument("--bags", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if asked.what == "run":
        return run(asked.worlds, asked.bags, asked.networks, asked.seed)
    frame = pd.read_parquet(RAW)
    if asked.what == "report":
        RESULTS.write_text(with_section(RESULTS.read_text(encoding="utf-8")), encoding="utf-8")
        SAID.write_text(json.dumps(reliability(frame), separators=(",", ":")) + "\n", encoding="utf-8")
        return None
    held = conditions(frame)
    for words, holds, figures in held:
        print(f"{'holds' if holds else 'FAILS'}: {words}: {figures}")
    return sys.exit(0 if all(holds for _, holds, _ in held) else 1)


if __name__ == "__main__":
    main()
