"""``bnengine score``: the score of a given graph on the data."""

from __future__ import annotations

from typing import Any

from click import UsageError

from bnengine.cli.arguments import GroupedOption
from bnengine.cli.command import Command, Job
from bnengine.cli.networks import network_of
from bnengine.cli.settings import Given, groups_of
from bnengine.graphs.dag import Edge
from bnengine.scores.decomposition import decompose
from bnengine.scores.evaluation import mdl, score
from bnengine.scores.scores import LogLikelihood

_EDGES = "an edge, may be repeated; @FILE: a CSV file with one edge per line, such as learn writes; '' for no edges"
_NETWORK = "the edges of network:NAME (bundled) or of a BIF file"
_FAMILIES = "CSV: one line per family instead of one in all"


def run(job: Job) -> None:
    """Score the graph and write the figures."""
    import pandas as pd

    edges = _edges(job.given)
    experiment, data = job.load()
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

    def described() -> dict[str, Any]:
        parents = [[p for p, child in edges if child == name] for name in data.names]
        settings = {key: experiment.to_dict()[key] for key in ("data", "score", "edge_penalty", "uniform_parent_sizes")}
        listed = families.assign(parents=parents)
        return {"settings": settings, "results": figures, "graph": edges, "families": listed}

    job.write(families if job.given["families"] else pd.DataFrame([figures]), described)


def _edges(given: Given) -> list[Edge]:
    if bool(given["edges"]) == (given["network"] is not None):
        raise UsageError("say which graph: --edges PARENT,CHILD (may be repeated; '' for none) or --network")
    if given["network"] is not None:
        return network_of(given["network"]).edges
    pairs = [group for text in given["edges"] if text for group in groups_of("--edges", text, 2)]
    return [(pair[0], pair[1]) for pair in pairs]


COMMAND = Command(
    "score",
    run,
    title="the score of a given graph on the data",
    about="""CSV: one line with the score in nats (higher is better), the number of parameters, the log-likelihood and
the description length in bits (lower is better); with --families one line per family. JSON: both, settings and
versions.""",
    examples="""  bnengine score sample:asia_1000 --network network:asia --score bdeu --ess 1
  bnengine score sample:titanic --edges Sex,Survived --edges Class,Survived --families
  bnengine score survey.csv --edges @edges.csv --out score.json
""",
    groups=("data", "score"),
    own=[
        GroupedOption("graph", "--edges", help=_EDGES, metavar="PARENT,CHILD", multiple=True),
        GroupedOption("graph", "--network", help=_NETWORK, metavar="NETWORK"),
        GroupedOption("output", "--families", help=_FAMILIES, is_flag=True),
    ],
)
