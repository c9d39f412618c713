"""``bnengine confidence``: every edge with its confidence, and the averaged network above a threshold."""

from __future__ import annotations

import click

from bnengine.bootstrap.study import Study
from bnengine.bootstrap.thresholds import l1_threshold
from bnengine.cli.arguments import part_options
from bnengine.cli.averaging import average, method_of
from bnengine.cli.output import bif_text, format_of, records, write
from bnengine.cli.running import Terminal
from bnengine.cli.settings import Given, experiment_of
from bnengine.cli.study import own_workers, run_study, study_document, study_options
from bnengine.cli.usage import UsageError
from bnengine.data.csv_export import csv_text
from bnengine.experiment.options import EDGE_FIELDS
from bnengine.networks.network import fit

TITLE = "confidence of every edge by each method, and the network above a threshold"
ABOUT = """CSV: one line per edge with its confidence by each method; with --threshold only the edges of the averaged
network, each with its strength and direction; it is made acyclic by taking the strongest edges first. JSON: both, all
settings, versions and the seed. BIF: the averaged network with probabilities fitted to the data. Ctrl-C keeps the
replicates that are done."""
_FORMATS = ("csv", "json", "bif")
EXAMPLES = """  bnengine confidence sample:alarm_300 --score bdeu --search k2 --order network:alarm --n 100
  bnengine confidence sample:asia_1000 --methods boot_bc --threshold 0.5 --out edges.csv
  bnengine confidence sample:titanic --n 100 --threshold l1 --out averaged.bif
  bnengine confidence sample:asia_1000 --n 50 --methods boot --threshold permutation --max-false 0.5
  bnengine confidence survey.csv --required smoking,cancer --tiers age,sex --tiers smoking --out all.json
"""


def options() -> list[click.Parameter]:
    """The command's options."""
    return [*study_options(*_FORMATS), *part_options("edges and averaged network", "experiment", EDGE_FIELDS)]


def run(given: Given, terminal: Terminal) -> None:
    """Run the methods and write the edges."""
    form = format_of(given, *_FORMATS)
    experiment = experiment_of(given)
    method, kind = method_of(experiment), experiment.kind
    chosen = experiment.threshold is not None or given["experiment__threshold"] is not None or experiment.rule != "mean"
    needed = form == "bif" or (form == "csv" and chosen)
    if kind == "adjacency" and needed:
        raise UsageError("adjacencies have no direction and make no averaged network; leave --kind or --threshold out")
    experiment, data, found = run_study(given, experiment, form, terminal)
    edges = found.edge_table(kind)
    network, described = None, None
    if (needed or form == "json") and kind != "adjacency" and method in found.ensembles:
        with own_workers(given["workers"]) as executor:
            network, described = average(method, experiment, data, found, executor, terminal)
    elif needed:
        raise ValueError(f"stopped before the first replicate of {method}; there is no averaged network")
    if form == "json":
        more = {"kind": kind, "edges": records(edges), "thresholds": _thresholds(found, kind)}
        write(given, study_document("confidence", experiment, data, found, **more, averaged_network=described))
    elif form == "bif" and network is not None:
        write(given, bif_text(fit(data, network.edges, ess=1.0)))
    elif network is not None:
        write(given, csv_text(network.table().merge(edges, how="left", on=["parent", "child"])))
    else:
        write(given, csv_text(edges))


def _thresholds(found: Study, kind: str) -> dict[str, dict[str, float]]:
    """The threshold of each method by each rule that needs no further work."""
    return {
        method: {
            "mean": found.strength_threshold(method, kind),
            "l1": l1_threshold(found.strength(method, kind)),
        }
        for method in found.ensembles
    }
