"""One description of a run: what the pages, the cache, the address and a generated script all read."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bnengine._core.parallel import Progress
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.methods import METHOD_KEYS, TABLE1_KEYS, methods
from bnengine.bootstrap.run_study import study
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.discretization.discretize import BY_SCORE
from bnengine.experiment.recipe import NO_DISCRETIZATION, DataRecipe
from bnengine.graphs.constraints import Constraints
from bnengine.networks.bif import read_bif, write_bif
from bnengine.networks.network import BayesianNetwork
from bnengine.scores.correction import LEADING_STRENGTH
from bnengine.scores.scores import BIC, SCORES, BDe, TableScore, WithPrior
from bnengine.search import SEARCHES, HillClimbing, LearnedGraph, Search, learn
from bnengine.search.column_order import check_ties, varies


@dataclass(frozen=True)
class Experiment:
    """Data, score, search, resampling methods, correction and seed of one run.

    Attributes
    ----------
    data : DataRecipe
    score, search, constraints
    edge_penalty : float
        Structure prior: nats charged for each edge.
    uniform_parent_sizes : bool
        Structure prior: the same mass for each size of a parent set.
    ties : {"drawn", "columns"}
        How a search chooses between moves that gain alike: in an order drawn from the columns' names and the seed, or
        in the order of the columns.
    methods : tuple of str
        Keys of the resampling methods, among ``METHOD_KEYS``.
    n : int
        Replicates of each method but the delete-1 jackknife.
    d : int or None
        Rows that delete-d leaves out; None for a tenth.
    strength : float
        Nats per parameter of the leading correction.
    seed : int

    Examples
    --------
    >>> experiment = Experiment(n=20, methods=("boot", "boot_bc"))
    >>> Experiment.from_dict(experiment.to_dict()) == experiment
    True
    """

    data: DataRecipe = field(default_factory=DataRecipe)
    score: TableScore = field(default_factory=BIC)
    search: Search = field(default_factory=HillClimbing)
    constraints: Constraints = field(default_factory=Constraints)
    methods: tuple[str, ...] = TABLE1_KEYS
    n: int = 200
    d: int | None = None
    strength: float = LEADING_STRENGTH
    seed: int = 0
    edge_penalty: float = 0.0
    uniform_parent_sizes: bool = False
    ties: str = "drawn"

    def to_dict(self) -> dict[str, Any]:
        """A dictionary of plain values, the same that ``from_dict`` takes."""
        return {
            "data": _plain(dataclasses.asdict(self.data)),
            "score": _tagged(self.score, SCORES),
            "edge_penalty": self.edge_penalty,
            "uniform_parent_sizes": self.uniform_parent_sizes,
            "ties": self.ties,
            "search": _tagged(self.search, SEARCHES),
            "constraints": _plain(dataclasses.asdict(self.constraints)),
            "methods": list(self.methods),
            "n": self.n,
            "d": self.d,
            "strength": self.strength,
            "seed": self.seed,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Experiment:
        """The experiment that ``to_dict`` described; a ValueError names what does not fit."""
        fields = cls.__dataclass_fields__
        unknown = [key for key in values if key not in fields]
        if unknown:
            raise ValueError(f"an experiment has no setting '{unknown[0]}'; it has {', '.join(fields)}")
        lacking = [key for key in ("data", "score", "search", "constraints", "methods") if key not in values]
        if lacking:
            raise ValueError(f"the experiment's '{lacking[0]}' is not given")
        rest = {
            key: values[key]
            for key in ("edge_penalty", "uniform_parent_sizes", "ties", "n", "d", "strength", "seed")
            if key in values
        }
        return cls(
            data=_built(DataRecipe, values["data"], "data"),
            score=_from_tagged(values["score"], SCORES, "score"),
            search=_from_tagged(values["search"], SEARCHES, "search"),
            constraints=_built(Constraints, values["constraints"], "constraints"),
            methods=tuple(values["methods"]),
            **rest,
        )

    def __post_init__(self) -> None:
        object.__setattr__(self, "methods", tuple(self.methods))
        for name in ("n", "seed"):  # numpy's whole numbers, too
            if isinstance(getattr(self, name), np.integer):
                object.__setattr__(self, name, int(getattr(self, name)))
        methods(keys=self.methods)  # a ValueError names one that there is not
        check_ties(self.ties)

    @property
    def methods_run(self) -> tuple[str, ...]:
        """The methods, and many runs on the given data where the search does not always end alike.

        Those are then what the resamples are compared with: one graph would leave the comparison to its draw.
        """
        keys = {*self.methods, *(["data"] if varies(self.search, self.ties) else [])}
        return tuple(key for key in METHOD_KEYS if key in keys)

    @property
    def key(self) -> str:
        """A digest of everything that the result depends on; the content of a prior network's file is part of it."""
        values = self.to_dict()
        prior = values["score"].get("prior_network")
        if isinstance(prior, str) and Path(prior).is_file():
            values["prior_file"] = hashlib.sha256(Path(prior).read_bytes()).hexdigest()
        return hashlib.sha256(json.dumps(_canonical(values), sort_keys=True).encode()).hexdigest()

    def method_key(self, method: str) -> str:
        """A digest of everything that one method's ensemble depends on."""
        strength = self.strength if method in ("boot_bc", "para_bc") else LEADING_STRENGTH
        d = self.d if method == "jack_d" else None
        n = 1 if method == "jack_1" else self.n
        if method == "boot_matched" and "data" in self.methods_run:
            method += " to runs "
        return method + dataclasses.replace(self, methods=(), strength=strength, d=d, n=n).key

    @property
    def graph_key(self) -> str:
        """A digest of everything that the data's own graph depends on."""
        return dataclasses.replace(self, methods=(), strength=LEADING_STRENGTH, d=None, n=1).key

    @property
    def full_score(self) -> TableScore:
        """The score with the structure prior, where there is one."""
        if not self.edge_penalty and not self.uniform_parent_sizes:
            return self.score
        return WithPrior(self.score, self.edge_penalty, self.uniform_parent_sizes)

    @property
    def with_files(self) -> Experiment:
        """The experiment with a prior network called by a file's name, as text can say it."""
        score = self.score
        if not isinstance(score, BDe) or isinstance(score.prior_network, str):
            return self
        return dataclasses.replace(self, score=BDe(f"{score.prior_network.title}.bif", score.ess))

    def learn(self, data: Dataset) -> LearnedGraph:
        """The data's own graph."""
        return learn(data, self.full_score, self.search, self.constraints, rng=self.seed, ties=self.ties)

    def run(
        self,
        data: Dataset | None = None,
        executor: Executor | None = None,
        progress: Progress | None = None,
        known: Mapping[str, Ensemble] | None = None,
    ) -> Study:
        """Learn the data's graph and run every method; ensembles in ``known`` are taken as they are."""
        if data is None:
            data = self.data.prepare(self.data.load())
        chosen = methods(self.n, self.d, self.methods_run)
        return study(
            data,
            self.full_score,
            self.search,
            chosen,
            self.constraints,
            self.seed,
            executor,
            progress,
            strength=self.strength,
            known=known,
            ties=self.ties,
        )

    def python_data(self) -> str:
        """Python lines that make ``data``."""
        recipe = self.data
        frame = {
            "sample": f"bn.load_sample({recipe.name!r})",
            "network": f"bn.load_network({recipe.name!r}).sample({recipe.n_rows}, rng={recipe.seed}).to_frame()",
            "file": f"bn.read_table({recipe.name!r})",
        }[recipe.source]
        lines = ["import bnengine as bn", "", f"frame = {frame}"]
        if recipe.columns:
            lines.append(f"frame = frame[{list(recipe.columns)!r}]")
        if recipe.per_column:
            lines += [
                f"recipe = bn.DataRecipe(discretization={recipe.discretization!r}, bins={recipe.bins},",
                f"                       per_column={recipe.per_column!r})",
                "frame = bn.discretize(frame, *recipe.treatment(frame))",
            ]
        elif recipe.discretization != NO_DISCRETIZATION:
            bins = "" if recipe.discretization == BY_SCORE else f", bins={recipe.bins}"
            lines.append(f"frame = bn.discretize(frame, method={recipe.discretization!r}{bins})")
        lines += [f"frame = bn.fill_missing(frame, {recipe.missing!r})", "data = bn.Dataset.from_frame(frame)"]
        return "\n".join(lines) + "\n"

    def python_score(self) -> str:
        """A Python expression for the score with its structure prior; a prior network is read from its file."""
        score = self.with_files.score
        if self.full_score is self.score:
            return f"bn.{score!r}"
        prior = f"edge_penalty={self.edge_penalty!r}, uniform_parent_sizes={self.uniform_parent_sizes!r}"
        return f"bn.WithPrior(bn.{score!r}, {prior})"

    @property
    def python_ties(self) -> str:
        """The argument that says how ties are broken, with a comma before it; empty where it is the default."""
        return "" if self.ties == "drawn" else f", ties={self.ties!r}"

    def python_learn(self) -> str:
        """Python lines that repeat the learning of the data's own graph."""
        return self.python_data() + (
            f"graph = bn.learn(data, {self.python_score()}, bn.{self.search!r},\n"
            f"                 bn.{self.constraints!r}, rng={self.seed}{self.python_ties})\n"
            "print(graph.edges, graph.score)\n"
        )

    def python(self, kind: str = "directed") -> str:
        """Python lines that repeat the run and print Table 1 and the edges; ``kind`` is what counts as one."""
        edges = "study.edge_table()" if kind == "directed" else f"study.edge_table({kind!r})"
        return self.python_data() + (
            f"methods = bn.methods(n={self.n}, d={self.d}, keys={self.methods_run!r})\n"
            f"study = bn.study(data, {self.python_score()}, bn.{self.search!r}, methods,\n"
            f"                 bn.{self.constraints!r}, rng={self.seed},\n"
            f"                 strength={self.strength!r}{self.python_ties})\n"
            "print(study.table1())\n"
            f"print({edges})\n"
        )


