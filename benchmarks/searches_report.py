"""What ``searches.py`` found, as sections of RESULTS.md and README.md."""

import numpy as np
import pandas as pd

from benchmarks.peers import PROGRAMS, RESTARTS, TABU_SIZE
from benchmarks.report import HERE, Report, between, markdown, tabulated
from benchmarks.searches import BASE, LIMIT, LONG, OURS

_CELL = ["network", "rows", "score", "table"]
_README = HERE.parent / "README.md"
_QUOTED = ("alarm", 1000, "BIC")
_README_TAIL = "More networks, sizes and scores, and what was measured how: [RESULTS](benchmarks/RESULTS.md)."

_HEAD = """\
How far each search ends below the best score known of a table (the best of all searches here, one with ten times the
patience among them), structural Hamming distance of its CPDAG to the true network's, and processor time of one
learning. Seeds on which nothing was tuned: {cells}.
Other programs' graphs are scored by bnengine; they run in a process of their own, pyAgrum on one thread and with tabu
lists of {tabu}. bnlearn-port is a port of R's bnlearn to Python; "{restarts} restarts" is
`hc(restart={restarts}, perturb=5)`. causal-learn's BDeu has the same prior probability for all graphs. Programs that
take seconds were asked about fewer tables, and those that found no graph within {limit:.0f} processor seconds not again
about as many variables; so the last three columns show iterated local search on the same tables.

    BNENGINE_PEERS=PYTHON python -m benchmarks searches run && python -m benchmarks searches_replicates run
"""


def report_of(reached: pd.DataFrame, replicates: pd.DataFrame) -> Report:
    """Return both sections from the two tables."""
    frame, again = _below(reached), _below(replicates)
    order = [what for what in (*OURS, *PROGRAMS) if what in set(frame["search"])]
    networks = frame["network"].unique()
    tables = frame[frame["search"] == BASE].groupby(_CELL[:3])["table"].nunique()
    numbers = f"{tables.min()} to {tables.max()}" if tables.min() < tables.max() else str(tables.min())
    cells = (
        f"{len(networks)} networks ({', '.join(networks)}) × {frame['rows'].nunique()} sizes × "
        f"{frame['score'].nunique()} scores, {numbers} samples of each, of which the "
        f"first {tables.min()} count where all are averaged"
    )
    balanced = frame[frame["table"] < tables.min()]
    parts = [_HEAD.format(cells=cells, tabu=TABU_SIZE, restarts=RESTARTS, limit=LIMIT), _conclusion(balanced, order[0])]
    for score, own in balanced.groupby("score", sort=False):
        parts += [f"{score}:", _overall(own, order)]
    quoted = _call_and_replicate(frame, again, [what for what in order if what != LONG])
    return Report(
        {
            "Scores reached": "\n\n".join([*parts, _refusals(frame, order)]),
            "Score and time, call for call and replicate for replicate": quoted,
        },
        files={_README: between(_README, "searches", f"\n{quoted}\n\n{_README_TAIL}\n")},
    )


