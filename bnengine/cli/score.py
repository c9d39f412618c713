"""``bnengine score``: the score of a given graph on the data."""

from __future__ import annotations

import click

from bnengine.cli.arguments import data_options, plain_option, score_options
from bnengine.cli.networks import network_of
from bnengine.cli.output import document, format_of, output_options, records, write
from bnengine.cli.running import Terminal
from bnengine.cli.settings import Given, experiment_of, groups_of
from bnengine.cli.table import load
from bnengine.cli.usage import UsageError
from bnengine.data.csv_export import csv_text
from bnengine.graphs.dag import Edge
from bnengine.scores.decomposition import decompose
from bnengine.scores.evaluation import mdl, score
from bnengine.scores.scores import LogLikelihood

TITLE = "the score of a given graph on the data"
ABOUT = """CSV: one line with the score in nats (higher is better), the number of parameters, the log-likelihood and the
description length in bits (lower is better); with --families one line per family. JSON: both, settings and
versions."""
_FORMATS = ("csv", "json")
EXAMPLES = """  bnengine score sample:asia_1000 --network network:asia --score bdeu --ess 1
  bnengine score sample:titanic --edges Sex,Survived --edges Class,Survived --families
  bnengine score survey.csv --edges @edges.csv --out score.json
"""


def options() -> list[click.Parameter]:
    """The command's options."""
    edges = "an edge, may be repeated; @FILE: a CSV file with one edge per line, such as learn writes; '' for no edges"
    network = "the edges of network:NAME (bundled) or of a BIF file"
    return [
        *data_options(),
        plain_option("graph", "--edges", edges, metavar="PARENT,CHILD", multiple=True),
        plain_option("graph", "--network", network, metavar="NETWORK"),
        *score_options(),
        *output_options(*_FORMATS),
        plain_option("output", "--families", "CSV: one line per family instead of one in all", is_flag=True),
    ]


def run(given: Given, terminal: Terminal) -> None:
    """Score the graph and write the figures."""
    import pandas as pd

    form = format_of(given, *_FORMATS)
    edges = _edges(given)
    experiment, data = load(experiment_of(given), terminal)
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
        write(given, csv_text(families if given["families"] else pd.DataFrame([figures])))
        return
    parents = [[p for p, child in edges if child == name] for name in data.names]
    settings = {key: experiment.to_dict()[key] for key in ("data", "score", "edge_penalty", "uniform_parent_sizes")}
    listed = records(families.assign(parents=parents))
    write(given, document("score", settings=settings, results=figures, graph=edges, families=listed))


def _edges(given: Given) -> list[Edge]:
    if bool(given["edges"]) == (given["network"] is not None):
        raise UsageError("say which graph: --edges PARENT,CHILD (may be repeated; '' for none) or --network")
    if given["network"] is not None:
        return network_of(given["network"]).edges
    pairs = [group for text in given["edges"] if text for group in groups_of("--edges", text, 2)]
    return [(pair[0], pair[1]) for pair in pairs]
