"""The settings that one learned graph depends on: data, score, search, constraints, ties and seed."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Annotated, Any

from bnengine._core.arrays import UInt8Array
from bnengine._core.random_generators import MAX_SEED
from bnengine._core.settings import Number, OneOf, Switch, Text, Whole, field, setting, to_plain
from bnengine.data.dataset import Dataset
from bnengine.experiment.recipe import Recipe
from bnengine.graphs.constraints import Constraints
from bnengine.scores.scores import BIC, SCORES, BDe, TableScore, WithPrior, edge_penalty, uniform_parent_sizes
from bnengine.search import SEARCHES, IteratedLocalSearch, LearnedGraph, Search, learn


@setting
class Learning:
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
        "replicate, or in the order of the columns.",
        kw_only=True,
    )

    @property
    def graph_key(self) -> str:
        """A digest of everything that the graph learned from the data depends on."""
        return digest(self.graph_settings())

    def graph_settings(self) -> dict[str, Any]:
        """Return the plain values of these settings; the content of a prior network's file is part of them."""
        plain = to_plain(self)
        values = {one.name: plain[one.name] for one in dataclasses.fields(Learning)}
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
        """The arguments that ``learn``, ``resample``, ``study`` and ``calibrate`` have in common, by their names."""
        graph = {"score": self.full_score, "search": self.search, "constraints": self.constraints}
        return {**graph, "rng": self.seed, "ties": self.ties}

    def learn(self, data: Dataset, stop: UInt8Array | None = None) -> LearnedGraph:
        """Learn a graph from the data; ``stop`` ends the search from another thread, see ``bn.learn``."""
        return learn(data, **self.arguments, stop=stop)

    def python_data(self) -> str:
        """Return Python lines that make ``data``."""
        return self.data.python()

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
        return self.python_data() + (
            f"graph = bn.learn(data, {self.python_score()}, bn.{self.search!r},\n"
            f"                 bn.{self.constraints!r}, rng={self.seed}{self.python_ties})\n"
            "print(graph.edges, graph.score)\n"
        )


def digest(plain: Any) -> str:
    """Return the SHA-256 of plain values."""
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
