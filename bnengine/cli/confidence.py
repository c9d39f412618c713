"""``bnengine confidence``: every edge with its confidence, and the averaged network above a threshold."""

from __future__ import annotations

import argparse
from typing import Any

from bnengine.cli.output import bif_text, csv_text, format_of, records, write
from bnengine.cli.running import Terminal
from bnengine.cli.settings import experiment_of
from bnengine.cli.study import add_study, run_study, study_document
from bnengine.cli.usage import UsageError
from bnengine.network import fit
from bnengine.study import KINDS, METHOD_KEYS, Study
from bnengine.thresholds import AveragedNetwork, averaged_network, l1_threshold

TITLE = "confidence of every edge by each method, and the network above a threshold"
ABOUT = """CSV: one line an edge with its confidence by each method; with --threshold only the edges of the averaged
network, which is made acyclic by taking the surest edges first. JSON: both, all settings, versions and the seed
besides. BIF: the averaged network with probabilities fitted to the data. Ctrl-C keeps the resamples that are done."""
EXAMPLES = """  bnengine confidence sample:alarm_300 --score bdeu --search k2 --order network:alarm --n 100
  bnengine confidence sample:asia_1000 --methods boot_bc --threshold 0.5 --out edges.csv
  bnengine confidence sample:titanic --n 100 --threshold l1 --out averaged.bif
  bnengine confidence survey.csv --required smoking,cancer --tiers age,sex --tiers smoking --out all.json
"""
KEEPS = True
_RULES = {"mean": "as many edges as the graphs have on average", "l1": "Scutari & Nagarajan (2013)"}


def declare(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_study(parser, "csv", "json", "bif")
    group = parser.add_argument_group("edges and averaged network")
    group.add_argument("--kind", choices=KINDS, default="directed", help="what counts as an edge (default directed)")
    group.add_argument(
        "--threshold",
        metavar="X",
        help=f"a confidence between 0 and 1, or {', '.join(f'{word}: {about}' for word, about in _RULES.items())} "
        "(default for JSON and BIF: mean)",
    )
    group.add_argument(
        "--method", choices=METHOD_KEYS, help="whose confidence makes the averaged network (default: the first run)"
    )


def run(args: argparse.Namespace, terminal: Terminal) -> None:
    """Run the methods and write the edges."""
    form = format_of(args)
    rule = _threshold(args.threshold)
    averaging = form != "csv" or rule is not None
    run_methods = [key for key in METHOD_KEYS if key in experiment_of(args).methods]
    if not run_methods:
        raise UsageError(f"--methods is empty; name some of {', '.join(METHOD_KEYS)}")
    method = args.method or next((key for key in run_methods if key != "data"), "data")
    if method not in run_methods:
        raise UsageError(f"--method {method} is not run; --methods names {', '.join(run_methods)}")
    if args.kind == "adjacency" and (form == "bif" or (form == "csv" and averaging)):
        raise UsageError("adjacencies have no direction and make no averaged network; leave --kind or --threshold out")
    experiment, data, found = run_study(args, terminal)
    edges = found.edge_table(args.kind)
    average = None
    if averaging and args.kind != "adjacency" and method in found.ensembles:
        average = _average(found, method, args.kind, rule)
        _tell(average, terminal)
    if form == "csv":
        if average is not None:
            kept = set(average.edges)
            edges = edges[[pair in kept for pair in zip(edges["parent"], edges["child"], strict=True)]]
        write(args, csv_text(edges))
    elif form == "json":
        more: dict[str, Any] = {"kind": args.kind, "edges": records(edges), "thresholds": _thresholds(found, args.kind)}
        if average is not None:
            more["averaged_network"] = {
                "method": method,
                "threshold": average.threshold,
                "edges": average.edges,
                "left_out": average.left_out,
            }
        write(args, study_document("confidence", experiment, found, **more))
    elif average is not None:
        write(args, bif_text(fit(data, average.edges, ess=1.0)))
    else:
        raise ValueError(f"stopped before the first resample of {method}; there is no network to write")


def _threshold(text: str | None) -> float | str | None:
    if text is None or text in _RULES:
        return text
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise UsageError(f"--threshold must be a number between 0 and 1, or {' or '.join(_RULES)}; got '{text}'")
    return value


def _average(found: Study, method: str, kind: str, rule: float | str | None) -> AveragedNetwork:
    confidence = found.confidence(method, kind)
    if rule == "l1":
        threshold = l1_threshold(confidence)
    else:
        threshold = rule if isinstance(rule, float) else found.threshold(method, kind)
    return averaged_network(confidence, threshold, found.reference.names)


def _thresholds(found: Study, kind: str) -> dict[str, dict[str, float]]:
    """What each rule says for each method."""
    return {
        method: {"mean": found.threshold(method, kind), "l1": l1_threshold(found.confidence(method, kind))}
        for method in found.ensembles
    }


def _tell(average: AveragedNetwork, terminal: Terminal) -> None:
    terminal.note(f"{len(average.edges)} edges with confidence of at least {average.threshold:.3g}")
    if average.left_out:
        edges = ", ".join(f"{parent} → {child}" for parent, child in average.left_out)
        terminal.warn(f"left out of the averaged network, as they would close a cycle: {edges}")
