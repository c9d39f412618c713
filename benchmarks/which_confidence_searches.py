"""What the search does to confidence: a climb against iterated local search, on the same tables and resamples."""

from typing import Any

import numpy as np
import pandas as pd

from benchmarks.confidence_study.cells import TENTHS, inclusion_probability, lines_of
from benchmarks.confidence_study.methods import BEST, CLIMB, CORE, SEARCHES, SEED
from benchmarks.report import Report, percent, short, with_error
from benchmarks.running import Lines, Study, grid, once
from benchmarks.scorer import SETTING
from benchmarks.which_confidence import ROWS
from bnengine._core.display import listed

#: Each at most a second a replicate, whichever search, score and size.
NETWORKS = ("asia", "sachs", "child", "random24-strong-1", "random24-weak-1", "insurance", "alarm", "water")
SCORES = ("BIC", "BDeu(1)")
REPLICATES, FRESH_TABLES = 50, 200


def measure(table: int, search: str, replicates: int = REPLICATES, fresh: int = FRESH_TABLES, **setting: Any) -> Lines:
    """Return a line a method; ``pi_moved`` is how far π is from that of a climb."""
    lines = lines_of(**setting, search=search, table=table, methods=CORE, replicates=replicates, fresh=fresh)
    own, climb = (
        once("pi", inclusion_probability, **setting, search=which, fresh=fresh).adjacency for which in (search, CLIMB)
    )
    return lines.drop(columns=list(TENTHS)).assign(pi_moved=np.float32(np.abs(own - climb).sum()))


def report(frame: pd.DataFrame) -> Report:
    """Return the section."""
    own = paired(frame)
    return Report(
        confidence={"What the search does to confidence": f"{what_was_run(own, frame.attrs)}\n\n{finding(own)}"}
    )


def what_was_run(frame: pd.DataFrame, about: dict[str, Any]) -> str:
    """Describe tables and replicates."""
    counts = frame[frame["search"] == BEST].groupby([*SETTING, "method"])["table"].nunique()
    fewest, most, networks = counts.min(), counts.max(), frame["network"].unique()
    tables = f"{fewest} tables" if fewest == most else f"{fewest} to {most} tables"
    earlier = (
        " These replicates searched with the patience of a single learning, 150; since then a replicate has a third of "
        "it and starts from the graph learned from the data, too, which is not measured here."
    )
    return (
        f"{len(networks)} networks ({listed(networks, len(networks))}), "
        f"{frame['variables'].min()} to {frame['variables'].max()} variables, × "
        f"{listed([f'{n:,}' for n in sorted(frame['rows'].unique())])} rows × {listed(frame['score'].unique())}, "
        f"{tables} of each, {about['replicates']} replicates, π from {about['fresh']} fresh tables, seed "
        f"{about['seed']}. Both searches see the same tables and resamples, and the same graphs of the posterior."
        f"{'' if 'cells' in about else earlier}"  # lines of a run today say how many cells they are of
    )


def finding(own: pd.DataFrame) -> str:
    """Say how much of the doubt is the search's, and what a better search does to the bootstrap."""
    doubt, naive = by_network(own.drop_duplicates([*SETTING, "search"]), "pi_doubt"), own[own["method"] == "naive"]
    loss, error = by_network(naive, "log_loss"), by_network(naive, "pi_error")
    share, bias = share_of_search(own), bias_by_score(own)
    taken = [f"{short(of[CLIMB])} with a climb and {short(of[BEST])} with {BEST} under {s}" for s, of in bias.items()]
    more = "is more" if verdict(doubt).startswith("less") else "is not clearly more"
    (doubt_best, doubt_climb), (loss_best, loss_climb), (error_best, error_climb) = (
        map(short, found.mean()[[BEST, CLIMB]]) for found in (doubt, loss, error)
    )
    return (
        f"**With {BEST}, found again {more} a property of the data.** Between fresh tables edges vary by Σ π (1 − π) = "
        f"{doubt_best} per true edge, with a climb by {doubt_climb} ({verdict(doubt)}). Learned again "
        f"from the same table with another seed, a climb varies by {percent(share[CLIMB])} of that, {BEST} by "
        f"{percent(share[BEST])}: this part of the doubt is the search's accident. The naive bootstrap's log-loss to "
        f"the true network is {loss_climb} with a climb and {loss_best} with {BEST} ({verdict(loss)}), "
        f"its Σ |p − π| {error_climb} and {error_best} ({verdict(error)}): a better search also finds "
        f"more of what resampling adds. The correction takes away {listed(taken)}, in expected edges per true edge."
    )


def paired(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the frame whose table has been done with both searches."""
    keys = [*SETTING, "method", "table"]
    return frame[frame.groupby(keys)["search"].transform("nunique") == 2]


def by_network(frame: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return a measure per true edge by network and search: mean over tables, then over settings."""
    values = frame.assign(value=frame[measure].astype(float) / frame["true_edges"])
    by_setting = values.groupby([*SETTING, "search"])["value"].mean().unstack("search")
    return by_setting.groupby("network").mean()


def verdict(found: pd.DataFrame) -> str:
    """Return the difference that the best search makes in words, if it is more than twice its standard error."""
    moved = found[BEST] - found[CLIMB]
    if abs(moved.mean()) <= 2 * moved.sem():
        return "no clear difference"
    return f"{'less' if moved.mean() < 0 else 'more'}, {with_error(moved.mean(), moved.sem())}"


def share_of_search(frame: pd.DataFrame) -> dict[str, float]:
    """Return by search: variance of an edge on one and the same table, as a share of that between fresh tables."""
    repeated = frame[frame["method"] == "repeated"]
    within, whole = (by_network(repeated, measure).mean() for measure in ("doubt", "pi_doubt"))
    return (within / whole)[[CLIMB, BEST]].to_dict()  # type: ignore[no-any-return]


def bias_by_score(own: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Return naive less corrected expected edges per true edge, by score and search."""
    found = {}
    for score, part in own.groupby("score", sort=False):
        naive, leading = (by_network(part[part["method"] == key], "edges").mean() for key in ("naive", "leading"))
        found[str(score)] = (naive - leading)[[CLIMB, BEST]].to_dict()
    return found


CELLS = grid(table=range(4), score=SCORES, search=SEARCHES, network=NETWORKS, rows=ROWS)
SMALL = grid(table=0, score=SCORES, search=SEARCHES, network=NETWORKS[:2], rows=100, replicates=4, fresh=4)
ABOUT = {"replicates": REPLICATES, "fresh": FRESH_TABLES, "seed": SEED}
FILE = "which_confidence_searches.parquet"
STUDY = Study(
    "which_confidence_searches", CELLS, measure, SMALL, report, file=FILE, clock=("seconds",), beside=True, attrs=ABOUT
)
