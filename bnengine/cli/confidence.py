"""``bnengine confidence``: every edge with its confidence, and the averaged network above a threshold."""

from __future__ import annotations

from typing import Any

from click import UsageError

from bnengine.bootstrap.study import Study
from bnengine.bootstrap.thresholds import l1_threshold
from bnengine.cli import table1
from bnengine.cli.averaging import average, method_of
from bnengine.cli.command import Command, Job
from bnengine.cli.settings import experiment_of
from bnengine.networks.network import fit


def run(job: Job) -> None:
    """Run the methods and write the edges."""
    experiment = experiment_of(job.given)
    method, kind = method_of(experiment), experiment.kind
    asked = job.given["experiment__threshold"] is not None
    needed = job.form == "bif" or (
        job.form == "csv" and (asked or experiment.threshold is not None or experiment.rule != "mean")
    )
    if kind == "adjacency" and needed:
        raise UsageError("adjacencies have no direction and make no averaged network; leave --kind or --threshold out")
    found = table1.run_study(job, experiment)
    if found is None:
        return
    edges = found.edge_table(kind)
    network, averaged = None, None
    if (needed or job.form == "json") and kind != "adjacency" and method in found.ensembles:
        network, averaged = average(job, method, found)
    elif needed:
        raise ValueError(f"stopped before the first replicate of {method}; there is no averaged network")

    def described() -> dict[str, Any]:
        more = {"kind": kind, "edges": edges, "thresholds": _thresholds(found, kind), "averaged_network": averaged}
        return table1.described_study(found) | more

    if network is None:
        job.write(edges, described)
    else:
        kept = network.table().merge(edges, how="left", on=["parent", "child"])
        job.write(kept, described, lambda: fit(job.data, network.edges, ess=1.0))


def _thresholds(found: Study, kind: str) -> dict[str, dict[str, float]]:
    """The threshold of each method by each rule that needs no further work."""
    return {
        method: {
            "mean": found.strength_threshold(method, kind),
            "l1": l1_threshold(found.strength(method, kind)),
        }
        for method in found.ensembles
    }


COMMAND = Command(
    "confidence",
    run,
    title="confidence of every edge by each method, and the network above a threshold",
    about="""CSV: one line per edge with its confidence by each method; with --threshold only the edges of the averaged
network, each with its strength and direction; it is made acyclic by taking the strongest edges first. JSON: both, all
settings, versions and the seed. BIF: the averaged network with probabilities fitted to the data. Ctrl-C keeps the
replicates that are done.""",
    examples="""  bnengine confidence sample:alarm_300 --score bdeu --search k2 --order network:alarm --n 100
  bnengine confidence sample:asia_1000 --methods boot_bc --threshold 0.5 --out edges.csv
  bnengine confidence sample:titanic --n 100 --threshold l1 --out averaged.bif
  bnengine confidence sample:asia_1000 --n 50 --methods boot --threshold permutation --max-false 0.5
  bnengine confidence survey.csv --required smoking,cancer --tiers age,sex --tiers smoking --out all.json
""",
    formats=("csv", "json", "bif"),
)
