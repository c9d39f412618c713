"""What pages and engine read of the study: the methods compared, and how right each number was by tenths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.confidence_study.cells import TENTHS
from benchmarks.confidence_study.methods import CLIMB, METHODS
from benchmarks.confidence_study.questions import BANDS, Answer
from benchmarks.running import ROOT
from benchmarks.scorer import BINS, compared, interval_of_share, losses

EVIDENCE = ROOT / "pages" / "shared" / "evidence.json"
RELIABILITY = ROOT / "bnengine" / "answers" / "reliability.json"
_DRAWS = 10_000  # sets of networks
#: The resampling methods by their keys on the pages.
SHOWN = {
    "bootstrap": "naive",
    "bootstrap_corrected": "leading",
    "jackknife_delete_d": "delete_d",
    "parametric": "parametric",
    "predictive": "predictive",
}


def evidence(frame: pd.DataFrame, parts: dict[str, list[Answer]]) -> dict[str, Any]:
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
    used = frame["method"].unique()
    about = {key: frame.attrs[key] for key in ("replicates", "fresh", "seed")}
    return {
        "about": {**about, "search": CLIMB, "bands": [list(map(_number, band)) for band in BANDS.values()]},
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
    question = answer.question
    return {
        "measure": question.deciding[0],
        "unit": question.unit,
        "default": answer.choice.method,
        "runner_up": answer.choice.runner_up,
        "share": _number(answer.choice.share),
        "settings": answer.n_settings,
        "by_measure": {measure: _methods(losses(answer.frame, measure)) for measure in question.deciding},
        "by_rows_per_parameter": [_methods(band) if len(band) else {} for band in answer.bands.values()],
    }


def _methods(found: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Return each method's mean difference to the corrected bootstrap, its error, mean and worst regret."""
    kept = ["settings", "difference", "error", "regret", "worst", "won", "lost"]
    table = compared(found).set_index("method")[kept]
    return {key: {name: _number(value) for name, value in line.items()} for key, line in table.iterrows()}


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
        "tenths": [_entry(by_tenth[:, tenth], drawn) for tenth in range(BINS)],
        "at_least": [_entry(upwards[:, tenth], drawn) for tenth in range(BINS)],
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
