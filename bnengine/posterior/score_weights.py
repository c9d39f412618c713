"""What exp(score) is: whether its normalised sums over graphs are posterior probabilities."""

from __future__ import annotations

import math
from typing import NamedTuple

from bnengine.scores._count_terms import ENTROPY, OBSERVED, OFFSET, REGRET, SHARED
from bnengine.scores.scores import TableScore


class ScoreWeight(NamedTuple):
    """What normalised sums of exp(score) are called, and why; ``is_posterior`` only for a marginal likelihood."""

    kind: str
    title: str
    reason: str
    is_posterior: bool


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
NORMALISED_MAXIMUM_LIKELIHOOD = ScoreWeight(
    "normalised maximum likelihood",
    "normalised maximum likelihood weight",
    "exp(score) is a normalised maximum likelihood, a probability of the data that comes from no prior over "
    "parameters, so these are weights by description length, not posterior probabilities",
    False,
)
NO_PROBABILITY = ScoreWeight(
    "no probability of the data",
    "normalised weight",
    "exp(score) is no probability of the data given the graph, so these are normalised weights exp(score), not "
    "posterior probabilities",
    False,
)


def score_weight(score: TableScore, n_rows: int) -> ScoreWeight:
    """What exp(score) is for a sample of ``n_rows`` rows, structure priors left aside.

    A corrected score is no marginal likelihood any more, whatever it corrects.

    Examples
    --------
    >>> import bnengine as bn
    >>> [bn.posterior.score_weight(score, 100).title for score in (bn.BDeu(1), bn.BIC(), bn.AIC())]
    ['posterior probability', 'approximate posterior probability', 'normalised weight']
    """
    form = score.form(n_rows)
    functions = (form.cell, form.configuration)
    if form.unbias:
        return NO_PROBABILITY
    if form.penalty == 0.0 and functions in ((SHARED, SHARED), (OFFSET, OFFSET), (OBSERVED, OBSERVED)):
        return MARGINAL_LIKELIHOOD
    if form.penalty == 0.0 and (functions == (ENTROPY, REGRET) or form.quotient):
        return NORMALISED_MAXIMUM_LIKELIHOOD
    if functions == (ENTROPY, ENTROPY) and not form.quotient and _is_schwarz(form.penalty, n_rows):
        return SCHWARZ
    return NO_PROBABILITY


def _is_schwarz(penalty: float, n_rows: int) -> bool:
    return n_rows > 1 and math.isclose(penalty, 0.5 * math.log(n_rows), rel_tol=1e-12)
