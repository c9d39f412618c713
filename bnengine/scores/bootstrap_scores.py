"""DIC: the fit to new rows, estimated from the fit to the data and from resamples, exactly computed.

A network fitted to rows is too good on them: with T(p, D) the log-likelihood of rows D under p, and p fitted to D,
<T(p, D)> exceeds the expected fit of p to as many new rows by the *optimism*, |theta| to leading order (Steck &
Jaakkola 2003, Eq. 10; Akaike 1973). Half of it is what p gains on its own rows, half what it loses on new ones. With
the data in the place of the truth and resamples D_b in the place of the data (Eq. 11), the optimism is

    < sum over rows of D_b of ln p_b - sum over rows of D of ln p_b >_b,    p_b fitted to D_b,

and T(p, D) less the optimism estimates the fit to new rows. By maximum likelihood the second sum is minus infinity
wherever a resample misses a cell of the data, as it does a cell of n rows with probability (1 - n / N)^N. Therefore
each p here, that of the data and those of the resamples, is the mean of a Dirichlet posterior of equivalent sample size
1: a = 1 / (q r) prior counts in each cell of a family (see ``fit``).

No resample is drawn. A count nu of a resample is Binomial(N, n / N), and ln p_b = ln(nu_jk + a) - ln(nu_j + r a), so
the optimism is sum_jk E (nu_jk - n_jk) ln(nu_jk + a) - sum_j E (nu_j - n_j) ln(nu_j + r a), a binomial sum per count.
A cell that is empty is empty in every resample, and adds nothing, although new rows may well fall there: in sparse
tables this optimism is too small, and many edges are found.
"""

from __future__ import annotations

from bnengine._core.settings import setting
from bnengine.scores._count_terms import DEVIANCE
from bnengine.scores.score_form import ScoreForm


@setting(tag="dic", label="DIC")
class DIC:
    """Deviance information criterion with resamples in place of the posterior, nats: fit less optimism, near AIC.

    Halved and negated, DIC is the log-likelihood at the estimate less p_D, twice what it loses on average as the
    parameters vary (Spiegelhalter et al. 2002). Here the data vary, and p_D is the optimism of the fit, exact over all
    resamples: "the frequentist version of DIC" (Steck & Jaakkola 2003, Eq. 10 and 11, both halves). The estimates are
    means of Dirichlet posteriors of equivalent sample size 1, since by maximum likelihood the expectation does not
    exist. Equal for Markov-equivalent graphs.

    Examples
    --------
    >>> import bnengine as bn
    >>> network = bn.load_network("cancer")
    >>> data = network.sample(5000, rng=1)
    >>> dic, aic, fit = (bn.score(data, network.edges, s) for s in (bn.DIC(), bn.AIC(), bn.LogLikelihood()))
    >>> abs(dic - aic) < 2 < 8 < fit - dic
    True
    """

    @property
    def name(self) -> str:
        return "DIC"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(DEVIANCE, DEVIANCE, float(n_rows), 0.0)
