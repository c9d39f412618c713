"""The averaged network of a command: which edges are confident enough, by a number or by a rule."""

from __future__ import annotations

import argparse
import math
from concurrent.futures import Executor
from typing import Any, NamedTuple

from bnengine.bootstrap.averaged_network import AveragedNetwork
from bnengine.bootstrap.edge_kinds import KINDS
from bnengine.bootstrap.methods import METHOD_KEYS, methods
from bnengine.bootstrap.permutation_threshold import permutation_threshold
from bnengine.bootstrap.study import Study
from bnengine.bootstrap.thresholds import l1_threshold
from bnengine.cli.running import Terminal
from bnengine.cli.usage import UsageError
from bnengine.data.dataset import Dataset
from bnengine.experiment.experiment import Experiment

RULES = {
    "mean": "as many edges as the graphs have on average",
    "l1": "nearest to a clear yes or no (Scutari & Nagarajan 2013)",
    "permutation": "few edges if all variables were independent (Broom, Do & Subramanian 2012)",
}


class Averaging(NamedTuple):
    """What was asked for."""

    method: str  # whose confidences
    kind: str  # what counts as an edge
    rule: str | float
    shuffles: int
    max_false: float


def add_averaging(parser: argparse.ArgumentParser) -> None:
    """The options of the averaged network."""
    group = parser.add_argument_group("edges and averaged network")
    group.add_argument("--kind", choices=KINDS, default="directed", help="what counts as an edge (default directed)")
    rules = "; ".join(f"{word}: {about}" for word, about in RULES.items())
    group.add_argument(
        "--threshold",
        metavar="X",
        help=f"a strength between 0 and 1, the share of graphs that join a pair, or {rules} "
        "(default for JSON and BIF: mean)",
    )
    group.add_argument(
        "--method", choices=METHOD_KEYS, help="whose confidence makes the averaged network (default: the first one)"
    )
    about = "permutation: shuffled data sets, each as much work as the method itself (default 20)"
    group.add_argument("--shuffles", metavar="N", type=int, default=20, help=about)
    about = "permutation: most false edges expected (default 1)"
    group.add_argument("--max-false", metavar="X", type=float, default=1.0, help=about)


def averaging_of(args: argparse.Namespace, experiment: Experiment) -> Averaging:
    """What the arguments ask for; a UsageError before any work."""
    run = [key for key in METHOD_KEYS if key in experiment.methods]
    if not run:
        raise UsageError(f"--methods is empty; name some of {', '.join(METHOD_KEYS)}")
    method = args.method or next((key for key in run if key != "data"), run[0])
    if method not in run:
        raise UsageError(f"--method {method} is not run; --methods names {', '.join(run)}")
    if args.shuffles < 1 or not args.max_false >= 0:
        raise UsageError(f"--shuffles must be 1 or more, --max-false 0 or more; got {args.shuffles}, {args.max_false}")
    return Averaging(method, args.kind, _rule(args.threshold), args.shuffles, args.max_false)


def _rule(text: str | None) -> str | float:
    if text is None or text in RULES:
        return text or "mean"
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise UsageError(f"--threshold must be a number between 0 and 1, or {', '.join(RULES)}; got '{text}'")
    return value


def average(
    asked: Averaging,
    experiment: Experiment,
    data: Dataset,
    found: Study,
    executor: Executor | None,
    terminal: Terminal,
) -> tuple[AveragedNetwork, dict[str, Any]]:
    """The averaged network, and what JSON says about it."""
    described: dict[str, Any] = {"method": asked.method, "rule": asked.rule}
    if asked.rule == "permutation":
        threshold, more = _permuted(asked, experiment, data, found.ensembles[asked.method].strength, executor, terminal)
        described |= more
    elif asked.rule == "l1":
        threshold = l1_threshold(found.strength(asked.method, asked.kind))
    elif asked.rule == "mean":
        threshold = found.strength_threshold(asked.method, asked.kind)
    else:
        threshold = float(asked.rule)
    network = found.averaged(asked.method, threshold, asked.kind)
    _tell(network, terminal)
    described |= {"threshold": threshold, "edges": network.edges, "left_out": network.left_out}
    return network, described | {"strengths": network.table().to_dict("records")}


def _permuted(
    asked: Averaging,
    experiment: Experiment,
    data: Dataset,
    found_strength: float,
    executor: Executor | None,
    terminal: Terminal,
) -> tuple[float, dict[str, Any]]:
    (method,) = methods(experiment.n, experiment.d, (asked.method,))
    found = permutation_threshold(
        data,
        experiment.full_score,
        experiment.search,
        method.resampler,
        "leading" if method.correction == "matched" else method.correction,  # at the strength that was found
        experiment.constraints,
        experiment.seed,
        executor,
        terminal.progress,
        strength=found_strength or experiment.strength,
        n_permutations=asked.shuffles,
        max_false=asked.max_false,
        ties=experiment.ties,
        kind="compelled" if asked.kind == "compelled" else "adjacency",
    )
    finished = len(found.false_edges)
    if not finished:
        raise ValueError("stopped before the first shuffled data set was done; there is no permutation threshold")
    if found.status == "stopped":
        terminal.warn(f"stopped; the threshold rests on {finished} of {asked.shuffles} shuffled data sets")
    if math.isinf(found.threshold):
        terminal.warn(
            f"no threshold has at most {asked.max_false:g} false edges expected; even surest edges have "
            f"{found.expected_false[-1]:.3g}: no edge is kept (--max-false)"
        )
    expected = zip(found.thresholds.tolist(), found.expected_false.tolist(), strict=True)
    return found.threshold, {
        "shuffles": finished,
        "max_false": asked.max_false,
        "expected_false_edges": [{"threshold": t, "edges": edges} for t, edges in expected],
    }


def _tell(network: AveragedNetwork, terminal: Terminal) -> None:
    terminal.note(f"{len(network.edges)} edges with a strength of at least {network.threshold:.3g}")
    if network.left_out:
        edges = ", ".join(f"{parent} → {child}" for parent, child in network.left_out)
        terminal.warn(f"left out of the averaged network, as they would close a cycle: {edges}")