def _plain(value: Any) -> Any:
    """Tuples as lists, all the way down, as JSON would have them."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _tuples(value: Any) -> Any:
    """Lists as tuples, all the way down: the inverse of ``_plain``."""
    if isinstance(value, Mapping):
        return {key: _tuples(item) for key, item in value.items()}
    return tuple(_tuples(item) for item in value) if isinstance(value, (list, tuple)) else value


def _tagged(settings: Any, kinds: Mapping[str, type]) -> dict[str, Any]:
    """A score's or search's fields, with the word that names its kind."""
    word = next((word for word, kind in kinds.items() if type(settings) is kind), None)
    if word is None:
        raise ValueError(f"{settings!r} is none of the kinds {', '.join(kinds)}")
    values = {name: getattr(settings, name) for name in settings.__dataclass_fields__}
    return {"kind": word, **{name: _plain(_written(value)) for name, value in values.items()}}


def _written(value: Any) -> Any:
    """A network as text, whose reading gives it back; anything else as it is."""
    if not isinstance(value, BayesianNetwork):
        return value
    buffer = io.BytesIO()
    write_bif(value, buffer)
    return {"title": value.title, "bif": buffer.getvalue().decode()}


def _built(kind: type, values: Mapping[str, Any], what: str) -> Any:
    """An object of the kind; a ValueError names a field that it does not have, or lacks."""
    fields = kind.__dataclass_fields__  # type: ignore[attr-defined]
    unknown = [name for name in values if name not in fields]
    if unknown:
        raise ValueError(f"{what} has no setting '{unknown[0]}'; it has {', '.join(fields)}")
    try:
        return kind(**_tuples(values))
    except TypeError as error:
        raise ValueError(f"{what}: {error}") from None


def _canonical(value: Any) -> Any:
    """Whole numbers as integers, all the way down: equal settings, equal digest."""
    if isinstance(value, dict):
        return {key: _canonical(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_canonical(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _from_tagged(values: Mapping[str, Any], kinds: Mapping[str, type], what: str) -> Any:
    fields = dict(values)
    word = fields.pop("kind", None)
    if word not in kinds:
        raise ValueError(f"{what} must be one of {', '.join(kinds)}; got {word!r}")
    for name, value in fields.items():
        if isinstance(value, Mapping) and set(value) == {"title", "bif"}:
            fields[name] = read_bif(io.BytesIO(str(value["bif"]).encode()), title=str(value["title"]))
    return _built(kinds[word], fields, what)
