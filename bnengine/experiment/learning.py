"""What one learned graph depends on, and the posterior that says whether an edge is real."""

from __future__ import annotations

import dataclasses
import hashlib
from concurrent.futures import Executor
from pathlib import Path
from typing import Annotated, Any

from bnengine._core.arrays import UInt8Array
from bnengine._core.digests import digest
from bnengine._core.parallel import Progress
from bnengine._core.random_generators import MAX_SEED
from bnengine._core.settings import Number, OneOf, Switch, Text, Whole, field, setting, to_plain
from bnengine.data.dataset import Dataset
from bnengine.experiment.recipe import Recipe
from bnengine.graphs.constraints import Constraints
from bnengine.posterior import EdgePosterior, edge_posterior
from bnengine.posterior.edge_posterior import real_refused
from bnengine.scores.scores import BIC, SCORES, BDe, TableScore, WithPrior, edge_penalty, uniform_parent_sizes
from bnengine.search import SEARCHES, IteratedLocalSearch, LearnedGraph, Search, learn


@setting
class LearningSettings:
    """Data, score, search and constraints, the structure prior, ties and the seed."""

    data: Recipe = field(default_factory=Recipe, label="Data", help="The source of the data and their treatment.")
    score: Annotated[TableScore, OneOf(SCORES)] = field(
        default_factory=BIC, label="Score", help="The score that is maximized."
    )
    search: Annotated[Search, OneOf(SEARCHES)] = field(
        default_factory=IteratedLocalSearch, label="Search", help="The search for a graph of high score."
    )
    constraints: Constraints = field(
        default_factory=Constraints, label="Constraints", help="Background knowledge about the graph."
    )
    seed: Whole = field(default=0, ge=0, le=MAX_SEED, label="Seed", help="Seed of everything random.", kw_only=True)
    edge_penalty: Number = edge_penalty(kw_only=True)
    uniform_parent_sizes: Switch = uniform_parent_sizes(kw_only=True)
    ties: Text = field(
        default="drawn",
        choices={"drawn": "In an order drawn with the seed", "columns": "In the order of the columns"},
        label="Ties",
        help="How to choose between moves of equal gain: in an order of the columns drawn with the seed, one per "
        "replicate, or in the order of the columns. Calibrations and the rows needed always draw it.",
        kw_only=True,
    )

    @property
    def graph_key(self) -> str:
        """A digest of the settings that a graph depends on; it depends on the ``Dataset``, too, which has its own."""
        return digest(self.graph_settings())

    def graph_settings(self) -> dict[str, Any]:
        """Return the plain values of these settings; the content of a prior network's file is part of them."""
        plain = to_plain(self)
        values = {one.name: plain[one.name] for one in dataclasses.fields(LearningSettings)}
        prior = getattr(self.score, "prior_network", None)
        if isinstance(prior, str) and Path(prior).is_file():
            values["prior_file"] = hashlib.sha256(Path(prior).read_bytes()).hexdigest()
        return values

    @property
    def full_score(self) -> TableScore:
        """The score with the structure prior, where there is one."""
        if not self.edge_penalty and not self.uniform_parent_sizes:
            return self.score
        return WithPrior(self.score, self.edge_penalty, self.uniform_parent_sizes)

    @property
    def prior_named(self) -> TableScore:
        """The score with a prior network called by a file's name, as text can hold it."""
        score = self.score
        if not isinstance(score, BDe) or isinstance(score.prior_network, str):
            return score
        return BDe(f"{score.prior_network.title}.bif", score.ess)

    def load(self) -> Dataset:
        """Load the data and treat them as the recipe says."""
        return self.data.prepare(self.data.load())

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments that ``learn``, ``study``, ``calibrate`` and ``rows_needed`` have in common, by their names."""
        return {"score": self.full_score, "search": self.search, "constraints": self.constraints, "rng": self.seed}

    def learn(self, data: Dataset, stop: UInt8Array | None = None) -> LearnedGraph:
        """Learn a graph from the data; ``stop`` ends the search from another thread, see ``bn.learn``."""
        return learn(data, **self.arguments, ties=self.ties, stop=stop)

    def python_score(self) -> str:
        """Return a Python expression for the score with its structure prior; a prior network is read from its file."""
        score = f"bn.{self.prior_named!r}"
        if self.full_score is self.score:
            return score
        prior = f"edge_penalty={self.edge_penalty!r}, uniform_parent_sizes={self.uniform_parent_sizes!r}"
        return f"bn.WithPrior({score}, {prior})"

    @property
    def python_ties(self) -> str:
        """The argument for the ties, after a comma; empty for the default."""
        return "" if self.ties == "drawn" else f", ties={self.ties!r}"

    def python_learn(self) -> str:
        """Return Python lines that learn the graph of the data."""
        return self.data.python() + (
            f"graph = bn.learn(data, {self.python_score()}, bn.{self.search!r},\n"
            f"                 constraints=bn.{self.constraints!r}, rng={self.seed}{self.python_ties})\n"
            "print(graph.edges, graph.score)\n"
        )


# How probably an edge is real: one number for every experiment, whatever its score.

_MAX_PARENTS = 4


def real_key(experiment: LearningSettings) -> str:
    """Return a digest of the settings that the posterior depends on beside the data set: constraints and seed."""
    settings = experiment.graph_settings()
    return digest({name: settings[name] for name in ("data", "constraints", "seed")})


def real_posterior(
    experiment: LearningSettings, data: Dataset, executor: Executor | None = None, progress: Progress | None = None
) -> EdgePosterior:
    """Compute how probably each edge is real, with draws of graphs.

    That does not depend on the experiment's score and search, whose edges it judges, but on its constraints.
    """
    return edge_posterior(data, **real_arguments(experiment, data), executor=executor, progress=progress)


def real_arguments(experiment: LearningSettings, data: Dataset) -> dict[str, Any]:
    """Return the arguments that everything about *real* has in common, by their names."""
    limits = {"max_parents": max_parents(experiment), "constraints": real_constraints(experiment, data)}
    return limits | {"rng": experiment.seed}


def no_real(experiment: LearningSettings, data: Dataset) -> str:
    """Say why ``real_posterior`` cannot be had; empty if it can be."""
    return real_refused(data, max_parents(experiment), real_constraints(experiment, data))


def real_constraints(experiment: LearningSettings, data: Dataset) -> Constraints:
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


def max_parents(experiment: LearningSettings) -> int:
    """Return the limit on parents: four, or more if the constraints require more."""
    children = [child for _, child in experiment.constraints.required]
    return max([_MAX_PARENTS, *(children.count(child) for child in children)])


def python_real(experiment: LearningSettings, data: Dataset, noise: bool = False, other: bool = False) -> str:
    """Return Python lines that compute the posterior of ``data``, check copies for ``noise``, and prepare numbers."""
    most, limits, seed = real_arguments(experiment, data).values()
    given = f"max_parents={most}, constraints=bn.{limits!r}, rng={seed}"
    lines = f"posterior = bn.edge_posterior(data, {given})  # is it real?\n"
    learned = f"{experiment.python_score()}, bn.{experiment.search!r}, {given}{experiment.python_ties}"
    lines += f"noise = bn.answers.noise_check(data, {learned})\n" if noise else ""
    return f"{lines}preparations = bn.answers.other_preparations(data, posterior, {given})\n" if other else lines
