"""Is *real* right as often as it says? Hidden worlds of many kinds, candidates written down, exact posteriors.

Every world has nine variables, of which tables of 200 and 1,000 rows are drawn. The kinds in ``CHOSEN_BY`` are those
that the formula was found on (other worlds of them); no candidate was chosen by those in ``JUDGED_BY``.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit, logit

import bnengine as bn
from benchmarks.report import Report, markdown, mean_and_error, tabulated
from benchmarks.running import POSTERIOR, Study, grid
from benchmarks.scorer import interval_of_share, kept_off_0_and_1, pairs_of
from benchmarks.worlds import CHOSEN_BY, JUDGED_BY, PUBLISHED, Array
from bnengine.data.drawn_rows import drawn_with
from bnengine.posterior.bagging import PRIORS, SIZES
from bnengine.posterior.exact import exact_probabilities
from bnengine.scores.local_score import LocalScores
from bnengine.scores.scores import LeadingCorrection

KINDS = CHOSEN_BY | JUDGED_BY
WORLDS, BAGS, SEED = 24, 8, 0
RELIABILITY = Path(__file__).parents[1] / "bnengine" / "answers" / "real_reliability.json"


class Parts(NamedTuple):
    """Probabilities that each pair is joined, (2, V, V) under each prior, and the same under other scores."""

    data: Array
    bags: dict[tuple[int, bool], Array]  # by size and whether corrected: mean over resamples
    others: dict[str, Array]  # (V, V)


OTHERS: dict[str, Any] = {"fNML": bn.FNML(), "qNML": bn.QNML(), "BIC": bn.BIC()}


def logit_mean(parts: list[Array], axis: int) -> Array:
    """Return the probability whose logit is the mean of the parts' logits."""
    return np.asarray(expit(logit(np.clip(parts, 1e-6, 1 - 1e-6)).mean(axis)))


def formula(p: Parts, prior: int | None = None, data: Array | None = None, mean: Any = np.mean) -> Array:
    """Return the mean of the posterior of the data and of the corrected ones of resamples; under one prior, or both."""
    of = (lambda part: part.mean(axis=0)) if prior is None else (lambda part: part[prior])
    return np.asarray(mean([of(p.data) if data is None else data, *(of(p.bags[size, True]) for size in SIZES)], axis=0))


