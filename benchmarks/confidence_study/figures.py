"""The figures of the report, small PNG files."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from benchmarks.confidence_study.methods import METHODS
from benchmarks.confidence_study.questions import QUESTIONS, Answer

mpl.use("agg")
FIGURES = {
    name: f"figures/which_confidence_{name.replace(' ', '_')}.png"
    for name in (*(question.name for question in QUESTIONS), "reliability")
}
VERMILION, BLUE, GREEN, PURPLE, GREY = "#D55E00", "#0072B2", "#009E73", "#882E72", "#777777"
_COLOURS = {"naive": VERMILION, "leading": BLUE, "delete_d": GREEN, "own": "#000000"}


def colour(method: str) -> str:
    """Return the colour of a method: its own, or that of its family."""
    return _COLOURS.get(method, GREY if METHODS[method].own_score else PURPLE)


def figure_of_methods(answer: Answer) -> Figure:
    """Return the mean difference to the corrected bootstrap with its error, and worst regret, of every method."""
    shown = answer.table.iloc[::-1]
    y = np.arange(len(shown))
    figure = Figure(figsize=(10, 1.4 + 0.28 * len(shown)), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for at, (_, line) in zip(y, shown.iterrows(), strict=True):
        own = colour(line["method"])
        if line["method"] != "leading":
            left.errorbar(line["difference"], at, xerr=2 * line["error"], fmt="o", color=own, ms=5)
        right.barh(at, line["worst"], color=own, alpha=0.35)
        right.plot(line["regret"], at, "o", color=own, ms=5)
    left.axvline(0, color=BLUE, lw=1)
    inside = shown[(shown["method"] != "own") & shown["error"].notna()]  # the learned graph may lie beyond
    low, high = (inside["difference"] - 2 * inside["error"]).min(), (inside["difference"] + 2 * inside["error"]).max()
    left.set_xlim(low - 0.05 * (high - low), high + 0.05 * (high - low))
    marks = ["" if n == answer.n_settings else "*" for n in shown["settings"]]
    left.set_yticks(y, [METHODS[m].title + mark for m, mark in zip(shown["method"], marks, strict=True)], fontsize=8)
    left.set_title("Difference to the corrected bootstrap (± 2 s.e.)", fontsize=9)
    right.set_title("Regret: worst (bar) and mean (dot)", fontsize=9)
    for axis in (left, right):
        axis.set_xlabel(answer.question.unit, fontsize=8)
        axis.tick_params(axis="x", labelsize=8)
        axis.grid(axis="x", lw=0.3)
    if "*" in marks:
        figure.text(0.005, 0.005, "* not in all settings", fontsize=7)
    return figure


def figure_of_reliability(bins: pd.DataFrame, choices: list[str]) -> Figure:
    """Return the mean π, and the share of true adjacencies, by tenth of p."""
    figure = Figure(figsize=(9, 4.4), layout="constrained")
    shown = list(dict.fromkeys(["naive", "leading", *choices]))
    sums = bins.groupby(["method", "bin"])[["pairs", "p", "pi", "true"]].sum()
    titles = {"pi": "Found again: mean π", "true": "Real: share of true adjacencies"}
    for axis, (column, text) in zip(figure.subplots(1, 2), titles.items(), strict=True):
        axis.plot([0, 1], [0, 1], color="#BBBBBB", lw=1)
        for key in shown:
            own = sums.loc[key]
            axis.plot(own["p"] / own["pairs"], own[column] / own["pairs"], "o-", ms=4, color=colour(key))
            axis.plot([], [], "o-", color=colour(key), label=METHODS[key].title)
        axis.set_title(text, fontsize=9)
        axis.set_xlabel("p, mean of the tenth", fontsize=8)
        axis.set_xlim(0, 1)
        axis.set_ylim(0, 1)
        axis.tick_params(labelsize=8)
        axis.legend(fontsize=7)
    return figure
