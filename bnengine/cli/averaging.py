"""The averaged network of a command: the edges above a threshold, given as a number or by a rule."""

from __future__ import annotations

import math
from concurrent.futures import Executor
from typing import Any

from bnengine.bootstrap.averaged_network import AveragedNetwork
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.permutation_threshold import permutation_threshold
from bnengine.bootstrap.study import METHOD_KEYS, Study
from bnengine.bootstrap.thresholds import l1_threshold
from bnengine.cli.running import Terminal
from bnengine.cli.usage import UsageError
from bnengine.data.dataset import Dataset
from bnengine.experiment.experiment import Experiment


def method_of(experiment: Experiment) -> str:
    """The method whose confidences make the averaged network; a UsageError if it is not run."""
    run = [key for key in METHOD_KEYS if key in experiment.methods]
    if not run:
        raise UsageError(f"--methods is empty; name some of {', '.join(METHOD_KEYS)}")
    method = experiment.averaged or next((key for key in run if key != "data"), run[0])
    if method not in run:
        raise UsageError(f"--method {method} is not run; --methods names {', '.join(run)}")
    return method


def average(
    method: str,
    experiment: Experiment,
    data: Dataset,
    found: Study,
    executor: Executor | None,
    terminal: Terminal,
) -> tuple[AveragedNetwork, dict[str, Any]]:
    """The averaged network, and its description in JSON."""
    rule = experiment.rule if experiment.threshold is None else experiment.threshold
    described: dict[str, Any] = {"method": method, "rule": rule}
    if experiment.threshold is not None:
        threshold = experiment.threshold
    elif rule == "permutation":
        threshold, more = _permuted(experiment, data, found.ensembles[method], method, executor, terminal)
        described |= more
    elif rule == "l1":
        threshold = l1_threshold(found.strength(method, experiment.kind))
    else:
        threshold = found.strength_threshold(method, experiment.kind)
    network = found.averaged(method, threshold, experiment.kind)
    _tell(network, terminal)
    described |= {"threshold": threshold, "edges": network.edges, "left_out": network.left_out}
    return network, described | {"strengths": network.table().to_dict("records")}


def _permuted(
    experiment: Experiment,
    data: Dataset,
    ensemble: Ensemble,
    key: str,
    executor: Executor | None,
    terminal: Terminal,
) -> tuple[float, dict[str, Any]]:
    method, correction, strength = experiment.resampling(key, ensemble)
    found = permutation_threshold(
        data,
        experiment.full_score,
        experiment.search,
        method.resampler,
        correction,
        experiment.constraints,
        experiment.seed,
        executor,
        terminal.progress,
        strength=strength,
        n_permutations=experiment.shuffles,
        max_false=experiment.max_false,
        ties=experiment.ties,
        kind="compelled" if experiment.kind == "compelled" else "adjacency",
    )
    finished = len(found.false_edges)
    if not finished:
        raise ValueError("stopped before the first shuffled data set was done; there is no permutation threshold")
    if found.status == "stopped":
        terminal.warn(f"stopped; the threshold rests on {finished} of {experiment.shuffles} shuffled data sets")
    if math.isinf(found.threshold):
        terminal.warn(
            f"no threshold has at most {experiment.max_false:g} false edges expected; even the most confident edges "
            f"have {found.expected_false[-1]:.3g}: no edge is kept (--max-false)"
        )
    expected = zip(found.thresholds.tolist(), found.expected_false.tolist(), strict=True)
    return found.threshold, {
        "shuffles": finished,
        "max_false": experiment.max_false,
        "expected_false_edges": [{"threshold": t, "edges": edges} for t, edges in expected],
    }


def _tell(network: AveragedNetwork, terminal: Terminal) -> None:
    terminal.note(f"{len(network.edges)} edges with a strength of at least {network.threshold:.3g}")
    if network.left_out:
        edges = ", ".join(f"{parent} → {child}" for parent, child in network.left_out)
        terminal.warn(f"left out of the averaged network, since they would close a cycle: {edges}")
