"""Checks of confidences and of the graph in the background: simulated worlds, halves of the rows, shuffled nodes."""

import bnengine as bn
from bnengine.bootstrap.recalibration import Recalibration
from bnengine.bootstrap.stability_selection import StabilitySelection
from bnengine.experiment.falsifying import Falsification, falsify_learned
from pages._shared.format import duration
from pages._shared.jobs import running
from pages._shared.jobs.experiments import seconds_of

#: Graphs learned in simulated worlds; splits of the rows into halves; graphs with shuffled nodes.
N_WORLD_GRAPHS, N_SPLITS, N_SHUFFLED = 16 * (2 * 60 + 60 + 1), 50, 100


def worlds_of(experiment: bn.Experiment, data: bn.Dataset, study: bn.Study, kind: str) -> Recalibration | None:
    """Confidences set against the truth in simulated worlds, started by a button."""
    known = {key: study.ensembles[key] for key in ("boot", "boot_bc") if key in study.ensembles}
    arguments = experiment.arguments
    score, search = arguments.pop("score"), arguments.pop("search")
    seconds = seconds_of(experiment) * N_WORLD_GRAPHS
    return running.asked(
        "worlds",
        f"{experiment.key} {kind}",
        lambda tell: bn.recalibrate(data, score, search, kind=kind, known=known, progress=tell, **arguments),
        "Simulate worlds",
        f"Learns about {N_WORLD_GRAPHS:,} graphs in networks that your data leave possible: about {duration(seconds)}.",
        "tables and resamples",
    )


def guarantee_of(experiment: bn.Experiment, data: bn.Dataset, kind: str) -> StabilitySelection | None:
    """Stability selection on halves of the rows, started by a button."""
    arguments, seconds = experiment.arguments, 2 * N_SPLITS * seconds_of(experiment)
    score, search = arguments.pop("score"), arguments.pop("search")
    return running.asked(
        "guarantee",
        f"{experiment.graph_key} {kind}",
        lambda tell: bn.stability_selection(data, score, search, N_SPLITS, progress=tell, kind=kind, **arguments),
        "Learn from halves",
        f"Learns from both halves of {N_SPLITS} random splits: about {duration(seconds)}.",
        "splits",
    )


def falsification_of(experiment: bn.Experiment, data: bn.Dataset) -> Falsification | None:
    """The test of a graph learned from half of the rows on the other half, started by a button."""
    return running.asked(
        "falsify",
        experiment.graph_key,
        lambda tell: falsify_learned(experiment, data, N_SHUFFLED, tell),
        "Test the graph",
        f"Learns a graph from a random half of the rows and tests it, and {N_SHUFFLED} graphs with its nodes shuffled, "
        "on the other half.",
        "shuffled graphs",
    )
