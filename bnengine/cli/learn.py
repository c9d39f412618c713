"""``bnengine learn``: the data's own graph."""

from __future__ import annotations

import argparse
import math

from bnengine.cli.arguments import add_data, add_description, add_score, add_search
from bnengine.cli.output import add_output, bif_text, document, format_of, records, refuse_names, write
from bnengine.cli.running import Terminal
from bnengine.cli.settings import experiment_of
from bnengine.cli.study import save_settings
from bnengine.cli.table import load
from bnengine.cli.usage import UsageError
from bnengine.data.csv_export import csv_text
from bnengine.experiment.command_line import command_line
from bnengine.networks.network import fit
from bnengine.scores.evaluation import edge_gains, explain_empty, n_parameters

TITLE = "one graph of high score"
ABOUT = """CSV: one line an edge with what it adds to the score. JSON: the score, the status of the search, all
settings, versions and the seed besides. BIF: the graph with probabilities fitted to the data."""
EXAMPLES = """  bnengine learn sample:asia_1000 --score bdeu --ess 10 --search tabu
  bnengine learn sample:sachs_raw --discretize quantile --search exact --max-parents 4 --out sachs.json
  bnengine learn sample:titanic --forbidden Survived,Sex --forbidden Survived,Age --out titanic.bif
  bnengine learn "survey 2024.xlsx" --missing own_state --out edges.csv --save-experiment survey.json
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_data(parser)
    add_score(parser)
    add_search(parser)
    add_output(parser, "csv", "json", "bif")
    parser.add_argument(
        "--fit-ess",
        type=float,
        metavar="X",
        default=1.0,
        help="BIF: imaginary rows behind the probabilities; 0 for maximum likelihood (default 1)",
    )
    add_description(parser)


def run(args: argparse.Namespace, terminal: Terminal) -> None:
    """Learn the graph and write it."""
    import pandas as pd

    form = format_of(args)
    if not (math.isfinite(args.fit_ess) and args.fit_ess >= 0):
        raise UsageError(f"--fit-ess must be 0 or more imaginary rows; got {args.fit_ess}")
    experiment, data = load(experiment_of(args), terminal)
    refuse_names(form, data)
    save_settings(args, experiment)
    graph = experiment.learn(data)
    terminal.note(f"{len(graph.edges)} edges, score {graph.score:,.1f} nats, {graph.status}")
    if graph.status == "max_iterations":
        terminal.warn("the search reached its limit of steps; this is the best graph by then (--max-iterations)")
    if not graph.edges:
        terminal.note(explain_empty(data, experiment.full_score, experiment.constraints))
    if form == "bif":
        write(args, bif_text(fit(data, graph.edges, args.fit_ess or None)))
        return
    gains = edge_gains(data, graph.edges, experiment.full_score)
    lines = [(parent, child, gain, gain / math.log(2)) for (parent, child), gain in gains.items()]
    edges = pd.DataFrame(lines, columns=["parent", "child", "gain_nats", "gain_bits"])
    edges = edges.sort_values("gain_nats", ascending=False, kind="stable", ignore_index=True)
    if form == "csv":
        write(args, csv_text(edges))
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
    write(args, described)
