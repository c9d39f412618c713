"""Is *real* right as often as it says? Hidden worlds of many kinds, candidates written down, exact posteriors.

    python benchmarks/real_worlds.py run [--worlds 16] [--bags 8] [BIF files]    # real_worlds.parquet, about 15 minutes
    python benchmarks/real_worlds.py report    # a section of RESULTS_CONFIDENCE.md, and the table that the pages use
    python benchmarks/real_worlds.py check     # what must hold; ends with 1 if something does not

Every world has nine variables, of which tables of 200 and 1,000 rows are drawn. The kinds in ``CHOSEN_BY`` are those
that the formula was found on (other worlds of them); no candidate was chosen by those in ``JUDGED_BY``. BIF files name
further published networks for the kind *subnetworks*.
"""

import argparse
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

import bnengine as bn
from bnengine.data.resampling import drawn_with
from bnengine.posterior.exact import exact_probabilities
from bnengine.posterior.real import PRIORS, SIZES
from bnengine.scores.correction import LeadingCorrection
from bnengine.scores.local_score import LocalScores

HERE = Path(__file__).parent
RAW = HERE / "real_worlds.parquet"
RESULTS = HERE / "RESULTS_CONFIDENCE.md"
SAID = HERE.parent / "bnengine" / "experiment" / "real_reliability.json"
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


def main() -> None:
    """Run what is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "report", "check"))
    parser.add_argument("networks", nargs="*", help="BIF files of further networks for the kind subnetworks")
    parser.add_argument("--worlds", type=int, default=16)
    parser.add_argument("--bags", type=int, default=8)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if asked.what == "run":
        run(asked.worlds, asked.bags, asked.networks, asked.seed)


if __name__ == "__main__":
    main()
