"""The commands that run an experiment: what each computes from the data, and what it writes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from click import UsageError

from bnengine._core.display import counted, fixed
from bnengine._core.environment import pd
from bnengine._core.setting_kinds import some_of
from bnengine.answers.thresholds import by_rule
from bnengine.answers.views import with_methods
from bnengine.bootstrap.ensemble import AveragedNetwork, Ensemble
from bnengine.bootstrap.permutation_threshold import NoiseCheck, PermutationThreshold
from bnengine.bootstrap.study import Study
from bnengine.cli.terminal import Output, Terminal, document
from bnengine.data.csv_export import csv_text
from bnengine.data.dataset import Dataset
from bnengine.experiment.evaluations import run_calibration, run_prediction, true_network
from bnengine.experiment.experiment import Experiment, shown_method
from bnengine.experiment.learning import real_posterior
from bnengine.graphs.dag import Edge, edges_of
from bnengine.networks.bif import bif_text
from bnengine.networks.missing_cells import fit_drawn
from bnengine.posterior import EdgePosterior
from bnengine.report.html_report import html_report, view_of
from bnengine.scores.evaluation import edge_gains, explain_empty, n_parameters
from bnengine.search.drawn_cells import drawn_once


@dataclass(frozen=True)
class Job:
    """One run of a command: what is run on which data, and where the result goes."""

    command: str
    experiment: Experiment
    data: Dataset
    terminal: Terminal
    output: Output

    def write(
        self, table: pd.DataFrame, described: Callable[[], dict[str, Any]], edges: list[Edge] | None = None
    ) -> None:
        """Write a table as CSV, a description as JSON or the network of these edges, fitted to the data, as BIF.

        JSON also holds all settings, so that ``bnengine run`` repeats it.
        """
        if self.output.form == "csv":
            self.output.write(csv_text(table))
        elif self.output.form == "bif" and edges is not None:
            ess, numbers = self.experiment.prediction.ess, self.data.numbers
            if numbers:
                self.terminal.warn(
                    f"for their probabilities, measurements are cut into three states each: {some_of(numbers, 6)}"
                )
            self.output.write(bif_text(fit_drawn(self.data.cut(), edges, ess)))
        else:
            about = {"command": self.command, "experiment": self.experiment.to_dict()}
            about["data"] = {"rows": self.data.n_rows, "variables": self.data.names}
            self.output.write(document(**about, **described()))

    def report_status(self, status: str, done: str) -> None:
        """Write a warning if a search or the run did not finish; ``done`` says what was done before it was stopped."""
        if status == "stopped":
            self.terminal.warn(f"stopped; {done}")
        elif status == "max_iterations":
            self.terminal.warn("a search reached its limit of steps; its graph is the best found until then")


def learn(job: Job) -> None:
    """Learn one graph of high score.

    CSV: one line per edge with its gain in score and its direction, "compelled", or "open" where an equally good graph
    has it reversed. JSON: the score, the status of the search, all settings and versions.
    BIF: the graph with probabilities fitted to the data (posterior means).
    """
    score, data = job.experiment.full_score, drawn_once(job.data, job.experiment.seed)
    graph = job.experiment.learn(job.data)
    job.terminal.note(f"{counted(len(graph.edges), 'edge')}, score {fixed(graph.score, 1)} nats, {graph.status}")
    job.report_status(graph.status, "the graph is the best found until then")
    if not graph.edges:
        job.terminal.note(explain_empty(data, score, job.experiment.constraints))
    gains, reversible = edge_gains(data, graph.edges, score), graph.adjacency & graph.cpdag.T
    unsettled = edges_of(graph.names, reversible)
    if unsettled:
        job.terminal.note(
            f"{counted(len(unsettled), 'edge')} can point either way: the data do not settle the direction"
        )
    lines = [
        (*edge, gain, gain / math.log(2), "open" if edge in unsettled else "compelled") for edge, gain in gains.items()
    ]
    edges = pd.DataFrame(lines, columns=["parent", "child", "gain_nats", "gain_bits", "direction"])
    edges = edges.sort_values("gain_nats", ascending=False, kind="stable", ignore_index=True)

    def described() -> dict[str, Any]:
        counts = {"parameters": n_parameters(data, graph.edges, score), "families_scored": graph.n_evaluations}
        return {"status": graph.status, "score": graph.score, **counts, "edges": edges}

    job.write(edges, described, graph.edges)


def table1(job: Job) -> None:
    """Count the edges by resampling method: the paper's Table 1 for any data.

    One line for the graph learned from the data and for each method: the mean number of edges, its standard deviation
    and the number of replicates. JSON also holds all settings and versions. Ctrl-C keeps the methods and replicates
    that are done.
    """
    found = _study(job)
    job.write(found.table1().reset_index(), lambda: _described(found))


def confidence(job: Job) -> None:
    """Say how far to trust each edge: whether it would be found again, and whether it is real.

    CSV: one line per edge with its verdict, both numbers, its direction and its strength, and its confidence by
    every method. JSON: the same, the confidences of directed edges, the averaged network, all settings and versions.
    BIF: the averaged network with probabilities fitted to the data. Ctrl-C keeps the replicates that are done.
    """
    study = _study(job)
    method = _averaged_method(job, study)
    if job.output.form == "bif":
        if method not in study.ensembles:
            raise ValueError("stopped before the first replicate; there is no averaged network")
        network = _averaged(job, method, study)
        job.write(network.table(), dict, network.edges)
        return
    edges = study.edge_table("directed")
    if method not in study.ensembles:  # stopped before the first replicate
        job.write(edges, lambda: _described(study) | {"edges": edges})
        return
    posterior = _posterior(job)
    view = view_of(job.experiment, job.data, study, posterior, noise=_noise(job, posterior))
    for text in view.found.noise_sentences:
        job.terminal.warn(text)
    table = with_methods(view.table(), study)

    def described() -> dict[str, Any]:
        found = _described(study) | {"verdict": table, "edges": edges, "noise": view.found.noise_sentences}
        network = _averaged(job, method, study)
        averaged = {"method": method, "threshold": network.threshold, "edges": network.edges}
        return found | {"averaged_network": averaged | {"left_out": network.left_out, "strengths": network.table()}}

    job.write(table, described)


def report(job: Job) -> None:
    """Write one HTML file with the verdict on every edge, Figure 1 and Table 1.

    The file needs nothing else: it makes no outside request and prints well; in a browser one can choose a view or a
    threshold and play the replicates. It says of every edge how often it would be found again, how probably it is real
    and how strong it is, and how to repeat the run. Ctrl-C keeps the replicates that are done.
    """
    method, threshold = _method_of(job.experiment), None
    found = _study(job)
    if not found.ensembles:
        raise ValueError("stopped before the first replicate; there is nothing to report")
    by_permutation = job.experiment.threshold is None and job.experiment.rule == "permutation"
    if by_permutation and method in found.ensembles and not job.terminal.stopped_by:
        threshold = _averaged(job, method, found).threshold
    posterior = _posterior(job)
    view = view_of(job.experiment, job.data, found, posterior, threshold, _noise(job, posterior))
    job.output.write(html_report(job.experiment, job.data, found, posterior, view))


def calibrate(job: Job) -> None:
    """Measure on a known network which method's confidence to trust."""
    truth = true_network(job.experiment, job.data)
    found = run_calibration(job.experiment, truth, job.data.n_rows, progress=job.terminal.progress)
    job.report_status(found.status, f"the figures rest on {counted(found.n_tables, 'table')}")
    parts = {"status": found.status, "truth": truth.title, "rows": found.n_rows, "methods": found.table()}
    job.write(found.table(), lambda: parts)


