"""The evidence in the form that pages read: one small JSON file."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .comparison import compared, losses
from .measures import BINS
from .methods import METHODS
from .questions import BANDS, QUESTIONS, Answer, Question

_DIGITS = 3
_DRAWS = 10_000
#: The method that the pages call *real*.
REAL = "post_fnml"


def write(file: Path, found: dict[str, Any]) -> None:
    """Write what ``evidence`` or ``real_ends`` returns."""
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


def real_ends(bins: pd.DataFrame) -> dict[str, Any]:
    """Return how sure and how right the posterior that the pages call *real* is at its ends, on the held-out networks.

    Returns
    -------
    dict
        networks, fewest and most ``rows``, and ``ends``: for the last and the first tenth, ``from`` and ``to``, the
        number of pairs of variables, how many of them are ``expected`` and how many were ``found`` to be what the
        number speaks against (not in the network at 0.9 or more, in it below 0.1), and a 95 % ``interval`` of the share
        found, networks drawn with replacement.
    """
    held_out = bins[bins["held_out"] & (bins["method"] == REAL)]
    held_out = held_out[held_out["score"] == held_out["score"].iloc[0]]  # it does not depend on the score of a graph
    networks, rng = sorted(held_out["network"].unique()), np.random.default_rng(0)
    drawn = rng.integers(0, len(networks), (_DRAWS, len(networks)))
    ends = []
    for tenth in (BINS - 1, 0):
        part = held_out[held_out["bin"] == tenth].groupby("network")[["pairs", "p", "true"]].sum().reindex(networks)
        part = part.fillna(0.0)
        against = part[["p", "true"]] if tenth == 0 else part[["p", "true"]].rsub(part["pairs"], axis=0)
        shares = against["true"].to_numpy()[drawn].sum(axis=1) / part["pairs"].to_numpy()[drawn].sum(axis=1)
        ends.append(
            {
                "from": tenth / BINS,
                "to": (tenth + 1) / BINS,
                "pairs": int(part["pairs"].sum()),
                "expected": round(float(against["p"].sum()), 1),
                "found": int(against["true"].sum()),
                "interval": [round(float(share), _DIGITS) for share in np.quantile(shares, (0.025, 0.975))],
            }
        )
    rows = held_out["rows"]
    return {"networks": len(networks), "rows": [int(rows.min()), int(rows.max())], "ends": ends}
