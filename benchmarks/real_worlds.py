"""Is *real* right as often as it says? Hidden worlds of many kinds, candidates written down, exact posteriors.

Every world has nine variables, of which tables of 200 and 1,000 rows are drawn.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

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


#: Probabilities that pairs are joined, (k, V, V), under each of k scores: "P" of the data under BDeu(1) and BDeu(10),
#: "N" and "2N" means over corrected resamples of so many rows, "U" over uncorrected ones of N rows; those of OTHERS.
Parts = dict[str, Array]
OTHERS: dict[str, Any] = {"fNML": bn.FNML(), "qNML": bn.QNML(), "BIC": bn.BIC()}


def mean(*names: str, of: slice = slice(None)) -> Callable[[Parts], Array]:
    """Return the mean of some parts under both priors, or under one of them."""
    return lambda parts: np.mean([parts[name][of] for name in names], axis=(0, 1))


def mean_of_logits(parts: Parts) -> Array:
    """Return the probability whose logit is the mean of the logits of the formula's parts."""
    means = [parts[name].mean(axis=0) for name in FORMULA]
    return np.asarray(expit(logit(np.clip(means, 1e-6, 1 - 1e-6)).mean(axis=0)))


REAL, FORMULA, FIRST, SECOND = "the formula", ("P", "N", "2N"), slice(1), slice(1, 2)
#: Written down before the judging run: the means of the parts that can stand for *real*.
CANDIDATES: dict[str, Callable[[Parts], Array]] = {
    REAL: mean(*FORMULA),
    "P: mean of BDeu(1) and BDeu(10)": mean("P"),
    "fNML": mean("fNML"),
    "qNML": mean("qNML"),
    "BIC": mean("BIC"),
    "BDeu(1)": mean("P", of=FIRST),
    "BDeu(10)": mean("P", of=SECOND),
    "formula, BDeu(1) alone": mean(*FORMULA, of=FIRST),
    "formula, BDeu(10) alone": mean(*FORMULA, of=SECOND),
    "formula, fNML in P": lambda parts: mean(*FORMULA)(parts | {"P": (2 * parts["P"] + parts["fNML"]) / 3}),
    "formula, mean of logits": mean_of_logits,
    "½ P + ½ bags of N": mean("P", "N"),
    "½ P + ½ bags of 2 N": mean("P", "2N"),
    "bags of N alone": mean("N"),
    "bags of 2 N alone": mean("2N"),
    "bags of N, uncorrected (BayesBag)": mean("U"),
}


def parts_of(data: bn.Dataset, n_bags: int, rng: np.random.Generator) -> Parts:
    """Compute all that the candidates are made of, each posterior summed exactly."""
    space, own = bn.Constraints().resolve(data.names, 4), data.multiplicities.astype(np.int32)

    def pairs(of: Iterable[Any], weights: Array) -> Array:
        found = []
        for score in of:
            scores = LocalScores(data, bn.WithPrior(score, uniform_parent_sizes=True))
            scores.reweigh(weights)
            edges = exact_probabilities(scores, space)[0]
            found.append(np.minimum(edges + edges.T, 1.0))
        return np.array(found)

    bags: dict[str, list[Array]] = {"N": [], "2N": [], "U": []}
    corrected = [LeadingCorrection(score) for score in PRIORS]
    for _ in range(n_bags):
        for size, name in zip(SIZES, ("N", "2N"), strict=True):
            weights = drawn_with(data, size * data.n_rows, rng)
            bags[name].append(pairs(corrected, weights))
            if name == "N":
                bags["U"].append(pairs(PRIORS, weights))
    parts = {name: pairs([score], own) for name, score in OTHERS.items()}
    return parts | {"P": pairs(PRIORS, own)} | {name: np.mean(of, axis=0) for name, of in bags.items()}


def measure(kind: str, world: int, rows: int, bags: int = BAGS) -> pd.DataFrame:
    """Compute every candidate on one table: each pair's probabilities."""
    rng, make = np.random.default_rng([SEED, list(KINDS).index(kind), world, rows]), KINDS[kind]
    made = make(rng, rows)
    while (np.ptp(made.data.codes, axis=0) == 0).any():  # a column of one state
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


def report(frame: pd.DataFrame) -> Report:
    """Return the section, and what the pages say of *real*."""
    about, p = reliability(frame), kept_off_0_and_1(frame[list(CANDIDATES)].astype(np.float64), _OFF)
    of_table = [frame[key] for key in ("kind", "world", "rows")]
    loss = -np.log(p.where(frame["true"], 1 - p)).groupby(of_table, sort=False).sum()
    by_kind = loss.groupby("kind", sort=False).mean()
    held_out, measured = by_kind.index.isin(list(JUDGED_BY)), frame[~frame["confounded"]]
    rows = [
        [name, *(f"{value:.1f}" for value in (*of, of[~held_out].mean(), of[held_out].mean()))]
        + [f"{100 * (~pairs['true'][pairs[name] >= 0.95]).mean():.1f} %" for pairs in (frame, measured)]
        for name, of in by_kind.items()
    ]
    more = (loss[REAL] - loss["fNML"]).groupby("kind", sort=False)
    ratio, worst = by_kind[held_out].mean(), more.mean().idxmax()
    sure, said = frame[frame["kind"].isin(JUDGED_BY) & (frame[REAL] >= 0.95)], {True: "met", False: "**not met**"}
    of_fnml, false = ratio[REAL] / ratio["fNML"], (~sure["true"]).mean()
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
        markdown(["", *by_kind.index], [["nats a table", *(mean_and_error(of) for _, of in more)]]),
        "Conditions that were written down before the run: on the last kinds a log-loss of at most 0.85 of fNML's, "
        f"{of_fnml:.2f} found, {said[of_fnml <= 0.85]}; there at most 2.5 % of the pairs at 0.95 or more false, "
        f"{100 * false:.1f} % of {len(sure):,} found, {said[false <= 0.025]}; on no kind more than 2 nats a table "
        f"above fNML, at most {mean_and_error(more.get_group(worst))} found, on {worst}, "
        f"{said[more.mean().max() <= 2]}.",
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
STUDY = Study("real_worlds", CELLS, measure, SMALL, report, POSTERIOR, "real_worlds.parquet", attrs=ABOUT)
