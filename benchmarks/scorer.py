"""How near probabilities are to the truth, and to π: numbers over all pairs; and methods compared by paired losses.

A setting is a network with a number of rows and a score. A method's loss in a setting is the base's mean there plus the
mean paired difference to it, so that methods computed for fewer tables are compared on equal tables. Losses are sums
over edges, and are divided by the number of edges of the true network.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

FloatArray = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
BINS = 10
#: Where ``clipped_loss`` clips, as in earlier results. 200 replicates show no share below 1/200, so that a 0 of theirs
#: is judged as claiming more than it can; ``log_loss`` keeps it off 0 and 1.
NEAREST = 0.001


def pairs_of(matrix: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    """Return the entries above the diagonal of the last two axes, (…, V (V − 1) / 2)."""
    return matrix[..., *np.triu_indices(matrix.shape[-1], 1)]


def clipped_loss(p: FloatArray, truth: Bools, nearest: float = NEAREST) -> float:
    """Return Σ −log of the probability of what is true, in nats; probabilities are clipped."""
    kept = np.clip(p, nearest, 1 - nearest)
    return float(-np.log(np.where(truth, kept, 1 - kept)).sum())


def kept_off_0_and_1(p: FloatArray, n: int) -> FloatArray:
    """Return the probabilities that log-loss can judge: shares of n replicates with half a count added to either side.

    The same for every method, also those without replicates: none gains by being allowed nearer to 0 or 1.
    """
    return (n * p + 0.5) / (n + 1)


def log_loss(p: FloatArray, truth: Bools, n: int) -> float:
    """Return Σ −log of the probability of what is true, in nats."""
    return clipped_loss(kept_off_0_and_1(p, n), truth, 0.0)


def brier(p: FloatArray, truth: Bools) -> float:
    """Return Σ (p − truth)²."""
    return float(((p - truth) ** 2).sum())


def average_precision(p: FloatArray, truth: Bools) -> float:
    """Return the area under precision by recall, as a sum over the distinct probabilities; NaN where nothing is true.

    Pairs of equal probability enter together. The precision of a step counts for the recall that it adds (Davis &
    Goadrich 2006: no interpolation between steps).
    """
    if not truth.any():
        return math.nan
    order = np.argsort(-p, kind="stable")
    last = np.flatnonzero(np.append(np.diff(p[order]) != 0, True))
    hits = np.cumsum(truth[order])[last]
    gained = np.diff(hits, prepend=0) / truth.sum()
    return float((hits / (last + 1) * gained).sum())


def doubt(p: FloatArray, n: int) -> dict[str, float]:
    """Return Σ p (1 − p), of n replicates without bias (0: as it is), and how many pairs have p between 0.1 and 0.9."""
    spread = float((p * (1 - p)).sum()) * (n / (n - 1) if n > 1 else 1.0)
    return {"doubt": spread, "unsettled": float(((p > 0.1) & (p < 0.9)).sum())}


def floor(pi: FloatArray, n_fresh: int, n: int) -> float:
    """Return Σ |p − π| of a method that knew π exactly: the noise of n replicates and of the fresh tables alone."""
    variance = pi * (1 - pi) * (1 / n_fresh + 1 / n)
    return float(math.sqrt(2 / math.pi) * np.sqrt(variance).sum())


def reliability(p: FloatArray, pi: FloatArray, truth: Bools) -> npt.NDArray[np.float64]:
    """Count pairs by tenth of p: how many, sum of p, sum of π, how many true; shape (BINS, 4)."""
    inside = np.minimum((p * BINS + 1e-9).astype(int), BINS - 1)
    columns = (np.ones_like(p), p, pi, truth.astype(np.float64))
    return np.stack([np.bincount(inside, weights=column, minlength=BINS) for column in columns], axis=1)


def interval_of_share(part: FloatArray, whole: FloatArray, drawn: npt.NDArray[np.int64]) -> list[float]:
    """Return the central 95 % of a share in sets of networks, or of kinds of worlds, drawn with replacement.

    Sets without any pairs are left out; if there are no others, the share may be anything.
    """
    totals = whole[drawn].sum(axis=1)
    shares = part[drawn].sum(axis=1)[totals > 0] / totals[totals > 0]
    return [round(float(share), 3) for share in np.quantile(shares, (0.025, 0.975))] if len(shares) else [0.0, 1.0]


def error_between(values: pd.Series, groups: Any) -> float:
    """Return the standard error of a mean whose values depend on each other within groups, such as tables."""
    sums = values.groupby(groups).agg(["sum", "size"])
    return float(np.sqrt(((sums["sum"] - values.mean() * sums["size"]) ** 2).sum()) / len(values))


def error_without(left_out: npt.NDArray[np.float64] | pd.DataFrame) -> Any:
    """Return the standard errors of figures by what they are without one group at a time, (groups, …): a jackknife."""
    return np.sqrt((len(left_out) - 1) * left_out.var(axis=0, ddof=0))


# Methods compared

BASE = "leading"
SETTING = ["network", "rows", "score"]
RESAMPLES = 2000


def losses(frame: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Tabulate one row per setting and method.

    Columns: loss and that of the base, difference and its error (over tables), tables, regret (how much worse than the
    best method of the setting) and its error (over the tables that both were applied to). What was applied to a single
    table of several is not taken for the best.
    """
    used = frame.assign(value=frame[measure].astype(float) / frame["true_edges"])
    values = used.pivot(index=[*SETTING, "table"], columns="method", values="value")[used["method"].unique()]
    changes = values.sub(values[BASE], axis=0).groupby(level=SETTING)
    base, tables = values[BASE].groupby(level=SETTING).mean(), changes.count()
    loss = changes.mean().add(base, axis=0)
    candidates = loss[tables.ge(tables.max(axis=1).clip(upper=2), axis=0)]
    best = candidates.idxmin(axis=1)
    of_best = pd.concat([of[best[setting]] for setting, of in values.groupby(level=SETTING)])
    columns = {
        **{"loss": loss, "difference": changes.mean(), "error": changes.sem(), "tables": tables},
        "regret": loss.sub(candidates.min(axis=1), axis=0),
        "regret_error": values.sub(of_best, axis=0).groupby(level=SETTING).sem(),
    }
    found = pd.concat({name: of.stack() for name, of in columns.items()}, axis=1).join(base.rename("base"))
    return frame[SETTING].drop_duplicates().merge(found[found["tables"] > 0].reset_index())


