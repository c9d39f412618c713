"""Figures in the manual that something measured, filled in from the results that are shipped.

A page holds each between ``<!-- figure: name -->`` and ``<!-- end -->``; ``python -m tests.docs.figures`` writes them
anew, and with ``--claims`` prints each beside what the shipped results say today.
"""

import re
import sys
from pathlib import Path

from bnengine.answers.reliability import dated, false_remark
from bnengine.bootstrap.permutation_threshold import ALLOWED, FALSE_ALARM
from bnengine.text import counted, listed, short
from pages.shared.benchmark_results import on_directions, on_real_cells, on_replicates, on_strengths, shipped
from tests.docs.examples import PAGES

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"<!-- figure: (?P<name>[\w ]+) -->(?P<text>.*?)<!-- end -->", re.DOTALL)
_RESULTS = Path("benchmarks/RESULTS_CONFIDENCE.md")


def methods(question):
    """What was measured of each method, in the question's first measure."""
    asked = shipped("evidence")["parts"]["chosen by"]["questions"][question]
    return asked["by_measure"][asked["measure"]]


def search_noise():
    """How much of the variance between fresh tables is the search's own."""
    told = r"a climb varies by (\d+) % of that, iterated local search by (\d+) %"
    climb, iterated = re.search(told, _RESULTS.read_text(encoding="utf-8")).groups()
    return f"{climb}% of the variance between fresh tables, with iterated local search {iterated}%"


def correction():
    """How often the correction brings confidence nearer to either truth."""
    lines = shipped("measured")["truth_and_pi"]["lines"]
    nearer = sum(line["total_absolute_error_change"] + line["total_absolute_error_error"] < 0 for line in lines)
    worse = [line for line in lines if line["log_loss_change"] > 0]
    better = sorted({f"{line['network'].upper()} under {line['score']}" for line in lines if line not in worse})
    return dated(
        "truth_and_pi.csv",
        f"the correction brings confidence closer to how often an edge is learned in {nearer} of {len(lines)} "
        f"settings, and makes it a worse statement about the true network in {len(worse)}, but a better one on "
        f"{' and '.join(better)}",
    )


def found_again():
    """How near the predictive bootstraps come to how often an edge is found again."""
    first, second = (methods("found again")[key] for key in ("predictive_post", "predictive"))
    share = shipped("evidence")["parts"]["chosen by"]["questions"]["found again"]["share"]
    return dated(
        "pages/shared/evidence.json",
        f"the predictive bootstrap is closer than the corrected one in {second['won']} of {second['settings']} "
        "settings. Starting from graphs of the posterior it does better still: a mean regret of "
        f"{first['regret']:.3f} edges per "
        f"true edge against {second['regret']:.3f}, a worst one of {first['worst']:.3f} against {second['worst']:.3f}. "
        f"It is ahead in {100 * share:.0f}% of the sets of networks drawn from these",
    )


def real():
    """How near posteriors and the corrected bagged posterior come to the network, and how far from the other answer."""
    first, second = methods("real")["real"], methods("real")["mean_posteriors"]
    fnml, other = methods("real")["post_fnml"], methods("found again")
    return dated(
        "pages/shared/evidence.json",
        f"the log-loss of the posterior under fNML is {-fnml['difference']:.2f} nats per true edge smaller than that "
        "of the corrected bootstrap, on average. What is best at one question is not at the other: for *found again?* "
        f"that posterior is {other['post_fnml']['difference']:.2f} edges per true edge further off than the corrected "
        f"bootstrap, the predictive one {-other['predictive']['difference']:.2f} nearer. The pages' *real* is the "
        "corrected bagged posterior, the method with the smallest worst regret of those run in all settings "
        f"({first['worst']:.2f} nats per true edge; the next, a mean of two posteriors, {second['worst']:.2f})",
    )


def cannot_say():
    """How many edges *cannot say* holds back, true and false ones."""
    n = shipped("measured")["cannot_say"]
    return (
        f"In {n['tables']} samples of {n['networks']} known networks {100 * n['true_unsure'] / n['true']:.0f}% of the "
        f"{n['true']:,} true edges were among them, and {n['false_above_unsure']} of the {n['false_above']} pairs with "
        "*real* above one half that have no edge."
    )


def published():
    """How right *real* is on networks that others published."""
    n = shipped("measured")["published"]
    real = n["methods"]["real"]
    return dated(
        "published.parquet",
        f"On {n['tables']} tables of {n['networks']} networks that others published, with 100 to 1,000 rows, the "
        f"log-loss of *real* was {real['beside_naive']:.3f} ± {real['beside_naive_error']:.3f} times that of the naive "
        f"bootstrap with probabilities kept within 0.001 and 0.999, {real['beside_naive_kept_off']:.3f} ± "
        f"{real['beside_naive_kept_off_error']:.3f} where no share of 200 replicates may claim more than it can show. "
        f"Of the {real['at_0.8']:,.0f} pairs with 0.8 or more "
        f"{real['false_at_0.8']:.1%} ± {real['false_at_0.8_error']:.1%} had no edge, and of those between 0.05 and "
        f"0.2 (mean {real['low']:.3f}) a share of {real['low_joined']:.3f} ± {real['low_joined_error']:.3f} had one.",
    )


