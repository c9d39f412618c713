"""Remarks on the paper's values: their difference from ours, and the effect of the settings."""

from collections.abc import Mapping

import pandas as pd

import bnengine as bn
from pages._shared import show
from pages._shared.figures.methods import TITLES
from pages._shared.format import escaped, plus_minus, short
from pages._shared.jobs import running
from pages._shared.measured import on_the_parent_limit
from pages._shared.widgets.later import later

_SAMPLES = 100


def why_ours_differ(experiments: Mapping[str, bn.Experiment]) -> None:
    """Why the numbers differ from the paper's, once it is asked for."""
    later("Why our numbers differ from the paper's", "why", ":material/help:", lambda: reasons(experiments))


def reasons(experiments: Mapping[str, bn.Experiment]) -> None:
    """The paper's numbers of edges compared with those of new samples from the network."""
    table = running.at_once(
        "fresh samples",
        repr([(title, experiment.key) for title, experiment in experiments.items()]),
        lambda tell: bn.paper.fresh_samples(experiments, _SAMPLES, tell),
        "new samples",
    )
    if table is None or not len(table):
        return
    show.note(
        f"{finding(table)}\n\nThe equivalent sample size of the posterior "
        "is 1 in both. Compare the pattern: the naive bootstrap finds more edges than the given data, the corrected "
        "bootstrap is closer, and delete-1 agrees with almost no spread. (The experiment on Home uses the bundled "
        "sample of 300 rows, another draw.)",
        "why ours differ",
        small=False,
    )
    shown = {
        "learned graph": table["experiment"],
        "paper": list(map(short, table["paper"])),
        f"{_SAMPLES} new samples": list(map(plus_minus, table["mean"], table["sd"])),
        "least to most": [f"{a} to {b}" for a, b in zip(table["least"], table["most"], strict=True)],
    }
    show.table(shown)


def finding(table: pd.DataFrame) -> str:
    """The number of experiments in which the paper's value is outside the range of new samples."""
    outside = table[(table["paper"] < table["least"]) | (table["paper"] > table["most"])]
    start = "The rows are another sample from the same network, and graphs learned from different samples differ"
    if not len(outside):
        return f"{start}: each of the paper's values is within the range of {_SAMPLES} new samples."
    listed = "; ".join(
        f"{escaped(line.experiment)}: {short(line.paper)} edges in the paper, {line.least} to {line.most} in new "
        f"samples (mean {short(line.mean)})"
        for line in outside.itertuples()
    )
    return (
        f"{start}. This does not explain all differences: in {len(outside)} of {len(table)} experiments the paper's "
        f"value is outside the range of {_SAMPLES} new samples of that size ({listed}). The difference is "
        "**unexplained**."
    )


def on_annealing(beside: bool) -> None:
    """The paper's second experiment: the effect of the score and of the parent limit on the bias."""
    text = (
        "The bias depends on the score as much as on the data: on the paper's second data set, BIC shows little of "
        f"it. {on_the_parent_limit()}"
    )
    if not beside:
        published = bn.paper.PUBLISHED["pheromone, N = 320, posterior"]
        listed = "; ".join(f"{TITLES[key]} {mean:g} ± {sd:g}" for key, (mean, sd) in published.items())
        text += (
            " The paper's second data set is not yours: it has 320 rows and 33 variables with four states. The paper "
            f"reports these numbers of edges for it, with an equivalent sample size of 25: {listed}."
        )
    show.note(text, "second data set", small=False)
