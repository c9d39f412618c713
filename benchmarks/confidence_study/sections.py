"""Shorter parts of the report: calibration, directed edges, cost, and how it was measured."""

from __future__ import annotations

import math

import pandas as pd

from benchmarks.report import markdown, percent, short, with_error
from benchmarks.scorer import LEVEL, compared, losses

from .methods import METHODS
from .posteriors import BAGS, EXACT_UP_TO

_COST_OF = ("alarm", 1000)


def calibration_section(frame: pd.DataFrame, bins: pd.DataFrame, choice: str) -> list[str]:
    """Describe Brier score, area under precision–recall, expected edges, and the share that is real by tenth of p."""
    tables = {
        measure: compared(losses(frame, measure)).set_index("method")
        for measure in ("log_loss", "brier", "average_precision")
    }
    edges = _edges_per_true_edge(frame)
    rows = []
    for key in tables["log_loss"].index:
        lines = {measure: found.loc[key] for measure, found in tables.items()}
        area = -lines["average_precision"]["difference"]
        changes = [
            with_error(lines["log_loss"]["difference"], lines["log_loss"]["error"]),
            with_error(lines["brier"]["difference"], lines["brier"]["error"]),
            with_error(area, lines["average_precision"]["error"]),
        ]
        mean, spread = edges[key]
        rows.append([METHODS[key].title, *(changes if key != "leading" else ["–"] * 3), with_error_plain(mean, spread)])
    header = ["Method", "Log-loss", "Brier", "Area under precision–recall", "Expected edges / true edges"]
    shares = _shares(bins, ["naive", "leading", choice])
    return [
        "Differences to the corrected bootstrap per true edge (the area: as it is; larger is better), mean over "
        "networks ± standard error over networks.",
        markdown(header, rows),
        "Share of adjacencies that are real, by tenth of p, all settings together (number of pairs in brackets):",
        shares,
    ]


def pi_section(frame: pd.DataFrame) -> list[str]:
    """Return the root mean square and bias of p − π, and the error that noise alone causes."""
    rmse = compared(losses(frame, "pi_rmse")).set_index("method")
    bias = frame.assign(bias=(frame["edges"] - frame["pi_edges"]) / frame["true_edges"])
    per_network = bias.groupby(["method", "network"])["bias"].mean().groupby("method")
    rows = [
        [
            METHODS[key].title,
            with_error(1000 * line["difference"], 1000 * line["error"]) if key != "leading" else "–",
            with_error(per_network.get_group(key).mean(), _error(per_network.get_group(key))),
        ]
        for key, line in rmse.iterrows()
    ]
    noise = (frame["pi_floor"] / frame["true_edges"]).groupby(frame["network"]).mean().mean()
    return [
        "Root mean square of p − π over all pairs (difference to the corrected bootstrap, in thousandths), and bias: "
        "Σ (p − π), the edges expected too many, per true edge. A method that knew π exactly would have Σ |p − π| of "
        f"{short(noise)} per true edge by the noise of the replicates and of π alone.",
        markdown(["Method", "Root mean square", "Bias"], rows),
    ]


def _error(values: pd.Series) -> float:
    return float(values.std() / math.sqrt(len(values)))


def with_error_plain(value: float, error: float) -> str:
    """Return a level ± its standard error."""
    return f"{short(value)} ± {short(error, 2)}"


def _edges_per_true_edge(frame: pd.DataFrame) -> dict[str, tuple[float, float]]:
    ratio = frame.assign(ratio=frame["edges"] / frame["true_edges"])
    per_network = ratio.groupby(["method", "network"])["ratio"].mean().groupby("method")
    return {key: (v.mean(), _error(v)) for key, v in per_network}


def _shares(bins: pd.DataFrame, methods: list[str]) -> str:
    used = list(dict.fromkeys(methods))
    sums = bins.groupby(["method", "bin"])[["pairs", "p", "true"]].sum()
    rows = []
    for b in sorted(bins["bin"].unique()):
        line = [f"{b / 10:.1f} to {(b + 1) / 10:.1f}"]
        for key in used:
            if (key, b) in sums.index:
                own = sums.loc[(key, b)]
                line.append(f"{percent(own['true'] / own['pairs'])} ({own['pairs']:,.0f})")
            else:
                line.append("–")
        rows.append(line)
    return markdown(["p", *(METHODS[key].title for key in used)], rows)