def controls():
    """What answers show where nothing can be there, and how far the halves of a table agree."""
    kinds = [(one["control"], one) for one in shipped("measured")["controls"]["kinds"]]
    alone, column, halves = (
        [one for kind, one in kinds if kind.endswith(end)] for end in ("columns", "column", "halves")
    )
    agree = " ".join(
        f"Of {one['called']:,.0f} edges called *found again and real* in one half of a table ({one['rows'] // 2} rows "
        f"each), *found again* predicted that {one['stated']:.0%} would be learned from the other half; "
        f"{one['learned']:.0%} were, and {one['real_below_half']:.0%} had *real* below one half there."
        for one in halves
    )
    return (
        f"In {sum(one['tables'] for one in alone):.0f} tables of independent columns with the state frequencies of "
        f"{alone[0]['networks']:.0f} published networks and 12 to 100 rows, "
        f"{sum(one['called'] * one['tables'] for one in alone):.0f} edges were called *found again and real*, and of "
        f"{sum(one['pairs'] * one['tables'] for one in column):,.0f} pairs of a published network's variable and a "
        f"shuffled column added to its table, {sum(one['high'] * one['tables'] for one in column):.0f} had *real* of "
        f"0.8 or more. {agree}"
    )


def numbers_hidden():
    """Where half numbers and half cuts gain on cuts alone, and where not."""
    loss = shipped("measured")["real_of_numbers"]["loss"]
    gains = [f"{kind} ({ours:.1f} beside {cuts:.1f})" for kind, (ours, cuts) in loss.items() if ours < 0.9 * cuts]
    others = [f"{kind} ({ours:.1f} beside {cuts:.1f})" for kind, (ours, cuts) in loss.items() if ours >= 0.9 * cuts]
    return f"the log-loss falls on {', '.join(gains)}, and hardly on {', '.join(others)}"


def numbers_holes():
    """What missing cells beside numbers cost, drawn or with their rows left out."""
    n = shipped("measured")["holes_beside_numbers"]
    full, drawn, listwise = (n[key] for key in ("full", "drawn", "listwise"))
    return (
        f"{drawn['found']:.0%} of the true edges were found in more than half of the replicates; the full tables had "
        f"{full['found']:.0%}, the tables without incomplete rows {listwise['found']:.0%} ({n['tables']} of each; "
        f"log-loss a table {drawn['loss']:.2f} ± {drawn['error']:.2f}, {full['loss']:.2f} and {listwise['loss']:.2f})"
    )


def on_noise():
    """Say how many pairs of tables without any edge have both numbers above one half, and how many keep the name."""
    parts = [
        f"{short(one['both'], 2)} ± {short(one['both_error'], 1)} and {short(one['called'], 2)} in "
        f"{counted(one['tables'], 'table')} of {one['kind']}"
        for one in shipped("measured")["noise_check"]["kinds"]
    ]
    return (
        "Where no column depends on another, the number of pairs with both numbers above one half, and of those called "
        f"*found again and real*, was on average {listed(parts, len(parts))}."
    )


def cells_directed():
    """How many true edges point as published on the cells of Sachs et al., without their experiments and with them."""
    found, form = shipped("measured")["real_tables"], "{right:.0%} ± {right_error:.0%}"
    shares = (
        " to ".join(form.format_map(found[f"{reading}, {about}, all"]) for about in ("ignored", "known"))
        for reading in ("cut by the authors", "thirds of all cells", "cut by default")
    )
    where = ("the table as its authors cut it", "thirds that record what was set", "cut amounts")
    return listed([f"from {share} in {cells}" for share, cells in zip(shares, where, strict=True)])


NAMED = (numbers_hidden, numbers_holes, cannot_say, published, controls, search_noise, correction, found_again, real)
FIGURES = {one.__name__.replace("_", " "): one for one in (*NAMED, cells_directed)} | {
    "false pairs": lambda: false_remark(0.8),
    "directions": on_directions,
    "strengths": on_strengths,
    "replicates": on_replicates,
    "noise": on_noise,
    "real cells": on_real_cells,
    "cuts learned anew": lambda: shipped("measured")["cut_anew"]["table"],
    "nearer with cuts anew": lambda: shipped("measured")["cut_anew"]["text"],
    "noise rule": lambda: f"{ALLOWED:.0%} of the table's own by a one-sided t test of level {FALSE_ALARM}",
}


def filled(text):
    """A page with every figure as it was measured."""
    return BLOCK.sub(lambda one: f"<!-- figure: {one['name']} -->{FIGURES[one['name']]()}<!-- end -->", text)


def main():
    """Print the figures in the manual and the README beside what they are today, or write them anew."""
    if "--claims" in sys.argv:
        from tests.docs.test_manual import STILL_TYPED

        for page in [*PAGES, README]:
            for one in BLOCK.finditer(page.read_text(encoding="utf-8")):
                stands, today = one["text"], FIGURES[one["name"]]()
                known = "as measured" if stands == today else "NOT AS MEASURED"
                sys.stdout.write(f"{page.name}, {one['name']}: {known}\n  page:  {stands}\n  today: {today}\n")
        for page, typed in STILL_TYPED.items():
            sys.stdout.write(f"{page}: typed, so that no shipped result can say: {', '.join(sorted(typed))}\n")
        return
    for page in [*PAGES, README]:
        page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