def _below(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the nats below the best of each table, also as a share of it."""
    best = frame.groupby(_CELL)["nats"].transform("max")
    return frame.assign(below=best - frame["nats"], relative=(best - frame["nats"]) / best.abs())


def _beside(frame: pd.DataFrame, what: str) -> pd.DataFrame:
    """Return the tables of a search that have a graph, beside the default search's."""
    kept = ["below", "relative", "shd", "ms"]
    own = frame[(frame["search"] == what) & frame["nats"].notna()]
    return own.merge(frame.loc[frame["search"] == BASE, [*_CELL, *kept]], on=_CELL, suffixes=("", "_base"))


def _overall(frame: pd.DataFrame, order: list[str]) -> str:
    heads = "search | tables | within 1 nat | within 10 nats | nats below, mean | of the score | SHD, mean | ms, mean"
    form = "{what} | {n} | {one:.0%} | {ten:.0%} | {below:.1f} | {relative:.2%} | {shd:.1f} | {ms:,.0f} | "
    form += "{below_base:.1f} | {shd_base:.1f} | {times}"
    lines = []
    for what, of in ((what, _beside(frame, what)) for what in order):
        about = {"what": what, "n": len(of), "one": (of.below <= 1).mean(), "ten": (of.below <= 10).mean()}
        lines.append(of.mean(numeric_only=True).to_dict() | about | {"times": _times(of.ms, of.ms_base)})
    lines = [line for line in lines if line["n"]]
    return tabulated(lines, f"{heads} | {BASE}: nats below | SHD | its time, as a multiple", form)


def _conclusion(frame: pd.DataFrame, first: str) -> str:
    """Say what the better search gains over the first, and what it costs."""
    own, other = _beside(frame, BASE), _beside(frame, first)
    slow, others = own.loc[own["ms"].idxmax()], [what for what in frame["search"].unique() if what in PROGRAMS]
    beside = pd.concat([_beside(frame, what) for what in others or [BASE]])
    higher = int((beside.below_base - beside.below > 1).sum())
    return (
        f"**{BASE.capitalize()} ends within 1 nat of the best known in {(own.below <= 1).mean():.0%} of {len(own)} "
        f"tables and within 10 in {(own.below <= 10).mean():.0%}, {first} in {(other.below <= 1).mean():.0%} and "
        f"{(other.below <= 10).mean():.0%}.** It takes {_times(other.ms_base, other.ms)} the processor time of "
        f"{first} (geometric mean), {own.ms.median():.0f} ms in half of the tables and at most {slow.ms:,.0f} ms "
        f"({slow.network}, {slow['rows']:,} rows, {slow.score}). Of "
        f"{len(beside)} graphs of other programs {higher or 'none'} scores more than 1 nat higher than its graph of "
        "the same table."
    )


def _times(ours: pd.Series, others: pd.Series) -> str:
    """Return the geometric mean of the ratios of times."""
    ratio = float(np.exp(np.log(ours / others).mean()))
    return f"{ratio:,.0f} ×" if ratio >= 100 else f"{ratio:.2g} ×"


def _refusals(frame: pd.DataFrame, order: list[str]) -> str:
    """List programs that gave no graph, where first, and why."""
    without = {what: frame[(frame["search"] == what) & frame["nats"].isna()] for what in order}
    firsts = [(len(own), own.iloc[0]) for own in without.values() if len(own)]
    return "\n".join(
        f"* {first.search}: no graph in {n} tables, among them {first.network}, {first['rows']:,} rows, {first.score}: "
        f"{first.refused}."
        for n, first in firsts
    )


def _call_and_replicate(frame: pd.DataFrame, again: pd.DataFrame, order: list[str]) -> str:
    """Return one table, ALARM with 1,000 rows under BIC: a learning, and a bootstrap replicate."""
    network, n_rows, score = _QUOTED
    calls = frame[(frame["network"] == network) & (frame["rows"] == n_rows) & (frame["score"] == score)]
    text = (
        f"ALARM, {n_rows:,} rows, {score}. *Below*: nats below the best score known of a table, mean; *ms*: processor "
        f"time. Left one learning from a sample, right one bootstrap replicate, in which {BASE} had a third of its "
        "patience (it has half now); in brackets how many. Other work shared the machine: compare times with each "
        "other."
    )
    rows = []
    for what in order:
        one, many = _beside(calls, what), again[(again["search"] == what) & again["nats"].notna()]
        if len(one):
            left = [f"{one.below.mean():.1f} ({len(one)})", f"{one.shd.mean():.1f}", f"{one.ms.mean():,.1f}"]
            right = [f"{many.below.mean():.1f} ({len(many)})", f"{many.ms.mean():,.1f}"] if len(many) else ["", ""]
            rows.append([f"**{what}**" if what == BASE else what, *left, *right])
    heads = ["search", "learning: below", "SHD", "ms", "replicate: below", "ms"]
    return f"{text}\n\n{markdown(heads, rows)}"
