"""Scores: what a network is worth on given data. Natural log, higher is better.

Each score here is a *table score*: a sum over families of a sum over observed counts,

    local score = sum_jk f(n_jk) - sum_j g(n_j) - penalty * q * (r - 1)

with n_jk the rows in which the child has state k and its parents configuration j, n_j = sum_k n_jk, r the child's
arity and q the product of the parents' arities. A score is therefore not code but a description, ``ScoreForm``,
that the compiled kernel reads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from bnengine.count_functions import ENTROPY, OFFSET, SHARED


class ScoreForm(NamedTuple):
    """The two functions of a count (see ``count_functions``) and the charge for each free parameter, in nats."""

    cell: int
    configuration: int
    ess: float
    penalty: float


@runtime_checkable
class TableScore(Protocol):
    """What the engine asks of a score."""

    @property
    def name(self) -> str:
        """How the score is called in tables and pictures."""

    def form(self, n_rows: int) -> ScoreForm:
        """The score's description for a sample of ``n_rows`` rows."""


@dataclass(frozen=True)
class LogLikelihood:
    """Maximised log-likelihood, nats: ``sum n_jk ln(n_jk / n_j)``. Never falls when an edge is added."""

    @property
    def name(self) -> str:
        return "log-likelihood"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(ENTROPY, ENTROPY, 1.0, 0.0)


@dataclass(frozen=True)
class AIC:
    """Akaike's information criterion, nats: log-likelihood - |theta| (Akaike 1974, halved and negated)."""

    @property
    def name(self) -> str:
        return "AIC"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(ENTROPY, ENTROPY, 1.0, 1.0)


@dataclass(frozen=True)
class BIC:
    """Bayesian information criterion, nats: log-likelihood - |theta| / 2 ln N (Schwarz 1978).

    Its negative in bits is the two-part description length (see ``mdl``).
    """

    @property
    def name(self) -> str:
        return "BIC"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(ENTROPY, ENTROPY, 1.0, 0.5 * math.log(n_rows))


@dataclass(frozen=True)
class K2Score:
    """Log marginal likelihood, nats, with one imaginary row in every cell (Cooper & Herskovits 1992, Eq. 8).

    Markov-equivalent graphs may differ in this score.
    """

    @property
    def name(self) -> str:
        return "K2"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(OFFSET, OFFSET, 1.0, 0.0)


@dataclass(frozen=True)
class BDeu:
    """Log marginal likelihood, nats, with ``ess`` imaginary rows spread evenly over each family's cells.

    Buntine (1991); Heckerman, Geiger & Chickering (1995), Eq. 42. Equal for Markov-equivalent graphs.

    Parameters
    ----------
    ess : float
        Equivalent sample size, in rows; positive.
    """

    ess: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.ess) and self.ess > 0):
            raise ValueError(f"ess must be a positive number of imaginary rows, such as 1 or 10; got {self.ess}")

    @property
    def name(self) -> str:
        return f"BDeu({self.ess:g})"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(SHARED, SHARED, float(self.ess), 0.0)


#: The scores by the word that files, the command line and the pages use.
SCORES: dict[str, type[LogLikelihood | AIC | BIC | K2Score | BDeu]] = {
    "loglik": LogLikelihood,
    "aic": AIC,
    "bic": BIC,
    "k2": K2Score,
    "bdeu": BDeu,
}
