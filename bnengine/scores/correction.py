"""Bias correction of a score that is applied to a resample.

A resample of the data carries more dependence than the data: on it the likelihood of a family is too high by about
half its number of parameters. A score that is to mean on a resample what it means on the data is charged that much
more (Steck & Jaakkola, NIPS 2003, Eq. 7). The corrected score is a score like any other; no search can tell.

The leading order is the same for resamples of any size m drawn with replacement. A count nu of a resample is
Binomial(m, p), p its share of the data; about its mean, E nu ln nu = mp ln mp + (1 - p) / 2 + O(1 / m), as in Miller's
(1955) bias of the entropy. Summed over a family's cells, less the sum over its parent configurations, the second term
is half of (cells less configurations), that is |theta| / 2 where no cell is empty: E L(resample) = (m / N) L(data) +
|theta| / 2. So the corrected score of m resampled rows is on average the score of m rows in the data's own proportions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bnengine.scores._count_terms import OBSERVED
from bnengine.scores.scores import ScoreForm, TableScore

#: The leading-order charge per free parameter, nats (Steck & Jaakkola 2003, Eq. 7).
LEADING_STRENGTH = 0.5
CORRECTIONS = ("none", "leading", "exact", "matched")


@dataclass(frozen=True)
class LeadingCorrection:
    """``score`` charged ``strength`` nats more per free parameter: T_BC = T - strength |theta|.

    ``strength`` 1/2 is the leading order of the bootstrap's bias; 0 leaves the score as it is.
    """

    score: TableScore
    strength: float = LEADING_STRENGTH

    def __post_init__(self) -> None:
        if not math.isfinite(self.strength) or self.strength < 0:
            raise ValueError(f"strength must be a number of nats per parameter, 0 or more; got {self.strength}")

    @property
    def name(self) -> str:
        return f"{self.score.name} − {self.strength:g}|θ|"

    def form(self, n_rows: int) -> ScoreForm:
        form = self.score.form(n_rows)
        return form._replace(penalty=form.penalty + self.strength)


@dataclass(frozen=True)
class ExactCorrection:
    """``score`` less the bias that bootstrapping gives it: on average over resamples it equals the score of the data.

    That is exact for every fixed graph. The graph that a search picks on a resample is picked by its luck there, too,
    so its score, and the number of its edges, stay too high on average.

    Each count of a bootstrap resample is Binomial(N, n / N) with n the count in the given data, so a family's bias is
    ``sum_jk [E f(nu_jk) - f(n_jk)] - sum_j [E g(nu_j) - g(n_j)]`` with the score's own two functions (the exact form
    of Steck & Jaakkola 2003, Eq. 3, carried from the entropy to any table score). Valid for resamples of N rows drawn
    with replacement from the given data, and for scores that are sums over counts with fixed functions.
    """

    score: TableScore

    @property
    def name(self) -> str:
        return f"{self.score.name} − bias"

    def form(self, n_rows: int) -> ScoreForm:
        form = self.score.form(n_rows)
        if form.network is not None or form.configuration == OBSERVED:
            raise ValueError(
                f"the exact correction does not exist for {self.score.name}, whose terms are not fixed functions of "
                "one count each; use the leading correction"
            )
        return form._replace(unbias=True)


def corrected(score: TableScore, correction: str = "leading", strength: float = LEADING_STRENGTH) -> TableScore:
    """The score to be used on resamples under the named correction (``"none"``, ``"leading"`` or ``"exact"``).

    ``"matched"`` is no score but a way to choose the strength of ``"leading"``, which takes an ensemble.
    """
    if correction not in CORRECTIONS:
        raise ValueError(f"correction must be one of {', '.join(CORRECTIONS)}; got '{correction}'")
    if correction == "matched":
        raise ValueError("'matched' finds its strength on an ensemble: use resample, or 'leading' with a strength")
    if correction == "exact":
        return ExactCorrection(score)
    return score if correction == "none" else LeadingCorrection(score, strength)


def correction_refused(score: TableScore, correction: str) -> str | None:
    """Why a correction does not exist for a score; None where it does."""
    try:
        corrected(score, "leading" if correction == "matched" else correction).form(2)
    except ValueError as error:
        return str(error)
    return None
