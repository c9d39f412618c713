"""Scores of a network on given data. Natural log, higher is better.

Each score here is a *table score*: a sum over families of a sum over observed counts,

    local score = sum_jk f(n_jk) - sum_j g(n_j) - penalty * q * (r - 1)

with n_jk the rows in which the child has state k and its parents have configuration j, n_j = sum_k n_jk, r the child's
arity and q the product of the parents' arities. A score is therefore not code but a description, ``ScoreForm``,
that the compiled kernel reads.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, SkipValidation

from bnengine._core.setting_kinds import Kind, UnfitError
from bnengine._core.settings import InR, Number, Switch, Whole, by_tag, field, setting
from bnengine._core.validation import LEAST_ESS, MOST_ESS, one_of
from bnengine.data import reading_options
from bnengine.data.reading_options import content_of
from bnengine.networks.bif import bif_text, read_bif
from bnengine.networks.bundled import load_network, network_names
from bnengine.networks.network import BayesianNetwork
from bnengine.networks.network_files import is_network, network_in, title_of
from bnengine.scores._count_terms import ENTROPY, OBSERVED, OFFSET, REGRET, SHARED
from bnengine.scores._count_terms import ScoreForm as ScoreForm
from bnengine.scores._count_terms import TableScore as TableScore

_DESCRIPTION_LENGTH, _BAYESIAN = "MDL", "Bayesian"  # groups of scores
_RECENT = "It needs a recent version of bnlearn."


def _ess() -> Any:
    return field(
        default=1.0,
        ge=LEAST_ESS,
        le=MOST_ESS,
        label="Equivalent sample size",
        unit="rows",
        help="Prior counts in all, in rows: the weight of the prior.",
    )


def edge_penalty(kw_only: bool = False) -> Any:
    """Declare the prior's penalty for edges: log P(G) = -edge_penalty * (number of edges) + constant."""
    return field(
        default=0.0,
        ge=0,
        le=1e6,
        label="Penalty for each edge",
        unit="nats",
        help="Nats subtracted for each edge; 0 is uniform over graphs.",
        kw_only=kw_only,
    )


def uniform_parent_sizes(kw_only: bool = False) -> Any:
    """Declare the prior of Koivisto & Sood (2004, Sec. 2.3): a penalty of ln binom(V - 1, k) for k parents."""
    return field(
        default=False,
        label="Prior uniform over parent-set sizes",
        help="Each size of a parent set has the same prior mass, shared by the parent sets of that size.",
        kw_only=kw_only,
    )


def _network_of(value: Any) -> Any:
    """Read a network as JSON holds it; return anything else as it is."""
    if not isinstance(value, Mapping):
        return value
    if set(value) != {"title", "bif"} or not all(isinstance(text, str) for text in value.values()):
        raise UnfitError
    try:
        return read_bif(io.BytesIO(value["bif"].encode()), title=value["title"])
    except ValueError as error:
        raise ValueError(f"prior_network cannot be read: {error}") from None


def _network_written(value: Any) -> Any:
    return {"title": value.title, "bif": bif_text(value)} if isinstance(value, BayesianNetwork) else value


PriorNetwork = Annotated[
    BayesianNetwork | str, BeforeValidator(_network_of), Kind("network", "a network or its name", _network_written)
]


@setting(
    tag="loglik",
    label="Log-likelihood",
    group="information criterion",
    help="Fit alone: more edges are never worse. Limit the number of parents.",
    in_r=InR("loglik"),
)
class LogLikelihood:
    """Maximised log-likelihood, nats: ``sum n_jk ln(n_jk / n_j)``. Never falls when an edge is added."""

    name = "log-likelihood"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(ENTROPY, ENTROPY, 1.0, 0.0)


@setting(
    tag="aic",
    label="AIC",
    group="information criterion",
    help="Log-likelihood − 1 per parameter: a mild penalty, made for prediction.",
    in_r=InR("aic"),
)
class AIC:
    """Akaike's information criterion, nats: log-likelihood - |theta| (Akaike 1974, halved and negated)."""

    name = "AIC"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(ENTROPY, ENTROPY, 1.0, 1.0)