def predict(job: Job) -> None:
    """Test how well one variable is predicted from the others."""
    found = run_prediction(job.experiment, job.data, job.terminal.progress)
    job.report_status(found.status, "the figures rest on the splits that were done")
    job.write(found.table(), lambda: {"status": found.status, "measures": found.table()})


class Command(NamedTuple):
    """A command that runs an experiment; the endings of the files that it writes, that of standard output first."""

    do: Callable[[Job], None]
    formats: tuple[str, ...] = ("csv", "json")


#: Those of ``ON_A_TABLE`` have a line of their own; ``run`` runs all of them.
COMMANDS = {
    "learn": Command(learn, ("csv", "json", "bif")),
    "confidence": Command(confidence, ("csv", "json", "bif")),
    "report": Command(report, ("html",)),
    "table1": Command(table1),
    "calibrate": Command(calibrate),
    "predict": Command(predict),
}
ON_A_TABLE = ("learn", "confidence", "report", "table1")


def _study(job: Job) -> Study:
    """Run the experiment's methods."""
    found = job.experiment.run(job.data, progress=job.terminal.progress)
    done = ", ".join(f"{key} {e.n_graphs} of {e.n_planned}" for key, e in found.ensembles.items()) or "no resample"
    job.report_status(found.status, f"learned by then: {done}")
    return found


