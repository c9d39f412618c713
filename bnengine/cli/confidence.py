"""``bnengine confidence``: every edge with its confidence, and the averaged network above a threshold."""

from __future__ import annotations

import argparse

from bnengine.bootstrap.study import Study
from bnengine.bootstrap.thresholds import l1_threshold
from bnengine.cli.averaging import add_averaging, average, averaging_of
from bnengine.cli.output import bif_text, format_of, records, write
from bnengine.cli.running import Terminal
from bnengine.cli.settings import experiment_of
from bnengine.cli.study import add_study, own_workers, run_study, study_document
from bnengine.cli.usage import UsageError
from bnengine.data.csv_export import csv_text
from bnengine.networks.network import fit

TITLE = "confidence of every edge by each method, and the network above a threshold"
ABOUT = """CSV: one line an edge with its confidence by each method; with --threshold only the edges of the averaged
network, each with its strength and direction; it is made acyclic by taking the strongest edges first. JSON: both, all
settings, versions and the seed besides. BIF: the averaged network with probabilities fitted to the data. Ctrl-C keeps
the resamples that are done."""
EXAMPLES = """  bnengine confidence sample:alarm_300 --score bdeu --search k2 --order network:alarm --n 100
  bnengine confidence sample:asia_1000 --methods boot_bc --threshold 0.5 --out edges.csv
  bnengine confidence sample:titanic --n 100 --threshold l1 --out averaged.bif
  bnengine confidence sample:asia_1000 --n 50 --methods boot --threshold permutation --max-false 0.5
  bnengine confidence survey.csv --required smoking,cancer --tiers age,sex --tiers smoking --out all.json
"""


def declare(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_study(parser, "csv", "json", "bif")
    add_averaging(parser)


def run(args: argparse.Namespace, terminal: Terminal) -> None:
    """Run the methods and write the edges."""
    form = format_of(args)
    asked = averaging_of(args, experiment_of(args))
    needed = form == "bif" or (form == "csv" and args.threshold is not None)
    if args.kind == "adjacency" and needed:
        raise UsageError("adjacencies have no direction and make no averaged network; leave --kind or --threshold out")
    experiment, data, found = run_study(args, form, terminal)
    edges = found.edge_table(args.kind)
    network, described = None, None
    if (needed or form == "json") and args.kind != "adjacency" and asked.method in found.ensembles:
        with own_workers(args.workers) as executor:
            network, described = average(asked, experiment, data, found, executor, terminal)
    elif needed:
        raise ValueError(f"stopped before the first resample of {asked.method}; there is no averaged network")
    if form == "json":
        more = {"kind": args.kind, "edges": records(edges), "thresholds": _thresholds(found, args.kind)}
        write(args, study_document("confidence", experiment, data, found, **more, averaged_network=described))
    elif form == "bif" and network is not None:
        write(args, bif_text(fit(data, network.edges, ess=1.0)))
    elif network is not None:
        kept = network.table()
        write(args, csv_text(kept.merge(edges, how="left", on=["parent", "child"])))
    else:
        write(args, csv_text(edges))


def _thresholds(found: Study, kind: str) -> dict[str, dict[str, float]]:
    """What each rule that needs no further work says for each method."""
    return {
        method: {
            "mean": found.strength_threshold(method, kind),
            "l1": l1_threshold(found.strength(method, kind)),
        }
        for method in found.ensembles
    }
