"""The maximum log-likelihood corrected by what bootstrapping adds to it: criteria between graphs, exactly computed.

On resamples D_b of the data a graph's maximum log-likelihood T is too high by ``bias = <T(D_b)>_b - T(D)``, to leading
order |theta| / 2. The bootstrap is to the data what the data are to the truth: T(D) itself is too high by about as
much (Steck & Jaakkola 2003, Sec. 4). What is subtracted depends on the question:

* the fit of the graph's best parameters to the truth: ``T - bias``, that is 2 T(D) - <T>_b, near T - |theta| / 2;
* the fit of the fitted parameters to new rows, lower by the same amount once more: ``T - 2 bias``, near AIC,
  T - |theta|.

No resample is drawn. T is a sum of n ln n over counts n, and a count's resamples are Binomial(N, n / N), so the mean is
a binomial sum per count. A cell that is empty, and so empty in every resample, adds nothing to the bias, although
|theta| counts it and new rows may well fall there. In sparse tables both criteria therefore penalize too little for
prediction, and find many edges.
"""

from __future__ import annotations

from bnengine._core.settings import setting
from bnengine.scores._count_terms import CORRECTED, DEVIANCE
from bnengine.scores.score_form import ScoreForm


@setting(tag="corrected", label="Corrected likelihood")
class CorrectedLikelihood:
    """Maximum log-likelihood minus its bootstrap bias, nats: 2 T(D) - <T(D_b)>_b, near T - |theta| / 2.

    The bias-corrected estimate of Efron & Tibshirani (1993, Sec. 10.6) for T, exact over all resamples (Steck &
    Jaakkola 2003, Sec. 4). It estimates what a graph could fit, not what its fitted parameters will predict, as ``DIC``
    and ``AIC`` do. Equal for Markov-equivalent graphs.

    Examples
    --------
    >>> import bnengine as bn
    >>> data = bn.load_network("asia").sample(200, rng=1)
    >>> edges = bn.load_network("asia").edges
    >>> fit, corrected = (bn.score(data, edges, s) for s in (bn.LogLikelihood(), bn.CorrectedLikelihood()))
    >>> 0 < fit - corrected < bn.n_parameters(data, edges) / 2  # asia's impossible cells stay empty
    True
    """

    @property
    def name(self) -> str:
        return "corrected likelihood"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(CORRECTED, CORRECTED, float(n_rows), 0.0)


@setting(tag="dic", label="DIC")
class DIC:
    """Deviance information criterion with resamples in place of the posterior, nats: T - p_D, near AIC.

    Halved and negated, DIC is the log-likelihood at the estimate less p_D, twice what the log-likelihood of the data
    loses on average as the parameters vary (Spiegelhalter et al. 2002). Here the parameters stay and the data
    vary: p_D = 2 (<T(D_b)>_b - T(D)), twice what a resample's own fit gains on it, exact over all resamples
    (the frequentist counterpart: Steck & Jaakkola 2003, Sec. 4). Equal for Markov-equivalent graphs.
    """

    @property
    def name(self) -> str:
        return "DIC"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(DEVIANCE, DEVIANCE, float(n_rows), 0.0)
