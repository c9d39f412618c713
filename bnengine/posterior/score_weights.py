"""Interpretation of exp(score): which scores give posterior probabilities, and what the others give."""

from __future__ import annotations

import math
from typing import Annotated, NamedTuple

from bnengine._core.validation import Ge, validated
from bnengine.scores._count_terms import ENTROPY, OBSERVED, OFFSET, REGRET, SHARED
from bnengine.scores.scores import TableScore


class ScoreWeight(NamedTuple):
    """Interpretation of normalized sums of exp(score) over graphs."""

    kind: str  # of exp(score)
    title: str  # of the normalized sums
    reason: str
    is_posterior: bool  # only for a marginal likelihood


MARGINAL_LIKELIHOOD = ScoreWeight(
    "marginal likelihood",
    "posterior probability",
    "exp(score) is the probability of the data given the graph, so these are posterior probabilities",
    True,
)
SCHWARZ = ScoreWeight(
    "Schwarz approximation",
    "approximate posterior probability",
    "exp(BIC) approximates the probability of the data given the graph in large samples (Schwarz 1978), so these are "
    "approximate posterior probabilities",
    False,
)
NORMALIZED_MAXIMUM_LIKELIHOOD = ScoreWeight(
    "normalized maximum likelihood",
    "normalized maximum likelihood weight",
    "exp(score) is a normalized maximum likelihood, a probability of the data without a prior over parameters, so "
    "these are weights by description length, not posterior probabilities",
    False,
)
NO_PROBABILITY = ScoreWeight(
    "not a probability of the data",
    "normalized weight",
    "exp(score) is not a probability of the data given the graph, so these are normalized weights, not posterior "
    "probabilities",
    False,
)


@validated
def score_weight(score: TableScore, n_rows: Annotated[int, Ge(1)]) -> ScoreWeight:
    """Interpret exp(score) for a sample of ``n_rows`` rows, structure priors aside.

    A bias-corrected score is never a marginal likelihood.

    Examples
    --------
    >>> import bnengine as bn
    >>> [bn.posterior.score_weight(score, 100).title for score in (bn.BDeu(1), bn.BIC(), bn.AIC())]
    ['posterior probability', 'approximate posterior probability', 'normalized weight']
    """
    form = score.form(n_rows)
    functions = (form.cell, form.configuration)
    if form.unbias:
        return NO_PROBABILITY
    if form.penalty == 0.0 and functions in ((SHARED, SHARED), (OFFSET, OFFSET), (OBSERVED, OBSERVED)):
        return MARGINAL_LIKELIHOOD
    if form.penalty == 0.0 and (functions == (ENTROPY, REGRET) or form.quotient):
        return NORMALIZED_MAXIMUM_LIKELIHOOD
    if functions == (ENTROPY, ENTROPY) and not form.quotient and _is_schwarz(form.penalty, n_rows):
        return SCHWARZ
    return NO_PROBABILITY


def _is_schwarz(penalty: float, n_rows: int) -> bool:
    return n_rows > 1 and math.isclose(penalty, 0.5 * math.log(n_rows), rel_tol=1e-12)
