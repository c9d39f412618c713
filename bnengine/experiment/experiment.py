"""Settings of a whole run, as pages, files, links, commands and scripts read them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import KW_ONLY
from typing import Any

from bnengine._core.digests import digest
from bnengine._core.environment import pd
from bnengine._core.parallel import Progress
from bnengine._core.settings import Name, Names, Number, SettingError, Switch, Text, Whole, field, setting, to_plain
from bnengine._core.validation import accepts, one_of, validated
from bnengine.answers.noise import noise_check
from bnengine.bootstrap import resamplers
from bnengine.bootstrap import resampling_methods as registry
from bnengine.bootstrap.calibration import fresh_tables, tables_compared
from bnengine.bootstrap.ensemble import EDGE_KINDS, Ensemble
from bnengine.bootstrap.permutation_threshold import NoiseCheck, PermutationThreshold, permutation_threshold
from bnengine.bootstrap.resample import ResampleTask, applied_correction
from bnengine.bootstrap.study import Study, study_steps
from bnengine.data.dataset import Dataset
from bnengine.experiment.cut_anew import cut_anew, takes_rows
from bnengine.experiment.learning import LearningSettings, real_arguments
from bnengine.experiment.recipe_settings import MOST_ROWS
from bnengine.experiment.saved import VERSION, from_json, from_link, to_link, up_to_date
from bnengine.networks.bundled import network_names
from bnengine.scores.scores import LEADING_STRENGTH, strength
from bnengine.search.learning import is_random

#: Rules for the threshold of the averaged network.
RULES = {
    "mean": "as many edges as the graphs have on average",
    "l1": "nearest to a clear yes or no (Scutari & Nagarajan 2013)",
    "convention": "0.85, as in studies of questionnaires (Briganti, Scutari & McNally 2023)",
    "permutation": "few edges if all variables were independent (Broom, Do & Subramanian 2012)",
}
_TITLES = {key: registry.RESAMPLING_METHODS[key].row for key in registry.ALL_KEYS}
_REQUIRED = ("data", "score", "search", "constraints", "methods")  # an empty file is no default experiment
_STUDY_FIELDS = ("methods", "n", "d", "size", "strength", "recut")


#: Truths that are not bundled networks: one fitted to the data, one that the user brings in a file.
FITTED, FROM_FILE = "fitted", "file"

#: Key of the posterior, which answers whether an edge is real.
POSTERIOR = "posterior"
#: What a calibration compares by default.
COMPARED = (*registry.CALIBRATED_KEYS, "predictive", POSTERIOR)


@setting
class CalibrationSettings:
    """What a calibration draws from which network, and which methods it compares."""

    truth: Text | None = field(
        default=None,
        choices=(FITTED, FROM_FILE, *network_names()),
        none="the network that the data were drawn from, or else one fitted to them",
        label="The true network",
        help="Name of a bundled network; fitted for one fitted to the data; file for one from a file.",
    )
    n_rows: Whole | None = field(
        default=None,
        ge=1,
        le=MOST_ROWS,
        none="as many as the data have",
        label="Rows of a table",
        unit="rows",
        help="Rows of each table drawn from the network.",
    )
    methods: Names = field(
        default=COMPARED,
        choices=[key for key, entry in registry.RESAMPLING_METHODS.items() if entry.question != registry.OF_THE_SEARCH],
        label="Methods",
        help="The methods that are compared, in addition to the graph learned from each table.",
    )
    n_tables: Whole = tables_compared(6)
    n_fresh: Whole = fresh_tables()
    n: Whole = resamplers.replicates_of(100)


@setting
class PredictionSettings:
    """Which variable is predicted, and how the predictions are tested."""

    target: Name | None = field(
        default=None, none="the last column", label="Target", help="The variable that is predicted from the others."
    )
    testing: Text = field(
        default="folds",
        choices={"folds": "Cross-validation", "holdout": "One split"},
        label="Tested by",
        help="Test on each fold in turn, or once on rows drawn at random.",
    )
    folds: Whole = field(default=10, ge=2, le=1_000, label="Folds", unit="folds", help="Folds of cross-validation.")
    test_share: Number = field(
        default=0.3, gt=0, lt=1, label="Share of rows to test on", help="Share of the rows that one split tests on."
    )
    ess: Number = field(
        default=1.0,
        ge=1e-6,
        le=1e6,
        label="Prior counts of the tables",
        unit="rows",
        help="Prior counts spread evenly over each table of probabilities. Without any, a state that the training rows "
        "do not show would have probability 0 and make the log loss infinite.",
    )
    network: Text = field(
        default="one",
        choices={"one": "This network", "averaged": "Averaged over networks"},
        label="Predicted by",
        help="The learned network; or all networks that the data leave possible, each by its posterior probability.",
    )

    @property
    def python(self) -> str:
        """A Python expression for the splits of ``data``, up to the seed."""
        if self.testing == "folds":
            return f"bn.prediction.k_folds(data.n_rows, min({self.folds}, data.n_units), units=data.units"
        return f"bn.prediction.holdout(data.n_rows, {self.test_share}, units=data.units"


@setting
class Experiment(LearningSettings):
    """Everything that a study of one data set depends on, and how its edges are shown, calibrated and tested.

    Examples
    --------
    >>> experiment = Experiment(n=20, methods=("bootstrap", "bootstrap_corrected"))
    >>> Experiment.from_dict(experiment.to_dict()) == experiment
    True
    """

    methods: Names = field(
        default=registry.DEFAULT_KEYS, choices=_TITLES, label="Methods", help="Keys of the resampling methods."
    )
    n: Whole = resamplers.replicates_of()
    d: Whole | None = resamplers.rows_left_out()
    strength: Number = strength()
    _: KW_ONLY
    size: Whole | None = resamplers.rows_drawn()
    recut: Switch = field(
        default=False,
        label="Learn the cuts in every replicate",
        help="Cuts the numbers of each resample at points of its own, by the method that cut the data and into as many "
        "states. It asks whether an edge would be found again in a fresh table, cut anew; with fixed cut points, "
        "whether it would between these. Methods that draw states, which were no numbers, are left out.",
    )
    kind: Text = field(
        default="adjacency",
        choices=dict(zip(EDGE_KINDS, ("Directed edges", "Adjacencies", "Compelled edges"), strict=True)),
        label="What counts as an edge",
        help="A directed edge as the search found it, a pair joined either way, or an edge whose direction all graphs "
        "of the equivalence class share.",
    )
    averaged: Text | None = field(
        default=None,
        choices=_TITLES,
        none="the predictive bootstrap if it is run, else the first method",
        label="Averaged over",
        help="The method whose confidences make the averaged network.",
    )
    rule: Text = field(
        default="mean",
        choices=RULES,
        label="Suggested threshold",
        help="; ".join(f"{word}: {about}" for word, about in RULES.items()) + ".",
    )
    threshold: Number | None = field(
        default=None,
        ge=0,
        le=1,
        none="by the rule",
        label="Threshold of the strength",
        help="The smallest strength of an edge in the averaged network.",
    )
    shuffles: Whole = field(
        default=20,
        ge=1,
        le=10_000,
        label="Shuffled data sets",
        unit="data sets",
        help="For the rule permutation: shuffled data sets, each as much work as the method itself.",
    )
    max_false: Number = field(
        default=1.0,
        ge=0,
        le=1e6,
        label="False edges allowed",
        unit="edges",
        help="For the rule permutation: the largest number of edges expected if all variables were independent.",
    )
    calibration: CalibrationSettings = field(
        default_factory=CalibrationSettings, label="Calibration", help="The settings of a calibration."
    )
    prediction: PredictionSettings = field(
        default_factory=PredictionSettings, label="Prediction", help="The settings of a prediction."
    )

    def to_dict(self) -> dict[str, Any]:
        """Return a dictionary of plain values with the version of the format; ``from_dict`` takes it."""
        return {"version": VERSION} | to_plain(self)

    @classmethod
    @validated
    def from_dict(cls, values: Mapping[str, Any]) -> Experiment:
        """Return the experiment that a dictionary describes, of this version of the format or an older one.

        Raises
        ------
        ValueError
            If a setting is unknown, missing or not accepted; the message names it.
        """
        plain, _ = up_to_date(values)
        missing = [name for name in _REQUIRED if name not in plain]
        if missing and set(plain) <= set(cls.__dataclass_fields__):
            raise SettingError(f"{missing[0]} must be given in a saved experiment")
        return cls(**plain)

    def to_json(self) -> str:
        """Return the settings as JSON, to be saved in a file; ``from_json`` reads it."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    @classmethod
    @validated
    def from_json(cls, content: bytes | str) -> Experiment:
        """Return the experiment in a file that ``to_json`` or the command line wrote; a ValueError if there is none."""
        return cls.from_dict(from_json(content))

    def to_link(self) -> str:
        """Return the settings in letters that a URL may hold; ``from_link`` reads them."""
        return to_link(self.to_dict())

    @classmethod
    @validated
    def from_link(cls, text: str) -> Experiment:
        """Return the experiment that ``to_link`` wrote; a ValueError if there is none."""
        return cls.from_dict(from_link(text))

    @property
    def methods_run(self) -> tuple[str, ...]:
        """The methods, and many runs on the given data where the search does not always end alike.

        The resamples are then compared with those runs, since a single graph would depend on one draw. With ``recut``,
        only methods whose replicates are rows of the table.
        """
        keys = {*self.methods, *(["data"] if is_random(self.search, self.ties) else [])}
        return tuple(key for key in registry.ALL_KEYS if key in keys and (takes_rows(key) or not self.recut))

    @property
    def truth(self) -> str:
        """The true network of a calibration: a bundled one by its name, one fitted to the data, or that of a file."""
        return self.calibration.truth or self.data.network or FITTED

    @property
    def key(self) -> str:
        """A digest of the settings that the study depends on; see ``graph_key``."""
        plain = to_plain(self)
        return digest(self.graph_settings() | {name: plain[name] for name in _STUDY_FIELDS})

    @validated
    def method_key(self, method: str) -> str:
        """Return a digest of the settings that one method's ensemble depends on; see ``graph_key``."""
        entry = registry.RESAMPLING_METHODS[one_of(method, "method", registry.ALL_KEYS)]
        without: dict[str, Any] = {"n": 1, "d": None, "size": None, "strength": LEADING_STRENGTH}
        unused = {name: value for name, value in without.items() if name not in entry.settings}
        if entry.correction == "matched" and "data" in self.methods_run:
            method += " to runs "
        return method + dataclasses.replace(self, methods=(), **unused).key

    @property
    def calibration_key(self) -> str:
        """A digest of the settings that a calibration depends on; see ``graph_key``."""
        graph = self.graph_settings()
        return digest([{**graph, "data": None}, self.kind, self.d, to_plain(self.calibration)])

    @validated
    def permutation_threshold(
        self,
        data: Dataset,
        key: str,
        found: Ensemble,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> PermutationThreshold:
        """Return the threshold of a method's strengths by the rule ``permutation``.

        Parameters
        ----------
        data : Dataset
        key : str
            The method's key.
        found : Ensemble
            The method's; a matched correction is applied at the strength that it records.
        executor, progress
            As of ``bn.resample``.

        Returns
        -------
        PermutationThreshold
        """
        (method,) = registry.resampling_methods(self.n, self.d, (key,), self.size)
        correction, strength = applied_correction(found.correction, found.strength)
        return permutation_threshold(
            self._task(data, method.resampler, correction, strength),
            n_permutations=self.shuffles,
            max_false=self.max_false,
            kind="compelled" if self.kind == "compelled" else "adjacency",
            rng=self.seed,
            executor=executor,
            progress=progress,
        )

    @validated
    @accepts(missing=True, numbers=True)
    def noise_check(
        self, data: Dataset, executor: Executor | None = None, progress: Progress | None = None
    ) -> NoiseCheck:
        """Return how many edges copies of the data show that can have none; see ``bn.answers.noise_check``."""
        how: dict[str, Any] = {"ties": self.ties, "executor": executor, "progress": progress}
        return noise_check(data, self.full_score, self.search, **real_arguments(self, data), **how)

    @validated
    @accepts(interventions=True, missing=True, numbers=True)
    def run(
        self,
        data: Dataset | None = None,
        executor: Executor | None = None,
        progress: Progress | None = None,
        known: Mapping[str, Ensemble] | None = None,
        seen: Callable[[Study], object] | None = None,
        frame: pd.DataFrame | None = None,
    ) -> Study:
        """Learn the graph of the data and run every method.

        Parameters
        ----------
        data : Dataset, optional
            The experiment's data, where they are at hand; loaded otherwise.
        executor, progress
            As of ``resample``; ``progress`` counts the replicates of all methods.
        known : mapping from str to Ensemble, optional
            Ensembles by their methods' keys, as for ``study``.
        seen : callable, optional
            Called with what is known so far: after a quarter of the first method's replicates, but at most 20, then
            after each method.
        frame : DataFrame, optional
            The raw table, whose numbers are cut anew with ``recut``; loaded otherwise.

        Returns
        -------
        Study

        Raises
        ------
        DataError
            If the data cannot be loaded or treated as the recipe says.

        Examples
        --------
        >>> from bnengine.experiment.recipe import Recipe
        >>> recipe = Recipe("network", "cancer", n_rows=200, seed=1)
        >>> study = Experiment(recipe, n=5, methods=("bootstrap_corrected",)).run()
        >>> list(study.ensembles)
        ['data', 'bootstrap_corrected']
        """
        methods = registry.resampling_methods(self.n, self.d, self.methods_run, self.size)
        if self.recut:
            methods = cut_anew(methods, self.data, self.data.load() if frame is None else frame)
        task = self._task(self.load() if data is None else data, resamplers.RepeatedSearch(), "none", self.strength)
        for found in study_steps(task, methods, known or {}, self.seed, executor, progress, seen is not None):
            if seen is not None:
                seen(found)
        return found

    def _task(self, data: Dataset, resampler: resamplers.Resampler, correction: str, strength: float) -> ResampleTask:
        learning = (data, self.full_score, self.search, resampler, correction, self.constraints)
        return ResampleTask(*learning, strength, self.ties)

    @validated
    def python(self) -> str:
        """Return Python lines that repeat the run and print Table 1 and the edges."""
        size = "" if self.size is None else f", size={self.size}"
        edges = "study.edge_table()" if self.kind == "directed" else f"study.edge_table({self.kind!r})"
        return self.data.python() + (
            f"methods = bn.resampling_methods(n={self.n}, d={self.d}, keys={self.methods_run!r}{size})\n"
            f"{'methods = bn.settings.cut_anew(methods, recipe, frame)' + chr(10) if self.recut else ''}"
            f"study = bn.study(data, {self.python_score()}, bn.{self.search!r}, methods,\n"
            f"                 constraints=bn.{self.constraints!r}, rng={self.seed},\n"
            f"                 strength={self.strength!r}{self.python_ties})\n"
            "print(study.table1())\n"
            f"print({edges})\n"
        )


def shown_method(experiment: Experiment, keys: Sequence[str]) -> str:
    """Return the method among these whose confidences make the averaged network."""
    return str(experiment.averaged) if experiment.averaged in keys else registry.default_method(keys)
