"""Results of the scripts in ``benchmarks/``, which take minutes to compute, and sentences that report them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from bnengine.answers.reliability import dated
from bnengine.data.missing import TREATMENTS
from pages.shared.format import counted, fixed, listed, percent, short


@cache
def shipped(name: str) -> dict[str, Any]:
    """Return the results in a file beside this one."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8"))
    return found


#: Overstated clearly: naive less corrected confidence.
_CLEARLY = 0.2


def on_edges_found(found: dict[str, Any]) -> str:
    """Report that picture: mean numbers of edges of both bootstraps, and which overstated edges ALARM has."""
    edges, more = found["mean_edges"], found["more"]
    overstated = [true for *_, naive, corrected, true in found["edges"] if naive - corrected > _CLEARLY]
    return (
        f"The graph learned from {found['rows']} rows of ALARM has **{short(edges['data'])} edges**, graphs of naive "
        f"bootstrap replicates **{short(edges['bootstrap'])}** on average, corrected ones "
        f"**{short(edges['bootstrap_corrected'])}** (in the paper's {len(more)} experiments the naive bootstrap adds "
        f"{short(min(more))} to {short(max(more))} edges). One mark per edge: a cross if ALARM does not have it. Of "
        f"the {len(overstated)} that the naive bootstrap puts more than {fixed(100 * _CLEARLY)} points higher, "
        f"**{overstated.count(False)} are not in ALARM**, and {overstated.count(True)} are."
    )


def on_missing_cells() -> str:
    """Say how near each way comes to the confidence and the graphs of tables without holes."""
    found = shipped("measured")["missing"]
    means = found["means"]
    keys = {"listwise" if key == "drop_rows" else key: one.brief for key, one in TREATMENTS.items()}
    ways = sorted((way for way in keys if way in means), key=lambda way: means[way]["error_complete"])
    parts = [f"{short(means[way]['error_complete'])} with {keys[way]}" for way in ways]
    return dated(
        "missing.csv",
        f"We compared these treatments on {counted(found['tables'], 'incomplete table')} from "
        f"{counted(len(found['networks']), 'known network')} ({', '.join(map(str.upper, found['networks']))}): "
        "confidence differs from how often an edge is learned from tables without holes, summed over all edges, by "
        f"{'; '.join(parts)}.",
    )


def on_directions() -> str:
    """Say how often a direction that is called settled is right, by the number of rows."""
    found = shipped("measured")["drawn_edges"]
    right = [f"{one['right']:,} of {one['settled']:,} with {one['rows']:,} rows" for one in found["directions"]]
    return dated(
        "drawn_edges.csv",
        f"Of the edges of {counted(len(found['networks']), 'known network')} that were drawn with a settled direction, "
        f"{listed(right, len(right))} pointed the right way.",
    )


def on_strengths() -> str:
    """Say how far strengths were off, how often intervals missed, and how wide they were, by the number of rows."""
    sizes = shipped("measured")["drawn_edges"]["strengths"]
    bias, missed, width = (
        listed([fixed(100 * one[name], digits) for one in sizes], len(sizes))
        for name, digits in (("bias", 1), ("missed", 1), ("width", 0))
    )
    rows = listed([f"{one['rows']:,}" for one in sizes], len(sizes))
    return dated(
        "drawn_edges.csv",
        f"On samples of known networks with {rows} rows, strengths of drawn pairs were {bias} points (hundredths of τ) "
        f"above the truth on average, {missed}% of their intervals missed it, and these were {width} points wide.",
    )


def on_replicates() -> str:
    """Say how near the default search comes to the best graph of a replicate, by score and correction."""
    found, parts = shipped("measured")["replicates"], []
    lines = pd.DataFrame(found["lines"])
    for (score, correction), own in lines.groupby(["score", "correction"], sort=False):
        worst, corrected = own.loc[own["within"].idxmin()], "without" if correction == "none" else "with"
        parts.append(
            f"{percent(own['within'].mean())} under {score} {corrected} the correction (least on "
            f"{worst['network'].upper()} with {worst['rows']:,} rows: {percent(worst['within'])}, on average "
            f"{short(worst['below'], 2)} nats below)"
        )
    return (
        f"In {len(lines) * found['replicates']:,} replicates of samples of {lines['network'].nunique()} known networks "
        f"the default search ended within 1 nat of the best graph known in {listed(parts, len(parts))}."
    )


def on_real_cells() -> str:
    """Say how right *real* is on cells that were measured, by a network that may lack some of what is real."""
    found, readings = shipped("measured")["real_tables"], ("numbers", "cut by default", "numbers, nothing set")
    numbers, cut, unset = (
        " ± ".join(percent(found[f"{reading}, ignored, 1000"][key]) for key in ("false_high", "false_high_error"))
        for reading in readings
    )
    ratios = [
        "{of_naive:.2f} ± {of_naive_error:.2f}".format_map(found[f"{reading}, ignored, all"]) for reading in readings
    ]
    return dated(
        "real_tables.csv",
        "Real cells were harder. Of the pairs with *real* at 0.8 or more in samples of 1,000 cells of Sachs et al. "
        f"(2005), the authors' network, itself incomplete, lacks {numbers} where amounts are kept as numbers and {cut} "
        f"where they are cut. The cells come from several experiments; where nothing was set, with numbers kept, it is "
        f"{unset}. With 100 to 1,000 cells the log-loss of *real* was, in the same order, "
        f"{listed(ratios)} times the naive bootstrap's.",
    )


# The shipped benchmark of confidence methods on known networks, as ``benchmarks/which_confidence.py`` wrote it.

#: The two questions, by their names in the file.
QUESTIONS = ("found again", "real")


def title_of(found: dict[str, Any], method: str) -> str:
    """Return a method's title in sentences."""
    return str(found["methods"].get(method, {}).get("title", method))


def lines(found: dict[str, Any], part: str, question: str) -> pd.DataFrame:
    """Tabulate one row per method: its difference to the corrected bootstrap, regrets, and settings won and lost.

    Returns
    -------
    DataFrame
        key, method, difference, error, regret, worst, worst_error, won, lost, settings; smallest difference first.
        Differences and regrets in the question's unit.
    """
    asked = found["parts"][part]["questions"][question]
    columns = ["difference", "error", "regret", "worst", "worst_error", "won", "lost", "settings"]
    rows = pd.DataFrame.from_dict(asked["by_measure"][asked["measure"]], orient="index", columns=columns)
    table = rows.rename_axis("key").reset_index()
    table.insert(1, "method", [title_of(found, key) for key in table["key"]])
    return table.sort_values("difference", kind="stable", ignore_index=True)