def compared(found: pd.DataFrame) -> pd.DataFrame:
    """Tabulate one row per method, best worst regret first.

    Columns: method, settings, networks, difference and error (mean over networks of their mean over settings, and its
    standard error over networks), ratio (of the sums of losses over its settings, less 1), won and lost (settings with
    a smaller and a larger mean), regret (mean over settings), worst with its error over tables, and where it is.
    """
    found = found.assign(won=found["difference"] < 0, lost=found["difference"] > 0)
    by_method = found.groupby("method", sort=False)
    per_network = found.groupby(["method", "network"], sort=False)["difference"].mean().groupby("method", sort=False)
    sums, worst = by_method[["loss", "base", "won", "lost"]].sum(), found.loc[by_method["regret"].idxmax()]
    where = worst["network"] + ", N = " + worst["rows"].map("{:,}".format) + ", " + worst["score"]
    columns = {
        "settings": by_method.size(),
        "networks": per_network.size(),
        "difference": per_network.mean(),
        "error": per_network.sem(),
        "ratio": sums["loss"] / sums["base"] - 1.0,
        "won": sums["won"],
        "lost": sums["lost"],
        "regret": by_method["regret"].mean(),
        "worst": by_method["regret"].max(),
        "worst_error": worst.set_index("method")["regret_error"],
        "where": where.set_axis(worst["method"]),
    }
    return pd.DataFrame(columns).sort_values("worst", kind="stable").reset_index(names="method")


class Choice(NamedTuple):
    """The methods that were computed in every setting, smallest worst regret first."""

    ranked: tuple[str, ...]
    share: float  # of resampled sets of networks (with replacement) that rank the same method first

    @property
    def method(self) -> str:
        """The first."""
        return self.ranked[0]


def chosen(found: list[pd.DataFrame], seed: int = 0) -> Choice:
    """Rank the methods computed in every setting, by the ``losses`` of one or several measures.

    Each measure's worst regret is divided by the smallest one of any method, and a method's largest ratio counts: with
    one measure, the smallest worst regret wins. ``seed`` is that of the resampling of networks.
    """
    regrets = found[0].pivot(index=SETTING, columns="method", values="regret")
    methods = regrets.columns[regrets.notna().all()]
    cubes = [one.groupby(["network", "method"])["regret"].max().unstack()[methods].to_numpy() for one in found]

    def ranked(networks: np.ndarray) -> np.ndarray:
        """Rank methods by their largest ratio over the measures for each set of networks; shape (sets, methods)."""
        worst = np.array([cube[networks].max(axis=1) for cube in cubes])
        ratios = worst / np.maximum(worst.min(axis=2, keepdims=True), 1e-12)
        return np.argsort(ratios.max(axis=0), axis=1, kind="stable")

    n = len(cubes[0])
    order = ranked(np.arange(n)[None, :])[0]
    sets = np.random.default_rng(seed).integers(0, n, (RESAMPLES, n))
    return Choice(tuple(methods[m] for m in order), float((ranked(sets)[:, 0] == order[0]).mean()))