def directed_section(frame: pd.DataFrame) -> list[str]:
    """Return the same losses over ordered pairs."""
    measures = ("directed_pi_error", "directed_log_loss", "directed_brier")
    tables = [compared(losses(frame[frame[measure].notna()], measure)).set_index("method") for measure in measures]
    rows = [
        [METHODS[key].title, *(with_error(t.loc[key, "difference"], t.loc[key, "error"]) for t in tables)]
        for key in tables[0].index
        if key != "leading"
    ]
    return [
        "The same for directed edges: π of the directed edge, and the edge of the true network. The data do not "
        "determine the direction of a reversible edge, so every method has an irreducible loss there. Differences to "
        "the corrected bootstrap per true edge, mean over networks ± standard error.",
        markdown(["Method", "Σ \\|p − π\\|", "Log-loss", "Brier"], rows),
    ]


def cost_section(frame: pd.DataFrame) -> str:
    """Return the processor seconds per table of the largest common setting, and in total."""
    network, n_rows = _COST_OF
    one = frame[(frame["network"] == network) & (frame["rows"] == n_rows)].groupby("method")["seconds"].mean()
    own_score = {key: METHODS[key].own_score for key in METHODS}
    first = frame["score"].iloc[0]
    counted = [
        not METHODS[m].mean_of and (own_score[m] or s == first)
        for m, s in zip(frame["method"], frame["score"], strict=True)
    ]
    distinct = frame[counted]
    total = distinct["seconds"].sum() / 3600
    rows = [[METHODS[key].title, short(one[key])] for key in METHODS if key in one.index]
    return (
        f"Processor seconds per table on {network}, N = {n_rows:,} (mean over scores; what methods share is counted "
        f"where it is first needed; the machine was busy). All cells together: {short(total)} hours.\n\n"
        + markdown(["Method", "Seconds"], rows)
    )


def measures_section(about: dict) -> str:
    """Write definitions, and what was left out."""
    n = about["replicates"]
    limits: dict[str, list[str]] = {}
    for m in METHODS.values():
        parts = [f"up to {m.most_variables} variables"] * (m.most_variables < 10_000)
        parts += [f"{m.most_tables} table{'s' * (m.most_tables > 1)} at most"] * (m.most_tables < 10_000)
        limits.setdefault(", ".join(parts), []).append(m.title)
    left_out = "; ".join(f"{limit}: {', '.join(titles)}" for limit, titles in limits.items() if limit)
    return (
        "* All pairs of variables count; those that no method ever joins add nothing to the differences.\n"
        "* *Found again*: Σ |p − π| over adjacencies; π is that of the score that graphs are learned with, also for a "
        "method that does not use this score.\n"
        f"* *Real*: against the adjacencies of the true network. For log-loss every probability, of bootstraps "
        f"and posteriors alike, is moved off 0 and 1 as (n p + ½) / (n + 1) with n = {n}: none gains "
        "by being allowed nearer to certainty.\n"
        "* Differences are paired by table. Losses are divided by the true network's number of edges, so that large "
        "networks do not decide alone. Standard errors are over networks, which are the sampling units. *Surely*: a "
        f"difference beyond the {percent(1 - LEVEL)} limits of Student's t over the tables of a setting.\n"
        "* Regret: loss in a setting (network, rows, score) less that of the best method there. The largest of many "
        "noisy differences is too large on average, for every method.\n"
        f"* Posteriors are exact up to {EXACT_UP_TO} variables and sampled above, with the same prior mass "
        "for each number of parents unless said to be flat (the same for each parent set); bagged ones are means over "
        f"{BAGS} resamples of the rows. They are the same for every score "
        "that graphs are learned with, and so are set against the confidences under each.\n"
        f"* To save time: {left_out or 'nothing was left out'}. What a method was applied to stands above."
    )