@setting(
    tag="bic",
    label="BIC",
    group=_DESCRIPTION_LENGTH,
    help="Log-likelihood − ½ ln N per parameter; its negative in bits is the description length.",
    in_r=InR("bic"),
)
class BIC:
    """Bayesian information criterion, nats: log-likelihood - |theta| / 2 ln N (Schwarz 1978).

    Its negative in bits is the two-part description length (see ``mdl``).
    """

    name = "BIC"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(ENTROPY, ENTROPY, 1.0, 0.5 * math.log(n_rows))


@setting(
    tag="k2",
    label="K2",
    group=_BAYESIAN,
    help="Posterior with a prior count of one per cell. Reversing an edge can change it.",
    in_r=InR("k2"),
)
class K2Score:
    """Log marginal likelihood, nats, with a prior count of one in every cell (Cooper & Herskovits 1992, Eq. 8).

    Markov-equivalent graphs may differ in this score.
    """

    name = "K2"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(OFFSET, OFFSET, 1.0, 0.0)


@setting(
    tag="bdeu",
    label="BDeu",
    group=_BAYESIAN,
    help="Posterior with prior counts spread evenly over all cells: the paper's posterior.",
    in_r=InR("bde", {"iss": "ess"}),
)
class BDeu:
    """Log marginal likelihood, nats, with ``ess`` prior counts spread evenly over each family's cells.

    Buntine (1991); Heckerman, Geiger & Chickering (1995), Eq. 42. Equal for Markov-equivalent graphs.
    """

    ess: Number = _ess()

    @property
    def name(self) -> str:
        return f"BDeu({self.ess:g})"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(SHARED, SHARED, float(self.ess), 0.0)


@setting(
    tag="bds",
    label="BDs",
    group=_BAYESIAN,
    help="Like BDeu, with prior counts only for observed parent configurations.",
    in_r=InR("bds", {"iss": "ess"}),
)
class BDs:
    """BDeu with its prior counts spread over the observed parent configurations only (Scutari 2016, Eq. 7).

    Less drawn to edges than BDeu on sparse data; Markov-equivalent graphs may differ in it.
    """

    ess: Number = _ess()

    @property
    def name(self) -> str:
        return f"BDs({self.ess:g})"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(OBSERVED, OBSERVED, float(self.ess), 0.0)


@setting(
    tag="bde",
    label="BDe",
    group=_BAYESIAN,
    help="Posterior with prior counts from a prior network over the same variables.",
    in_r=InR("bde", {"iss": "ess"}, exact=False, remark="Its prior counts are uniform, not those of a prior network."),
)
class BDe:
    """Log marginal likelihood, nats, with the prior counts of a prior network.

    Heckerman, Geiger & Chickering (1995), Eq. 28 with alpha_ijk = ess P(x_i, pa_i | prior network), by exact inference.
    A uniform network without edges gives BDeu; a family with a row that the prior network makes impossible has
    score -infinity. Equal for Markov-equivalent graphs. A prior network is refused if its junction tree has more than a
    million entries.
    """

    prior_network: PriorNetwork = field(
        label="Prior network",
        help="A network over the data's variables and states: itself, the name of a bundled one, or a BIF file's path.",
    )
    ess: Number = _ess()

    @property
    def network(self) -> BayesianNetwork:
        """The prior network itself."""
        return _network_called(self.prior_network) if isinstance(self.prior_network, str) else self.prior_network

    @property
    def name(self) -> str:
        return f"BDe({self.network.title}, {self.ess:g})"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(SHARED, SHARED, float(self.ess), 0.0, network=self.network)


@setting(
    tag="fnml",
    label="fNML",
    group=_DESCRIPTION_LENGTH,
    help="Penalizes each family by the regret of its multinomials, the log of the sum of the best likelihoods of all "
    "data that it could have. It has no setting, so the strength of the penalty is fixed.",
    in_r=InR("fnml", remark=_RECENT),
)
class FNML:
    """Factorised normalised maximum likelihood, nats: log-likelihood - sum_j ln C(n_j, r).

    Silander, Roos, Kontkanen & Myllymäki (2008), Eq. 12. A description length without a setting: how much a further
    parent must explain is fixed, as a choice of the equivalent sample size fixes it for BDeu. Markov-equivalent graphs
    may differ in it.
    """

    name = "fNML"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(ENTROPY, REGRET, 1.0, 0.0)


