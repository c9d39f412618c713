"""The evidence in the form that pages read: one small JSON file."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.scorer import compared, losses

from .methods import METHODS
from .questions import BANDS, QUESTIONS, Answer, Question

_DIGITS = 3


def write(file: Path, found: dict[str, Any]) -> None:
    """Write what ``evidence`` or ``reliability`` returns."""
    text = json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    file.write_text(text + "\n", encoding="utf-8")


def evidence(frame: pd.DataFrame) -> dict[str, Any]:
    """Gather everything by question, for the networks chosen by and of the held-out ones.

    Returns
    -------
    dict
        ``about``: replicates, fresh tables, seed, and the bands of rows per free parameter of the true network.
        ``methods``: title and target of each key. ``parts``, for ``"chosen by"`` and ``"held out"``: networks, rows,
        scores, fewest and most tables of a method, and ``questions``: for ``"found again"`` and ``"real"`` the measure
        and its unit, the default (key; of the networks chosen by), the runner-up, the share of resampled sets of
        networks that rank the default first, the number of settings, and by method (in ``by_measure`` for all
        settings, in ``by_rows_per_parameter`` by band) the mean difference to the corrected bootstrap with its standard
        error over networks, mean and worst regret, and settings with a smaller (``won``) and larger (``lost``) loss.
        None where a number does not exist.
    """
    parts = {"chosen by": frame[~frame["held_out"]], "held out": frame[frame["held_out"]]}
    used = frame["method"].unique()
    about = {key: frame.attrs[key] for key in ("replicates", "fresh", "seed")}
    return {
        "about": {**about, "search": "hill climbing", "bands": [list(map(_number, band)) for band in BANDS]},
        "methods": {key: {"title": m.title, "target": m.target} for key, m in METHODS.items() if key in used},
        "parts": {name: _part(part) for name, part in parts.items() if len(part)},
    }


def _part(frame: pd.DataFrame) -> dict[str, Any]:
    tables = frame.groupby(["network", "rows", "score", "method"])["table"].size()
    return {
        "networks": list(frame["network"].unique()),
        "rows": [int(n) for n in frame["rows"].unique()],
        "scores": list(frame["score"].unique()),
        "tables": [int(tables.min()), int(tables.max())],
        "questions": {question.name: _answer(Answer(question, frame)) for question in QUESTIONS},
    }


def _answer(answer: Answer) -> dict[str, Any]:
    question: Question = answer.question
    bands = [answer.band(*band) for band in BANDS]
    return {
        "measure": question.measure,
        "unit": question.unit,
        "default": answer.choice.method,
        "runner_up": answer.choice.runner_up,
        "share": _number(answer.choice.share),
        "settings": answer.n_settings,
        "by_measure": {measure: _methods(losses(answer.frame, measure)) for measure in question.deciding},
        "by_rows_per_parameter": [_methods(band) if len(band) else {} for band in bands],
    }


def _methods(found: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Return each method's mean difference to the corrected bootstrap, its error, mean and worst regret."""
    kept = ("settings", "difference", "error", "regret", "worst", "won", "lost")
    return {line["method"]: {key: _number(line[key]) for key in kept} for _, line in compared(found).iterrows()}


def _number(value: float) -> float | int | None:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return int(value) if float(value).is_integer() else round(float(value), _DIGITS)