def _described(found: Study) -> dict[str, Any]:
    """Describe a study in JSON: the learned graph, Table 1, and how each method's graphs were learned."""
    lines, graph = found.table1().reset_index(), found.reference
    lines.insert(0, "key", found.keys)
    return {
        "status": found.status,
        "graph": {"score": graph.score, "status": graph.status, "edges": graph.edges},
        "table1": lines,
        "methods": {key: {name: getattr(one, name) for name in _OF_A_METHOD} for key, one in found.ensembles.items()},
    }


_OF_A_METHOD = ("score", "correction", "strength", "n_graphs", "n_planned", "status")


def _method_of(experiment: Experiment) -> str:
    """Return the method whose confidences make the averaged network."""
    if not experiment.methods:
        raise UsageError("the experiment names no methods; give it some, or leave its methods out")
    return shown_method(experiment, experiment.methods_run)


def _averaged_method(job: Job, found: Study) -> str:
    """Return the method whose confidences make the averaged network; if it was stopped before, one that it has."""
    wanted = _method_of(job.experiment)
    begun = [wanted] if wanted in found.ensembles else [key for key in found.ensembles if key != "data"]
    method = (begun or [wanted])[0]
    if method != wanted:
        job.terminal.warn(f"stopped before the first replicate of {wanted}; the averaged network is that of {method}")
    return method


def _averaged(job: Job, method: str, found: Study) -> AveragedNetwork:
    """Return the averaged network of one method."""
    experiment, threshold = job.experiment, job.experiment.threshold
    if threshold is None and experiment.rule == "permutation":
        threshold = _permuted(job, found.ensembles[method], method).threshold
    elif threshold is None:
        threshold = by_rule(experiment.rule, found, method, experiment.kind)
    network = found.averaged(method, threshold, experiment.kind)
    job.terminal.note(f"{counted(len(network.edges), 'edge')} with a strength of at least {network.threshold:.3g}")
    if network.left_out:
        edges = ", ".join(f"{parent} → {child}" for parent, child in network.left_out)
        job.terminal.warn(f"left out of the averaged network, since they would close a cycle: {edges}")
    return network


def _permuted(job: Job, ensemble: Ensemble, method: str) -> PermutationThreshold:
    found = job.experiment.permutation_threshold(job.data, method, ensemble, progress=job.terminal.progress)
    finished = len(found.false_edges)
    if not finished:
        raise ValueError("stopped before the first shuffled data set was done; there is no permutation threshold")
    job.report_status(found.status, f"the threshold rests on {finished} of {found.n_planned} shuffled data sets")
    if math.isinf(found.threshold):
        job.terminal.warn(
            f"no threshold has at most {found.max_false:g} edges expected if all variables were independent; even the "
            f"most confident edges have {found.expected_false[-1]:.3g}: no edge is kept"
        )
    return found


def _posterior(job: Job) -> EdgePosterior | None:
    """Return the posterior probabilities of edges; None if the run was stopped, or if these data allow none."""
    if job.terminal.stopped_by:
        return None
    job.terminal.counted = "steps of the posterior, which says what edges are real"
    try:
        return real_posterior(job.experiment, job.data, progress=job.terminal.progress)
    except ValueError as error:
        job.terminal.warn(f"without posterior probabilities: {error}")
        return None


def _noise(job: Job, posterior: EdgePosterior | None) -> NoiseCheck | None:
    """Check copies of the table without any dependence; None where nothing is called real, or rows are experiments."""
    if posterior is None or job.terminal.stopped_by or job.data.experiments is not None:
        return None
    job.terminal.counted = "copies of the table, which show whether noise looks real"
    return job.experiment.noise_check(job.data, progress=job.terminal.progress)