REAL = "the formula"
#: Written down before the judging run: the means of the parts that can stand for *real*.
CANDIDATES: dict[str, Callable[[Parts], Array]] = {
    REAL: formula,
    "P: mean of BDeu(1) and BDeu(10)": lambda p: p.data.mean(0),
    "fNML": lambda p: p.others["fNML"],
    "qNML": lambda p: p.others["qNML"],
    "BIC": lambda p: p.others["BIC"],
    "BDeu(1)": lambda p: p.data[0],
    "BDeu(10)": lambda p: p.data[1],
    "formula, BDeu(1) alone": lambda p: formula(p, 0),
    "formula, BDeu(10) alone": lambda p: formula(p, 1),
    "formula, fNML in P": lambda p: formula(p, data=(2 * p.data.mean(0) + p.others["fNML"]) / 3),
    "formula, mean of logits": lambda p: formula(p, mean=logit_mean),
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


def measure(kind: str, world: int, rows: int, bags: int = BAGS) -> pd.DataFrame:
    """Compute every candidate on one table: each pair's probabilities."""
    rng, make = np.random.default_rng([SEED, list(KINDS).index(kind), world, rows]), KINDS[kind]
    made = make(rng, rows)
    while (made.data.arities < 2).any() or any(len(np.unique(c)) < 2 for c in np.array(made.data.codes).T):
        made = make(rng, rows)
    parts = parts_of(made.data, bags, rng)
    about = {"cells": pairs_of(np.outer(made.data.arities, made.data.arities))}
    about |= {"true": pairs_of(made.joined), "confounded": pairs_of(made.confounded)}
    given = {name: pairs_of(value(parts)).astype(np.float32) for name, value in CANDIDATES.items()}
    return pd.DataFrame(about | given)


# What came out


#: From which number on a pair falls into a row of the table that pages use.
EDGES = (0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99, 0.999)
_DRAWS, _OFF = 10_000, 1_000  # sets of kinds; probabilities are moved off 0 and 1 as (n p + 1/2) / (n + 1)


def reliability(frame: pd.DataFrame) -> dict[str, Any]:
    """Count the pairs by the number that they were given, for the sentences on the pages.

    ``bins`` has for each of ``EDGES``, its ``least``, the number of ``pairs``, the sum of the numbers (``expected``),
    how many an edge joins (``true``), how many others have an unmeasured common cause (``confounded``), and the 95 %
    interval of the share of true ones, kinds drawn with replacement.
    """
    kinds = frame["kind"].unique()
    drawn = np.random.default_rng(0).integers(0, len(kinds), (_DRAWS, len(kinds)))
    place = np.searchsorted(EDGES, frame[REAL].to_numpy(np.float64), side="right") - 1
    counted = frame.assign(place=place, pairs=1, expected=frame[REAL].astype(float))
    places = pd.MultiIndex.from_product([range(len(EDGES)), kinds])
    sums = counted.groupby(["place", "kind"])[["pairs", "expected", "true", "confounded"]].sum()
    sums, bins = sums.reindex(places, fill_value=0).astype(float), []
    for k, least in enumerate(EDGES):
        of, total = sums.loc[k], sums.loc[k].sum()
        interval = interval_of_share(of["true"].to_numpy(), of["pairs"].to_numpy(), drawn)
        entry = {"least": least, "pairs": int(total["pairs"]), "expected": round(float(total["expected"]), 2)}
        entry |= {"true": int(total["true"]), "confounded": int(total["confounded"]), "true_interval": interval}
        bins.append(entry)
    worlds = len(frame.drop_duplicates(["kind", "world"]))
    about = {"kinds": len(kinds), "worlds": worlds, "rows": [int(frame["rows"].min()), int(frame["rows"].max())]}
    return about | {"bins": bins}


def losses(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the log-loss of each table by candidate, nats, with its kind, world and rows as index."""
    p = kept_off_0_and_1(frame[list(CANDIDATES)].astype(np.float64), _OFF)
    found = -np.log(p.where(frame["true"], 1 - p))
    return found.groupby([frame[key] for key in ("kind", "world", "rows")], sort=False).sum()


def false_share(frame: pd.DataFrame, name: str) -> str:
    """Return the share of the pairs given 0.95 or more that no edge joins."""
    return f"{100 * (~frame['true'][frame[name] >= 0.95]).mean():.1f} %"


def report(frame: pd.DataFrame) -> Report:
    """Return the section, and what the pages say of *real*."""
    about, loss = reliability(frame), losses(frame)
    by_kind = loss.groupby("kind", sort=False).mean()
    held_out, measured = by_kind.index.isin(list(JUDGED_BY)), frame[~frame["confounded"]]
    rows = [
        [name, *(f"{value:.1f}" for value in (*of, of[~held_out].mean(), of[held_out].mean()))]
        + [false_share(of_pairs, name) for of_pairs in (frame, measured)]
        for name, of in by_kind.items()
    ]
    difference = [mean_and_error((loss[REAL] - loss["fNML"]).loc[kind]) for kind in by_kind.index]
    uppers = [*(f" to {end:g}" for end in EDGES[1:]), " or more"]
    counted = [one | {"upper": upper} for one, upper in zip(about["bins"], uppers, strict=True)]
    text = [
        "Written by `python -m benchmarks real_worlds report` from `real_worlds.parquet`; nothing is typed by hand.",
        "*Real* is the mean of the posterior of the data and of the corrected posteriors of resamples of N and of 2 N "
        f"rows, each the mean under BDeu(1) and BDeu(10). {about['worlds']} worlds of nine variables, "
        f"{frame.groupby('kind')['world'].nunique().max()} of each of {about['kinds']} kinds, with tables of 200 and "
        f"of 1,000 rows, {frame.attrs['bags']} resamples of each size, all posteriors summed exactly. The last "
        f"{len(JUDGED_BY)} kinds had no part in any choice. Subnetworks are of {', '.join(frame.attrs['networks'])}.",
        "Log-loss of a table of 36 pairs, nats, by kind; means of the kinds looked at before and of the others; share "
        "of the pairs at 0.95 or more that no edge joins, and the same without pairs that have an unmeasured cause. "
        f"Probabilities are moved off 0 and 1 as (n p + ½) / (n + 1), n = {_OFF:,}.",
        markdown(["", *by_kind.index, "before", "others", "false", "false, no such cause"], rows),
        "The formula less fNML, mean ± standard error over tables:",
        markdown(["", *by_kind.index], [["nats a table", *difference]]),
        "### How right the number is",
        "Pairs by the number that the formula gave them. Near 0 it is too sure, too: the rows do not show every edge.",
        tabulated(
            counted,
            "Number | Pairs | Edges expected | Edges | No edge, but an unmeasured common cause",
            "{least:g}{upper} | {pairs:,} | {expected:,.1f} | {true:,} | {confounded:,}",
        ),
    ]
    return Report(confidence={"The correction, a second time": "\n\n".join(text)}, files={RELIABILITY: about})


CELLS = grid(kind=KINDS, world=range(WORLDS), rows=(200, 1_000))
SMALL = grid(kind=("gates", "subnetworks"), world=0, rows=200, bags=1)
ABOUT = {"bags": BAGS, "networks": PUBLISHED}
ELSEWHERE = {"kind": ("subnetworks",)}  # with larger networks from files, where the shipped lines were made
STUDY = Study(
    "real_worlds", CELLS, measure, SMALL, report, POSTERIOR, "real_worlds.parquet", elsewhere=ELSEWHERE, attrs=ABOUT
)
