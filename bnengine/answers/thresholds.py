"""What threshold? Rules that need no further learning, and what each keeps."""

from __future__ import annotations

import numpy as np

from bnengine._core.display import counted
from bnengine._core.environment import pd
from bnengine.bootstrap.ensemble import l1_threshold
from bnengine.bootstrap.resampling_methods import TITLES
from bnengine.bootstrap.study import Study
from bnengine.posterior import EdgePosterior

#: The strength from which studies of questionnaires keep an edge, in the direction of at least half of its replicates
#: (Briganti, Scutari & McNally 2023).
CONVENTION = 0.85
REAL = "real"
_INTERVAL = 0.05, 0.95


def by_rule(rule: str, study: Study, method: str, kind: str) -> float:
    """Return the threshold that a rule suggests; where columns would have to be shuffled, that of ``"mean"``."""
    if rule == "convention":
        return CONVENTION
    if rule == "l1":
        return l1_threshold(study.strength(method, kind))
    return study.strength_threshold(method, kind)


def kept_at(study: Study, posterior: EdgePosterior, threshold: float) -> pd.DataFrame:
    """Tabulate what a threshold keeps, by each method's strength and by the posterior probability.

    An edge is kept if the two variables are joined, in either direction, with a strength or a probability of at
    least the threshold. It is false if the network that the data came from does not join them. How many are false is
    what is expected; ``false_remark`` says how many were in simulated worlds.

    Parameters
    ----------
    study : Study
    posterior : EdgePosterior
        Of the same data, with graphs.
    threshold : float

    Returns
    -------
    DataFrame
        One row per method (``by``: its key, or ``"real"``): by, kept, false (expected number of false edges), least and
        most (the central 90 % of the posterior of that number).
    """
    i, j = np.triu_indices(len(posterior.names), 1)
    real = posterior.pair_probability[i, j]
    values = {key: study.strength(key, "adjacency")[i, j] for key in study.ensembles if key != "data"} | {REAL: real}
    kept = np.array([*values.values()]) >= threshold
    absent = {pair: ~posterior.joins(int(i[pair]), [int(j[pair])]) for pair in np.flatnonzero(kept.any(axis=0))}
    nothing = np.zeros(posterior.n_graphs, dtype=np.int64)
    lacking = [sum((absent[pair] for pair in np.flatnonzero(own)), nothing) for own in kept]
    least, most = np.quantile(lacking, _INTERVAL, axis=1)
    columns = {"kept": kept.sum(axis=1), "false": kept @ (1.0 - real), "least": least, "most": most}
    return pd.DataFrame({"by": [*values], **columns})


def kept_sentence(table: pd.DataFrame, threshold: float) -> str:
    """Say what a threshold keeps by each method: the edges, and how many are expected to be false."""
    parts = []
    for line in table.itertuples():
        by = "the probability of being real" if line.by == REAL else f"the {TITLES[str(line.by)]}"
        false = f", {false_in_words(line.false, line.least, line.most)}" if line.kept else ""
        parts.append(f"{by} keeps {counted(line.kept, 'edge')}{false}")
    return f"At {threshold:g}, " + "; ".join(parts) + "."


def false_in_words(expected: float, least: float, most: float) -> str:
    """Say how many edges are expected to be false, with the interval that probably holds their number."""
    if most < 1 and expected < 0.5:
        return "none of which is expected to be false"
    about = f"about {expected:.0f} of them false" if expected >= 0.5 else "fewer than 1 of them false"
    return about if least == most else f"{about} ({least:.0f} to {most:.0f})"
