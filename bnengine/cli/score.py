"""``bnengine score``: what a graph that somebody already has is worth on the data."""

from __future__ import annotations

import argparse

from bnengine.cli.arguments import add_data, add_score
from bnengine.cli.networks import network_of
from bnengine.cli.output import add_output, document, format_of, records, write
from bnengine.cli.running import Terminal
from bnengine.cli.settings import experiment_of, groups_of
from bnengine.cli.table import load
from bnengine.cli.usage import UsageError
from bnengine.data.csv_export import csv_text
from bnengine.graphs.dag import Edge
from bnengine.scores.decomposition import decompose
from bnengine.scores.evaluation import mdl, score
from bnengine.scores.scores import LogLikelihood

TITLE = "the score of a given graph on the data"
ABOUT = """CSV: one line with the score in nats (higher is better), the number of parameters, the log-likelihood and the
description length in bits (lower is better); with --families one line a family. JSON: both, settings and versions."""
EXAMPLES = """  bnengine score sample:asia_1000 --network network:asia --score bdeu --ess 1
  bnengine score sample:titanic --edges Sex,Survived --edges Class,Survived --families
  bnengine score survey.csv --edges @edges.csv --out score.json
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_data(parser)
    group = parser.add_argument_group("graph")
    group.add_argument(
        "--edges",
        metavar="PARENT,CHILD",
        action="append",
        help="an edge, may be repeated; @FILE: a CSV file with one edge a line, such as learn writes; '' for no edges",
    )
    group.add_argument("--network", metavar="NETWORK", help="the edges of network:NAME (bundled) or of a BIF file")
    add_score(parser)
    add_output(parser, "csv", "json")
    parser.add_argument("--families", action="store_true", help="CSV: one line a family instead of one in all")


def run(args: argparse.Namespace, terminal: Terminal) -> None:
    """Score the graph and write the figures."""
    import pandas as pd

    form = format_of(args)
    edges = _edges(args)
    experiment, data = load(experiment_of(args), terminal)
    length = mdl(data, edges)
    figures = {
        "score": experiment.full_score.name,
        "edges": len(set(edges)),
        "parameters": length.parameters,
        "score_nats": score(data, edges, experiment.full_score),
        "log_likelihood_nats": score(data, edges, LogLikelihood()),
        "mdl_bits": length.mdl,
    }
    families = decompose(data, edges, experiment.full_score).families
    if form == "csv":
        write(args, csv_text(families if args.families else pd.DataFrame([figures])))
        return
    parents = [[p for p, child in edges if child == name] for name in data.names]
    settings = {key: experiment.to_dict()[key] for key in ("data", "score", "edge_penalty", "uniform_parent_sizes")}
    listed = records(families.assign(parents=parents))
    write(args, document("score", settings=settings, results=figures, graph=edges, families=listed))


def _edges(args: argparse.Namespace) -> list[Edge]:
    if (args.edges is None) == (args.network is None):
        raise UsageError("say which graph: --edges PARENT,CHILD (may be repeated; '' for none) or --network")
    if args.network is not None:
        return network_of(args.network).edges
    pairs = [group for text in args.edges if text for group in groups_of("--edges", text, 2)]
    return [(pair[0], pair[1]) for pair in pairs]
