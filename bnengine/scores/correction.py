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

from bnengine._core.settings import InR, Number, field, setting
from bnengine._core.validation import one_of
from bnengine.scores._count_terms import DEVIANCE, ScoreForm, TableScore

#: The leading-order penalty per free parameter, nats (Steck & Jaakkola 2003, Eq. 7).
LEADING_STRENGTH = 0.5
CORRECTIONS = ("none", "leading", "matched")
#: The group of scores to which DIC belongs.
INFORMATION_CRITERION = "information criterion"


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


# DIC: the fit to new rows, estimated from the fit to the data and from resamples, exactly computed.
#
# A network fitted to rows is too good on them: with T(p, D) the log-likelihood of rows D under p, and p fitted to D,
# <T(p, D)> exceeds the expected fit of p to as many new rows by the *optimism*, |theta| to leading order (Steck &
# Jaakkola 2003, Eq. 11; Akaike 1973). Half of it is what p gains on its own rows, half what it loses on new ones.
# With the data in the place of the truth and resamples D_b in the place of the data, the optimism is
#
# < sum over rows of D_b of ln p_b - sum over rows of D of ln p_b >_b, p_b fitted to D_b,
#
# and T(p, D) less the optimism estimates the fit to new rows (Eq. 10). By maximum likelihood the second sum is minus
# infinity wherever a resample misses a cell of the data, as it does a cell of n rows with probability (1 - n / N)^N.
# Therefore each p here, that of the data and those of the resamples, is the mean of a Dirichlet posterior of equivalent
# sample size 1: a = 1 / (q r) prior counts in each cell of a family (see ``fit``).
#
# No resample is drawn. A count nu of a resample is Binomial(N, n / N), and ln p_b = ln(nu_jk + a) - ln(nu_j + r a),
# so the optimism is sum_jk E (nu_jk - n_jk) ln(nu_jk + a) - sum_j E (nu_j - n_j) ln(nu_j + r a), a binomial sum per
# count. A cell that is empty is empty in every resample, and adds nothing, although new rows may well fall there: in
# sparse tables this optimism is too small, and many edges are found.


@setting(
    tag="dic",
    label="DIC",
    group=INFORMATION_CRITERION,
    help="Like AIC, but the penalty is the bootstrap's estimate of how much better a network fits its own rows than "
    "new ones. In sparse tables it keeps many spurious edges: empty cells are free.",
    in_r=InR("aic", exact=False),
)
class DIC:
    """Deviance information criterion with resamples in place of the posterior, nats: fit less optimism, near AIC.

    Halved and negated, DIC is the log-likelihood at the estimate less p_D, twice what it loses on average as the
    parameters vary (Spiegelhalter et al. 2002). Here the data vary, and p_D is both halves of the optimism of the fit
    (Steck & Jaakkola 2003, Eq. 11), exact over all resamples: corrected by it (Eq. 10), the fit is "the frequentist
    version of DIC". The estimates are means of Dirichlet posteriors of equivalent sample size 1, since by maximum
    likelihood the expectation does not exist. Equal for Markov-equivalent graphs.

    Examples
    --------
    >>> import bnengine as bn
    >>> network = bn.load_network("cancer")
    >>> data = network.sample(5000, rng=1)
    >>> dic, aic, fit = (bn.score(data, network.edges, s) for s in (bn.teaching.DIC(), bn.AIC(), bn.LogLikelihood()))
    >>> abs(dic - aic) < 2 < 8 < fit - dic
    True
    """

    @property
    def name(self) -> str:
        return "DIC"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(DEVIANCE, DEVIANCE, float(n_rows), 0.0)
