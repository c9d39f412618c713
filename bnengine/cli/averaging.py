"""The averaged network of a command: the edges above a threshold, given as a number or by a rule."""

from __future__ import annotations

import math
from typing import Any

from click import UsageError

from bnengine._core.number_text import counted
from bnengine.bootstrap.averaged_network import AveragedNetwork
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.methods import ALL_KEYS, first_shown
from bnengine.bootstrap.permutation_threshold import PermutationThreshold
from bnengine.bootstrap.study import Study
from bnengine.bootstrap.thresholds import l1_threshold
from bnengine.cli.command import Job
from bnengine.experiment.experiment import Experiment


def method_of(experiment: Experiment) -> str:
    """The method whose confidences make the averaged network; a click.UsageError if it is not run."""
    run = [key for key in ALL_KEYS if key in experiment.methods]
    if not run:
        raise UsageError(f"--methods is empty; name some of {', '.join(ALL_KEYS)}")
    method = experiment.averaged or first_shown(run)
    if method not in run:
        raise UsageError(f"--method {method} is not run; --methods names {', '.join(run)}")
    return method


def average(job: Job, method: str, found: Study) -> tuple[AveragedNetwork, dict[str, Any]]:
    """The averaged network of one method, and its description in JSON."""
    experiment, terminal = job.experiment, job.terminal
    rule = experiment.rule if experiment.threshold is None else experiment.threshold
    more: dict[str, Any] = {}
    if experiment.threshold is not None:
        threshold = experiment.threshold
    elif rule == "permutation":
        permuted = _permuted(job, found.ensembles[method], method)
        expected = zip(permuted.thresholds.tolist(), permuted.expected_false.tolist(), strict=True)
        more = {"shuffles": len(permuted.false_edges), "max_false": permuted.max_false}
        more["assumed"] = "all variables are independent"
        more["expected_false_edges"] = [{"threshold": t, "edges": edges} for t, edges in expected]
        threshold = permuted.threshold
    elif rule == "l1":
        threshold = l1_threshold(found.strength(method, experiment.kind))
    else:
        threshold = found.strength_threshold(method, experiment.kind)
    network = found.averaged(method, threshold, experiment.kind)
    terminal.note(f"{counted(len(network.edges), 'edge')} with a strength of at least {network.threshold:.3g}")
    if network.left_out:
        edges = ", ".join(f"{parent} → {child}" for parent, child in network.left_out)
        terminal.warn(f"left out of the averaged network, since they would close a cycle: {edges}")
    more |= {"threshold": threshold, "edges": network.edges, "left_out": network.left_out}
    return network, {"method": method, "rule": rule, **more, "strengths": network.table()}


def _permuted(job: Job, ensemble: Ensemble, method: str) -> PermutationThreshold:
    experiment = job.experiment
    with job.workers() as executor:
        found = experiment.permutation_threshold(job.data, method, ensemble, executor, job.terminal.progress)
    finished = len(found.false_edges)
    if not finished:
        raise ValueError("stopped before the first shuffled data set was done; there is no permutation threshold")
    job.tell(found.status, f"the threshold rests on {finished} of {found.n_planned} shuffled data sets")
    if math.isinf(found.threshold):
        job.terminal.warn(
            f"no threshold has at most {found.max_false:g} edges expected if all variables were independent; even the "
            f"most confident edges have {found.expected_false[-1]:.3g}: no edge is kept (--max-false)"
        )
    return found
