"""How good the best-scoring graph is: what is proved about it."""

import math

from bnengine.search.certificate import Certificate
from bnengine.typing import LearnedGraph
from pages.network.run import Run
from pages.shared import experiments, show
from pages.shared.format import at_most, counted, duration, short

_ROUNDING = 1e-6  # nats


def optimality(run: Run) -> None:
    """Show what a search for a proof of some seconds gives, where the search itself has not proved its graph."""
    data, graph, experiment = run.data, run.graph, run.experiment
    if graph.status == "optimal":
        show.note(f"**Yes:** the search has proved that no graph scores higher{at_most(experiment)}.", "certificate")
        return
    refused = experiments.proof_refused(data)
    found = None if refused else experiments.certificate_of(experiment, data, graph)
    if refused:
        show.note(refused, "certificate")
    elif found is not None:
        show.note(certificate_sentence(*found, graph), "certificate")


def certificate_sentence(made: Certificate, seconds: float, graph: LearnedGraph) -> str:
    """Say what is proved, how long that took, and whether a better graph was met."""
    limit, took = f"no network with at most {counted(made.max_parents, 'parent')} of a variable", duration(seconds)
    if math.isinf(made.gap):
        return f"Nothing is proved about other networks' scores yet ({took})."
    better = "" if made.graph.score <= graph.score + _ROUNDING else " than the best one met on the way"
    if made.status == "optimal":
        text = f"**Proved:** {limit} scores higher{better} ({took})."
    else:
        text = f"{limit[0].upper()}{limit[1:]} can score more than **{short(made.gap)} nats** higher{better} ({took})."
    return text + (f" That one is {short(made.graph.score - graph.score)} nats above this graph." if better else "")
