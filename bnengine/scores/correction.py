"""Bias correction of a score that is applied to a resample.

A resample of the data carries more dependence than the data: on it the likelihood of a family is too high by about
half its number of parameters. For a score to mean on a resample what it means on the data, its penalty is raised by
that much (Steck & Jaakkola, NIPS 2003, Eq. 7). The corrected score is a score like any other; searches treat it alike.

The leading order is the same for resamples of any size m drawn with replacement. A count nu of a resample is
Binomial(m, p), p its share of the data; about its mean, E nu ln nu = mp ln mp + (1 - p) / 2 + O(1 / m), as in Miller's
(1955) bias of the entropy. Summed over a family's cells, less the sum over its parent configurations, the second term
is half of (cells less configurations), that is |theta| / 2 where no cell is empty: E L(resample) = (m / N) L(data) +
|theta| / 2. So the corrected score of m resampled rows is on average the score of m rows in the data's own proportions.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import SkipValidation

from bnengine._core.settings import Number, field, setting
from bnengine._core.validation import one_of
from bnengine.scores._count_terms import ScoreForm, TableScore

#: The leading-order penalty per free parameter, nats (Steck & Jaakkola 2003, Eq. 7).
LEADING_STRENGTH = 0.5
CORRECTIONS = ("none", "leading", "matched")


def strength() -> Any:
    """Declare the strength of the leading correction."""
    return field(
        default=LEADING_STRENGTH,
        ge=0,
        le=1e6,
        label="Strength of the correction",
        unit="nats per parameter",
        help="Penalty of the leading correction for each free parameter; 1/2 is the leading order of the bias.",
    )


@setting
class LeadingCorrection:
    """``score`` less ``strength`` nats per free parameter: T_BC = T - strength |theta|; to leading order it is 1/2."""

    score: Annotated[TableScore, SkipValidation] = field(label="Score", help="The score to be corrected.")
    strength: Number = strength()

    @property
    def name(self) -> str:
        return f"{self.score.name} − {self.strength:g}|θ|"

    def form(self, n_rows: int) -> ScoreForm:
        form = self.score.form(n_rows)
        return form._replace(penalty=form.penalty + self.strength)


def corrected(score: TableScore, correction: str = "leading", strength: float = LEADING_STRENGTH) -> TableScore:
    """Return the score to be used on resamples under the named correction (``"none"`` or ``"leading"``).

    ``"matched"`` is not a score but a way to choose the strength of ``"leading"`` from an ensemble.
    """
    one_of(correction, "correction", CORRECTIONS)
    if correction == "matched":
        raise ValueError("'matched' finds its strength from an ensemble: use resample, or 'leading' with a strength")
    return score if correction == "none" else LeadingCorrection(score, strength)
