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
from functools import lru_cache
from pathlib import Path

from bnengine.networks.bif import read_bif
from bnengine.networks.bundled import load_network, network_names
from bnengine.networks.network import BayesianNetwork
from bnengine.scores._count_terms import ENTROPY, OBSERVED, OFFSET, REGRET, SHARED
from bnengine.scores.bootstrap_scores import DIC, CorrectedLikelihood
from bnengine.scores.score_form import ScoreForm as ScoreForm
from bnengine.scores.score_form import TableScore as TableScore


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


@dataclass(frozen=True)
class BDs:
    """BDeu with its imaginary rows spread over the observed parent configurations only (Scutari 2016, Eq. 7).

    Less drawn to edges than BDeu on sparse data; Markov-equivalent graphs may differ in it.

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
        return f"BDs({self.ess:g})"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(OBSERVED, OBSERVED, float(self.ess), 0.0)


@dataclass(frozen=True)
class BDe:
    """Log marginal likelihood, nats, with the imaginary rows of a prior network.

    Heckerman, Geiger & Chickering (1995), Eq. 28 with alpha_ijk = ess P(x_i, pa_i | prior network), by exact inference.
    A uniform network without edges gives BDeu; a family with a row that the prior network holds for impossible has
    score -infinity. Equal for Markov-equivalent graphs. A prior network is refused if its junction tree has more than a
    million numbers.

    Parameters
    ----------
    prior_network : BayesianNetwork or str
        A network over the data's variables and states, the name of a bundled one, or the path of a BIF file.
    ess : float
        Equivalent sample size M0, in rows; positive.
    """

    prior_network: BayesianNetwork | str
    ess: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.ess) and self.ess > 0):
            raise ValueError(f"ess must be a positive number of imaginary rows, such as 1 or 10; got {self.ess}")

    @property
    def network(self) -> BayesianNetwork:
        """The prior network itself."""
        return _network_called(self.prior_network) if isinstance(self.prior_network, str) else self.prior_network

    @property
    def name(self) -> str:
        return f"BDe({self.network.title}, {self.ess:g})"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(SHARED, SHARED, float(self.ess), 0.0, network=self.network)


@dataclass(frozen=True)
class FNML:
    """Factorised normalised maximum likelihood, nats: log-likelihood - sum_j ln C(n_j, r).

    Silander, Roos, Kontkanen & Myllymäki (2008), Eq. 12. A description length without a prior or a sample-size term to
    choose; Markov-equivalent graphs may differ in it.
    """

    @property
    def name(self) -> str:
        return "fNML"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(ENTROPY, REGRET, 1.0, 0.0)


@dataclass(frozen=True)
class QNML:
    """Quotient normalised maximum likelihood, nats: log-likelihood - (ln C(N, q r) - ln C(N, q)).

    Silander, Leppä-aho, Jääsaari & Roos (2018), Eq. 9. Equal for Markov-equivalent graphs.
    """

    @property
    def name(self) -> str:
        return "qNML"

    def form(self, n_rows: int) -> ScoreForm:
        return ScoreForm(ENTROPY, ENTROPY, 1.0, 0.0, quotient=True)


@dataclass(frozen=True)
class WithPrior:
    """A score with a log prior over structures added, nats, up to a constant.

    Parameters
    ----------
    score : score
    edge_penalty : float
        Nats charged for each edge: log P(G) = -edge_penalty * (number of edges) + constant. 0 is uniform over graphs.
    uniform_parent_sizes : bool
        Charge ln binom(V - 1, k) for a family of k parents, so that each size of a parent set has the same prior mass
        (Koivisto & Sood 2004, Sec. 2.3).
    """

    score: TableScore
    edge_penalty: float = 0.0
    uniform_parent_sizes: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.edge_penalty) and self.edge_penalty >= 0):
            raise ValueError(f"edge_penalty must be 0 or more nats; got {self.edge_penalty}")

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


@lru_cache(maxsize=8)
def _read_once(path: str, changed: float) -> BayesianNetwork:
    return read_bif(path, title=Path(path).name.removesuffix(".gz").removesuffix(".bif"))


def _network_called(name: str) -> BayesianNetwork:
    """A bundled network, or one in a file; a file is read again only after it has changed."""
    if name not in network_names() and name.endswith((".bif", ".bif.gz")):
        if not Path(name).is_file():
            raise ValueError(f"there is no file '{name}' to read the prior network from")
        return _read_once(name, Path(name).stat().st_mtime)
    return load_network(name)


#: The scores by the word that files, the command line and the pages use.
SCORES: dict[
    str, type[LogLikelihood | CorrectedLikelihood | DIC | AIC | BIC | FNML | QNML | K2Score | BDeu | BDs | BDe]
] = {
    "loglik": LogLikelihood,
    "corrected": CorrectedLikelihood,
    "dic": DIC,
    "aic": AIC,
    "bic": BIC,
    "fnml": FNML,
    "qnml": QNML,
    "k2": K2Score,
    "bdeu": BDeu,
    "bds": BDs,
    "bde": BDe,
}
