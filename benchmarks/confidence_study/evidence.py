"""The two questions, how the raw table answers each, and what pages and engine read of it."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.confidence_study.cells import TENTHS
from benchmarks.confidence_study.methods import CLIMB, METHODS
from benchmarks.running import ROOT
from benchmarks.scorer import BINS, Choice, chosen, compared, interval_of_share, losses

EVIDENCE = ROOT / "pages" / "shared" / "evidence.json"
RELIABILITY = ROOT / "bnengine" / "answers" / "reliability.json"
#: The columns of ``scorer.compared`` that pages are given.
FIGURES = ("settings", "difference", "error", "regret", "worst", "worst_error", "won", "lost")
_DRAWS = 10_000  # sets of networks
#: The resampling methods by their keys on the pages.
SHOWN = {
    "bootstrap": "naive",
    "bootstrap_corrected": "leading",
    "jackknife_delete_d": "delete_d",
    "parametric": "parametric",
    "predictive": "predictive",
}


class Question(NamedTuple):
    """One of the two questions."""

    name: str
    deciding: tuple[str, ...]  # the losses whose worst regrets decide; the first is reported in full
    unit: str


QUESTIONS = (
    Question("found again", ("pi_error",), "edges per true edge"),
    Question("real", ("log_loss", "brier"), "nats per true edge"),
)


@dataclass(frozen=True)
class Answer:
    """What a raw table says on a question."""

    question: Question
    frame: pd.DataFrame

    @cached_property
    def losses(self) -> dict[str, pd.DataFrame]:
        """The losses by each deciding measure, beside the corrected bootstrap: see ``scorer.losses``."""
        return {measure: losses(self.frame, measure) for measure in self.question.deciding}

    @cached_property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The methods compared by each deciding measure: see ``scorer.compared``."""
        return {measure: compared(found).set_index("method") for measure, found in self.losses.items()}

    @property
    def table(self) -> pd.DataFrame:
        """The comparison that is reported in full."""
        return self.tables[self.question.deciding[0]]

    @cached_property
    def choice(self) -> Choice:
        """The methods by their worst regret."""
        return chosen(list(self.losses.values()))

    @property
    def n_settings(self) -> int:
        """Settings with any method."""
        return int(self.table["settings"].max())


def evidence(frame: pd.DataFrame, parts: dict[str, list[Answer]]) -> dict[str, Any]:
    """Gather everything by question, for the networks chosen by and of the held-out ones.

    Returns
    -------
    dict
        ``about``: replicates, fresh tables, seed and search. ``methods``: title and target of each key. ``parts``, for
        ``"chosen by"`` and ``"held out"``: networks, rows, scores, fewest and most tables of a method, and
        ``questions``: for ``"found again"`` and ``"real"`` the measure and its unit, the default (key; of the networks
        chosen by), the share of resampled sets of networks that rank it first, the number of settings, and
        ``by_measure``, by method, the mean difference to the corrected bootstrap with its standard error over networks,
        mean and worst regret (with its error over tables), and settings with a smaller (``won``) and larger (``lost``)
        loss. None where a number does not exist.
    """
    used = frame["method"].unique()
    return {
        "about": {key: frame.attrs[key] for key in ("replicates", "fresh", "seed")} | {"search": CLIMB},
        "methods": {key: {"title": m.title, "target": m.target} for key, m in METHODS.items() if key in used},
        "parts": {name: _part(answers) for name, answers in parts.items() if len(answers[0].frame)},
    }


def _part(answers: list[Answer]) -> dict[str, Any]:
    frame = answers[0].frame
    tables = frame.groupby(["network", "rows", "score", "method"])["table"].size()
    return {
        "networks": list(frame["network"].unique()),
        "rows": [int(n) for n in frame["rows"].unique()],
        "scores": list(frame["score"].unique()),
        "tables": [int(tables.min()), int(tables.max())],
        "questions": {answer.question.name: _answer(answer) for answer in answers},
    }


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "measure": answer.question.deciding[0],
        "unit": answer.question.unit,
        "default": answer.choice.method,
        "share": _number(answer.choice.share),
        "settings": answer.n_settings,
        "by_measure": {
            measure: {key: {name: _number(line[name]) for name in FIGURES} for key, line in table.iterrows()}
            for measure, table in answer.tables.items()
        },
    }


def _number(value: float) -> float | int | None:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return int(value) if float(value).is_integer() else round(float(value), 3)


def reliability(bins: pd.DataFrame) -> dict[str, Any]:
    """Count pairs of variables by tenth of the number shown, and from each tenth upwards.

    Returns
    -------
    dict
        networks; fewest and most ``rows``; search; ``methods`` by the key on the pages and by score: ``tenths`` and
        ``at_least``, each a list of ten with the number of ``pairs``, the sum of the numbers shown (``expected``), how
        many are ``true``, the sum of ``pi``, and 95 % intervals of the shares, networks drawn with replacement.
    """
    held_out = bins[bins["held_out"]]
    networks = sorted(held_out["network"].unique())
    drawn = np.random.default_rng(0).integers(0, len(networks), (_DRAWS, len(networks)))
    methods = {
        key: {
            score: _counted(own, networks, drawn)
            for score, own in held_out[held_out["method"] == name].groupby("score", sort=False)
        }
        for key, name in SHOWN.items()
    }
    rows = held_out["rows"]
    about = {"networks": len(networks), "rows": [int(rows.min()), int(rows.max())], "search": CLIMB}
    return about | {"methods": methods}


def _counted(own: pd.DataFrame, networks: list[str], drawn: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Return the numbers of one method under one score."""
    places = pd.MultiIndex.from_product([networks, range(BINS)])
    counts = own.astype(dict.fromkeys(TENTHS, float)).groupby(["network", "bin"])[list(TENTHS)].sum()
    by_tenth = counts.reindex(places, fill_value=0.0).to_numpy().reshape(len(networks), BINS, len(TENTHS))
    upwards = by_tenth[:, ::-1].cumsum(axis=1)[:, ::-1]
    return {
        name: [_entry(of[:, tenth], drawn) for tenth in range(BINS)]
        for name, of in (("tenths", by_tenth), ("at_least", upwards))
    }


def _entry(counts: npt.NDArray[np.float64], drawn: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Return one tenth's numbers; ``counts`` has shape (networks, columns of ``TENTHS``)."""
    pairs, expected, pi, true = counts.T
    return {
        "pairs": int(pairs.sum()),
        "expected": round(float(expected.sum()), 3),
        "true": round(float(true.sum())),
        "true_interval": interval_of_share(true, pairs, drawn),
        "pi": round(float(pi.sum()), 3),
        "pi_interval": interval_of_share(pi, pairs, drawn),
    }
