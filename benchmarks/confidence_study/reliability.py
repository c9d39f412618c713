"""How right each number was, by tenths, on the held-out networks, in the form that the engine says it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.scorer import BINS

from .cells import CLIMB
from .gathered import RELIABILITY

_DIGITS = 3
_DRAWS = 10_000
#: The resampling methods by their keys on the pages.
SHOWN = {
    "bootstrap": "naive",
    "bootstrap_corrected": "leading",
    "jackknife_delete_d": "delete_d",
    "parametric": "parametric",
    "predictive": "predictive",
}


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
            score: _counted(own[own["score"] == score], networks, drawn)
            for own in [held_out[held_out["method"] == name]]
            for score in own["score"].unique()
        }
        for key, name in SHOWN.items()
    }
    rows = held_out["rows"]
    about = {"networks": len(networks), "rows": [int(rows.min()), int(rows.max())], "search": CLIMB}
    return about | {"methods": methods}


def _counted(own: pd.DataFrame, networks: list[str], drawn: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Return the numbers of one method under one score."""
    places = pd.MultiIndex.from_product([networks, range(BINS)])
    counts = (
        own.astype(dict.fromkeys(RELIABILITY, float))
        .groupby(["network", "bin"])[list(RELIABILITY)]
        .sum()
        .reindex(places, fill_value=0.0)
    )
    by_tenth = counts.to_numpy(np.float64).reshape(len(networks), BINS, len(RELIABILITY))
    upwards = by_tenth[:, ::-1].cumsum(axis=1)[:, ::-1]
    return {
        "tenths": [_entry(by_tenth[:, tenth], drawn) for tenth in range(BINS)],
        "at_least": [_entry(upwards[:, tenth], drawn) for tenth in range(BINS)],
    }


def _entry(counts: npt.NDArray[np.float64], drawn: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Return one tenth's numbers; ``counts`` has shape (networks, columns of ``RELIABILITY``)."""
    pairs, expected, pi, true = counts.T
    found = {"pairs": int(pairs.sum()), "expected": round(float(expected.sum()), 3), "true": round(float(true.sum()))}
    found["true_interval"] = _interval(true, pairs, drawn)
    found |= {"pi": round(float(pi.sum()), 3), "pi_interval": _interval(pi, pairs, drawn)}
    return found


def _interval(
    part: npt.NDArray[np.float64], whole: npt.NDArray[np.float64], drawn: npt.NDArray[np.int64]
) -> list[float]:
    """Return the central 95 % of the share in sets of networks drawn with replacement; sets without pairs left out."""
    totals = whole[drawn].sum(axis=1)
    shares = part[drawn].sum(axis=1)[totals > 0] / totals[totals > 0]
    return [round(float(share), _DIGITS) for share in np.quantile(shares, (0.025, 0.975))]
