"""The posterior that answers whether an edge is real: one default for every experiment, whatever its score."""

from __future__ import annotations

import dataclasses
from concurrent.futures import Executor

from bnengine._core.parallel import Progress
from bnengine.data.dataset import Dataset
from bnengine.experiment.learning import Learning, digest
from bnengine.graphs.constraints import Constraints
from bnengine.posterior import SampledPosterior, sample_posterior
from bnengine.posterior.edge_posterior import exact_seconds
from bnengine.posterior.sample_posterior import DEFAULT_MEMORY, default_steps, is_affordable

_MAX_PARENTS = 4
_CHAINS = 4
_EXACT_WITHIN = 60.0  # seconds: 24 variables
# measured on one core of a usual machine; ``real_seconds`` is a guess for a question, not a promise
_SECONDS_PER_MOVE = 0.7e-6
_WITH_GRAPHS = 1.7  # of the sums: families are scored before, and graphs drawn after them
_FAMILIES_PER_CHILD = 3_000  # scored for the tables of parent sets
_SECONDS_PER_ROW = 2e-9  # of a family's distinct rows


def real_key(experiment: Learning) -> str:
    """Return a digest of everything that the posterior depends on: data, constraints and seed."""
    settings = experiment.graph_settings()
    return digest({name: settings[name] for name in ("data", "constraints", "seed")})


def is_exact(experiment: Learning, data: Dataset) -> bool:
    """Return whether the posterior is summed exactly, which up to 24 variables is affordable.

    Otherwise it is sampled.
    """
    limit, given = max_parents(experiment), experiment.constraints
    return is_affordable(data.n_variables, limit, given, _EXACT_WITHIN, DEFAULT_MEMORY)


def real_seconds(experiment: Learning, data: Dataset) -> float:
    """Estimate how long the posterior takes on one core, seconds."""
    if is_exact(experiment, data):
        return _WITH_GRAPHS * exact_seconds(data.n_variables, max_parents(experiment))
    moves = _CHAINS * default_steps(data.n_variables) * _SECONDS_PER_MOVE
    rows = int(data.multiplicities.size)
    return moves + _FAMILIES_PER_CHILD * data.n_variables * rows * _SECONDS_PER_ROW


def real_posterior(
    experiment: Learning, data: Dataset, executor: Executor | None = None, progress: Progress | None = None
) -> SampledPosterior:
    """Compute the posterior probabilities of edges by the engine's default score and prior, with draws of graphs.

    They do not depend on the experiment's score and search, whose edges they judge, but on its constraints.
    """
    return sample_posterior(
        data,
        max_parents=max_parents(experiment),
        constraints=real_constraints(experiment, data),
        exact_within=_EXACT_WITHIN,
        rng=experiment.seed,
        executor=executor,
        progress=progress,
    )


def real_constraints(experiment: Learning, data: Dataset) -> Constraints:
    """Return the experiment's constraints; in addition, a constant column has no edges unless they are required.

    Such a column carries no information, so that the posterior of its edges would be their prior.
    """
    given = experiment.constraints
    constant = [name for name, arity in zip(data.names, data.arities, strict=True) if arity == 1]
    if not constant:
        return given
    pairs = [pair for one in constant for other in data.names for pair in ((one, other), (other, one)) if one != other]
    kept = {*given.required, *given.forbidden}
    forbidden = (*given.forbidden, *dict.fromkeys(pair for pair in pairs if pair not in kept))
    return dataclasses.replace(given, forbidden=forbidden)


def max_parents(experiment: Learning) -> int:
    """Return the limit on parents: four, or more if the constraints require more."""
    children = [child for _, child in experiment.constraints.required]
    return max([_MAX_PARENTS, *(children.count(child) for child in children)])


def python_real(experiment: Learning, data: Dataset) -> str:
    """Return Python lines that compute the posterior of ``data``."""
    return (
        f"posterior = bn.sample_posterior(data, max_parents={max_parents(experiment)}, "
        f"constraints=bn.{real_constraints(experiment, data)!r}, "
        f"exact_within={_EXACT_WITHIN:g}, rng={experiment.seed})\n"
        "print(posterior.probability, posterior.error)  # is it real? [parent, child]\n"
    )
