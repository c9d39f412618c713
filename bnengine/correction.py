"""Bias correction of a score that is applied to a resample.

A resample of the data carries more dependence than the data: on it the likelihood of a family is too high by about
half its number of parameters. A score that is to mean on a resample what it means on the data is charged that much
more (Steck & Jaakkola, NIPS 2003, Eq. 7). The corrected score is a score like any other; no search can tell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bnengine.scores import ScoreForm, TableScore

#: The leading-order charge per free parameter, nats (Steck & Jaakkola 2003, Eq. 7).
LEADING_STRENGTH = 0.5
CORRECTIONS = ("none", "leading")


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


def corrected(score: TableScore, correction: str = "leading", strength: float = LEADING_STRENGTH) -> TableScore:
    """The score to be used on resamples under the named correction (``"none"`` or ``"leading"``)."""
    if correction not in CORRECTIONS:
        raise ValueError(f"correction must be one of {', '.join(CORRECTIONS)}; got '{correction}'")
    return score if correction == "none" else LeadingCorrection(score, strength)
