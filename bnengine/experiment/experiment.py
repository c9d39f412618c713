"""One description of a run: what the pages, the cache, a link, a file, the command line and a script all read."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import KW_ONLY
from typing import Any

from bnengine._core.parallel import Progress
from bnengine._core.settings import Names, Number, SettingError, Text, Whole, field, setting, to_plain
from bnengine._core.validation import validated
from bnengine.bootstrap.edge_kinds import KINDS
from bnengine.bootstrap.ensemble import Ensemble
from bnengine.bootstrap.methods import ALL_KEYS, DEFAULT_KEYS, methods
from bnengine.bootstrap.permutation_threshold import PermutationThreshold, permutation_threshold
from bnengine.bootstrap.resamplers import replicates_of, rows_drawn, rows_left_out
from bnengine.bootstrap.run_study import study
from bnengine.bootstrap.strength_matching import applied_correction
from bnengine.bootstrap.study import Study
from bnengine.data.dataset import Dataset
from bnengine.experiment import saved
from bnengine.experiment.calibration_settings import CalibrationSettings
from bnengine.experiment.learning import Learning, digest
from bnengine.experiment.prediction_settings import PredictionSettings
from bnengine.scores.correction import LEADING_STRENGTH, strength
from bnengine.search.column_order import varies

#: Rules for the threshold of the averaged network.
RULES = {
    "mean": "as many edges as the graphs have on average",
    "l1": "nearest to a clear yes or no (Scutari & Nagarajan 2013)",
    "permutation": "few edges if all variables were independent (Broom, Do & Subramanian 2012)",
}
_TITLES = {method.key: method.title for method in methods(keys=ALL_KEYS)}
_REQUIRED = ("data", "score", "search", "constraints", "methods")  # an empty file is no default experiment
_STUDY_FIELDS = ("methods", "n", "d", "size", "strength")


@setting
class Experiment(Learning):
    """Everything that a study of one data set depends on, and how its edges are shown, calibrated and tested.

    Examples
    --------
    >>> experiment = Experiment(n=20, methods=("boot", "boot_bc"))
    >>> Experiment.from_dict(experiment.to_dict()) == experiment
    True
    """

    methods: Names = field(
        default=DEFAULT_KEYS,
        choices=_TITLES,
        label="Methods",
        help="Keys of the resampling methods.",
    )
    n: Whole = replicates_of()
    d: Whole | None = rows_left_out()
    strength: Number = strength()
    _: KW_ONLY
    size: Whole | None = rows_drawn()
    kind: Text = field(
        default="directed",
        choices=dict(zip(KINDS, ("Directed edges", "Adjacencies", "Compelled edges"), strict=True)),
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
        """A dictionary of plain values with the version of the format; ``from_dict`` takes it."""
        return {"version": saved.VERSION} | to_plain(self)

    @classmethod
    @validated
    def from_dict(cls, values: Mapping[str, Any]) -> Experiment:
        """The experiment that a dictionary describes, of this version of the format or an older one.

        Raises
        ------
        ValueError
            If a setting is unknown, missing or not accepted; the message names it.
        """
        plain = saved.up_to_date(values)
        missing = [name for name in _REQUIRED if name not in plain]
        if missing and set(plain) <= set(cls.__dataclass_fields__):
            raise SettingError((missing[0],), "must be given in a saved experiment")
        return cls(**plain)

    def to_json(self) -> str:
        """The settings as JSON, to be saved in a file; ``from_json`` reads it."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    @classmethod
    @validated
    def from_json(cls, content: bytes | str) -> Experiment:
        """The experiment in a file that ``to_json`` or the command line wrote; a ValueError if there is none."""
        return cls.from_dict(saved.from_json(content))

    def to_link(self) -> str:
        """The settings in letters that a URL may hold; ``from_link`` reads them."""
        return saved.to_link(self.to_dict())

    @classmethod
    @validated
    def from_link(cls, text: str) -> Experiment:
        """The experiment that ``to_link`` wrote; a ValueError if there is none."""
        return cls.from_dict(saved.from_link(text))

    @property
    def methods_run(self) -> tuple[str, ...]:
        """The methods, and many runs on the given data where the search does not always end alike.

        The resamples are then compared with those runs, since a single graph would depend on one draw.
        """
        keys = {*self.methods, *(["data"] if varies(self.search, self.ties) else [])}
        return tuple(key for key in ALL_KEYS if key in keys)

    @property
    def key(self) -> str:
        """A digest of everything that the study depends on."""
        plain = to_plain(self)
        return digest(self.graph_settings() | {name: plain[name] for name in _STUDY_FIELDS})

    @validated
    def method_key(self, method: str) -> str:
        """A digest of everything that one method's ensemble depends on."""
        strength = self.strength if method in ("boot_bc", "para_bc") else LEADING_STRENGTH
        d = self.d if method == "jack_d" else None
        n = 1 if method == "jack_1" else self.n
        size = self.size if method in ("boot", "boot_bc") else None
        if method == "boot_matched" and "data" in self.methods_run:
            method += " to runs "
        return method + dataclasses.replace(self, methods=(), strength=strength, d=d, n=n, size=size).key

    @property
    def calibration_key(self) -> str:
        """A digest of everything that a calibration depends on but the network."""
        graph = self.graph_settings()
        return digest([{**graph, "data": None}, self.kind, self.d, to_plain(self.calibration)])

    @property
    def prediction_key(self) -> str:
        """A digest of everything that a test of predictions depends on."""
        return digest([self.graph_settings(), to_plain(self.prediction)])

    @validated
    def permutation_threshold(
        self,
        data: Dataset,
        key: str,
        found: Ensemble,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> PermutationThreshold:
        """The threshold of a method's strengths by the rule ``permutation``.

        ``found`` is the method's ensemble: a matched correction is applied at the strength that it records.
        """
        (method,) = methods(self.n, self.d, (key,), self.size)
        correction, strength = applied_correction(found.correction, found.strength)
        return permutation_threshold(
            data,
            resampler=method.resampler,
            correction=correction,
            strength=strength,
            n_permutations=self.shuffles,
            max_false=self.max_false,
            kind="compelled" if self.kind == "compelled" else "adjacency",
            executor=executor,
            progress=progress,
            **self.arguments,
        )

    @validated
    def run(
        self,
        data: Dataset | None = None,
        executor: Executor | None = None,
        progress: Progress | None = None,
        known: Mapping[str, Ensemble] | None = None,
    ) -> Study:
        """Learn the graph of the data and run every method; ensembles in ``known`` are taken as they are."""
        return study(
            self.load() if data is None else data,
            methods=methods(self.n, self.d, self.methods_run, self.size),
            strength=self.strength,
            executor=executor,
            progress=progress,
            known=known,
            **self.arguments,
        )

    @validated
    def python(self, kind: str | None = None) -> str:
        """Python lines that repeat the run and print Table 1 and the edges; ``kind`` replaces what counts as one."""
        kind = kind or self.kind
        size = "" if self.size is None else f", size={self.size}"
        edges = "study.edge_table()" if kind == "directed" else f"study.edge_table({kind!r})"
        return self.python_data() + (
            f"methods = bn.methods(n={self.n}, d={self.d}, keys={self.methods_run!r}{size})\n"
            f"study = bn.study(data, {self.python_score()}, bn.{self.search!r}, methods,\n"
            f"                 bn.{self.constraints!r}, rng={self.seed},\n"
            f"                 strength={self.strength!r}{self.python_ties})\n"
            "print(study.table1())\n"
            f"print({edges})\n"
        )
