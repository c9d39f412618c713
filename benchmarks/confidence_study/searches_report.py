"""What the search does to confidence: a climb against iterated local search, on the same tables and resamples."""

from typing import Any, NamedTuple

import pandas as pd

from benchmarks.confidence_study.methods import BEST, CLIMB
from benchmarks.report import listed, percent, short, with_error
from benchmarks.scorer import SETTING


class Change(NamedTuple):
    """The mean over networks of a measure with a climb and with the best search, their difference and its error."""

    climb: float
    best: float
    difference: float
    error: float

    @property
    def verdict(self) -> str:
        """The difference in words, if it is more than twice its standard error."""
        if abs(self.difference) <= 2 * self.error:
            return "no clear difference"
        return f"{'less' if self.difference < 0 else 'more'}, {with_error(self.difference, self.error)}"


def paired(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the frame whose table has been done with both searches."""
    keys = [*SETTING, "method", "table"]
    return frame[frame.groupby(keys)["search"].transform("nunique") == 2]


def change(frame: pd.DataFrame, measure: str) -> Change:
    """Return a measure per true edge: mean over tables, then over settings, then over networks."""
    values = frame.assign(value=frame[measure].astype(float) / frame["true_edges"])
    by_setting = values.groupby([*SETTING, "search"])["value"].mean().unstack("search")
    by_network = by_setting.groupby("network").mean()
    moved = by_network[BEST] - by_network[CLIMB]
    return Change(by_network[CLIMB].mean(), by_network[BEST].mean(), moved.mean(), moved.sem())


def share_of_search(frame: pd.DataFrame) -> dict[str, float]:
    """Return by search: variance of an edge on one and the same table, as a share of that between fresh tables."""
    repeated = frame[frame["method"] == "repeated"]
    within, whole = change(repeated, "doubt"), change(repeated, "pi_doubt")
    return {CLIMB: within.climb / whole.climb, BEST: within.best / whole.best}


def by_search_section(frame: pd.DataFrame) -> str:
    """Return the section of the report, from the raw table."""
    own = paired(frame)
    return f"{_what_was_run(own, frame.attrs)}\n\n{_finding(own, own.drop_duplicates([*SETTING, 'search']))}"


def _what_was_run(frame: pd.DataFrame, about: dict[str, Any]) -> str:
    counts = frame[frame["search"] == BEST].groupby([*SETTING, "method"])["table"].nunique()
    fewest, most = counts.min(), counts.max()
    tables = f"{fewest} tables" if fewest == most else f"{fewest} to {most} tables"
    earlier = (
        " These replicates searched with the patience of a single learning, 150; since then a replicate has a third of "
        "it and starts from the graph learned from the data, too, which is not measured here."
    )
    return (
        f"{frame['network'].nunique()} networks ({listed(frame['network'].unique())}), "
        f"{frame['variables'].min()} to {frame['variables'].max()} variables, × "
        f"{listed(f'{n:,}' for n in sorted(frame['rows'].unique()))} rows × {listed(frame['score'].unique())}, "
        f"{tables} of each, {about['replicates']} replicates, π from {about['fresh']} fresh tables, seed "
        f"{about['seed']}. Both searches see the same tables and resamples, and the same graphs of the posterior."
        f"{'' if 'cells' in about else earlier}"  # lines of a run today say how many cells they are of
    )


def _finding(own: pd.DataFrame, one_each: pd.DataFrame) -> str:
    doubt, naive = change(one_each, "pi_doubt"), own[own["method"] == "naive"]
    loss, error = change(naive, "log_loss"), change(naive, "pi_error")
    share, bias = share_of_search(own), bias_by_score(own)
    taken = [f"{short(of[CLIMB])} with a climb and {short(of[BEST])} with {BEST} under {s}" for s, of in bias.items()]
    more = "is more" if doubt.verdict.startswith("less") else "is not clearly more"
    return (
        f"**With {BEST}, found again {more} a property of the data.** Between fresh tables edges vary by Σ π (1 − π) = "
        f"{short(doubt.best)} per true edge, with a climb by {short(doubt.climb)} ({doubt.verdict}). Learned again "
        f"from the same table with another seed, a climb varies by {percent(share[CLIMB])} of that, {BEST} by "
        f"{percent(share[BEST])}: this part of the doubt is the search's accident. The naive bootstrap's log-loss to "
        f"the true network is {short(loss.climb)} with a climb and {short(loss.best)} with {BEST} ({loss.verdict}), "
        f"its Σ |p − π| {short(error.climb)} and {short(error.best)} ({error.verdict}): a better search also finds "
        f"more of what resampling adds. The correction takes away {listed(taken)}, in expected edges per true edge."
    )


def bias_by_score(own: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Return naive less corrected expected edges per true edge, by score and search."""
    found = {}
    for score, part in own.groupby("score", sort=False):
        naive, leading = (change(part[part["method"] == key], "edges") for key in ("naive", "leading"))
        found[str(score)] = {CLIMB: naive.climb - leading.climb, BEST: naive.best - leading.best}
    return found