@setting(
    tag="qnml",
    label="qNML",
    group=_DESCRIPTION_LENGTH,
    help="Like fNML, but equal for Markov-equivalent graphs.",
    in_r=InR("qnml", remark=_RECENT),
)
class QNML:
    """Quotient normalised maximum likelihood, nats: log-likelihood - (ln C(N, q r) - ln C(N, q)).

    Silander, Leppä-aho, Jääsaari & Roos (2018), Eq. 9. Equal for Markov-equivalent graphs.
    """

    name = "qNML"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(ENTROPY, ENTROPY, 1.0, 0.0, quotient=True)


@setting(
    tag="gaussian",
    label="Gaussian BIC",
    group="information criterion",
    help="BIC by covariances instead of counts: of numbers, their squares, and indicators of states. For tables with "
    "numbers; of states it sees which pairs go together, with fewer parameters.",
    in_r=InR("bic-g", exact=False, remark="It takes numbers as they are, without normal scores or squares."),
)
class GaussianBIC:
    """BIC by blocks of features, nats: ll(C ∪ P) - ll(P) - (ln N) / 2 times its parameters (see ``block_scores``).

    The degenerate Gaussian score of Andrews, Ramsey & Cooper (2019); to the second degree, a basis-function score
    (Ramsey, Andrews & Spirtes 2025). Equal for Markov-equivalent graphs. BIC itself is this score to the first degree
    where a table has numbers in it.
    """

    degree: Whole = field(
        default=2,
        ge=1,
        le=2,
        label="Degree",
        help="Highest power of a number: 2 sees curves and spreads that rise and fall, too.",
    )

    @property
    def name(self) -> str:
        return "Gaussian BIC" if self.degree == 2 else "Gaussian BIC, first degree"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(ENTROPY, ENTROPY, 1.0, 0.5 * math.log(n_rows), degree=self.degree)


@setting
class WithPrior:
    """A score with a log prior over structures added, nats, up to a constant."""

    score: Annotated[TableScore, SkipValidation] = field(label="Score", help="The score without the prior.")
    edge_penalty: Number = edge_penalty()
    uniform_parent_sizes: Switch = uniform_parent_sizes()

    @property
    def name(self) -> str:
        parts = [self.score.name]
        parts += [f"{self.edge_penalty:g} per edge"] if self.edge_penalty else []
        parts += ["parent-size prior"] if self.uniform_parent_sizes else []
        return " − ".join(parts)

    def form(self, n_rows: int) -> ScoreForm:
        form = self.score.form(n_rows)
        return form._replace(
            edge_penalty=form.edge_penalty + self.edge_penalty,
            uniform_parent_sizes=form.uniform_parent_sizes or self.uniform_parent_sizes,
        )


def _network_called(name: str) -> BayesianNetwork:
    """Return a bundled network, or one in a file, which is parsed again only if its content has changed."""
    if name in network_names() or not is_network(name):
        return load_network(name)
    if not Path(name).is_file():
        raise ValueError(f"there is no file '{name}' to read the prior network from")
    file = Path(name).name
    return _network_in(content_of(name, file, reading_options.LIMITS.network_megabytes * 2**20), file)


@lru_cache(maxsize=1)
def _network_in(content: bytes, file: str) -> BayesianNetwork:
    return network_in(content, file, title_of(file))


#: The scores by their tags, in the order of lists.
SCORES: dict[str, type[TableScore]] = by_tag(
    BIC,
    FNML, QNML, AIC, LogLikelihood, BDeu, BDs, K2Score, BDe, GaussianBIC,
)  # fmt: skip


# Bias correction of a score that is applied to a resample.
#
# A resample of the data carries more dependence than the data: on it the likelihood of a family is too high by about
# half its number of parameters. For a score to mean on a resample what it means on the data, its penalty is raised by
# that much (Steck & Jaakkola, NIPS 2003, Eq. 7). The corrected score is a score like any other, also to searches.
#
# The leading order is the same for resamples of any size m drawn with replacement. A count nu of a resample is
# Binomial(m, p), p its share of the data; about its mean, E nu ln nu = mp ln mp + (1 - p) / 2 + O(1 / m), as in
# Miller's (1955) bias of the entropy. Summed over a family's cells, less the sum over its parent configurations, the
# second term is half of (cells less configurations), that is |theta| / 2 where no cell is empty: E L(resample) = (m /
# N) L(data) + |theta| / 2. So the corrected score of m resampled rows is on average that of m rows in the data's own
# proportions.

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
