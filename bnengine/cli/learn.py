"""``bnengine learn``: the graph learned from the data."""

from __future__ import annotations

import math

import click

from bnengine.cli.arguments import data_options, description_options, plain_option, score_options, search_options
from bnengine.cli.output import bif_text, document, format_of, output_options, records, refuse_names, write
from bnengine.cli.running import Terminal
from bnengine.cli.settings import Given, experiment_of
from bnengine.cli.study import save_settings
from bnengine.cli.table import load
from bnengine.cli.usage import UsageError
from bnengine.data.csv_export import csv_text
from bnengine.experiment.command_line import command_line
from bnengine.networks.network import fit
from bnengine.scores.evaluation import edge_gains, explain_empty, n_parameters

_FORMATS = ("csv", "json", "bif")
TITLE = "one graph of high score"
ABOUT = """CSV: one line per edge with its gain in score. JSON: the score, the status of the search, all
settings, versions and the seed. BIF: the graph with probabilities fitted to the data."""
EXAMPLES = """  bnengine learn sample:asia_1000 --score bdeu --ess 10 --search tabu
  bnengine learn sample:sachs_raw --discretize quantile --search exact --max-parents 4 --out sachs.json
  bnengine learn sample:titanic --forbidden Survived,Sex --forbidden Survived,Age --out titanic.bif
  bnengine learn "survey 2024.xlsx" --missing own_state --out edges.csv --save-experiment survey.json
"""


def options() -> list[click.Parameter]:
    """The command's options."""
    about = "BIF: prior counts of the probabilities, in rows; 0 for maximum likelihood (default 1)"
    fit_ess = plain_option("output", "--fit-ess", about, type=float, metavar="X", default=1.0)
    shared = [*data_options(), *score_options(), *search_options(), *output_options(*_FORMATS)]
    return [*shared, fit_ess, *description_options()]


def run(given: Given, terminal: Terminal) -> None:
    """Learn the graph and write it."""
    import pandas as pd

    form = format_of(given, *_FORMATS)
    if not (math.isfinite(given["fit_ess"]) and given["fit_ess"] >= 0):
        raise UsageError(f"--fit-ess must be 0 or more prior counts; got {given['fit_ess']}")
    experiment, data = load(experiment_of(given), terminal)
    refuse_names(form, data)
    save_settings(given, experiment)
    graph = experiment.learn(data)
    terminal.note(f"{len(graph.edges)} edges, score {graph.score:,.1f} nats, {graph.status}")
    if graph.status == "max_iterations":
        terminal.warn(
            "the search reached its limit of steps; the graph is the best found until then (--max-iterations)"
        )
    if not graph.edges:
        terminal.note(explain_empty(data, experiment.full_score, experiment.constraints))
    if form == "bif":
        write(given, bif_text(fit(data, graph.edges, given["fit_ess"] or None)))
        return
    gains = edge_gains(data, graph.edges, experiment.full_score)
    lines = [(parent, child, gain, gain / math.log(2)) for (parent, child), gain in gains.items()]
    edges = pd.DataFrame(lines, columns=["parent", "child", "gain_nats", "gain_bits"])
    edges = edges.sort_values("gain_nats", ascending=False, kind="stable", ignore_index=True)
    if form == "csv":
        write(given, csv_text(edges))
        return
    described = document(
        "learn",
        seed=experiment.seed,
        status=graph.status,
        repeat=command_line(experiment, "learn"),
        experiment=experiment.to_dict(),
        data={"rows": data.n_rows, "variables": data.names},
        score=graph.score,
        parameters=n_parameters(data, graph.edges),
        families_scored=graph.n_evaluations,
        edges=records(edges),
    )
    write(given, described)
