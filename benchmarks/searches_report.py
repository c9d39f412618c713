"""What ``searches.py`` found, as sections of RESULTS.md and README.md."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.peers import PROGRAMS, RESTARTS, TABU_SIZE
from benchmarks.report import Report, between, markdown

_CELL = ["network", "rows", "score", "table"]
_README = Path(__file__).parents[1] / "README.md"
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


def report_of(
    reached: pd.DataFrame, replicates: pd.DataFrame, base: str, longest: str, order: list[str], limit: float
) -> Report:
    """Return both sections from the two tables; ``order`` is that of the rows."""
    frame, again = _below(_in_order(reached)), _below(replicates)
    order = [what for what in order if what in set(frame["search"])]
    networks = frame.drop_duplicates("network")["network"]
    tables = frame[frame["search"] == base].groupby(_CELL[:3])["table"].nunique()
    numbers = f"{tables.min()} to {tables.max()}" if tables.min() < tables.max() else str(tables.min())
    cells = (
        f"{len(networks)} networks ({', '.join(networks)}) × {frame['rows'].nunique()} sizes × "
        f"{frame['score'].nunique()} scores, {numbers} samples of each, of which the "
        f"first {tables.min()} count where all are averaged"
    )
    parts = [_HEAD.format(cells=cells, tabu=TABU_SIZE, restarts=RESTARTS, limit=limit)]
    balanced, shown = frame[frame["table"] < tables.min()], [what for what in order if what != longest]
    parts.append(_conclusion(balanced, order[0], base))
    for score, own in balanced.groupby("score", sort=False):
        parts += [f"{score}:", _overall(own, order, base)]
    parts.append("By network, score and rows: nats below the best known / SHD / ms, means over the tables.")
    parts += [_by_cell(frame, shown), _refusals(frame)]
    quoted = _call_and_replicate(frame, again, shown, base)
    return Report(
        {"Scores reached": "\n\n".join(parts), "Score and time, call for call and replicate for replicate": quoted},
        files={_README: between(_README, "searches", f"\n{quoted}\n\n{_README_TAIL}\n")},
    )


def _in_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Sort by network, rows and score, each in the order in which its values first stood in the file."""
    return frame.sort_values(
        _CELL[:3], key=lambda of: of.map(pd.Series(range(of.nunique()), of.unique())), kind="stable"
    )


def _below(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the nats below the best of each table, also as a share of it."""
    best = frame.groupby(_CELL)["nats"].transform("max")
    return frame.assign(below=best - frame["nats"], relative=(best - frame["nats"]) / best.abs())


def _beside(frame: pd.DataFrame, what: str, base: str) -> pd.DataFrame:
    """Return the tables of a search that have a graph, beside the base search's."""
    kept = ["below", "relative", "shd", "ms"]
    own = frame[(frame["search"] == what) & frame["nats"].notna()]
    return own.merge(frame.loc[frame["search"] == base, [*_CELL, *kept]], on=_CELL, suffixes=("", "_base"))


def _overall(frame: pd.DataFrame, order: list[str], base: str) -> str:
    heads = ["search", "tables", "within 1 nat", "within 10 nats", "nats below, mean", "of the score", "SHD, mean"]
    heads += ["ms, mean", f"{base}: nats below", "SHD", "its time, as a multiple"]
    rows = []
    for what in order:
        of = _beside(frame, what, base)
        if len(of):
            near = [f"{(of.below <= nats).mean():.0%}" for nats in (1, 10)]
            means = [f"{of.below.mean():.1f}", f"{of.relative.mean():.2%}", f"{of.shd.mean():.1f}"]
            means += [f"{of.ms.mean():,.0f}", f"{of.below_base.mean():.1f}", f"{of.shd_base.mean():.1f}"]
            rows.append([what, len(of), *near, *means, _times(of.ms, of.ms_base)])
    return markdown(heads, rows)


def _conclusion(frame: pd.DataFrame, first: str, base: str) -> str:
    """Say what the better search gains over the first, and what it costs."""
    own, other = _beside(frame, base, base), _beside(frame, first, base)
    slow, others = own.loc[own["ms"].idxmax()], [what for what in frame["search"].unique() if what in PROGRAMS]
    beside = pd.concat([_beside(frame, what, base) for what in others or [base]])
    higher = int((beside.below_base - beside.below > 1).sum())
    return (
        f"**{base.capitalize()} ends within 1 nat of the best known in {(own.below <= 1).mean():.0%} of {len(own)} "
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


def _by_cell(frame: pd.DataFrame, shown: list[str]) -> str:
    rows = []
    for (network, score, n_rows), of in frame.groupby(["network", "score", "rows"], sort=False):
        means = of[of["nats"].notna()].groupby("search")[["below", "shd", "ms"]].mean()
        cells = [
            f"{means.below[what]:.1f} / {means.shd[what]:.1f} / {means.ms[what]:,.0f}" if what in means.index else ""
            for what in shown
        ]
        rows.append([network, score, f"{n_rows:,}", of["table"].nunique(), *cells])
    return markdown(["network", "score", "rows", "tables", *shown], rows)


def _refusals(frame: pd.DataFrame) -> str:
    """List programs that gave no graph, where first, and why."""
    of = frame[frame["nats"].isna()].groupby("search", sort=False)
    firsts = [(what, len(own), own.iloc[0]) for what, own in of]
    return "\n".join(
        f"* {what}: no graph in {n} tables, among them {first.network}, {first.rows:,} rows, {first.score}: "
        f"{first.refused}."
        for what, n, first in firsts
    )


def _call_and_replicate(frame: pd.DataFrame, again: pd.DataFrame, order: list[str], base: str) -> str:
    """Return one table, ALARM with 1,000 rows under BIC: a learning, and a bootstrap replicate."""
    network, n_rows, score = _QUOTED
    calls = frame[(frame["network"] == network) & (frame["rows"] == n_rows) & (frame["score"] == score)]
    text = (
        f"ALARM, {n_rows:,} rows, {score}. *Below*: nats below the best score known of a table, mean; *ms*: processor "
        f"time. Left one learning from a sample, right one bootstrap replicate, in which {base} had a third of its "
        "patience (it has half now); in brackets how many. Other work shared the machine: compare times with each "
        "other."
    )
    rows = []
    for what in order:
        one, many = _beside(calls, what, base), again[(again["search"] == what) & again["nats"].notna()]
        if len(one):
            left = [f"{one.below.mean():.1f} ({len(one)})", f"{one.shd.mean():.1f}", f"{one.ms.mean():,.1f}"]
            right = [f"{many.below.mean():.1f} ({len(many)})", f"{many.ms.mean():,.1f}"] if len(many) else ["", ""]
            rows.append([f"**{what}**" if what == base else what, *left, *right])
    heads = ["search", "learning: below", "SHD", "ms", "replicate: below", "ms"]
    return f"{text}\n\n{markdown(heads, rows)}"
