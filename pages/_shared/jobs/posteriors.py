"""Posterior probabilities of edges, computed in the background."""

import bnengine as bn
from bnengine.experiment.real import is_exact, real_key, real_posterior, real_seconds
from bnengine.posterior import SampledPosterior
from pages._shared import session
from pages._shared.format import duration
from pages._shared.jobs import running

#: Posteriors predicted to take less start by themselves.
_AT_ONCE = 10.0  # seconds

#: The kind of job; one of each kind runs at a time in a session.
REAL = "real"


def posterior_of(experiment: bn.Experiment, data: bn.Dataset, max_parents: int) -> bn.EdgePosterior | None:
    """Exact edge posteriors under the score with its structure prior, started by a button."""
    score, constraints = experiment.full_score, experiment.constraints
    found = running.worked_out(
        "posterior",
        experiment.graph_key,
        lambda tell: bn.edge_posterior(
            data, score, max_parents, constraints, uniform_parent_sizes=False, progress=tell
        ),
        "Compute exactly",
        "About three seconds for 20 variables: the work doubles with each variable.",
        "Summing over all orderings",
        counted=False,
    )
    if found is not None and found.status == "stopped":
        running.stopped("posterior", experiment.graph_key, "Stopped; nothing is known before the end.")
        return None
    return found


def known_real(experiment: bn.Experiment) -> SampledPosterior | None:
    """The posterior that says which edges are real, if it was computed; see ``real_of``."""
    return session.results.known(f"{REAL} {real_key(experiment)}")  # type: ignore[no-any-return]


def real_of(experiment: bn.Experiment, data: bn.Dataset) -> SampledPosterior | None:
    """The posterior that says which edges are real; started by a button unless it is fast."""
    seconds, exact = real_seconds(experiment, data), is_exact(experiment, data)
    return running.worked_out(
        REAL,
        real_key(experiment),
        lambda tell: real_posterior(experiment, data, progress=tell),
        "Compute which edges are real",
        f"Averages over graphs instead of learning one: about {duration(seconds)}.",
        "Summing over all orderings" if exact else "moves between orderings of the variables",
        counted=not exact,
        at_once=seconds <= _AT_ONCE,
    )


def real_again(experiment: bn.Experiment) -> None:
    """Say that the posterior was stopped, and offer to compute it to the end."""
    running.stopped(REAL, real_key(experiment), "The posterior was stopped early; its errors are larger.")
