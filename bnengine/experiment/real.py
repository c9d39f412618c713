"""The posterior that answers whether an edge is real: one default for every experiment, whatever its score."""

from __future__ import annotations

from concurrent.futures import Executor

from bnengine._core.parallel import Progress
from bnengine.data.dataset import Dataset
from bnengine.experiment.learning import Learning, digest
from bnengine.posterior import EdgePosterior, edge_posterior
from bnengine.scores.scores import FNML

#: Largest number of variables for which all orderings are summed in seconds.
MOST_VARIABLES = 20
_MAX_PARENTS = 4


def real_key(experiment: Learning) -> str:
    """A digest of everything that the posterior depends on: data, constraints and seed."""
    settings = experiment._graph_settings()
    return digest({name: settings[name] for name in ("data", "constraints", "seed")})


def real_refused(data: Dataset) -> str:
    """Why the posterior is not available for these data; empty if it is."""
    if data.n_variables <= MOST_VARIABLES:
        return ""
    return f"available for up to {MOST_VARIABLES} variables; these data have {data.n_variables}"


def real_seconds(data: Dataset) -> float:
    """Roughly how long the posterior takes."""
    return 10.0 * 2.0 ** (data.n_variables - 20)


def real_posterior(
    experiment: Learning, data: Dataset, executor: Executor | None = None, progress: Progress | None = None
) -> EdgePosterior:
    """Posterior probabilities of the edges under fNML with a prior uniform over parent-set sizes.

    It does not depend on the experiment's score and search, whose edges it judges, but on its constraints.
    """
    return edge_posterior(data, FNML(), max_parents(experiment), experiment.constraints)


def max_parents(experiment: Learning) -> int:
    """The limit on parents: four, or more if the constraints require more."""
    children = [child for _, child in experiment.constraints.required]
    return max([_MAX_PARENTS, *(children.count(child) for child in children)])


def python_real(experiment: Learning) -> str:
    """Python lines that compute the posterior of ``data``."""
    return (
        f"posterior = bn.edge_posterior(data, bn.FNML(), {max_parents(experiment)}, bn.{experiment.constraints!r})\n"
        "print(posterior.probability)  # [parent, child]: is the edge real?\n"
    )
