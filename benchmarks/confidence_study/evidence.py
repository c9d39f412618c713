"""The evidence in the form that pages read: one small JSON file."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd

from .comparison import compared
from .methods import METHODS
from .questions import BANDS, QUESTIONS, Answer, Question

_DIGITS = 4


def write(file: Path, frame: pd.DataFrame) -> None:
    """Write what ``evidence`` returns."""
    text = json.dumps(evidence(frame), indent=1, ensure_ascii=False, allow_nan=False)
    file.write_text(text + "\n", encoding="utf-8")


def evidence(frame: pd.DataFrame) -> dict[str, Any]:
    """Everything by question, of the networks chosen by and of the held-out ones."""
    parts = {"chosen by": frame[~frame["held_out"]], "held out": frame[frame["held_out"]]}
    used = frame["method"].unique()
    return {
        "about": {**frame.attrs, "search": "hill climbing", "bands": [list(map(_number, band)) for band in BANDS]},
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
        "all": _methods(answer.losses),
        "by_rows_per_parameter": [_methods(band) if len(band) else {} for band in bands],
    }


def _methods(found: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """By method: mean difference to the corrected bootstrap, its error over networks, mean and worst regret."""
    kept = ("settings", "difference", "error", "regret", "worst", "won", "lost")
    return {line["method"]: {key: _number(line[key]) for key in kept} for _, line in compared(found).iterrows()}


def _number(value: float) -> float | int | None:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return int(value) if float(value).is_integer() else round(float(value), _DIGITS)
